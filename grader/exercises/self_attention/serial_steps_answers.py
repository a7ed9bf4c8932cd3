"""Right and wrong answers to `self_attention.serial_steps`."""

from grader.author.answers import right, wrong


@right
def steps_by_name(layer, *, length):
    if layer not in ("attention", "recurrent", "convolution"):
        raise ValueError(f"no layer {layer!r}")
    if layer == "recurrent":
        return length
    return {"attention": len(["project", "score", "mix"]), "convolution": 1}[layer]


@right
def when_each_product_is_ready(layer, *, length):
    if layer not in ("attention", "recurrent", "convolution"):
        raise ValueError(f"no layer {layer!r}")
    ready = 0
    if layer == "attention":
        projected = [ready + 1 for _ in "qkv"]
        scored = max(projected[:2]) + 1
        return max(scored, projected[2]) + 1
    if layer == "convolution":
        return ready + 1
    state = ready
    for _ in range(length):
        fed = ready + 1
        state = max(state + 1, fed)
    return state


wrong(
    "all_products_counted",
    why=(
        "Attention has five products, but the three projections need nothing "
        "from each other and run at once: they are one step of the chain."
    ),
    change={'"attention": 3': '"attention": 5'},
)


wrong(
    "attention_in_one",
    why=(
        "O(1) means that the number does not grow with T, not that it is 1: "
        "the scores wait for the projections, and the weighted mean waits for "
        "the scores."
    ),
    change={'"attention": 3': '"attention": 1'},
)


wrong(
    "inputs_wait_too",
    why=(
        "Each step has two products, but W x_t needs no hidden state: all of "
        "those can be done before the recurrence begins, and only the other T "
        "are left in the chain."
    ),
    change={'"recurrent": length': '"recurrent": 2 * length'},
)


wrong(
    "steps_between",
    why=(
        "T − 1 is the way from the first position to the last; the first "
        "position has a product of its own in front of it."
    ),
    change={'"recurrent": length': '"recurrent": length - 1'},
)


wrong(
    "convolution_walks",
    why=(
        "The kernel is written as if it slid, but no output of a convolution "
        "needs another output: all positions are computed at once."
    ),
    change={'"convolution": 1': '"convolution": length'},
)


wrong(
    "pairs_reduced",
    why="A chain grows with log T where pairs are joined in turn; here three products are enough.",
    change={'"attention": 3': '"attention": math.ceil(math.log2(length))'},
)


wrong(
    "one_position_at_once",
    why="With one position attention still projects, scores and mixes: three products in a row.",
    change={"steps[layer]": '1 if layer == "attention" and length == 1 else steps[layer]'},
    corner=True,
)


wrong(
    "a_state_before_the_first",
    why="The state at the start is given, so T positions need T products of it, not T + 1.",
    change={'"recurrent": length': '"recurrent": length + 1'},
)
