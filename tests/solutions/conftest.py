"""Random numbers that are the same in every run; `draws.py` draws with them."""

import pytest
import torch


@pytest.fixture
def rng():
    return torch.Generator().manual_seed(0)
