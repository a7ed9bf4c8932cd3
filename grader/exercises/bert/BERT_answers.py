"""Right and wrong answers to `bert.BERT`."""

import torch
from torch import nn

from grader.author.answers import right, wrong
from solutions.bert import BertEmbeddings, MaskedHead, Pooler, key_mask
from solutions.transformer import Config, Encoder


@right
class with_the_encoder_whole(nn.Module):
    def __init__(
        self,
        vocabulary,
        *,
        embed_dim,
        num_heads,
        num_layers,
        hidden,
        longest,
        pad,
        eps=1e-12,
        dropout=0.0,
        std=0.02,
        device=None,
    ):
        super().__init__()
        self.pad_token = pad
        self.embeddings = BertEmbeddings(
            vocabulary, embed_dim, longest=longest, eps=eps, dropout=dropout, device=device
        )
        shape = Config(
            embed_dim=embed_dim,
            num_heads=num_heads,
            num_layers=num_layers,
            hidden=hidden,
            activation="gelu",
            norm_first=False,
            eps=eps,
            dropout=dropout,
            final_norm=False,
        )
        self.encoder = Encoder(shape, device=device)
        self.pooler = Pooler(embed_dim, device=device)
        self.masked = MaskedHead(vocabulary, embed_dim, eps=eps, device=device)
        self.next = nn.Linear(embed_dim, 2, device=device)
        self.apply(lambda part: self._begin(part, std))

    def _begin(self, part, std):
        if isinstance(part, nn.Linear | nn.Embedding):
            part.weight.data.normal_(std=std)
        if isinstance(part, nn.Linear):
            part.bias.data.zero_()

    def forward(self, tokens, segments=None):
        segments = tokens * 0 if segments is None else segments
        real = tokens.ne(self.pad_token)
        x = self.embeddings(tokens, segments)
        x = self.encoder(x, real.unsqueeze(-2))
        return self.masked(x, self.embeddings.words.weight), self.next(self.pooler(x))

    def states(self, tokens, segments=None):
        return self._run(tokens, segments, False)

    def weights(self, tokens, segments=None):
        return torch.stack(self._run(tokens, segments, True))

    def _run(self, tokens, segments, want_weights):
        segments = tokens * 0 if segments is None else segments
        x = self.embeddings(tokens, segments)
        states, kept = [x], []
        for layer in self.encoder.layers:
            x, seen = layer(x, (tokens != self.pad_token)[:, None], need_weights=True)
            states.append(x)
            kept.append(seen)
        return kept if want_weights else states


@right
class with_hooks_and_a_full_mask(nn.Module):
    def __init__(self, vocabulary, *, embed_dim, hidden, longest, pad, std=0.02, **given):
        super().__init__()
        given = {"eps": 1e-12, "dropout": 0.0, "device": None} | given
        device = given.pop("device")
        small = {"eps": given["eps"], "device": device}
        self.embeddings = BertEmbeddings(
            vocabulary, embed_dim, longest=longest, dropout=given["dropout"], **small
        )
        self.encoder = Encoder(
            Config(
                embed_dim=embed_dim,
                hidden=hidden,
                activation="gelu",
                final_norm=False,
                positions="none",
                **given,
            ),
            device=device,
        )
        self.masked = MaskedHead(vocabulary, embed_dim, **small)
        self.pooler = Pooler(embed_dim, device=device)
        self.next = nn.Linear(embed_dim, 2, device=device)
        self.pad = pad
        with torch.no_grad():
            for name, parameter in self.named_parameters():
                if parameter.dim() > 1:
                    parameter.copy_(std * torch.randn_like(parameter))
                elif "norm.weight" not in name:
                    parameter.fill_(0)

    def states(self, tokens, segments=None):
        if segments is None:
            segments = torch.zeros(tokens.shape, dtype=torch.int64, device=tokens.device)
        mask = key_mask(tokens, self.pad).expand(-1, tokens.shape[1], -1)
        states = [self.embeddings(tokens, segments)]
        for layer in self.encoder.layers:
            states += [layer(states[-1], mask)]
        return states

    def weights(self, tokens, segments=None):
        mask = key_mask(tokens, self.pad)
        states = self.states(tokens, segments)
        return torch.stack(
            [
                layer.attention(x, mask=mask, need_weights=True)[1]
                for layer, x in zip(self.encoder.layers, states[:-1])
            ]
        )

    def forward(self, tokens, segments=None):
        *_, x = self.states(tokens, segments)
        return self.masked(x, self.embeddings.words.weight), self.next(self.pooler(x))


wrong(
    "padding_seen",
    why=(
        "Padding may be attended to: the output for a row then depends on the lengths of the other "
        "rows in its batch."
    ),
    change={
        "mask, found = key_mask(tokens, self.pad), [x]": "mask, found = None, [x]",
        "mask, found = key_mask(tokens, self.pad), []": "mask, found = None, []",
    },
)


wrong(
    "norm_first",
    why="The norms come before the parts of a layer, as in GPT-2; BERT has them after the sums.",
    change={'activation="gelu",': 'activation="gelu",\n            norm_first=True,'},
)


wrong(
    "final_norm",
    why="A norm follows the last layer; BERT's layers end with one already.",
    change={"            final_norm=False,\n": ""},
)


wrong(
    "relu",
    why="The feed-forward networks have a ReLU, as in 2017; BERT has GELU.",
    change={'            activation="gelu",\n': ""},
)


wrong(
    "causal",
    why=(
        "Positions attend to the past alone, as in GPT; BERT attends to both sides, which is its "
        "purpose."
    ),
    change={"layer(found[-1], mask)": "layer(found[-1], mask, is_causal=True)"},
)


wrong(
    "pair_without_the_pooler",
    why="The pair was scored from the encoder's state at [CLS]; the pooler comes between.",
    change={"self.next(self.pooler(hidden))": "self.next(hidden[:, 0])"},
)


wrong(
    "eps_not_passed_on",
    why="eps was not passed to the encoder: its norms have 10⁻⁵, where BERT has 10⁻¹².",
    change={
        "            eps=eps,\n            dropout=dropout,\n": "            dropout=dropout,\n"
    },
)


wrong(
    "segments_thrown_away",
    why="The given segments are not used: the model cannot tell the two texts of a pair apart.",
    change={
        "torch.zeros_like(tokens) if segments is None else segments": "torch.zeros_like(tokens)"
    },
)


wrong(
    "embeddings_not_among_the_states",
    why="Your states begin after the first layer; the first state is the output of the embeddings.",
    change={"return found\n\n    def forward": "return found[1:]\n\n    def forward"},
)


wrong(
    "biases_drawn",
    why="Biases start as `nn.Linear` draws them; here they start at 0.",
    change={"nn.init.zeros_(parameter)": "pass"},
    corner=True,
)


wrong(
    "variance_for_deviation",
    why="`std` was used as a variance: it is the standard deviation.",
    change={"nn.init.normal_(parameter, std=std)": "nn.init.normal_(parameter, std=std**0.5)"},
    corner=True,
)


wrong(
    "weights_of_the_layer_before",
    why="Each layer was given the state after it; it reads the one before it.",
    change={"states, strict=False)": "states[1:], strict=True)"},
)


wrong(
    "no_dropout_in_the_embeddings",
    why="Dropout was not passed on to the embeddings.",
    change={"eps=eps, dropout=dropout, device=device": "eps=eps, device=device"},
)


wrong(
    "dropout_twice",
    why=(
        "Dropout was applied to the embeddings a second time: `BertEmbeddings` ends with it. "
        "Applied twice, it drops more entries than its probability says, and scales up the rest "
        "too much."
    ),
    change={
        "mask, found = key_mask(tokens, self.pad), [x]\n": (
            "mask, found = key_mask(tokens, self.pad), [self.embeddings.dropout(x)]\n"
        )
    },
    corner=True,
)


wrong(
    "dropout_twice_before_the_heads",
    why=(
        "`forward` applied dropout to the embeddings a second time: `BertEmbeddings` ends with it. "
        "Applied twice, it drops more entries than its probability says, and scales up the rest "
        "too much."
    ),
    change={
        "hidden = self.states(tokens, segments)[-1]\n": (
            "x = self.embeddings.dropout(self.states(tokens, segments)[0])\n"
            "        hidden = self.encoder(x, key_mask(tokens, self.pad))\n"
        )
    },
    corner=True,
)


wrong(
    "padding_starts_at_zero",
    why=(
        "The vector of [PAD] was set to 0 at the start. All tables start with a normal "
        "distribution; no position attends to padding, whatever its vector is."
    ),
    change={
        "                nn.init.normal_(parameter, std=std)\n": (
            "                nn.init.normal_(parameter, std=std)\n"
            "        with torch.no_grad():\n"
            "            self.embeddings.words.weight[pad] = 0.0\n"
        ),
    },
    corner=True,
)
