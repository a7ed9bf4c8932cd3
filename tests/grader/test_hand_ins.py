"""Downloads of every platform are recognized, and what cannot be read is a row with its reason."""

import errno
import io
import json
import os
import re
import shutil
import time
import unicodedata
import zipfile
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.errors import UserError
from grader.instruct import batch, class_commands, hand_ins, layouts
from grader.instruct.assignment import Assignment, Late
from grader.instruct.store import Store

LINEAR = Assignment(
    name="week-1",
    title="",
    exercises={"linear.softmax": 6},
    due=datetime.fromisoformat("2026-12-01T23:59:00+01:00"),
)
BOTH = replace(LINEAR, exercises={"linear.softmax": 6, "mlp.relu": 2})
CODE = "def softmax(logits):\n    return logits\n"


def notebook(*cells: str) -> str:
    return json.dumps({"cells": [{"cell_type": "code", "source": [cell]} for cell in cells]})


def archive(**files: str | bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in files.items():
            file.writestr(name, content)
    return buffer.getvalue()


def make(folder, **files):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def rows(found, assignment=LINEAR):
    """(student, number, time, files, problem) of each attempt."""
    told = []
    for one in found.hand_ins:
        code = hand_ins.code(one.piece, assignment)
        told.append((one.student, one.number, one.submitted, [*code.files], code.problem))
    return told


def only(folder, assignment=LINEAR, **more):
    """The code of the one hand-in that a folder holds."""
    (one,) = hand_ins.find(folder, assignment, **more).hand_ins
    return hand_ins.code(one.piece, assignment)


# Layouts


def test_files_folders_and_zips(tmp_path):
    files = {"ada.py": CODE, "bob/linear.py": CODE, "cy.zip": archive(**{"a/linear.py": CODE})}
    files |= {"dee/hw/linear.ipynb": notebook(CODE), "eve/hw.zip": archive(**{"linear.py": CODE})}
    files |= {"__MACOSX/._ada.py": "", ".DS_Store": "", "bob/__MACOSX/linear.py": "x"}
    found = hand_ins.find(make(tmp_path, **files), LINEAR)
    module, cells = ["linear.py"], ["linear.ipynb"]
    assert rows(found) == [
        ("ada", 1, "", module, ""),
        ("bob", 1, "", module, ""),
        ("cy", 1, "", module, ""),
        ("dee", 1, "", cells, ""),
        ("eve", 1, "", module, ""),
    ]
    assert len({hand_ins.code(one.piece, LINEAR).digest for one in found.hand_ins}) == 2


def test_attempts_of_a_student(tmp_path):
    files = {
        "ada/1/linear.py": "a = 1\n",
        "ada/10/linear.py": "a = 3\n",
        "ada/2/linear.py": "a = 2\n",
        "bob/2026-12-01T10:00:00+00:00/linear.py": "b = 2\n",
        "bob/2026-11-30T10:00:00/linear.py": "b = 1\n",
        "cy/1/linear.py": CODE,
        "cy/1/timestamp.txt": "2026-11-30 12:00:00 UTC",
    }
    found = hand_ins.find(make(tmp_path, **files), LINEAR, attempts=True)
    codes = [hand_ins.code(one.piece, LINEAR).files["linear.py"] for one in found.hand_ins]
    assert codes == ["a = 1\n", "a = 2\n", "a = 3\n", "b = 1\n", "b = 2\n", CODE]
    assert [one.submitted for one in found.hand_ins[3:]] == [
        "2026-11-30T09:00:00+00:00",  # in the zone of the due date
        "2026-12-01T10:00:00+00:00",
        "2026-11-30T12:00:00+00:00",
    ]


def test_a_file_that_holds_no_time_is_told(tmp_path):
    files = {"ada/1/linear.py": CODE, "ada/1/timestamp.txt": "yesterday", "bob/1/linear.py": CODE}
    found = hand_ins.find(make(tmp_path, **files), LINEAR, attempts=True)
    assert [one.submitted for one in found.hand_ins] == ["", ""]
    (note,) = found.notes
    assert note.startswith("ada, 1: timestamp.txt holds no time, so the attempt counts as on time.")
    for said in re.findall(r"\d{4}-\S+(?: \d\d:\d\d)?(?=\.| or)", note):  # examples that are read
        (tmp_path / "ada" / "1" / "timestamp.txt").write_text(said)
        found = hand_ins.find(tmp_path, LINEAR, attempts=True)
        assert found.hand_ins[0].submitted.startswith("2026-12-01T22:10"), said
        assert not found.notes


def test_canvas(tmp_path):
    files = {
        "lovelaceada_123_9001_linear.py": CODE,
        "lovelaceada_123_9002_notes.txt": "",
        "turingalan_LATE_124_9003_linear-1.ipynb": notebook(CODE),
        "anon_7f_9_linear.py": CODE,
        "readme.txt": "",
    }
    found = hand_ins.find(make(tmp_path, **files), LINEAR)
    assert found.layout == "Canvas"
    assert rows(found)[:2] == [
        ("123", 1, "", ["linear.py"], ""),
        ("124", 1, "late", ["linear.ipynb"], ""),
    ]
    assert found.students["123"].name == "lovelaceada"
    assert ("readme", 1, "", [], "readme.txt is not named as a submission from Canvas is.") in rows(
        found
    )


def test_moodle(tmp_path):
    files = {
        "Ada Lovelace_4711_assignsubmission_file/linear.py": CODE,
        "Alan M Turing_4712_assignsubmission_file_/linear.py": CODE,
        "Participant_4713_assignsubmission_file_linear.py": CODE,
    }
    found = hand_ins.find(make(tmp_path, **files), LINEAR)
    assert found.layout == "Moodle"
    assert [row[:1] + row[3:] for row in rows(found)] == [
        (name, ["linear.py"], "") for name in ("4711", "4712", "4713")
    ]
    assert found.students["4712"].name == "Alan M Turing"


def test_the_command_offers_every_layout():
    (option,) = (one for one in class_commands.batch.params if one.name == "layout")
    assert {title.lower() for title, *_ in layouts.FORMS} < {*option.type.choices}


def test_blackboard(tmp_path):
    said = "Name: Ada Lovelace (al1)\nAssignment: Week 1\n"
    files = {
        "Week 1_al1_attempt_2026-11-30-12-00-00_linear.py": CODE,
        "Week 1_al1_attempt_2026-11-30-12-00-00.txt": said,
        "Week 1_al1_attempt_2026-12-02-00-00-00_linear.py": CODE + "# 2",
        "Week 1_al1_attempt_2026-12-02-00-00-00.txt": said,
    }
    found = hand_ins.find(make(tmp_path, **files), LINEAR)
    assert found.layout == "Blackboard"
    assert rows(found) == [
        ("al1", 1, "2026-11-30T11:00:00+00:00", ["linear.py"], ""),
        ("al1", 2, "2026-12-01T23:00:00+00:00", ["linear.py"], ""),
    ]
    assert found.students["al1"].name == "Ada Lovelace"


def test_gradescope_with_a_group(tmp_path):
    metadata = """---
submission_1:
  :submitters:
  - :name: Ada Lovelace
    :sid: '001'
    :email: ada@example.org
  - :name: "O\\"Neil, Bob"
    :sid: '002'
    :email: bob@example.org
  :created_at: 2026-11-30 10:00:00.5 Z
  :score: 3.0
  :history:
  - :id: 5
    :created_at: 2026-11-01 10:00:00 Z
submission_2:
  :submitters:
  - :name: Cy
    :sid:
    :email: cy@example.org
  :created_at: 2026-11-30 11:00:00.000000000 +01:00
submission_3:
  :submitters:
  :created_at: 2026-11-30 11:00:00 Z
"""
    files = {f"assignment_7_export/submission_{n}/linear.py": CODE for n in (1, 2)}
    files["assignment_7_export/submission_metadata.yml"] = metadata
    found = hand_ins.find(make(tmp_path, **files), LINEAR)
    assert found.layout == "Gradescope"
    assert [row[:3] for row in rows(found)] == [
        ("001", 1, "2026-11-30T10:00:00.500000+00:00"),
        ("002", 1, "2026-11-30T10:00:00.500000+00:00"),
        ("cy@example.org", 1, "2026-11-30T10:00:00+00:00"),
        ("submission_3", 1, "2026-11-30T11:00:00+00:00"),
    ]
    assert found.students["002"] == hand_ins.Student(
        "002", 'O"Neil, Bob', "bob@example.org", "001+002"
    )
    assert "is not there" in rows(found)[-1][-1]


def test_nbgrader(tmp_path):
    course = {
        "ada/week-1/linear.ipynb": notebook(CODE),
        "ada/week-1/timestamp.txt": "2026-11-30 12:00:00.000000 Europe/Berlin",
        "ada/week-2/linear.ipynb": notebook("other"),
        "bob/week-2/linear.ipynb": notebook("other"),
        "bob/week-2/timestamp.txt": "2026-12-07 12:00:00.000000 Europe/Berlin",
        "ada/week-2/timestamp.txt": "2026-12-07 12:00:00.000000 Europe/Berlin",
    }
    found = hand_ins.find(make(tmp_path / "submitted", **course), LINEAR)
    assert found.layout == "nbgrader"
    assert rows(found) == [("ada", 1, "2026-11-30T11:00:00+00:00", ["linear.ipynb"], "")]
    assert found.notes == ["Folders without a submission of this assignment: 1."]
    inbound = {
        "ada+week-1+2026-11-30 12:00:00 UTC+x1/linear.ipynb": notebook(CODE),
        "ada+week-1+2026-11-29 12:00:00 UTC+x2/linear.ipynb": notebook(CODE, "a = 1"),
        "bob+week-2+2026-11-29 12:00:00 UTC+x3/linear.ipynb": notebook(CODE),
    }
    found = hand_ins.find(make(tmp_path / "inbound", **inbound), LINEAR)
    assert [row[:3] for row in rows(found)] == [
        ("ada", 1, "2026-11-29T12:00:00+00:00"),
        ("ada", 2, "2026-11-30T12:00:00+00:00"),
    ]
    for folder in ("submitted", "inbound"):
        with pytest.raises(UserError, match="week-1, week-2"):
            hand_ins.find(tmp_path / folder, replace(LINEAR, name="week-9"))


# The roster


def test_a_roster_names_students_groups_and_who_handed_in_nothing(tmp_path):
    roster = tmp_path / "roster.csv"
    roster.write_text(
        "\ufeffID;Name;Email;Group\n"
        "s1;Ada Lovelace;ada@example.org;\ns2;Alan Turing;;team 1\ns3;Bob;;team 1\ns4;Cy;;\n"
    )
    files = {"lovelaceada_123_1_linear.py": CODE, "turingalan_124_2_linear.py": CODE}
    files["strangereve_125_3_linear.py"] = CODE
    found = hand_ins.find(make(tmp_path / "canvas", **files), LINEAR, roster)
    assert [one.student for one in found.hand_ins] == ["125", "s1", "s2", "s3"]
    assert found.strangers == ["125"]
    assert "s4" in found.students


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "has no column id"),
        ("name\nAda\n", "has no column id"),
        ("id,nmae\n1,2\n", "Did you mean 'name'?"),
        ("id,name\n1\n", "line 2"),
        ("id,name\n1,a\n1,b\n", "line 3, has the id '1' a second time"),
        ("id,name\n,a\n", "no id"),
    ],
)
def test_a_roster_that_cannot_be_read_is_one_message(text, said, tmp_path):
    roster = tmp_path / "roster.csv"
    roster.write_text(text)
    with pytest.raises(UserError, match=said):
        hand_ins.find(make(tmp_path / "class", **{"ada.py": CODE}), LINEAR, roster)


@pytest.mark.parametrize("name", ["none", "empty"])
def test_a_folder_that_holds_nothing_is_one_message(name, tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match=name):
        hand_ins.find(tmp_path / name, LINEAR)


# Names


def test_names_that_are_not_utf8_can_be_stored(tmp_path):
    """Archives made on Windows unpack like that."""
    names = [b"ada.py", b"ren\xe9.py", b"ren\xe8.py"]
    for name in names:
        with open(os.fsencode(tmp_path) + b"/" + name, "w") as file:
            file.write(CODE)
    found = hand_ins.find(tmp_path, LINEAR)
    with Store(tmp_path.parent / "grades", write=True) as store:
        batch.collect(store, found, LINEAR)
        assert [*store.students()] == ["ada", r"ren\udce8", r"ren\udce9"]
        assert [row["problem"] for row in store.attempts()] == [None] * 3


def test_a_name_in_the_other_unicode_form_is_the_same_student(tmp_path):
    roster = tmp_path / "roster.csv"
    roster.write_text("id,name\nrené,René\n")
    files = {unicodedata.normalize("NFD", "rené.py"): CODE}
    found = hand_ins.find(make(tmp_path / "class", **files), LINEAR, roster)
    assert [one.student for one in found.hand_ins] == ["rené"]
    assert found.strangers == []


# Names that students choose

STAMPED = "2020-01-01 00:00:00 UTC"


def counting(found):
    """Attempts that count, by student: the code's last line, or the reason why none does."""
    told = {}
    for one in found.hand_ins:
        code = hand_ins.code(one.piece, LINEAR)
        told[one.student] = code.problem or code.files["linear.py"].splitlines()[-1]
    return told


def own(*names):
    """A module for each student that says whose it is."""
    return {name: f"{CODE}# {name[:3].lower()}\n" for name in names}


def test_the_end_of_a_name_in_blackboard_is_the_students_own(tmp_path):
    head = "HW1_{}_attempt_2026-12-05-10-00-00"
    files = own(*[f"{head.format(name)}_linear.py" for name in ("ada", "bob")])
    forged = f"{head.format('mal')}_x_ada_attempt_2026-12-06-10-00-00_linear.py"
    files |= {forged: "wrong = 1\n"}
    files |= {f"{head.format('mal')}_x_mal_attempt_2026-11-01-10-00-00_linear.py": CODE}
    found = hand_ins.find(make(tmp_path, **files), LINEAR)
    assert [(one.student, one.submitted) for one in found.hand_ins] == [
        (name, "2026-12-05T09:00:00+00:00") for name in ("ada", "bob", "mal")
    ]


def test_attempts_without_a_time_are_told_if_lateness_costs_points(tmp_path):
    files = own("Ada L_101_assignsubmission_file_linear.py", "ada/linear.py", "x_1_2_linear.py")
    strict = replace(LINEAR, late=Late(percent=10))
    for number, (name, layout) in enumerate(zip(files, ("moodle", "plain", "canvas"), strict=True)):
        folder = make(tmp_path / str(number), **{name: CODE})
        assert not hand_ins.find(folder, LINEAR, layout=layout).notes
        notes = hand_ins.find(folder, strict, layout=layout).notes
        told = ["Attempts without a time of submission, which count as on time: 1."]
        assert notes == (told if layout != "canvas" else [])
        assert not hand_ins.find(folder, replace(strict, due=None), layout=layout).notes


def test_the_end_of_a_name_in_moodle_is_the_students_own(tmp_path):
    mark = "_assignsubmission_file_"
    files = {f"Ada L_101{mark}linear.py": CODE, f"Bob_102{mark}notes.txt": "x"}
    files |= {f"Mal_103{mark}linear.py": CODE}
    files |= {f"Mal_103{mark}x_{number}{mark}linear.py": "wrong = 1\n" for number in (101, 102)}
    found = hand_ins.find(make(tmp_path / "files", **files), LINEAR)
    told = counting(found)
    assert told["101"] == told["103"] == "    return logits"
    assert "only notes.txt" in told["102"]
    assert sum("is not named as" in said for said in told.values()) == 2
    folders = {f"Ada L_101{mark}/linear.py": CODE, f"X_101{mark}103{mark}/linear.py": "wrong = 1"}
    found = hand_ins.find(make(tmp_path / "folders", **folders), LINEAR)
    assert counting(found)["101"] == "    return logits"


def test_many_files_of_one_student_do_not_decide_the_platform(tmp_path):
    files = dict.fromkeys([f"{name}_900_linear.py" for name in ("ada_11", "bob_12")], CODE)
    forged = "mal_14_91{0}_x_1{0}_assignsubmission_file_linear.py"
    files |= {forged.format(number): CODE for number in range(4)}
    found = hand_ins.find(make(tmp_path, **files), LINEAR)
    assert found.layout == "Canvas"
    assert [one.student for one in found.hand_ins] == ["11", "12", "14"]


@pytest.mark.parametrize(
    ("name", "layout", "student", "title"),
    [
        ("ada_11_900_linear.py", "plain", "ada_11_900_linear", "a file or folder for each student"),
        ("ada_11_900_linear.py", "", "11", "Canvas"),
        ("linear.py", "canvas", "linear", "Canvas"),
        ("ada/week-1/linear.py", "nbgrader", "ada", "nbgrader"),
    ],
)
def test_of_one_hand_in_the_instructor_can_say_who_named_it(name, layout, student, title, tmp_path):
    files = {name: CODE}
    if layout == "nbgrader":
        files["ada/week-1/timestamp.txt"] = STAMPED
    found = hand_ins.find(make(tmp_path, **files), LINEAR, layout=layout)
    assert (found.layout, [one.student for one in found.hand_ins]) == (title, [student])
    unknown = "linear is not named as a submission from Canvas is"
    problem = found.hand_ins[0].piece.problem
    assert problem.startswith(unknown.replace("linear", name)) == (layout == "canvas")


@pytest.mark.parametrize("layout", ["gradescope", "nbgrader"])
def test_a_layout_that_is_not_there_is_one_message(layout, tmp_path):
    with pytest.raises(UserError, match=r"There is no submission_metadata|No folder here"):
        hand_ins.find(make(tmp_path, **{"ada.py": CODE}), LINEAR, layout=layout)


@pytest.mark.parametrize("others", ["linear.py", "hw/linear.py"])
def test_a_time_in_one_students_folder_does_not_make_the_class_nbgraders(others, tmp_path):
    files = {f"{name}/{others}": CODE for name in ("ada", "bob", "cyd")}
    files |= {"mal/x/linear.py": CODE, "mal/x/timestamp.txt": STAMPED}
    found = hand_ins.find(make(tmp_path, **files), LINEAR)
    assert [row[:3] for row in rows(found)] == [
        (name, 1, "") for name in ("ada", "bob", "cyd", "mal")
    ]
    assert "numbered folders or timestamp.txt: 1. Each (such as " in found.notes[0]


def test_metadata_in_one_students_folder_speak_for_nobody(tmp_path):
    metadata = f"submission_1:\n  :submitters:\n  - :sid: ada\n  :created_at: {STAMPED}\n"
    files = {"mal/submission_metadata.yml": metadata, "mal/submission_1/linear.py": CODE}
    for place, more in (("some", {"ada.py": CODE}), ("alone", {})):
        found = hand_ins.find(make(tmp_path / place, **files, **more), LINEAR)
        assert found.layout == "a file or folder for each student"
        assert [one.student for one in found.hand_ins] == [*("ada" for _ in more), "mal"]


def test_files_in_a_students_folder_are_no_attempts_and_no_times(tmp_path):
    files = {f"mal/{number}/linear.py": CODE for number in range(1, 21)}
    files |= {"ada/linear.py": CODE, "ada/timestamp.txt": STAMPED}
    found = hand_ins.find(make(tmp_path, **files), LINEAR)
    assert [(one.student, one.number, one.submitted) for one in found.hand_ins] == [
        ("ada", 1, ""),
        ("mal", 1, ""),
    ]
    assert "numbered folders or timestamp.txt: 2." in found.notes[0]
    found = hand_ins.find(tmp_path, LINEAR, attempts=True)
    assert len(found.hand_ins) == 21
    assert found.notes == []


def test_who_is_called_like_a_classmate_does_not_hand_in_for_the_classmate(tmp_path):
    roster = tmp_path / "roster.csv"
    roster.write_text("id,name\ns1,Ada Lovelace\ns2,Bobby\n")
    files = {"adalovelace_11_900_linear.py": CODE, "bobby_12_901_linear.py": CODE}
    files |= {"adalovelace_22_902_linear.py": "wrong = 1\n"}
    found = hand_ins.find(make(tmp_path / "class", **files), LINEAR, roster)
    told = counting(found)
    assert told["s2"] == "    return logits"
    assert told["22"].startswith("22 and 11 are taken for the same student")
    assert found.strangers == ["11", "22"]


def test_a_number_that_two_addresses_have_is_whose_address_is_on_the_roster(tmp_path):
    roster = tmp_path / "roster.csv"
    roster.write_text("id,email\nada,ada@example.org\nmal,\n")
    told = "submission_{}:\n  :submitters:\n  - :sid: ada\n    :email: {}@example.org\n"
    metadata = told.format(1, "mal") + told.format(2, "ada")
    files = {"submission_1/linear.py": "wrong = 1\n", "submission_2/linear.py": CODE}
    files["submission_metadata.yml"] = metadata
    found = hand_ins.find(make(tmp_path / "class", **files), LINEAR, roster)
    told = counting(found)
    assert told["ada"] == "    return logits"
    assert told["mal@example.org"].startswith("mal@example.org and ada@example.org are taken")


def test_two_files_of_one_name_are_told_and_neither_replaces_the_other(tmp_path):
    nfd = unicodedata.normalize("NFD", "rené.py")
    files = {"ada.py": CODE, "ada.zip": archive(**{"linear.py": CODE}), "rené.py": CODE, nfd: CODE}
    found = hand_ins.find(make(tmp_path, **files, **{"bob.py": CODE}), LINEAR)
    told = counting(found)
    assert told["bob"] == "    return logits"
    assert [*told] == ["ada", "bob", "rené"]
    assert told["ada"].startswith("ada.zip and ada.py are taken for the same student")
    assert told["rené"].startswith("rené.py and rené.py are taken for the same student")


def test_a_file_with_the_name_of_a_group_is_not_the_groups(tmp_path):
    roster = tmp_path / "roster.csv"
    roster.write_text("id,group\nada,team-1\nbob,team-1\n")
    files = {"ada.py": CODE, "team-1.py": "wrong = 1\n"}
    found = hand_ins.find(make(tmp_path / "class", **files), LINEAR, roster)
    told = counting(found)
    assert told["ada"] == told["bob"] == "    return logits"
    assert found.strangers == ["team-1"]
    assert found.notes[0].startswith("team-1 has the name of a group")


def test_a_folder_that_cannot_be_read_is_told_and_the_others_are_graded(tmp_path, monkeypatch):
    make(tmp_path, **{"ada.py": CODE, "mal/sub/linear.py": CODE})
    whole = Path.iterdir

    def refused(path):
        if path.name == "sub":
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return whole(path)

    monkeypatch.setattr(Path, "iterdir", refused)
    told = counting(hand_ins.find(tmp_path, LINEAR))
    assert told == {"ada": "    return logits", "mal": "sub cannot be read: Permission denied."}


def test_what_blackboard_wrote_is_read_in_no_time(tmp_path):
    head = "HW1_mal_attempt_2026-12-05-10-00-00"
    said = "Name: Mal (M.) Content (mal)\n" + "Name:" + " " * 20_000 + "\n"
    make(tmp_path, **{f"{head}_linear.py": CODE, f"{head}.txt": said})
    assert hand_ins.find(tmp_path, LINEAR).students["mal"].name == "Mal (M.) Content"
    make(tmp_path, **{f"{head}.txt": "Name:" + " " * 4_000})
    begun = time.process_time()
    assert hand_ins.find(tmp_path, LINEAR).students["mal"].name == ""
    assert time.process_time() - begun < 5


# Oddities


def test_line_ends_and_the_form_of_a_zip_change_nothing(tmp_path):
    make(tmp_path, **{"a.py": CODE, "b.py": CODE.replace("\n", "\r\n"), "c.py": "\ufeff" + CODE})
    make(tmp_path, **{"d.zip": archive(**{"deep/linear.py": CODE})})
    make(tmp_path, **{"e.py": b"# coding: latin-1\n" + "é = 1".encode("latin-1")})
    found = hand_ins.find(tmp_path, LINEAR)
    codes = [hand_ins.code(one.piece, LINEAR) for one in found.hand_ins]
    assert len({one.digest for one in codes[:4]}) == 1
    assert "é = 1" in codes[4].files["linear.py"]


UNREADABLE = [
    ("a.py", "é".encode("latin-1"), "is not UTF-8 text (byte 0). Save it as UTF-8."),
    ("a/linear.py.txt", CODE, "linear.py.txt is no linear.py: take the last ending"),
    ("a.py.txt", CODE, "a.py.txt is no a.py: take the last ending"),
    ("a/hw1 final.py", CODE, "There is no linear.py or linear.ipynb, only hw1 final.py."),
    ("a/linear.ipynb", notebook(), "linear.ipynb holds no code."),
    ("a/linear.ipynb", "", "linear.ipynb is not a Jupyter notebook"),
    ("a.py", "", "linear.py holds no code."),
    ("a/linear.py", b"#" * 300_000, "linear.py is larger than 256 KB."),
    ("a.zip", b"\0" * (17 * 2**20), "a.zip is larger than 16 MB."),
    ("a.zip", b"PK", "a.zip cannot be read as a zip archive"),
    ("a.zip", archive(**{"linear.py": b"#" * 60_000_000}), "is larger than"),
    ("a.zip", archive(**{"x.py": CODE}), "a.zip holds"),
    ("a.tar.gz", b"x", "There is no linear.py"),
]


@pytest.mark.parametrize(("name", "content", "said"), UNREADABLE)
def test_what_cannot_be_read_has_its_reason(name, content, said, tmp_path):
    code = only(make(tmp_path, **{name: content}))
    assert said in code.problem
    assert (code.files, code.digest) == ({}, "")


def test_names_in_an_archive_lead_nowhere(tmp_path):
    folder = make(tmp_path / "class", **{"a.zip": archive(**{"../../linear.py": CODE})})
    assert only(folder).files == {"linear.py": CODE}
    assert [path.name for path in tmp_path.iterdir()] == ["class"]


def test_links_are_not_followed(tmp_path):
    (tmp_path / "secret.py").write_text(CODE)
    (tmp_path / "class" / "a").mkdir(parents=True)
    (tmp_path / "class" / "a" / "linear.py").symlink_to(tmp_path / "secret.py")
    assert "is a link" in only(tmp_path / "class").problem
    for place in ("b", "c/1"):
        (tmp_path / place).parent.mkdir(exist_ok=True)
        (tmp_path / "linked" / place).parent.mkdir(parents=True)
        (tmp_path / "linked" / place).symlink_to(tmp_path / "class" / "a")
        code = only(tmp_path / "linked", attempts=True)
        assert code.problem == "The folder is empty."
        shutil.rmtree(tmp_path / "linked")


def test_the_notebook_counts_where_the_module_is_still_a_skeleton(tmp_path):
    blank = "def softmax(logits):\n    raise NotImplementedError\n"
    both = {"linear.py": blank, "linear.ipynb": notebook(CODE)}
    make(tmp_path / "1", **{f"a/{name}": text for name, text in both.items()})
    make(tmp_path / "2", **{"a.zip": archive(**both)})
    make(tmp_path / "3", **{"a/linear.py": CODE, "a/linear.ipynb": notebook(blank)})
    names = [[*only(tmp_path / number).files] for number in "123"]
    assert names == [["linear.ipynb"], ["linear.ipynb"], ["linear.py"]]


def test_a_chapter_that_is_missing_costs_no_other(tmp_path):
    code = only(make(tmp_path, **{"a/linear.py": CODE}), BOTH)
    assert [*code.files] == ["linear.py"]
    assert code.missing == {"mlp": "There is no mlp.py or mlp.ipynb, only linear.py."}
    assert code.problem == ""


@given(st.lists(st.text(st.characters(codec="utf-8"))))
def test_stored_cells_come_back(cells):
    code = hand_ins.Code({"linear.ipynb": hand_ins._joined(cells), "mlp.py": CODE}, {})
    found = hand_ins.submissions(code.source)
    assert found["linear"].cells == tuple(cells)
    assert found["mlp"].text == CODE
    assert (found["linear"].filename, found["mlp"].filename) == ("linear.ipynb", "mlp.py")


@pytest.mark.parametrize(
    ("said", "utc"),
    [
        ("2026-11-30 12:00:00 UTC", "2026-11-30T12:00:00+00:00"),
        ("2026-11-30T12:00:00Z", "2026-11-30T12:00:00+00:00"),
        ("2026-07-01 12:00:00 Europe/Berlin", "2026-07-01T10:00:00+00:00"),
        ("2026-11-30 12:00:00 +0530", "2026-11-30T06:30:00+00:00"),
        ("2026-11-30 12:00:00 Nowhere/Land", ""),
        ("yesterday", ""),
        ("", ""),
    ],
)
def test_times(said, utc):
    assert layouts.moment(said, UTC) == utc
