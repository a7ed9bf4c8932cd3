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
        "You fed the whole text again for every token. The result is right, but the cost grows "
        "with the square of the length: feed the new token, and the state."
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
    why="You returned the prompt, too; return only the sampled tokens.",
    change={"return tokens[:, prompt.shape[1] :]": "return tokens"},
)


wrong(
    "state_forgotten",
    why="You did not pass the state on, so every token was read as if it were the first of a text.",
    change={"step(fed, state)": "step(fed, None)"},
)


@wrong(
    why=(
        "You fed the last two tokens each time. The model had already read one of them, so all "
        "later tokens are one position too far on."
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


@wrong(why="You fed the last token, too, although no token follows it: one pass too many.")
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
        "You used the logits of the first position, which predict the prompt's second token. The "
        "next token is predicted at the last position."
    ),
    change={"logits[:, -1]": "logits[:, 0]"},
)


wrong(
    "prompt_not_said",
    why=(
        "You counted only sampled tokens as said; the repetition penalty applies to the prompt, "
        "too."
    ),
    change={
        "filtered(logits[:, -1], tokens, **settings)": (
            "filtered(logits[:, -1], tokens[:, prompt.shape[1] :], **settings)"
        )
    },
)


wrong(
    "nothing_drawn_is_said",
    why="You counted only the prompt as said; sampled tokens count, too.",
    change={
        "filtered(logits[:, -1], tokens, **settings)": (
            "filtered(logits[:, -1], prompt, **settings)"
        )
    },
)


wrong(
    "settings_ignored",
    why="You did not pass on the settings of the filters.",
    change={"tokens, **settings)": "tokens)"},
)


wrong(
    "always_the_likeliest",
    why="You always took the likeliest token; sample instead.",
    change={"draw_next(logits, chance)": "logits.argmax(dim=-1)"},
)


@wrong(
    why=(
        "You applied the temperature twice: `filtered` has divided by it, and `draw_next` divides "
        "again."
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
