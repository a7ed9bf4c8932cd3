"""Contrastive learning: held against InfoNCE, loops over pairs, and limits that are known."""

import copy
import math

import pytest
import torch
from torch.nn import functional as F

from solutions.contrastive import (
    DualEncoder,
    MaskedAutoencoder,
    clip_loss,
    cosines,
    keep_patches,
    masked_patch_loss,
    modality_gap,
    nt_xent,
    random_views,
    recall_at_k,
    restore_patches,
    self_distillation_loss,
    sigmoid_pair_loss,
    update_teacher,
    zero_shot,
)
from solutions.embeddings import info_nce
from solutions.vit import VisionTransformer

DOUBLE = torch.float64


def normal(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=DOUBLE)


def test_cosines_are_those_of_torch():
    first, second = normal(5, 3), normal(7, 3, seed=1)
    expected = F.cosine_similarity(first[:, None], second[None], dim=2)
    torch.testing.assert_close(cosines(first, second), expected)
    assert cosines(torch.zeros(1, 3), torch.ones(2, 3)).tolist() == [[0, 0]]


def test_the_loss_is_info_nce_both_ways():
    images, texts = normal(7, 3), normal(7, 3, seed=1)
    both = info_nce(images, texts, temperature=0.2), info_nce(texts, images, temperature=0.2)
    torch.testing.assert_close(clip_loss(images, texts, 5.0), sum(both) / 2)
    scale = torch.tensor(5.0, dtype=DOUBLE, requires_grad=True)
    (slope,) = torch.autograd.grad(clip_loss(images, texts, scale), scale)
    step = 1e-5
    change = clip_loss(images, texts, 5 + step) - clip_loss(images, texts, 5 - step)
    torch.testing.assert_close(slope, change / (2 * step), rtol=1e-6, atol=1e-9)


def test_equal_texts_cannot_be_told_apart():
    """If all pairs are the same, the loss is ln B, whatever the scale."""
    same = normal(1, 3).expand(6, 3)
    assert math.isclose(clip_loss(same, same, 50.0).item(), math.log(6), rel_tol=1e-9)


def test_the_sigmoid_loss_is_a_sum_over_pairs():
    images, texts = normal(5, 3), normal(5, 3, seed=1)
    total = 0.0
    for i in range(5):
        for j in range(5):
            score = 4 * F.cosine_similarity(images[i], texts[j], dim=0) - 1.5
            probability = torch.sigmoid(score)
            total -= torch.log(probability if i == j else 1 - probability)
    torch.testing.assert_close(sigmoid_pair_loss(images, texts, 4.0, -1.5), total / 5)
    assert sigmoid_pair_loss(images, texts, 1.0, -1e4).isfinite()


def test_the_encoders_ignore_padding_and_return_unit_vectors():
    torch.manual_seed(0)
    model = DualEncoder(6, 9, hidden=7, embed_dim=5).double()
    texts = torch.tensor([[3, 4, 0, 0], [4, 3, 0, 0], [3, 4, 4, 0], [0, 0, 0, 0]])
    found = model.encode_texts(texts)
    torch.testing.assert_close(found[0], found[1])
    torch.testing.assert_close(found[:1], model.encode_texts(texts[:1, :2]))
    assert not torch.allclose(found[0], found[2])
    assert found[3].tolist() == [0] * 5
    images, read, scale = model(normal(4, 6), texts)
    torch.testing.assert_close(images.norm(dim=1), torch.ones(4, dtype=DOUBLE))
    torch.testing.assert_close(read, found)
    assert math.isclose(scale.item(), 1 / 0.07, rel_tol=1e-6)
    model.log_scale.data.fill_(9)
    assert model(normal(4, 6), texts)[2] == 100


def test_padding_gets_no_gradient():
    model = DualEncoder(6, 9, hidden=7, embed_dim=5)
    images, texts, scale = model(torch.rand(2, 6), torch.tensor([[3, 0], [4, 5]]))
    clip_loss(images, texts, scale).backward()
    assert model.words.weight.grad[0].abs().sum() == 0
    assert (model.words.weight.grad[3:6].abs().sum(dim=1) > 0).all()
    assert model.log_scale.grad != 0


def test_prompts_are_averaged_as_unit_vectors():
    images, prompts = normal(4, 3), normal(2, 5, 3, seed=1)
    lengths = 1 + torch.arange(10, dtype=DOUBLE).reshape(2, 5, 1)
    found = zero_shot(images, prompts)
    torch.testing.assert_close(zero_shot(2 * images, lengths * prompts), found)
    torch.testing.assert_close(zero_shot(images, prompts[:, :1]), cosines(images, prompts[:, 0]))


@pytest.mark.parametrize("k", [1, 2, 5, 7])
def test_recall_counts_sorted_rows(k):
    scores = normal(5, 7)
    best = scores.argsort(dim=1, descending=True)[:, :k]
    expected = (best == torch.arange(5)[:, None]).any(dim=1).double().mean()
    torch.testing.assert_close(recall_at_k(scores, k), expected)


def test_ties_are_worth_their_chance():
    assert recall_at_k(torch.zeros(4, 4), 1) == 0.25
    assert recall_at_k(torch.zeros(4, 4), 3) == 0.75
    scores = torch.tensor([[1.0, 2.0, 1.0], [0.0, 5.0, 5.0]])
    draws = torch.rand(40_000, 2, 3, generator=torch.Generator().manual_seed(0))
    order = (scores + 1e-4 * draws).argsort(dim=2, descending=True)[..., :2]
    hits = (order == torch.arange(2)[None, :, None]).any(dim=2).float().mean()
    assert abs(recall_at_k(scores, 2) - hits) < 0.01


def test_the_gap_of_opposite_groups_is_two():
    assert modality_gap(torch.tensor([[3.0, 0.0]]), torch.tensor([[-1.0, 0.0]])) == 2
    x = normal(5, 3)
    assert modality_gap(x, 7 * x.flip(0)) < 1e-12


def test_each_view_finds_the_other_one():
    first, second = normal(5, 3), normal(5, 3, seed=1)
    views, total = torch.cat([first, second]), 0.0
    for i in range(10):
        scores = [F.cosine_similarity(views[i], views[j], dim=0) / 0.3 for j in range(10)]
        rivals = torch.stack([one for j, one in enumerate(scores) if j != i])
        total += rivals.logsumexp(0) - scores[(i + 5) % 10]
    torch.testing.assert_close(nt_xent(first, second, 0.3), total / 10)


def test_two_views_alone_have_no_rival():
    assert nt_xent(normal(1, 3), normal(1, 3, seed=1), 0.1) == 0


def test_views_stay_images_and_follow_the_generator():
    images = torch.rand(5, 1, 8, 8)
    first, again, other = (
        random_views(images, torch.Generator().manual_seed(seed)) for seed in (0, 0, 1)
    )
    assert torch.equal(first, again)
    assert not torch.allclose(first, other)
    assert first.shape == images.shape
    assert 0 <= first.min() <= first.max() <= 1
    assert not torch.allclose(first[0], images[0])


@pytest.mark.parametrize("kept", [1, 4, 6])
def test_patches_come_back_to_their_places(kept):
    x, draws, token = normal(3, 6, 2), normal(3, 6, seed=1), normal(2, seed=2)
    visible, order = keep_patches(x, draws, kept)
    found = restore_patches(visible, order, token)
    for row in range(3):
        lowest = set(draws[row].topk(kept, largest=False).indices.tolist())
        assert lowest == set(order[row, :kept].tolist())
        for place in range(6):
            expected = x[row, place] if place in lowest else token
            assert torch.equal(found[row, place], expected)


def test_visible_patches_do_not_count():
    target, predicted = normal(3, 6, 2), normal(3, 6, 2, seed=1)
    _, order = keep_patches(target, normal(3, 6, seed=2), 2)
    loss = masked_patch_loss(predicted, target, order, 2)
    changed = predicted.clone()
    for row in range(3):
        changed[row, order[row, :2]] = 99.0
    torch.testing.assert_close(masked_patch_loss(changed, target, order, 2), loss)
    parts = [
        (predicted[row, place] - target[row, place]).square().mean()
        for row in range(3)
        for place in order[row, 2:]
    ]
    torch.testing.assert_close(loss, torch.stack(parts).mean())


def autoencoder():
    torch.manual_seed(0)
    encoder = VisionTransformer(
        image_size=6, patch_size=2, channels=1, classes=3, embed_dim=8, num_heads=2,
        num_layers=1, hidden=8, pool="mean",
    )  # fmt: skip
    return MaskedAutoencoder(encoder, 4, num_heads=2, hidden=8).double()


def test_the_encoder_does_not_see_hidden_patches():
    model, images = autoencoder(), normal(2, 1, 6, 6)
    draws = torch.arange(9, dtype=DOUBLE).expand(2, 9)  # the first three patches are visible
    changed = images.clone()
    changed[:, :, 2:] += 5  # rows 2 to 5 belong to the others
    torch.testing.assert_close(model(images, draws, 3)[0], model(changed, draws, 3)[0])
    changed[:, :, :2] += 5
    assert not torch.allclose(model(images, draws, 3)[0], model(changed, draws, 3)[0])
    assert model.loss(images, draws, 3).isfinite()


def test_the_teacher_gets_no_gradient_and_the_center_is_subtracted():
    student, teacher = normal(5, 4).requires_grad_(), normal(5, 4, seed=1).requires_grad_()
    center = normal(4, seed=2)
    loss = self_distillation_loss(student, teacher, center)
    target = F.softmax((teacher - center) / 0.04, dim=1)
    expected = -(target * F.log_softmax(student / 0.1, dim=1)).sum(dim=1).mean()
    torch.testing.assert_close(loss, expected)
    loss.backward()
    assert teacher.grad is None
    assert student.grad.abs().sum() > 0


def test_a_teacher_moves_toward_its_student():
    student = torch.nn.BatchNorm1d(3)
    student.train()(torch.rand(4, 3))
    teacher = copy.deepcopy(student)
    student.train()(torch.rand(4, 3))
    torch.nn.init.normal_(student.weight)
    before = {name: value.clone() for name, value in teacher.state_dict().items()}
    found = update_teacher(teacher.state_dict(), student.state_dict(), 0.9)
    average = torch.optim.swa_utils.AveragedModel(
        teacher, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.9), use_buffers=True
    )
    average.n_averaged += 1  # as if it had begun with the teacher
    average.update_parameters(student)
    for name, expected in average.module.state_dict().items():
        if expected.is_floating_point():
            torch.testing.assert_close(found[name], expected)
    assert found["num_batches_tracked"] == 2
    assert all(torch.equal(teacher.state_dict()[name], old) for name, old in before.items())
    assert not any(value.requires_grad for value in found.values())


def test_a_teacher_keeps_its_dtypes():
    teacher = {"weight": torch.tensor([1.0, 2.0]).half(), "count": torch.tensor(3)}
    student = {"weight": torch.tensor([3.0, 2.0]), "count": torch.tensor(5, dtype=torch.int32)}
    found = update_teacher(teacher, student, 0.5)
    assert found["weight"].tolist() == [2.0, 2.0]
    assert {name: value.dtype for name, value in found.items()} == {
        name: value.dtype for name, value in teacher.items()
    }
