"""Data sets: what they hold, and what becomes of a download when the world is not kind.

Files are served on the loopback, by a server that misbehaves as its address says. Where the
environment variable COURSE_DATA names a folder with the real files, these are read too.
"""

from __future__ import annotations

import gzip
import hashlib
import itertools
import os
import random
import re
import resource
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pooch
import pytest
import requests  # also so that it is loaded before a test gives up its rights
import torch
from sklearn.datasets import load_digits

from solutions import data, download
from solutions.download import DataError, Remote, fetch

BODY = random.Random(0).randbytes(50_000)
NAME = "file.bin"
FOLDER = os.environ.get("COURSE_DATA")


def remote(*mirrors, body=BODY):
    return Remote(len(body), hashlib.sha256(body).hexdigest(), mirrors)


class Handler(BaseHTTPRequestHandler):
    """Serves `files`, in the way that the first part of the path says."""

    files: dict[str, bytes]

    def do_GET(self):
        way, name = self.path.strip("/").split("/")
        body = self.files[name]
        self.server.asked.append(way)
        if way == "missing":
            self.send_error(404)
            return
        self.send_response(200)
        if way != "unsaid":
            self.send_header("Content-Length", str(len(body) + (way == "long")))
        if way == "mislabeled":
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        half = len(body) // 2
        try:
            if way in ("short", "unsaid", "stalls"):
                self.wfile.write(body[:half])
                self.server.over.wait(20 if way == "stalls" else 0)
            elif way == "drips":
                for byte in body:
                    self.wfile.write(bytes([byte]))
                    if self.server.over.wait(0.05):
                        break
            elif way == "wrong":
                self.wfile.write(body[:half] + b"?" + body[half + 1 :])
            else:
                self.wfile.write(body[:half])
                time.sleep(0.3 if way == "slow" else 0)
                self.wfile.write(body[half:] + b"!" * (way == "long"))
        except OSError:
            pass  # the client has hung up
        self.close_connection = True

    def log_message(self, *_):
        pass


@contextmanager
def serving(files):
    handler = type("Serving", (Handler,), {"files": files})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads, server.block_on_close = True, False
        server.asked, server.over = [], threading.Event()
        server.at = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server
        finally:
            server.over.set()
            server.shutdown()
            thread.join()


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache, no folder of files, and no patience."""
    monkeypatch.delenv("COURSE_DATA", raising=False)
    monkeypatch.setenv("COURSE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.setattr(download, "CONNECT", 1.0)
    monkeypatch.setattr(download, "PATIENCE", 0.4)
    return tmp_path / "cache"


@pytest.fixture
def known(cache, monkeypatch):
    """A function that makes one file known, by the ways in which its mirrors behave."""
    with serving({NAME: BODY}) as server:

        def know(*ways):
            mirrors = [way if ":" in way else f"{server.at}/{way}/{NAME}" for way in ways]
            monkeypatch.setattr(download, "FILES", {NAME: remote(*mirrors)})
            return server

        yield know


def refusal(call=lambda: fetch(NAME)):
    """The message of the one error, which hides no other."""
    with pytest.raises(DataError) as caught:
        call()
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    return str(caught.value)


def listing(folder):
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


# downloads


def test_a_download_is_kept_and_a_kept_file_is_silent(known, cache, capfd):
    server = known("good")
    level = pooch.get_logger().level
    assert fetch(NAME) == cache / NAME
    assert (cache / NAME).read_bytes() == BODY
    assert capfd.readouterr() == ("", "Downloading file.bin, 50.0 kB\n")
    assert fetch(NAME).read_bytes() == BODY
    assert capfd.readouterr() == ("", "")
    assert server.asked == ["good"]
    assert listing(cache) == [NAME]
    assert pooch.get_logger().level == level


def test_without_a_network_a_kept_file_is_found(known, cache):
    known("good")
    fetch(NAME)
    known("http://127.0.0.1:9/nothing")
    assert fetch(NAME).read_bytes() == BODY


def test_a_notebook_sees_one_line_that_moves(known, monkeypatch, capsys):
    known("good")
    monkeypatch.setattr(type(sys.stdout), "__module__", "ipykernel.iostream")
    fetch(NAME)
    out, err = capsys.readouterr()
    assert err == ""
    assert out.startswith("\rfile.bin: ")
    assert out.endswith("\rfile.bin: 50.0 kB of 50.0 kB\n")
    assert out.count("\n") == 1
    fetch(NAME)
    assert capsys.readouterr() == ("", "")


SAID = {
    "missing": "HTTP 404 Not Found",
    "wrong": r"got a file with SHA-256 [0-9a-f]{64}, expected " + hashlib.sha256(BODY).hexdigest(),
    "short": "broke off in the middle of the file",
    "unsaid": "got 25,000 bytes, expected 50,000",
    "long": "got more bytes than the 50,000 expected",
    "stalls": r"no answer for 0\.4 s",
    "drips": r"too slow, \d+ of 50,000 bytes so far",
    "http://127.0.0.1:9/refused": "Connection refused",
    "http://mirror.invalid/unknown": r"not found; is there a network\?",
}


@pytest.mark.parametrize("way", SAID)
def test_a_bad_mirror_is_passed_over(known, cache, way):
    known(way, "good")
    assert fetch(NAME).read_bytes() == BODY
    assert listing(cache) == [NAME]


@pytest.mark.parametrize("way", SAID)
def test_when_no_mirror_is_left_one_error_says_why(known, cache, way):
    server = known(way, "missing")
    said = refusal()
    host = re.escape(urlsplit(way).netloc or urlsplit(server.at).netloc)
    assert re.search(rf"\n  {host}: .*{SAID[way]}\n", said)
    assert re.search(r"\n  127.0.0.1:\d+: HTTP 404 Not Found\n", said)
    assert said.startswith("file.bin (50.0 kB) could not be downloaded:")
    assert "set COURSE_DATA to the folder" in said
    assert listing(cache) == []


def test_a_file_that_is_packed_comes_packed(cache, monkeypatch):
    packed = gzip.compress(b"text " * 1000)
    with serving({"text.gz": packed}) as server:
        for way in ("good", "mislabeled"):
            files = {"text.gz": remote(f"{server.at}/{way}/text.gz", body=packed)}
            monkeypatch.setattr(download, "FILES", files)
            monkeypatch.setenv("COURSE_CACHE", str(cache / way))
            assert fetch("text.gz").read_bytes() == packed


def test_a_broken_file_in_the_cache_is_replaced(known, cache):
    known("good")
    cache.mkdir()
    (cache / NAME).write_bytes(BODY[:100])
    assert fetch(NAME).read_bytes() == BODY


def test_a_cache_that_cannot_be_made_is_said(known, cache):
    known("good")
    cache.write_text("a file where the folder should be")
    said = refusal()
    assert re.search(
        r"file.bin \(50.0 kB\) cannot be kept in .*cache: (File exists|Not a dir)", said
    )
    assert "set COURSE_CACHE to another folder" in said


def test_a_cache_that_may_not_be_written_is_said(known, cache):
    known("good")
    cache.mkdir()
    cache.chmod(0o500)
    root = os.geteuid() == 0  # to whom rights mean nothing
    if root:
        os.seteuid(65534)
    try:
        said = refusal()
    finally:
        if root:
            os.seteuid(0)
    assert "cannot be kept in" in said
    assert "Permission denied" in said
    assert listing(cache) == []


def test_a_full_disk_is_said_and_leaves_nothing(known, cache):
    server = known("good", "good")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard))  # no file may grow beyond this
    try:
        said = refusal()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert "cannot be kept in" in said
    assert "File too large" in said
    assert server.asked == ["good"]  # another mirror would not help
    assert listing(cache) == []
    assert fetch(NAME).read_bytes() == BODY


def process(known_file):
    """Another Python that fetches the file."""
    code = (
        "from solutions import download\n"
        f"download.FILES = {{{NAME!r}: download.Remote(*{tuple(known_file)!r})}}\n"
        f"print(download.fetch({NAME!r}))\n"
    )
    return subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def test_two_processes_may_ask_at_once(known, cache):
    server = known("slow")
    both = [process(download.FILES[NAME]) for _ in range(2)]
    for one in both:
        out, err = one.communicate(timeout=30)
        assert one.returncode == 0, err
        assert out == f"{cache / NAME}\n"
    assert (cache / NAME).read_bytes() == BODY
    assert listing(cache) == [NAME]
    assert set(server.asked) == {"slow"}


def test_a_killed_download_does_no_harm(known, cache):
    known("stalls")
    one = process(download.FILES[NAME])
    end = time.monotonic() + 30
    while not [*cache.glob(f"tmp*-{NAME}")]:  # empty while Python keeps its bytes in a buffer
        assert one.poll() is None, one.stderr.read()
        assert time.monotonic() < end
        time.sleep(0.02)
    one.send_signal(signal.SIGKILL)
    one.communicate()
    left = listing(cache)
    known("good")
    assert fetch(NAME).read_bytes() == BODY
    assert listing(cache) == sorted([NAME, *left])  # they may be another one's, at work

    for name in left:
        age(cache / name)
    (cache / NAME).unlink()
    fetch(NAME)
    assert listing(cache) == [NAME]


def age(path):
    yesterday = time.time() - 25 * 3600
    os.utime(path, (yesterday, yesterday))


def test_the_cache_may_hold_what_is_not_ours(known, cache):
    known("good")
    cache.mkdir()
    (cache / "tmpabc").write_text("of another program")
    (cache / "tmp-folder").mkdir()
    for path in cache.iterdir():
        age(path)
    fetch(NAME)
    assert listing(cache) == sorted([NAME, "tmp-folder", "tmpabc"])


def test_a_kept_file_has_the_rights_of_any_other(known, cache, tmp_path):
    # for a folder that many people read
    known("good")
    (tmp_path / "any").write_text("")
    assert fetch(NAME).stat().st_mode == (tmp_path / "any").stat().st_mode


def test_the_user_may_stop_a_download(known, cache, monkeypatch):
    known("good")

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(download._Progress, "show", stop)
    with pytest.raises(KeyboardInterrupt):
        fetch(NAME)
    assert listing(cache) == []


# a folder that holds the files already


def test_the_folder_comes_first_and_is_only_read(known, cache, tmp_path, monkeypatch, capfd):
    server = known("good")
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / NAME).write_bytes(BODY)
    monkeypatch.setenv("COURSE_DATA", str(folder))
    assert fetch(NAME) == folder / NAME
    assert server.asked == []
    assert not cache.exists()
    assert listing(folder) == [NAME]
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("body", [BODY[:-1], BODY[:-1] + b"?"])
def test_another_file_of_that_name_is_an_error(known, tmp_path, monkeypatch, body):
    known("good")
    (tmp_path / NAME).write_bytes(body)
    monkeypatch.setenv("COURSE_DATA", str(tmp_path))
    said = refusal()
    assert said.startswith(f"{tmp_path / NAME} is not the file of that name which the course uses")
    assert re.search(r"got .*, expected ", said)
    assert (tmp_path / NAME).read_bytes() == body


def test_a_file_that_may_not_be_read_is_an_error(known, tmp_path, monkeypatch):
    known("good")
    monkeypatch.setenv("COURSE_DATA", str(tmp_path))
    (tmp_path / NAME).write_bytes(BODY)

    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(hashlib, "file_digest", refuse)
    assert refusal().startswith(f"{tmp_path / NAME} cannot be read: Permission denied. ")


def test_what_the_folder_lacks_is_downloaded_or_said(known, cache, tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_DATA", str(tmp_path))
    known("missing")
    assert f"COURSE_DATA ({tmp_path}): holds no file.bin" in refusal()
    known("good")
    assert fetch(NAME) == cache / NAME


def test_a_folder_that_is_not_there_is_an_error(known, tmp_path, monkeypatch):
    known("good")
    monkeypatch.setenv("COURSE_DATA", str(tmp_path / "typo"))
    assert "there is no such folder" in refusal()


def test_all_files_are_fetched_for_a_class(known, cache, capsys):
    known("good")
    download._main()
    assert capsys.readouterr().out == f"{cache / NAME}\n"
    (cache / NAME).unlink()
    known("missing")
    with pytest.raises(SystemExit, match=r"^file.bin \(50.0 kB\) could not be downloaded:"):
        download._main()


def test_an_unknown_name_is_an_error():
    with pytest.raises(ValueError, match=r"no data file 'name.txt'; expected one of names\.txt, "):
        fetch("name.txt")


# the list of files


def test_every_file_has_mirrors_on_several_hosts():
    for name, one in download.FILES.items():
        assert len({urlsplit(url).netloc for url in one.mirrors}) >= 3, name
        assert re.fullmatch("[0-9a-f]{64}", one.sha256)
    sums = [one.sha256 for one in download.FILES.values()]
    assert len(set(sums)) == len(sums)


@pytest.mark.parametrize(
    "load", [data.fashion_mnist, data.tiny_shakespeare, data.names, data.multi30k, data.sst2]
)
def test_offline_every_real_set_says_what_to_do(cache, monkeypatch, load):
    asked = []

    def offline(url, **_):
        asked.append(url)
        raise requests.ConnectionError("no network in this test")

    monkeypatch.setattr(requests, "get", offline)
    said = refusal(load)
    assert "no network in this test" in said
    assert "COURSE_DATA" in said
    assert len(asked) >= 3


# what the sets hold


def served(files, monkeypatch, folder):
    """Put small files where the real ones are looked for."""
    for name, body in files.items():
        (folder / name).write_bytes(body)
    monkeypatch.setattr(download, "FILES", {n: remote("none:", body=b) for n, b in files.items()})
    monkeypatch.setenv("COURSE_DATA", str(folder))


def idx(array):
    head = bytes([0, 0, 8, array.ndim]) + b"".join(n.to_bytes(4, "big") for n in array.shape)
    return gzip.compress(head + bytes(array.flatten().tolist()))


def clothes():
    generator = torch.Generator().manual_seed(0)
    images = torch.randint(256, (24, 28, 28), generator=generator, dtype=torch.uint8)
    labels = torch.arange(24, dtype=torch.uint8) % 10
    files = {
        "train-images-idx3-ubyte.gz": idx(images),
        "train-labels-idx1-ubyte.gz": idx(labels),
        "t10k-images-idx3-ubyte.gz": idx(images[:3]),
        "t10k-labels-idx1-ubyte.gz": idx(labels[:3]),
    }
    return files, images, labels


def test_fashion_mnist(monkeypatch, tmp_path):
    files, images, labels = clothes()
    served(files, monkeypatch, tmp_path)
    sets = data.fashion_mnist()
    assert [len(part.labels) for part in sets] == [22, 2, 3]
    features = torch.cat([sets.train.features, sets.dev.features])
    assert features.dtype == torch.float32
    assert torch.equal(features.reshape(24, 28, 28), images / 255)
    both = torch.cat([sets.train.labels, sets.dev.labels])
    assert torch.equal(both, labels.to(torch.int64))
    assert both.dtype == torch.int64
    assert torch.equal(sets.test.features, features[:3])
    assert len(data.FASHION_CLASSES) == 10


@pytest.mark.parametrize(
    "device",
    [
        "meta",  # holds shapes alone, and is everywhere
        pytest.param("cuda", marks=pytest.mark.cuda),
    ],
)
def test_tensors_go_where_they_are_told(monkeypatch, tmp_path, device):
    files, images, labels = clothes()
    files |= {f"sst2-{part}.tsv": b"fine\t1\n" for part in ("train", "dev", "test")}
    served(files, monkeypatch, tmp_path)
    sets = data.fashion_mnist(device=device)
    for part in (*sets, *data.digits(device=device)):
        assert part.features.device.type == device
        assert part.labels.device.type == device
    assert data.sst2(device=device).test.labels.device.type == device
    if device != "meta":
        assert torch.equal(sets.test.labels.cpu(), labels[:3].long())
        assert torch.allclose(sets.test.features.cpu(), images[:3].flatten(1) / 255)


def test_multi30k(monkeypatch, tmp_path):
    parts = ("train", "val", "test_2016_flickr")
    # a line separator of Unicode inside a line must not part it
    texts = {"de": "Ein Hund.\nZwei\u2028Hunde.\n", "en": "A dog.\nTwo dogs. \n"}
    served(
        {f"{p}.{k}.gz": gzip.compress(v.encode()) for p in parts for k, v in texts.items()},
        monkeypatch,
        tmp_path,
    )
    for part in data.multi30k():
        assert part == [("Ein Hund.", "A dog."), ("Zwei\u2028Hunde.", "Two dogs.")]
    assert data.multi30k("en", "de").train[0] == data.Pair(source="A dog.", target="Ein Hund.")


@pytest.mark.parametrize("languages", [("de", "de"), ("de", "cs")])
def test_multi30k_knows_its_languages(languages):
    with pytest.raises(ValueError, match=r"Expected two of en, de and fr; got 'de' and"):
        data.multi30k(*languages)


def test_sst2(monkeypatch, tmp_path):
    rows = b'a " b\t1\nc d\t0\n'  # quotes mean nothing in this format
    served({f"sst2-{part}.tsv": rows for part in ("train", "dev", "test")}, monkeypatch, tmp_path)
    for part in data.sst2():
        assert part.texts == ['a " b', "c d"]
        assert part.labels.tolist() == [1, 0]
        assert part.labels.dtype == torch.int64


def test_names_and_tiny_shakespeare(monkeypatch, tmp_path):
    served({"names.txt": b"ada\nalan", "tinyshakespeare.txt": b"A:\nO.\n"}, monkeypatch, tmp_path)
    assert data.names() == ["ada", "alan"]
    assert data.tiny_shakespeare() == "A:\nO.\n"


def test_digits_are_split_without_overlap():
    sets = data.digits()
    assert [len(part.labels) for part in sets] == [1078, 359, 360]
    assert sets.train.features.shape == (1078, 64)
    assert torch.cat([part.features for part in sets]).aminmax() == (0, 1)
    assert torch.equal(sets.dev.labels, data.digits(seed=0).dev.labels)
    assert not torch.equal(sets.dev.labels, data.digits(seed=1).dev.labels)


def test_digits_are_those_of_scikit_learn():
    theirs = load_digits()
    order = torch.randperm(len(theirs.target), generator=torch.Generator().manual_seed(0))
    ours = [torch.cat(parts) for parts in zip(*data.digits(seed=0), strict=True)]
    assert torch.equal(ours[0], torch.tensor(theirs.data / 16, dtype=torch.float32)[order])
    assert torch.equal(ours[1], torch.tensor(theirs.target)[order])


def test_sentences_keep_their_apostrophes():
    found = data.sentences()
    assert len(found) > 1000
    words = {word for sentence in found for word in sentence}
    assert {"doesn't", "don't"} <= words
    assert not {"doesn", "don"} & words
    assert all(re.fullmatch(r"[a-z]+('[a-z]+)?", word) for word in words)
    assert max(map(len, data.sentences(longest=7))) == 7


def test_sentence_splits_share_no_sentence():
    found = data.sentences()
    sets = data.sentence_splits()
    together = [tuple(words) for part in sets for words in part]
    assert len(set(together)) == len(together)
    assert set(together) == set(map(tuple, found))
    assert len(together) < 0.9 * len(found)  # which has repeats
    assert [round(10 * len(part) / len(together)) for part in sets] == [8, 1, 1]
    assert data.sentence_splits() == sets
    assert data.sentence_splits(seed=1).test != sets.test
    assert max(len(words) for part in data.sentence_splits(longest=7) for words in part) == 7
    # by topic: what follows a sentence in its part mostly follows it in the text too
    after = {(tuple(one), tuple(two)) for one, two in itertools.pairwise(found)}
    assert all(
        sum((tuple(one), tuple(two)) in after for one, two in itertools.pairwise(part))
        > 0.6 * len(part)
        for part in sets
    )


def test_text_is_plain():
    text = data.text()
    lines = text.splitlines()
    assert len(set(lines)) == len(lines)
    assert len(text) > 150_000  # how much depends on the Python
    assert set(text) <= {"\n", *map(chr, range(32, 127))}
    assert "doesn't" in text
    assert "::=" not in text
    assert not re.search(r"\n\n|  |\*{5}|={5}", text)


def test_dates_are_dates_in_words():
    sets = data.dates()
    assert [len(part) for part in sets] == [8000, 1000, 1000]
    everything = [pair for part in sets for pair in part]
    days = [pair.target for pair in everything]
    assert len(set(days)) == len(days)  # hence none is in two parts
    assert all(re.fullmatch(r"(19|20)\d\d-[01]\d-[0-3]\d", day) for day in days)
    assert all(day[:4] in source and str(int(day[8:])) in source for source, day in everything)
    assert not any(re.search(r"[^\S ]|  ", source) for source, _ in everything)
    assert data.dates() == sets
    assert data.dates(seed=1).train != sets.train


def test_dates_in_one_language():
    sets = data.dates(60, languages=["fr"], seed=3)
    assert [len(part) for part in sets] == [48, 6, 6]
    months = {pair.target[5:7]: pair.source for part in sets for pair in part}
    assert re.search("janv", months["01"])
    assert re.search("août", months["08"])


def test_a_date_in_words_is_one_day_whatever_the_language():
    from datetime import date

    from babel.dates import format_date

    meant = {}
    for language in data.LANGUAGES:
        for length in ("full", "long", "medium"):
            for month in range(1, 13):
                for day in (1, 2, 3, 11, 12, 21, 28):
                    when = date(2021, month, day)
                    written = format_date(when, format=length, locale=language)
                    assert meant.setdefault(written, when) == when


def test_dates_refuse_what_they_cannot_do():
    with pytest.raises(ValueError, match=r"Expected languages that Babel knows: .*'xx'"):
        data.dates(10, languages=["xx"])
    with pytest.raises(ValueError, match="Expected at least one language"):
        data.dates(10, languages=[])
    for count in (0, 100_000):
        with pytest.raises(ValueError, match=r"count from 1 to 73,049 days"):
            data.dates(count)


# the real files, over the loopback


@pytest.mark.skipif(not FOLDER, reason="the real files (COURSE_DATA names their folder)")
def test_real_files(cache, monkeypatch):
    here = {name: path for name in download.FILES if (path := Path(FOLDER) / name).is_file()}
    assert here, f"{FOLDER} holds none of {', '.join(download.FILES)}"
    with serving({name: path.read_bytes() for name, path in here.items()}) as server:
        files = {
            name: download.FILES[name]._replace(mirrors=(f"{server.at}/good/{name}",))
            for name in here
        }
        monkeypatch.setattr(download, "FILES", files)
        monkeypatch.setattr(download, "PATIENCE", 20.0)
        for name in here:
            assert fetch(name) == cache / name
        if "names.txt" in here:
            names = data.names()
            assert (len(names), names[0]) == (32_033, "emma")
            assert len(names) - len(set(names)) == 2_539
            assert set("".join(names)) == set("abcdefghijklmnopqrstuvwxyz")
        if "tinyshakespeare.txt" in here:
            assert data.tiny_shakespeare().startswith("First Citizen:\n")
            assert len(set(data.tiny_shakespeare())) == 65
        if "sst2-test.tsv" in here:
            assert [len(part.texts) for part in data.sst2()] == [6920, 872, 1821]
            assert {label for part in data.sst2() for label in part.labels.tolist()} == {0, 1}
            assert len(set(data.sst2().test.texts) & set(data.sst2().train.texts)) == 2
        if "val.fr.gz" in here:
            assert [len(part) for part in data.multi30k("fr", "en")] == [29_000, 1_014, 1_000]
            assert all(pair.source and pair.target for pair in data.multi30k().test)
        if "train-labels-idx1-ubyte.gz" in here:
            assert data._idx("train-labels-idx1-ubyte.gz").bincount().tolist() == [6000] * 10
            assert data._idx("t10k-labels-idx1-ubyte.gz").bincount().tolist() == [1000] * 10
        if "train-images-idx3-ubyte.gz" in here:
            sets = data.fashion_mnist()
            assert [len(part.labels) for part in sets] == [55_000, 5_000, 10_000]
            mean = torch.cat([sets.train.features, sets.dev.features]).mean()
            assert mean.item() == pytest.approx(0.2860, abs=5e-5)  # as others have measured it


def test_glyphs_are_letters_in_fonts_of_which_some_are_held_out():
    sets = data.glyphs(2_500, seed=3)
    assert [len(part.labels) for part in sets] == [2_500, 1_000, 1_000]
    for part in sets:
        assert part.features.shape == (len(part.labels), 784)
        assert part.features.min() >= 0
        assert part.features.max() <= 1
        assert part.labels.unique().tolist() == list(range(26))
        bright = (part.features > 0.5).float().mean(1)
        assert (bright > 0.005).float().mean() > 0.99  # a letter is there,
        assert bright.max() < 0.5  # and room around it
    again, other = data.glyphs(1_200, seed=3), data.glyphs(1_200, seed=4)
    assert torch.equal(again.train.features, sets.train.features[:1_200])
    assert torch.equal(again.test.features, sets.test.features)
    assert not torch.equal(other.train.features, again.train.features)
    assert data.glyphs(1, size=8).train.features.shape == (1, 64)


def test_the_same_letter_is_told_across_fonts():
    sets = data.glyphs(4_000)
    means = torch.stack([sets.train.features[sets.train.labels == k].mean(0) for k in range(26)])
    nearest = torch.cdist(sets.test.features, means).argmin(1)
    right = (nearest == sets.test.labels).float().mean()
    assert 0.15 < right < 0.9  # far above 1 in 26, and not solved by means


@pytest.mark.parametrize("settings", [{"count": 0}, {"size": 7}])
def test_glyphs_refuse_what_they_cannot_draw(settings):
    with pytest.raises(ValueError, match="Expected count"):
        data.glyphs(**settings)


def test_letters_are_drawn_as_in_the_file():
    letters = data._letters("DejaVuSans")
    assert letters.shape == (2, 26, 64, 64)
    assert letters.max() == 1
    assert letters[0, 8].sum() < letters[0, 12].sum()  # I is lighter than M
    assert not any(torch.equal(letters[0, 0], letters[case, 1]) for case in (0, 1))


@pytest.mark.parametrize(
    ("library", "load"),
    [("sklearn", "digits"), ("babel", "dates"), ("matplotlib", "glyphs"), ("pooch", "names")],
)
def test_a_library_that_is_missing_is_one_message(library, load, monkeypatch):
    data._letters.cache_clear()
    monkeypatch.delenv("COURSE_DATA", raising=False)
    for module in [name for name in sys.modules if name.split(".")[0] == library]:
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(DataError, match=rf'^{library}.* is not installed, .*\".\[data\]"$'):
        getattr(data, load)()
