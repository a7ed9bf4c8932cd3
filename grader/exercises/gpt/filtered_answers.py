"""Right and wrong answers to `gpt.filtered`."""

from grader.author.answers import right, wrong
from solutions.gpt import min_p, repetition_penalty, tempered, top_k, top_p


@right
def one_if_after_the_other(
    logits, tokens, *, penalty=1.0, temperature=1.0, k=None, p=None, least=None
):
    if penalty != 1:
        logits = repetition_penalty(logits, tokens, penalty)
    if temperature != 1:
        logits = tempered(logits, temperature)
    if k is not None:
        logits = top_k(logits, k)
    if p is not None:
        logits = top_p(logits, p)
    if least is not None:
        logits = min_p(logits, least)
    return logits


@right
def nested(logits, tokens, *, penalty=1.0, temperature=1.0, k=None, p=None, least=None):
    symbols = logits.shape[-1]
    found = tempered(repetition_penalty(logits, tokens, penalty), temperature)
    found = top_p(top_k(found, symbols if k is None else k), 1.0 if p is None else p)
    return found if least is None else min_p(found, least)


wrong(
    "temperature_last",
    why=(
        "You applied the temperature after the filters: they chose by the model's own "
        "distribution, not by the one that is sampled."
    ),
    change={
        "logits = tempered(repetition_penalty(logits, tokens, penalty), temperature)": (
            "logits = repetition_penalty(logits, tokens, penalty)"
        ),
        "    return logits": "    return tempered(logits, temperature)",
    },
)


wrong(
    "penalty_last",
    why=(
        "You applied the penalty last: the filters had already chosen, and a temperature of 0 had "
        "left nothing to lower."
    ),
    change={
        "tempered(repetition_penalty(logits, tokens, penalty), temperature)": (
            "tempered(logits, temperature)"
        ),
        "    return logits": "    return repetition_penalty(logits, tokens, penalty)",
    },
)


wrong(
    "top_p_before_top_k",
    why=(
        "Your top-p took its share of the whole distribution instead of what top-k had left: it "
        "came first, or both got the same logits."
    ),
    change={"((top_k, k), (top_p, p), (min_p, least))": "((top_p, p), (top_k, k), (min_p, least))"},
)


wrong(
    "min_p_before_top_p",
    why="You applied min-p before top-p, which then took its share of what min-p had left.",
    change={"((top_k, k), (top_p, p), (min_p, least))": "((top_k, k), (min_p, least), (top_p, p))"},
)


wrong(
    "min_p_forgotten",
    why="You never applied min-p: `least` is its p.",
    change={", (min_p, least)": ""},
)


wrong(
    "no_penalty",
    why="The repetition penalty is missing.",
    change={"repetition_penalty(logits, tokens, penalty)": "logits"},
)


wrong(
    "nothing_for_zero",
    why="A setting of 0 is not None: `if setting` leaves the filter out, so it raises no error.",
    change={"if setting is not None:": "if setting:"},
    corner=True,
)
