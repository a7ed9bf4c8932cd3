"""Right and wrong answers to `transfer.Classifier`."""

import torch
from torch import nn

from grader.author.answers import equivalent, right, wrong


@right
class without_super(nn.Module):
    def __init__(self, trunk, features, classes, *, frozen=False):
        super().__init__()
        self.trunk, self.is_frozen = trunk, frozen
        for parameter in trunk.parameters():
            parameter.requires_grad = not frozen
        self.head = nn.Linear(features, classes)
        self.train(self.training)

    def train(self, mode=True):
        self.training = mode
        self.head.train(mode)
        self.trunk.train(mode and not self.is_frozen)
        return self

    def forward(self, x):
        with torch.inference_mode(False) if not self.is_frozen else torch.no_grad():
            vector = self.trunk(x)
        return vector @ self.head.weight.T + self.head.bias


@right
class two_roads(nn.Module):
    def __init__(self, trunk, features, classes, *, frozen=False):
        super().__init__()
        self.head = nn.Linear(features, classes)
        self.trunk = trunk
        self.frozen = frozen
        for part in trunk.parameters():
            part.requires_grad_(not frozen)
        self.train()

    def train(self, mode=True):
        whole = super().train(mode)
        for part in self.trunk.modules() if self.frozen else ():
            part.training = False
        return whole

    def forward(self, x):
        if not self.frozen:
            return self.head(self.trunk(x))
        with torch.no_grad():
            features = self.trunk(x)
        return self.head(features)


wrong(
    "trunk_still_trained",
    why=(
        "The parameters of the frozen trunk still ask for gradients: an optimizer that is given "
        "`model.parameters()` will train them, or at least decay them."
    ),
    change={"trunk.requires_grad_(not frozen)": "trunk"},
)


wrong(
    "frozen_the_wrong_way",
    why="The trunk is frozen when it should learn, and learns when it should be frozen.",
    change={"trunk.requires_grad_(not frozen)": "trunk.requires_grad_(frozen)"},
)


wrong(
    "trunk_in_training_mode",
    why=(
        "In training mode the frozen trunk drops units and normalizes by the batch: its features "
        "change from step to step, and its running statistics drift, though no gradient ever "
        "touches it. Keep it in evaluation mode: `train` puts every part back, also one "
        "that was put there once."
    ),
    change={"        if self.frozen:\n            self.trunk.eval()\n": ""},
)


wrong(
    "everything_in_evaluation_mode",
    why="The whole classifier stays in evaluation mode; without `frozen` its trunk has to train.",
    change={
        "        if self.frozen:\n            self.trunk.eval()\n": "        self.trunk.eval()\n"
    },
)


wrong(
    "never_without_graph",
    why=(
        "No graph is built through the trunk, frozen or not: when it is to be fine-tuned, it gets "
        "no gradient, and never changes."
    ),
    change={
        "torch.set_grad_enabled(torch.is_grad_enabled() and not self.frozen)": "torch.no_grad()"
    },
)


wrong(
    "head_frozen_too",
    why="The head is frozen with the trunk: then nothing learns.",
    change={
        "        self.frozen = frozen\n": (
            "        self.frozen = frozen\n        self.requires_grad_(not frozen)\n"
        )
    },
)


wrong(
    "no_bias",
    why="The head has no bias; it is an `nn.Linear` with one.",
    change={"nn.Linear(features, classes)": "nn.Linear(features, classes, bias=False)"},
)


wrong(
    "softmax_at_the_end",
    why="Probabilities came back; a loss for classes takes logits.",
    change={"return self.head(read)": "return self.head(read).softmax(dim=-1)"},
)


equivalent(
    "pass # self.train()",
    why="Whoever trains or evaluates a module says so first, as `fit` and every check do.",
)


wrong(
    "trunk_copied",
    why=(
        "The trunk was copied. It is used as it is: what is learned in the copy, whoever holds "
        "the trunk never sees."
    ),
    change={
        "self.trunk = trunk.requires_grad_(not frozen)": (
            "import copy\n        self.trunk = copy.deepcopy(trunk).requires_grad_(not frozen)"
        )
    },
    corner=True,
)


wrong(
    "frozen_from_the_first_train_on",
    why=(
        "A frozen trunk is in evaluation mode from the beginning, and not only once `train` has "
        "been called: the first batch already makes noise, and changes running statistics."
    ),
    change={"        self.train()\n": ""},
    corner=True,
)


wrong(
    "evaluated_when_it_is_called",
    why=(
        "The frozen trunk is put into evaluation mode in `forward`, and is in training mode until "
        "then: whoever looks at it, or calls it by itself, finds it noisy. Override `train`."
    ),
    change={
        "if self.frozen:": "if False:",
        "read = self.trunk(x)  # (B, D)": (
            "self.trunk.train(self.training and not self.frozen)\n            read = self.trunk(x)"
        ),
    },
    corner=True,
)


wrong(
    "cut_behind_the_trunk",
    why=(
        "The result of the frozen trunk was detached. If `x` asks for a gradient, a graph was "
        "built through the whole trunk by then, and its memory spent: call the trunk inside of "
        "`torch.no_grad()`."
    ),
    change={
        "with torch.set_grad_enabled(torch.is_grad_enabled() and not self.frozen):\n"
        "            read = self.trunk(x)  # (B, D)\n": (
            "read = self.trunk(x)\n        read = read.detach() if self.frozen else read\n"
        )
    },
    corner=True,
)
