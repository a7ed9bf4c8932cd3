"""Right and wrong answers to `vit.VisionTransformer`."""

import torch
from torch import nn

from grader.author.answers import equivalent, right, wrong
from solutions.transformer import Config, Encoder
from solutions.vit import PatchEmbedding, patches, resize_positions


class _Parts(nn.Module):
    def __init__(
        self,
        *,
        image_size,
        patch_size,
        channels,
        classes,
        embed_dim,
        num_heads,
        num_layers,
        hidden,
        pool="class",
        eps=1e-5,
        device=None,
    ):
        super().__init__()
        if pool not in {"class", "mean"} or image_size % patch_size:
            raise ValueError("a pool that is not there, or patches that do not tile")
        self.side = image_size // patch_size
        self.patch = patch_size
        self.patch_embedding = PatchEmbedding(patch_size, channels, embed_dim, device=device)
        self.register_parameter("token", None)
        if pool == "class":
            self.token = nn.Parameter(torch.empty(embed_dim, device=device))
            nn.init.zeros_(self.token)
        length = self.side * self.side + (self.token is not None)
        self.positions = nn.Parameter(torch.empty(length, embed_dim, device=device))
        nn.init.normal_(self.positions, std=0.02)
        shape = Config(
            embed_dim=embed_dim,
            num_heads=num_heads,
            num_layers=num_layers,
            hidden=hidden,
            norm_first=True,
            activation="gelu",
            eps=eps,
        )
        self.encoder = Encoder(shape, device=device)
        self.classifier = nn.Linear(embed_dim, classes, device=device)


@right
class TokenJoinedInside(_Parts):
    def embed(self, images):
        count, _, height, width = images.shape
        x = self.patch_embedding(images)
        if self.token is None:
            return x + self.positions
        first = self.token[None, None].expand(count, -1, -1)
        old, new = (self.side, self.side), (height // self.patch, width // self.patch)
        return torch.cat((first, x), 1) + resize_positions(self.positions, old, new)

    def forward(self, images):
        x = self.encoder(self.embed(images))
        seen = x.mean(1) if self.token is None else x.select(1, 0)
        return self.classifier(seen)

    def weights(self, images):
        with torch.no_grad():
            x, kept = self.embed(images), []
            for layer in self.encoder.layers:
                x, seen = layer(x, need_weights=True)
                kept.append(seen)
            return torch.stack(kept)


@right
class PatchesMultiplied(_Parts):
    def embed(self, images):
        projection = self.patch_embedding.projection
        weight = projection.weight.reshape(projection.weight.shape[0], -1)
        x = patches(images, self.patch) @ weight.mT + projection.bias
        if self.token is not None:
            grid = [side // self.patch for side in images.shape[2:]]
            found = resize_positions(self.positions, (self.side, self.side), tuple(grid))
            x = torch.cat([self.token.repeat(len(x), 1, 1), x], dim=1)
            return x + found
        return x + self.positions

    def forward(self, images):
        x = self.embed(images)
        for layer in self.encoder.layers:
            x = layer(x)
        x = self.encoder.norm(x)
        return self.classifier(x[:, 0] if self.token is not None else x.sum(1) / x.shape[1])

    @torch.no_grad()
    def weights(self, images):
        x = self.embed(images)
        kept = x.new_empty(
            len(self.encoder.layers), len(x), *_heads(self.encoder, x), x.shape[1], x.shape[1]
        )
        for number, layer in enumerate(self.encoder.layers):
            x, kept[number] = layer(x, need_weights=True)
        return kept


def _heads(encoder, x):
    return (encoder.layers[0](x, need_weights=True)[1].shape[1],)


wrong(
    "without_positions",
    why=(
        "The positions are not added: the model would read the same image with its patches in any "
        "order."
    ),
    change={
        "return x + self.positions": "return x",
        " + resize_positions(self.positions, (self.grid,) * 2, grid)": "",
    },
)


wrong(
    "positions_before_the_token",
    why=(
        "The token is put before the sequence after the positions were added, so each patch has "
        "its neighbor's position, and the token none."
    ),
    change={
        "return prepend(self.token, x) + resize": "places = resize",
        "(self.grid,) * 2, grid)": (
            "(self.grid,) * 2, grid)\n        return prepend(self.token, x + places[:-1])"
        ),
    },
)


wrong(
    "mean_for_both",
    why=(
        "The mean over all positions is classified although there is a class token; the classifier "
        "sees the token's position alone."
    ),
    change={"x.mean(dim=1) if self.token is None else x[:, 0]": "x.mean(dim=1)"},
)


wrong(
    "last_position",
    why="The last position is classified; the class token stands at the first.",
    change={"else x[:, 0]": "else x[:, -1]"},
)


wrong(
    "first_patch_for_the_mean",
    why=(
        "Without a class token you classify the first patch, the upper left corner; the mean over "
        "all patches is asked for."
    ),
    change={"x.mean(dim=1) if self.token is None else x[:, 0]": "x[:, 0]"},
)


wrong(
    "largest_for_the_mean",
    why="You took the largest entry over the patches; the mean over them is asked for.",
    change={"x.mean(dim=1) if": "x.amax(dim=1) if"},
)


wrong(
    "norms_after",
    why=(
        "The norms stand after the sums, as in the first Transformer; here they come first, and "
        "one more at the end."
    ),
    change={"norm_first=True": "norm_first=False"},
)


wrong(
    "relu",
    why="The feed-forward networks use ReLU; this model uses GELU.",
    change={'activation="gelu"': 'activation="relu"'},
)


wrong(
    "last_norm_left_out",
    why=(
        "The norm after the last layer is left out; norms that stand first leave the sum of all "
        "layers unscaled, so the encoder ends with one."
    ),
    change={
        "x = self.encoder(self.embed(images))": (
            "x = self.embed(images)\n        for layer in self.encoder.layers:\n"
            "            x = layer(x)"
        )
    },
)


wrong(
    "causal",
    why=(
        "The encoder is causal, so a patch sees only those before it; an image has no past, and "
        "the class token, the first, would see nothing."
    ),
    change={"self.encoder(self.embed(images))": "self.encoder(self.embed(images), is_causal=True)"},
)


wrong(
    "weights_of_the_first_input",
    why=(
        "Every layer is asked about the embedded image; the second layer sees what the first one "
        "made."
    ),
    change={"x, weights = layer(x, need_weights=True)": "_, weights = layer(x, need_weights=True)"},
)


wrong(
    "token_is_drawn",
    why="The class token starts as random numbers; it starts at 0.",
    change={"nn.Parameter(torch.zeros(embed_dim": "nn.Parameter(0.02 * torch.randn(embed_dim"},
    corner=True,
)


wrong(
    "positions_start_at_one",
    why=(
        "The positions start with standard deviation 1, so that they drown the patches; 0.02 is "
        "asked for."
    ),
    change={"0.02 * torch.randn(places": "torch.randn(places"},
    corner=True,
)


wrong(
    "eps_ignored",
    why="The `eps` of the constructor does not reach the norms.",
    change={"            eps=eps,\n": ""},
)


wrong(
    "left_in_evaluation_mode",
    why=(
        "To look at the weights the model was put in evaluation mode, and left there: whoever was "
        "training it continues without noise, unnoticed."
    ),
    change={"        found = []\n": "        self.eval()\n        found = []\n"},
)


equivalent(
    "config = Config(embed_dim=embed_dim, num_heads=num_heads, num_layers=num_layers, "
    "hidden=hidden, norm_first=True, activation='gelu', eps=eps)",
    why="an encoder has no positions of its own, whatever the configuration says",
)


wrong(
    "left_in_training_mode",
    why="To look at the weights the model was put in training mode, and left there.",
    change={"        found = []\n": "        self.train()\n        found = []\n"},
)


wrong(
    "resized_where_the_number_differs",
    why=(
        "Two grids may have as many patches and other sides: the positions are to be resized "
        "wherever the sides differ."
    ),
    change={
        "resize_positions(self.positions, (self.grid,) * 2, grid)": (
            "(self.positions if grid[0] * grid[1] == self.grid**2 else "
            "resize_positions(self.positions, (self.grid,) * 2, grid))"
        )
    },
)


wrong(
    "every_other_layer_passed_over",
    why="The weights of a layer come from what the layer before returned, in every layer.",
    change={
        "x, weights = layer(x, need_weights=True)": (
            "y, weights = layer(x, need_weights=True)\n"
            "            x = y if len(found) % 2 == 0 else x"
        )
    },
)
