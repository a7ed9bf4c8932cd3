"""Right and wrong answers to `seq2seq.extend_beams`."""

import torch

from grader.author.answers import right, wrong


@right
def sorted_pairs(log_probs, scores, *, beam):
    every = [
        (float(scores[row] + log_probs[row, token]), row, token)
        for row in range(log_probs.shape[0])
        for token in range(log_probs.shape[1])
    ]
    every.sort(reverse=True)
    best, rows, tokens = zip(*every[:beam], strict=True)
    return torch.tensor(rows), torch.tensor(tokens), torch.tensor(best, dtype=log_probs.dtype)


@right
def best_of_each_first(log_probs, scores, *, beam):
    total = log_probs + scores.unsqueeze(1)
    some, tokens = total.sort(dim=1, descending=True)
    some, tokens = some[:, :beam], tokens[:, :beam]
    order = torch.argsort(some.reshape(-1), descending=True)[:beam]
    rows = torch.div(order, some.shape[1], rounding_mode="floor")
    return rows, tokens.reshape(-1)[order], some.reshape(-1)[order]


wrong(
    "scores_forgotten",
    why=(
        "The log-probabilities of the hypotheses so far are not added: an unlikely beginning with "
        "a nearly certain next token wins."
    ),
    change={"scores[:, None] + log_probs  #": "log_probs  #"},
)


wrong(
    "scores_across",
    why=(
        "The scores were added along the tokens: entry (k, v) gets the score of hypothesis v, and "
        "belongs to hypothesis k."
    ),
    change={
        "scores[:, None] + log_probs": (
            "log_probs + scores.repeat(log_probs.shape[1])[: log_probs.shape[1]]"
        ),
    },
)


@wrong(
    why=(
        "Each hypothesis keeps its own best continuation: so the beams never compete, and a bad "
        "beginning is carried to the end."
    )
)
def best_of_each(log_probs, scores, *, beam):
    total = scores[:, None] + log_probs
    best, tokens = total.max(dim=1)
    best, rows = best.topk(min(beam, len(best)))
    return rows, tokens[rows], best


wrong(
    "divided_by_the_hypotheses",
    why=(
        "A place in the flattened table is k · V + v: k comes from division by V, the number of "
        "tokens, and you divided by the number of hypotheses."
    ),
    change={"vocabulary = log_probs.shape[1]": "vocabulary = log_probs.shape[0]"},
)


wrong(
    "rows_and_tokens_swapped",
    why="The hypotheses come first and the tokens second; you returned them the other way round.",
    change={
        "return place // vocabulary, place % vocabulary, best": (
            "return place % vocabulary, place // vocabulary, best"
        )
    },
)


wrong(
    "probabilities_multiplied",
    why=(
        "You multiplied the log-probabilities; probabilities of a sequence are multiplied, so "
        "their logarithms are added."
    ),
    change={"scores[:, None] + log_probs": "-scores[:, None] * log_probs"},
)


wrong(
    "probabilities_added",
    why=(
        "A probability was added to a log-probability: probabilities are multiplied, so their "
        "logarithms are added."
    ),
    change={"scores[:, None] + log_probs": "scores[:, None] + log_probs.exp()"},
)


wrong(
    "worst_kept",
    why="You kept the smallest; log-probabilities are negative, and the largest is the likeliest.",
    change={".topk(min(beam, total.numel()))": ".topk(min(beam, total.numel()), largest=False)"},
)


wrong(
    "last_step_returned",
    why="Return the log-probability of the whole hypothesis, not of its last token.",
    change={"vocabulary, best": "vocabulary, log_probs.flatten()[place]"},
)


wrong(
    "as_many_as_there_were",
    why=(
        "You kept as many as there were before; the first round begins with one hypothesis and "
        "keeps `beam`."
    ),
    change={"min(beam, total.numel())": "min(beam, len(scores))"},
)


wrong(
    "large_number_for_infinity",
    why=(
        "A large negative number was put in the place of −∞. A hypothesis of probability 0 keeps "
        "−∞, or a very unlikely one could lose to it."
    ),
    change={"+ log_probs": "+ log_probs.clamp(min=-1e9)"},
    corner=True,
)
