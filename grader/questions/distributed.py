"""Questions on training a model on many devices."""

from __future__ import annotations

from random import Random

from grader.questions import Drawn, apart, question
from grader.questions.curves import curves
from grader.questions.kinds import prints, which_mistake
from solutions import distributed


@question("mistake", "collectives", 4, public=True)
def scatter_mistake(rng: Random) -> Drawn:
    first = [float(rng.randint(1, 9)) for _ in range(4)]
    second = [float(rng.randint(1, 9)) for _ in range(4)]
    names = ["mean_for_sum", "nothing_added", "every_nth_row", "parts_of_the_first"]
    return which_mistake(
        rng,
        "distributed.reduce_scatter",
        {"parts": [first, second]},
        names,
        text=f"Two devices have the tensors {[*map(int, first)]} and {[*map(int, second)]}. A student wrote a reduce-scatter.",
        view=lambda found: found[1],
        places=1,
        shown="Device 1 got",
    )


@question("short", "collectives", 4)
def two_halves(rng: Random) -> Drawn:
    devices = rng.choice([2, 3, 4])
    size = devices * rng.choice([100, 200])
    return Drawn(
        text=f"Each of {devices} devices has a tensor of {size} numbers. How many numbers does each one have after a reduce-scatter? After an all-gather of these results? Which single operation does the same as both together?",
        answer=f"{size // devices}; {size}; an all-reduce",
        wrong=[
            f"{size}; {size * devices}; an all-gather",
            f"{size // devices}; {size * devices}; an all-reduce",
            f"{size}; {size}; a broadcast",
        ],
        steps=(
            (f"A reduce-scatter leaves each device ${size} / {devices} = {size // devices}$ numbers of the sum.", 1),
            (f"Gathering all of them gives the whole sum, {size} numbers.", 1),
            ("Everybody then has the sum, as after an all-reduce.", 2),
        ),
    )  # fmt: skip


@question("derive", "ring", 5, public=True)
def traffic_of_a_ring(rng: Random) -> Drawn:
    devices = rng.choice([4, 5, 8, 10])
    size = devices * rng.choice([30, 50, 100])
    sent = distributed.numbers_sent(size, devices, stage=0)
    return Drawn(
        text=f"In a ring of $n$ devices, each one cuts its tensor of $N$ numbers into $n$ chunks, and sends one chunk in each step. Derive how many numbers each device sends in an all-reduce. How many are they for $n = {devices}$ and $N = {size}$?",
        answer=f"$2 (n - 1) N / n$; {sent}",
        steps=(
            ("A chunk needs $n - 1$ steps to collect the numbers of all devices.", 1),
            ("It needs $n - 1$ more to reach all of them.", 1),
            ("In each step a device sends $N/n$ numbers: $2 (n - 1) N / n$.", 2),
            (f"$2 \\cdot {devices - 1} \\cdot {size // devices} = {sent}$", 1),
        ),
    )  # fmt: skip


@question("curve", "ring", 3)
def curves_of_traffic(rng: Random) -> Drawn:
    devices = range(2, 11)
    most = rng.choice([1, 2])
    ring = [most * 2 * (n - 1) / n for n in devices]
    collected = [most * float(n - 1) for n in devices]
    named = dict(zip(rng.sample("AB", 2), (ring, collected), strict=True))
    right = next(letter for letter, one in named.items() if one is ring)
    return Drawn(
        text="The curves show what the busiest device of an all-reduce sends, for 2 to 10 devices: once in a ring, once if one device collects all tensors and sends back the sum. Which curve is the ring, and what happens with a thousand devices?",
        figure=curves(
            {one: named[one] for one in sorted(named)}, x="devices, less one", y="numbers sent",
            alt="Two curves from the same point. One is a straight line, the other one flattens.",
        ),
        answer=f"{right}; in a ring nobody ever sends twice its tensor, and the collector sends 999 tensors",
        steps=(
            (f"$2 (n-1)/n$ approaches 2, so curve {right} is the ring.", 1),
            ("The collector sends $n - 1$ tensors, 999 with a thousand devices.", 2),
        ),
    )  # fmt: skip


@question("short", "sharded-optimizer", 4, public=True)
def norm_of_shards(rng: Random) -> Drawn:
    a, b, whole = rng.choice([(3, 4, 5), (6, 8, 10), (5, 12, 13)])
    limit = 1
    return Drawn(
        text=f"Two devices hold shards of a gradient, with norms {a} and {b}. The gradient is clipped to a norm of {limit}. By which factor does each device scale its shard? What is wrong if each one uses the norm of its own shard?",
        answer=f"both by 1/{whole}; the direction would change, and depend on the number of devices",
        wrong=[
            f"by 1/{a} and 1/{b}; nothing is wrong with that",
            f"both by 1/{a + b}; the gradient would be too short",
            f"by 1/{a} and 1/{b}; only the length of the step would change",
        ],
        steps=(
            (f"The norm of the whole gradient is $\\sqrt{{{a}^2 + {b}^2}} = {whole}$.", 2),
            ("Different factors for the shards would change the direction of the step.", 2),
        ),
    )  # fmt: skip


@question("short", "sharded-optimizer", 4)
def mean_of_gradients(rng: Random) -> Drawn:
    devices, rate = rng.choice([(2, 0.1), (4, 0.1), (8, 0.05)])
    return Drawn(
        text=f"In data-parallel training with SGD and a learning rate of {rate}, {devices} devices add their gradients, each a mean over the device's own rows, and nobody divides by {devices}. Which learning rate would make the same steps if the gradients were averaged? Why is the mistake harder to notice with Adam?",
        answer=f"{devices * rate:g}; a step of Adam hardly depends on the scale of the gradients",
        wrong=[
            f"{rate / devices:g}; Adam chooses its own learning rate",
            f"{rate:g}; it is no mistake",
            f"{devices * rate:g}; Adam never adds gradients",
        ],
        steps=(
            (f"The sum is {devices} times the mean: ${devices} \\cdot {rate} = {devices * rate:g}$.", 2),
            ("Adam divides by the root of the mean square, so a common factor cancels, except for ε and clipping.", 2),
        ),
    )  # fmt: skip


@question("short", "sharded-parameters", 4)
def price_of_the_third_stage(rng: Random) -> Drawn:
    devices = rng.choice([4, 5, 10])
    size = 100 * devices
    before, after = (distributed.numbers_sent(size, devices, stage=stage) for stage in (2, 3))
    return Drawn(
        text=f"A model has {size} parameters and is trained on {devices} devices. How many numbers does each device send per step in stage 2 of ZeRO, and how many in stage 3? Where does the difference come from?",
        answer=f"{before} and {after}; the parameters are gathered twice",
        steps=(
            (f"Each collective operation sends ${devices - 1} \\cdot {size // devices} = {before // 2}$ numbers.", 1),
            (f"Stage 2 needs two, a reduce-scatter and an all-gather: {before}.", 1),
            (f"Stage 3 gathers the parameters for the forward and again for the backward pass: {after}.", 2),
        ),
    )  # fmt: skip


@question("short", "sharded-memory", 4, public=True)
def memory_of_stages(rng: Random) -> Drawn:
    billions, devices = rng.choice([(4, 8), (8, 16), (2, 4), (16, 32)])
    stages = [
        distributed.memory_per_device(billions * 10**9, devices, stage=stage) / 1e9
        for stage in range(4)
    ]
    shown = [f"{size:g}" for size in stages]
    apart(*shown)
    return Drawn(
        text=f"Training keeps 2 bytes for each parameter, 2 for its gradient and 12 for the optimizer. A model of {billions} billion parameters is trained on {devices} devices. How many GB does each device need without sharding, and in stages 1, 2 and 3 of ZeRO?",
        answer=", ".join(shown),
        steps=(
            (f"Without sharding, $16 \\cdot {billions} = {shown[0]}$.", 1),
            (f"Stage 1 divides the 12 bytes by {devices}: {shown[1]}.", 1),
            (f"Stage 2 divides 14 bytes: {shown[2]}.", 1),
            (f"Stage 3 divides all 16: {shown[3]}.", 1),
        ),
    )  # fmt: skip


@question("short", "tensor-parallel", 5, public=True)
def bias_of_the_second_layer(rng: Random) -> Drawn:
    devices, bias = rng.choice([(2, 3), (4, 2), (8, 1)])
    return Drawn(
        text=f"The hidden units of a feed-forward network are divided among {devices} devices. Each device adds the bias of the second layer, which is {bias}, to its part, and then the parts are added. By how much is the output wrong? Why may the bias of the first layer be added on each device?",
        answer=f"by {(devices - 1) * bias}; a hidden unit is on one device only",
        wrong=[
            f"by {devices * bias}; the ReLU removes the rest",
            "not at all; a sum of biases is a bias",
            f"by {(devices - 1) * bias}; the first bias is 0 at the start",
        ],
        steps=(
            (f"The bias counts {devices} times in place of once: ${devices - 1} \\cdot {bias} = {(devices - 1) * bias}$ too much.", 3),
            ("Each entry of the first bias belongs to one hidden unit, and this unit is on one device.", 2),
        ),
    )  # fmt: skip


@question("short", "conjugates", 4)
def gradient_of_a_sum(rng: Random) -> Drawn:
    devices = rng.choice([2, 4, 8])
    return Drawn(
        text=f"{devices} devices add their parts by an all-reduce, and each computes the same loss from the sum. A student lets autograd treat the all-reduce as a sum of all parts, and adds the gradients that all devices send back. What comes out, compared with the right gradient? What is the right backward pass of the sum?",
        answer=f"{devices} times the gradient; each device keeps the gradient that it has",
        steps=(
            (f"The {devices} losses are copies of one loss, and their gradients are added: {devices} times too much.", 2),
            ("Each device already has the gradient of the sum, so nothing is sent.", 2),
        ),
    )  # fmt: skip


@question("short", "pipeline", 4, public=True)
def microbatches_for_a_bubble(rng: Random) -> Drawn:
    stages, parts = rng.choice([(5, 16), (4, 12), (9, 32), (3, 8)])
    lost = distributed.bubble_fraction(stages, parts)
    return Drawn(
        text=f"A pipeline has {stages} stages, and all passes take equally long. How many microbatches are needed so that at most {lost:.0%} of the time is lost? Does 1F1B need fewer than GPipe?",
        answer=f"{parts}; no",
        wrong=[f"{parts}; yes, about half", f"{parts + stages - 1}; no", f"{stages * parts}; yes"],
        steps=(
            (f"$(p - 1)/(m + p - 1) = {stages - 1}/(m + {stages - 1}) \\le {lost:.0%}$ gives $m \\ge {parts}$.", 3),
            ("1F1B has the same bubble; it saves memory.", 1),
        ),
    )  # fmt: skip


@question("prints", "one-f-one-b", 4)
def printed_schedule(rng: Random) -> Drawn:
    stages, parts = rng.choice([(3, 4), (4, 5), (3, 5), (4, 4)])
    stage = rng.choice([0, 1])
    return prints(
        f"""from solutions.distributed import one_forward_one_backward
print(*one_forward_one_backward({stage}, {stages}, {parts}))""",
        (f"There are {stages - 1 - stage} stages after it, so it begins with {stages - 1 - stage} forward passes.", 2),
        ("Then a forward and a backward pass alternate, and the remaining backward passes follow.", 2),
    )  # fmt: skip
