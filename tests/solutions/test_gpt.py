"""`solutions.gpt` against transformers, and by counting everything that can happen."""

import functools
import itertools
import math
from collections import Counter
from functools import partial

import draws
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file
from torch.nn import functional as F
from transformers import (
    GPT2Config,
    GPT2LMHeadModel,
    MixtralConfig,
    SwitchTransformersConfig,
    generation,
)
from transformers.models.mixtral import modeling_mixtral
from transformers.models.switch_transformers import modeling_switch_transformers

from solutions.fit import fit
from solutions.gpt import (
    GPT,
    Cache,
    MixtureOfExperts,
    acceptance,
    cached,
    capacity,
    causal_loss,
    compute_optimal,
    expected_tokens,
    filtered,
    fit_power_law,
    from_gpt2,
    generate,
    load_balance,
    min_p,
    perplexity,
    repetition_penalty,
    residual,
    route,
    speculate,
    speculative_step,
    tempered,
    text_losses,
    top_k,
    top_p,
    windows,
    within_capacity,
)

draw = partial(draws.draw, scale=2)


# the model

SIZES = {"embed_dim": 12, "num_heads": 3, "num_layers": 2}


@pytest.fixture(scope="module")
def theirs():
    """GPT-2 of another library, with weights that are large enough to matter."""
    torch.manual_seed(0)
    made = {"vocab_size": 23, "n_positions": 17, "n_embd": 12, "n_head": 3, "n_layer": 2}
    config = GPT2Config(**made, bos_token_id=0, eos_token_id=0)
    model = GPT2LMHeadModel(config).double().eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    return model


@pytest.fixture
def ours(theirs):
    model = GPT(23, longest=17, **SIZES).double().eval()
    model.load_state_dict(from_gpt2(theirs.state_dict()))
    return model


def test_weights_load_from_a_file_of_transformers(rng, theirs, ours, tmp_path):
    theirs.save_pretrained(tmp_path)
    state = load_file(tmp_path / "model.safetensors")
    assert "lm_head.weight" not in state  # tied, and stored once
    model = GPT(23, longest=17, **SIZES).double().eval()
    model.load_state_dict(from_gpt2(state))
    tokens = torch.randint(23, (3, 11), generator=rng)
    expected, found = theirs(tokens).logits, model(tokens)
    torch.testing.assert_close(found, expected, rtol=1e-10, atol=1e-10)
    torch.testing.assert_close(ours(tokens), expected, rtol=1e-10, atol=1e-10)
    in_float32 = theirs(tokens, labels=tokens).loss.double()
    torch.testing.assert_close(causal_loss(found, tokens), in_float32, rtol=1e-5, atol=0)
    causal_loss(found, tokens).backward()
    F.cross_entropy(expected[:, :-1].transpose(1, 2), tokens[:, 1:]).backward()
    slopes = {name: parameter.grad for name, parameter in theirs.named_parameters()}
    for name, expected in from_gpt2(slopes).items():
        torch.testing.assert_close(model.get_parameter(name).grad, expected)


def test_names_of_other_files_are_known(theirs):
    state = theirs.state_dict()
    bare = {name.removeprefix("transformer."): tensor for name, tensor in state.items()}
    bare["h.0.attn.bias"] = bare["h.1.attn.masked_bias"] = torch.ones(17, 17)
    found, expected = from_gpt2(bare), from_gpt2(state)
    assert found.keys() == expected.keys()
    assert all(torch.equal(found[name], expected[name]) for name in found)


def test_the_start_of_gpt_2():
    torch.manual_seed(0)
    model = GPT(101, embed_dim=64, num_heads=4, num_layers=8, longest=53)
    assert model.head.weight is model.embed.weight
    for name, parameter in model.named_parameters():
        if "norm" in name or name.endswith("bias"):
            assert torch.equal(parameter, torch.full_like(parameter, "norm.weight" in name))
            continue
        last = name.endswith(("attention.output.weight", "feed_forward.down.weight"))
        assert parameter.std().item() == pytest.approx(0.005 if last else 0.02, rel=0.06), name


def test_the_cache_changes_no_token_and_each_is_fed_once(rng, ours):
    prompt = torch.randint(23, (3, 5), generator=rng)
    uniform = torch.rand(3, 12, generator=rng, dtype=torch.float64)
    fed = []

    def whole(tokens, before):
        tokens = tokens if before is None else torch.cat([before, tokens], dim=1)
        return ours(tokens), tokens

    def counted(tokens, state):
        fed.append(tokens.shape[1])
        return cached(ours)(tokens, state)

    with torch.no_grad():
        expected = generate(whole, prompt, uniform, p=0.9, temperature=0.7)
        assert torch.equal(generate(counted, prompt, uniform, p=0.9, temperature=0.7), expected)
    assert fed == [5] + [1] * 11
    step, state = cached(ours), None
    tokens, parts = torch.randint(23, (3, 17), generator=rng), []
    for part in tokens.split([4, 1, 7, 5], dim=1):
        logits, state = step(part, state)
        parts.append(logits)
    torch.testing.assert_close(torch.cat(parts, dim=1), ours(tokens), rtol=1e-10, atol=1e-10)
    caches, kept = state
    assert [cache.length for cache in caches] == [17, 17]
    assert torch.equal(kept, tokens)
    assert Cache().length == 0


def test_a_text_that_outgrows_the_positions_goes_on(rng, ours):
    prompt = torch.randint(23, (3, 5), generator=rng)
    uniform = torch.rand(3, 40, generator=rng, dtype=torch.float64)

    def forgetful(tokens, state):
        """Reads everything anew, but for what is forgotten."""
        whole, start = (tokens, 0) if state is None else state
        whole = whole if state is None else torch.cat([whole, tokens], dim=1)
        if whole.shape[1] - start > 17:
            start = whole.shape[1] - 8
        return ours(whole[:, start:]), (whole, start)

    found = generate(cached(ours), prompt, uniform, temperature=0.7)
    assert torch.equal(found, generate(forgetful, prompt, uniform, temperature=0.7))
    assert torch.equal(
        found[:, :13], generate(cached(ours), prompt, uniform[:, :13], temperature=0.7)
    )
    with pytest.raises(ValueError, match="17 positions, and 18 are needed"):
        generate(cached(ours), torch.zeros(1, 18, dtype=torch.int64), uniform[:1])


def test_writing_builds_no_graph(rng, ours):
    seen = []

    def step(tokens, state):
        logits = ours(tokens)
        seen.append(logits.requires_grad)
        return logits, None

    generate(step, torch.randint(23, (1, 5), generator=rng), torch.rand(1, 3, generator=rng))
    assert seen == [False] * 3
    assert ours(torch.tensor([[1]])).requires_grad


@pytest.mark.parametrize("setting", [{"k": 0}, {"p": 0.0}, {"least": 0.0}, {"temperature": -1.0}])
def test_settings_that_leave_no_token_are_refused(rng, ours, setting):
    prompt = torch.randint(23, (1, 5), generator=rng)
    with pytest.raises(ValueError, match=r"must (be|not be) "):
        generate(cached(ours), prompt, torch.rand(1, 3, generator=rng), **setting)


def test_a_run_that_was_killed_goes_on_along_the_same_curve(tmp_path):
    text = torch.randint(23, (400,), generator=torch.Generator().manual_seed(1))

    def batches(epoch):
        draw = torch.Generator().manual_seed(epoch)
        for _ in range(4):
            yield windows(text, torch.randint(380, (5,), generator=draw), 11)

    def train(epochs, **given):
        torch.manual_seed(0)
        model = GPT(23, longest=17, dropout=0.1, **SIZES)
        loss = lambda model, batch: F.cross_entropy(model(batch[0]).transpose(1, 2), batch[1])  # noqa: E731
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
        return fit(model, batches, loss=loss, optimizer=optimizer, epochs=epochs, **given)

    whole = train(3)
    train(1, checkpoint=tmp_path / "run.pt")
    resumed = train(3, checkpoint=tmp_path / "run.pt", resume=True)
    assert resumed.train_loss == whole.train_loss
    assert len(whole.train_loss) == 12


# filters


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (lambda z, said: tempered(z, 0.7), generation.TemperatureLogitsWarper(0.7)),
        (lambda z, said: top_k(z, 5), generation.TopKLogitsWarper(5)),
        (lambda z, said: top_k(z, 99), generation.TopKLogitsWarper(99)),
        (lambda z, said: top_p(z, 0.6), generation.TopPLogitsWarper(0.6)),
        (lambda z, said: top_p(z, 0.01), generation.TopPLogitsWarper(0.01)),
        (lambda z, said: top_p(z, 0.999), generation.TopPLogitsWarper(0.999)),
        (lambda z, said: min_p(z, 0.1), generation.MinPLogitsWarper(0.1)),
        (
            lambda z, said: repetition_penalty(z, said, 1.3),
            generation.RepetitionPenaltyLogitsProcessor(1.3),
        ),
    ],
)
def test_filters_do_what_those_of_transformers_do(rng, ours, theirs):
    logits, said = draw(rng, 31, 17), torch.randint(17, (31, 7), generator=rng)
    torch.testing.assert_close(ours(logits, said), theirs(said, logits), rtol=1e-12, atol=0)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(-4, 4), min_size=1, max_size=9),
    st.integers(1, 10),
    st.sampled_from([0.05, 0.31, 0.77, 1.0]),
)
def test_filters_keep_as_many_as_they_say(numbers, k, p):
    logits = torch.tensor(numbers, dtype=torch.float64)
    order = sorted(range(len(numbers)), key=lambda token: (-numbers[token], token))
    kept = top_k(logits, k).isfinite().nonzero()[:, 0].tolist()
    assert kept == sorted(order[:k])
    probability = logits.softmax(dim=0).tolist()
    number = next(
        (n for n in range(1, len(order)) if sum(probability[i] for i in order[:n]) >= p - 1e-12),
        len(order),
    )
    borders = [sum(probability[i] for i in order[:n]) for n in range(len(order))]
    if min(abs(border - p) for border in borders) > 1e-9 and p < 1:
        assert top_p(logits, p).isfinite().nonzero()[:, 0].tolist() == sorted(order[:number])
    floor = p * max(probability)
    if min(abs(one - floor) for one in probability) > 1e-9:
        kept = min_p(logits, p).isfinite().nonzero()[:, 0].tolist()
        assert kept == [i for i, one in enumerate(probability) if one > floor]


def test_filters_are_applied_one_after_the_other(rng):
    logits, said = draw(rng, 5, 23), torch.randint(23, (5, 11), generator=rng)
    given = {"penalty": 1.4, "temperature": 1.7, "k": 9, "p": 0.8, "least": 0.1}
    expected = logits
    for change in (
        generation.RepetitionPenaltyLogitsProcessor(1.4),
        generation.TemperatureLogitsWarper(1.7),
        generation.TopKLogitsWarper(9),
        generation.TopPLogitsWarper(0.8),
        generation.MinPLogitsWarper(0.1),
    ):
        expected = change(said, expected)
    torch.testing.assert_close(filtered(logits, said, **given), expected, rtol=1e-12, atol=0)
    assert torch.equal(filtered(logits, said), logits)


def test_without_heat_the_first_of_the_largest_is_left():
    cold = tempered(torch.tensor([[1.0, 3, 3, 2]]), 0)
    assert cold.tolist() == [[-math.inf, 0, -math.inf, -math.inf]]
    with pytest.raises(ValueError, match="negative"):
        tempered(cold, -1)


# writing


class Remembering:
    """Logits that depend on all tokens so far; the state is their weighted sum and number."""

    def __init__(self, table):
        self.table, self.fed = table, []

    def __call__(self, tokens, state=None):
        self.fed.append(tokens.shape[1])
        total, number = (0, 0) if state is None else state
        places = torch.arange(number + 1, number + 1 + tokens.shape[1])
        sums = total + (places * (tokens + 1)).cumsum(dim=1)
        return self.table[sums % len(self.table)], (sums[:, -1:], number + tokens.shape[1])


def test_every_token_is_fed_once_and_the_text_is_that_of_feeding_all(rng):
    model = Remembering(draw(rng, 37, 11))
    prompt = torch.randint(11, (3, 5), generator=rng)
    uniform = torch.rand(3, 13, generator=rng, dtype=torch.float64)
    found = generate(model, prompt, uniform, k=7, penalty=1.2)
    assert model.fed == [5] + [1] * 12

    def forgetful(fed, state):
        whole = fed if state is None else torch.cat([state, fed], dim=1)
        return model(whole)[0], whole

    assert torch.equal(generate(forgetful, prompt, uniform, k=7, penalty=1.2), found)
    assert generate(model, prompt, uniform[:, :0]).shape == (3, 0)


# measuring


def test_what_is_asked_comes_after_what_is_read():
    read, asked = windows(torch.arange(10, 31), torch.tensor([0, 7, 15]), 5)
    assert read[1].tolist() == [17, 18, 19, 20, 21]
    assert torch.equal(asked, read + 1)
    for start in (-1, 16):
        with pytest.raises(ValueError, match="do not fit"):
            windows(torch.arange(21), torch.tensor([start]), 5)


def test_the_loss_is_that_of_the_next_token(rng):
    logits, tokens = draw(rng, 3, 7, 5).requires_grad_(), torch.randint(5, (3, 7), generator=rng)
    mask = torch.arange(7) < torch.tensor([[7], [2], [4]])
    labels = tokens[:, 1:].masked_fill(~mask[:, 1:], -100)
    for real, asked in ((None, tokens[:, 1:]), (mask, labels)):
        expected = F.cross_entropy(logits[:, :-1].flatten(0, 1), asked.flatten())
        found = causal_loss(logits, tokens, real)
        torch.testing.assert_close(found, expected)
        slopes = [torch.autograd.grad(loss, logits)[0] for loss in (found, expected)]
        torch.testing.assert_close(*slopes)


def test_perplexity_weighs_tokens_alike():
    losses = torch.tensor([[1.0, 3.0, 2.0], [7.0, math.nan, math.nan]])
    mask = torch.tensor([[True, True, True], [True, False, False]])
    assert perplexity(losses, mask).item() == pytest.approx(math.exp(13 / 4))
    even = torch.full((2, 5), math.log(11.0))
    assert perplexity(even, even > 0).item() == pytest.approx(11)


@pytest.mark.parametrize(("span", "stride"), [(5, 2), (5, 4), (4, 1), (50, 7), (2, 1)])
def test_every_token_of_a_long_text_is_asked_for_once(rng, span, stride):
    model, tokens = Remembering(draw(rng, 37, 11)), torch.randint(11, (23,), generator=rng)
    found = text_losses(lambda part: model(part)[0], tokens, span=span, stride=stride)
    assert found.shape == (22,)
    for at in range(1, 23):
        starts = [start for start in range(0, 23, stride) if start < at < start + span]
        part = tokens[min(starts) : at + 1]
        expected = F.cross_entropy(model(part[None, :-1])[0][0, -1], part[-1])
        torch.testing.assert_close(found[at - 1], expected)


# speculative decoding


def probabilities(rng, *shape):
    return draw(rng, *shape).softmax(dim=-1)


@pytest.mark.parametrize("ahead", [0, 1, 2, 3])
def test_speculation_leaves_the_distribution_as_it_is(rng, ahead):
    """All proposals, all that may be refused and all tokens more, with their exact chances."""
    kinds, length = 3, 3

    @functools.cache
    def heads(text):
        if text == ():  # disjoint in part
            return torch.tensor([[0.5, 0.5, 0.0], [0.0, 0.3, 0.7]]).double()
        p = probabilities(rng, 2, kinds)
        return p[:1].expand(2, -1) if text == (0,) else p  # the same: nothing is left

    @functools.cache
    def written(text):
        """The distribution over texts of `length` tokens that begin like this."""
        if len(text) >= length:
            return {text[:length]: 1.0}
        found = Counter()
        for proposed in itertools.product(range(kinds), repeat=ahead):
            both = [heads(text + proposed[:t]) for t in range(ahead + 1)]
            target = torch.stack([p for p, _ in both])
            draft = torch.stack([q for _, q in both[:ahead]]) if ahead else target[:0]
            places, tokens = torch.arange(ahead), torch.tensor(proposed, dtype=torch.int64)
            chances = acceptance(target[:ahead], draft)[places, tokens]
            for stays in itertools.product((True, False), repeat=ahead):
                keep = torch.tensor(stays, dtype=torch.bool)
                weight = draft[places, tokens] * torch.where(keep, chances, 1 - chances)
                if not (weight := weight.prod().item()):
                    continue
                uniform = torch.where(keep, chances / 2, (1 + chances) / 2)
                kept = [*stays, False].index(False)
                more = target[ahead] if kept == ahead else residual(*both[kept])
                assert more.sum().item() == pytest.approx(1)
                middles = more.cumsum(dim=0) - more / 2
                for token in more.nonzero()[:, 0].tolist():
                    drawn = torch.cat([uniform, middles[token : token + 1]])
                    gained = tuple(speculative_step(target, draft, tokens, drawn).tolist())
                    assert gained == (*proposed[:kept], token)
                    for whole, chance in written(text + gained).items():
                        found[whole] += weight * more[token].item() * chance
        return found

    found = written(())
    assert sum(found.values()) == pytest.approx(1, abs=1e-12)
    for text in itertools.product(range(kinds), repeat=length):
        expected = math.prod(heads(text[:t])[0, text[t]].item() for t in range(length))
        assert found.get(text, 0) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("refused", range(4))
def test_one_step_keeps_what_comes_before_the_first_that_is_refused(rng, refused):
    target, draft = probabilities(rng, 4, 5), probabilities(rng, 3, 5)
    tokens = draft.argmax(dim=1)
    target[range(3), tokens] = draft[range(3), tokens] / 3  # a third of them stays
    uniform = torch.full((4,), 0.2)
    uniform[refused:3] = 0.4
    uniform[refused + 1 : 3] = 0.1  # would stay, if nothing before were refused
    found = speculative_step(target, draft, tokens, uniform)
    assert found[:-1].tolist() == tokens[:refused].tolist()


def test_speculation_writes_what_the_target_would(rng):
    target, draft = Remembering(draw(rng, 37, 3)), Remembering(draw(rng, 37, 3))
    prompt, pairs = torch.tensor([1, 2]), torch.zeros(9)
    for _ in range(2_000):
        found, passes = speculate(
            lambda part: target(part)[0],
            lambda part: draft(part)[0],
            prompt,
            count=2,
            ahead=2,
            generator=rng,
        )
        assert len(found) == 2
        assert 1 <= passes <= 2
        pairs[3 * found[0] + found[1]] += 1
    first = target(prompt[None])[0][0, -1].softmax(dim=0)
    second = torch.stack(
        [target(torch.tensor([[1, 2, x]]))[0][0, -1].softmax(dim=0) for x in range(3)]
    )
    expected = (first[:, None] * second).flatten() * 2_000
    assert ((pairs - expected).square() / expected).sum() < 26  # chi-squared, 8 degrees: 0.1 %


def test_a_draft_model_that_is_the_target_is_never_refused(rng):
    model = Remembering(draw(rng, 37, 5))
    found, passes = speculate(
        lambda part: model(part)[0],
        lambda part: model(part)[0],
        torch.tensor([3]),
        count=40,
        ahead=3,
        generator=rng,
    )
    assert (len(found), passes) == (40, 10)


def test_expected_tokens_is_a_geometric_sum():
    share = torch.tensor([0.0, 0.25, 0.9, 1.0], dtype=torch.float64)
    assert expected_tokens(share, 0).tolist() == [1] * 4
    found = expected_tokens(share, 4)
    torch.testing.assert_close(found[:3], (1 - share[:3] ** 5) / (1 - share[:3]))
    assert found[3] == 5


# power laws


def test_a_power_law_is_a_line_in_logarithms(rng):
    x = torch.rand(13, generator=rng, dtype=torch.float64) * 100 + 1
    y = 0.7 + 3 * x**-0.4 * (0.1 * draw(rng, 13)).exp()
    design = torch.stack([torch.ones_like(x), x.log()], dim=1)
    line, (left,) = np.linalg.lstsq(design.numpy(), (y - 0.7).log().numpy(), rcond=None)[:2]
    a, b, error = fit_power_law(x, y, offset=0.7)
    assert a.item() == pytest.approx(math.exp(line[0]), rel=1e-10)
    assert b.item() == pytest.approx(-line[1], rel=1e-10)
    inverse = torch.linalg.inv(design.T @ design)
    assert error.item() == pytest.approx((left / 11 * inverse[1, 1].item()) ** 0.5, rel=1e-10)


def test_no_other_way_to_share_a_budget_is_better():
    law = {"a": 30.0, "alpha": 0.5, "b": 110.0, "beta": 0.3}
    flops = torch.tensor([1e9, 1e13], dtype=torch.float64)
    n, d = compute_optimal(flops, **law)
    torch.testing.assert_close(6 * n * d, flops)

    def price(n):
        return 30 * n**-0.5 + 110 * (flops / (6 * n)) ** -0.3

    tried = n * torch.logspace(-2, 2, 401, dtype=torch.float64)[:, None]  # the middle one is n
    assert price(tried).argmin(dim=0).tolist() == [200, 200]


# mixtures of experts


def mixture(rng, **given):
    """With weights that are large enough to matter."""
    made = MixtureOfExperts(5, 7, num_experts=3, **given).double()
    for parameter in made.parameters():
        parameter.data = draw(rng, *parameter.shape)
    return made


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("factor", [None, 0.5, 1.0, 2.0])
def test_each_token_gets_what_its_experts_say_one_by_one(rng, k, factor):
    net, x = mixture(rng, k=k, factor=factor), draw(rng, 2, 11, 5).requires_grad_()
    rows, left = x.reshape(-1, 5), dict.fromkeys(range(3), math.inf)
    if factor is not None:
        left = dict.fromkeys(range(3), capacity(22, 3, k=k, factor=factor))
    p = (rows @ net.router.weight.T).softmax(dim=-1)
    order = [sorted(range(3), key=lambda i, row=row: -row[i]) for row in p.tolist()]
    wanted = [torch.zeros(5, dtype=torch.float64) for _ in range(22)]
    for rank in range(k):
        for token in range(22):
            expert = order[token][rank]
            left[expert] -= 1
            if left[expert] >= 0:
                total = p[token, order[token][:k]].sum() if k > 1 else 1.0
                weight = p[token, expert] / total
                wanted[token] = wanted[token] + weight * net.experts[expert](rows[token])
    wanted = torch.stack(wanted).view(2, 11, 5)
    found = net(x)
    torch.testing.assert_close(found, wanted)
    inputs = [x, *net.parameters()]
    slope = draw(rng, 2, 11, 5)
    for one, other in zip(
        torch.autograd.grad(found, inputs, slope, materialize_grads=True),
        torch.autograd.grad(wanted, inputs, slope, materialize_grads=True),
        strict=True,
    ):
        torch.testing.assert_close(one, other)


@pytest.mark.parametrize("limit", [3, 50])
def test_one_expert_each_is_the_switch_layer_of_transformers(rng, limit):
    net = mixture(rng)
    config = SwitchTransformersConfig(d_model=5, d_ff=7, num_experts=3, expert_capacity=limit)
    theirs = modeling_switch_transformers.SwitchTransformersSparseMLP(config).double().eval()
    theirs.router.dtype = torch.float64
    theirs.router.classifier.weight.data = net.router.weight.data
    for number, expert in enumerate(net.experts):
        expert.up.bias.data.zero_()
        expert.down.bias.data.zero_()
        there = theirs.experts[f"expert_{number}"]
        there.wi.weight.data, there.wo.weight.data = expert.up.weight.data, expert.down.weight.data
    x = draw(rng, 1, 13, 5).requires_grad_()
    net.factor = 3 * (limit - 0.5) / 13  # of 13 tokens and 3 experts, rounded up
    assert capacity(13, 3, factor=net.factor) == limit
    found, wanted = net(x), theirs(x)
    assert (found == 0).all(dim=-1).any() == (limit == 3)  # some tokens are dropped
    torch.testing.assert_close(found, wanted)
    slope = draw(rng, 1, 13, 5)
    pairs = [(x, x), (net.router.weight, theirs.router.classifier.weight)]
    pairs += [
        (e.up.weight, theirs.experts[f"expert_{n}"].wi.weight) for n, e in enumerate(net.experts)
    ]
    own, other = zip(*pairs, strict=True)
    for one, two in zip(
        torch.autograd.grad(found, own, slope, materialize_grads=True),
        torch.autograd.grad(wanted, other, slope, materialize_grads=True),
        strict=True,
    ):
        torch.testing.assert_close(one, two)
    _, chosen = route(net.router(x), 1)
    p = net.router(x).softmax(dim=-1)
    balance = modeling_switch_transformers.load_balancing_loss_func(p, chosen)
    torch.testing.assert_close(net.balance, balance.double())


@pytest.mark.parametrize("k", [1, 2, 4])
def test_the_router_and_the_balance_are_those_of_mixtral(rng, k):
    config = MixtralConfig(hidden_size=5, num_local_experts=4, num_experts_per_tok=k)
    theirs = modeling_mixtral.MixtralTopKRouter(config)
    theirs.weight.data = draw(rng, 4, 5).float()
    logits, weights, experts = theirs(draw(rng, 31, 5).float())
    ours = route(logits, k)
    torch.testing.assert_close(ours[0], weights)
    assert ours[1].equal(experts)
    balance = modeling_mixtral.load_balancing_loss_func((logits,), 4, k)
    torch.testing.assert_close(k * load_balance(logits, experts), balance)  # shares of tokens there


def test_the_weight_of_a_single_expert_teaches_the_router_only_if_it_is_a_probability(rng):
    logits = draw(rng, 7, 5).requires_grad_()
    for renormalize, moves in ((True, False), (False, True)):
        weights, _ = route(logits, 1, renormalize=renormalize)
        (slope,) = torch.autograd.grad(weights.sum(), logits)
        assert (slope.abs() > 1e-6).any() == moves


def test_the_balance_is_1_at_best_and_near_the_number_of_experts_at_worst(rng):
    logits = draw(rng, 60, 4)
    even = torch.arange(60)[:, None] % 4
    assert load_balance(logits, even).item() == pytest.approx(1)
    alone = 50 * F.one_hot(torch.zeros(60, dtype=torch.int64), 4).double()
    assert load_balance(alone, route(alone, 1)[1]).item() == pytest.approx(4)


def test_a_later_first_choice_comes_before_an_earlier_second_choice():
    chosen = torch.tensor([[0, 1], [1, 0]])
    assert within_capacity(chosen, 2, 1).tolist() == [[True, False], [True, False]]
    assert within_capacity(chosen[:1], 2, 1).tolist() == [[True, True]]


@pytest.mark.parametrize(
    ("mask", "words"),
    [
        (torch.ones(3, 5, 5), "mask must be bool"),
        (torch.ones(3, 5, dtype=torch.bool), r"\(3, 5\) does not fit .* \(3, 5, 5\)"),
        (torch.ones(2, 3, 5, 5, dtype=torch.bool), r"\(2, 3, 5, 5\) does not fit"),
    ],
)
def test_a_mask_that_does_not_fit_is_refused(mask, words):
    model = GPT(7, embed_dim=4, num_heads=2, num_layers=1, longest=5)
    with pytest.raises(ValueError, match=words):
        model(torch.zeros(3, 5, dtype=torch.int64), mask)


def test_a_mask_that_could_be_meant_in_two_ways_is_read_as_queries_by_keys_with_a_warning():
    model = GPT(7, embed_dim=4, num_heads=2, num_layers=1, longest=5).eval()
    tokens, real = (
        torch.zeros(5, 5, dtype=torch.int64),
        torch.arange(5) < torch.arange(1, 6)[:, None],
    )
    with pytest.warns(UserWarning, match=r"\(5, 5\) is read as \(queries, keys\)"):
        warned = model(tokens, real)
    of_queries, of_keys = model(tokens, real[None]), model(tokens, real[:, None])
    assert not torch.allclose(of_queries, of_keys)
    torch.testing.assert_close(warned, of_queries)
    torch.testing.assert_close(of_queries, model(tokens))  # causal already
    torch.testing.assert_close(model(tokens[:1], real), of_queries[:1])


@pytest.mark.parametrize("token", [-1, 7])
def test_a_token_beyond_the_vocabulary_is_refused(token):
    model = GPT(7, embed_dim=4, num_heads=2, num_layers=1, longest=5)
    with pytest.raises(ValueError, match="tokens must be from 0 to 6"):
        model(torch.tensor([[token]]))
