"""Right and wrong answers to `recurrent.KneserNey`."""

from collections import Counter, defaultdict

import torch
from torch import nn

from grader.author.answers import equivalent, right, wrong


@right
class with_dictionaries(nn.Module):
    def __init__(self, tokens, symbols, *, order=5, discount=0.75):
        super().__init__()
        text = tokens.tolist()
        self.symbols, self.order, self.discount = symbols, order, discount
        self.tables = []
        for n in range(1, order + 1):
            table = defaultdict(Counter)
            if n == order:
                for i in range(len(text) - n + 1):
                    table[tuple(text[i : i + n - 1])][text[i + n - 1]] += 1
            else:
                for gram in {tuple(text[i : i + n + 1]) for i in range(len(text) - n)}:
                    table[gram[1:-1]][gram[-1]] += 1
            self.tables.append(table)

    def after(self, context):
        p = torch.full((self.symbols,), 1 / self.symbols, dtype=torch.float64)
        for n in range(1, min(self.order, len(context) + 1) + 1):
            found = self.tables[n - 1].get(tuple(context[len(context) - n + 1 :]))
            if found:
                counts = torch.zeros(self.symbols, dtype=torch.float64)
                for symbol, count in found.items():
                    counts[symbol] = count
                free = self.discount * len(found)
                p = ((counts - self.discount).clamp(min=0) + free * p) / counts.sum()
        return p

    def forward(self, tokens):
        rows = [
            torch.stack([self.after(row[: t + 1]) for t in range(len(row))])
            for row in tokens.tolist()
        ]
        return torch.stack(rows).log()


@right
class with_rows_of_counts(nn.Module):
    """A row of counts for every context that occurs, and one of zeros for all others."""

    def __init__(self, tokens, symbols, *, order=5, discount=0.75):
        super().__init__()
        self.symbols, self.discount, self.tables = symbols, discount, []
        for n in range(1, order + 1):
            longer = n if n == order else n + 1
            codes = 0
            for k in range(longer):
                codes = codes * symbols + tokens[k : len(tokens) - longer + k + 1]
            if n < order:
                codes = torch.unique(codes) % symbols**n
            kinds, count = codes.unique(return_counts=True)
            contexts, row = (kinds // symbols).unique(return_inverse=True)
            table = torch.zeros(len(contexts) + 1, symbols, dtype=torch.float64)
            table[row, kinds % symbols] = count.double()
            self.tables.append((contexts, table))

    def forward(self, tokens):
        answers = []
        for t in range(tokens.shape[1]):
            p = torch.ones(len(tokens), self.symbols, dtype=torch.float64) / self.symbols
            for n, (contexts, table) in enumerate(self.tables[: t + 2]):
                context = torch.zeros_like(tokens[:, 0])
                for k in range(n):
                    context = context * self.symbols + tokens[:, t - n + 1 + k]
                row = torch.searchsorted(contexts, context).clamp(max=len(contexts) - 1)
                counts = table[torch.where(contexts[row] == context, row, len(contexts))]
                total = counts.sum(dim=1, keepdim=True)
                taken = torch.minimum(counts, torch.full_like(counts, self.discount))
                finer = (counts - taken + taken.sum(dim=1, keepdim=True) * p) / total
                p = torch.where(total == 0, p, finer)
            answers.append(p)
        return torch.stack(answers, dim=1).log()


wrong(
    "plain_counts_below",
    why=(
        "The lower orders count how often an n-gram occurred. Kneser and Ney count after how many "
        "different symbols it did: what follows one word alone, however often, is likely "
        "nowhere else."
    ),
    change={
        "tokens.unfold(0, n + 1, 1), symbols).unique()": "tokens.unfold(0, n + 1, 1), symbols)"
    },
)


wrong(
    "kinds_at_the_top",
    why=(
        "The longest n-grams count how often they occurred; only below them it matters after "
        "how many different symbols."
    ),
    change={"longest.unique(return_counts=True)": "longest.unique().unique(return_counts=True)"},
)


wrong(
    "different_symbols_forgotten",
    why=(
        "The discount is taken from every symbol that was counted, so what goes to the lower order "
        "is ξ times the number of different symbols; you gave it ξ once, and the sum is not 1."
    ),
    change={"different * lower * self.discount": "lower * self.discount"},
)


wrong(
    "discount_of_all_symbols",
    why=(
        "Only symbols that were counted pay the discount; you gave the lower order ξ for "
        "every symbol there is."
    ),
    change={"(counted > 0).sum(": "(counted >= 0).sum("},
)


wrong(
    "not_interpolated",
    why=(
        "What was counted gets no share of the lower order. In the interpolated form every "
        "symbol does, counted or not."
    ),
    change={
        "finer = (kept + different * lower * self.discount) / total": (
            "finer = torch.where(counted > 0, kept, different * lower * self.discount) / total"
        )
    },
)


wrong(
    "negative_counts",
    why="A count of zero became negative: the discount takes no more than there is.",
    change={"(counted - self.discount).clamp(min=0)": "(counted - self.discount)"},
)


wrong(
    "unseen_context_is_even",
    why=(
        "After a context that was never counted all symbols got the same probability; the "
        "context without its first symbol knows more."
    ),
    change={
        "torch.where(total > 0, finer, lower)": "torch.where(total > 0, finer, 1 / self.symbols)"
    },
)


wrong(
    "one_order_alone",
    why=(
        "The longest context alone was asked, over an even distribution; the orders between "
        "are missing."
    ),
    change={
        "lower = p[:, -counted.shape[1] :]": "lower = torch.full_like(counted, 1 / self.symbols)"
    },
)


wrong(
    "last_symbol_dropped",
    why=(
        "From each longer n-gram you dropped the last symbol. The first is dropped: the "
        "context grows to the left."
    ),
    change={"longer % symbols**n": "longer // symbols"},
)


wrong(
    "without_logarithm",
    why="Log-probabilities are asked for; these are the probabilities.",
    change={"return p.log()": "return p"},
)


equivalent(
    "counted = (torch.where(kinds[place] == wanted, count[place], 0))",
    why="whole numbers less a fraction are float32 then, which is exact enough",
)


wrong(
    "counted_is_more_than_the_discount",
    why=(
        "With a discount of 1 a symbol that was counted once keeps nothing, and it pays its ξ all "
        "the same: it is one of the different symbols, of which N is the number."
    ),
    change={"(counted > 0).sum(": "(counted > self.discount).sum("},
)


wrong(
    "one_table_for_all_models",
    why=(
        "The counts are kept with the class, so a second model writes over what the first has "
        "counted; each model has counts of its own."
    ),
    change={
        "self.counts = []": (
            "KneserNey.kept = self.counts = getattr(KneserNey, 'kept', [])\n"
            "        self.counts.clear()"
        )
    },
)


wrong(
    "eps_under_the_logarithm",
    why=(
        "A small number was added under the logarithm. No probability is 0 here, and with a small "
        "discount those of unseen n-grams are smaller still."
    ),
    change={"p.log()": "(p + 1e-12).log()"},
    corner=True,
)


wrong(
    "opening_lost",
    why=(
        "Each lower order was counted from the table above it, where the n-gram that opens the "
        "text is missing: nothing stands before it. As what comes after another symbol in the "
        "order below it still counts; count every order in the text."
    ),
    change={"tokens.unfold(0, n + 1, 1)": "tokens[order - n - 1 :].unfold(0, n + 1, 1)"},
)
