"""Interpretability: held against loops, closed forms, and hand-made models."""

import itertools

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from solutions.interpretability import (
    SparseAutoencoder,
    control_labels,
    edited,
    feature_dimensionality,
    inputs_of,
    logit_lens,
    matching_score,
    mean_ablate,
    patching_effect,
    replace_heads,
    superposition_loss,
    top_k_codes,
)
from solutions.transformer import Config, DecoderOnly, MultiHeadAttention

DOUBLE = torch.float64


def normal(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=DOUBLE)


# superposition


def test_the_loss_of_a_toy_model_is_a_sum_over_features_one_by_one():
    x, weight, bias = normal(5, 3).abs(), normal(2, 3, seed=1), normal(3, seed=2)
    importance = torch.tensor([1.0, 0.5, 0.25], dtype=DOUBLE)
    total = 0.0
    for row in x:
        hidden = [sum(weight[m, j] * row[j] for j in range(3)) for m in range(2)]
        for i in range(3):
            rebuilt = sum(weight[m, i] * hidden[m] for m in range(2)) + bias[i]
            total += importance[i] * (row[i] - max(rebuilt, torch.tensor(0.0))) ** 2
    torch.testing.assert_close(superposition_loss(x, weight, bias, importance), total / 5)


def test_models_side_by_side_are_models_alone():
    x, weight, bias = normal(4, 5, 3), normal(4, 2, 3, seed=1), normal(4, 3, seed=2)
    importance = normal(4, 3, seed=3).abs()
    alone = [superposition_loss(*parts) for parts in zip(x, weight, bias, importance, strict=True)]
    torch.testing.assert_close(superposition_loss(x, weight, bias, importance), torch.stack(alone))


@pytest.mark.parametrize("chance", [0.3, 0.6, 1.0])
def test_two_features_in_one_dimension_lose_what_the_page_says(chance):
    """The closed forms of the phase picture, by samples."""
    generator = torch.Generator().manual_seed(0)
    shape = (400_000, 2)
    active = torch.rand(shape, generator=generator) < chance
    x = (torch.rand(shape, generator=generator) * active).double()
    importance = torch.tensor([1.0, 3.0], dtype=DOUBLE)
    both = superposition_loss(x, torch.tensor([[1.0, -1.0]]).double(), torch.zeros(2), importance)
    assert both.item() == pytest.approx(chance**2 / 6 * 4, rel=0.02)
    bias = torch.tensor([0.0, chance / 2], dtype=DOUBLE)
    first = superposition_loss(x, torch.tensor([[1.0, 0.0]]).double(), bias, importance)
    assert first.item() == pytest.approx(3 * (chance / 3 - chance**2 / 4), rel=0.02)


def test_dimensionality_of_known_arrangements():
    torch.testing.assert_close(feature_dimensionality(3 * torch.eye(4)), torch.ones(4))
    pair = torch.tensor([[2.0, -2.0, 0.0], [0.0, 0.0, 0.5]])
    torch.testing.assert_close(feature_dimensionality(pair), torch.tensor([0.5, 0.5, 1.0]))
    turns = torch.arange(5) * 2 * torch.pi / 5
    pentagon = torch.stack([turns.cos(), turns.sin()])
    torch.testing.assert_close(feature_dimensionality(pentagon), torch.full((5,), 0.4))


def test_dimensionality_of_a_column_of_zeros_is_zero():
    weight = normal(3, 5)
    weight[:, 2] = 0
    found = feature_dimensionality(weight)
    assert found[2] == 0
    assert torch.isfinite(found).all()


# sparse autoencoders


@pytest.mark.parametrize("k", [1, 3, 7])
def test_top_k_keeps_the_largest_positive_scores(k):
    scores = normal(11, 7)
    found = top_k_codes(scores, k)
    for row, codes in zip(scores.tolist(), found.tolist(), strict=True):
        kept = sorted((value for value in row if value > 0), reverse=True)[:k]
        assert sorted((value for value in codes if value), reverse=True) == kept
        assert all(code in (0, value) for code, value in zip(codes, row, strict=True))


@pytest.mark.parametrize("k", [None, 2])
def test_an_autoencoder_is_its_formula(k):
    model, x = SparseAutoencoder(3, 5, k=k).double(), normal(7, 3)
    with torch.no_grad():
        for seed, parameter in enumerate(model.parameters()):
            parameter.copy_(normal(*parameter.shape, seed=seed))
    rebuilt, codes = model(x)
    columns = model.decoder.weight / model.decoder.weight.norm(dim=0)
    scores = (x - model.decoder.bias) @ model.encoder.weight.T + model.encoder.bias
    expected = F.relu(scores) if k is None else top_k_codes(scores, k)
    torch.testing.assert_close(codes, expected)
    torch.testing.assert_close(rebuilt, codes @ columns.T + model.decoder.bias)
    rebuilt.sum().backward()
    assert all(parameter.grad is not None for parameter in model.parameters())


def test_a_fresh_autoencoder_reads_what_it_writes():
    model = SparseAutoencoder(4, 9)
    torch.testing.assert_close(model.directions().norm(dim=0), torch.ones(9))
    torch.testing.assert_close(model.encoder.weight, model.directions().T)


def test_the_matching_score_by_loops():
    found, truth = normal(3, 5), normal(3, 4, seed=1)
    best = [max(F.cosine_similarity(t, f, dim=0).item() for f in found.T) for t in truth.T]
    assert matching_score(found, truth).item() == pytest.approx(sum(best) / 4)
    torch.testing.assert_close(matching_score(7 * truth, truth), torch.tensor(1.0).double())
    assert matching_score(torch.zeros(3, 2).double(), truth) == 0


# what a layer knows


def test_the_lens_at_the_last_depth_is_the_model():
    torch.manual_seed(0)
    config = Config(embed_dim=8, num_heads=2, num_layers=2, vocabulary=11, norm_first=True)
    model, tokens = DecoderOnly(config).eval(), torch.arange(7)[None]
    seen = inputs_of(model, ["layers.0", "layers.1", "norm"], tokens)
    found = logit_lens(list(seen.values()), model.norm, model.head)
    assert found.shape == (3, 1, 7, 11)
    torch.testing.assert_close(found[-1], model(tokens))


def test_control_labels_have_the_frequencies_of_the_task():
    labels = torch.tensor([0] * 70 + [2] * 30)
    types = torch.arange(10_000)
    uniform = torch.rand(10_000, generator=torch.Generator().manual_seed(0))
    found = control_labels(types.repeat(1), torch.cat([labels] * 100), uniform)
    assert set(found.tolist()) == {0, 2}
    assert (found == 2).float().mean().item() == pytest.approx(0.3, abs=0.02)


def test_control_labels_are_the_same_for_a_type():
    generator = torch.Generator().manual_seed(0)
    types = torch.randint(5, (100,), generator=generator)
    labels = torch.randint(3, (100,), generator=generator)
    found = control_labels(types, labels, torch.tensor([0.1, 0.9, 0.99999994, 0.5, 0.0]))
    for kind in range(5):
        assert len(found[types == kind].unique()) == 1
    assert found[types == 2][0] == labels.max()
    assert found[types == 4][0] == labels.min()


# edits of a run


def test_an_edit_lasts_as_long_as_its_context_even_after_an_error():
    model, x = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 2)), torch.ones(1, 3)
    before = model(x)
    with edited(model, {"2": lambda hidden: 0 * hidden}):
        torch.testing.assert_close(model(x), model[2].bias[None])
    torch.testing.assert_close(model(x), before)
    with pytest.raises(AttributeError), edited(model, {"0": torch.neg, "none": torch.neg}):
        pass
    torch.testing.assert_close(model(x), before)


def test_inputs_of_modules_are_those_of_a_run_by_hand():
    model, x = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 2)), torch.ones(1, 3)
    seen = inputs_of(model, ["0", "2"], x)
    torch.testing.assert_close(seen["0"], x)
    torch.testing.assert_close(seen["2"], model[1](model[0](x)))


@pytest.mark.parametrize("heads", [[], [0], [2, 1]])
def test_replaced_heads_are_ranges_of_features(heads):
    merged, other = normal(2, 5, 12), normal(5, 12, seed=1)
    found = replace_heads(merged, other, heads, num_heads=3).unflatten(-1, (3, 4))
    for head in range(3):
        expected = other.expand_as(merged) if head in heads else merged
        torch.testing.assert_close(
            found[..., head, :], expected.unflatten(-1, (3, 4))[..., head, :]
        )


def test_a_head_replaced_by_zero_is_a_head_without_its_columns_of_the_output():
    torch.manual_seed(0)
    layer, x = MultiHeadAttention(6, 3), torch.randn(1, 5, 6)
    with edited(layer, {"output": lambda z: replace_heads(z, 0 * z, [1], num_heads=3)}):
        found = layer(x)
    with torch.no_grad():
        layer.output.weight[:, 2:4] = 0
    torch.testing.assert_close(found, layer(x))


def test_ablated_heads_say_the_same_of_every_example():
    merged, reference = normal(4, 5, 6), normal(7, 5, 6, seed=1)
    found = mean_ablate(merged, reference, [1], num_heads=2)
    torch.testing.assert_close(found[..., :3], merged[..., :3])
    expected = sum(reference[i, :, 3:] for i in range(7)) / 7
    for row in found[..., 3:]:
        torch.testing.assert_close(row, expected)


def test_the_effect_of_a_patch_is_0_at_one_end_and_1_at_the_other():
    clean, corrupted = normal(5, 7), normal(5, 7, seed=1)
    right, wrong = torch.tensor([0, 1, 2, 3, 4]), torch.tensor([5, 6, 5, 6, 5])
    for share in (-1.0, 0.0, 0.3, 1.0):
        patched = corrupted + share * (clean - corrupted)
        effect = patching_effect(clean, corrupted, patched, right, wrong)
        assert effect.item() == pytest.approx(share)


def test_effects_of_a_linear_model_add_up():
    """Of a sum of parts, patching one part moves the answer by its own share."""
    parts, others = normal(3, 5, 7), normal(3, 5, 7, seed=1)
    right, wrong = torch.zeros(5, dtype=torch.int64), torch.ones(5, dtype=torch.int64)
    patched = torch.stack(
        [
            sum(parts[i] if i in chosen else others[i] for i in range(3))
            for chosen in itertools.combinations(range(3), 1)
        ]
    )
    effects = patching_effect(parts.sum(0), others.sum(0), patched, right, wrong)
    assert effects.sum().item() == pytest.approx(1)
