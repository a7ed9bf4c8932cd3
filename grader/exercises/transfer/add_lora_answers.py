"""Right and wrong answers to `transfer.add_lora`."""

from torch import nn

from grader.author.answers import equivalent, right, wrong
from solutions.transfer import LoRA


@right
def by_full_names(model, parts, *, rank, alpha):
    for parameter in model.parameters():
        parameter.requires_grad = False
    names = [
        name
        for name, module in model.named_modules()
        if type(module) is nn.Linear and name.split(".")[-1] in parts
    ]
    if len(names) == 0:
        raise ValueError(f"nothing is called {parts}")
    for name in names:
        owner, _, last = name.rpartition(".")
        setattr(
            model.get_submodule(owner),
            last,
            LoRA(model.get_submodule(name), rank=rank, alpha=alpha),
        )
    return {n: [*p.size()] for n, p in model.named_parameters() if p.requires_grad}


@right
def downward(model, parts, *, rank, alpha):
    def wrap(module):
        count = 0
        for name, child in list(module.named_children()):
            if isinstance(child, nn.Linear):
                if name in parts:
                    module._modules[name] = LoRA(child, rank=rank, alpha=alpha)
                    count += 1
            else:
                count += wrap(child)
        return count

    model.requires_grad_(False)
    if not wrap(model):
        raise ValueError("no such layer")
    trained = filter(lambda item: item[1].requires_grad, model.named_parameters())
    return {name: list(value.shape) for name, value in trained}


wrong(
    "rest_still_trained",
    why=(
        "The other parameters still ask for gradients: embeddings, norms and layers that were not "
        "wrapped are trained with the updates."
    ),
    change={"    model.requires_grad_(False)\n": ""},
)


wrong(
    "nothing_trained",
    why=(
        "Nothing is trained: all was frozen after the updates were put in, or these were made and "
        "never put into the model."
    ),
    change={"    return {name: list": "    model.requires_grad_(False)\n    return {name: list"},
)


@wrong(
    why=(
        "All was frozen once more at the end: what is reported as trained "
        "asks for no gradient any more."
    )
)
def frozen_at_the_end(model, parts, *, rank, alpha):
    found = [
        (owner, name, layer)
        for owner in model.modules()
        for name, layer in owner.named_children()
        if name in parts and isinstance(layer, nn.Linear)
    ]
    if not found:
        raise ValueError(f"no layer is called {parts}")
    for parameter in model.parameters():
        parameter.requires_grad = False
    for owner, name, layer in found:
        setattr(owner, name, LoRA(layer, rank=rank, alpha=alpha))
    shapes = {name: list(p.shape) for name, p in model.named_parameters() if p.requires_grad}
    model.requires_grad_(False)
    return shapes


wrong(
    "alpha_forgotten",
    why="α was not handed on: the layers have another scale than α / r.",
    change={"LoRA(layer, rank=rank, alpha=alpha)": "LoRA(layer, rank=rank, alpha=rank)"},
)


wrong(
    "a_copy",
    why="A copy was changed; the model that was given is as it was, and nothing of it is frozen.",
    change={
        "    model.requires_grad_(False)\n": (
            "    import copy\n\n    model = copy.deepcopy(model)\n    model.requires_grad_(False)\n"
        )
    },
)


wrong(
    "children_only",
    why=(
        "Only the model's own children were looked at; the layers lie deeper, in modules of "
        "modules."
    ),
    change={"for owner in model.modules()": "for owner in [model]"},
)


wrong(
    "parts_of_names",
    why="A name that contains a part's name was taken for it: `up` is not `sup` or `upper`.",
    change={
        "if name in parts and isinstance(layer, nn.Linear)": (
            "if any(part in name for part in parts) and isinstance(layer, nn.Linear)"
        )
    },
)


wrong(
    "all_that_is_linear",
    why="Every linear layer was wrapped, whatever it is called.",
    change={
        "if name in parts and isinstance(layer, nn.Linear)": (
            "if isinstance(layer, nn.Linear) and parts"
        )
    },
)


wrong(
    "first_one_only",
    why="Only the first layer of that name was wrapped; there is one in each layer of the stack.",
    change={"for owner, name, layer in found:": "for owner, name, layer in found[:1]:"},
)


wrong(
    "nothing_found_nothing_said",
    why=(
        "No layer is called so, and nothing was said: the model is frozen, and trains without an "
        "error and without an effect."
    ),
    change={"    if not found:\n": "    if found is None:\n"},
    corner=True,
)


wrong(
    "rank_and_alpha_exchanged",
    why="α was taken for the rank.",
    change={"LoRA(layer, rank=rank, alpha=alpha)": "LoRA(layer, rank=int(alpha), alpha=rank)"},
)


wrong(
    "vectors_not_frozen",
    why="Weights were frozen, and what has one axis was not: scales and biases go on learning. "
    "All other parameters are to stand still.",
    change={
        "    model.requires_grad_(False)\n": "    for p in model.parameters():\n"
        "        p.requires_grad_(p.ndim == 1)\n"
    },
)


wrong(
    "biases_lost",
    why=(
        "A new layer was made of each weight and wrapped, and the bias of the old one was lost: "
        "some layers have one, others do not. Wrap the layer itself."
    ),
    change={
        "setattr(owner, name, LoRA(layer, rank=rank, alpha=alpha))": (
            "bare = nn.Linear(layer.in_features, layer.out_features, bias=False)\n"
            "        bare.weight = layer.weight\n"
            "        setattr(owner, name, LoRA(bare, rank=rank, alpha=alpha))"
        )
    },
)


wrong(
    "biases_trained",
    why=(
        "The biases of linear layers still ask for gradients. They are small, but they are no part "
        "of the update: all other parameters stand still."
    ),
    change={
        "    return {name: list": (
            "    for owner in model.modules():\n"
            "        if isinstance(owner, nn.Linear) and owner.bias is not None:\n"
            "            owner.bias.requires_grad_(True)\n"
            "    return {name: list"
        )
    },
)


wrong(
    "old_layers_kept",
    why=(
        "The layers that were wrapped are also kept in the model under names of their own: "
        "`state_dict()` holds their weights twice, and no checkpoint of this model fits another."
    ),
    change={
        "    for owner, name, layer in found:": (
            "    model.wrapped = nn.ModuleList(layer for _, _, layer in found)\n"
            "    for owner, name, layer in found:"
        )
    },
)


equivalent(
    "return {name: (p.shape) for name, p in model.named_parameters() if p.requires_grad}",
    why="A shape is a tuple, which does as well as a list.",
)
