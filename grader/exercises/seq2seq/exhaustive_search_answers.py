"""Right and wrong answers to `seq2seq.exhaustive_search`."""

import itertools

import torch

from grader.author.answers import right, wrong


@right
def all_products(step, state, first, *, eos=2, max_length, penalty=0.0):
    symbols = step(first, state)[0].shape[1]
    others = [token for token in range(symbols) if token != eos]
    best = None
    for length in range(1, max_length + 1):
        for body in itertools.product(others, repeat=length - 1):
            tokens, total, token, now = [*body, eos], 0.0, first, state
            for following in tokens:
                log_probs, now = step(token, now)
                total += float(log_probs[0, following])
                token = torch.tensor([following])
            score = total / ((5 + length) / 6) ** penalty
            if best is None or score > best[1]:
                best = (tokens, score)
    return best


@right
def level_by_level(step, state, first, *, eos=2, max_length, penalty=0.0):
    level, ended = [([], 0.0, first, state)], []
    for length in range(1, max_length + 1):
        following = []
        for tokens, total, token, now in level:
            log_probs, after = step(token, now)
            for symbol, more in enumerate(log_probs[0].tolist()):
                if symbol == eos:
                    score = (total + more) * (6 / (5 + length)) ** penalty
                    ended.append((score, [*tokens, symbol]))
                else:
                    following.append(
                        ([*tokens, symbol], total + more, torch.tensor([symbol]), after)
                    )
        level = following
    score, tokens = max(ended)
    return tokens, score


wrong(
    "lengths_not_compared",
    why=(
        "The sequences were ranked by log-probability alone: every further token lowers it, so "
        "the short ones win."
    ),
    change={"length_score(total, len(longer), penalty=penalty).item()": "total.item()"},
)


wrong(
    "end_token_not_counted",
    why="The length counts the end token: the model has paid for it, too.",
    change={"length_score(total, len(longer)": "length_score(total, len(tokens)"},
)


wrong(
    "goes_on_after_the_end",
    why=(
        "Finished sequences were continued: tokens after an end token are not part of the sequence."
    ),
    change={"            elif len(longer)": "            if len(longer)"},
)


wrong(
    "unfinished_allowed",
    why="A sequence without the end token was accepted; it is only the beginning of one.",
    change={"if v == eos:": "if v == eos or len(longer) == max_length:"},
)


wrong(
    "one_short",
    why="max_length counts the end token; you stopped one token earlier.",
    change={"len(longer) < max_length": "len(longer) < max_length - 1"},
)


wrong(
    "one_too_long",
    why="max_length counts the end token; your sequences may be one longer.",
    change={"len(longer) < max_length": "len(longer) <= max_length"},
)


wrong(
    "greedy",
    why=(
        "Only the likeliest token is followed at each place: a worse first token may lead to the "
        "better whole."
    ),
    change={
        "elif len(longer) < max_length:": (
            "elif len(longer) < max_length and v == log_probs[0].argmax():"
        ),
    },
)


wrong(
    "last_token_counts_alone",
    why="The log-probabilities of all tokens are added up; you kept that of the last.",
    change={"log_prob + further": "further"},
)


wrong(
    "state_forgotten",
    why="Each call begins with the first state: the model forgets what the sequence began with.",
    change={"log_probs, state = step(token, state)": "log_probs, _ = step(token, state)"},
)


wrong(
    "end_token_left_out",
    why="The end token is part of the sequence that is returned.",
    change={"Hypothesis(longer, score)": "Hypothesis(tokens, score)"},
)


wrong(
    "large_number_for_infinity",
    why=(
        "The search began with a large negative number as the best score, and the best sequence "
        "may lie below it; only −∞ is below all."
    ),
    change={"-math.inf": "-1e9"},
    corner=True,
)


wrong(
    "likeliest_three",
    why=(
        "Only the three likeliest tokens were followed at each place, which is a beam search by "
        "another name: the best sequence may begin with the least likely token."
    ),
    change={
        "elif len(longer) < max_length:": (
            "elif len(longer) < max_length and v in log_probs[0].argsort(descending=True)[:3]:"
        ),
    },
)


wrong(
    "given_up_where_it_falls_behind",
    why=(
        "A beginning was given up as soon as its own score was no better than the best so far. "
        "With a penalty, the score of a sequence can rise with each token: bound it by what its "
        "log-probability is worth at `max_length`."
    ),
    change={
        "elif len(longer) < max_length:": (
            "elif len(longer) < max_length and best.score < length_score(\n"
            "                total, len(longer), penalty=penalty\n"
            "            ):"
        ),
    },
)
