"""Right and wrong answers to `generative.GaussianNB`."""

import torch
from torch import nn

from grader.author.answers import right, wrong


@right
class normals_of_torch(nn.Module):
    def __init__(self, in_features, classes, *, shared=False, device=None):
        super().__init__()
        shapes = {
            "prior_logits": (classes,),
            "mean": (classes, in_features),
            "log_variance": (1 if shared else classes, in_features),
        }
        for name, shape in shapes.items():
            self.register_parameter(name, nn.Parameter(torch.zeros(shape, device=device)))

    def forward(self, x):
        deviation = (0.5 * self.log_variance).exp().expand_as(self.mean)
        normal = torch.distributions.Normal(self.mean, deviation, validate_args=False)
        prior = self.prior_logits - torch.logsumexp(self.prior_logits, dim=0)
        return prior + normal.log_prob(x.unsqueeze(-2)).sum(dim=-1)


@right
class class_by_class(nn.Module):
    def __init__(self, in_features, classes, *, shared=False, device=None):
        super().__init__()
        start = torch.zeros(classes, in_features, device=device)
        self.mean = nn.Parameter(start.clone())
        self.log_variance = nn.Parameter(start[:1].clone() if shared else start.clone())
        self.prior_logits = nn.Parameter(start.sum(dim=1))

    def forward(self, x):
        log_s = self.log_variance.expand_as(self.mean)
        columns = []
        for m, s, prior in zip(self.mean, log_s, self.prior_logits.log_softmax(0)):
            terms = (x - m) ** 2 * torch.exp(-s) + s + 1.8378770664093453
            columns.append(prior - terms.sum(dim=-1) / 2)
        return torch.stack(columns, dim=-1)


wrong(
    "log_variance_as_variance",
    why=(
        "The parameter is the logarithm of the variance; without the "
        "exponential a gradient step could make a variance negative."
    ),
    change={"self.log_variance.exp()": "self.log_variance"},
)


wrong(
    "log_deviation",
    why=(
        "The parameter was read as the logarithm of the deviation, so the "
        "variances come out squared."
    ),
    change={"self.log_variance.exp()": "(2 * self.log_variance).exp()"},
)


wrong(
    "prior_forgotten",
    why=(
        "The log prior was not added, so this is ln p(x | y); the joint "
        "density takes both factors, also where all classes are equally common."
    ),
    change={
        ("return gaussian_log_density(x, self.mean, self.log_variance.exp()) + log_prior"): (
            "return gaussian_log_density(x, self.mean, self.log_variance.exp()) + 0 * log_prior"
        )
    },
)


wrong(
    "prior_not_normalized",
    why=(
        "The logits were added as they are. Their exponentials need not sum to "
        "1, and a generative loss would then fall without end by raising them "
        "all."
    ),
    change={"torch.log_softmax(self.prior_logits, dim=0)": "self.prior_logits"},
)


wrong(
    "posterior",
    why=(
        "`forward` returns the joint ln p(x, y). Normalized over the classes "
        "it has lost the density of x, and no generative loss can be computed "
        "from it."
    ),
    change={
        ("return gaussian_log_density(x, self.mean, self.log_variance.exp()) + log_prior"): (
            "return torch.log_softmax(gaussian_log_density(x, self.mean, "
            "self.log_variance.exp()) + log_prior, dim=-1)"
        )
    },
)


wrong(
    "probability_added",
    why=("A probability was added to a log density; logarithms go with logarithms."),
    change={"torch.log_softmax(self": "torch.softmax(self"},
)


wrong(
    "shared_ignored",
    why=("There is a row of variances for every class, even when they are to be shared."),
    change={"1 if shared else classes": "classes"},
)


wrong(
    "buffers",
    why=(
        "Buffers are saved with the module but get no gradient. Counting would "
        "do with them; the discriminative loss has to move these numbers."
    ),
    change={
        "self.prior_logits = nn.Parameter(": 'self.register_buffer("prior_logits", (',
        "self.mean = nn.Parameter(": 'self.register_buffer("mean", (',
        "self.log_variance = nn.Parameter(": 'self.register_buffer("log_variance", (',
        "torch.zeros(classes, device=device))": "torch.zeros(classes, device=device)))",
        "torch.zeros(classes, in_features, device=device))": (
            "torch.zeros(classes, in_features, device=device)))"
        ),
        "torch.zeros(rows, in_features, device=device))": (
            "torch.zeros(rows, in_features, device=device)))"
        ),
    },
)


wrong(
    "log_of_softmax",
    why=(
        "The logarithm of a softmax is −∞ for a class so rare that its probability is 0 in "
        "floating point; the log-softmax keeps it."
    ),
    change={
        "torch.log_softmax(self.prior_logits, dim=0)": "self.prior_logits.softmax(dim=0).log()"
    },
    corner=True,
)


@wrong(
    why=(
        "The square was multiplied out, x² − 2xm + m²: far from zero these are large numbers that "
        "nearly cancel, and what is left of them is rounding. Subtract before you square."
    ),
    corner=True,
)
class square_multiplied_out(nn.Module):
    def __init__(self, in_features, classes, *, shared=False, device=None):
        super().__init__()
        self.prior_logits = nn.Parameter(torch.zeros(classes, device=device))
        self.mean = nn.Parameter(torch.zeros(classes, in_features, device=device))
        rows = 1 if shared else classes
        self.log_variance = nn.Parameter(torch.zeros(rows, in_features, device=device))

    def forward(self, x):
        x = x.unsqueeze(-2)
        squares = x.square() - 2 * x * self.mean + self.mean.square()
        terms = squares * (-self.log_variance).exp() + self.log_variance + 1.8378770664093453
        return self.prior_logits.log_softmax(dim=0) - terms.sum(dim=-1) / 2
