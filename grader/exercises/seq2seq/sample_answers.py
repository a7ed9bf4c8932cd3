"""Right and wrong answers to `seq2seq.sample`."""

import torch

from grader.author.answers import right, wrong


@right
def by_searching(step, state, first, uniform, *, eos=2, temperature=1.0):
    token, rows = first, []
    for t in range(uniform.shape[1]):
        log_probs, state = step(token, state)
        if temperature == 0:
            token = log_probs.argmax(1)
        else:
            p = (log_probs / temperature).softmax(1)
            found = torch.searchsorted(p.cumsum(1), uniform[:, t : t + 1].contiguous(), right=True)
            token = found[:, 0].clamp(max=p.shape[1] - 1)
        if rows:
            token = torch.where(rows[-1] == eos, eos, token)
        rows.append(token)
    return torch.stack(rows, 1)


@right
def cut_afterwards(step, state, first, uniform, *, eos=2, temperature=1.0):
    token, rows = first, []
    for chance in uniform.T:
        log_probs, state = step(token, state)
        if temperature:
            p = torch.exp(log_probs / temperature)
            ends = torch.cumsum(p / p.sum(1, keepdim=True), 1)[:, :-1]
            token = (ends <= chance[:, None]).sum(1)
        else:
            token = log_probs.argmax(1)
        rows.append(token)
    written = torch.stack(rows, 1)
    before = (written == eos).cumsum(1) - (written == eos).long()
    return written.masked_fill(before > 0, eos)


wrong(
    "writes_on_after_the_end",
    why="A row that has sampled the end token keeps sampling; fill the rest with end tokens.",
    change={".masked_fill(ended, eos)": ""},
)


wrong(
    "temperature_ignored",
    why="The temperature is not passed on: everything is drawn at temperature 1.",
    change={", temperature=temperature)": ")"},
)


wrong(
    "always_the_likeliest",
    why="The likeliest token is taken every time: that is greedy, and nothing is drawn.",
    change={"temperature=temperature)": "temperature=0)"},
)


wrong(
    "one_number_for_all_steps",
    why=(
        "The number of the first step decides all steps: a row that draws an unlikely token once "
        "draws unlikely ones always."
    ),
    change={"draw_next(log_probs, chance": "draw_next(log_probs, uniform[:, 0]"},
)


wrong(
    "one_number_for_all_rows",
    why="The number of the first row decides for all rows; each has its own.",
    change={"draw_next(log_probs, chance": "draw_next(log_probs, chance[:1].expand(len(first))"},
)


wrong(
    "first_token_read_again",
    why="Every step reads the begin token; a step reads the token that was drawn before it.",
    change={"step(token, state)": "step(first, state)"},
)


wrong(
    "state_not_carried",
    why="Each step begins with the first state: the model forgets all but the last token.",
    change={"log_probs, state = step(": "log_probs, _ = step("},
)


wrong(
    "end_token_fixed",
    why="The end token is an argument; another vocabulary has another number for it.",
    change={"token == eos": "token == 2"},
)


wrong(
    "probabilities_into_a_softmax",
    why=(
        "You passed on probabilities in place of log-probabilities: their softmax is nearly even, "
        "and unlikely tokens come far too often."
    ),
    change={"draw_next(log_probs,": "draw_next(log_probs.exp(),"},
)


wrong(
    "zero_made_small",
    why=(
        "You replaced a temperature of 0 by a small one: tokens that are almost as likely as the "
        "likeliest are then drawn, too. At 0, take the likeliest."
    ),
    change={"temperature=temperature)": "temperature=max(temperature, 1e-2))"},
)
