"""Right and wrong answers to `training.Adam`."""

import torch

from grader.author.answers import equivalent, right, wrong
from solutions.training import adam_step


@right
class in_place_without_adam_step(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-3, *, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0):
        rates = dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay)
        super().__init__(params, rates)

    @torch.no_grad()
    def step(self, closure=None):
        loss = None if closure is None else torch.enable_grad()(closure)()
        for group in self.param_groups:
            first, second = group["betas"]
            for p in group["params"]:
                g = p.grad
                if g is not None:
                    g = g + group["weight_decay"] * p
                    state = self.state[p]
                    m = state.setdefault("exp_avg", torch.zeros_like(p))
                    s = state.setdefault("exp_avg_sq", torch.zeros_like(p))
                    t = state["step"] = state.get("step", torch.tensor(0.0)) + 1
                    m.mul_(first).add_(g, alpha=1 - first)
                    s.mul_(second).addcmul_(g, g, value=1 - second)
                    root = (s / (1 - second ** t.item())).sqrt() + group["eps"]
                    p.addcdiv_(m, root, value=-group["lr"] / (1 - first ** t.item()))
        return loss


@right
class with_data_and_update(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-3, *, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0):
        rates = dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay)
        super().__init__(params, rates)

    def step(self, closure=None):
        loss = closure() if closure else None
        pairs = [(p, group) for group in self.param_groups for p in group["params"]]
        for p, group in pairs:
            if p.grad is None:
                continue
            state = self.state[p]
            zeros = torch.zeros_like(p.data)
            m, s = state.get("exp_avg", zeros), state.get("exp_avg_sq", zeros)
            step = state.get("step", torch.zeros(())) + 1
            moved, m, s = adam_step(
                p.data,
                p.grad,
                m,
                s,
                int(step),
                lr=group["lr"],
                betas=group["betas"],
                eps=group["eps"],
                weight_decay=group["weight_decay"],
            )
            p.data.copy_(moved)
            state.update(exp_avg=m, exp_avg_sq=s, step=step)
        return loss


wrong(
    "one_count_for_all",
    why=(
        "The steps are counted once for the whole optimizer, but a parameter "
        "whose gradient was missing has made fewer: its averages get the wrong "
        "correction."
    ),
    change={
        'state["step"] += 1': "self.count = getattr(self, 'count', 0) + 1 / 3",
        'int(state["step"])': "math.ceil(self.count)",
    },
)


wrong(
    "count_of_the_group",
    why=(
        "The steps were counted once for each group, and raised for every parameter in it: each "
        "parameter makes a step of its own."
    ),
    change={
        'state["step"] += 1': (
            'group["step"] = group.get("step", 0) + 1\n'
            '                state["step"] = torch.tensor(float(group["step"]))'
        )
    },
)


wrong(
    "rest_skipped",
    why=(
        "A parameter without a gradient ended the loop: those after it in the group were not "
        "moved. `continue` moves on to the next, `break` and `return` do not."
    ),
    change={"continue": "break"},
    corner=True,
)


wrong(
    "one_state_for_a_group",
    why=(
        "The averages were kept once for each group; each parameter has gradients, and so "
        "averages, of its own."
    ),
    change={
        'state["exp_avg"] = torch.zeros_like(parameter)': (
            'pass\n                state = {"exp_avg": 0.0, **state, **group.get("kept", {})}'
        ),
        'state["exp_avg_sq"] = torch.zeros_like(parameter)': "",
    },
)


wrong(
    "step_as_a_tensor",
    why=(
        "The counter went into the formula as a float32 tensor: 1 − 0.999ᵗ is then right to four "
        'digits only. Hand on a number: `int(state["step"])`.'
    ),
    change={'int(state["step"])': 'state["step"]'},
)


@wrong(
    why=(
        "The averages are kept under names of their own; `exp_avg` and `exp_avg_sq` are those that "
        "the docstring gives, and that `torch.optim.Adam` can load."
    )
)
class other_names_in_the_state(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-3, *, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0):
        rates = dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay)
        super().__init__(params, rates)

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            rates = {name: group[name] for name in ("lr", "betas", "eps", "weight_decay")}
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                state["step"] = state.get("step", torch.tensor(0.0)) + 1
                m, v = state.get("m", torch.zeros_like(p)), state.get("v", torch.zeros_like(p))
                moved, state["m"], state["v"] = adam_step(
                    p, p.grad, m, v, int(state["step"]), **rates
                )
                p.copy_(moved)


wrong(
    "data_replaced",
    why=(
        "`parameter.data` was set to a new tensor; whoever shares the memory of the old one (a "
        "view, a copy for another process) no longer sees the training. `copy_` writes into it."
    ),
    change={"parameter.copy_(moved)": "parameter.data = moved"},
)


wrong(
    "missing_gradient_is_zero",
    why=(
        "A gradient of None was treated as zero: averages, decay and momentum "
        "then move a parameter that took no part in the loss."
    ),
    change={
        ("if parameter.grad is None:\n                    continue"): (
            "if parameter.grad is None:\n"
            "                    parameter.grad = torch.zeros_like(parameter)"
        )
    },
    corner=True,
)


wrong(
    "rates_of_the_constructor",
    why=(
        "The rates were read from the defaults and not from the group, so "
        "groups with settings of their own are ignored, and so is every "
        "schedule."
    ),
    change={"name: group[name] for": "name: self.defaults[name] for"},
)


wrong(
    "parameter_rebound",
    why=(
        "The name `parameter` was bound to the new tensor; the model still "
        "holds the old one. Write the numbers into it: `parameter.copy_(...)`."
    ),
    change={"parameter.copy_(moved)": "parameter = moved"},
)


wrong(
    "averages_not_kept",
    why=(
        "The new averages were computed but not put back into the state, so "
        "each step starts from zeros."
    ),
    change={'moved, state["exp_avg"], state["exp_avg_sq"] =': "moved, _, _ ="},
)


wrong(
    "state_outside",
    why=(
        "The averages lie in an attribute of their own: `state_dict()` does "
        "not see them, and a resumed training starts its averages anew."
    ),
    change={"state = self.state[parameter]": "state = self.__dict__.setdefault(parameter, {})"},
)


wrong(
    "count_not_kept",
    why=(
        "The count of steps is not raised: every step is corrected as if it "
        "were the first, or divides by zero."
    ),
    change={'state["step"] += 1': 'state["step"] = torch.tensor(1.0)'},
)


equivalent('state["step"] = (0.0)', why="a plain number counts and is saved as a tensor of one is")


wrong(
    "zero_gradient_skipped",
    why=(
        "A gradient of zeros was taken for a missing one. The averages go on all the same: the "
        "parameter still moves, by what is left of earlier gradients, and the step counts."
    ),
    change={"if parameter.grad is None:": "if parameter.grad is None or not parameter.grad.any():"},
    corner=True,
)


wrong(
    "closure_or_its_loss_forgotten",
    why=(
        "`step(closure)` calls the closure, which computes the loss and its gradients, before "
        "anything moves, and returns that loss; one of the two was left out."
    ),
    change={"loss = _loss(closure)": "loss = None"},
    corner=True,
)


wrong(
    "closure_without_gradients",
    why=(
        "The closure ran under `torch.no_grad()`, where its loss has no graph to go back through; "
        "turn gradients on around it with `torch.enable_grad()`."
    ),
    change={"loss = _loss(closure)": "loss = closure() if closure else None"},
    corner=True,
)


wrong(
    "closure_called_twice",
    why=(
        "The closure was called twice in one step; each call costs a forward and a backward pass, "
        "and one returns the loss and leaves the gradients."
    ),
    change={"loss = _loss(closure)": "_loss(closure)\n        loss = _loss(closure)"},
    corner=True,
)


wrong(
    "groups_of_the_constructor",
    why=(
        "The groups were taken down in the constructor. `add_param_group` appends to "
        "`self.param_groups`, so read that in every step: a layer that is unfrozen later trains."
    ),
    change={
        "super().__init__(params, rates)": (
            "super().__init__(params, rates)\n        self.count = len(self.param_groups)"
        ),
        "for group in self.param_groups:": "for group in self.param_groups[: self.count]:",
    },
    corner=True,
)


wrong(
    "gradient_kept",
    why=(
        "The gradient was kept in the state, too. `state_dict()` saves what lies there: one more "
        "tensor for each parameter, which no step reads."
    ),
    change={
        "parameter.copy_(moved)": (
            'parameter.copy_(moved)\n                state["grad"] = parameter.grad'
        )
    },
)


wrong(
    "gradients_cleared",
    why=(
        "The step cleared the gradients. Clearing is what `zero_grad()` is for: the caller may "
        "still log their norm, or add to them."
    ),
    change={
        "parameter.copy_(moved)": "parameter.copy_(moved)\n                parameter.grad = None"
    },
)


wrong(
    "decay_added_to_the_gradient_in_place",
    why=(
        "λ w was added to `parameter.grad` itself. The gradient belongs to the caller: after the "
        "step it is no longer that of the loss."
    ),
    change={
        "state = self.state[parameter]\n": (
            "state = self.state[parameter]\n"
            '                parameter.grad.add_(parameter, alpha=rates["weight_decay"])\n'
            '                rates["weight_decay"] = 0.0\n'
        )
    },
)
