"""Names that an exercise forbids are gone while an answer runs, all of them."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from grader.enclose.worker import wire
from grader.judge import grading, records
from grader.judge.submission import Submission

WORKER = Path(wire.__file__).parent
FORBIDDEN = {name for told in records.select() for name in told.forbidden}

PICTURE = "torch.ones(1, 2, 5, 5)"
KERNEL = "torch.ones(3, 2, 3, 3)"
SQUARE = "lambda x: (x * x).sum()"
LEAF = "torch.ones(3, requires_grad=True)"
SEQUENCE, STATE = "torch.ones(2, 7, 3)", "torch.ones(1, 2, 5)"
STEP = "torch.ones(2, 3), torch.ones(2, 5)"


def weights(gates: int) -> str:
    """Those of a recurrent cell, written down."""
    rows = 5 * gates
    return f"torch.ones({rows}, 3), torch.ones({rows}, 5), torch.ones({rows}), torch.ones({rows})"


AS_SET = "True, 1, 0.0, False, False, True"  # biases, layers, dropout, training, both ways, batch
ROWS = "torch.ones(2, 3), torch.ones(2)"  # and a scale for each
CALLS = {  # a call of each function that is asked to do without; modules are called as well
    "F.adaptive_avg_pool2d": f"({PICTURE}, 2)",
    "F.adaptive_max_pool2d": f"({PICTURE}, 2)",
    "F.avg_pool1d": "(torch.ones(1, 2, 5), 2)",
    "F.avg_pool2d": f"({PICTURE}, 2)",
    "F.avg_pool3d": "(torch.ones(1, 2, 5, 5, 5), 2)",
    "F.batch_norm": "(torch.ones(4, 3), None, None, training=True)",
    "F.bilinear": "(torch.ones(2, 3), torch.ones(2, 4), torch.ones(5, 3, 4))",
    "F.binary_cross_entropy": "(torch.rand(3), torch.rand(3))",
    "F.binary_cross_entropy_with_logits": "(torch.rand(3), torch.rand(3))",
    "F.conv1d": "(torch.ones(1, 2, 5), torch.ones(3, 2, 3))",
    "F.conv2d": f"({PICTURE}, {KERNEL})",
    "F.conv3d": "(torch.ones(1, 2, 5, 5, 5), torch.ones(3, 2, 3, 3, 3))",
    "F.conv_transpose2d": f"({PICTURE}, torch.ones(2, 3, 3, 3))",
    "F.cosine_similarity": "(torch.ones(2, 3), torch.ones(2, 3))",
    "F.cross_entropy": "(torch.ones(2, 3), torch.tensor([0, 1]))",
    "F.dropout": "(torch.ones(3))",
    "F.embedding": "(torch.tensor([0, 1]), torch.ones(3, 2))",
    "F.fold": "(torch.ones(1, 4, 4), 3, 2)",
    "F.gelu": "(torch.ones(3))",
    "F.hinge_embedding_loss": "(torch.ones(3), torch.ones(3))",
    "F.interpolate": f"({PICTURE}, scale_factor=2)",
    "F.linear": "(torch.ones(2, 3), torch.ones(4, 3))",
    "F.logsigmoid": "(torch.ones(3))",
    "F.log_softmax": "(torch.ones(3), 0)",
    "F.max_pool1d": "(torch.ones(1, 2, 5), 2)",
    "F.max_pool2d": f"({PICTURE}, 2)",
    "F.max_pool2d_with_indices": f"({PICTURE}, 2)",
    "F.max_pool3d": "(torch.ones(1, 2, 5, 5, 5), 2)",
    "F.embedding_bag": "(torch.tensor([[0, 1]]), torch.ones(3, 2))",
    "F.huber_loss": "(torch.ones(3), torch.ones(3))",
    "F.smooth_l1_loss": "(torch.ones(3), torch.ones(3))",
    "nn.EmbeddingBag": "(3, 2)(torch.tensor([[0, 1]]))",
    "nn.HuberLoss": "()(torch.ones(3), torch.ones(3))",
    "nn.SmoothL1Loss": "()(torch.ones(3), torch.ones(3))",
    "F.mse_loss": "(torch.ones(3), torch.ones(3))",
    "F.multi_margin_loss": "(torch.ones(2, 3), torch.tensor([0, 1]))",
    "F.nll_loss": "(torch.ones(2, 3), torch.tensor([0, 1]))",
    "F.one_hot": "(torch.tensor([0, 1]))",
    "F.pixel_shuffle": "(torch.ones(1, 4, 3, 3), 2)",
    "F.pixel_unshuffle": "(torch.ones(1, 1, 4, 4), 2)",
    "F.relu": "(torch.ones(3))",
    "F.relu6": "(torch.ones(3))",
    "F.rms_norm": "(torch.ones(2, 3), (3,))",
    "F.scaled_dot_product_attention": "(*[torch.ones(2, 3, 4)] * 3)",
    "F.sigmoid": "(torch.ones(3))",
    "F.soft_margin_loss": "(torch.ones(3), torch.ones(3))",
    "F.silu": "(torch.ones(3))",
    "F.softmax": "(torch.ones(3), 0)",
    "F.unfold": f"({PICTURE}, 2)",
    "Tensor.backward": f"(({SQUARE})({LEAF}))",
    "Tensor.log_softmax": "(torch.ones(3), 0)",
    "Tensor.logsumexp": "(torch.ones(3), 0)",
    "Tensor.relu": "(torch.ones(3))",
    "Tensor.sigmoid": "(torch.ones(3))",
    "Tensor.softmax": "(torch.ones(3), 0)",
    "nn.AdaptiveAvgPool2d": f"(2)({PICTURE})",
    "nn.AdaptiveMaxPool2d": f"(2)({PICTURE})",
    "nn.AvgPool2d": f"(2)({PICTURE})",
    "nn.BCELoss": "()(torch.rand(3), torch.rand(3))",
    "nn.BCEWithLogitsLoss": "()(torch.rand(3), torch.rand(3))",
    "nn.BatchNorm1d": "(3)(torch.ones(4, 3))",
    "nn.Bilinear": "(3, 4, 5)(torch.ones(2, 3), torch.ones(2, 4))",
    "nn.PixelShuffle": "(2)(torch.ones(1, 4, 3, 3))",
    "nn.PixelUnshuffle": "(2)(torch.ones(1, 1, 4, 4))",
    "nn.RMSNorm": "(3)(torch.ones(2, 3))",
    "nn.Conv2d": f"(2, 3, 3)({PICTURE})",
    "nn.ConvTranspose2d": f"(2, 3, 3)({PICTURE})",
    "nn.CosineSimilarity": "()(torch.ones(2, 3), torch.ones(2, 3))",
    "nn.CrossEntropyLoss": "()(torch.ones(2, 3), torch.tensor([0, 1]))",
    "nn.Dropout": "()(torch.ones(3))",
    "nn.Embedding": "(3, 2)(torch.tensor([0, 1]))",
    "nn.Fold": "(3, 2)(torch.ones(1, 4, 4))",
    "nn.GELU": "()(torch.ones(3))",
    "nn.GRU": f"(3, 5)({SEQUENCE})",
    "nn.GRUCell": f"(3, 5)({STEP})",
    "nn.LSTM": f"(3, 5)({SEQUENCE})",
    "nn.LSTMCell": "(3, 5)(torch.ones(2, 3))",
    "nn.RNN": f"(3, 5)({SEQUENCE})",
    "nn.RNNCell": f"(3, 5)({STEP})",
    "nn.Linear": "(3, 4)(torch.ones(2, 3))",
    "nn.LogSoftmax": "(0)(torch.ones(3))",
    "nn.MSELoss": "()(torch.ones(3), torch.ones(3))",
    "nn.MaxPool2d": f"(2)({PICTURE})",
    "nn.MultiMarginLoss": "()(torch.ones(2, 3), torch.tensor([0, 1]))",
    "nn.NLLLoss": "()(torch.ones(2, 3), torch.tensor([0, 1]))",
    "nn.ReLU": "()(torch.ones(3))",
    "nn.Sigmoid": "()(torch.ones(3))",
    "nn.Softmax": "(0)(torch.ones(3))",
    "nn.Unfold": f"(2)({PICTURE})",
    "nn.functional.one_hot": "(torch.tensor([0, 1]))",
    "torch.autograd.backward": f"(({SQUARE})({LEAF}))",
    "torch.autograd.forward_ad.make_dual": "(torch.ones(3), torch.ones(3), level=0)",
    "torch.autograd.functional.jacobian": f"({SQUARE}, torch.ones(3))",
    "torch.autograd.functional.jvp": f"({SQUARE}, torch.ones(3), torch.ones(3))",
    "torch.autograd.functional.vjp": f"({SQUARE}, torch.ones(3))",
    "torch.autograd.grad": f"(({SQUARE})(x := {LEAF}), x)",
    "torch.batch_norm": "(torch.ones(4, 3), *[None] * 4, True, 0.1, 1e-5, False)",
    "torch.conv2d": f"({PICTURE}, {KERNEL})",
    "torch.conv_transpose2d": f"({PICTURE}, torch.ones(2, 3, 3, 3))",
    "torch.convolution": f"({PICTURE}, {KERNEL}, None, [1], [0], [1], False, [0], 1)",
    "torch.corrcoef": "(torch.eye(3))",
    "torch.cov": "(torch.eye(3))",
    "torch.dropout": "(torch.ones(3), 0.5, True)",
    "torch.func.grad": f"({SQUARE})(torch.ones(3))",
    "torch.func.jacfwd": f"({SQUARE})(torch.ones(3))",
    "torch.func.jacrev": f"({SQUARE})(torch.ones(3))",
    "torch.func.jvp": f"({SQUARE}, (torch.ones(3),), (torch.ones(3),))",
    "torch.func.linearize": f"({SQUARE}, torch.ones(3))",
    "torch.func.vjp": f"({SQUARE}, torch.ones(3))[1](torch.tensor(1.0))",
    "torch.fake_quantize_per_channel_affine": f"({ROWS}, torch.zeros(2).int(), 0, -7, 7)",
    "torch.fake_quantize_per_tensor_affine": "(torch.ones(3), 0.1, 0, -7, 7)",
    "torch.gru": f"({SEQUENCE}, {STATE}, [{weights(3)}], {AS_SET})",
    "torch.gru_cell": f"({STEP}, {weights(3)})",
    "F.pairwise_distance": "(torch.ones(2, 3), torch.ones(2, 3))",
    "torch.broadcast_shapes": "((2,), (1,))",
    "torch.broadcast_tensors": "(torch.ones(2), torch.ones(1))",
    "torch.cdist": "(torch.ones(2, 3), torch.ones(2, 3))",
    "torch.optim.SGD": "([torch.ones(3, requires_grad=True)], lr=0.1)",
    "torch.log_softmax": "(torch.ones(3), 0)",
    "torch.logaddexp": "(torch.ones(3), torch.ones(3))",
    "torch.logsumexp": "(torch.ones(3), 0)",
    "torch.lstm": f"({SEQUENCE}, [{STATE}] * 2, [{weights(4)}], {AS_SET})",
    "torch.lstm_cell": f"(torch.ones(2, 3), [torch.ones(2, 5)] * 2, {weights(4)})",
    "torch.max_pool2d": f"({PICTURE}, 2)",
    "torch.multinomial": "(torch.ones(3), 1)",
    "torch.nn.functional.gelu": "(torch.ones(3))",
    "torch.nn.grad.conv2d_input": f"((1, 2, 5, 5), {KERNEL}, torch.ones(1, 3, 3, 3))",
    "torch.nn.grad.conv2d_weight": f"({PICTURE}, (3, 2, 3, 3), torch.ones(1, 3, 3, 3))",
    "torch.normal": "(torch.zeros(3), torch.ones(3))",
    "torch.quantize_per_channel": f"({ROWS}, torch.zeros(2), 0, torch.qint8)",
    "torch.quantize_per_tensor": "(torch.ones(3), 0.1, 0, torch.qint8)",
    "torch.randn": "(3)",
    "torch.randn_like": "(torch.ones(3))",
    "torch.relu": "(torch.ones(3))",
    "torch.relu_": "(torch.ones(3))",
    "torch.rnn_tanh": f"({SEQUENCE}, {STATE}, [{weights(1)}], {AS_SET})",
    "torch.rnn_tanh_cell": f"({STEP}, {weights(1)})",
    "torch.sigmoid": "(torch.ones(3))",
    "torch.sigmoid_": "(torch.ones(3))",
    "torch.softmax": "(torch.ones(3), 0)",
    "torch.special.entr": "(torch.ones(3))",
    "torch.special.expit": "(torch.ones(3))",
    "torch.special.log_softmax": "(torch.ones(3), 0)",
    "torch.special.logsumexp": "(torch.ones(3), 0)",
    "torch.special.softmax": "(torch.ones(3), 0)",
}
HEADS = "*[torch.ones(2, 1, 4)] * 3, 4, 2, torch.ones(12, 4), torch.ones(12), None, None, False"
CALLS |= {  # what torch itself builds from common operators, in Python
    "F.gaussian_nll_loss": "(*[torch.ones(3)] * 3)",
    "F.multi_head_attention_forward": f"({HEADS}, 0.0, torch.ones(4, 4), torch.ones(4))",
    "F.multilabel_soft_margin_loss": "(torch.ones(2, 3), torch.ones(2, 3))",
    "nn.MultiLabelSoftMarginLoss": "()(torch.ones(2, 3), torch.ones(2, 3))",
    "F.normalize": "(torch.ones(2, 3))",
    "nn.GaussianNLLLoss": "()(*[torch.ones(3)] * 3)",
    "nn.MultiheadAttention": "(4, 2)(*[torch.ones(2, 1, 4)] * 3)",
    "nn.TransformerDecoderLayer": "(4, 2)(*[torch.ones(2, 1, 4)] * 2)",
    "nn.TransformerEncoderLayer": "(4, 2)(torch.ones(2, 1, 4))",
    "nn.init.kaiming_normal_": "(torch.ones(2, 3))",
    "nn.init.normal_": "(torch.ones(2, 3))",
    "nn.init.orthogonal_": "(torch.ones(2, 3))",
    "nn.init.uniform_": "(torch.ones(2, 3))",
    "nn.init.xavier_uniform_": "(torch.ones(2, 3))",
    "nn.utils.clip_grad_norm_": "([torch.ones(3)], 1.0)",
    "nn.utils.clip_grad_value_": "([torch.ones(3)], 1.0)",
    "nn.utils.parametrizations.orthogonal": "(nn.Linear(3, 3))",
    "nn.utils.rnn.pack_padded_sequence": "(torch.ones(2, 3, 4), [2, 1])",
    "nn.utils.rnn.pack_sequence": "([torch.ones(3, 4)])",
    "nn.utils.rnn.pad_packed_sequence": "(None)",
    "torch.distributions.Categorical": "(torch.ones(3))",
    "torch.optim.Adam": "([torch.ones(3)])",
    "torch.optim.AdamW": "([torch.ones(3)])",
}
BY_NAME = {
    "torch.distributions",
    "nn.attention.flex_attention",
    "nn.utils.prune",
    "numpy.broadcast",  # written in C
}  # a whole module; what is in it is called below
PRUNE = "sys.modules['torch.nn.utils.prune']"
FLEX = "sys.modules['torch.nn.attention.flex_attention']"
DECOMPOSED = "sys.modules['torch.ao.quantization.fx._decomposed']"
ZEROS = "torch.ones(4, 4), torch.ones(4)"
LAYER = (
    f"torch.ones(12, 4), torch.ones(12), {ZEROS}, False, False, 1e-5, "
    f"*[torch.ones(4)] * 4, {ZEROS}, {ZEROS}"
)
HEADED = "*[torch.ones(1, 1, 2, 4)] * 3"
OPTIMIZERS = ("ASGD", "RMSprop", "Adagrad", "Rprop", "Adadelta", "Muon", "LBFGS")
SCALES = "torch.ones(2), torch.zeros(2).int()"
OTHERWISE = {  # the same work under a name that no exercise lists
    "torch.softmax": [
        "F.softmin(-torch.ones(3), 0)",
        "nn.Softmin(0)(torch.ones(3))",
        "torch._softmax(torch.ones(3), 0, False)",
        "torch.ops.aten._softmax.default(torch.ones(3), 0, False)",
        "torch.ops.aten.softmax.int(torch.ones(3), 0)",
        "F.gumbel_softmax(torch.ones(3))",
        "torch.ones(2, 3).to_mkldnn().softmax(1)",
        "torch.sparse.softmax(torch.eye(3).to_sparse(), 1)",
        "torch.nested.nested_tensor([torch.ones(3)]).softmax(1)",
        "torch.vmap(lambda x: x.softmax(0))(torch.ones(2, 3))",
        "F.scaled_dot_product_attention(*[torch.eye(4)[None, None]] * 3)",
        "torch.ops.aten._softmax_backward_data(*[torch.ones(3)] * 2, 0, torch.float32)",
    ],
    "F.sigmoid": [
        "torch._C._jit_to_static_module(None)",
        "nn.LogSigmoid()(torch.ones(3)).exp()",
        "F.glu(torch.ones(2))",
        "torch.special.expit(torch.ones(3))",
        "torch._foreach_sigmoid([torch.ones(3)])",
    ],
    "torch.logsumexp": [
        "torch.softmax(torch.ones(3), 0)",
        "F.scaled_dot_product_attention(*[torch.eye(4)[None, None]] * 3)",
        "torch.logcumsumexp(torch.ones(3), 0)",
        "torch.logaddexp(torch.ones(3), torch.ones(3))",
        "torch.logaddexp2(torch.ones(3), torch.ones(3))",
    ],
    "nn.utils.prune": [  # which torch does not load by itself
        f"{PRUNE}.L1Unstructured(0.5).compute_mask(torch.ones(3), torch.ones(3))",
        f"{PRUNE}.l1_unstructured(nn.Linear(2, 3), 'weight', 0.5)",
        "pickle.loads(b'ctorch.nn.utils.prune\\nL1Unstructured\\n.')(0.5)",
    ],
    "nn.attention.flex_attention": [f"{FLEX}.flex_attention({HEADED})"],
    "F.scaled_dot_product_attention": [
        f"{FLEX}.flex_attention({HEADED}, return_lse=True)",
        f"torch.onnx.ops.attention({HEADED}, softcap=1e9)",
    ],
    "torch.distributions": ["torch.distributions.Categorical(torch.ones(3))"],
    "nn.RNN": [
        "torch._decomp.decompositions.rnn_cell(torch.tanh)",
        f"torch._decomp.decompositions.one_layer_rnn({SEQUENCE}, {STATE}, [], False, None)",
    ],
    "nn.LSTM": ["torch._decomp.decompositions.one_layer_lstm(*[None] * 5)"],
    "nn.GRU": ["torch._decomp.decompositions.gru_cell(*[None] * 6)"],
    "nn.LSTMCell": ["torch.ao.nn.quantizable.LSTMCell(3, 5)(torch.ones(2, 3))"],
    "nn.MultiheadAttention": [
        "torch.ao.nn.quantizable.MultiheadAttention._forward_impl()",
        f"F.multi_head_attention_forward({HEADS}, 0.0, torch.ones(4, 4), torch.ones(4))",
        f"torch._transformer_encoder_layer_fwd(torch.ones(1, 2, 4), 4, 2, {LAYER})",
    ],
    "F.cross_entropy": [
        "F.linear_cross_entropy(torch.ones(2, 3), torch.eye(3), torch.tensor([0, 1]))"
    ],
    "F.dropout": [
        "F.dropout1d(torch.ones(1, 3, 1))",
        "F.alpha_dropout(torch.ones(3), training=True)",
    ],
    "nn.utils.clip_grad_norm_": [
        "nn.utils.get_total_norm([torch.ones(3)])",
        "nn.utils.clip_grads_with_norm_([torch.ones(3)], 1.0, torch.ones(()))",
    ],
    "F.mse_loss": ["F.gaussian_nll_loss(*[torch.ones(3)] * 3)"],
    "torch.optim.SGD": [f"torch.optim.{name}([{LEAF}])" for name in OPTIMIZERS],
    "torch.cdist": ["torch.pdist(torch.ones(2, 3))"],
    "torch.cov": ["numpy.cov(numpy.ones((2, 3)))", "numpy.ma.cov(numpy.ones((2, 3)))"],
    "torch.corrcoef": [
        "numpy.corrcoef(numpy.ones((2, 3)))",
        "numpy.ma.corrcoef(numpy.ones((2, 3)))",
    ],
    "torch.broadcast_shapes": [
        "numpy.broadcast_shapes((2,), (1,))",
        "numpy.broadcast_arrays(*[numpy.ones(3)] * 2)",
        "numpy.broadcast_to(numpy.ones(3), (2, 3))",
        "torch.empty(3, device='meta') + torch.empty(1, device='meta')",
        "torch.tensor(1).expand(2, 3)",
        "torch.from_numpy(numpy.ones(1)).expand(2, 3)",
    ],
    "torch.quantize_per_channel": [
        "torch._empty_per_channel_affine_quantized([2, 3], scales=torch.ones(2), "
        "zero_points=torch.zeros(2).int(), axis=0, dtype=torch.qint8)",
        f"torch._make_per_channel_quantized_tensor(torch.ones(2, 3).char(), {SCALES}, 0)",
    ],
    "torch.quantize_per_tensor": [
        "torch._empty_affine_quantized([3], scale=0.1, zero_point=0, dtype=torch.qint8)",
        "torch._make_per_tensor_quantized_tensor(torch.ones(3).char(), 0.1, 0)",
        "torch.ao.quantization.MinMaxObserver()",
        f"{DECOMPOSED}.quantize_per_tensor(torch.ones(3), 0.1, 0, -7, 7, torch.int8)",
    ],
    "torch.fake_quantize_per_tensor_affine": [
        "torch._fake_quantize_learnable_per_tensor_affine(*[torch.ones(1)] * 3, -7, 7)"
    ],
    "F.embedding": [
        "nn.EmbeddingBag(3, 2)(torch.tensor([[0, 1]]))",
        "torch.ops.aten.embedding_dense_backward(torch.ones(2, 3), torch.arange(2), 4, -1, False)",
    ],
    "F.max_pool2d": [f"F.fractional_max_pool2d({PICTURE}, 2, output_size=2)"],
    "F.unfold": ["torch.ops.aten.im2col(torch.ones(1, 1, 4, 4), 2, 1, 0, 1)"],
    "F.conv2d": [f"torch.convolution({PICTURE}, {KERNEL}, None, [1], [0], [1], False, [0], 1)"],
    "F.batch_norm": ["torch.native_batch_norm(torch.ones(4, 3), *[None] * 4, True, 0.1, 1e-5)"],
    "F.multi_head_attention_forward": [
        f"in_thread(lambda: F.multi_head_attention_forward({HEADS}, 0.0, torch.ones(4, 4), None))"
    ],
    "nn.init.kaiming_normal_": ["nn.init.kaiming_normal(torch.ones(2, 3))"],
    "torch.optim.Adam": [
        "getattr(torch.optim, 'ADAM'.title())([torch.ones(3)])",
        "torch.optim.SparseAdam([torch.ones(3)])",
        "torch.optim.RAdam([torch.ones(3)])",
        "torch._fused_adam_(*[[torch.ones(3)]] * 4, [], [torch.ones(())], lr=0.1, beta1=0.9, "
        "beta2=0.99, weight_decay=0.0, eps=1e-8, amsgrad=False, maximize=False)",
        "sys.modules['torch.optim.adam'].adam(*[[torch.ones(3)]] * 5, [torch.ones(())], "
        "foreach=False, amsgrad=False, beta1=0.9, beta2=0.99, lr=0.1, "
        "weight_decay=0.0, eps=1e-8, maximize=False)",
    ],
    "torch.autograd.grad": [
        "torch.jit.CompilationUnit('def g(y: Tensor, x: Tensor):\\n'"
        f"'    return torch.autograd.grad([y], [x])[0]').g(({SQUARE})(x := {LEAF}), x)",
        f"torch.ops.aten.grad([({SQUARE})(x := {LEAF})], [x])",
        f"torch._C._jit_get_operation('aten::grad')[0]([({SQUARE})(x := {LEAF})], [x])",
        "torch.distributed.autograd._init(0)",
        "torch._C._load_jit_module_from_bytes(b'')",
        f"({SQUARE})({LEAF}).backward()",
        f"torch.ops.aten._backward(({SQUARE})(x := {LEAF}), [x])",
        f"run((({SQUARE})({LEAF}),), (torch.ones(()),), False, False, ())",
        "torch.ops.aten._backward(torch.nested.as_nested_tensor([torch.ones(1) * (x := "
        f"{LEAF}).sum()]), [x], torch.nested.nested_tensor([torch.ones(1)]))",
        "sys.modules['numpy'].ctypeslib.load_library('libtorch_cpu.so', '/')",
        "torch.ops.aten.tanh_backward(torch.ones(3), torch.ones(3))",
        "torch.ops.aten.sigmoid_backward(torch.ones(3), torch.ones(3))",
        "torch.ops.aten.leaky_relu_backward(torch.ones(3), torch.ones(3), 0.0, False)",
        "torch.ops.aten.softplus_backward(torch.ones(3), torch.ones(3), 1, 20)",
    ],
}
ALLOWED = {  # what has a name in common with what is refused
    "F.unfold": "torch.ones(5).unfold(0, 2, 1)",
    "F.fold": "torch.ones(5).unfold(0, 2, 1)",
    "F.linear": "torch.ones(2, 3) @ torch.ones(3, 4) + 1",
    "F.softmax": "torch.ones(3).exp().sum()",
    "F.dropout": "torch.bernoulli(torch.ones(3))",
    "F.embedding": "torch.ones(3, 2)[torch.tensor([0, 1])]",
    "torch.cdist": "torch.linalg.vector_norm(torch.ones(3))",
    "torch.cov": "numpy.var([1.0, 2.0])",
    "torch.optim.Adam": "torch.optim.Optimizer([torch.ones(3)], {})",
    "torch.quantize_per_tensor": "torch.ones(3).div(0.1).round().to(torch.int8)",
    "nn.MultiheadAttention": "F.softmax(torch.ones(3), 0)",
    "F.log_softmax": "torch.ones(3).softmax(0)",
    "Tensor.softmax": "torch.ones(3).log_softmax(0).logsumexp(0)",
    "F.relu": "torch.ones(3).clamp(min=0)",
    "F.sigmoid": "torch.ones(3).tanh()",
    "torch.autograd.functional.vjp": f"({SQUARE}, torch.ones(3))",
    "torch.autograd.grad": f"({SQUARE})({LEAF})",
    "nn.init.normal_": "torch.randn(3)",
}

TRY = """
import json, os, pickle, sys, threading
sys.path.insert(0, sys.argv[1])
import warnings; warnings.simplefilter("ignore")
import absent, numpy, probes, torch
from torch import Tensor, nn
import torch.nn.functional as F
torch.set_num_threads(1)
absent.prepare()
def in_thread(call):
    found = []
    def run():
        try: found.append(call())
        except BaseException as error: found.append(error)
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if isinstance(found[0], BaseException): raise found[0]
names = {"in_thread": in_thread, "sys": sys, "run": absent.ENGINE.run_backward}
names |= {"pickle": pickle, "numpy": numpy}
names |= {"torch": torch, "nn": nn, "F": F, "Tensor": Tensor}
def child(function, text):
    try:
        absent.take_away([function], elsewhere=True)
        eval(text, names)
    except probes.Refusal:
        return 1
    except BaseException as error:
        print(function, text, repr(error)[:300], file=sys.stderr, flush=True)
        return 1 if str(error) in absent.NO_ENGINE else 2
    return 0
found = []
for function, text in json.load(sys.stdin):
    pid = os.fork()
    if pid == 0:
        os._exit(child(function, text))
    found.append(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
print(json.dumps(found))
"""


def tried(pairs):
    """For each call, after what stands behind a function is taken away: 1 when that is refused."""
    done = subprocess.run(
        [sys.executable, "-c", TRY, str(WORKER)],
        input=json.dumps(pairs),
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    return {f"{name}: {text}": got for (name, text), got in zip(pairs, found, strict=True)}


def test_every_function_that_is_refused_is_called_here():
    told = "CALLS needs a call of each function that an exercise forbids, and of no other"
    assert CALLS.keys() == FORBIDDEN - BY_NAME, told


@pytest.mark.linux
def test_functions_under_every_name():
    pairs = [(name, name + call) for name, call in CALLS.items()]
    pairs += [(name, text) for name, texts in OTHERWISE.items() for text in texts]
    found = tried(pairs)
    assert [name for name, got in found.items() if got != 1] == []


@pytest.mark.linux
def test_what_only_looks_alike_still_works():
    found = tried([*ALLOWED.items()])
    assert [name for name, got in found.items() if got != 0] == []


GRADIENTS = {
    "linear.cross_entropy_gradient": "def cross_entropy_gradient(input, target):\n"
    "    z = input.detach().requires_grad_()\n"
    "    picked = z.gather(-1, target[..., None])[..., 0]\n"
    "    return slope((z.logsumexp(-1) - picked).mean(), z)\n",
    "embeddings.lookup_gradient": "def lookup_gradient(input, gradient, words):\n"
    "    table = gradient.new_zeros(words, gradient.shape[-1]).requires_grad_()\n"
    "    return slope((table[input] * gradient).sum(), table)\n",
    "mlp.softmax_jacobian": "def softmax_jacobian(input):\n"
    "    z = input.detach().requires_grad_()\n"
    "    p = z.exp() / z.exp().sum(-1, True)\n"
    "    return torch.stack([slope(one, z, retain_graph=True) for one in p.flatten()])\n",
}
HELPER = """
import torch
def of(value, *names):
    for name in names: value = getattr(value, name[:1] + name[1:])
    return value
slope = lambda y, x, **more: of(torch, 'autograd', 'grad')(y, x, **more)[0]
"""


WALK = """
import torch
def slope(y, x, **more):
    found = {}
    def walk(node, slope):
        parts = node(slope)
        parts = parts if isinstance(parts, tuple) else (parts,)
        for (inner, _), part in zip(node.next_functions, parts):
            if hasattr(inner, "variable"): found[0] = found.get(0, 0) + part
            elif inner is not None: walk(inner, part)
    walk(y.grad_fn, torch.ones_like(y))
    return found[0]
"""
TAP = """
class Tap(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        Tap.node = ctx
        return x.clone()
def node_of(y):
    Tap.apply(y)
    return Tap.node.next_functions[0][0]
"""
WAYS = {  # from a tensor to its graph
    "its own": WALK,
    "a function's": WALK.replace("y.grad_fn", "node_of(y)") + TAP,
}


def graded(name, text, sandbox, **changes):
    (told,) = records.select([name])
    record = records.load(told.slug, told.symbol)
    record = replace(record, manifest=replace(record.manifest, **changes))
    submission = Submission(text, f"{told.slug}.py")
    assert grading.refuse(record, submission) is None  # the source does not show it
    return grading.check(record, submission, sandbox=sandbox)


@pytest.mark.parametrize("way", WAYS)
def test_walking_the_graph_by_hand_earns_no_gradient(way, sandbox):
    name = "embeddings.lookup_gradient"
    text = WAYS[way] + GRADIENTS[name]
    assert graded(name, text, sandbox, forbidden=()).passed
    assert graded(name, text, sandbox).earned == 0


@pytest.mark.parametrize("name", GRADIENTS)
def test_one_helper_of_autograd_earns_no_gradient(name, sandbox):
    result = graded(name, HELPER + GRADIENTS[name], sandbox)
    assert (result.status, result.earned) == ("refused", 0)
    assert "torch's automatic differentiation" in result.detail


def test_a_gradient_of_an_operator_earns_none(sandbox):
    name = "embeddings.lookup_gradient"
    text = (
        HELPER + "def lookup_gradient(input, gradient, words):\n"
        "    slope = of(torch, 'ops', 'aten', 'embedding_dense_backward')\n"
        "    return slope(gradient, input, words, -1, False)\n"
    )
    assert graded(name, text, sandbox, forbidden=()).passed
    assert graded(name, text, sandbox).status == "refused"


def test_the_rest_of_a_file_runs(sandbox):
    """A file may compare itself with what it does without: that statement ends there."""
    (told,) = records.select(["linear.cross_entropy_gradient"])
    record = records.load(told.slug, told.symbol)
    calls = [dict(case.call) for case in record.cases]
    text = (
        HELPER + "x = torch.ones(3, requires_grad=True)\ny = slope((x * x).sum(), x)\n"
        "print('compared', y)\nprint('goes on')\n"
        "def cross_entropy_gradient(input, target): return input\n"
    )
    options = {"filename": "linear.py", "forbidden": told.forbidden}
    outcome = sandbox.run(text, told.symbol, calls, **options)
    assert (outcome.status, outcome.log) == ("ok", "goes on\n")
    assert all("values" in case for case in outcome.cases)
    # what an answer is made of does not go on without a part of it
    text = text.replace("return input", "return input\nimport nothing")
    outcome = sandbox.run(text, told.symbol, calls, **options)
    assert {case["error"]["type"] for case in outcome.cases} == {"ModuleNotFoundError"}
