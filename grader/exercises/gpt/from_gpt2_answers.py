"""Right and wrong answers to `gpt.from_gpt2`."""

import re

from grader.author.answers import right, wrong


@right
def name_by_name(state):
    given = {name.replace("transformer.", "", 1): tensor for name, tensor in state.items()}
    made = {
        "embed.weight": given["wte.weight"],
        "head.weight": given["wte.weight"],
        "table": given["wpe.weight"],
        "norm.weight": given["ln_f.weight"],
        "norm.bias": given["ln_f.bias"],
    }
    names = {
        "ln_1": "attention_norm",
        "attn.c_proj": "attention.output",
        "ln_2": "feed_forward_norm",
        "mlp.c_fc": "feed_forward.up",
        "mlp.c_proj": "feed_forward.down",
    }
    for name, tensor in given.items():
        found = re.fullmatch(r"h\.(\d+)\.(.+)\.(weight|bias)", name)
        if not found:
            continue
        layer, part, kind = found.groups()
        if "c_" in part and kind == "weight":
            tensor = tensor.transpose(0, 1)
        if part == "attn.c_attn":
            size = tensor.shape[0] // 3
            for index, which in enumerate(("query", "key", "value")):
                piece = tensor[index * size : (index + 1) * size]
                made[f"layers.{layer}.attention.{which}.{kind}"] = piece
        elif part in names:
            made[f"layers.{layer}.{names[part]}.{kind}"] = tensor
    return made


@right
def split_before_turning(state):
    made = {}
    for name, tensor in state.items():
        path = name.split(".")
        if path[0] == "transformer":
            path = path[1:]
        if path[0] == "h":
            if path[2:] in (["attn", "bias"], ["attn", "masked_bias"]):
                continue
            place = {
                "ln_1": ["attention_norm"],
                "ln_2": ["feed_forward_norm"],
                "c_fc": ["feed_forward", "up"],
                "c_proj": ["attention", "output"]
                if path[2] == "attn"
                else ["feed_forward", "down"],
            }
            begin = ["layers", path[1]]
            if path[-2] == "c_attn":
                width = tensor.shape[-1] // 3
                for part, piece in zip(["query", "key", "value"], tensor.split(width, -1)):
                    piece = piece.T if piece.dim() == 2 else piece
                    made[".".join([*begin, "attention", part, path[-1]])] = piece
            else:
                tensor = tensor.t() if path[-2].startswith("c_") else tensor
                made[".".join([*begin, *place[path[-2]], path[-1]])] = tensor
        elif path == ["wte", "weight"]:
            made["embed.weight"] = made["head.weight"] = tensor
        elif path == ["wpe", "weight"]:
            made["table"] = tensor
        elif path[0] == "ln_f":
            made[f"norm.{path[1]}"] = tensor
    return made


wrong(
    "not_transposed",
    why=(
        "The weights still have their inputs first. If a matrix is square, no error is raised, but "
        "the model computes something else."
    ),
    change={"tensor = tensor.movedim(0, -1)": "tensor = tensor + 0"},
)


wrong(
    "square_ones_not_transposed",
    why=(
        "`attn.c_proj.weight` was not transposed. It is square, so it fits either way, and no "
        "error shows it."
    ),
    change={'if ".c_" in name:': 'if ".c_" in name and tensor.shape[0] != tensor.shape[-1]:'},
)


wrong(
    "everything_transposed",
    why=(
        "You transposed the tables of tokens and positions, too; they hold a row per entry in both "
        "models."
    ),
    change={'if ".c_" in name:': "if tensor.dim() == 2:"},
)


wrong(
    "keys_first",
    why="You read keys as queries: queries come first, then keys, then values.",
    change={'("query", "key", "value")': '("key", "query", "value")'},
)


wrong(
    "values_second",
    why="You read values as keys: queries come first, then keys, then values.",
    change={'("query", "key", "value")': '("query", "value", "key")'},
)


wrong(
    "head_by_head",
    why=(
        "You assigned rows in turn, as if query, key and value of each feature lay side by side. "
        "In GPT-2's files all queries come first."
    ),
    change={"tensor.chunk(3)": "(tensor[0::3], tensor[1::3], tensor[2::3])"},
)


wrong(
    "biases_taken_for_masks",
    why=(
        "The biases of queries, keys and values are missing. Only masks may be dropped; "
        "`c_attn.bias` ends with `attn.bias`, too, so mind the dot before it."
    ),
    change={'(".attn.bias", ".attn.masked_bias")': '("attn.bias", "attn.masked_bias")'},
)


wrong(
    "masks_kept",
    why="You kept the masks of an old file; they are not weights.",
    change={
        'name.endswith((".attn.bias", ".attn.masked_bias")) or name == "lm_head.weight"': (
            'name == "lm_head.weight"'
        )
    },
    corner=True,
)


wrong(
    "head_forgotten",
    why="`head.weight` is missing: it is the table of tokens once more.",
    change={'ours | {"head.weight": ours["embed.weight"]}': "ours"},
)


wrong(
    "names_with_a_prefix",
    why="Names that begin with `transformer.` kept this prefix: our modules have no such part.",
    change={'name = name.removeprefix("transformer.")': "name = str(name)"},
)
