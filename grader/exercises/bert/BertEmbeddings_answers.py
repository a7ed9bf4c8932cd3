"""Right and wrong answers to `bert.BertEmbeddings`."""

import torch
from torch import nn
from torch.nn import functional as F

from grader.author.answers import right, wrong


@right
class looked_up_by_number(nn.Module):
    def __init__(self, vocabulary, embed_dim, *, longest, eps=1e-12, dropout=0.0, device=None):
        super().__init__()
        tables = {"words": vocabulary, "positions": longest, "segments": 2}
        for name, size in tables.items():
            setattr(self, name, nn.Embedding(size, embed_dim, device=device))
        self.norm = nn.LayerNorm([embed_dim], eps=eps, device=device)
        self.longest, self.rate = longest, dropout

    def forward(self, tokens, segments):
        count = tokens.size(1)
        if count > self.longest:
            raise ValueError(f"at most {self.longest} tokens")
        numbers = torch.arange(count, device=tokens.device).expand(tokens.shape)
        x = self.segments(segments)
        x = x + self.positions(numbers)
        x = x + self.words(tokens)
        return F.dropout(self.norm(x), self.rate, self.training)


@right
class norm_by_hand(nn.Module):
    def __init__(self, vocabulary, embed_dim, *, longest, eps=1e-12, dropout=0.0, device=None):
        super().__init__()
        self.words = nn.Embedding(vocabulary, embed_dim, device=device)
        self.positions = nn.Embedding(longest, embed_dim, device=device)
        self.segments = nn.Embedding(2, embed_dim, device=device)
        self.norm = nn.LayerNorm(embed_dim, eps=eps, device=device)
        self.drop = nn.Dropout(p=dropout)

    def forward(self, tokens, segments):
        if tokens.shape[1] > len(self.positions.weight):
            raise ValueError("too long")
        x = self.words.weight[tokens] + self.positions.weight[None, : tokens.shape[1]]
        both = self.segments.weight
        x = x + both[0] + segments[..., None].to(x.dtype) * (both[1] - both[0])
        x = x - x.mean(-1, keepdim=True)
        x = x / (x.square().mean(-1, keepdim=True) + self.norm.eps).sqrt()
        return self.drop(self.norm.weight * x + self.norm.bias)


wrong(
    "no_norm",
    why="The norm is missing: BERT's encoder has none before its first layer, so it belongs here.",
    change={
        "self.norm(self.words(tokens) + places + self.segments(segments))": (
            "self.words(tokens) + places + self.segments(segments)"
        )
    },
)


wrong(
    "norm_before_the_sum",
    why="Only the tokens' vectors were normalized; the norm comes after all three are added.",
    change={
        "self.norm(self.words(tokens) + places + self.segments(segments))": (
            "self.norm(self.words(tokens)) + places + self.segments(segments)"
        )
    },
)


wrong(
    "no_segments",
    why="The segments are not added: nothing tells the two texts of a pair apart.",
    change={"places + self.segments(segments)": "places"},
)


wrong(
    "no_positions",
    why="The positions are not added: the encoder does not know the order of its tokens.",
    change={"self.words(tokens) + places +": "self.words(tokens) +"},
)


@wrong(why="Positions start again at 0 with the second text; they continue through the whole row.")
class positions_begin_anew(nn.Module):
    def __init__(self, vocabulary, embed_dim, *, longest, eps=1e-12, dropout=0.0, device=None):
        super().__init__()
        self.words = nn.Embedding(vocabulary, embed_dim, device=device)
        self.positions = nn.Embedding(longest, embed_dim, device=device)
        self.segments = nn.Embedding(2, embed_dim, device=device)
        self.norm = nn.LayerNorm(embed_dim, eps=eps, device=device)
        self.dropout = nn.Dropout(dropout)

    def forward(self, tokens, segments):
        if tokens.shape[-1] > self.positions.num_embeddings:
            raise ValueError("too long")
        second = segments.cumsum(-1) - 1
        places = torch.where(segments > 0, second, torch.arange(tokens.shape[-1]))
        x = self.words(tokens) + self.positions(places) + self.segments(segments)
        return self.dropout(self.norm(x))


wrong(
    "eps_of_torch",
    why="The norm has torch's default eps, 10⁻⁵; here eps is an argument, and 10⁻¹² by default.",
    change={
        "nn.LayerNorm(embed_dim, eps=eps, device=device)": "nn.LayerNorm(embed_dim, device=device)"
    },
)


wrong(
    "words_scaled",
    why="The tokens' vectors are scaled by √D, as the Transformer of 2017 does; BERT does not.",
    change={"self.words(tokens) + places": "self.words(tokens) * places.shape[-1] ** 0.5 + places"},
)


wrong(
    "positions_from_one",
    why="Positions begin with 1 here; [CLS] has position 0.",
    change={"self.positions.weight[:length]": "self.positions.weight.roll(-1, 0)[:length]"},
)


wrong(
    "length_not_checked",
    why="A row that is too long fails somewhere inside; raise a ValueError.",
    change={"if length > longest:": "if False:"},
    corner=True,
)


wrong(
    "longest_refused",
    why="A row of exactly `longest` tokens was rejected; it fits.",
    change={"if length > longest:": "if length >= longest:"},
)


wrong(
    "dropped_before_the_norm",
    why=(
        "Dropout comes before the norm, which compensates for what is dropped; it belongs after "
        "the norm."
    ),
    change={
        "self.dropout(self.norm(self.words(tokens) + places + self.segments(segments)))": (
            "self.norm(self.dropout(self.words(tokens) + places + self.segments(segments)))"
        )
    },
)
