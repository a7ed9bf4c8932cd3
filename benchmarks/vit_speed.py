"""Our Vision Transformer against that of `transformers`: same weights and images, both directions.

    python benchmarks/vit_speed.py [--repeats 40]

One thread, float32, random weights; theirs are loaded into ours, and logits and gradients are
compared first. The two take turns, and the fastest of all turns counts, in processor seconds: other
work on the machine can only make a turn slower. Writes `vit_speed.json`.
"""

from __future__ import annotations

import argparse
from functools import partial

import torch
import torch.nn.functional as F
from machine import by_turns, record
from torch import Tensor, nn
from transformers import ViTConfig, ViTForImageClassification

from solutions.vit import VisionTransformer, from_vit

SIZES = {  # image, patch, channels, D, heads, layers, hidden, classes; batch
    "as on the page": (28, 7, 1, 32, 4, 2, 64, 26, 64),
    "D = 192, four layers": (112, 16, 3, 192, 3, 4, 768, 100, 8),
}


def pair(
    image: int,
    patch: int,
    channels: int,
    width: int,
    heads: int,
    layers: int,
    hidden: int,
    classes: int,
) -> tuple[VisionTransformer, ViTForImageClassification]:
    """Ours and theirs, with the same weights."""
    theirs = ViTForImageClassification(
        ViTConfig(
            hidden_size=width,
            num_hidden_layers=layers,
            num_attention_heads=heads,
            intermediate_size=hidden,
            image_size=image,
            patch_size=patch,
            num_channels=channels,
            num_labels=classes,
        )
    )
    ours = VisionTransformer(
        image_size=image,
        patch_size=patch,
        channels=channels,
        classes=classes,
        embed_dim=width,
        num_heads=heads,
        num_layers=layers,
        hidden=hidden,
        eps=1e-12,
    )
    ours.load_state_dict(from_vit(theirs.state_dict()))
    return ours.train(), theirs.train()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeats", type=int, default=40)
    given = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    found = {}
    for name, (*shape, batch) in SIZES.items():
        ours, theirs = pair(*shape)
        images = torch.randn(batch, shape[2], shape[0], shape[0])
        labels = torch.randint(shape[-1], (batch,))
        models = {"ours": ours, "transformers": theirs}

        def both(model: nn.Module, images=images, labels=labels) -> Tensor:
            made = model(images)
            made = made if isinstance(made, Tensor) else made.logits
            F.cross_entropy(made, labels).backward()
            return made

        our_logits, their_logits = map(both, models.values())
        torch.testing.assert_close(our_logits, their_logits, rtol=1e-3, atol=1e-5)
        slopes = from_vit({key: p.grad for key, p in theirs.named_parameters()})
        for key, parameter in ours.named_parameters():
            torch.testing.assert_close(parameter.grad, slopes[key], rtol=1e-3, atol=1e-5)
        ways = {name: partial(both, model) for name, model in models.items()}
        fastest = {"both": by_turns(given.repeats, ways)}
        with torch.no_grad():
            ways = {name: partial(model, images) for name, model in models.items()}
            fastest["forward"] = by_turns(given.repeats, ways)
        found[name] = fastest | {"batch": batch}
        for way, times in fastest.items():
            print(name, way, times, round(times["ours"] / times["transformers"], 3), flush=True)
    record(__file__, [0], repeats=given.repeats, sizes=found)


if __name__ == "__main__":
    main()
