"""Right and wrong answers to `gpt.generate`."""

import torch

from grader.author.answers import right, wrong
from solutions.gpt import draw_next, filtered


@right
def with_a_table(step, prompt, uniform, **settings):
    rows, read = prompt.shape
    count = uniform.shape[1]
    text = torch.zeros(rows, read + count, dtype=torch.int64)
    text[:, :read] = prompt
    state, begun = None, 0
    for end in range(read, read + count):
        logits, state = step(text[:, begun:end], state)
        chosen = filtered(logits[:, -1, :], text[:, :end], **settings)
        text[:, end] = draw_next(chosen, uniform[:, end - read])
        begun = end
    return text[:, read:]


@right
def a_list_of_drawn_ones(step, prompt, uniform, **settings):
    drawn, state = [], None
    for t in range(uniform.shape[1]):
        scores, state = step(drawn[-1] if drawn else prompt, state)
        said = torch.cat([prompt, *drawn], dim=1)
        scores = filtered(scores.select(1, -1), said, **settings)
        drawn.append(draw_next(scores, uniform[:, t]).unsqueeze(1))
    return torch.cat(drawn, dim=1) if drawn else prompt[:, :0]


@wrong(
    why=(
        "The whole text was fed again for every token. The result is right, and the cost of a text "
        "grows with the square of its length: hand over the new token, and the state."
    )
)
def everything_again(step, prompt, uniform, **settings):
    tokens = prompt
    for chance in uniform.unbind(dim=1):
        logits, _ = step(tokens, None)
        drawn = draw_next(filtered(logits[:, -1], tokens, **settings), chance)
        tokens = torch.cat([tokens, drawn[:, None]], dim=1)
    return tokens[:, prompt.shape[1] :]


wrong(
    "prompt_returned_too",
    why="The prompt was returned together with the sampled tokens; return only the sampled tokens.",
    change={"return tokens[:, prompt.shape[1] :]": "return tokens"},
)


wrong(
    "state_forgotten",
    why="The state was not handed on: every token was read as if it were the first of a text.",
    change={"step(fed, state)": "step(fed, None)"},
)


@wrong(
    why=(
        "The last two tokens were fed each time, one of which the model had read already: all that "
        "comes after it is a place too far to the right."
    )
)
def fed_twice(step, prompt, uniform, **settings):
    tokens = fed = prompt
    state = None
    for chance in uniform.unbind(dim=1):
        logits, state = step(fed, state)
        drawn = draw_next(filtered(logits[:, -1], tokens, **settings), chance)
        tokens = torch.cat([tokens, drawn[:, None]], dim=1)
        fed = tokens[:, -2:]
    return tokens[:, prompt.shape[1] :]


@wrong(
    why=(
        "The last token was fed to the model as well, although no token follows it: one "
        "pass too many."
    )
)
def last_one_fed_too(step, prompt, uniform, **settings):
    tokens = prompt
    logits, state = step(prompt, None)
    for chance in uniform.unbind(dim=1):
        drawn = draw_next(filtered(logits[:, -1], tokens, **settings), chance)[:, None]
        tokens = torch.cat([tokens, drawn], dim=1)
        logits, state = step(drawn, state)
    return tokens[:, prompt.shape[1] :]


wrong(
    "first_position_asked",
    why=(
        "The logits of the first position were used: they say what follows the prompt's first "
        "token. What comes next stands at the last."
    ),
    change={"logits[:, -1]": "logits[:, 0]"},
)


wrong(
    "prompt_not_said",
    why="Only what was drawn counted as said; a penalty for repetition asks for the prompt, too.",
    change={
        "filtered(logits[:, -1], tokens, **settings)": (
            "filtered(logits[:, -1], tokens[:, prompt.shape[1] :], **settings)"
        )
    },
)


wrong(
    "nothing_drawn_is_said",
    why="Only the prompt counted as said: what the model writes itself counts, too.",
    change={
        "filtered(logits[:, -1], tokens, **settings)": (
            "filtered(logits[:, -1], prompt, **settings)"
        )
    },
)


wrong(
    "settings_ignored",
    why="The settings of the filters were not handed on.",
    change={"tokens, **settings)": "tokens)"},
)


wrong(
    "always_the_likeliest",
    why="The likeliest token was taken each time; nothing was drawn.",
    change={"draw_next(logits, chance)": "logits.argmax(dim=-1)"},
)


@wrong(
    why=(
        "The temperature was applied twice: `filtered` has divided by it, and `draw_next` divides "
        "once more."
    )
)
def temperature_twice(step, prompt, uniform, **settings):
    tokens = fed = prompt
    state = None
    for chance in uniform.unbind(dim=1):
        logits, state = step(fed, state)
        logits = filtered(logits[:, -1], tokens, **settings)
        heat = settings.get("temperature", 1.0) or 1.0
        fed = draw_next(logits, chance, temperature=heat)[:, None]
        tokens = torch.cat([tokens, fed], dim=1)
    return tokens[:, prompt.shape[1] :]
