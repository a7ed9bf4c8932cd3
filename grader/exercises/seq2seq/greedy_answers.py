"""Right and wrong answers to `seq2seq.greedy`."""

import torch

from grader.author.answers import right, wrong


@right
def into_a_table(step, state, first, *, eos=2, max_length=100):
    written = torch.full((len(first), max_length), eos)
    live = torch.full_like(first, True, dtype=torch.bool)
    token = first
    for t in range(max_length):
        log_probs, state = step(token, state)
        token = torch.where(live, log_probs.max(dim=1).indices, eos)
        written[:, t] = token
        live = live & (token != eos)
        if not live.any():
            return written[:, : t + 1]
    return written


@right
def cut_afterwards(step, state, first, *, eos=2, max_length=100):
    tokens = first[:, None]
    for _ in range(max_length):
        log_probs, state = step(tokens[:, -1], state)
        tokens = torch.cat([tokens, log_probs.argmax(1, keepdim=True)], dim=1)
        if (tokens[:, 1:] == eos).any(dim=1).all():
            break
    written = tokens[:, 1:]
    ended = (written == eos).long().cumsum(dim=1) > 0
    return written.masked_fill(ended, eos)


wrong(
    "writes_on_after_the_end",
    why=(
        "A finished row keeps writing until the longest has finished: what follows its "
        "end token is noise, and counts as output."
    ),
    change={".masked_fill(ended, eos)": ""},
)


wrong(
    "all_end_with_the_first",
    why="The loop stops as soon as one row has ended; the others are cut off in the middle.",
    change={"ended.all()": "ended.any()"},
)


wrong(
    "never_stops_early",
    why=(
        "All max_length steps are made although every row has ended: the result is wider than the "
        "longest row, and the rest of the time is wasted."
    ),
    change={" and not ended.all()": ""},
)


wrong(
    "first_token_read_again",
    why=(
        "Every step reads the begin token again; after the first, a step reads what was written in "
        "the one before."
    ),
    change={"log_probs, state = step(token, state)": "log_probs, state = step(first, state)"},
)


wrong(
    "state_not_carried",
    why="Each step begins with the first state: the model forgets all but the last token.",
    change={"log_probs, state = step(token, state)": "log_probs, _ = step(token, state)"},
)


wrong(
    "first_returned_too",
    why="The begin token is in the result; return only the tokens after it.",
    change={"torch.stack(written": "torch.stack([first, *written]"},
)


wrong(
    "end_token_left_out",
    why=(
        "The loop ends before the end token is kept: the reader of the result cannot tell a "
        "finished row from one that was cut off."
    ),
    change={
        "        written.append(token)\n        ended = ended | (token == eos)\n": (
            "        ended = ended | (token == eos)\n"
            "        if ended.all() and written:\n"
            "            break\n"
            "        written.append(token)\n"
        )
    },
)


wrong(
    "end_token_fixed",
    why="The end token is an argument; another vocabulary has another number for it.",
    change={"token == eos": "token == 2"},
)


wrong(
    "begin_counts_as_end",
    why=(
        "A row whose first token is the end token was treated as ended; only a token that is "
        "written can end it."
    ),
    change={"torch.zeros_like(first, dtype=torch.bool)": "(first == eos) & (first != -1)"},
)


wrong(
    "one_token_too_many",
    why="max_length counts the tokens that are written, and you wrote one more.",
    change={"len(written) < max_length": "len(written) <= max_length"},
)


wrong(
    "least_likely",
    why="The largest log-probability is the likeliest token, although all of them are negative.",
    change={"log_probs.argmax": "log_probs.argmin"},
)


@wrong(
    why=(
        "At every step the whole prefix is read again, token by token, from the first state on: "
        "right tokens, but the cost grows with the square of the length. Carry the state."
    ),
    corner=True,
)
def prefix_read_again(step, state, first, *, eos=2, max_length=100):
    tokens, ended = first[:, None], torch.zeros_like(first, dtype=torch.bool)
    for _ in range(max_length):
        now = state
        for token in tokens.unbind(dim=1):
            log_probs, now = step(token, now)
        token = log_probs.argmax(dim=-1).masked_fill(ended, eos)
        tokens = torch.cat([tokens, token[:, None]], dim=1)
        ended = ended | (token == eos)
        if ended.all():
            break
    return tokens[:, 1:]
