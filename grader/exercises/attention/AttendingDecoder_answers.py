"""Right and wrong answers to `attention.AttendingDecoder`."""

import torch
from torch import nn
from torch.nn import functional as F

from grader.author.answers import right, wrong
from solutions.attention import Attention
from solutions.recurrent import Recurrent, gru_cell
from solutions.seq2seq import Decoder


@right
class cell_by_cell(Decoder):
    def __init__(
        self,
        symbols,
        *,
        summary_size,
        memory_size,
        embed_dim,
        hidden_size,
        score="additive",
        device=None,
    ):
        super().__init__()
        self.bridge = nn.Linear(summary_size, hidden_size, device=device)
        self.embedding = nn.Embedding(symbols, embed_dim, device=device)
        self.attention = Attention(
            score,
            query_size=hidden_size,
            key_size=memory_size,
            hidden_size=hidden_size,
            device=device,
        )
        self.layer = Recurrent(embed_dim + memory_size, hidden_size, kind="gru", device=device)
        self.output = nn.Linear(hidden_size + memory_size, symbols, device=device)

    def begin(self, summary):
        return self.bridge(summary).tanh()

    def align(self, targets_in, memory, mask, state):
        keys, layer = self.attention.project(memory), self.layer
        logits, looks = [], []
        for t in range(targets_in.shape[1]):
            c, a = self.attention(state.unsqueeze(1), keys, memory, mask.unsqueeze(1))
            c = c.squeeze(1)
            x = torch.cat((self.embedding(targets_in[:, t]), c), 1)
            p = F.linear(x, layer.weight_ih_l0, layer.bias_ih_l0)
            state = gru_cell(p, state, layer.weight_hh_l0, layer.bias_hh_l0)
            logits.append(self.output(torch.cat((state, c), 1)))
            looks.append(a.squeeze(1))
        return torch.stack(logits, 1), torch.stack(looks, 1), state

    def forward(self, targets_in, memory, mask, state):
        logits, _, after = self.align(targets_in, memory, mask, state)
        return logits, after


@right
class looks_and_reads_apart(nn.Module):
    def __init__(
        self,
        symbols,
        *,
        summary_size,
        memory_size,
        embed_dim,
        hidden_size,
        score="additive",
        device=None,
    ):
        super().__init__()
        sizes = {"query_size": hidden_size, "key_size": memory_size, "hidden_size": hidden_size}
        self.bridge = nn.Linear(summary_size, hidden_size, device=device)
        self.embedding = nn.Embedding(symbols, embed_dim, device=device)
        self.attention = Attention(score, **sizes, device=device)
        self.layer = Recurrent(embed_dim + memory_size, hidden_size, kind="gru", device=device)
        self.output = nn.Linear(hidden_size + memory_size, symbols, device=device)

    def begin(self, summary):
        return torch.tanh(self.bridge(summary))

    def align(self, targets_in, memory, mask, state):
        keys = self.attention.project(memory)
        found = []
        for token in targets_in.unbind(1):
            context, weights = self.attention(state[:, None], keys, memory, mask[:, None])
            read = torch.cat([self.embedding(token)[:, None], context], dim=2)
            _, after = self.layer(read, state.unsqueeze(0))
            state = after.squeeze(0)
            found.append((state, context, weights))
        states, contexts, weights = zip(*found, strict=True)
        wide = torch.cat([torch.stack(states, 1), torch.cat(contexts, 1)], dim=2)
        return self.output(wide), torch.cat(weights, 1), state

    def forward(self, targets_in, memory, mask, state):
        return self.align(targets_in, memory, mask, state)[::2]

    def step(self, token, memory, mask, state):
        logits, state = self.forward(token.unsqueeze(1), memory, mask, state)
        return logits.squeeze(1), state


wrong(
    "mask_not_handed_on",
    why="The padding of the source gets attention: the mask does not reach the attention layer.",
    change={"projected, memory, mask[:, None])": "projected, memory)"},
)


wrong(
    "one_look_for_all",
    why=(
        "You attended once, with the first state, and used that context at every step. The query "
        "changes with each token; that is the point of attention."
    ),
    change={
        "self.attention(state[:, None], projected, memory, mask[:, None])": (
            "self.attention(first[:, None], projected, memory, mask[:, None])"
        ),
        "projected = self.attention.project(memory)": (
            "projected, first = self.attention.project(memory), state"
        ),
    },
)


wrong(
    "looks_after_reading",
    why=(
        "Your query is the new state. It must be the state *before* the token, so that the context "
        "can be read together with the token (attending afterward is Luong's way)."
    ),
    change={
        "            context, weights = self.attention(state[:, None], projected, memory, "
        "mask[:, None])\n": (
            "            context, weights = self.attention(state[:, None], projected, memory, "
            "mask[:, None])\n"
            "            new = self.layer(torch.cat([embedded, context], dim=-1), state[None])[1]\n"
            "            context, weights = self.attention(new[0][:, None], projected, memory, "
            "mask[:, None])\n"
        )
    },
)


wrong(
    "context_first",
    why="The vector of the token comes first and the context after it, and you have them swapped.",
    change={"torch.cat([embedded, context], dim=-1)": "torch.cat([context, embedded], dim=-1)"},
)


wrong(
    "context_not_read",
    why="The GRU does not get the context: zeros stand in its place.",
    change={
        "torch.cat([embedded, context], dim=-1)": (
            "torch.cat([embedded, torch.zeros_like(context)], dim=-1)"
        )
    },
)


wrong(
    "context_not_written",
    why="The output scores the next token from the state *and* the context.",
    change={
        "torch.cat([output, context], dim=-1)": (
            "torch.cat([output, torch.zeros_like(context)], dim=-1)"
        )
    },
)


wrong(
    "state_not_carried",
    why=(
        "Every token was read with the state from before the call: each step forgets the earlier "
        "tokens."
    ),
    change={"output, (state,) =": "output, (latest,) =", "dim=1), state\n": "dim=1), latest\n"},
)


wrong(
    "bridge_without_tanh",
    why="h_0 = tanh(W s + b); without the tanh the state starts outside the range of a "
    "GRU's states.",
    change={"return torch.tanh(self.bridge(summary))": "return self.bridge(summary)"},
)


wrong(
    "keys_projected_at_every_step",
    why=(
        "You compute more products than needed: most often, all keys are projected again "
        "for every token. The keys do not depend on the tokens written so far, so project "
        "them once per source; one call of the attention returns both the context and "
        "the weights."
    ),
    change={
        "self.attention(state[:, None], projected, memory, mask[:, None])": (
            "self.attention(state[:, None], self.attention.project(memory), memory, mask[:, None])"
        )
    },
)


wrong(
    "projected_keys_handed_over",
    why="The context is a mean of the memory; you averaged the projected keys.",
    change={
        "projected, memory, mask[:, None])": (
            "projected, projected if projected.shape == memory.shape else memory.flip(-1), "
            "mask[:, None])"
        )
    },
)


wrong(
    "always_additive",
    why="The score that was asked for is not passed on to the attention.",
    change={"Attention(score, **sizes": "Attention('additive', **sizes"},
)


wrong(
    "device_ignored",
    why="Not every part goes to the device that was asked for.",
    change={"Attention(score, **sizes, device=device)": "Attention(score, **sizes)"},
    corner=True,
)
