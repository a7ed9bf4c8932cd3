"""Where tensors live: CUDA or Apple's MPS when there, the processor otherwise."""

from __future__ import annotations

import os

import torch


def pick_device(name: str | None = None) -> torch.device:
    """Choose the device a chapter runs on.

    Args:
        name: ``"cpu"``, ``"cuda"``, ``"cuda:1"`` or ``"mps"``. Without it, the environment
            variable ``COURSE_DEVICE``; without that, the fastest device there is.

    Returns:
        The device.

    Raises:
        ValueError: the named device is not on this machine.
    """
    name = name or os.environ.get("COURSE_DEVICE")
    if not name:
        if torch.cuda.is_available():
            return torch.device("cuda")
        return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0].partition(". ")[0]  # MPS goes on for a page
        raise ValueError(f"There is no device {name!r} on this machine: {reason}") from error
    return device
