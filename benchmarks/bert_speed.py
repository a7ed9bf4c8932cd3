"""BERT against `transformers.BertForPreTraining`: the same weights, the same shapes, in turns.

    python benchmarks/bert_speed.py [--turns 20]

Both heads run on rows of which a quarter is padding: forward, and backward from both losses. Logits
and gradients are compared first. Times are processor seconds on one thread, the best of many turns.
Writes `bert_speed.json`.
"""

from __future__ import annotations

import argparse

import torch
import torch.nn.functional as F
from machine import by_turns, record
from torch import Tensor
from transformers import BertConfig, BertForPreTraining

from solutions.bert import BERT, from_bert, mlm_loss

SIZES = {  # vocabulary, D, heads, layers, hidden; batch, tokens
    "small": (600, 64, 4, 2, 256, 32, 40),
    "larger": (4_000, 192, 6, 4, 768, 16, 64),
}


def pair(
    vocabulary: int, width: int, heads: int, layers: int, hidden: int, longest: int
) -> tuple[BERT, BertForPreTraining]:
    """Ours and theirs, with the same weights."""
    config = BertConfig(
        vocab_size=vocabulary,
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        intermediate_size=hidden,
        max_position_embeddings=longest,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        pad_token_id=0,
    )
    theirs = BertForPreTraining(config)
    ours = BERT(
        vocabulary,
        embed_dim=width,
        num_heads=heads,
        num_layers=layers,
        hidden=hidden,
        longest=longest,
        pad=0,
    )
    ours.load_state_dict(from_bert(theirs.state_dict()))
    return ours, theirs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--turns", type=int, default=20)
    given = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    found: dict[str, dict] = {}
    for name, (*shape, batch, longest) in SIZES.items():
        ours, theirs = pair(*shape, longest)
        tokens = torch.randint(1, shape[0], (batch, longest))
        tokens[: batch // 2, longest // 2 :] = 0
        segments = (torch.arange(longest) >= longest // 4).long().expand(batch, -1) * (tokens > 0)
        labels = torch.where((torch.rand(batch, longest) < 0.15) & (tokens > 0), tokens, -100)
        follows = torch.randint(2, (batch,))
        asked = {"attention_mask": (tokens > 0).long(), "token_type_ids": segments}

        def loss(ours=ours, tokens=tokens, segments=segments, labels=labels, follows=follows):
            words, pairs = ours(tokens, segments)
            return mlm_loss(words, labels) + F.cross_entropy(pairs, follows)

        def their_loss(theirs=theirs, tokens=tokens, asked=asked, labels=labels, follows=follows):
            return theirs(tokens, **asked, labels=labels, next_sentence_label=follows).loss

        agree(ours, theirs, loss(), their_loss())
        both = {
            "ours": lambda loss=loss: loss().backward(),
            "transformers": lambda loss=their_loss: loss().backward(),
        }
        found[name] = {"forward and backward": by_turns(given.turns, both)}
        with torch.no_grad():
            found[name]["forward"] = by_turns(
                given.turns, {"ours": loss, "transformers": their_loss}
            )
        for way, taken in found[name].items():
            taken["ratio"] = taken["ours"] / taken["transformers"]
            print(name, way, taken, flush=True)
    record(__file__, [0], turns=given.turns, sizes=found)


def agree(ours: BERT, theirs: BertForPreTraining, loss: Tensor, other: Tensor) -> None:
    """The same loss, and the same gradient of every parameter."""
    torch.testing.assert_close(loss, other, rtol=1e-4, atol=1e-5)
    loss.backward()
    other.backward()
    slopes = from_bert({name: p.grad for name, p in theirs.named_parameters()})
    for name, parameter in ours.named_parameters():
        torch.testing.assert_close(parameter.grad, slopes[name], rtol=1e-3, atol=1e-5)


if __name__ == "__main__":
    main()
