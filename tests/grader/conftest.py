"""One warm sandbox for the tests that grade."""

import pytest

from grader.sandbox import Sandbox


@pytest.fixture(scope="session")
def sandbox():
    with Sandbox() as warm:
        yield warm
