"""Measured assignments: splits, scores, budgets, and submissions that cheat."""

import contextlib
import json
import math
import re
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner
from tiers import opened

from grader.author import challenge, cheats
from grader.commands import main
from grader.enclose.outcome import Outcome
from grader.enclose.sandbox import Limits, Sandbox
from grader.errors import UserError
from grader.instruct import leaderboard
from grader.judge import measure, split

TASKS = {task.challenge.id: task for task in challenge.select()}
DIGITS = TASKS["image_ladder.digits"]
BASELINE = DIGITS.answers["baseline"]
RECORDED = measure.load("digits")
SECRET = [20261127]
TIERS = ("bwrap", "plain")


@pytest.fixture(scope="module")
def box():
    with Sandbox(without=measure.SOURCES) as warm:
        yield warm


@pytest.fixture(scope="module", params=TIERS)
def walled(request):
    with opened(request.param, without=measure.SOURCES) as warm:
        yield warm


def chance(seed=0):
    return np.random.default_rng(seed)


# Splits


@pytest.mark.parametrize("name", TASKS)
def test_a_seed_is_a_split(name):
    told = measure.load(name)
    one, same, other = (told.split(seed) for seed in (1, 1, 2))
    for key, value in one.train.items():
        assert np.array_equal(value, same.train[key])
    for (inputs, targets), (more, others) in zip(one.rounds, other.rounds, strict=True):
        assert not np.array_equal(targets, others)
        assert inputs.keys() == more.keys()
    assert told.split([7, 1]).rounds[0][1].tolist() != one.rounds[0][1].tolist()


def test_no_character_is_seen_before_it_is_predicted():
    text = np.arange(40_000) + 1000  # each one alone, so that it can be followed
    text[49::50] = ord("\n")
    drawn = split.characters({"text": text}, chance())
    shown = {*drawn.train["text"].tolist()}
    end = np.unique(text).tolist().index(ord("\n"))
    breaks = {value for value in shown if (drawn.train["text"] == value).sum() > 1}
    assert len(breaks) == 1
    assert end == 0  # the smallest of all, whatever its number is now
    for inputs, following in drawn.rounds:
        shown |= {*inputs["contexts"].ravel().tolist()}
        assert not ({*following.tolist()} - breaks) & shown


def test_characters_and_digits_are_numbered_anew():
    told = measure.load("dates")
    known = np.unique(told.pool["source"])
    first = told.split(1)
    sources = np.concatenate([first.train["source"], first.rounds[0][0]["source"]])
    targets = np.concatenate([first.train["target"], first.rounds[0][1]])
    order = chance(1).permutation(len(targets))
    pairs = {*zip(told.pool["source"][order].ravel(), sources.ravel(), strict=True)}
    assert len(pairs) == len(known) == len({new for _, new in pairs})
    assert (0, 0) in pairs
    pairs = {*zip(told.pool["target"][order].ravel(), targets.ravel(), strict=True)}
    assert len(pairs) == 10
    assert any(old != new for old, new in pairs)


def test_pictures_are_moved_a_little():
    images = np.zeros((200, 8, 8))
    images[:, 3, 4] = 1
    seen = split.moved(images, chance())
    assert seen.dtype == np.float32
    assert 0 <= seen.min() <= seen.max() <= 1
    ink = seen.reshape(200, -1).argmax(axis=1)
    rows, columns = np.divmod(ink, 8)
    assert len({*ink.tolist()}) > 4
    assert (abs(rows - 3) <= 2).mean() > 0.95
    assert (abs(columns - 4) <= 2).mean() > 0.95


# Scores


def test_points_are_linear_between_cutoffs():
    rising = replace(RECORDED, cutoffs=((0.5, 0), (0.7, 4), (0.9, 10)))
    assert [rising.earned(x) for x in (0.1, 0.5, 0.6, 0.7, 0.8, 0.9, 1)] == pytest.approx(
        [0, 0, 2, 4, 7, 10, 10]
    )
    falling = replace(RECORDED, cutoffs=((3, 0), (2, 10)))
    assert [falling.earned(x) for x in (9, 3, 2.5, 2, 1)] == pytest.approx([0, 0, 5, 10, 10])
    assert falling.earned(math.inf) == 0


def test_metrics():
    labels = np.array([2, 0, 1])
    assert measure.accuracy(np.array([2, 1, 1]), labels).tolist() == [True, False, True]
    assert measure.accuracy(np.eye(3)[labels], labels).all()
    told = np.log(np.array([[0.25, 0.5, 0.25], [0.5, 0.25, 0.25], [0.125, 0.125, 0.75]]))
    assert measure.bits(told + 3, labels) == pytest.approx([2, 1, 3]), "whatever is added"
    digits = np.arange(16).reshape(2, 8) % 10
    wrong = digits.copy()
    wrong[1, 7] += 1
    assert measure.exact(wrong, digits).tolist() == [True, False]


@pytest.mark.parametrize(
    ("metric", "got"),
    [
        ("accuracy", None),
        ("accuracy", np.zeros(4)),
        ("accuracy", np.full((3, 10), np.nan)),
        ("accuracy", np.zeros((3, 0))),
        ("bits", np.zeros((3, 2))),
        ("bits", np.full((3, 3), np.inf)),
        ("bits", np.zeros((3, measure.WIDEST + 1), bool)),
        ("exact", np.zeros((3, 8))),
        ("exact", {"score": 1.0}),
    ],
)
def test_other_predictions_are_refused(metric, got):
    with pytest.raises(measure.Stopped):
        measure.METRICS[metric].of(got, np.array([2, 0, 1]))


# Budgets


def test_processor_time_is_that_of_all_threads(box):
    source = """
import threading, time
def work():
    while time.thread_time() < 0.4:
        pass
def f(x):
    time.process_time = lambda: 0.0
    threads = [threading.Thread(target=work) for _ in range(2)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    return x
"""
    call = {"probe": "once", "args": {"x": 1}, "init": None, "grad": []}
    outcome = box.run(source, "f", [call], filename="f.py", limits=Limits(seconds=30))
    assert outcome.status == "ok", outcome.detail
    assert 0.75 < outcome.processor < 5


def test_those_that_wait_share_one_limit_over_all_calls():
    """Nine calls that compute next to nothing take as long as one, not nine times as long."""
    told, walls = measure.load("characters"), []

    class Waits:
        def run(self, text, symbol, calls, *, limits, **_):
            walls.append(limits.wall)
            given = {"a": np.ones(1)} if symbol == "train" else np.zeros((327, 200))
            return Outcome("ok", cases=[{"values": {"output": given}}], seconds=told.seconds * 4)

    (run,) = measure.measure(told, "", Waits(), [1])
    assert "left for predict" in run.stopped
    assert walls == pytest.approx([told.seconds * (measure.PATIENT - 4 * n) for n in range(3)])


def test_a_number_of_64_bits_counts_as_two():
    class Wide:
        def run(self, text, symbol, calls, **_):
            given = {
                "a": np.zeros(7, np.int64),
                "b": np.zeros(3, np.float16),
                "c": np.zeros(5, "f"),
            }
            return Outcome("ok", cases=[{"values": {"output": given}}])

    attempt = measure.Attempt(measure.load("characters"), "", Wide())
    attempt.train(1, measure.load("characters").split(1))
    assert attempt.numbers == 2 * 7 + 3 + 5


def test_a_module_that_trains_earns_points(box):
    (run,) = measure.measure(RECORDED, BASELINE, box, [1])
    assert not run.stopped
    assert run.points == RECORDED.earned(run.score)
    assert 0 < run.points < RECORDED.points
    assert run.numbers == 64 * 64 + 64 + 10 * 64 + 10
    assert 0 < run.seconds < RECORDED.seconds


@pytest.mark.parametrize(
    ("train", "said"),
    [
        ("return {'$made': torch.ones(1)}", "names have letters"),
        ("return {'$array': torch.ones(1)}", "not readable"),
        ("return {'a': 'text'}", "not a tensor"),
        ("return torch.ones(1)", "dict of tensors"),
        ("return {}", "dict of tensors"),
        ("return {'a': torch.ones(0)}", "is empty"),
        ("return {'é': torch.ones(1)}", "names have letters"),
        ("return {f'{i:0200}': torch.ones(1) for i in range(101)}", "20,200 letters in the names"),
        ("raise ValueError('no')", r"train: ValueError: no \(line 3\)"),
        ("import os; os._exit(0)", "ended itself"),
    ],
)
def test_what_is_no_set_of_weights_is_one_sentence(box, train, said):
    text = f"import torch\ndef train(**given):\n    {train}\n"
    (run,) = measure.measure(RECORDED, text, box, [1])
    assert re.search(said, run.stopped)
    assert (run.points, run.score) == (0, None)


def test_a_score_is_a_number(box):
    """Scores so far apart that their difference is ∞, as is then the score: no mean, no spread."""
    text = """
import torch
def train(**given):
    return {"a": torch.ones(1)}
def predict(weights, contexts):
    scores = torch.full((len(contexts), 200), -1e308, dtype=torch.float64)
    scores[:, 0] = 1e308
    return scores
"""
    runs = [*measure.measure(measure.load("characters"), text, box, [1, 2])]
    assert [(run.score, run.points) for run in runs] == [(None, 0)] * 2
    assert all("score is ∞" in run.stopped for run in runs)
    assert measure.summary(RECORDED, runs) == "0.0 of 10 points"


# Cheats


REACHING = ("reads the data", "keeps a file", "starts a process")
SHORT = 0.6  # seconds of processor for what has to be stopped


@pytest.fixture(scope="module")
def known(box):
    """Cheats of each task. What they store and replay is trained once, and not on each tier."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cheats, "SHORT", SHORT)
        return {
            name: [
                *cheats.cheats(
                    replace(measure.load(name), seconds=60),
                    task.answers["baseline"],
                    task.reads,
                    box,
                )
            ]
            for name, task in TASKS.items()
        }


@pytest.mark.linux
@pytest.mark.parametrize("name", TASKS)
def test_cheats_earn_nothing(walled, known, name):
    told, found = measure.load(name), known[name]
    assert len(found) > 12
    assert [cheat.seconds for cheat in found].count(SHORT) == 3
    # walls keep from reading, writing and starting; what the rest gains is known from one tier
    if walled.tier != TIERS[0] and name != DIGITS.challenge.id:
        found = [cheat for cheat in found if cheat.name in REACHING]
        assert len(found) == len(REACHING)
    for cheat in found:
        budget = replace(told, seconds=cheat.seconds)
        (run,) = measure.measure(budget, cheat.text, walled, [1], secret=SECRET)
        assert run.points == 0, cheat.name
        assert cheat.stopped.search(run.stopped), (cheat.name, run)
        assert run.seconds < cheat.seconds + 2, cheat.name


def test_the_cheats_would_work(box, known):
    """Targets of the cheats exist: data in an ordinary sandbox, and another run's outputs."""
    found = {one.name: one for one in known[DIGITS.challenge.id]}
    (run,) = measure.measure(RECORDED, found["replayed outputs"].text, box, [1])
    (honest,) = measure.measure(RECORDED, BASELINE, box, [1])
    assert run.score == honest.score
    for task in TASKS.values():
        for statement in task.reads:
            exec(statement, {})
    with Sandbox() as ordinary:
        (run,) = measure.measure(RECORDED, found["reads the data"].text, ordinary, [1])
    assert "train" not in run.stopped
    stored = found["stored weights"].text
    assert "STORED" in stored
    assert len(stored) > measure.BYTES


# Records


@pytest.mark.parametrize("name", TASKS)
def test_records_are_of_what_is_defined(name):
    assert challenge.gaps(TASKS[name]) == []


def test_a_gap_of_a_record_is_told(tmp_path):
    assert "grade challenge record" in challenge.gaps(DIGITS, tmp_path)[0]
    other = replace(DIGITS, challenge=replace(DIGITS.challenge, seconds=10))
    assert challenge.gaps(other) == ["its seconds is not what the record says"]
    with pytest.raises(UserError, match=r"image_ladder\.digits"):
        challenge.select(["image_ladder.digit"])


# Commands


def grade(*words):
    return CliRunner().invoke(main, [*map(str, words)])


def test_measure_lists_begins_and_runs(tmp_path):
    assert {*TASKS} == {line.split()[0] for line in grade("measure").output.splitlines()}
    assert grade("measure", "digits", "--start", "--file", tmp_path).exit_code == 0
    blank = grade("measure", "digits", "--file", tmp_path, "--seed", 1)
    assert blank.exit_code == 1
    assert "train is not written yet" in blank.output
    assert "0.0 of 10 points" in blank.output
    assert grade("measure", "digits", "--start", "--file", tmp_path).exit_code == 2
    (tmp_path / "digits.py").write_text(BASELINE)
    done = grade("measure", "image_ladder.digits", "--file", tmp_path, "--seed", 1, "--json")
    told = json.loads(done.output)
    assert done.exit_code == 1
    assert told["points"] == pytest.approx(told["runs"][0]["points"], abs=1e-3)
    assert 0 < told["points"] < told["of"]


def test_misuse_of_measure_is_one_message(tmp_path):
    done = grade("measure", "digit")
    assert (done.exit_code, "image_ladder.digits" in done.output) == (2, True)
    assert grade("measure", "digits", "--file", tmp_path / "none.py").exit_code == 2
    (tmp_path / "digits.ipynb").write_text(json.dumps({"cells": [], "nbformat": 4, "metadata": {}}))
    done = grade("measure", "digits", "--file", tmp_path / "digits.ipynb")
    assert (done.exit_code, "is a notebook" in done.output) == (2, True)


def test_a_class_is_measured_once_and_under_pseudonyms(tmp_path, monkeypatch):
    folder, secret = tmp_path / "class", tmp_path / "secret.txt"
    for name, text in (("ada", BASELINE), ("alan", DIGITS.challenge.skeleton)):
        (folder / name).mkdir(parents=True)
        (folder / name / "digits.py").write_text(text)
    (folder / "grace.py").write_bytes(b"x = '\xe9'\n")
    words = ("leaderboard", "digits", folder, "--secret", secret, "-o", tmp_path / "marks.csv")
    done = grade(*words)
    assert done.exit_code == 0, done.output
    board = [line for line in done.stdout.splitlines() if " points  " in line]
    assert len(board) == 3
    assert not any(name in line for line in board for name in ("ada", "alan", "grace"))
    rows = (tmp_path / "marks.csv").read_text().splitlines()
    assert rows[0] == "student,pseudonym,points,of"
    assert [row.split(",")[0] for row in rows[1:]] == ["ada", "alan"], "no zero for what is unread"
    assert float(rows[1].split(",")[2]) > float(rows[2].split(",")[2]) == 0
    assert board[0].split()[1] == rows[1].split(",")[1]
    assert secret.stat().st_mode & 0o077 == 0

    def measured(*_, **__):
        raise AssertionError("measured again")

    with monkeypatch.context() as patched:
        patched.setattr(measure, "measure", measured)
        again = grade(*words)
    assert [line for line in again.stdout.splitlines() if " points  " in line] == board
    with contextlib.suppress(FileNotFoundError):
        secret.unlink()
    secret.write_text("short\n")
    assert grade(*words).exit_code == 2
    assert grade("leaderboard", "digits", tmp_path / "no", "--secret", secret).exit_code == 2


def test_what_is_told_of_a_class(tmp_path, monkeypatch):
    """A name is no formula, and the order of equal points gives no name away."""
    (folder := tmp_path / "class").mkdir()
    for name in ("=1+1", *(f"student{n}" for n in range(8))):
        (folder / f"{name}.py").write_text("x = 1\n")

    def measured(*_, **__):
        return [measure.Run(seed=1, points=3.0, score=0.5)]

    monkeypatch.setattr(measure, "measure", measured)
    marks = tmp_path / "marks.csv"
    done = grade("leaderboard", "digits", folder, "--secret", tmp_path / "secret", "-o", marks)
    assert done.exit_code == 0, done.output
    rows = [row.split(",") for row in marks.read_text().splitlines()[1:]]
    assert rows[0][0] == "'=1+1"
    board = [line.split()[1] for line in done.stdout.splitlines() if " points  " in line]
    assert board == sorted(pseudonym for _, pseudonym, *_ in rows)


def test_other_limits_are_measured_anew():
    keys = {
        leaderboard._key(replace(RECORDED, **change), BASELINE, "secret")
        for change in ({}, {"numbers": 1}, {"memory_mb": 1}, {"seconds": 1}, {"metric": "exact"})
    }
    assert len(keys) == 5


def test_secrets_draw_other_splits(tmp_path):
    one, other = (leaderboard.secret_of(tmp_path / name) for name in ("one", "other"))
    assert one != other
    assert one == leaderboard.secret_of(tmp_path / "one")
