"""Right and wrong answers to `contrastive.DualEncoder`."""

import math

import torch
from torch import nn

from grader.author.answers import equivalent, right, wrong


class _Parts(nn.Module):
    def __init__(self, pixels, vocabulary, *, hidden, embed_dim, device=None):
        super().__init__()
        self.image_in = nn.Linear(pixels, hidden, device=device)
        self.image_out = nn.Linear(hidden, embed_dim, bias=False, device=device)
        self.words = nn.Embedding(vocabulary, hidden, device=device)
        self.text_out = nn.Linear(hidden, embed_dim, bias=False, device=device)
        self.log_scale = nn.Parameter(torch.tensor(-math.log(0.07), device=device))


@right
class MaskAsAFactor(_Parts):
    def encode_images(self, images):
        hidden = nn.functional.gelu(self.image_in(images))
        return nn.functional.normalize(self.image_out(hidden))

    def encode_texts(self, tokens):
        read = tokens.ne(0).to(self.words.weight.dtype)
        mean = torch.einsum("bt,btd->bd", read, self.words(tokens))
        mean = mean / read.sum(1, keepdim=True).clamp_min(1)
        return nn.functional.normalize(self.text_out(mean), dim=-1)

    def forward(self, images, tokens):
        scale = torch.clamp(self.log_scale.exp(), max=100.0)
        return self.encode_images(images), self.encode_texts(tokens), scale


@right
class TextByText(_Parts):
    def encode_images(self, images):
        z = self.image_in(images)
        z = self.image_out(z * (1 + torch.erf(z / 2**0.5)) / 2)
        return z / z.norm(dim=1, keepdim=True)

    def encode_texts(self, tokens):
        rows = []
        for text in tokens:
            words = text[text != 0]
            if len(words) == 0:
                rows.append(self.text_out.weight.new_zeros(len(self.text_out.weight)))
                continue
            row = self.text_out(self.words(words).mean(0))
            rows.append(row / row.norm())
        return torch.stack(rows)

    def forward(self, images, tokens):
        scale = torch.minimum(self.log_scale.exp(), torch.full_like(self.log_scale, 100))
        return self.encode_images(images), self.encode_texts(tokens), scale


wrong(
    "padding_read",
    why="Padding is read, too: the vector of a text depends on how many zeros follow it.",
    change={"torch.where(read, self.words(tokens), 0.0)": "self.words(tokens)"},
)


wrong(
    "first_word_alone",
    why="Only the first word of a text is read; the mean runs over all of them.",
    change={"total / read.sum(dim=1).clamp(min=1)": "self.words(tokens[:, 0])"},
)


wrong(
    "images_not_normalized",
    why="The vectors of the images are not divided by their lengths.",
    change={
        "F.normalize(self.image_out(F.gelu(self.image_in(images))), dim=1)": (
            "self.image_out(F.gelu(self.image_in(images)))"
        )
    },
)


wrong(
    "normalized_over_the_batch",
    why="Vectors are divided by lengths along the batch; each row has its own length.",
    change={
        "F.normalize(self.image_out(F.gelu(self.image_in(images))), dim=1)": (
            "F.normalize(self.image_out(F.gelu(self.image_in(images))), dim=0)"
        )
    },
)


wrong(
    "relu_for_gelu",
    why="The images pass a ReLU; the statement has a GELU.",
    change={"F.gelu(": "F.relu("},
)


wrong(
    "scale_is_its_logarithm",
    why="`log_scale` is returned as it is stored; the scale is its exponential.",
    change={"self.log_scale.exp().clamp(max=100)": "self.log_scale.clamp(max=100)"},
)


wrong(
    "no_limit",
    why="The scale is not limited to 100.",
    change={"self.log_scale.exp().clamp(max=100)": "self.log_scale.exp()"},
)


wrong(
    "texts_first",
    why="The texts are returned first; the order is images, texts, scale.",
    change={
        "return self.encode_images(images), self.encode_texts(tokens), scale": (
            "return self.encode_texts(tokens), self.encode_images(images), scale"
        )
    },
)


wrong(
    "temperature_for_scale",
    why="The parameter starts at ln 0.07, the logarithm of the temperature; the scale is 1 / 0.07.",
    change={"math.log(1 / 0.07)": "math.log(0.07)"},
    corner=True,
)


wrong(
    "a_bias_too_many",
    why="The last layer of the images has a bias; it must not have one.",
    change={
        "self.image_out = nn.Linear(hidden, embed_dim, bias=False, device=device)": (
            "self.image_out = nn.Linear(hidden, embed_dim, device=device)"
        )
    },
)


equivalent(
    "return F.normalize(self.image_out(F.gelu(self.image_in(images))))",
    why="normalize divides along axis 1 by default",
)


equivalent(
    "return F.normalize(self.text_out(total / read.sum(dim=1).clamp(min=1)))",
    why="normalize divides along axis 1 by default",
)


equivalent(
    "return F.normalize(self.text_out(((total) * (read.sum(dim=1).clamp(min=1)))), dim=1)",
    why="a positive factor does not change the direction",
)


equivalent(
    "return F.normalize(self.text_out((total)), dim=1)",
    why="a positive factor does not change the direction",
)


equivalent(
    "return F.normalize(self.text_out(total / read.sum().clamp(min=1)), dim=1)",
    why="a positive factor does not change the direction",
)


equivalent(
    "return F.normalize(self.text_out(total / read.sum(dim=1).clamp(min=2)), dim=1)",
    why="a positive factor does not change the direction",
)
