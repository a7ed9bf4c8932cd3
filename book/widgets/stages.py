"""Answers to a few prompts, after each stage of a training."""

from __future__ import annotations

import html
from collections.abc import Sequence

from book.widgets.board import widget

MARKS = {"right": "✓", "form": "✗", "no form": "?"}
LEGEND = "✓ right &nbsp; ✗ wrong, in the right form &nbsp; ? no answer at all"


def stage_samples(
    stages: Sequence[str],
    prompts: Sequence[str],
    answers: Sequence[Sequence[Sequence[tuple[str, str]]]],
    alt: str,
) -> None:
    """Show what a model writes after each stage of its training; the reader chooses a prompt.

    Args:
        stages: their names.
        prompts: one or more; the first is shown without JavaScript.
        answers: for each stage and each prompt some answers, each with its verdict: ``"right"``,
            ``"form"`` or ``"no form"``.
        alt: what is to be seen.

    Raises:
        ValueError: there are not as many answers as stages and prompts.
    """
    if len(answers) != len(stages) or any(len(of) != len(prompts) for of in answers):
        raise ValueError("stage_samples() needs answers for every stage and every prompt.")
    rows = "".join(
        f'<tr><th scope="row">{html.escape(stage)}</th><td>{_written(of[0])}</td></tr>'
        for stage, of in zip(stages, answers, strict=True)
    )
    page = (
        f'<p>{html.escape(alt)}</p><div class="course-tools course-prompts" hidden></div>'
        f'<p class="course-legend">{LEGEND}</p><table><tbody>{rows}</tbody></table>'
        f'<p role="status">{html.escape(_says(stages, prompts[0], [of[0] for of in answers]))}</p>'
    )
    model = {"stages": list(stages), "prompts": list(prompts), "answers": answers, "marks": MARKS}
    widget("stages", page, alt, model=model)


def _written(answers: Sequence[tuple[str, str]]) -> str:
    return "".join(
        f'<code class="course-{verdict.replace(" ", "-")}">{MARKS[verdict]}&nbsp;'
        f"{html.escape(text)}</code>"
        for text, verdict in answers
    )


def _says(stages: Sequence[str], prompt: str, answers: Sequence[Sequence[tuple[str, str]]]) -> str:
    counts = [sum(verdict == "right" for _, verdict in of) for of in answers]
    each = ", ".join(f"{stage} {count}" for stage, count in zip(stages, counts, strict=True))
    return f"Right answers to {prompt}, of {len(answers[0])}: {each}."
