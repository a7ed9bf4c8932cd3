"""The exercises of each chapter, one module per slug, in the order of the book."""

ORDER = (
    "linear",
    "generative",
    "mlp",
    "training",
    "convolution",
    "embeddings",
    "self_attention",
)
