"""Where a chapter runs: what is asked for, then what the environment names, then CUDA."""

import pytest
import torch

from solutions.device import pick_device


@pytest.fixture(autouse=True)
def machine(monkeypatch):
    """A function that says what this machine has."""
    monkeypatch.delenv("COURSE_DEVICE", raising=False)

    def has(*, cuda=False, mps=False):
        monkeypatch.setattr(torch.cuda, "is_available", lambda: cuda)
        monkeypatch.setattr(torch.backends.mps, "is_available", lambda: mps)

    has()
    return has


@pytest.mark.parametrize(
    ("here", "kind"),
    [({}, "cpu"), ({"mps": True}, "cpu"), ({"cuda": True, "mps": True}, "cuda")],
)
@pytest.mark.parametrize("unset", [None, ""])
def test_the_default_has_every_dtype(machine, monkeypatch, here, kind, unset):
    machine(**here)
    if unset is not None:
        monkeypatch.setenv("COURSE_DEVICE", unset)
    assert pick_device(unset) == torch.device(kind)


def test_the_argument_wins_over_the_environment(machine, monkeypatch):
    machine(cuda=True)
    monkeypatch.setenv("COURSE_DEVICE", "meta")
    assert pick_device() == torch.device("meta")
    assert pick_device("cpu") == torch.device("cpu")


@pytest.mark.parametrize("name", ["gpu", "cuda:99"])
def test_a_device_that_is_not_there_is_one_message(name, monkeypatch):
    with pytest.raises(ValueError, match=rf"^There is no device '{name}' on this machine: .+$"):
        pick_device(name)
    monkeypatch.setenv("COURSE_DEVICE", name)
    with pytest.raises(ValueError, match=f"no device '{name}'"):
        pick_device()
