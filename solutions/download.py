"""Files for the data sets that are too large to ship: fetched once, checked always.

A file is looked for in three places. First the folder that the environment variable `COURSE_DATA`
names, if any, which is only read. Then a cache: the system's, or the folder named by
`COURSE_CACHE`. Then the mirrors below, one after the other; the last one is the archive of
Software Heritage, which finds a file by its checksum. Whatever the place, a file is used when its
SHA-256 is the one written here, so no mirror has to be trusted. `python -m solutions.download`
fetches them all.

Sources of the checksums: the files themselves; for Fashion-MNIST the list of TensorFlow Datasets.
"""

from __future__ import annotations

import contextlib
import hashlib
import math
import os
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

CONNECT = 8.0  # seconds without a connection after which a mirror is given up
PATIENCE = 20.0  # seconds without a byte after which it is given up
SLOWEST = 5_000  # bytes per second, on average, below which it is given up too


class DataError(OSError):
    """A data file is not to be had; the message says why, and what to do."""


@contextlib.contextmanager
def data_extra() -> Iterator[None]:
    """Import inside what only the data sets need, and hear how it is installed if it is not.

    Yields:
        Nothing.

    Raises:
        DataError: it is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise DataError(
            f"{error.name} is not installed, which this data set needs; in the folder of the "
            'project: pip install ".[data]"'
        ) from error


class Remote(NamedTuple):
    """Facts about a file that are known before it is downloaded.

    Attributes:
        size: bytes.
        sha256: checksum, in hexadecimal digits.
        mirrors: addresses that serve it, the preferred one first.
    """

    size: int
    sha256: str
    mirrors: tuple[str, ...]


def _remote(size: int, sha256: str, *mirrors: str) -> Remote:
    archive = f"https://archive.softwareheritage.org/api/1/content/sha256:{sha256}/raw/"
    return Remote(size, sha256, (*mirrors, archive))


def _github(repository: str, version: str, path: str) -> tuple[str, str]:
    """A file of a repository: from GitHub, and from a network that copies it."""
    return (
        f"https://raw.githubusercontent.com/{repository}/{version}/{path}",
        f"https://cdn.jsdelivr.net/gh/{repository}@{version}/{path}",
    )


def _fashion(name: str) -> tuple[str, str, str]:
    return (
        f"https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/master/data/fashion/{name}",
        f"https://storage.googleapis.com/tensorflow/tf-keras-datasets/{name}",
        f"http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/{name}",
    )


_FASHION = {
    "train-images-idx3-ubyte.gz": (
        26_421_880,
        "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84",
    ),
    "train-labels-idx1-ubyte.gz": (
        29_515,
        "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845",
    ),
    "t10k-images-idx3-ubyte.gz": (
        4_422_102,
        "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073",
    ),
    "t10k-labels-idx1-ubyte.gz": (
        5_148,
        "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5",
    ),
}
_MULTI30K = {
    "train.en.gz": (568_929, "d79cfa999dd4c51d2cb42499b6796d5a882c3a8a961923c25a898c90f8bbd56f"),
    "train.de.gz": (637_044, "726e39b2fa9eb9ffb6dc763fb35a179f80fae06ffc5d28b6ace5faa883de28a6"),
    "train.fr.gz": (604_242, "622e75069e9f4c577425c4f277116ce66e63a2401c0a2312d90073cb12379a3c"),
    "val.en.gz": (21_650, "14f7d25ddd868909a9213e361768460edcacdd6ab9d1e77b92560dc10c10dc28"),
    "val.de.gz": (24_681, "f0cba2f995189cf5770f29a8a9a537a3ad3f51657ad873405082ff6863a5e75a"),
    "val.fr.gz": (23_001, "ca3106f1a72390591d25f6c45cb4cd39dec4cd3f123e099748a3ce5256c160e9"),
    "test_2016_flickr.en.gz": (
        21_077,
        "611d361c6334bc7246101d48097c13cf5c4413c5befc793cc629934359d532d9",
    ),
    "test_2016_flickr.de.gz": (
        22_890,
        "9204244e408ccb38d2a55cfcd344df15005fc42a07a6e55ca6c52b6ababb8cc8",
    ),
    "test_2016_flickr.fr.gz": (
        22_310,
        "6d326e188d259fb1d04ac19eae3af956559b3a0b93d7635e56c90987c40c8b90",
    ),
}
_SST2 = {
    "train": (720_259, "ec192f833a64da08f475488a77b0d0b47db47acd0f458bd18433fc793b569920"),
    "dev": (92_057, "eddea6b39e601dd4e7a672b53cc40fdf6019fa80522f351206c24340ca5d9359"),
    "test": (188_749, "831169c7e2e429d6026e1bdbb542f33b636e3e596caad9602ebc953c205928b7"),
}
FILES: dict[str, Remote] = {
    "names.txt": _remote(
        228_145,
        "0a30b5557f192f32ab962680889aac5f6fda0f4cecf40a6d0b5694f58ea8cc4d",
        *_github("karpathy/makemore", "988aa59e4d8fefa526d06f3b453ad116258398d4", "names.txt"),
    ),
    "tinyshakespeare.txt": _remote(
        1_115_394,
        "86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed",
        *_github("karpathy/char-rnn", "master", "data/tinyshakespeare/input.txt"),
        "https://storage.googleapis.com/download.tensorflow.org/data/shakespeare.txt",
    ),
    **{name: _remote(*known, *_fashion(name)) for name, known in _FASHION.items()},
    **{
        name: _remote(
            *known,
            *_github(
                "multi30k/dataset",
                "a3d2e0d26b56f3846f66a952536ffed4e401d05a",
                f"data/task1/raw/{name}",
            ),
        )
        for name, known in _MULTI30K.items()
    },
    **{
        f"sst2-{part}.tsv": _remote(
            *known,
            *_github(
                "clairett/pytorch-sentiment-classification", "master", f"data/SST2/{part}.tsv"
            ),
        )
        for part, known in _SST2.items()
    },
}


def fetch(name: str) -> Path:
    """Find a data file, downloading it if need be.

    Two processes may ask for the same file: each downloads to a file of its own and renames it
    when its checksum is right, so the cache never holds half a file.

    Args:
        name: a key of `FILES`.

    Returns:
        Where the file is; its checksum has been verified.

    Raises:
        DataError: no mirror has it, the folder of `COURSE_DATA` holds another file of that name,
            or the cache cannot be written.
        ValueError: no such name is known.
    """
    if name not in FILES:
        raise ValueError(f"There is no data file {name!r}; expected one of {', '.join(FILES)}.")
    remote = FILES[name]
    folder, note = os.environ.get("COURSE_DATA"), ""
    if folder:
        if (path := _in_folder(folder, name)).is_file():
            return _verified(path, remote)
        note = f"\n  COURSE_DATA ({folder}): holds no {name}"
    path, failures = _from_mirrors(name, remote)
    if path is None:
        raise DataError(
            f"{name} ({_megabytes(remote.size)}) could not be downloaded:{note}{failures}\n"
            "Check the network and try again. To work without one, fetch the file elsewhere, from\n"
            f"  {remote.mirrors[0]}\n"
            f"save it as {name}, and set COURSE_DATA to the folder it is in."
        )
    return path


def cache_folder() -> Path:
    """Say where downloaded files are kept.

    Returns:
        The folder that ``COURSE_CACHE`` names, or else the system's place for such things.
    """
    with data_extra():
        import pooch

    cache = os.environ.get("COURSE_CACHE") or pooch.os_cache("neural-networks-in-code")
    return Path(cache).expanduser()


class _MirrorError(Exception):
    """One mirror did not deliver; another may."""


def _in_folder(folder: str, name: str) -> Path:
    """Return the path of a file in the folder of ``COURSE_DATA``, which must exist."""
    path = Path(folder).expanduser() / name
    if not path.parent.is_dir():
        raise DataError(
            f"COURSE_DATA is {folder!r}, and there is no such folder. "
            f"Set it to the folder that holds {name}, or unset it to download the file."
        )
    return path


def _from_mirrors(name: str, remote: Remote) -> tuple[Path | None, str]:
    """Return the file from the cache or the first mirror that has it, and why others failed."""
    with data_extra():
        import pooch

    cache, failures = cache_folder(), ""
    logger = pooch.get_logger()
    level = logger.level
    logger.setLevel("WARNING")  # the progress line says it already
    try:
        for url in remote.mirrors:
            try:
                path = pooch.retrieve(
                    url,
                    known_hash=f"sha256:{remote.sha256}",
                    fname=name,
                    path=cache,
                    downloader=partial(_download, name=name, remote=remote),
                )
                return Path(path), failures
            except _MirrorError as error:
                failures += f"\n  {urlsplit(url).netloc}: {error}"
    except OSError as error:
        raise DataError(
            f"{name} ({_megabytes(remote.size)}) cannot be kept in {cache}: "
            f"{error.strerror or error}. Make room there, or set COURSE_CACHE to another folder."
        ) from None
    finally:
        logger.setLevel(level)
    return None, failures


def _download(url: str, output: str, _pooch: object, *, name: str, remote: Remote) -> None:
    """Write what a mirror sends to a file, or say in a few words why it is of no use."""
    with data_extra():
        import requests
        from urllib3.exceptions import HTTPError

    # not to the file that pooch made, which nobody else may read, and whose name does not say
    # whose it is: the folder may hold other things too
    part = Path(f"{output}-{name}")
    for left in part.parent.glob(f"tmp*-{name}"):  # by downloads that were killed
        with contextlib.suppress(FileNotFoundError):  # another process may clear up too
            if left.stat().st_mtime < time.time() - 24 * 3600:
                left.unlink()
                left.with_name(left.name.removesuffix(f"-{name}")).unlink()

    digest, got, start = hashlib.sha256(), 0, time.monotonic()
    line = _Progress(name, remote.size)
    try:
        # without compression on the way: a file that is compressed itself would come unpacked
        headers = {"Accept-Encoding": "identity"}
        with (
            requests.get(
                url, stream=True, timeout=(CONNECT, PATIENCE), headers=headers
            ) as response,
            part.open("wb") as file,
        ):
            if response.status_code != 200:
                raise _MirrorError(f"HTTP {response.status_code} {response.reason}")
            packed = name.endswith(".gz")
            while chunk := response.raw.read1(2**16, decode_content=not packed):
                file.write(chunk)
                digest.update(chunk)
                got += len(chunk)
                line.show(got)
                if got > remote.size:
                    break
                if got < (time.monotonic() - start - PATIENCE) * SLOWEST:
                    raise _MirrorError(f"too slow, {got:,} of {remote.size:,} bytes so far")
        if wrong := _difference(got, digest.hexdigest(), remote):
            raise _MirrorError(wrong)
        part.replace(output)
    except (requests.RequestException, HTTPError) as error:
        raise _MirrorError(_reason(error)) from None
    finally:
        line.close()
        part.unlink(missing_ok=True)


def _difference(size: int, sha256: str, remote: Remote) -> str:
    """Reason to reject a file; empty if it is the right one."""
    if size > remote.size:
        return f"got more bytes than the {remote.size:,} expected"
    if size < remote.size:
        return f"got {size:,} bytes, expected {remote.size:,}"
    if sha256 != remote.sha256:
        return f"got a file with SHA-256 {sha256}, expected {remote.sha256}"
    return ""


def _verified(path: Path, remote: Remote) -> Path:
    """The same path, if the file there is the right one."""
    try:
        with path.open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        wrong = _difference(path.stat().st_size, sha256, remote)
    except OSError as error:
        raise DataError(
            f"{path} cannot be read: {error.strerror or error}. "
            "Make it readable, or unset COURSE_DATA to download it."
        ) from None
    if wrong:
        raise DataError(
            f"{path} is not the file of that name which the course uses: {wrong}. "
            f"Replace it by {remote.mirrors[0]}, or unset COURSE_DATA to download it."
        )
    return path


def _reason(error: Exception) -> str:
    """A network error in a few words; the libraries wrap the cause several times."""
    while True:
        inner = (getattr(error, "reason", None), *error.args)
        inner = [one for one in inner if isinstance(one, Exception)]
        if not inner:
            break
        error = inner[0]
    kind = type(error).__name__
    if kind == "NameResolutionError":
        return "not found; is there a network?"
    if "Timeout" in kind:
        return f"no answer for {CONNECT if 'Connect' in kind else PATIENCE:g} s"
    if kind == "IncompleteRead":
        return "broke off in the middle of the file"
    said = str(error) or kind
    return said.partition("[Errno ")[2].partition("] ")[2] or said


class _Progress:
    """How far a download is: one line, on a terminal or in a notebook; a sentence in a log."""

    def __init__(self, name: str, total: int) -> None:
        # a notebook prints standard error on red
        notebook = type(sys.stdout).__module__ == "ipykernel.iostream"
        self.stream = sys.stdout if notebook else sys.stderr
        self.live = notebook or self.stream.isatty()
        self.name, self.total, self.shown = name, total, -math.inf

    def show(self, done: int) -> None:
        """Say that `done` bytes are here, five times a second at most."""
        first, now, whole = self.shown < 0, time.monotonic(), _megabytes(self.total)
        if self.live and (now > self.shown + 0.2 or done == self.total):
            text, end = f"\r{self.name}: {_megabytes(done)} of {whole}", ""
        elif first:
            text, end = f"Downloading {self.name}, {whole}", "\n"
        else:
            return
        self.shown = now
        print(text, end=end, file=self.stream, flush=True)

    def close(self) -> None:
        """End the line, if there is one."""
        if self.live and self.shown > 0:
            print(file=self.stream, flush=True)


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB" if size > 1e5 else f"{size / 1e3:.1f} kB"


def _main() -> None:
    """Fetch every file, for a machine or a class that will be without a network."""
    try:
        for name in FILES:
            print(fetch(name))
    except DataError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    _main()
