"""Problems with sampled answers: which answer a rule chooses, and which problems that solves."""

from __future__ import annotations

import html
from collections.abc import Mapping

import torch
from torch import Tensor

from book.widgets.board import widget
from book.widgets.sketch import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, frame, place
from solutions.test_time_compute import weighted_vote

FIRST, VOTE, CHECK = "first sample", "majority vote", "the check (pass@n)"
NOISES = (0, 0.5, 1, 2, 4, 8, 16)  # standard deviations, in logits
PER_ROW, ROWS = 10, 5  # problems of a row, and answers that are listed
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
FINE, MOST = 0.02, 36**2 // 2  # a logit is sent in two digits: its unit, and half of all of them
STATES = {  # of a problem: its mark, and what it means
    "solved": ("✓", "solved"),
    "missed": ("✗", "a right answer is among the samples, but it is not chosen"),
    "none": ("", "no sample is right"),
}
PAGE = """<p role="status">{says}</p>
<div class="course-both"><div class="course-problems">{tiles}</div>
<svg class="course-plane" viewBox="0 0 {width} {height}" role="img" aria-label="{alt}"
fill="currentColor">{axes}<path class="course-check" d="{check}"/><path class="course-chosen"
d="{chosen}"/><circle cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="7"/></svg></div>
<p class="course-marks">{marks}</p>
<div class="course-scroll"><table><caption>{caption}</caption><thead><tr>
<th scope="col">answer</th><th scope="col">sum</th><th scope="col">samples</th>
<th scope="col">score</th></tr></thead><tbody>{rows}</tbody></table></div>"""


class Samples:
    """Sampled answers of problems, and the choices among the first n of each.

    Args:
        problems: (P, 1 + S) int64, a target and the numbers.
        answers: (P, N, S) int64: 1, −1, or 0 for a token that is no sign.
        logits: by verifier: (P, N) float.
        noise: (P, N) float, to be added to all of them.
    """

    def __init__(
        self, problems: Tensor, answers: Tensor, logits: Mapping[str, Tensor], noise: Tensor
    ) -> None:
        self.problems, self.answers = problems, answers
        self.logits = {name: _coarse(of, FINE) for name, of in logits.items()}
        self.noise = _coarse(noise, FINE / 2)
        sums = (answers * problems[:, None, 1:]).sum(dim=2)
        self.right = (sums == problems[:, :1]) & (answers != 0).all(dim=2)  # (P, N)
        self.codes = ((answers + 1) * 3 ** torch.arange(answers.shape[2])).sum(dim=2)
        self.rules = (FIRST, VOTE, *logits, CHECK)

    def scores(self, rule: str, noise: float) -> Tensor:
        """By which a rule chooses, (P, N): the first of the largest wins."""
        if rule in self.logits:
            return self.logits[rule] + noise * self.noise
        return self.right.double() if rule == CHECK else torch.zeros_like(self.noise)

    def picked(self, rule: str, n: int, noise: float = 0) -> Tensor:
        """The number of the sample that is chosen among the first n, (P,) int64."""
        if rule == VOTE:
            codes = self.codes[:, :n]
            winner = weighted_vote(codes, torch.ones_like(codes, dtype=torch.float64))
            return (codes == winner[:, None]).long().argmax(dim=1)
        return self.scores(rule, noise)[:, :n].argmax(dim=1)

    def solved(self, rule: str, n: int, noise: float = 0) -> Tensor:
        """Whether the chosen answer is right, (P,) bool."""
        return self.right.gather(1, self.picked(rule, n, noise)[:, None])[:, 0]


def pick_answers(samples: Samples, alt: str, *, rule: str = VOTE, n: int, problem: int = 0) -> None:
    """Show which problems are solved if a rule chooses among the first n samples of each.

    The reader moves n and the noise of the verifiers, chooses the rule, and looks into problems.

    Args:
        samples: of all problems.
        alt: what is to be seen.
        rule: one of those of the samples, to begin with.
        n: to begin with.
        problem: whose answers are listed, to begin with.

    Raises:
        ValueError: there is no such rule, n or problem.
    """
    count, most = samples.right.shape
    if rule not in samples.rules or not 1 <= n <= most or not 0 <= problem < count:
        raise ValueError(
            f"pick_answers() expects a rule of {samples.rules}, n from 1 to {most} and a problem "
            f"below {count}; got {rule!r}, {n} and {problem}."
        )
    states = _states(samples, rule, n)
    curves = {
        name: [100 * samples.solved(name, k + 1).double().mean().item() for k in range(most)]
        for name in (rule, CHECK)
    }
    ends = ((1, most), (0, 100))
    page = PAGE.format(
        says=html.escape(_says(rule, n, states)),
        tiles="".join(f'<i data-is="{state}">{STATES[state][0]}</i>' for state in states),
        width=WIDTH,
        height=HEIGHT,
        alt=html.escape(alt),
        axes=frame(*ends, "n", "problems solved, %"),
        check=_line(curves[CHECK]),
        chosen=_line(curves[rule]),
        at=place((n, curves[rule][n - 1]), *ends),
        marks="".join(
            f'<span><i data-is="{state}">{mark}</i>{html.escape(words)}</span>'
            for state, (mark, words) in STATES.items()
        ),
        caption=html.escape(_caption(samples, problem, n)),
        rows="".join(_row(*one) for one in _listed(samples, rule, n, problem)),
    )
    model = {
        "problems": samples.problems.tolist(),
        "answers": _digits(samples.codes),
        "logits": {name: _digits(_whole(of, FINE)) for name, of in samples.logits.items()},
        "noise": _digits(_whole(samples.noise, FINE / 2)),
        "rules": [FIRST, VOTE, CHECK],
        "noises": NOISES,
        "begin": [rule, n, problem],
        "states": STATES,
        "fine": FINE,
        "size": [most, PER_ROW, ROWS],
        "axes": {"box": [LEFT, RIGHT, TOP, BOTTOM], "x": ends[0], "y": ends[1]},
    }
    kind = 'role="group" aria-label="Problems, their samples, and which of them are chosen"'
    widget("votes", page, alt, model=model, attributes=kind, parts=("plane",))


def _coarse(values: Tensor, unit: float) -> Tensor:
    """As the script gets them, in whole units."""
    return ((values.double() / unit).round().clamp(-MOST, MOST - 1)) * unit


def _whole(values: Tensor, unit: float) -> Tensor:
    return (values / unit).round().long() + MOST


def _digits(values: Tensor) -> str:
    """Two digits of base 36 for each."""
    return "".join(DIGITS[one // 36] + DIGITS[one % 36] for one in values.flatten().tolist())


def _states(samples: Samples, rule: str, n: int) -> list[str]:
    solved, among = samples.solved(rule, n), samples.right[:, :n].any(dim=1)
    return [
        "solved" if good else "missed" if there else "none"
        for good, there in zip(solved.tolist(), among.tolist(), strict=True)
    ]


def _says(rule: str, n: int, states: list[str]) -> str:
    """The sentence at first; `votes.js` writes the same."""
    solved, missed, none = (states.count(state) for state in STATES)
    return (
        f"{rule[0].upper()}{rule[1:]}, n = {n}: {solved} of {len(states)} problems are solved. "
        f"Not solved: {missed} with a right answer among the samples, and {none} without."
    )


def _caption(samples: Samples, problem: int, n: int) -> str:
    target, *numbers = samples.problems[problem].tolist()
    right = int(samples.right[problem, :n].sum())
    return (
        f"Problem {problem + 1}: target {target}, numbers {', '.join(map(str, numbers))}. "
        f"Right samples: {right} of {n}."
    ).replace("-", "−")


def _line(shares: list[float]) -> str:
    ends = ((1, len(shares)), (0, 100))
    points = (place((k, share), *ends) for k, share in enumerate(shares, 1))
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def _listed(
    samples: Samples, rule: str, n: int, problem: int
) -> list[tuple[str, str, int, str, bool]]:
    """The different answers, the chosen one first: signs, sum, how often, score, right.

    Of more than `ROWS`, the first and the right one.
    """
    codes = samples.codes[problem, :n].tolist()
    scores = samples.scores(rule, 0)[problem, :n]
    found = []
    for code in dict.fromkeys(codes):  # in the order in which they come
        places = [k for k, other in enumerate(codes) if other == code]
        best = scores[places].max().item()
        rank = len(places) if rule == VOTE else best
        found.append((rank, places, best))
    found.sort(key=lambda one: -one[0])  # stable: of equal ones, the earlier
    listed = found[:ROWS]
    for one in found[ROWS:]:
        if samples.right[problem, one[1][0]]:
            listed[-1] = one
    rows = []
    for _, places, best in listed:
        signs = samples.answers[problem, places[0]].tolist()
        numbers = samples.problems[problem, 1:].tolist()
        text = " ".join(f"{'−?+'[s + 1]}{x}" for s, x in zip(signs, numbers, strict=True))
        total = "?" if 0 in signs else str(sum(s * x for s, x in zip(signs, numbers, strict=True)))
        score = f"{torch.tensor(best).sigmoid():.2f}" if rule in samples.logits else ""
        right = bool(samples.right[problem, places[0]])
        rows.append((text, total.replace("-", "−"), len(places), score, right))
    return rows


def _row(text: str, total: str, count: int, score: str, right: bool) -> str:
    mark = ' data-right=""' if right else ""
    sign = " ✓" if right else ""
    return f"<tr{mark}><td>{text}</td><td>{total}{sign}</td><td>{count}</td><td>{score}</td></tr>"
