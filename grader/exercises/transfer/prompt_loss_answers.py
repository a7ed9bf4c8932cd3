"""Right and wrong answers to `transfer.prompt_loss`."""

import torch
from torch.nn import functional as F

from grader.author.answers import right, wrong


@right
def by_gather(logits, tokens):
    count = logits.shape[1] - tokens.shape[1]
    log_p = logits.log_softmax(dim=-1)[:, count - 1 : logits.shape[1] - 1]
    return -log_p.gather(2, tokens.unsqueeze(2)).mean()


@right
def with_ignored_positions(logits, tokens):
    rows, length = tokens.shape
    asked = torch.full(logits.shape[:2], -100, dtype=torch.int64)
    asked[:, -length:] = tokens
    shifted = asked[:, 1:]
    return F.cross_entropy(logits[:, :-1].transpose(1, 2), shifted, ignore_index=-100)


wrong(
    "not_shifted",
    why="Each position was asked for its own token, which it has read; it is asked for the next.",
    change={"logits[:, -tokens.shape[1] - 1 : -1]": "logits[:, -tokens.shape[1] :]"},
)


wrong(
    "prompt_asked",
    why=(
        "Logits of the first positions were compared with the text: those of a prompt of P vectors "
        "stand before it, and only the last of them is asked for anything."
    ),
    change={"logits[:, -tokens.shape[1] - 1 : -1]": "logits[:, : tokens.shape[1]]"},
)


@wrong(
    why=(
        "The first token of the text was not asked for: as without a prompt nothing stood before "
        "it. Here the prompt does, and its last position knows what is to come."
    )
)
def first_token_not_asked(logits, tokens):
    about = logits[:, -tokens.shape[1] : -1]
    loss = F.cross_entropy(about.flatten(0, 1), tokens[:, 1:].flatten(), reduction="sum")
    return loss / max(1, tokens[:, 1:].numel())


@wrong(
    why=(
        "The mean went over the positions of the prompt, too, as if they had been guessed without "
        "a mistake: a longer prompt seems to make a better model."
    )
)
def mean_over_the_prompt(logits, tokens):
    about = logits[:, -tokens.shape[1] - 1 : -1]
    total = F.cross_entropy(about.flatten(0, 1), tokens.flatten(), reduction="sum")
    return total / logits[..., 0].numel()


wrong(
    "sum_for_mean",
    why="The losses were summed; return the mean over all tokens.",
    change={"tokens.flatten())": 'tokens.flatten(), reduction="sum")'},
)


wrong(
    "shifted_twice",
    why="Each position was asked for the token after the next.",
    change={
        "    return F.cross_entropy(about.flatten(0, 1), tokens.flatten())": (
            "    about = torch.cat([logits[:, :1], logits[:, :-1]], 1)[:, -tokens.shape[1] "
            "- 1 : -1]\n"
            "    return F.cross_entropy(about.flatten(0, 1), tokens.flatten())"
        )
    },
)
