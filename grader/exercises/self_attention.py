"""Exercises of the chapter on self-attention, in the order in which it builds them."""

from __future__ import annotations

import numpy as np

from grader.exercise import Call, Case, Exercise, Mistake

READY_MADE = (
    "F.scaled_dot_product_attention",
    "F.multi_head_attention_forward",
    "nn.MultiheadAttention",
)


# --- soft lookup -------------------------------------------------------------------------------


def _dictionary(rng, *, scale=1.0, keys=5, **options):
    """A query, keys of very different lengths, and values."""
    lengths = np.geomspace(0.1, 1.3, keys)[:, None]
    return {
        "query": scale * 0.6 * rng.standard_normal(7),
        "key": lengths * rng.standard_normal((keys, 7)),
        "value": 10 * rng.standard_normal((keys, 3)),
        **options,
    }


def _thousands(rng):
    """One key points where the query does, so that exp of its score overflows."""
    made = _dictionary(rng, scale=3e3)
    made["key"][2] = made["query"] / np.linalg.norm(made["query"])
    return made


LOOKUP = ("query", "key", "value")

soft_lookup = Exercise(
    symbol="soft_lookup",
    title="A dictionary that answers to a degree",
    section="soft-lookup",
    hint="One number per key first: its score. Divide by the temperature, take the softmax over "
    "the keys, and use the result to weigh the rows of value.",
    forbidden=READY_MADE,
    cases=(
        Case("dot product", _dictionary, grad=LOOKUP),
        Case("cosine", lambda rng: _dictionary(rng, score="cosine"), grad=LOOKUP),
        Case("distance", lambda rng: _dictionary(rng, score="distance"), grad=LOOKUP),
        Case("a cold lookup", lambda rng: _dictionary(rng, temperature=0.6), grad=LOOKUP),
        Case("scores in the thousands", _thousands),
        Case(
            "a hot lookup by cosine",
            lambda rng: _dictionary(rng, score="cosine", temperature=2.3),
            grad=LOOKUP,
            hidden=True,
        ),
        Case(
            "a cold lookup by distance",
            lambda rng: _dictionary(rng, score="distance", temperature=0.7),
            grad=LOOKUP,
            hidden=True,
        ),
        Case("one key", lambda rng: _dictionary(rng, keys=1), grad=LOOKUP, hidden=True),
    ),
    mistakes=(
        Mistake(
            name="times_temperature",
            why="You multiplied the scores by the temperature; dividing by it is what makes a "
            "small temperature sharp and a large one even.",
            change={"scores / temperature": "scores * temperature"},
        ),
        Mistake(
            name="temperature_after_softmax",
            why="You divided the weights by the temperature, after the softmax, so they no longer "
            "sum to 1; it belongs inside, under the scores.",
            change={
                "torch.softmax(scores / temperature, dim=0)": (
                    "torch.softmax(scores, dim=0) / temperature"
                )
            },
        ),
        Mistake(
            name="norm_of_all_keys",
            why="`key.norm()` without `dim=-1` is one number for the whole matrix; the cosine "
            "divides each score by the length of its own key.",
            change={"key.norm(dim=-1)": "key.norm()"},
        ),
        Mistake(
            name="cosine_without_the_keys",
            why="You divided by the length of the query alone, so a long key still wins by being "
            "long; the cosine divides by both lengths.",
            change={"(key.norm(dim=-1) * query.norm())": "query.norm()"},
        ),
        Mistake(
            name="distance_as_score",
            why="The squared distance is used as the score, without its minus sign: the worst "
            "match gets the largest weight.",
            change={"-(key - query)": "(key - query)"},
        ),
        Mistake(
            name="distance_not_squared",
            why="The score is minus half the *squared* distance; you took the distance itself.",
            change={"-(key - query).square().sum(dim=-1) / 2": "-(key - query).norm(dim=-1)"},
        ),
        Mistake(
            name="distance_not_halved",
            why="The half is missing in −‖q − k‖² / 2. Without it the distance is twice as sharp "
            "as the dot product on keys of one length; with it they agree.",
            change={".sum(dim=-1) / 2": ".sum(dim=-1)"},
        ),
        Mistake(
            name="divided_by_root_d",
            why="You divided the dot product by √d_k; that belongs to scaled dot-product "
            "attention. Here the temperature is the only scale.",
            change={"key @ query  # (K": "key @ query / math.sqrt(len(query))  # (K"},
        ),
        Mistake(
            name="hard_lookup",
            why="You returned the value of the best key alone. That is an ordinary dictionary: "
            "the query and the keys get no gradient, so nothing can learn where to look.",
            change={"torch.softmax(scores / temperature, dim=0) @ value": "value[scores.argmax()]"},
        ),
        Mistake(
            name="exp_overflows",
            why="exp of a score in the thousands is infinite, and ∞/∞ is NaN; subtract the "
            "largest score first, as `torch.softmax` does.",
            change={
                "torch.softmax(scores / temperature, dim=0)": (
                    "torch.exp(scores / temperature) / torch.exp(scores / temperature).sum(dim=0)"
                )
            },
        ),
    ),
    variants=(
        """
def soft_lookup(query, key, value, *, score="dot", temperature=1.0):
    if score == "dot":
        scores = torch.einsum("d,kd->k", query, key)
    elif score == "cosine":
        unit = torch.nn.functional.normalize
        scores = unit(key, dim=1) @ unit(query, dim=0)
    else:
        scores = key @ query - (key**2).sum(1) / 2 - (query**2).sum() / 2
    scores = scores / temperature
    weights = torch.exp(scores - scores.max())
    return (weights[:, None] * value).sum(0) / weights.sum()
""",
        """
def soft_lookup(query, key, value, *, score="dot", temperature=1.0):
    scores = []
    for k in key:
        if score == "dot":
            found = (k * query).sum()
        elif score == "cosine":
            found = (k * query).sum() / ((k * k).sum() * (query * query).sum()) ** 0.5
        else:
            found = -((query - k) ** 2).sum() / 2
        scores.append(found / temperature)
    scores = torch.stack(scores)
    weights = (scores - torch.logsumexp(scores, 0)).exp()
    return value.T @ weights
""",
    ),
)


# --- iterated self-attention -------------------------------------------------------------------

iterated_self_attention = Exercise(
    symbol="iterated_self_attention",
    title="Self-attention without parameters, level by level",
    section="iterated-self-attention",
    hint="Keep a list that starts with x. Each turn of the loop makes one new x from the last "
    "one, which is query, key and value at once.",
    forbidden=READY_MADE,
    cases=(
        Case(
            "two levels",
            lambda rng: {"x": 0.6 * rng.standard_normal((5, 7)), "levels": 2},
            grad=("x",),
        ),
        Case(
            "four levels",
            lambda rng: {"x": 0.8 * rng.standard_normal((5, 3)), "levels": 4},
            grad=("x",),
        ),
        Case(
            "a batch",
            lambda rng: {"x": 0.5 * rng.standard_normal((2, 3, 7)), "levels": 3},
            grad=("x",),
        ),
        Case("one level is the input", lambda rng: {"x": rng.standard_normal((3, 2)), "levels": 1}),
        Case(
            "two batch axes",
            lambda rng: {"x": 0.5 * rng.standard_normal((2, 5, 3, 7)), "levels": 3},
            grad=("x",),
            hidden=True,
        ),
        Case(
            "long vectors",
            lambda rng: {"x": 30 * rng.standard_normal((5, 7)), "levels": 3},
            hidden=True,
        ),
    ),
    mistakes=(
        Mistake(
            name="input_not_counted",
            why="You returned one level too many: the input is level 1, so `levels` levels take "
            "`levels - 1` rounds of attention.",
            change={"range(levels - 1)": "range(levels)"},
        ),
        Mistake(
            name="input_left_out",
            why="The input is level 1 and belongs into the result, as its first entry.",
            change={"torch.stack(found)": "torch.stack(found[1:])"},
        ),
        Mistake(
            name="scores_from_the_input",
            why="Every level used the scores of the input; the words have changed since, and each "
            "level compares the vectors of the level before it.",
            change={
                "weights = torch.softmax(x @ x.transpose(-2, -1), dim=-1)": (
                    "weights = torch.softmax(found[0] @ found[0].transpose(-2, -1), dim=-1)"
                )
            },
        ),
        Mistake(
            name="values_from_the_input",
            why="Each level averages the vectors of the level before it; you averaged the input "
            "again and again.",
            change={"weights @ x": "weights @ found[0]"},
        ),
        Mistake(
            name="softmax_over_queries",
            why="The softmax runs over the wrong axis: each row of weights must sum to 1, so that "
            "each word receives a weighted *mean* of the others.",
            change={"dim=-1": "dim=-2"},
        ),
        Mistake(
            name="scaled",
            why="You divided the scores by √D. It is a good idea, and the chapter comes to it, but "
            "this form has plain dot products.",
            change={"x @ x.transpose(-2, -1)": "x @ x.transpose(-2, -1) / x.shape[-1] ** 0.5"},
        ),
        Mistake(
            name="residual_added",
            why="You added the old vector to the mean. That is the residual connection of a later "
            "chapter; here the new vector replaces the old one.",
            change={"x = weights @ x": "x = x + weights @ x"},
        ),
        Mistake(
            name="last_level_alone",
            why="Only the last level came back; the levels in between are wanted too, stacked "
            "along a new first axis.",
            change={"torch.stack(found)": "x"},
        ),
        Mistake(
            name="levels_after_the_batch",
            why="The axis of the levels comes first, before the batch axes.",
            change={"torch.stack(found)": "torch.stack(found, dim=-3)"},
        ),
    ),
    variants=(
        """
def iterated_self_attention(x, levels):
    out = x.new_empty(levels, *x.shape)
    out[0] = x
    for k in range(1, levels):
        scores = torch.einsum("...id,...jd->...ij", x, x)
        scores = (scores - scores.amax(-1, keepdim=True)).exp()
        x = torch.einsum("...ij,...jd->...id", scores / scores.sum(-1, keepdim=True), x)
        out[k] = x
    return out
""",
        """
def iterated_self_attention(x, levels):
    if levels == 1:
        return x[None]
    mixed = []
    for i in range(x.shape[-2]):
        scores = (x * x[..., i : i + 1, :]).sum(-1, keepdim=True)
        mixed.append((scores.softmax(-2) * x).sum(-2))
    rest = iterated_self_attention(torch.stack(mixed, dim=-2), levels - 1)
    return torch.cat([x[None], rest])
""",
    ),
)


# --- entropy -----------------------------------------------------------------------------------


def _rows(rng, *shape, spread=1.0):
    scores = spread * rng.standard_normal(shape)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True)


def _with_zeros(rng):
    weights = _rows(rng, 3, 5) * np.array([[1, 1, 0, 1, 0], [0, 1, 1, 1, 1], [1, 0, 0, 0, 1]])
    return {"weights": weights / weights.sum(-1, keepdims=True)}


entropy = Exercise(
    symbol="entropy",
    title="How evenly attention is spread",
    section="scaling",
    hint="0 · ln 0 counts as 0, but 0 · (−∞) is NaN on a computer: see to it that the logarithm "
    "never meets a zero.",
    forbidden=("torch.special.entr", "torch.distributions.Categorical"),
    equivalent={
        "logs = torch.where(weights > 0, weights, 2.0).log()": (
            "any finite logarithm will do: it is multiplied by the weight 0"
        ),
    },
    cases=(
        Case("rows of a softmax", lambda rng: {"weights": _rows(rng, 3, 5)}, grad=("weights",)),
        Case("a batch", lambda rng: {"weights": _rows(rng, 2, 3, 7)}, grad=("weights",)),
        Case("weights of zero", _with_zeros),
        Case("one row", lambda rng: {"weights": _rows(rng, 5)}, grad=("weights",), hidden=True),
        Case(
            "nearly all on one key",
            lambda rng: {"weights": _rows(rng, 3, 5, spread=30.0)},
            hidden=True,
        ),
        Case("all on one key", lambda rng: {"weights": np.eye(5)[[3, 0, 4]]}, hidden=True),
    ),
    mistakes=(
        Mistake(
            name="zero_times_infinity",
            why="A weight of 0 gave 0 · ln 0 = 0 · (−∞) = NaN; such a weight adds nothing.",
            change={"torch.where(weights > 0, weights, 1.0).log()": "weights.log()"},
        ),
        Mistake(
            name="in_bits",
            why="You took the logarithm to base 2, which gives bits; nats are asked for, so take "
            "the natural logarithm.",
            change={".log()": ".log2()"},
        ),
        Mistake(
            name="mean_over_keys",
            why="The entropy is the *sum* of −p ln p over the keys, not their mean.",
            change={".sum(dim=-1)": ".mean(dim=-1)"},
        ),
        Mistake(
            name="sum_over_queries",
            why="You summed over the queries; each query has an entropy of its own, a sum over "
            "its keys, which are on the last axis.",
            change={".sum(dim=-1)": ".sum(dim=0)"},
        ),
        Mistake(
            name="sum_over_everything",
            why="You summed over all axes and got one number; one per query is wanted.",
            change={".sum(dim=-1)": ".sum()"},
        ),
        Mistake(
            name="no_minus",
            why="ln p is negative for p < 1: the minus sign in front of the sum is missing.",
            change={"return -(": "return ("},
        ),
        Mistake(
            name="softmax_again",
            why="The weights came out of a softmax already; a second one makes them more even "
            "than they are.",
            change={"return -(": "weights = torch.softmax(weights, -1)\n    return -("},
        ),
    ),
    variants=(
        """
def entropy(weights):
    return -torch.xlogy(weights, weights).sum(-1)
""",
        """
def entropy(weights):
    surprise = -weights.clamp(min=torch.finfo(weights.dtype).tiny).log()
    return torch.einsum("...k,...k->...", weights, surprise)
""",
    ),
)


# --- masks -------------------------------------------------------------------------------------

causal_mask = Exercise(
    symbol="causal_mask",
    title="No look into the future",
    section="masks",
    hint="Row i is the query at position i. Which columns j may it see? `torch.tril` keeps a "
    "triangle; comparing two `arange` does it too.",
    cases=(
        Case("five positions", lambda rng: {"length": 5}),
        Case("one position", lambda rng: {"length": 1}),
        Case("many positions", lambda rng: {"length": int(rng.integers(7, 20))}, hidden=True),
    ),
    mistakes=(
        Mistake(
            name="not_oneself",
            why="A position may look at itself; you left the diagonal out, so the first position "
            "has nothing to look at.",
            change={".tril()": ".tril(-1)"},
        ),
        Mistake(
            name="future_alone",
            why="This is the other triangle: each query sees itself and the future. Rows are "
            "queries, columns are keys.",
            change={".tril()": ".triu()"},
        ),
        Mistake(
            name="true_means_blocked",
            why="Here True means *may attend*, as in `F.scaled_dot_product_attention`; in "
            "`nn.MultiheadAttention` it means blocked, and that is the mask you built.",
            change={".tril()": ".triu(1)"},
        ),
        Mistake(
            name="numbers",
            why="A boolean mask is wanted; you returned ones and zeros.",
            change={"dtype=torch.bool, ": ""},
        ),
        Mistake(
            name="additive",
            why="This is the additive mask of 0 and −∞; the boolean one is asked for.",
            change={
                "torch.ones(length, length, dtype=torch.bool, device=device).tril()": (
                    "torch.full((length, length), -math.inf).triu(1)"
                )
            },
        ),
    ),
    variants=(
        """
def causal_mask(length, *, device=None):
    t = torch.arange(length, device=device)
    return t[None, :] <= t[:, None]
""",
        """
def causal_mask(length, *, device=None):
    rows = [[True] * (i + 1) + [False] * (length - i - 1) for i in range(length)]
    return torch.tensor(rows, device=device)
""",
    ),
)

padding_mask = Exercise(
    symbol="padding_mask",
    title="No look at the padding",
    section="masks",
    hint="Compare the position of each key with the length of its sequence, by broadcasting "
    "(B, 1) against (T,); then put in the axis of the queries.",
    cases=(
        Case("three sequences", lambda rng: {"lengths": np.array([3, 5, 2]), "longest": 5}),
        Case("padded further", lambda rng: {"lengths": np.array([2, 7]), "longest": 11}),
        Case("an empty sequence", lambda rng: {"lengths": np.array([3, 0]), "longest": 3}),
        Case(
            "many sequences",
            lambda rng: {"lengths": rng.integers(0, 14, 7), "longest": 13},
            hidden=True,
        ),
        Case("one sequence", lambda rng: {"lengths": np.array([2]), "longest": 3}, hidden=True),
    ),
    mistakes=(
        Mistake(
            name="true_means_padding",
            why="You marked the padding; here True means *may attend*, so the real positions are "
            "the ones to mark.",
            change={") < lengths[:, None]": ") >= lengths[:, None]"},
        ),
        Mistake(
            name="one_too_many",
            why="Positions count from 0: a sequence of length 3 has the positions 0, 1 and 2, so "
            "compare with <, not with ≤.",
            change={") < lengths[:, None]": ") <= lengths[:, None]"},
        ),
        Mistake(
            name="no_axis_for_the_queries",
            why="(B, T) does not broadcast to (B, queries, keys) as you mean it: torch would take "
            "B for the queries. Put an axis of size 1 between the two.",
            change={"real[:, None, :]": "real"},
        ),
        Mistake(
            name="masks_the_queries",
            why="(B, T, 1) hides whole queries and still lets the others look at the padding; the "
            "keys are on the last axis.",
            change={"real[:, None, :]": "real[:, :, None]"},
        ),
        Mistake(
            name="hides_the_queries_too",
            why="You hid the rows of the padding as well as its columns; what a padded position "
            "finds is thrown away anyway, and a row without any key is the one case in which the "
            "softmax fails.",
            change={"real[:, None, :]": "real[:, None, :] & real[:, :, None]"},
        ),
        Mistake(
            name="padding_in_front",
            why="You took the *last* positions of each sequence as the real ones; the padding "
            "follows the sequence.",
            change={
                ") < lengths[:, None]": ") >= longest - lengths[:, None]",
            },
        ),
        Mistake(
            name="longest_of_the_batch",
            why="The batch is `longest` positions wide, which may be more than its longest "
            "sequence: build the mask that wide.",
            change={"torch.arange(longest,": "torch.arange(int(lengths.max()),"},
        ),
    ),
    variants=(
        """
def padding_mask(lengths, longest):
    mask = torch.zeros(len(lengths), 1, longest, dtype=torch.bool, device=lengths.device)
    for row, length in zip(mask, lengths.tolist()):
        row[:, :length] = True
    return mask
""",
        """
def padding_mask(lengths, longest):
    positions = torch.ones(len(lengths), 1, longest, device=lengths.device).cumsum(-1)
    return ~torch.gt(positions, lengths.view(-1, 1, 1))
""",
    ),
)

additive_mask = Exercise(
    symbol="additive_mask",
    title="The same mask, to be added",
    section="masks",
    hint="Multiplying with infinity is a trap: 0 · ∞ is NaN. Fill or choose instead.",
    cases=(
        Case("a mask for each query", lambda rng: {"mask": rng.random((3, 5)) < 0.5}),
        Case("a padding mask", lambda rng: {"mask": np.arange(7) < np.array([[[3]], [[5]]])}),
        Case("everything allowed", lambda rng: {"mask": np.ones((2, 3), bool)}, hidden=True),
        Case("nothing allowed", lambda rng: {"mask": np.zeros((2, 3), bool)}, hidden=True),
    ),
    mistakes=(
        Mistake(
            name="zero_times_infinity",
            why="(1 − mask) · (−∞) is NaN wherever the mask allows, for 0 · ∞ is NaN: fill the "
            "blocked entries instead of multiplying.",
            change={
                "zeros.masked_fill(~mask, -math.inf)": "(~mask).to(zeros.dtype) * -math.inf",
            },
        ),
        Mistake(
            name="inverted",
            why="The −∞ stands where the mask is True; True means *may attend*, so it belongs "
            "where the mask is False.",
            change={"masked_fill(~mask": "masked_fill(mask"},
        ),
        Mistake(
            name="only_very_negative",
            why="−10⁹ is not −∞: where every key is blocked, it cancels in the softmax, and the "
            "query attends to everything evenly.",
            change={"-math.inf": "-1e9"},
        ),
        Mistake(
            name="ones_and_zeros",
            why="Adding 1 to the allowed scores and 0 to the others blocks nothing; the blocked "
            "ones must become −∞.",
            change={"zeros.masked_fill(~mask, -math.inf)": "zeros + mask"},
        ),
    ),
    variants=(
        """
def additive_mask(mask):
    return mask.to(torch.get_default_dtype()).log()
""",
        """
def additive_mask(mask):
    blocked = torch.tensor(float("-inf"), device=mask.device)
    return torch.where(mask, torch.zeros_like(blocked), blocked)
""",
    ),
)


# --- scaled dot-product attention --------------------------------------------------------------


def _qkv(rng, *batch, queries=3, keys=5, scale=1.0):
    """Queries and keys of 7 features and values of 11."""
    return {
        "query": scale * rng.standard_normal((*batch, queries, 7)),
        "key": rng.standard_normal((*batch, keys, 7)),
        "value": 10 * rng.standard_normal((*batch, keys, 11)),
    }


def _some(rng, *shape):
    """A mask that allows every query something, and forbids it something."""
    mask = rng.random(shape) < 0.5
    mask[..., 1], mask[..., 2] = True, False
    return mask


def _one_query_alone(rng):
    mask = _some(rng, 2, 3, 5)
    mask[0, 1] = mask[1, 2] = False
    return {**_qkv(rng, 2), "mask": mask}


def _very_negative(rng):
    """Scores near −11,000 at the allowed keys, of order 1 at the masked one."""
    made = _qkv(rng)
    made["query"][:, 0] = 3e4
    made["key"][:, 0] = -1
    made["key"][2, 0] = 0
    return {**made, "mask": np.array([[True, True, False, True, True]])}


ATTENTION = ("query", "key", "value")

scaled_dot_product_attention = Exercise(
    symbol="scaled_dot_product_attention",
    title="Scaled dot-product attention",
    section="scaled-dot-product-attention",
    equivalent={
        "weights = torch.softmax((scores), dim=-1)": (
            "the NaN of such a row is replaced after the softmax, and masked_fill stops its "
            "gradient; detect_anomaly alone would complain"
        ),
        "weights = torch.softmax(scores.masked_fill(alone, 1.0), dim=-1)": (
            "any finite number will do: the row is replaced by zeros"
        ),
    },
    hint="Scores, scale, mask, softmax over the keys, weighted sum, in this order. For a query "
    "without a single key the softmax is 0/0: decide what it gets before it is computed.",
    forbidden=READY_MADE,
    cases=(
        Case("no mask", _qkv, 2, grad=ATTENTION),
        Case("a batch", lambda rng: _qkv(rng, 2), grad=ATTENTION),
        Case(
            "a mask for each query",
            lambda rng: {**_qkv(rng, 2), "mask": _some(rng, 2, 3, 5)},
            2,
            grad=ATTENTION,
        ),
        Case(
            "a causal mask",
            lambda rng: {**_qkv(rng, queries=5), "mask": np.tri(5, dtype=bool)},
            grad=ATTENTION,
        ),
        Case(
            "a padding mask",
            lambda rng: {**_qkv(rng, 2), "mask": np.arange(5) < np.array([[[3]], [[4]]])},
            grad=ATTENTION,
        ),
        Case("a query whose every key is masked", _one_query_alone, 2, grad=ATTENTION),
        Case("scores in the thousands", lambda rng: _qkv(rng, scale=5e3)),
        Case("allowed scores that are very negative", _very_negative),
        Case(
            "two batch axes, one mask for all",
            lambda rng: {**_qkv(rng, 2, 13), "mask": _some(rng, 3, 5)},
            grad=ATTENTION,
            hidden=True,
        ),
        Case(
            "nothing allowed",
            lambda rng: {**_qkv(rng, 2), "mask": np.zeros((3, 5), bool)},
            grad=ATTENTION,
            hidden=True,
        ),
        Case("one query", lambda rng: _qkv(rng, queries=1), grad=ATTENTION, hidden=True),
        Case(
            "a mask of one row",
            lambda rng: {**_qkv(rng, 2), "mask": _some(rng, 5)},
            grad=ATTENTION,
            hidden=True,
        ),
    ),
    mistakes=(
        Mistake(
            name="not_scaled",
            why="The division by √d_k is missing: the scores are √d_k times too large, and the "
            "softmax is too sharp.",
            change={" / math.sqrt(query.shape[-1])": ""},
        ),
        Mistake(
            name="scaled_by_d_k",
            why="You divided by d_k; its square root is the standard deviation of a dot product of "
            "d_k terms, and that is what brings the scores back to variance 1.",
            change={"math.sqrt(query.shape[-1])": "query.shape[-1]"},
        ),
        Mistake(
            name="scaled_by_d_v",
            why="You divided by the root of d_v, the size of the values; the scores are sums over "
            "the d_k features of queries and keys.",
            change={"math.sqrt(query.shape[-1])": "math.sqrt(value.shape[-1])"},
        ),
        Mistake(
            name="scaled_by_keys",
            why="You divided by the root of the number of keys; the scores are sums over the d_k "
            "features, so d_k is what counts.",
            change={"math.sqrt(query.shape[-1])": "math.sqrt(key.shape[-2])"},
        ),
        Mistake(
            name="multiplied_by_root",
            why="You multiplied by √d_k where it must divide.",
            change={"/ math.sqrt(query.shape[-1])": "* math.sqrt(query.shape[-1])"},
        ),
        Mistake(
            name="softmax_over_queries",
            why="The softmax runs over the queries. Each query distributes its attention over the "
            "keys, so it belongs on the last axis, and each row sums to 1.",
            change={
                "torch.softmax(scores, dim=-1)": "torch.softmax(scores, dim=-2)",
                "masked_fill(alone, 0.0), dim=-1)": "masked_fill(alone, 0.0), dim=-2)",
            },
        ),
        Mistake(
            name="keys_reshaped",
            why="`view` or `reshape` keeps the numbers in their order and only cuts the rows "
            "elsewhere; Kᵀ swaps rows and columns, with `transpose(-2, -1)`.",
            change={
                "key.transpose(-2, -1)": (
                    "key.reshape(*key.shape[:-2], key.shape[-1], key.shape[-2])"
                )
            },
        ),
        Mistake(
            name="batch_transposed",
            why="`transpose(0, 1)` swaps the first two axes, and with a batch those are not the "
            "keys and their features; count from the end: `transpose(-2, -1)`.",
            change={"key.transpose(-2, -1)": "key.transpose(0, 1)"},
        ),
        Mistake(
            name="mask_inverted",
            why="The mask works the wrong way round: True means *may attend* here, as in "
            "`F.scaled_dot_product_attention`, while `nn.MultiheadAttention` blocks where True.",
            change={
                "masked_fill(~mask, -math.inf)": "masked_fill(mask, -math.inf)",
                "~mask.any(dim=-1": "mask.all(dim=-1",
            },
        ),
        Mistake(
            name="mask_after_softmax",
            why="You set weights to 0 after the softmax, so a row no longer sums to 1; masked "
            "keys must leave the sum as well, by a score of −∞ before the softmax.",
            change={
                "scores = scores.masked_fill(~mask, -math.inf)\n": "",
                "scores.masked_fill(alone, 0.0)": "scores",
                "weights.masked_fill(alone, 0.0)": "weights.masked_fill(~mask, 0.0)",
            },
        ),
        Mistake(
            name="masked_scores_zero",
            why="You set masked scores to 0, and exp(0) = 1 is a weight like any other; a score "
            "of −∞ has the exponential 0.",
            change={"-math.inf": "0.0"},
        ),
        Mistake(
            name="mask_ignored",
            why="The mask makes no difference to your result.",
            change={"if mask is None:": "if True:"},
        ),
        Mistake(
            name="minus_1e9",
            why="You filled with −10⁹ in place of −∞. A query whose every key is masked then "
            "attends to all of them evenly, for equal scores cancel; it must get zeros.",
            change={
                "-math.inf": "-1e9",
                "scores.masked_fill(alone, 0.0)": "scores",
                "weights.masked_fill(alone, 0.0)": "weights",
            },
        ),
        Mistake(
            name="minus_1e4",
            why="You filled with −10⁴ in place of −∞: scores below that are possible, and then "
            "the masked key wins.",
            change={
                "-math.inf": "-1e4",
                "scores.masked_fill(alone, 0.0)": "scores",
                "weights.masked_fill(alone, 0.0)": "weights",
            },
        ),
        Mistake(
            name="nan_without_keys",
            why="A query whose every key is masked has only scores of −∞, and its softmax is 0/0, "
            "which is NaN; it must get zeros.",
            change={
                "scores.masked_fill(alone, 0.0)": "scores",
                "weights.masked_fill(alone, 0.0)": "weights",
            },
        ),
        Mistake(
            name="nan_in_the_gradient",
            why="You replaced the NaN after the softmax: the values are right, but the gradient "
            "still passes through the NaN. Give such a row finite scores before the softmax.",
            change={
                "scores.masked_fill(~mask, -math.inf)": (
                    "scores + torch.zeros_like(scores).masked_fill(~mask, -math.inf)"
                ),
                "scores.masked_fill(alone, 0.0)": "scores",
                "weights.masked_fill(alone, 0.0)": "torch.nan_to_num(weights)",
            },
        ),
        Mistake(
            name="exp_overflows",
            why="exp of a score in the thousands is infinite, and ∞/∞ is NaN; subtract the "
            "largest score of each row first, as `torch.softmax` does.",
            change={
                "torch.softmax(scores, dim=-1) @": (
                    "(scores.exp() / scores.exp().sum(dim=-1, keepdim=True)) @"
                ),
            },
        ),
    ),
    variants=(
        """
def scaled_dot_product_attention(query, key, value, mask=None):
    scores = torch.einsum("...qd,...kd->...qk", query * query.shape[-1] ** -0.5, key)
    if mask is None:
        mask = torch.ones((), dtype=torch.bool, device=query.device)
    allowed = mask.expand(scores.shape)
    top = scores.masked_fill(~allowed, -math.inf).amax(-1, keepdim=True)
    top = torch.where(top.isfinite(), top, 0.0).detach()
    raised = torch.where(allowed, torch.where(allowed, scores - top, 0.0).exp(), 0.0)
    total = raised.sum(-1, keepdim=True)
    weights = raised / torch.where(total > 0, total, 1.0)
    return torch.einsum("...qk,...kv->...qv", weights, value)
""",
        """
def scaled_dot_product_attention(query, key, value, mask=None):
    scores = query.matmul(key.mT).div(query.size(-1) ** 0.5)
    if mask is None:
        return scores.softmax(-1).matmul(value)
    weights = torch.where(mask, scores, -torch.inf).softmax(-1)
    return weights.masked_fill(~mask, 0.0).matmul(value)
""",
    ),
)


# --- the layer ---------------------------------------------------------------------------------


def _layer(rng, *batch, causal=False, bias=False, mask=None, positions=11):
    """A layer from 5 features to values of 7, through queries and keys of 3."""
    sizes = {"query": 3, "key": 3, "value": 7}
    state = {f"{name}.weight": 0.5 * rng.standard_normal((size, 5)) for name, size in sizes.items()}
    if bias:
        state |= {f"{name}.bias": 0.3 * rng.standard_normal(size) for name, size in sizes.items()}
    args = {"x": 0.7 * rng.standard_normal((*batch, positions, 5))}
    return Call(
        init={"embed_dim": 5, "d_k": 3, "d_v": 7, "causal": causal, "bias": bias},
        state=state,
        args=args if mask is None else {**args, "mask": mask},
    )


_PADDED = np.arange(11) < np.array([[[4]], [[9]]])

self_attention = Exercise(
    symbol="SelfAttention",
    title="Self-attention as a layer",
    section="self-attention-layer",
    hint="Three `nn.Linear` in the constructor. In `forward`, combine the two masks if there are "
    "two, then call what you have written already.",
    forbidden=READY_MADE,
    needs=("scaled_dot_product_attention", "causal_mask"),
    cases=(
        Case("a batch", lambda rng: _layer(rng, 2), 2, grad=("x",)),
        Case("causal", lambda rng: _layer(rng, 2, causal=True), grad=("x",)),
        Case("a padding mask", lambda rng: _layer(rng, 2, mask=_PADDED), grad=("x",)),
        Case(
            "causal, with a padding mask",
            lambda rng: _layer(rng, 2, causal=True, mask=_PADDED),
            grad=("x",),
        ),
        Case("with biases", lambda rng: _layer(rng, bias=True, positions=3), grad=("x",)),
        Case("no batch", lambda rng: _layer(rng, positions=13), grad=("x",), hidden=True),
        Case(
            "causal, and a mask that leaves some queries nothing",
            lambda rng: _layer(rng, 2, causal=True, mask=np.arange(11) >= np.array([[[2]], [[5]]])),
            grad=("x",),
            hidden=True,
        ),
        Case("two batch axes", lambda rng: _layer(rng, 2, 3), grad=("x",), hidden=True),
    ),
    mistakes=(
        Mistake(
            name="query_and_key_swapped",
            why="Queries and keys changed places: row i must hold how much position i looks at "
            "each j, not how much each j looks at i.",
            change={"self.query(x), self.key(x)": "self.key(x), self.query(x)"},
        ),
        Mistake(
            name="one_projection_for_both",
            why="The keys are made with the query's weights. What a word looks for and what it "
            "can be found by are two different things, hence two projections.",
            change={"self.query(x), self.key(x)": "self.query(x), self.query(x)"},
        ),
        Mistake(
            name="values_not_projected",
            why="The input itself is averaged; the values are its third projection, of size d_v.",
            change={"self.value(x)": "x"},
        ),
        Mistake(
            name="bias_not_asked_for",
            why="`nn.Linear` has a bias unless it is told otherwise; hand on `bias`, which is "
            "False here by default.",
            change={
                "self.query = nn.Linear(embed_dim, d_k, bias=bias)": (
                    "self.query = nn.Linear(embed_dim, d_k)"
                ),
                "self.key = nn.Linear(embed_dim, d_k, bias=bias)": (
                    "self.key = nn.Linear(embed_dim, d_k)"
                ),
                "self.value = nn.Linear(embed_dim, d_v, bias=bias)": (
                    "self.value = nn.Linear(embed_dim, d_v)"
                ),
            },
        ),
        Mistake(
            name="mask_not_handed_on",
            why="The mask is built and then not passed to the attention: everybody looks at "
            "everything, the future and the padding included.",
            change={"self.value(x), mask)": "self.value(x))"},
        ),
        Mistake(
            name="never_causal",
            why="`causal=True` makes no difference to your result.",
            change={"if self.causal:": "if False:"},
        ),
        Mistake(
            name="causal_forgets_the_mask",
            why="A causal layer ignores the mask it is given; a key must be allowed by both.",
            change={"past if mask is None else mask & past": "past"},
        ),
        Mistake(
            name="mask_forgets_the_past",
            why="As soon as there is a mask, your layer is no longer causal; a key must be "
            "allowed by both.",
            change={"if self.causal:": "if self.causal and mask is None:"},
        ),
        Mistake(
            name="masks_joined_by_or",
            why="You joined the masks with `|`, which allows what *either* allows; both must, "
            "and that is `&`.",
            change={"mask & past": "mask | past"},
        ),
        Mistake(
            name="scaled_twice",
            why="The scores are divided by √d_k twice: `scaled_dot_product_attention` does it "
            "already.",
            change={"self.query(x)": "self.query(x) / self.query.out_features**0.5"},
        ),
    ),
    variants=(
        """
class SelfAttention(nn.Module):
    def __init__(self, embed_dim, *, d_k, d_v, causal=False, bias=False):
        super().__init__()
        for name, size in (("query", d_k), ("key", d_k), ("value", d_v)):
            self.add_module(name, nn.Linear(embed_dim, size, bias))
        self.causal = causal

    def forward(self, x, mask=None):
        allowed = torch.ones(x.shape[-2], x.shape[-2], dtype=torch.bool, device=x.device)
        if self.causal:
            allowed = allowed.tril()
        if mask is not None:
            allowed = allowed & mask
        parts = [self.query, self.key, self.value]
        weight = torch.cat([part.weight for part in parts])
        bias = None if self.query.bias is None else torch.cat([part.bias for part in parts])
        q, k, v = torch.nn.functional.linear(x, weight, bias).split(
            [part.out_features for part in parts], dim=-1
        )
        scores = torch.einsum("...qd,...kd->...qk", q, k) / q.shape[-1] ** 0.5
        weights = scores.masked_fill(~allowed, -math.inf).softmax(-1).masked_fill(~allowed, 0.0)
        return weights @ v
""",
        """
class Projection(nn.Module):
    def __init__(self, size_in, size_out, bias):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(size_out, size_in) / size_in**0.5)
        self.register_parameter("bias", nn.Parameter(torch.zeros(size_out)) if bias else None)


class SelfAttention(nn.Module):
    def __init__(self, embed_dim, *, d_k, d_v, causal=False, bias=False):
        super().__init__()
        self.query = Projection(embed_dim, d_k, bias)
        self.key = Projection(embed_dim, d_k, bias)
        self.value = Projection(embed_dim, d_v, bias)
        self.causal = causal

    def forward(self, x, mask=None):
        projected = []
        for part in (self.query, self.key, self.value):
            out = x @ part.weight.transpose(0, 1)
            projected.append(out if part.bias is None else out + part.bias)
        masks = [] if mask is None else [mask]
        if self.causal:
            masks.append(causal_mask(x.shape[-2], device=x.device))
        both = None
        for each in masks:
            both = each if both is None else torch.logical_and(both, each)
        return scaled_dot_product_attention(*projected, mask=both)
""",
    ),
)


# --- cost --------------------------------------------------------------------------------------


def _cost(layer, length, features, width):
    return lambda rng: {"layer": layer, "length": length, "features": features, "width": width}


operations = Exercise(
    symbol="operations",
    title="Operations of three layers",
    section="cost",
    hint="A product of (a, b) with (b, c) takes a · b · c multiply-adds. List the matrix products "
    "of a layer with their shapes, and add up.",
    cases=(
        Case("attention", _cost("attention", 13, 7, 3)),
        Case("recurrent", _cost("recurrent", 13, 7, 3)),
        Case("convolution", _cost("convolution", 13, 7, 5)),
        Case("attention, T over D", _cost("attention", 1009, 31, 3), hidden=True),
        Case("recurrent, T under D", _cost("recurrent", 11, 101, 3), hidden=True),
        Case("a wide convolution", _cost("convolution", 53, 17, 23), hidden=True),
    ),
    mistakes=(
        Mistake(
            name="no_projections",
            why="The queries, keys and values are computed too: three products of (T, D) with "
            "(D, D), which the table of Vaswani et al. leaves out.",
            change={"3 * length * features**2 + 2 *": "2 *"},
        ),
        Mistake(
            name="output_projection",
            why="A fourth D × D product mixes the heads of a Transformer's attention; this layer "
            "has one head and three projections.",
            change={"3 * length * features**2": "4 * length * features**2"},
        ),
        Mistake(
            name="no_weighted_sum",
            why="There are two products with T² in them: Q Kᵀ, and the weights times V.",
            change={"2 * length**2 * features": "length**2 * features"},
        ),
        Mistake(
            name="recurrence_without_input",
            why="Each step of a recurrence has two products: one for the hidden state and one "
            "for the input.",
            change={'"recurrent": 2 * length': '"recurrent": length'},
        ),
        Mistake(
            name="convolution_without_channels",
            why="At each of its positions the kernel mixes all D input features into each of D "
            "output features: D² for every position it covers, not D.",
            change={"width * length * features**2": "width * length * features"},
        ),
        Mistake(
            name="width_forgotten",
            why="A convolution has one D × D matrix for each of the `width` positions that its "
            "kernel covers.",
            change={"width * length * features**2": "length * features**2"},
        ),
        Mistake(
            name="twice",
            why="You counted a multiply-add as two operations, as FLOP counters do; here it "
            "counts as one.",
            change={"return count[layer]": "return 2 * count[layer]"},
        ),
    ),
    variants=(
        """
def operations(layer, *, length, features, width=3):
    def product(a, b, c):
        return a * b * c

    if layer == "attention":
        shapes = [(length, features, features)] * 3
        shapes += [(length, features, length), (length, length, features)]
    elif layer == "recurrent":
        shapes = [(1, features, features)] * (2 * length)
    else:
        shapes = [(length, width * features, features)]
    return sum(product(*shape) for shape in shapes)
""",
        """
def operations(layer, *, length, features, width=3):
    if layer == "attention":
        return length * features * (3 * features + 2 * length)
    return length * features * features * {"recurrent": 2, "convolution": width}[layer]
""",
    ),
)


def _steps(layer, length):
    return lambda rng: {"layer": layer, "length": length}


serial_steps = Exercise(
    symbol="serial_steps",
    title="What has to wait",
    section="cost",
    hint="Ask of each matrix product which others it needs the result of, and follow the longest "
    "chain. Three projections of one input need nothing from each other.",
    cases=(
        Case("attention", _steps("attention", 13)),
        Case("recurrent", _steps("recurrent", 13)),
        Case("convolution", _steps("convolution", 13)),
        Case("attention over a long text", _steps("attention", 1009), hidden=True),
        Case("recurrent, two positions", _steps("recurrent", 2), hidden=True),
        Case("convolution over a long text", _steps("convolution", 1009), hidden=True),
    ),
    mistakes=(
        Mistake(
            name="all_products_counted",
            why="Attention has five products, but the three projections need nothing from each "
            "other and run at once: they are one step of the chain.",
            change={'"attention": 3': '"attention": 5'},
        ),
        Mistake(
            name="attention_in_one",
            why="O(1) means that the number does not grow with T, not that it is 1: the scores "
            "wait for the projections, and the weighted mean waits for the scores.",
            change={'"attention": 3': '"attention": 1'},
        ),
        Mistake(
            name="inputs_wait_too",
            why="Each step has two products, but W x_t needs no hidden state: all of those can be "
            "done before the recurrence begins, and only the other T are left in the chain.",
            change={'"recurrent": length': '"recurrent": 2 * length'},
        ),
        Mistake(
            name="steps_between",
            why="T − 1 is the way from the first position to the last; the first position has a "
            "product of its own in front of it.",
            change={'"recurrent": length': '"recurrent": length - 1'},
        ),
        Mistake(
            name="convolution_walks",
            why="The kernel is written as if it slid, but no output of a convolution needs another "
            "output: all positions are computed at once.",
            change={'"convolution": 1': '"convolution": length'},
        ),
    ),
    variants=(
        """
def serial_steps(layer, *, length):
    if layer == "recurrent":
        return length
    return {"attention": len(["project", "score", "mix"]), "convolution": 1}[layer]
""",
        """
def serial_steps(layer, *, length):
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
""",
    ),
)


def _path(layer, length, width=3):
    return lambda rng: {"layer": layer, "length": length, "width": width}


path_length = Exercise(
    symbol="path_length",
    title="How far a signal has to travel",
    section="cost",
    hint="The last position is T − 1 positions away from the first. How many of them does one "
    "hop of each kind cover?",
    cases=(
        Case("attention", _path("attention", 13)),
        Case("recurrent", _path("recurrent", 13)),
        Case("convolution", _path("convolution", 22, 4)),
        Case("convolution that does not come out even", _path("convolution", 18, 4)),
        Case("recurrent, two positions", _path("recurrent", 2), hidden=True),
        Case("a narrow convolution", _path("convolution", 29, 2), hidden=True),
        Case("a convolution wider than the sequence", _path("convolution", 5, 11), hidden=True),
    ),
    mistakes=(
        Mistake(
            name="rounded_down",
            why="You rounded down: a layer that covers part of the rest is still needed.",
            change={"math.ceil((length - 1) / (width - 1))": "(length - 1) // (width - 1)"},
        ),
        Mistake(
            name="whole_width",
            why="A causal kernel of width w reaches back w − 1 positions, since one of the w is "
            "its own.",
            change={"(length - 1) / (width - 1)": "length / width"},
        ),
        Mistake(
            name="steps_not_hops",
            why="From the first of T positions to the last there are T − 1 steps, not T.",
            change={'"recurrent": length - 1': '"recurrent": length'},
        ),
        Mistake(
            name="dilated",
            why="log T holds for dilated convolutions, whose reach doubles from layer to layer; "
            "with plain kernels each layer adds the same w − 1 positions.",
            change={
                "math.ceil((length - 1) / (width - 1))": "math.ceil(math.log(length, width))",
            },
        ),
        Mistake(
            name="attention_walks",
            why="Attention compares the last position with the first directly: one hop, whatever "
            "lies between them.",
            change={'"attention": 1': '"attention": length - 1'},
        ),
    ),
    variants=(
        """
def path_length(layer, *, length, width=3):
    reach = {"attention": length - 1, "recurrent": 1, "convolution": width - 1}[layer]
    hops, at = 0, 0
    while at < length - 1:
        at += reach
        hops += 1
    return hops
""",
        """
def path_length(layer, *, length, width=3):
    if layer == "attention":
        return 1
    step = 1 if layer == "recurrent" else width - 1
    return -(-(length - 1) // step)
""",
    ),
)

EXERCISES = (
    soft_lookup,
    iterated_self_attention,
    entropy,
    causal_mask,
    padding_mask,
    additive_mask,
    scaled_dot_product_attention,
    self_attention,
    operations,
    serial_steps,
    path_length,
)
