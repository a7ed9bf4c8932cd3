"""Heat maps of what was expected and what came."""

import io

import numpy as np
import pytest
from rich.console import Console

from grader.judge import picture
from grader.student import heatmap

RNG = np.random.default_rng(0)
WANT = RNG.normal(size=(3, 5))


def changed(array, *index):
    other = array.copy()
    other[index] += 1
    return other


def test_it_marks_what_differs():
    drawn = picture.picture("output", WANT, changed(WANT, 1, 2), 1e-6)
    assert drawn.where == "output"
    assert np.argwhere(drawn.wrong).tolist() == [[1, 2]]
    (_, expected, _), (_, got, _), (_, error, _) = heatmap.panels(drawn)
    assert np.array_equal(expected, WANT)
    assert got[1, 2] == WANT[1, 2] + 1
    assert np.argwhere(error).tolist() == [[1, 2]]
    assert error[1, 2] == pytest.approx(1)


def test_of_many_axes_the_matrix_with_the_first_difference_is_shown():
    want = RNG.normal(size=(2, 3, 5, 7))
    drawn = picture.picture("grad.x", want, changed(want, 1, 2, 4, 6), 1e-6)
    assert drawn.where == "grad.x[1, 2, :, :]"
    assert np.array_equal(drawn.expected, want[1, 2])


def test_of_a_large_matrix_a_window_around_the_difference():
    want = RNG.normal(size=(200, 3))
    drawn = picture.picture("output", want, changed(want, 150, 1), 1e-6)
    assert drawn.expected.shape == (picture.LARGEST, 3)
    assert drawn.wrong.sum() == 1
    start, stop = map(int, drawn.where.removeprefix("output[").partition(",")[0].split(":"))
    assert start <= 150 < stop
    assert np.array_equal(drawn.expected, want[start:stop])


def test_a_vector_is_one_row():
    assert picture.picture("output", WANT[0], changed(WANT[0], 3), 1e-6).got.shape == (1, 5)


@pytest.mark.parametrize(
    "got",
    [WANT, WANT.T, None, "text", WANT.astype(int), np.full((3, 5), np.nan), {"$type": "list"}],
    ids=["right", "shape", "none", "text", "integers", "nan", "list"],
)
def test_nothing_where_nothing_is_to_be_seen(got):
    assert picture.picture("output", WANT, got, 1e-6) is None


def test_strange_numbers_stand_out():
    got = WANT.copy()
    got[0, 0], got[2, 4] = np.nan, np.inf
    drawn = picture.picture("output", WANT, got, 1e-6)
    (_, _, _), (_, _, colors), _ = heatmap.panels(drawn)
    dark = (colors == heatmap.STRANGE).all(-1)
    assert np.argwhere(dark).tolist() == [[0, 0], [2, 4]]


def test_terminal_shows_one_square_per_number_and_html_tells_it():
    drawn = picture.picture("output", WANT, -WANT, 1e-6)
    console = Console(file=io.StringIO(), force_terminal=True, color_system="truecolor", width=99)
    assert heatmap.colorful(console)
    console.print(heatmap.terminal(drawn))
    assert console.file.getvalue().count("\x1b[37;48;2;") == 3 * WANT.size
    page = heatmap.html(drawn)
    assert page.count("<rect") == 3 * WANT.size
    assert f"[0, 0]: {WANT[0, 0]:.6g}" in page
    assert "http" not in page


def test_without_colors_there_is_no_picture():
    assert not heatmap.colorful(Console(file=io.StringIO()))
