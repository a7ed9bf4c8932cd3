"""Vision Transformers: held against convolutions, interpolation and transformers."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from transformers import ViTConfig, ViTForImageClassification

from solutions.vit import (
    PatchEmbedding,
    VisionTransformer,
    attention_distance,
    from_vit,
    join_patches,
    move_images,
    occlusion,
    patches,
    prepend,
    resize_positions,
    rollout,
    to_vit,
    vit_parameters,
)

DOUBLE = torch.float64


def normal(*shape, seed=0, dtype=DOUBLE):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


SIZES = {"embed_dim": 16, "num_heads": 2, "num_layers": 3, "hidden": 24}
SHAPES = {"image_size": 12, "patch_size": 4, "channels": 2, "classes": 5}


def small(**other):
    torch.manual_seed(0)
    return VisionTransformer(**SIZES, **SHAPES, **other).double()


def of_transformers(*, seed):
    """Theirs, of the same sizes."""
    torch.manual_seed(seed)
    config = ViTConfig(
        hidden_size=16,
        num_hidden_layers=3,
        num_attention_heads=2,
        intermediate_size=24,
        image_size=12,
        patch_size=4,
        num_channels=2,
        num_labels=5,
    )
    return ViTForImageClassification(config).double()


def test_patches_are_what_unfold_gives():
    images = normal(3, 2, 8, 12)
    expected = F.unfold(images, 4, stride=4).transpose(1, 2)
    assert torch.equal(patches(images, 4), expected)
    assert torch.equal(join_patches(patches(images, 4), 4, 2, 12), images)


def test_patches_keep_their_dtype_and_their_order():
    image = torch.arange(16).reshape(1, 1, 4, 4)
    assert patches(image, 2)[0].tolist() == [
        [0, 1, 4, 5],
        [2, 3, 6, 7],
        [8, 9, 12, 13],
        [10, 11, 14, 15],
    ]
    assert patches(image, 2).dtype == torch.int64


@pytest.mark.parametrize(("height", "width"), [(9, 8), (8, 9)])
def test_patches_that_do_not_tile_are_refused(height, width):
    with pytest.raises(ValueError, match="do not tile"):
        patches(torch.zeros(1, 1, height, width), 4)


def test_a_patch_embedding_is_a_product_and_a_strided_convolution():
    torch.manual_seed(0)
    layer, images = PatchEmbedding(4, 3, 10).double(), normal(2, 3, 8, 16)
    weight, bias = layer.projection.weight, layer.projection.bias
    product = patches(images, 4) @ weight.flatten(1).T + bias
    torch.testing.assert_close(layer(images), product)
    convolution = F.conv2d(images, weight, bias, stride=4).flatten(2).transpose(1, 2)
    torch.testing.assert_close(layer(images), convolution)


def test_the_same_token_stands_before_each_sequence_and_learns_from_all():
    token, x = normal(4).requires_grad_(), normal(3, 5, 4, seed=1)
    found = prepend(token, x)
    assert torch.equal(found[:, 0], token.expand(3, 4))
    assert torch.equal(found[:, 1:], x)
    found[:, 0].sum().backward()
    assert token.grad.tolist() == [3.0] * 4


def test_positions_are_resized_like_pictures():
    ramp = torch.arange(4, dtype=DOUBLE).repeat_interleave(4)  # the row of each of 4 x 4 patches
    positions = torch.stack([ramp, ramp.reshape(4, 4).T.reshape(-1)], 1)
    positions = torch.cat([torch.tensor([[7.0, 8.0]], dtype=DOUBLE), positions])
    assert torch.equal(resize_positions(positions, (4, 4), (4, 4)), positions)
    finer = resize_positions(positions, (4, 4), (8, 2))
    assert finer.shape == (17, 2)
    assert finer[0].tolist() == [7, 8]
    rows = finer[1:, 0].reshape(8, 2)
    assert torch.equal(rows[:, 0], rows[:, 1])  # only rows matter to the first feature
    assert (rows[1:, 0] > rows[:-1, 0]).all()


@pytest.mark.parametrize("size", [12, 20])
def test_weights_go_to_and_from_transformers_with_equal_logits(size):
    theirs = of_transformers(seed=1).eval()
    for parameter in theirs.parameters():  # norms and biases would start alike
        nn.init.normal_(parameter, std=0.3)
    ours = small(eps=1e-12)
    ours.load_state_dict(from_vit(theirs.state_dict()))
    images = normal(3, 2, size, size)
    expected = theirs(images, interpolate_pos_encoding=True).logits
    torch.testing.assert_close(ours(images), expected)

    state = ours.state_dict()
    back = from_vit(to_vit(state))  # `test_weights` holds the names against a saved file's
    assert back.keys() == state.keys()
    assert all(torch.equal(back[name], tensor) for name, tensor in state.items())


def test_gradients_are_those_of_transformers():
    theirs = of_transformers(seed=2)
    ours = small(eps=1e-12)
    ours.load_state_dict(from_vit(theirs.state_dict()))
    images, labels = normal(3, 2, 12, 12), torch.tensor([0, 3, 4])
    F.cross_entropy(ours(images), labels).backward()
    F.cross_entropy(theirs(images).logits, labels).backward()
    expected = from_vit({name: p.grad for name, p in theirs.named_parameters()})
    for name, parameter in ours.named_parameters():
        torch.testing.assert_close(parameter.grad, expected[name])


def test_without_positions_the_order_of_patches_does_not_matter():
    model = small(pool="mean")
    images = normal(2, 2, 12, 12)
    order = torch.tensor([3, 1, 4, 0, 5, 8, 2, 6, 7])
    mixed = join_patches(patches(images, 4)[:, order], 4, 2, 12)
    assert not torch.allclose(model(mixed), model(images))
    nn.init.zeros_(model.positions)
    torch.testing.assert_close(model(mixed), model(images))


def test_the_mean_has_no_token():
    model = small(pool="mean")
    assert model.token is None
    assert model.positions.shape == (9, 16)
    assert model(normal(2, 2, 12, 12)).shape == (2, 5)


@pytest.mark.parametrize(
    "settings", [{"image_size": 13}, {"pool": "max"}], ids=["not tiled", "pool"]
)
def test_what_cannot_be_built_is_refused(settings):
    with pytest.raises(ValueError, match=r"13|max"):
        VisionTransformer(**SIZES | SHAPES | settings)


def test_weights_are_those_of_the_forward_pass():
    model, images = small(), normal(2, 2, 12, 12)
    found = model.weights(images)
    assert found.shape == (3, 2, 2, 10, 10)
    torch.testing.assert_close(found.sum(-1), torch.ones(3, 2, 2, 10, dtype=DOUBLE))
    layer = model.encoder.layers[0]
    given = layer.attention_norm(model.embed(images))
    query, key = (
        part(given).unflatten(-1, (2, 8)).transpose(1, 2)
        for part in (layer.attention.query, layer.attention.key)
    )
    first = (query @ key.transpose(-2, -1) / 8**0.5).softmax(-1)
    torch.testing.assert_close(found[0], first)


def test_rollout_multiplies_later_layers_from_the_left():
    weights = normal(3, 4, 2, 5, 5).softmax(-1)
    mixed = (weights.mean(2) + torch.eye(5, dtype=DOUBLE)) / 2
    torch.testing.assert_close(rollout(weights), mixed[2] @ mixed[1] @ mixed[0])
    torch.testing.assert_close(rollout(weights).sum(-1), torch.ones(4, 5, dtype=DOUBLE))
    nobody = torch.eye(5, dtype=DOUBLE).expand(3, 1, 5, 5)
    assert torch.equal(rollout(nobody), torch.eye(5, dtype=DOUBLE))


def test_attention_distance():
    weights = torch.zeros(1, 7, 7, dtype=DOUBLE)
    weights[:, torch.arange(7), torch.tensor([0, 4, 5, 6, 1, 2, 3])] = 1  # the row above or below
    assert attention_distance(weights, 3).tolist() == [1.0]
    even = torch.full((2, 7, 7), 1 / 7, dtype=DOUBLE)
    places = torch.tensor([[r, c] for r in range(2) for c in range(3)], dtype=DOUBLE)
    torch.testing.assert_close(
        attention_distance(even, 3), torch.cdist(places, places).mean().expand(2)
    )


def test_occlusion_paints_one_patch_at_a_time_and_keeps_to_the_answer():
    model, images = small(), normal(3, 2, 12, 12)
    kept, paint = images.clone(), normal(2, 12, 12, seed=1)
    falls = occlusion(model, images, paint, 4)
    assert torch.equal(images, kept)
    assert not falls.requires_grad
    answer = model(images).argmax(dim=1)
    painted = images.clone()
    painted[:, :, 4:8, 8:12] = paint[:, 4:8, 8:12]  # row 1, column 2: patch 5 of 9
    before, after = (model(x).softmax(dim=1)[range(3), answer] for x in (images, painted))
    assert falls.shape == (3, 9)
    torch.testing.assert_close(falls[:, 5], (before - after).detach())
    assert occlusion(model, paint[None], paint, 4).abs().max() == 0


def test_each_image_is_moved_by_its_own():
    images = normal(4, 2, 5, 7)
    down, right = torch.tensor([1, -2, 0, 5]), torch.tensor([0, 3, -6, -1])
    moved = move_images(images, down, right)
    for image, found, d, r in zip(images, moved, down.tolist(), right.tolist(), strict=True):
        framed = F.pad(image, (7, 7, 5, 5))
        assert torch.equal(found, framed[:, 5 - d : 10 - d, 7 - r : 14 - r])
    assert torch.equal(move_images(images, 0 * down, 0 * right), images)
    assert move_images(images.to(torch.uint8), down, right).dtype == torch.uint8
    assert not move_images(images, 99 * torch.ones_like(down), right).any()


def test_parameters_are_counted():
    model = small()
    counted = vit_parameters(16, 3, 24, patches=9, pixels=2 * 4 * 4, classes=5)
    assert counted == sum(parameter.numel() for parameter in model.parameters())


@pytest.mark.cuda
def test_on_the_gpu():
    model, images = small(), normal(2, 2, 12, 12)
    expected = model(images)
    torch.testing.assert_close(model.cuda()(images.cuda()).cpu(), expected)
