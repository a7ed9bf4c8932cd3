"""Surroundings of a submission's process: environment, files, and bubblewrap's walls."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path

from grader import course

WORKER = Path(__file__).resolve().parent / "worker"
ROOT = WORKER.parents[2]  # of this project, or of all packages when it is installed among them
OURS = ("book", "course", "grader", "solutions")
CONDA = ("pkgs", "envs")  # what a conda installation has of other environments
DOCUMENTS = (Path("/usr/share"), Path("/usr/local/share"))  # manuals, that of Python among them
SYSTEM = ("/usr", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache")
DEVICES = ("/dev/null", "/dev/random", "/dev/urandom", "/dev/zero")

ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "HOME": "/nonexistent",
    "USER": "nobody",
    "OMP_NUM_THREADS": "1",  # more would start threads, and a fork loses them
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "2",  # else each thread reserves memory, and that counts
    "CUDA_VISIBLE_DEVICES": "",
    "JOBLIB_MULTIPROCESSING": "0",  # there is none, and it would warn of that
    "MPLBACKEND": "Agg",
    "MPLCONFIGDIR": "/tmp",  # nothing is written there, but imports fail without such a folder
    "TORCHINDUCTOR_CACHE_DIR": "/tmp",
    "PYTHONHASHSEED": "0",  # a set has the same order in every run
    "PYTHONDONTWRITEBYTECODE": "1",
}
# Which instructions the libraries may use: whoever sets this tries out another processor.
PROCESSOR = ("ATEN_CPU_CAPABILITY", "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "MKL_CBWR")


def environment() -> dict[str, str]:
    """All that a submission's process has of variables."""
    return ENVIRONMENT | {name: os.environ[name] for name in PROCESSOR if name in os.environ}


@cache
def import_paths() -> tuple[Path, ...]:
    """The folders that hold what a submission may import.

    Raises:
        ModuleNotFoundError: torch, numpy or safetensors is not installed.
    """
    found: dict[Path, None] = {}
    for name in ("torch", "numpy", "safetensors"):
        spec = importlib.util.find_spec(name)
        if spec is None or spec.origin is None:
            raise ModuleNotFoundError(f"{name} is not installed for {sys.executable}")
        found[Path(spec.origin).resolve().parents[1]] = None
    return tuple(found)


def readable_paths(hidden: Iterable[Path] = ()) -> list[Path]:
    """Everything a submission may read: the system, the interpreter, all packages but ours.

    A folder that holds something to hide gives way to what else is in it, because bubblewrap
    and Landlock are told what to show, not what to hide.

    Args:
        hidden: folders that are hidden beside what is ours.
    """
    imports = import_paths()
    ours = [folder / name for folder in imports for name in OURS]
    ours += [Path("~").expanduser(), ROOT, *(one.folder for one in course.projects()), *hidden]
    secrets = {path for path in ours if path.exists()}
    found: dict[Path, None] = {}

    def show(path: Path, hidden: set[Path]) -> None:
        if any(path in secret.parents for secret in hidden):
            for inner in sorted(path.iterdir()):
                inner = inner.resolve()  # a link must not lead around what is hidden
                if not hidden.intersection([inner, *inner.parents]):
                    show(inner, hidden)
        elif not found.keys() & {path, *path.parents}:
            found[path] = None

    roots: list[str | Path] = [*SYSTEM, sys.base_prefix, os.path.realpath(sys.executable)]
    roots += [*imports, WORKER]
    for root in map(Path, roots):
        if root.exists():
            root = root.resolve()
            show(root, secrets - {root, *root.parents})
    return list(found)


def places(packages: Collection[str]) -> list[Path]:
    """Where some packages may be read: in every Python that is shown, and in its manuals."""
    if not packages:
        return []
    prefix = Path(sys.base_prefix)
    roots = (*import_paths(), prefix, *map(Path, SYSTEM), Path("/usr/local"))
    inner = ("", "lib*/python*/", "lib*/python*/*-packages/", "python*/", "python*/*-packages/")
    found = [
        path for root in roots for name in packages for at in inner for path in root.glob(at + name)
    ]
    found += [*(prefix / name for name in CONDA), *DOCUMENTS]
    return sorted({path.resolve() for path in found if path.is_dir()})


def python_command() -> list[str]:
    """The interpreter, running the worker's server.

    Neither -I nor -P: the environment is ours, and the worker's files import each other from
    their own folder. -S leaves .pth files aside, which can make ``solutions`` importable.
    """
    return [os.path.realpath(sys.executable), "-s", "-S", str(WORKER / "server.py")]


def bubblewrap_command(hidden: Iterable[Path] = ()) -> list[str]:
    """Starts the command that follows it with a file system of its own and without a network.

    Args:
        hidden: folders that are empty there, as from `places`.
    """
    command = [shutil.which("bwrap") or "bwrap", "--die-with-parent", "--as-pid-1"]
    command += [f"--unshare-{what}" for what in ("pid", "net", "ipc", "uts", "cgroup-try")]
    command += ["--cap-drop", "ALL"]
    if os.getuid() == 0:  # to become nobody inside
        command += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    command += ["--dir", "/dev", "--perms", "1777", "--size", "65536", "--tmpfs", "/tmp"]
    for path in (shown := readable_paths()):
        for parent in reversed(path.parents):  # made on the way, they would be their maker's alone
            command += ["--dir", str(parent)]
        command += ["--ro-bind", str(path), str(path)]
    for path in hidden:
        if any(one in path.parents for one in shown):
            command += ["--tmpfs", str(path)]
    for path in SYSTEM:
        if os.path.islink(path):
            command += ["--symlink", os.readlink(path), path]
    for device in DEVICES:
        command += ["--dev-bind", device, device]
    return [*command, "--proc", "/proc", "--remount-ro", "/", "--chdir", "/", "--"]
