"""Right and wrong answers to `gpt.GPT`."""

import math

from torch import nn

from grader.author.answers import right, wrong
from solutions.gpt import Config, DecoderOnly, TanhFeedForward


@right
class part_by_part(DecoderOnly):
    def __init__(
        self,
        vocabulary,
        *,
        embed_dim,
        num_heads,
        num_layers,
        longest,
        positions="learned",
        dropout=0.0,
        std=0.02,
        device=None,
    ):
        super().__init__(
            Config(
                embed_dim=embed_dim,
                num_heads=num_heads,
                num_layers=num_layers,
                hidden=4 * embed_dim,
                vocabulary=vocabulary,
                longest=longest,
                positions=positions,
                norm="layer",
                norm_first=True,
                dropout=dropout,
                tied=True,
            ),
            device=device,
        )
        for layer in self.layers:
            layer.feed_forward = TanhFeedForward(embed_dim, 4 * embed_dim, device=device)
            small = {layer.attention.output, layer.feed_forward.down}
            for part in layer.modules():
                if isinstance(part, nn.Linear):
                    spread = std * (2 * num_layers) ** -0.5 if part in small else std
                    nn.init.normal_(part.weight, std=spread)
                    nn.init.zeros_(part.bias)
        nn.init.normal_(self.embed.weight, std=std)
        if positions == "learned":
            nn.init.normal_(self.table, std=std)


@right
class by_kinds(DecoderOnly):
    def __init__(self, vocabulary, *, embed_dim, num_heads, num_layers, longest, **given):
        std, device = given.pop("std", 0.02), given.pop("device", None)
        given = {"positions": "learned", "dropout": 0.0} | given
        config = Config(
            vocabulary=vocabulary,
            embed_dim=embed_dim,
            num_heads=num_heads,
            num_layers=num_layers,
            longest=longest,
            hidden=embed_dim * 4,
            activation="relu",
            norm_first=True,
            tied=True,
            **given,
        )
        super().__init__(config, device=device)
        for index in range(num_layers):
            self.layers[index].feed_forward = TanhFeedForward(
                embed_dim, embed_dim * 4, device=device
            )
        for parameter in self.parameters():
            if parameter.dim() == 2:
                parameter.data = parameter.data.normal_(0.0, std)
        for name, parameter in self.named_parameters():
            if name.endswith(".bias"):
                parameter.data.fill_(0.0)
            if name.endswith("output.weight") or name.endswith("down.weight"):
                parameter.data.mul_(1 / math.sqrt(2 * num_layers))


wrong(
    "norm_last",
    why="The norms come after the sums, as in 2017; GPT-2 has them before the parts of a layer.",
    change={"            norm_first=True,\n": ""},
)


wrong(
    "exact_gelu",
    why=(
        "You used the exact GELU; GPT-2's is the tanh approximation, with which its weights were "
        "trained."
    ),
    change={
        "TanhFeedForward(embed_dim, config.hidden, device=device)": (
            'FeedForward(embed_dim, config.hidden, activation="gelu", device=device)'
        )
    },
)


wrong(
    "not_tied",
    why="A separate table scores the next token; GPT-2 uses the table of the tokens.",
    change={"            tied=True,\n": ""},
)


wrong(
    "as_wide_as_the_rest",
    why="The hidden layers have as many features as the stream; they must have four times as many.",
    change={"hidden=4 * embed_dim": "hidden=embed_dim"},
)


wrong(
    "waves_for_positions",
    why="You used sinusoidal positions, as in 2017; GPT-2 learns them.",
    change={"positions=positions": 'positions="sinusoidal"'},
)


wrong(
    "branches_not_scaled",
    why=(
        "The last layer of each branch starts with the same standard deviation as the others: with "
        "many layers the sum of all branches grows."
    ),
    change={"std / math.sqrt(2 * num_layers) if last else std": "std"},
)


wrong(
    "one_branch_per_layer",
    why="You scaled by √num_layers. A layer has two branches, so there are 2 · num_layers of them.",
    change={"math.sqrt(2 * num_layers)": "math.sqrt(num_layers)"},
)


wrong(
    "biases_drawn",
    why="Biases start at random values, as in `nn.Linear`; here they start at 0.",
    change={"nn.init.zeros_(parameter)": "pass"},
)


wrong(
    "norms_drawn",
    why="You initialized the scales of the norms at random, too; they start at 1.",
    change={
        'elif "norm" not in name:': "else:",
        "nn.init.normal_(parameter,": "nn.init.normal_(parameter.data,",
    },
)


wrong(
    "variance_for_deviation",
    why="You used `std` as a variance; it is the standard deviation.",
    change={
        "std / math.sqrt(2 * num_layers) if last else std": (
            "math.sqrt(std / math.sqrt(2 * num_layers)) if last else math.sqrt(std)"
        )
    },
)
