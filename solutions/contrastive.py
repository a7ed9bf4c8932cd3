"""Contrastive learning: images and words in one space, and images without words.

Builds the loss that matches images with their captions, and its pairwise variant; a model of two
encoders; classification by prompts, recall and the modality gap, which judge it; the loss that
matches two views of one image; masking of patches and a masked autoencoder; and a teacher that is
a moving average of its student.

Sources: van den Oord, Li and Vinyals 2018, "Representation Learning with Contrastive Predictive
Coding" (InfoNCE); Radford et al. 2021, "Learning Transferable Visual Models From Natural Language
Supervision" (CLIP); Liang et al. 2022, "Mind the Gap"; Zhai et al. 2023, "Sigmoid Loss for Language
Image Pre-Training"; Chen et al. 2020, "A Simple Framework for Contrastive Learning of Visual
Representations" (SimCLR); He et al. 2022, "Masked Autoencoders Are Scalable Vision Learners"; Grill
et al. 2020, "Bootstrap Your Own Latent" (BYOL); Caron et al. 2021, "Emerging Properties in
Self-Supervised Vision Transformers" (DINO).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from solutions.data import Split
from solutions.transformer import Config, Encoder
from solutions.vit import VisionTransformer, patches

NAMES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
OPENINGS = ("the", "this", "a drawing of the", "a picture of this")
TILTS = ("", "tilted left", "tilted right")
FRAMES = tuple("ABCDEFGHIJKLMNOP")
WORDS = (  # the vocabulary of the captions; word 0 is padding
    *("", "the", "this", "a", "drawing", "picture", "of", "bold", "tilted", "left", "right"),
    *("in", "frame", *NAMES, *FRAMES),
)

# images with captions


class Captioned(NamedTuple):
    """Digits with captions.

    Attributes:
        images: (B, 100) float in [0, 1], a digit of 8 × 8 pixels in a frame of one pixel.
        tokens: (B, T) int64, the captions as numbers of `WORDS`, 0 is padding.
        captions: B texts.
        labels: (B,) int64, the digit.
        tilts: (B,) int64, the number of its tilt in `TILTS`.
    """

    images: Tensor
    tokens: Tensor
    captions: list[str]
    labels: Tensor
    tilts: Tensor


def encode_captions(captions: Sequence[str], *, length: int = 12) -> Tensor:
    """Write captions as numbers of words.

    Args:
        captions: texts of known `WORDS`.
        length: T, at least the number of words of each.

    Returns:
        (B, T) int64, with 0 after the last word.
    """
    number = {word: place for place, word in enumerate(WORDS)}
    rows = [[number[word] for word in caption.split()] for caption in captions]
    return torch.tensor([row + [0] * (length - len(row)) for row in rows])


def captioned_digits(split: Split, *, seed: int, frame: str = "unnamed") -> Captioned:
    """Draw each digit bold or not, tilted or not, in one of 16 frames, and write a caption.

    The caption always names the digit. It names a bold stroke or a tilt with probability 1/2 each.

    Args:
        split: pictures of 8 × 8 pixels, as `solutions.data.digits` returns them.
        seed: of all choices.
        frame: what captions say of the frame: ``"unnamed"`` (nothing), ``"named"``, or ``"random"``
            (the name of some frame). Pictures and all other words are the same for each.

    Returns:
        As many examples, in the same order, on the device of the split.
    """
    chance = torch.Generator().manual_seed(seed)
    count, device = len(split.labels), split.features.device
    bold, opening, say_bold, say_tilt, tilt, framed, other = (
        torch.randint(high, (count,), generator=chance).tolist()
        for high in (2, len(OPENINGS), 2, 2, len(TILTS), len(FRAMES), len(FRAMES))
    )
    captions = []
    for row, label in enumerate(split.labels.tolist()):
        parts = [OPENINGS[opening[row]], "bold" * (bold[row] * say_bold[row]), NAMES[label]]
        parts.append(TILTS[tilt[row] * say_tilt[row]])
        if frame != "unnamed":
            parts.append(f"in frame {FRAMES[(framed if frame == 'named' else other)[row]]}")
        captions.append(" ".join(part for part in parts if part))
    drawn = _drawn(split.features, *(torch.tensor(x).to(device) for x in (bold, tilt, framed)))
    tilts = torch.tensor(tilt).to(device)
    return Captioned(drawn, encode_captions(captions).to(device), captions, split.labels, tilts)


def _drawn(features: Tensor, bold: Tensor, tilt: Tensor, frame: Tensor) -> Tensor:
    """Digits (B, 64) with wider strokes, sheared and framed, (B, 100)."""
    images = features.view(-1, 1, 8, 8)
    wider = F.max_pool2d(F.pad(images, (0, 1)), (1, 2), stride=1)
    images = torch.where(bold.view(-1, 1, 1, 1) == 1, wider, images)
    shear = features.new_tensor([0.0, -0.4, 0.4])[tilt]  # the grid is looked up: minus leans left
    lean = torch.eye(2, 3).to(features).repeat(len(images), 1, 1)
    lean[:, 0, 1] = shear
    places = F.affine_grid(lean, list(images.shape), align_corners=False)
    images = F.pad(F.grid_sample(images, places, align_corners=False)[:, 0], (1, 1, 1, 1))
    top, bottom, left, right = ((frame[:, None] >> bit & 1).to(features) for bit in range(4))
    images[:, 0], images[:, -1] = top, bottom
    images[:, 1:-1, 0], images[:, 1:-1, -1] = left, right
    return images.flatten(1)


# two encoders, one space


def cosines(first: Tensor, second: Tensor) -> Tensor:
    """Cosine similarity of each row of one matrix with each row of another.

    Args:
        first: (B, D) float.
        second: (C, D) float.

    Returns:
        (B, C), from −1 to 1; 0 for a row of zeros.
    """
    return F.normalize(first, dim=1) @ F.normalize(second, dim=1).T


def clip_loss(images: Tensor, texts: Tensor, scale: Tensor | float) -> Tensor:
    """Contrastive loss of a batch of pairs, in both directions (Radford et al. 2021, figure 3).

    The scores are the cosines times a scale, 1/τ. Each image must find its text among all texts of
    the batch, and each text its image among all images: two cross-entropies, whose mean is the
    loss.

    Args:
        images: (B, D) float, of any length.
        texts: (B, D) float, row i belongs to row i of ``images``.
        scale: above 0; () if it is learned.

    Returns:
        (), in nats, on the device of the inputs.
    """
    scores = scale * cosines(images, texts)  # (B, B)
    partners = torch.arange(len(scores), device=scores.device)
    return (F.cross_entropy(scores, partners) + F.cross_entropy(scores.T, partners)) / 2


def sigmoid_pair_loss(
    images: Tensor, texts: Tensor, scale: Tensor | float, bias: Tensor | float
) -> Tensor:
    """Loss of a batch of pairs that judges each image with each text by itself.

    −(1/B) Σ_ij ln σ(z_ij (s cos_ij + b)), where z_ij is 1 for a pair and −1 for all others (Zhai et
    al. 2023, section 3.2). No sum over a row is needed, so no softmax.

    Args:
        images: (B, D) float, of any length.
        texts: (B, D) float, row i belongs to row i of ``images``.
        scale: s, above 0; () if it is learned.
        bias: b, usually below 0, since most of the B² combinations are not pairs.

    Returns:
        (), in nats per image: the sum over all combinations, divided by B;
        on the device of the inputs.
    """
    scores = scale * cosines(images, texts) + bias  # (B, B)
    signs = 2 * torch.eye(len(scores), device=scores.device) - 1
    return -F.logsigmoid(signs * scores).sum() / len(scores)


class DualEncoder(nn.Module):
    """An encoder of images and an encoder of texts, whose outputs share one space.

    image: W_2 GELU(W_1 x + b_1). text: U m, with m the mean of the vectors of its words. Both
    results are divided by their lengths.

    Attributes:
        image_in: `nn.Linear` from the pixels to H, with a bias.
        image_out: `nn.Linear` from H to D, without a bias.
        words: `nn.Embedding` with V rows of H; row 0 is that of padding, which is not read.
        text_out: `nn.Linear` from H to D, without a bias.
        log_scale: (), the logarithm of the scale of the scores; starts at ln(1 / 0.07).
    """

    def __init__(
        self,
        pixels: int,
        vocabulary: int,
        *,
        hidden: int,
        embed_dim: int,
        device: torch.device | str | None = None,
    ) -> None:
        """Make the layers, as torch draws them.

        Args:
            pixels: of an image.
            vocabulary: V, padding included.
            hidden: H.
            embed_dim: D.
            device: where the parameters go.
        """
        super().__init__()
        self.image_in = nn.Linear(pixels, hidden, device=device)
        self.image_out = nn.Linear(hidden, embed_dim, bias=False, device=device)
        self.words = nn.Embedding(vocabulary, hidden, device=device)
        self.text_out = nn.Linear(hidden, embed_dim, bias=False, device=device)
        self.log_scale = nn.Parameter(torch.tensor(math.log(1 / 0.07), device=device))

    def encode_images(self, images: Tensor) -> Tensor:
        """Images as unit vectors.

        Args:
            images: (B, pixels) float.

        Returns:
            (B, D).
        """
        return F.normalize(self.image_out(F.gelu(self.image_in(images))), dim=1)

    def encode_texts(self, tokens: Tensor) -> Tensor:
        """Texts as unit vectors; a text without words has the vector 0.

        Args:
            tokens: (B, T) int64, 0 is padding.

        Returns:
            (B, D).
        """
        read = (tokens != 0).unsqueeze(-1)  # (B, T, 1)
        total = torch.where(read, self.words(tokens), 0.0).sum(dim=1)
        return F.normalize(self.text_out(total / read.sum(dim=1).clamp(min=1)), dim=1)

    def forward(self, images: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Encode images and texts.

        Args:
            images: (B, pixels) float.
            tokens: (B, T) int64, 0 is padding.

        Returns:
            unit vectors of the images (B, D) and of the texts (B, D), and the scale (): e to the
            power of ``log_scale``, at most 100.
        """
        scale = self.log_scale.exp().clamp(max=100)
        return self.encode_images(images), self.encode_texts(tokens), scale


# what the space is good for


def zero_shot(images: Tensor, prompts: Tensor) -> Tensor:
    """Scores of classes that are given as texts: the cosine with the mean prompt of each class.

    Each prompt is divided by its length, the prompts of a class are averaged, and the mean is
    compared with the images: a prompt ensemble (Radford et al. 2021, section 3.1.4).

    Args:
        images: (B, D) float, of any length.
        prompts: (C, P, D) float, P texts for each of C classes, of any length.

    Returns:
        (B, C), from −1 to 1; the highest score of a row is the predicted class.
    """
    return cosines(images, F.normalize(prompts, dim=2).mean(dim=1))


def recall_at_k(scores: Tensor, k: int) -> Tensor:
    """Share of queries whose partner is among the k highest scores of their row.

    Candidates with equal scores are taken in random order, and the result is the expected share.
    So a model that gives all N candidates the same score has a recall of k/N, which is chance.

    Args:
        scores: (B, N) float with N ≥ B; the partner of query i is candidate i.
        k: from 1 to N.

    Returns:
        (), from 0 to 1, of the dtype of ``scores``.
    """
    own = scores.diagonal()[:, None]
    higher, equal = (scores > own).sum(dim=1), (scores == own).sum(dim=1)  # (B,)
    return ((k - higher).to(scores.dtype) / equal).clamp(0, 1).mean()


def modality_gap(images: Tensor, texts: Tensor) -> Tensor:
    """Distance between the mean image and the mean text (Liang et al. 2022, section 4.2).

    Args:
        images: (B, D) float, of any length; each is divided by its length first.
        texts: (C, D) float, likewise.

    Returns:
        (), from 0 to 2.
    """
    return (F.normalize(images, dim=1).mean(dim=0) - F.normalize(texts, dim=1).mean(dim=0)).norm()


# images without words


def nt_xent(first: Tensor, second: Tensor, temperature: float) -> Tensor:
    """Contrastive loss of two views of each image (Chen et al. 2020, eq. 1).

    All 2B views are in one batch. Each must find the other view of its image among the 2B − 1
    others: views of the same side are candidates, too, but never the view itself.

    Args:
        first: (B, D) float, of any length.
        second: (B, D) float, row i is another view of the image of row i of ``first``.
        temperature: τ > 0.

    Returns:
        (), in nats, a mean over 2B views, on the device of the inputs.
    """
    views = torch.cat([first, second])  # (2B, D)
    scores = cosines(views, views) / temperature
    itself = torch.eye(len(views), dtype=torch.bool, device=views.device)
    partners = torch.arange(len(views), device=views.device).roll(len(first))
    return F.cross_entropy(scores.masked_fill(itself, -torch.inf), partners)


def random_views(
    images: Tensor, chance: torch.Generator, *, turn: float = 0.3, noise: float = 0.1
) -> Tensor:
    """A view of each image: turned, sheared, scaled and moved at random, with noise.

    Args:
        images: (B, C, H, W) float in [0, 1].
        chance: draws all changes, on the device of the generator.
        turn: largest angle, in radians, and largest shear; sizes change by up to two thirds of it.
        noise: standard deviation of the noise of a pixel.

    Returns:
        (B, C, H, W) in [0, 1]; what comes in at the margin is 0.
    """
    count = len(images)

    def draw(*shape: int) -> Tensor:  # uniform in [−1, 1]
        drawn = 2 * torch.rand(count, *shape, generator=chance, device=chance.device) - 1
        return drawn.to(images)

    angle, shear = turn * draw(), turn * draw()
    rows = torch.stack([angle.cos(), shear - angle.sin(), angle.sin(), angle.cos()], dim=1)
    rows = rows.view(-1, 2, 2) * (1 + 2 / 3 * turn * draw(2))[:, None]
    places = F.affine_grid(
        torch.cat([rows, 0.25 * draw(2, 1)], dim=2), list(images.shape), align_corners=False
    )
    grain = torch.randn(images.shape, generator=chance, device=chance.device).to(images)
    moved = F.grid_sample(images, places, align_corners=False)
    return (moved + noise * grain).clamp(0, 1)


def keep_patches(patches: Tensor, draws: Tensor, kept: int) -> tuple[Tensor, Tensor]:
    """Keep some patches of each image, chosen at random (He et al. 2022, section 3).

    Args:
        patches: (B, N, D), any dtype.
        draws: (B, N) float; the patches with the lowest draws are kept.
        kept: K, from 1 to N.

    Returns:
        (B, K, D), the lowest draw first, and the order (B, N) int64: the numbers of all patches,
        those that are kept before those that are hidden.
    """
    order = draws.argsort(dim=1, stable=True)
    places = order[:, :kept, None].expand(-1, -1, patches.shape[2])
    return patches.gather(1, places), order


def restore_patches(visible: Tensor, order: Tensor, token: Tensor) -> Tensor:
    """Put visible patches back in their places, and a mask token in all others.

    Args:
        visible: (B, K, D) float, in the order of ``order``.
        order: (B, N) int64, as `keep_patches` returns it.
        token: (D,) float, the mask token; its gradient is the sum over all hidden places.

    Returns:
        (B, N, D), in the order of the image.
    """
    count, kept, width = visible.shape
    hidden = token.expand(count, order.shape[1] - kept, width)
    places = order.argsort(dim=1)[..., None].expand(-1, -1, width)  # the inverse permutation
    return torch.cat([visible, hidden], dim=1).gather(1, places)


def masked_patch_loss(predicted: Tensor, target: Tensor, order: Tensor, kept: int) -> Tensor:
    """Mean squared error of the pixels of hidden patches (He et al. 2022, section 3).

    Args:
        predicted: (B, N, P) float.
        target: (B, N, P) float, the patches of the image.
        order: (B, N) int64, as `keep_patches` returns it.
        kept: K, below N; the first K of the order are visible, and do not count.

    Returns:
        ().
    """
    errors = (predicted - target).square().mean(dim=2)  # (B, N)
    return errors.gather(1, order[:, kept:]).mean()


class MaskedAutoencoder(nn.Module):
    """A Vision Transformer that sees a part of the patches, and a small decoder for the others.

    Attributes:
        encoder: the `solutions.vit.VisionTransformer`, with ``pool="mean"``.
        token: (D,), the mask token; starts at 0.
        positions: (N, D), of the decoder; they start normal with standard deviation 0.02.
        decoder: `solutions.transformer.Encoder` of one layer.
        output: `nn.Linear` from D to the pixels of a patch.
    """

    def __init__(
        self, encoder: VisionTransformer, pixels: int, *, num_heads: int, hidden: int
    ) -> None:
        """Add a decoder to an encoder.

        Args:
            encoder: made with ``pool="mean"``.
            pixels: of a patch, C·P·P.
            num_heads: of the decoder.
            hidden: units of the decoder's feed-forward network.
        """
        super().__init__()
        number, width = encoder.positions.shape
        device = encoder.positions.device
        config = Config(
            embed_dim=width,
            num_heads=num_heads,
            num_layers=1,
            hidden=hidden,
            positions="none",
            norm_first=True,
            activation="gelu",
        )
        self.encoder = encoder
        self.token = nn.Parameter(torch.zeros(width, device=device))
        self.positions = nn.Parameter(0.02 * torch.randn(number, width, device=device))
        self.decoder = Encoder(config, device=device)
        self.output = nn.Linear(width, pixels, device=device)

    def forward(self, images: Tensor, draws: Tensor, kept: int) -> tuple[Tensor, Tensor]:
        """Predict all patches from a few.

        Args:
            images: (B, C, H, W) float.
            draws: (B, N) float; the patches with the lowest draws are visible.
            kept: K, from 1 to N.

        Returns:
            predicted patches (B, N, C·P·P), and the order (B, N) of `keep_patches`.
        """
        visible, order = keep_patches(self.encoder.embed(images), draws, kept)
        seen = restore_patches(self.encoder.encoder(visible), order, self.token)
        return self.output(self.decoder(seen + self.positions)), order

    def loss(self, images: Tensor, draws: Tensor, kept: int) -> Tensor:
        """Loss of the hidden patches.

        Args:
            images: (B, C, H, W) float.
            draws: (B, N) float.
            kept: K, from 1 to N − 1.

        Returns:
            (), see `masked_patch_loss`.
        """
        predicted, order = self(images, draws, kept)
        target = patches(images, self.encoder.patch_size)
        return masked_patch_loss(predicted, target, order, kept)


# a teacher without labels


def self_distillation_loss(
    student: Tensor,
    teacher: Tensor,
    center: Tensor,
    *,
    student_temperature: float = 0.1,
    teacher_temperature: float = 0.04,
) -> Tensor:
    """Cross-entropy of a student with its teacher's answers (Caron et al. 2021, algorithm 1).

    The teacher's scores are centered, so that no output can win everywhere, and sharpened by a
    lower temperature, so that not all outputs are equal. No gradient reaches the teacher.

    Args:
        student: (B, K) float, scores of one view.
        teacher: (B, K) float, scores of another view of the same images.
        center: (K,) float, a moving average of the teacher's scores.
        student_temperature: above 0.
        teacher_temperature: above 0.

    Returns:
        (), in nats.
    """
    target = ((teacher - center) / teacher_temperature).softmax(dim=1).detach()
    return F.cross_entropy(student / student_temperature, target)


def update_teacher(
    teacher: Mapping[str, Tensor], student: Mapping[str, Tensor], decay: float
) -> dict[str, Tensor]:
    """Weights of a teacher, as a moving average of those of its student.

    θ' ← m θ' + (1 − m) θ (Grill et al. 2020, section 3.1). Whole numbers, such as counters, cannot
    be averaged; the student's are taken.

    Args:
        teacher: θ', tensors by name, as ``state_dict`` returns them; they are not changed.
        student: θ, tensors of the same names and shapes; dtypes may differ.
        decay: m, from 0 to 1.

    Returns:
        New tensors by name, of the teacher's dtypes.
    """
    return {
        name: (decay * old + (1 - decay) * student[name]).to(old.dtype)
        if old.is_floating_point()
        else student[name].clone().to(old.dtype)
        for name, old in teacher.items()
    }
