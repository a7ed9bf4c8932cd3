"""Where tensors live: on CUDA when there, on the processor otherwise."""

from __future__ import annotations

import os

import torch


def pick_device(name: str | None = None) -> torch.device:
    """Choose the device a chapter runs on.

    Args:
        name: ``"cpu"``, ``"cuda"``, ``"cuda:1"`` or ``"mps"``. Without it, the environment
            variable ``COURSE_DEVICE``; without that, CUDA or else the processor. Apple's MPS has
            no float64, which some chapters need, so it has to be asked for.

    Returns:
        The device.

    Raises:
        ValueError: the named device is not on this machine.
    """
    name = name or os.environ.get("COURSE_DEVICE")
    if not name:
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0].partition(". ")[0]  # MPS goes on for a page
        raise ValueError(f"There is no device {name!r} on this machine: {reason}") from error
    return device
