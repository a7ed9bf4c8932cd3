"""Exercises of the chapter on self-attention, in the order in which it builds them.

What they share: sizes, and generators of inputs.
"""

READY_MADE = (
    "F.scaled_dot_product_attention",
    "F.multi_head_attention_forward",
    "nn.MultiheadAttention",
    "nn.attention.flex_attention",
)
