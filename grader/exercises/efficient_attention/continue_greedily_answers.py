"""Right and wrong answers to `efficient_attention.continue_greedily`."""

import torch

from grader.author.answers import right, wrong


@right
def prompt_first(model, tokens, steps):
    if steps == 0:
        return tokens.new_empty((len(tokens), 0))
    logits, cache = model(tokens, None)
    written = [logits[:, -1, :].argmax(-1)]
    while len(written) < steps:
        logits, cache = model(written[-1][:, None], cache)
        written.append(logits[:, 0, :].argmax(-1))
    return torch.stack(written, dim=1)


@right
def into_a_table(model, tokens, steps):
    batch, length = tokens.shape
    text = torch.cat([tokens, tokens.new_zeros(batch, steps)], dim=1)
    cache, read = None, 0
    for end in range(length, length + steps):
        logits, cache = model(text[:, read:end], cache)
        text[:, end] = torch.max(logits[:, -1], dim=-1).indices
        read = end
    return text[:, length:]


@wrong(
    why=(
        "You read the whole text again for every token, without a cache: the tokens are right, but "
        "the cost grows with the square of the length."
    ),
)
def everything_again(model, tokens, steps):
    text = tokens
    for _ in range(steps):
        logits, _ = model(text, None)
        text = torch.cat([text, logits[:, -1].argmax(-1, keepdim=True)], dim=1)
    return text[:, tokens.shape[1] :]


@wrong(
    why=(
        "You pass the whole text, although the cache holds it already: the model reads it as a "
        "second copy."
    ),
)
def everything_after_the_cache(model, tokens, steps):
    text, cache = tokens, None
    for _ in range(steps):
        logits, cache = model(text, cache)
        text = torch.cat([text, logits[:, -1].argmax(-1, keepdim=True)], dim=1)
    return text[:, tokens.shape[1] :]


wrong(
    "cache_not_handed_on",
    why="You pass one new token and no cache, so the model does not see the text before it.",
    change={"logits, cache = model(tokens, cache)": "logits, _ = model(tokens, None)"},
)


wrong(
    "logits_of_the_first",
    why=(
        "The next token is predicted at the *last* position that was read; you used the logits of "
        "the first."
    ),
    change={"logits[:, -1]": "logits[:, 0]"},
)


@wrong(
    why="You read the last token of the prompt twice, once with the prompt and once alone.",
)
def last_token_twice(model, tokens, steps):
    written = tokens[:, :0]
    _, cache = model(tokens, None)
    last = tokens[:, -1:]
    for _ in range(steps):
        logits, cache = model(last, cache)
        last = logits[:, -1].argmax(-1, keepdim=True)
        written = torch.cat([written, last], dim=1)
    return written


@wrong(why="You read the last new token, too, although no token follows it.")
def one_call_too_many(model, tokens, steps):
    written = tokens[:, :0]
    logits, cache = model(tokens, None)
    for _ in range(steps):
        last = logits[:, -1].argmax(-1, keepdim=True)
        written = torch.cat([written, last], dim=1)
        logits, cache = model(last, cache)
    return written


wrong(
    "prompt_returned_too",
    why="You returned the prompt, too; return only the new tokens.",
    change={"written, cache = tokens[:, :0], None": "written, cache = tokens, None"},
)


wrong(
    "least_likely",
    why="You took the token with the smallest logit.",
    change={".argmax(": ".argmin("},
)
