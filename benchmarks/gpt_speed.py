"""GPT against `transformers.GPT2LMHeadModel`: the same weights, the same shapes, in turns.

    python benchmarks/gpt_speed.py [--turns 15]

Forward, forward and backward, and greedy generation with cached keys and values, in which both have
to write the same tokens. Times are processor seconds on one thread, the best of many turns. Writes
`gpt_speed.json`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import torch
from machine import by_turns, record
from transformers import GPT2Config, GPT2LMHeadModel

from solutions.gpt import GPT, cached, causal_loss, from_gpt2, generate

V, WIDTH, HEADS, LAYERS, SPAN, BATCH = 1_000, 128, 4, 4, 64, 12
PROMPT, NEW = 8, 48


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--turns", type=int, default=15)
    given = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    sizes = {"vocab_size": V, "n_positions": SPAN, "n_embd": WIDTH, "n_layer": LAYERS}
    config = GPT2Config(**sizes, n_head=HEADS, bos_token_id=0, eos_token_id=None, pad_token_id=0)
    theirs = GPT2LMHeadModel(config).eval()
    for parameter in theirs.parameters():
        torch.nn.init.normal_(parameter, std=0.1)
    made = {"embed_dim": WIDTH, "num_heads": HEADS, "num_layers": LAYERS, "longest": SPAN}
    ours = GPT(V, **made).eval()
    ours.load_state_dict(from_gpt2(theirs.state_dict()))
    tokens = torch.randint(V, (BATCH, SPAN))
    prompt, none = tokens[:1, :PROMPT], torch.zeros(1, NEW)

    def greedy() -> torch.Tensor:
        return generate(cached(ours), prompt, none, temperature=0.0)

    def their_greedy() -> torch.Tensor:
        mask = torch.ones_like(prompt)
        made = {"max_new_tokens": NEW, "min_new_tokens": NEW, "do_sample": False}
        return theirs.generate(prompt, attention_mask=mask, **made)[:, PROMPT:]

    with torch.no_grad():
        torch.testing.assert_close(ours(tokens), theirs(tokens).logits, rtol=1e-3, atol=1e-3)
        assert torch.equal(greedy(), their_greedy())
    pairs: dict[str, tuple[Callable, Callable, bool]] = {
        "forward": (lambda: ours(tokens), lambda: theirs(tokens).logits, False),
        "forward and backward": (
            lambda: causal_loss(ours(tokens), tokens).backward(),
            lambda: theirs(tokens, labels=tokens).loss.backward(),
            True,
        ),
        "generation": (greedy, their_greedy, False),
    }
    results = {}
    for name, (mine, other, slopes) in pairs.items():
        with torch.set_grad_enabled(slopes):
            best = by_turns(given.turns, {"ours": mine, "transformers": other})
        results[name] = best | {"ratio": best["ours"] / best["transformers"]}
        print(name, results[name], flush=True)
    shapes = {"vocabulary": V, "features": WIDTH, "layers": LAYERS, "heads": HEADS}
    shapes |= {"batch": BATCH, "span": SPAN, "prompt": PROMPT, "new": NEW}
    record(__file__, [0], shapes=shapes, seconds=results)


if __name__ == "__main__":
    main()
