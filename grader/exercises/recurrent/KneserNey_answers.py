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
        "The lower orders count how often an n-gram occurred. Kneser and Ney count after how "
        "many different symbols it occurred: a symbol that follows only one context, however "
        "often, is unlikely elsewhere."
    ),
    change={
        "tokens.unfold(0, n + 1, 1), symbols).unique()": "tokens.unfold(0, n + 1, 1), symbols)"
    },
)


wrong(
    "kinds_at_the_top",
    why=(
        "For the longest n-grams, count how often they occurred; only for shorter ones, count "
        "after how many different symbols."
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
        "The discount is taken only from symbols that were counted; you gave the lower order ξ "
        "for every symbol of the alphabet."
    ),
    change={"(counted > 0).sum(": "(counted >= 0).sum("},
)


wrong(
    "not_interpolated",
    why=(
        "Symbols that were counted get no share of the lower order. In the interpolated form "
        "every symbol gets one, counted or not."
    ),
    change={
        "finer = (kept + different * lower * self.discount) / total": (
            "finer = torch.where(counted > 0, kept, different * lower * self.discount) / total"
        )
    },
)


wrong(
    "negative_counts",
    why="A count of zero became negative: the discount must not exceed the count.",
    change={"(counted - self.discount).clamp(min=0)": "(counted - self.discount)"},
)


wrong(
    "unseen_context_is_even",
    why=(
        "After a context that was never counted all symbols got the same probability; use the "
        "context without its first symbol."
    ),
    change={
        "torch.where(total > 0, finer, lower)": "torch.where(total > 0, finer, 1 / self.symbols)"
    },
)


wrong(
    "one_order_alone",
    why=(
        "Only the longest context was used, interpolated with a uniform distribution; the orders "
        "between are missing."
    ),
    change={
        "lower = p[:, -counted.shape[1] :]": "lower = torch.full_like(counted, 1 / self.symbols)"
    },
)


wrong(
    "last_symbol_dropped",
    why=(
        "You dropped the last symbol of each longer n-gram. Drop the first one: the context "
        "grows to the left."
    ),
    change={"longer % symbols**n": "longer // symbols"},
)


wrong(
    "without_logarithm",
    why="These are the probabilities; return their logarithms.",
    change={"return p.log()": "return p"},
)


equivalent(
    "counted = (torch.where(kinds[place] == wanted, count[place], 0))",
    why="whole numbers less a fraction are float32 then, which is exact enough",
)


wrong(
    "counted_is_more_than_the_discount",
    why=(
        "With a discount of 1, a symbol that was counted once keeps nothing, but its ξ still "
        "goes to the lower order: N is the number of different symbols counted, and includes it."
    ),
    change={"(counted > 0).sum(": "(counted > self.discount).sum("},
)


wrong(
    "one_table_for_all_models",
    why=(
        "The counts are stored in the class, so a second model overwrites the counts of the "
        "first; store them in the instance."
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
        "A small number was added inside the logarithm. No probability is 0 here, and with a "
        "small discount those of unseen n-grams are smaller than that number."
    ),
    change={"p.log()": "(p + 1e-12).log()"},
    corner=True,
)


wrong(
    "opening_lost",
    why=(
        "Each lower order was counted from the table of the order above, which lacks the n-gram "
        "that opens the text, since no symbol precedes it. The rest of that n-gram does follow a "
        "symbol, and must count one order lower; count every order in the text itself."
    ),
    change={"tokens.unfold(0, n + 1, 1)": "tokens[order - n - 1 :].unfold(0, n + 1, 1)"},
)
