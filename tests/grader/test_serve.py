"""The server of checks: what it answers, whom it refuses, and what hostile requests cost others."""

import asyncio
import contextlib
import http.client
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from hostile import DIES, ENDLESS, FORGED, FULL, RIGHT, TOO_MUCH

from grader.enclose.sandbox import Limits
from grader.serve import app, connections, slots
from grader.serve.limits import MOST, Rate, network
from grader.serve.metrics import Metrics
from grader.serve.slots import Full, Late, Lost, Slots

pytestmark = pytest.mark.linux
ROOT = Path(__file__).parents[2]
GRADE = [sys.executable, "-c", "from grader.cli import main; main()"]
USUAL = ["sh", "-c", 'ulimit -S -n 1024; exec "$@"', "sh"]  # open files that a system grants
BLANK = "def softmax(input, dim=-1):\n    raise NotImplementedError\n"
NAMED = RIGHT.replace("powers.sum(dim=dim, keepdim=True)", "powers.sum()")
ALLOWED = "http://127.0.0.1:9999"
LOOP = "import torch\ndef softmax(input, dim=-1):\n    while True: pass\n"
PAGE = (
    '<html><head><title>A page</title></head><body><script src="editor.js"></script></body></html>'
)


@dataclass
class Server:
    """A server of its own process, and how to ask it."""

    process: subprocess.Popen
    port: int
    log: Path

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(self, method, path, body=None, *, address="127.0.0.1", timeout=120, **headers):
        """Status, headers and text of an answer."""
        link = http.client.HTTPConnection(
            "127.0.0.1", self.port, timeout=timeout, source_address=(address, 0)
        )
        with contextlib.closing(link):
            link.request(method, path, body, {k.replace("_", "-"): v for k, v in headers.items()})
            answer = link.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read().decode()

    def check(self, code, exercise="linear.softmax", **options):
        """Status, headers and document of a check."""
        body = json.dumps({"exercise": exercise, "code": code})
        given = {"Origin": self.origin, "Content_Type": "application/json", **options}
        status, headers, text = self.ask("POST", "/check", body, **given)
        return status, headers, json.loads(text)

    def lines(self) -> list[dict]:
        return [json.loads(line) for line in self.log.read_text().splitlines()]


@contextlib.contextmanager
def serving(folder: Path, *options: str, ends: bool = True):
    log = folder / "log"
    with log.open("w") as out:
        process = subprocess.Popen(
            [*USUAL, *GRADE, "serve", *options, "--port", "0"],
            stdout=out,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
    try:
        said = process.stderr.readline()
        found = re.search(r"http://\S+:(\d+)/", said)
        assert found, said + process.stderr.read()
        yield Server(process, int(found[1]), log)
    finally:
        process.terminate()
        process.communicate(timeout=60)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("served")
    (folder / "site" / "book").mkdir(parents=True)
    (folder / "site" / "index.html").write_text("<html><head></head></html>")
    (folder / "site" / "book" / "linear.html").write_text(PAGE)
    (folder / "site" / "style.css").write_text("a {}")
    (folder / "secret").write_text("not served")
    options = [str(folder / "site"), "--slots", "2", "--per-minute", "6000", "--seconds", "12"]
    with serving(folder, *options) as found:
        yield found


@pytest.fixture(scope="module")
def narrow(tmp_path_factory):
    """One slot, little time, no site, and pages of another place that may ask."""
    options = ["--no-site", "--slots", "1", "--seconds", "3", "--allow", f"{ALLOWED}/"]
    with serving(tmp_path_factory.mktemp("narrow"), *options) as found:
        yield found


# What it answers


def test_a_right_answer_passes(server):
    status, headers, told = server.check(RIGHT)
    assert (status, told["verdict"], told["earned"], told["points"]) == (200, "passed", FULL, FULL)
    assert headers["cache-control"] == "no-store"


def test_a_mistake_is_named_and_its_section_lies_beside_the_page(server):
    _, _, told = server.check(NAMED)
    assert told["verdict"] == "failed"
    assert told["earned"] < FULL
    assert "a known mistake." in told["html"]
    assert re.search(r'<a href="linear\.html#[\w-]+">', told["html"])
    assert "<svg" in told["html"]  # a heat map
    assert "Look at the case" in told["html"]


def test_a_blank_one_is_blank(server):
    assert server.check(BLANK)[2]["verdict"] == "blank"


def test_texts_are_read_apart_and_lines_are_counted_in_each(server):
    broken = "def log_sum_exp(input, dim=-1):\n    retrun 1\n"
    assert server.check(["import torch", broken, RIGHT])[2]["verdict"] == "passed"
    raises = RIGHT.replace("powers = (", "powers = undefined_name(")
    _, _, told = server.check(["import torch\n" * 50, raises])
    assert "<b>line 4:</b>" in told["html"]
    helper = "def helper(x):\n    return x.no_such_method()\n"
    _, _, told = server.check(
        ["import torch", helper, RIGHT.replace("(input - ", "(helper(input) - ")]
    )
    assert "<b>helper, line 2:</b>" in told["html"]


@pytest.mark.parametrize(
    "text",
    [
        "raise ValueError('<img src=x onerror=alert(1)>')",
        "raise type('<img src=x>', (Exception,), {})('`<img src=x>`')",
        "return {'<img src=x>': input, '\"><img src=x>': 1}",
        "return print('<img src=x>')",
        "return <img src=x onerror=alert(1)>",
    ],
)
def test_what_code_says_is_escaped(server, text):
    told = server.check(f"def softmax(input, dim=-1):\n    {text}\n")[2]["html"]
    assert "&lt;img src=x" in told
    assert "<img" not in told


def test_one_check_leaves_nothing_for_the_next(server):
    """A definition of one request is not there in another."""
    assert server.check(RIGHT + "secret = 1\n")[2]["verdict"] == "passed"
    for _ in range(4):  # both slots
        _, _, told = server.check(BLANK.replace("raise NotImplementedError", "return secret"))
        assert "NameError" in told["html"]


def test_the_site_is_served_and_its_pages_are_told_of_the_server(server):
    status, headers, text = server.ask("GET", "/book/linear.html")
    assert status == 200
    assert text == PAGE.replace("<head>", '<head><meta name="course-server" content="/">')
    assert headers["x-content-type-options"] == "nosniff"
    assert server.ask("GET", "/style.css")[2] == "a {}"
    assert "<meta" not in server.ask("GET", "/")[2]  # it has no editors
    for path in ("/../secret", "/%2e%2e/secret", "/book/..%2f..%2fsecret", "//secret"):
        assert server.ask("GET", path)[0] == 404


def test_health_and_metrics(server):
    assert json.loads(server.ask("GET", "/health")[2])["status"] == "ok"
    server.check(RIGHT)
    server.check(RIGHT, Origin="https://elsewhere.example")
    text = server.ask("GET", "/metrics")[2]
    values = dict(line.rsplit(" ", 1) for line in text.splitlines() if line[0] != "#")
    assert int(values['grade_checks_total{verdict="passed"}']) >= 1
    assert int(values['grade_requests_total{route="/check",status="403"}']) >= 1
    assert values["grade_slots"] == "2"
    counts = [int(v) for k, v in values.items() if k.startswith("grade_check_seconds_bucket")]
    assert counts == sorted(counts)
    assert counts[-1] == int(values["grade_check_seconds_count"]) > 0
    assert float(values["grade_resident_bytes"]) > 2**20


def test_the_log_has_neither_code_nor_addresses(server):
    server.check(RIGHT + "# a text of mine\n", address="127.0.0.77")
    server.ask("GET", "/a-private-path?a-query")
    line = next(line for line in reversed(server.lines()) if line["route"] == "/check")
    assert line["exercise"] == "linear.softmax"
    assert line["verdict"] == "passed"
    assert line["ms"] > 0
    text = server.log.read_text()
    for said in ("a text of mine", "127.0.0", "a-private-path", "a-query"):
        assert said not in text


# Whom it refuses


@pytest.mark.parametrize(
    "origin", ["https://elsewhere.example", "null", "http://127.0.0.1", "http://127.0.0.1:1", ""]
)
def test_pages_of_others_are_refused(server, origin):
    status, headers, told = server.check(RIGHT, Origin=origin)
    assert status == 403
    assert "html" not in told
    assert "access-control-allow-origin" not in headers


def test_a_name_that_leads_here_makes_no_page_our_own(server):
    other = f"rebound.example:{server.port}"
    assert server.check(RIGHT, Origin=f"http://{other}", Host=other)[0] == 403
    assert server.check(RIGHT, Origin=f"http://localhost:{server.port}")[0] == 200


def test_without_an_origin_nothing_is_checked(server):
    body = json.dumps({"exercise": "linear.softmax", "code": RIGHT})
    assert server.ask("POST", "/check", body, Content_Type="application/json")[0] == 403


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_what_a_form_can_send_is_refused(server, kind):
    assert server.check(RIGHT, Content_Type=kind)[0] == 415


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("{", 400),
        ("[]", 400),
        ("[" * 100_000, 400),
        ('{"exercise": "linear.softmax"}', 400),
        ('{"exercise": 1, "code": ""}', 400),
        ('{"exercise": "linear.softmax", "code": [1]}', 400),
        (json.dumps({"exercise": "linear.softmax", "code": [""] * 501}), 400),
        (json.dumps({"exercise": "linear." + "s" * 200_000, "code": ""}), 400),
        ('{"exercise": "linear.sofmax", "code": ""}', 404),
        ('{"exercise": "linear", "code": ""}', 404),
        ('{"exercise": "../linear.softmax", "code": ""}', 404),
        (b"\xff\xfe", 400),
    ],
)
def test_bad_requests_are_told_why(server, body, status):
    found, _, text = server.ask(
        "POST", "/check", body, Origin=server.origin, Content_Type="application/json"
    )
    assert found == status
    assert json.loads(text)["error"].endswith((".", "?"))


def test_a_lone_surrogate_is_graded_like_any_text(server):
    assert server.check(RIGHT + "x = '\ud800'\n")[0] == 200


def test_a_page_and_a_proxy_refuse_what_the_server_would():
    kilobytes = app.LARGEST // 1024
    script = (ROOT / "book/_static/editor.js").read_text()
    guide = (ROOT / "book/guide_instructor.md").read_text()
    assert f"const LARGEST = {kilobytes} * 1024;" in script
    assert f"client_max_body_size {kilobytes}k;" in guide
    assert guide.count(f"{kilobytes} KB") == 2


def test_requests_are_of_bounded_size(server):
    status, _, told = server.check("#" * 2**18)
    assert status == 413
    assert "256 KB" in told["error"]
    chunks = (b"#" * 2**16 for _ in range(5))  # without a length
    status, _, _ = server.ask(
        "POST", "/check", chunks, Origin=server.origin, Content_Type="application/json"
    )
    assert status == 413
    assert server.check(RIGHT + "#" * (2**17))[2]["verdict"] == "passed"


def test_other_methods_are_refused(server):
    for method, path in (("GET", "/check"), ("POST", "/health"), ("PUT", "/style.css")):
        assert server.ask(method, path)[0] in (404, 405)


def test_pages_that_are_allowed_by_name_may_ask(narrow):
    status, headers, _ = narrow.check(RIGHT, Origin=ALLOWED)
    assert status == 200
    assert headers["access-control-allow-origin"] == ALLOWED
    ahead = {"Access_Control_Request_Method": "POST"}
    ahead["Access_Control_Request_Headers"] = "content-type"
    status, headers, _ = narrow.ask("OPTIONS", "/check", Origin=ALLOWED, **ahead)
    assert (status, headers["access-control-allow-origin"]) == (200, ALLOWED)
    status, headers, _ = narrow.ask("OPTIONS", "/check", Origin="http://127.0.0.1:9", **ahead)
    assert status == 400
    assert "access-control-allow-origin" not in headers
    assert narrow.ask("GET", "/")[0] == 404


# Limits


def test_too_many_checks_of_one_address_are_told_when_to_come_again(tmp_path):
    with serving(tmp_path, "--no-site", "--slots", "1", "--per-minute", "4") as server:
        named = [{"X_Forwarded_For": f"192.0.2.{number}"} for number in range(3)]  # by nobody
        found = [server.check(BLANK, **one) for one in named]
        assert [status for status, _, _ in found] == [200, 200, 429]
        assert 1 <= int(found[2][1]["retry-after"]) <= 15
        assert "try again in" in found[2][2]["error"]
        assert server.check(BLANK, address="127.0.0.2")[0] == 200  # another one


def test_a_full_queue_is_told_and_those_that_leave_are_cancelled(tmp_path):
    options = ["--no-site", "--slots", "1", "--queue", "2", "--seconds", "300"]
    with serving(tmp_path, *options) as server:
        server.check(BLANK)
        links = []
        body = json.dumps({"exercise": "linear.softmax", "code": LOOP})
        head = {"Origin": server.origin, "Content-Type": "application/json"}
        for last in (2, 3, 4):  # one runs, two wait
            link = http.client.HTTPConnection(
                "127.0.0.1", server.port, source_address=(f"127.0.0.{last}", 0)
            )
            link.request("POST", "/check", body, head)
            links.append(link)
            time.sleep(0.5)
        status, headers, _ = server.check(BLANK)
        assert status == 429
        assert int(headers["retry-after"]) >= 1
        for link in links:
            link.close()
        status = 429
        begun = time.monotonic()
        while status == 429 and time.monotonic() - begun < 60:
            status, _, told = server.check(RIGHT)
        assert (status, told["verdict"]) == (200, "passed")
        assert time.monotonic() - begun < 60  # not the 200 s of processor that one of them has
        assert [line["status"] for line in server.lines()].count(499) == 3


def test_a_check_that_does_not_end_is_stopped_and_the_next_one_runs(narrow):
    status, _, told = narrow.check(LOOP)
    assert (status == 503 and "was stopped" in told["error"]) or told["verdict"] == "timeout"
    assert narrow.check(RIGHT)[2]["verdict"] == "passed"


def test_hostile_answers_cost_honest_ones_neither_points_nor_much_time(server):
    """One address sends what crashes, floods and hangs; another one's answers stay right."""
    floods = ("a result of 100 MB", "an error message of 100 MB", "a fork bomb", "a daemon")
    bad = [odd for odd in TOO_MUCH if odd.name in (*floods, "memory by many blocks")]
    bad = [*DIES, *bad, *FORGED[:3], *(odd for odd in ENDLESS if odd.name == "an endless loop")]
    assert len(bad) >= 13
    expected = {odd.text: odd.expected for odd in bad}
    scores, honest, late = {}, [], []

    def attack(mine):
        for odd in mine:
            status, _, told = server.check(odd.text, address="127.0.0.66", timeout=300)
            if status == 200:
                scores[odd.text] = told["earned"]

    threads = [threading.Thread(target=attack, args=(bad[part::3],)) for part in range(3)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        begun = time.monotonic()
        status, _, told = server.check(RIGHT, address="127.0.0.5")
        honest.append((status, told.get("earned")))
        late.append(time.monotonic() - begun)
        time.sleep(0.3)
    assert set(honest) == {(200, FULL)}
    assert len(honest) >= 5
    assert sorted(late)[len(late) // 2] < 6  # one that hangs takes 8 s of processor
    assert {text: got for text, got in scores.items() if got > expected[text]} == {}
    assert len(scores) >= len(bad) - 2


def test_a_process_that_dies_is_replaced(narrow):
    assert narrow.check(BLANK)[0] == 200
    task = Path(f"/proc/{narrow.process.pid}/task/{narrow.process.pid}/children")
    (child,) = map(int, task.read_text().split())
    os.kill(child, 9)
    found = [narrow.check(RIGHT) for _ in range(2)]
    assert found[1][2]["verdict"] == "passed"


def test_connections_that_nothing_comes_on_leave_room_and_are_closed(tmp_path):
    """One address opens more than its share, and never ends a request, or reads no answer."""
    (tmp_path / "index.html").write_text("")
    (tmp_path / "large").write_bytes(b"." * 2**25)
    parts = [b"GET / HT", b"GET /large HTTP/1.1\r\nHost: a\r\n\r\n"]
    parts.append(b"POST /health HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n.")
    with (
        serving(tmp_path, str(tmp_path), "--slots", "1") as server,
        contextlib.ExitStack() as stack,
    ):

        def held() -> int:
            return len(os.listdir(f"/proc/{server.process.pid}/fd"))

        before = held()
        for number in range(connections.MOST // 2 + 50):
            link = stack.enter_context(contextlib.closing(socket.socket()))
            link.bind(("127.0.0.66", 0))
            link.connect(("127.0.0.1", server.port))
            with contextlib.suppress(OSError):  # one too many
                link.sendall(parts[number % len(parts)])
        assert server.ask("GET", "/health", address="127.0.0.5")[0] == 200
        assert before + 100 < held() <= before + 1.5 * connections.MOST // 2 + 50
        begun = time.monotonic()
        while held() > before + 5 and time.monotonic() - begun < 90:
            time.sleep(0.5)
        assert held() <= before + 5
        assert server.ask("GET", "/health", address="127.0.0.66")[0] == 200


def test_a_text_that_is_long_in_reading_is_cancelled_as_well(tmp_path):
    """The slot lives on, and nothing reads on behind its back."""
    with serving(tmp_path, "--no-site", "--slots", "1", "--seconds", "1") as server:
        task = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children")
        before = task.read_text()
        begun = time.monotonic()
        status, _, told = server.check([" " * 200_000 + "x x", RIGHT])
        assert (status, "was stopped" in told["error"]) == (503, True)
        assert time.monotonic() - begun < slots.GRACE  # it needs 5 s of processor
        assert task.read_text() == before


def test_a_slot_imports_nothing_from_where_the_server_was_started(tmp_path, monkeypatch):
    (tmp_path / "queue.py").write_text("raise SystemExit")
    monkeypatch.chdir(tmp_path)

    async def run():
        room = queue(1, 1)
        await room.start()
        await room.close()

    asyncio.run(run())


def test_there_are_enough_open_files_for_the_connections(server):
    told = Path(f"/proc/{server.process.pid}/limits").read_text()
    assert int(re.search(r"Max open files +(\d+)", told)[1]) > 2 * connections.MOST


def test_rates_refill_and_are_forgotten():
    now = 0.0
    rate = Rate(60, lambda: now)
    assert [rate.take("a") for _ in range(31)] == [0] * 30 + [1]
    assert rate.take("b") == 0
    now = 2.0
    assert [rate.take("a") for _ in range(3)] == [0, 0, 1]
    now = 100.0
    rate.take("c")
    assert len(rate._left) == 1  # a and b have all of theirs again
    for number in range(MOST + 100):
        rate.take(str(number))
    assert len(rate._left) <= MOST


def test_an_address_is_a_network_of_ipv6():
    assert network("2001:db8::1") == network("2001:db8::ffff:2") != network("2001:db8:0:1::1")
    assert network("::ffff:192.0.2.1") == network("192.0.2.1") != network("192.0.2.2")
    assert network("fe80::1%eth0") == network("fe80::1")
    assert network("unix") == "unix"


# The queue, with slots that only note


class Noting:
    """In place of a slot: ends when it is told to."""

    def __init__(self, limits):
        self.current = None

    async def check(self, task, job, seconds):
        order.append(task["name"])
        self.current = asyncio.get_running_loop().create_future()
        gates[task["name"]] = self.current
        return await self.current

    async def close(self):
        pass


order: list[str] = []
gates: dict[str, asyncio.Future] = {}


@pytest.fixture
def noting(monkeypatch):
    monkeypatch.setattr(slots, "Slot", Noting)
    order.clear()
    gates.clear()


async def settled() -> None:
    """Let everything go on that can."""
    for _ in range(10):
        await asyncio.sleep(0)


def queue(count: int, room: int) -> Slots:
    return Slots(count, room=room, seconds=1, limits=Limits())


def test_addresses_take_turns_and_one_never_has_the_last_slot(noting):
    async def run():
        room = queue(2, 20)
        ask = lambda who, name: asyncio.ensure_future(room.check(who, {"name": name}))  # noqa: E731
        asked = [ask("a", f"a{number}") for number in range(4)]
        await settled()
        assert order == ["a0"]  # though a slot is free
        asked += [ask("b", "b0"), ask("b", "b1"), ask("c", "c0")]
        await settled()
        assert order == ["a0", "b0"]
        while len(order) < 7 or gates:
            gates.pop(next(iter(gates))).set_result({})
            await settled()
        await asyncio.gather(*asked)
        assert room.busy == room.queued == 0
        assert not room.running
        assert not room.waiting

    asyncio.run(run())
    assert order.index("c0") < order.index("a2")
    assert order.index("b1") < order.index("a3")
    assert [name for name in order if name[0] == "a"] == ["a0", "a1", "a2", "a3"]


def test_one_address_gets_half_of_the_queue(noting):
    async def run():
        room = queue(1, 4)
        asked = [
            asyncio.ensure_future(room.check(who, {"name": f"{who}{number}"}))
            for who, number in [*(("a", n) for n in range(4)), ("b", 0), ("c", 0), ("d", 0)]
        ]
        await settled()
        full = [isinstance(one.exception(), Full) if one.done() else None for one in asked]
        assert full == [None, None, None, True, None, None, True]
        for one in asked:
            one.cancel()
        await asyncio.gather(*asked, return_exceptions=True)
        assert room.queued == 0

    asyncio.run(run())


def test_metrics_count_seconds_up_to_each_bound():
    metrics = Metrics()
    for seconds in (0.01, 0.07, 40):
        metrics.whole.add(seconds)
    text = metrics.text(slots=2)
    assert 'grade_check_seconds_bucket{le="0.05"} 1' in text
    assert 'grade_check_seconds_bucket{le="30"} 2' in text
    assert 'grade_check_seconds_bucket{le="+Inf"} 3' in text


# The command


def refused(*options: str, **env: str) -> str:
    """The message of a command that will not serve."""
    done = subprocess.run(
        [*GRADE, "serve", *options],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": str(ROOT), **env},
    )
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith("grade: ")
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""
    return done.stderr


@pytest.mark.parametrize(
    "options",
    [
        ["--host", "0.0.0.0"],
        ["--allow", "https://course.example.org"],
        ["--proxy", "127.0.0.1"],
        ["--host", "::"],
    ],
)
def test_without_all_protections_it_serves_nobody_else(options, tmp_path):
    said = refused("--no-site", "--port", "0", *options, PATH=str(tmp_path))  # no bubblewrap
    assert "without bubblewrap" in said


def test_mistakes_of_the_one_who_starts_it(tmp_path, server):
    assert "make book" in refused(str(tmp_path / "nothing"))
    assert "--proxy *: " in refused("--no-site", "--proxy", "*")  # anybody could be it
    assert f"127.0.0.1:{server.port}" in refused("--no-site", "--port", str(server.port))
    for origin in (
        "course.example.org",
        "https://a.example/path",
        "ftp://a.example",
        "https://a:b",
    ):
        assert f"--allow {origin}" in refused("--no-site", "--allow", origin)


def test_slots_that_cannot_start_are_one_message(monkeypatch):
    monkeypatch.setattr(slots, "CODE", "raise SystemExit(1)")
    with pytest.raises(slots.SandboxError, match="cannot check"):
        asyncio.run(queue(1, 1).start())


def test_a_slot_that_ends_while_it_checks_loses_the_check_alone(monkeypatch):
    dies = "import sys\nprint('{\"missing\": []}', flush=True)\nsys.stdin.readline()\n"
    monkeypatch.setattr(slots, "CODE", dies)

    async def run():
        room = queue(1, 4)
        await room.start()
        for _ in range(2):
            with pytest.raises(Lost):
                await room.check("a", {})
        await room.close()

    asyncio.run(run())


def test_a_slot_that_does_not_even_cancel_is_ended(monkeypatch):
    hangs = "import time\nprint('{\"missing\": []}', flush=True)\ntime.sleep(600)\n"
    monkeypatch.setattr(slots, "CODE", hangs)
    monkeypatch.setattr(slots, "GRACE", 0.2)

    async def run():
        room = queue(1, 4)
        await room.start()
        with pytest.raises(Late):
            await room.check("a", {})
        assert room.busy == 0
        await room.close()

    asyncio.run(run())
