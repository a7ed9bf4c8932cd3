"""Right and wrong answers to `preference.answer_mask`."""

import torch

from grader.author.answers import right, wrong


@right
def row_by_row(tokens, prompts, *, end):
    mask = torch.zeros_like(tokens, dtype=torch.bool)
    for row, begin in enumerate(prompts.tolist()):
        for place in range(begin, tokens.shape[1]):
            mask[row, place] = True
            if tokens[row, place] == end:
                break
    return mask


@right
def first_end_by_argmax(tokens, prompts, *, end):
    length = tokens.shape[1]
    places = torch.arange(length, device=tokens.device).expand_as(tokens)
    after = places >= prompts.unsqueeze(1)
    found = torch.where(after & (tokens == end), places, length)
    return after & (places <= found.min(dim=1).values.unsqueeze(1))


wrong(
    "prompt_too",
    why=(
        "Your mask includes the prompt: the model is trained to write prompts, too, and with a "
        "long prompt and a short answer, hardly any of the loss comes from the answer."
    ),
    change={"return behind & (ends": "return (ends"},
)


wrong(
    "end_left_out",
    why="Your mask leaves out the token that ends the answer, so the model never learns to stop.",
    change={" - ends.long() == 0": " == 0"},
)


wrong(
    "everything_behind_the_prompt",
    why="You count everything after the prompt, also padding and tokens sampled after the end.",
    change={" & (ends.cumsum(dim=1) - ends.long() == 0)": ""},
)


wrong(
    "one_token_late",
    why="The first token of the answer is missing: it is the hardest one to predict.",
    change={"places >= prompts": "places > prompts"},
)


wrong(
    "one_token_early",
    why=(
        "You count the last token of the prompt as answer. The loss does the shift by one, not the "
        "mask."
    ),
    change={"places >= prompts": "places + 1 >= prompts"},
)


wrong(
    "an_end_in_the_prompt",
    why="An `end` in the prompt ended the answer before it began: look for it after the prompt.",
    change={"behind & (tokens == end)": "tokens == end"},
)


@wrong(why="You count all tokens but `end`. The place of a token decides, not which token it is.")
def not_the_end(tokens, prompts, *, end):
    places = torch.arange(tokens.shape[1], device=tokens.device)
    return (places >= prompts[:, None]) & (tokens != end)


@wrong(why="You used the length of the first prompt for all rows: each row has its own.")
def one_length_for_all(tokens, prompts, *, end):
    places = torch.arange(tokens.shape[1], device=tokens.device)
    behind = (places >= prompts[0]).expand_as(tokens)
    ends = behind & (tokens == end)
    return behind & (ends.cumsum(dim=1) - ends.long() == 0)


@wrong(
    why=(
        "Your answer extends to the *last* `end`: tokens after the first one do not belong to the "
        "answer."
    )
)
def to_the_last_end(tokens, prompts, *, end):
    places = torch.arange(tokens.shape[1], device=tokens.device)
    behind = places >= prompts[:, None]
    ends = behind & (tokens == end)
    last = torch.where(ends, places, -1).amax(dim=1, keepdim=True)
    last = torch.where(last < 0, tokens.shape[1], last)
    return behind & (places <= last)


@wrong(why="If there is no end, you count nothing: an answer that was cut off is still an answer.")
def nothing_without_an_end(tokens, prompts, *, end):
    places = torch.arange(tokens.shape[1], device=tokens.device)
    behind = places >= prompts[:, None]
    ends = behind & (tokens == end)
    return behind & (ends.cumsum(dim=1) - ends.long() == 0) & ends.any(dim=1, keepdim=True)


@wrong(why="You treat token 0 as padding. It is a token like any other: `end` ends the answer.")
def zero_is_padding(tokens, prompts, *, end):
    places = torch.arange(tokens.shape[1], device=tokens.device)
    behind = places >= prompts[:, None]
    ends = behind & (tokens == end)
    return behind & (ends.cumsum(dim=1) - ends.long() == 0) & ((tokens != 0) | ends)
