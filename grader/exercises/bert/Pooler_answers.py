"""Right and wrong answers to `bert.Pooler`."""

from torch import nn

from grader.author.answers import right, wrong


@right
class selected_last(nn.Module):
    def __init__(self, embed_dim, *, device=None):
        super().__init__()
        self.dense = nn.Linear(embed_dim, embed_dim, device=device)

    def forward(self, hidden):
        return self.dense(hidden).tanh().select(1, 0)


@right
class by_exponentials(nn.Module):
    def __init__(self, embed_dim, *, device=None):
        super().__init__()
        self.dense = nn.Linear(embed_dim, embed_dim, bias=True, device=device)

    def forward(self, hidden):
        x = hidden.narrow(1, 0, 1).squeeze(1) @ self.dense.weight.mT + self.dense.bias
        return 2 * (2 * x).sigmoid() - 1


wrong(
    "last_token",
    why=(
        "The last position was taken, as with a decoder; it is often padding, and [CLS] is the "
        "first position."
    ),
    change={"hidden[:, 0]": "hidden[:, -1]"},
)


wrong(
    "mean_over_all",
    why="The mean over all positions was taken, padding included; BERT pools at [CLS].",
    change={"hidden[:, 0]": "hidden.mean(dim=1)"},
)


wrong(
    "first_row",
    why="You took the whole first row of the batch; take the first position of each row.",
    change={"hidden[:, 0]": "hidden[0]"},
)


wrong(
    "no_tanh",
    why="The tanh is missing.",
    change={"torch.tanh(self.dense(hidden[:, 0]))": "self.dense(hidden[:, 0])"},
)


wrong(
    "tanh_first",
    why="The tanh comes before the layer; it comes after it.",
    change={"torch.tanh(self.dense(hidden[:, 0]))": "self.dense(torch.tanh(hidden[:, 0]))"},
)


wrong(
    "no_dense",
    why="The linear layer is missing: the tanh was applied to the encoder's state at [CLS].",
    change={"torch.tanh(self.dense(hidden[:, 0]))": "torch.tanh(hidden[:, 0])"},
)


wrong(
    "detached",
    why=(
        "No gradient goes back into the encoder: fine-tuning would train the last layer alone, and "
        "only a worse result would show it."
    ),
    change={"hidden[:, 0]": "hidden[:, 0].detach()"},
)


wrong(
    "axis_kept",
    why="The axis of positions is still there, with size 1; return one vector per row.",
    change={"hidden[:, 0]": "hidden[:, :1]"},
)
