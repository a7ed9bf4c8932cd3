"""Vision Transformers: an image as a sequence of patches, read by the encoder of `transformer`.

Shapes: B images, C channels, H × W pixels, patches of P × P pixels, N = (H/P)·(W/P) patches, D
features, T = N + 1 positions with the class token. Patches are numbered row by row.

Source: Dosovitskiy et al. (2021), "An image is worth 16×16 words", section 3.1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from solutions.transformer import Config, Encoder, rename


def patches(images: Tensor, size: int) -> Tensor:
    """Cut images into square patches, and write each patch as a vector.

    Args:
        images: (B, C, H, W), any dtype.
        size: height and width P of a patch; it divides H and W.

    Returns:
        (B, N, C·P·P), of the same dtype: patches row by row, from the upper left; in a patch first
        its channels, then its rows, then its columns, as in the weight of a convolution.

    Raises:
        ValueError: P does not divide H and W.
    """
    count, channels, height, width = images.shape
    if height % size or width % size:
        raise ValueError(f"patches of {size} pixels do not tile {height} x {width} pixels")
    cut = images.reshape(count, channels, height // size, size, width // size, size)
    return cut.permute(0, 2, 4, 1, 3, 5).flatten(3).flatten(1, 2)


def join_patches(vectors: Tensor, size: int, channels: int, width: int) -> Tensor:
    """Put patches together again: the inverse of `patches`.

    Args:
        vectors: (B, N, C·P·P), in the order of `patches`.
        size: height and width P of a patch.
        channels: C.
        width: W, of the image in pixels; P divides it.

    Returns:
        (B, C, H, W), of the same dtype, with H = P·N / (W/P).
    """
    count, number, _ = vectors.shape
    across = width // size
    grid = vectors.reshape(count, number // across, across, channels, size, size)
    return grid.permute(0, 3, 1, 4, 2, 5).reshape(count, channels, -1, width)


def prepend(token: Tensor, x: Tensor) -> Tensor:
    """Put one and the same token before each sequence.

    Args:
        token: (D,) float; learned, so its gradient is the sum over the batch.
        x: (B, N, D) float.

    Returns:
        (B, N + 1, D).
    """
    return torch.cat([token.expand(len(x), 1, -1), x], dim=1)


def resize_positions(positions: Tensor, grid: tuple[int, int], new: tuple[int, int]) -> Tensor:
    """Learned positions of one grid of patches, for a finer or coarser grid.

    Each feature is a picture on the grid, and is resized like one, bicubically. The class token has
    no place on the grid; its position is kept (Dosovitskiy et al. 2021, section 3.2).

    Args:
        positions: (1 + h·w, D) float: the class token's, then row by row.
        grid: (h, w) patches, the grid they were learned on.
        new: (h', w') patches.

    Returns:
        (1 + h'·w', D). With the same grid they are the positions as they were.
    """
    token, rest = positions[:1], positions[1:]
    picture = rest.T.reshape(1, -1, *grid)
    if grid != new:
        picture = F.interpolate(picture, new, mode="bicubic", align_corners=False)
    return torch.cat([token, picture.flatten(2)[0].T])


class PatchEmbedding(nn.Module):
    """Patches as vectors of D features: each multiplied by one and the same matrix.

    The product of flattened patches with a matrix is a convolution whose stride is the size of its
    kernel. It is computed as the latter.

    Attributes:
        projection: `nn.Conv2d`, ``projection.weight`` (D, C, P, P), with a bias.
    """

    def __init__(
        self,
        size: int,
        channels: int,
        embed_dim: int,
        *,
        device: torch.device | str | None = None,
    ) -> None:
        """Make the matrix, as `nn.Conv2d` draws it.

        Args:
            size: height and width P of a patch.
            channels: C.
            embed_dim: features D.
            device: where the parameters go.
        """
        super().__init__()
        self.projection = nn.Conv2d(channels, embed_dim, size, stride=size, device=device)

    def forward(self, images: Tensor) -> Tensor:
        """Embed each patch.

        Args:
            images: (B, C, H, W) float; P divides H and W.

        Returns:
            (B, N, D), patches row by row.
        """
        return self.projection(images).flatten(2).transpose(1, 2)


class VisionTransformer(nn.Module):
    """Patches, positions, an encoder, and a linear classifier.

    z₀ = [class token; patches·E] + positions; z_L by the encoder, norms first; the classifier sees
    the class token of norm(z_L), or the mean over all patches (Dosovitskiy et al. 2021, equations 1
    to 4 and appendix D.3).

    Attributes:
        patch_embedding: `PatchEmbedding`.
        token: (D,), the class token; None with ``pool="mean"``. It starts at 0.
        positions: (T, D), learned; T = N + 1 with a class token and N without. They start normal
            with standard deviation 0.02.
        encoder: `solutions.transformer.Encoder`, with the norm at its end.
        classifier: `nn.Linear` from D features to the classes.
    """

    def __init__(
        self,
        *,
        image_size: int,
        patch_size: int,
        channels: int,
        classes: int,
        embed_dim: int,
        num_heads: int,
        num_layers: int,
        hidden: int,
        pool: str = "class",
        eps: float = 1e-5,
        device: torch.device | str | None = None,
    ) -> None:
        """Make the parts.

        Args:
            image_size: height and width of the images, in pixels.
            patch_size: P; it divides ``image_size``.
            channels: C.
            classes: to tell apart.
            embed_dim: features D.
            num_heads: heads of each attention.
            num_layers: layers of the encoder: norms first, GELU between the feed-forward products.
            hidden: units of the feed-forward networks.
            pool: what the classifier sees: ``"class"`` (the class token) or ``"mean"`` (of all
                patches; then there is no class token).
            eps: of the norms.
            device: where the parameters go.

        Raises:
            ValueError: P does not divide the size, or another ``pool``.
        """
        super().__init__()
        if image_size % patch_size:
            raise ValueError(f"patches of {patch_size} pixels do not tile {image_size} pixels")
        if pool not in ("class", "mean"):
            raise ValueError(f"pool must be 'class' or 'mean', got {pool!r}")
        self.grid, self.patch_size = image_size // patch_size, patch_size
        config = Config(
            embed_dim=embed_dim,
            num_heads=num_heads,
            num_layers=num_layers,
            hidden=hidden,
            positions="none",
            norm_first=True,
            activation="gelu",
            eps=eps,
        )
        self.patch_embedding = PatchEmbedding(patch_size, channels, embed_dim, device=device)
        token = nn.Parameter(torch.zeros(embed_dim, device=device))
        self.token = token if pool == "class" else None
        places = self.grid**2 + (pool == "class")
        self.positions = nn.Parameter(0.02 * torch.randn(places, embed_dim, device=device))
        self.encoder = Encoder(config, device=device)
        self.classifier = nn.Linear(embed_dim, classes, device=device)

    def embed(self, images: Tensor) -> Tensor:
        """Input of the encoder.

        Args:
            images: (B, C, H, W) float. If H and W are not ``image_size``, the positions are resized
                to their grid; that needs a class token.

        Returns:
            (B, T, D).
        """
        x = self.patch_embedding(images)
        grid = (images.shape[-2] // self.patch_size, images.shape[-1] // self.patch_size)
        if self.token is None:
            return x + self.positions
        return prepend(self.token, x) + resize_positions(self.positions, (self.grid,) * 2, grid)

    def forward(self, images: Tensor) -> Tensor:
        """Classify images.

        Args:
            images: (B, C, H, W) float.

        Returns:
            (B, classes), logits.
        """
        x = self.encoder(self.embed(images))
        return self.classifier(x.mean(dim=1) if self.token is None else x[:, 0])

    @torch.no_grad()
    def weights(self, images: Tensor) -> Tensor:
        """Attention weights of every head of every layer; the model keeps its mode.

        Args:
            images: (B, C, H, W) float.

        Returns:
            (layers, B, heads, T, T): row by row the weights of one query.
        """
        x = self.embed(images)
        found = []
        for layer in self.encoder.layers:
            x, weights = layer(x, need_weights=True)
            found.append(weights)
        return torch.stack(found)


def rollout(weights: Tensor) -> Tensor:
    """Attention through all layers, as if values were passed on unchanged.

    Heads are averaged; as half of what a position holds comes from its residual connection, each
    layer mixes with (A + I)/2; layers are multiplied (Abnar and Zuidema 2020, section 3). It does
    not know of values, feed-forward networks, or that heads may cancel.

    Args:
        weights: (layers, ..., heads, T, T) float, rows sum to 1; the first layer first.

    Returns:
        (..., T, T): row i says how much of each input position is in position i at the end. Rows
        sum to 1. On the device of the weights.
    """
    mixed = (weights.mean(dim=-3) + torch.eye(weights.shape[-1]).to(weights)) / 2
    through = mixed[0]
    for layer in mixed[1:]:
        through = layer @ through
    return through


def attention_distance(weights: Tensor, width: int) -> Tensor:
    """How far heads look, on average: the mean distance between a patch and what it attends to.

    Args:
        weights: (..., T, T) float, of N patches and, first, the class token: T = N + 1. The token
            has no place, so its row and its column are left out, and what remains of each row is
            divided by its sum.
        width: patches in a row of the grid.

    Returns:
        (...,): distances between the centers of patches, in patches, weighted and averaged over
        all queries (Dosovitskiy et al. 2021, figure 7); on the device of the weights.
    """
    seen = weights[..., 1:, 1:]
    seen = seen / seen.sum(dim=-1, keepdim=True)
    number = torch.arange(seen.shape[-1], device=seen.device)
    places = torch.stack([number // width, number % width], dim=1).to(seen.dtype)
    return (seen * torch.cdist(places, places)).sum(dim=-1).mean(dim=-1)


def occlusion(
    model: Callable[[Tensor], Tensor], images: Tensor, paint: Tensor, size: int
) -> Tensor:
    """How much the probability of a model's answer falls when one patch is painted over.

    The answer is the class that the model gives the whole image. Each patch is painted over alone,
    all others being as they were (Zeiler and Fergus 2014, section 4.2).

    Args:
        model: called on (B, C, H, W), returns logits (B, classes), of each image by itself.
        images: (B, C, H, W) float; they are not changed.
        paint: (C, H, W) float: a painted patch shows what this picture shows there.
        size: height and width P of a patch; it divides H and W.

    Returns:
        (B, N): the answer's probability for the whole image, less that for the image with patch n
        painted over; below 0 where painting helped.
    """
    with torch.no_grad():
        before = model(images).softmax(dim=-1)
        answer = before.argmax(dim=-1, keepdim=True)
        cut, color = patches(images, size), patches(paint[None], size)[0]
        falls = []
        for place in range(cut.shape[1]):
            painted = cut.clone()
            painted[:, place] = color[place]
            whole = join_patches(painted, size, images.shape[1], images.shape[-1])
            falls.append((before - model(whole).softmax(dim=-1)).gather(1, answer)[:, 0])
    return torch.stack(falls, dim=1)


def move_images(images: Tensor, down: Tensor, right: Tensor) -> Tensor:
    """Move each image by a number of pixels of its own; what comes in at the margin is 0.

    Args:
        images: (B, C, H, W), any dtype.
        down: (B,) int64, pixels; negative moves up.
        right: (B,) int64, pixels; negative moves to the left.

    Returns:
        (B, C, H, W), of the same dtype, on the device of ``images``. An image that is moved by
        its height or its width, or more, is 0 everywhere.
    """
    count, _, height, width = images.shape
    framed = F.pad(images, (width, width, height, height))  # zeros on all four sides
    top = (height - down).clamp(0, 2 * height)  # where each image is cut out of its frame
    left = (width - right).clamp(0, 2 * width)
    rows = top[:, None] + torch.arange(height, device=top.device)  # (B, H)
    columns = left[:, None] + torch.arange(width, device=top.device)  # (B, W)
    which = torch.arange(count, device=top.device)[:, None, None]
    return framed[which, :, rows[:, :, None], columns[:, None]].movedim(-1, 1)


def vit_parameters(
    embed_dim: int, num_layers: int, hidden: int, *, patches: int, pixels: int, classes: int
) -> int:
    """The number of parameters of a `VisionTransformer` with a class token.

    Args:
        embed_dim: features D.
        num_layers: layers.
        hidden: units of the feed-forward networks.
        patches: N of an image.
        pixels: entries of a patch, C·P·P.
        classes: to tell apart.

    Returns:
        Weights and biases, all counted.
    """
    d = embed_dim
    layer = 4 * (d * d + d) + (d * hidden + hidden) + (hidden * d + d) + 2 * 2 * d
    ends = (pixels * d + d) + d + (patches + 1) * d + 2 * d + (d * classes + classes)
    return num_layers * layer + ends


HUGGING_FACE = {  # in files, since 2020; ``vit.`` before all but the last is there or not
    "embeddings.cls_token": "token",
    "embeddings.position_embeddings": "positions",
    "embeddings.patch_embeddings.projection": "patch_embedding.projection",
    "encoder.layer.{}.layernorm_before": "encoder.layers.{}.attention_norm",
    "encoder.layer.{}.attention.attention.query": "encoder.layers.{}.attention.query",
    "encoder.layer.{}.attention.attention.key": "encoder.layers.{}.attention.key",
    "encoder.layer.{}.attention.attention.value": "encoder.layers.{}.attention.value",
    "encoder.layer.{}.attention.output.dense": "encoder.layers.{}.attention.output",
    "encoder.layer.{}.layernorm_after": "encoder.layers.{}.feed_forward_norm",
    "encoder.layer.{}.intermediate.dense": "encoder.layers.{}.feed_forward.up",
    "encoder.layer.{}.output.dense": "encoder.layers.{}.feed_forward.down",
    "layernorm": "encoder.norm",
    "classifier": "classifier",
}
IN_MEMORY = {  # of version 5 of `transformers`, which saves under the names above
    "layers.{}.layernorm_before": "encoder.layers.{}.attention_norm",
    "layers.{}.attention.q_proj": "encoder.layers.{}.attention.query",
    "layers.{}.attention.k_proj": "encoder.layers.{}.attention.key",
    "layers.{}.attention.v_proj": "encoder.layers.{}.attention.value",
    "layers.{}.attention.o_proj": "encoder.layers.{}.attention.output",
    "layers.{}.layernorm_after": "encoder.layers.{}.feed_forward_norm",
    "layers.{}.mlp.fc1": "encoder.layers.{}.feed_forward.up",
    "layers.{}.mlp.fc2": "encoder.layers.{}.feed_forward.down",
}


def from_vit(state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Rename the weights of `transformers.ViTForImageClassification` to those of ours.

    Args:
        state: what its files hold, or its ``state_dict()``, whose names depend on the version.

    Returns:
        The ``state_dict()`` of a `VisionTransformer` with ``eps=1e-12``.

    Raises:
        ValueError: there are weights of other names.
    """
    bare = {name.removeprefix("vit."): tensor for name, tensor in state.items()}
    ours = rename(bare, HUGGING_FACE | IN_MEMORY)
    ours["token"], ours["positions"] = ours["token"].reshape(-1), ours["positions"][0]
    return ours


def to_vit(state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The other way: the weights of a `VisionTransformer` under the names of their files.

    Args:
        state: the ``state_dict()`` of ours.

    Returns:
        What a file of `transformers.ViTForImageClassification` holds; ``from_pretrained`` of every
        version reads it.
    """
    theirs = rename(state, {ours: theirs for theirs, ours in HUGGING_FACE.items()})
    theirs["embeddings.cls_token"] = theirs["embeddings.cls_token"][None, None]
    theirs["embeddings.position_embeddings"] = theirs["embeddings.position_embeddings"][None]
    return {n if n.startswith("classifier.") else f"vit.{n}": theirs[n] for n in theirs}
