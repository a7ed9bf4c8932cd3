"""Right and wrong answers to `diffusion.masked_diffusion_loss`."""

import torch
import torch.nn.functional as F

from grader.author.answers import right, wrong


@right
def gathered(logits, tokens, masked, levels):
    chances = logits.log_softmax(-1).gather(-1, tokens.unsqueeze(-1)).squeeze(-1)
    return -torch.sum((chances / levels.unsqueeze(-1))[masked]) / tokens.numel()


@right
def text_by_text(logits, tokens, masked, levels):
    total = logits.new_zeros(())
    for row in range(len(tokens)):
        hidden = masked[row]
        loss = F.cross_entropy(logits[row][hidden], tokens[row][hidden], reduction="sum")
        total = total + loss / levels[row]
    return total / masked.numel()


wrong(
    "not_weighted",
    why=(
        "The losses are not divided by the level. Texts of which little is hidden then count for "
        "little, and the mean bounds no likelihood."
    ),
    change={"(losses / levels[:, None])": "(losses + 0 * levels[:, None])"},
)


wrong(
    "mean_over_the_hidden",
    why=(
        "The mean runs over hidden tokens alone, as in BERT. With the weight 1 / t it runs over "
        "all tokens: t of them are hidden, on average."
    ),
    change={".mean()": ".sum() / masked.sum().clamp(min=1)"},
)


wrong(
    "multiplied_by_the_level",
    why="The losses are multiplied by the level; where fewer tokens are hidden, each weighs more.",
    change={"losses / levels": "losses * levels"},
)


wrong(
    "visible_tokens_too",
    why="Visible tokens count, too; a model that copies them has learned nothing.",
    change={
        "torch.where(masked, losses.reshape(tokens.shape), 0.0)": "losses.reshape(tokens.shape)"
    },
)


wrong(
    "visible_tokens_alone",
    why="The mask is inverted: True is hidden, and hidden tokens carry the loss.",
    change={"torch.where(masked, losses": "torch.where(~masked, losses"},
)


wrong(
    "weighted_by_what_is_hidden",
    why=(
        "Each text is divided by the share of its tokens that is hidden. The weight is 1 / t, with "
        "the level t that was drawn; the share is t on average only."
    ),
    change={
        "(losses / levels[:, None]).mean()": (
            "(losses / masked.to(losses.dtype).mean(1, keepdim=True)"
            ".clamp(min=1e-9)).mean() + 0 * levels.sum()"
        )
    },
)


wrong(
    "one_level_for_the_batch",
    why="Every text is divided by the mean level; each has its own.",
    change={"levels[:, None]": "levels.mean()"},
)


wrong(
    "summed_over_a_text",
    why="The losses of a text are summed: nats per text. Return nats per token.",
    change={".mean()": ".sum(dim=1).mean()"},
)


@wrong(
    why=(
        "The softmax is computed before the logarithm; with logits of thousands its entries are 0, "
        "and their logarithm is −∞. Use log-probabilities."
    ),
    corner=True,
)
def logarithm_of_a_softmax(logits, tokens, masked, levels):
    chances = logits.softmax(-1).gather(-1, tokens[..., None])[..., 0].log()
    return (torch.where(masked, -chances, 0.0) / levels[:, None]).mean()


wrong(
    "multiplied_by_the_mask",
    why=(
        "You multiplied the losses by the mask. Where a visible token is impossible its loss is "
        "infinite, and ∞ · 0 is NaN: choose with `torch.where`."
    ),
    change={
        "torch.where(masked, losses.reshape(tokens.shape), 0.0)": (
            "losses.reshape(tokens.shape) * masked"
        )
    },
    corner=True,
)
