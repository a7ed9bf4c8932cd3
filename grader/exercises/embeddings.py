"""Exercises on word vectors, in the order in which the chapter builds them."""

from __future__ import annotations

import numpy as np

from grader.exercise import Call, Case, Exercise, Mistake

B, D, K, V = 11, 5, 3, 17

TABLES = ("F.embedding", "nn.Embedding", "F.one_hot")


# --- the table ---------------------------------------------------------------------------------


def _words(rng, *shape, words=V):
    """Numbers of words; the first and the last word are among them where there is room."""
    drawn = rng.integers(words, size=shape)
    if drawn.size > 2:
        drawn.flat[1], drawn.flat[-1] = words - 1, 0
    return drawn


one_hot = Exercise(
    symbol="one_hot",
    title="A word as a vector",
    section="lookup",
    hint="Compare every number with `torch.arange(words)`; broadcasting makes the new axis.",
    forbidden=("F.one_hot", "nn.functional.one_hot"),
    cases=(
        Case("a list of words", lambda rng: {"input": _words(rng, B), "words": V}),
        Case("a batch", lambda rng: {"input": _words(rng, 2, 3, words=7), "words": 7}),
        Case("a single word", lambda rng: {"input": np.array(rng.integers(V)), "words": V}),
        Case(
            "words at the end missing",
            lambda rng: {"input": rng.integers(5, size=7), "words": 13},
            hidden=True,
        ),
    ),
    mistakes=(
        Mistake(
            name="integers",
            why="The result is made of integers; it is to be multiplied with a table of floats, "
            "which `@` refuses to do.",
            change={".to(torch.get_default_dtype())": ".long()"},
        ),
        Mistake(
            name="transposed",
            why="The axis of the vocabulary came first; a word's vector is a row, so that a batch "
            "of them can be multiplied with a table from the left.",
            change={
                "(input.unsqueeze(-1) == numbers)": "(input.unsqueeze(-1) == numbers)"
                ".movedim(-1, 0)"
            },
        ),
        Mistake(
            name="counted_from_one",
            why="Words are numbered from 0: with positions from 1 every word moves one place, and "
            "word 0 becomes a row of zeros.",
            change={"device=input.device)": "device=input.device) + 1"},
        ),
        Mistake(
            name="as_long_as_the_largest",
            why="The length was taken from the largest number that happens to occur; two batches "
            "would get vectors of different lengths.",
            change={"torch.arange(words,": "torch.arange(int(input.max()) + 1,"},
        ),
    ),
    variants=(
        """
        def one_hot(input, words):
            return torch.eye(words)[input]
        """,
        """
        def one_hot(input, words):
            empty = torch.zeros(*input.shape, words)
            return empty.scatter(-1, input[..., None], 1.0)
        """,
    ),
)


def _table(rng, *shape, words=V):
    return {"input": _words(rng, *shape, words=words), "weight": rng.standard_normal((words, D))}


lookup = Exercise(
    symbol="lookup",
    title="Lookup",
    section="lookup",
    hint="Indexing with a tensor of numbers fetches rows, and keeps the shape of the numbers.",
    forbidden=("F.embedding", "nn.Embedding"),
    cases=(
        Case("a list of words", lambda rng: _table(rng, B), grad=("weight",)),
        Case("a batch of sentences", lambda rng: _table(rng, 2, 3), grad=("weight",)),
        Case("as many words as features", lambda rng: _table(rng, 4, words=D), grad=("weight",)),
        Case(
            "a single word",
            lambda rng: {
                "input": np.array(rng.integers(V)),
                "weight": rng.standard_normal((V, D)),
            },
            grad=("weight",),
            hidden=True,
        ),
    ),
    mistakes=(
        Mistake(
            name="columns",
            why="Columns were fetched; the table has one row per word. When there are as many "
            "words as features, no error tells you.",
            change={"weight[input]": "weight[:, input].movedim(0, -1)"},
        ),
        Mistake(
            name="detached",
            why="`.data` (like `.detach()`) cuts the table out of the graph: the vectors are "
            "right, and they would never be trained.",
            change={"weight[input]": "weight.data[input]"},
        ),
        Mistake(
            name="flattened",
            why="The sentences of a batch were run together; a batch (2, 3) of words becomes "
            "(2, 3, D), so that position 1 of sentence 0 stays there.",
            change={"weight[input]": "weight[input.flatten()]"},
        ),
        Mistake(
            name="unique_words",
            why="Each word was fetched once; a word that occurs twice in the input has to occur "
            "twice in the output, or positions no longer match.",
            change={"weight[input]": "weight[input.unique()]"},
        ),
    ),
    variants=(
        """
        def lookup(input, weight):
            return one_hot(input, len(weight)).to(weight.dtype) @ weight
        """,
        """
        def lookup(input, weight):
            found = torch.index_select(weight, 0, input.reshape(-1))
            return found.reshape(*input.shape, -1)
        """,
    ),
)


def _slopes(rng, *shape, words=V, used=None):
    """Words that repeat, as in any text, and a gradient for each."""
    return {
        "input": rng.integers(words if used is None else used, size=shape),
        "gradient": rng.standard_normal((*shape, D)),
        "words": words,
    }


lookup_gradient = Exercise(
    symbol="lookup_gradient",
    title="Who gets the gradient?",
    section="lookup-gradient",
    hint="Start from zeros and add each vector's gradient to its row. `rows[input] += gradient` "
    "does not add up where a number repeats; `index_add` does.",
    forbidden=("torch.autograd.grad", "F.embedding", "nn.Embedding"),
    cases=(
        Case("words that repeat", lambda rng: _slopes(rng, 23, used=5), 2),
        Case("a batch of sentences", lambda rng: _slopes(rng, 3, 7), 1),
        Case("every word once", lambda rng: _once(rng)),
        Case("one word, eleven times", lambda rng: _slopes(rng, B, used=1)),
        Case(
            "a single word",
            lambda rng: {
                "input": np.array(rng.integers(V)),
                "gradient": rng.standard_normal(D),
                "words": V,
            },
            hidden=True,
        ),
    ),
    mistakes=(
        Mistake(
            name="last_one_wins",
            why="Writing through indices, with `rows[input] += gradient` as with `=`, keeps one of "
            "the n gradients of a word that occurs n times and loses n − 1.",
            source="""
            def lookup_gradient(input, gradient, *, words):
                rows = gradient.new_zeros(words, gradient.shape[-1])
                for number, slope in zip(input.flatten(), gradient.flatten(0, -2), strict=True):
                    rows[number] = slope
                return rows
            """,
        ),
        Mistake(
            name="first_one_wins",
            why="Gradients of a word that had one already were skipped; every occurrence "
            "contributed to the loss, so every one contributes to the gradient.",
            source="""
            def lookup_gradient(input, gradient, *, words):
                rows = gradient.new_zeros(words, gradient.shape[-1])
                seen = set()
                for number, slope in zip(input.flatten(), gradient.flatten(0, -2), strict=True):
                    if int(number) not in seen:
                        rows[number] = slope
                        seen.add(int(number))
                return rows
            """,
        ),
        Mistake(
            name="mean_over_occurrences",
            why="The gradients of a word were averaged over its occurrences; the loss depends on "
            "the row through each of them, and derivatives through several paths add up.",
            change={
                "rows.index_add(": "torch.bincount(input.flatten(), minlength=words)"
                ".clamp(min=1).to(rows)[:, None].reciprocal() * rows.index_add(",
            },
        ),
        Mistake(
            name="mean_over_words",
            why="The gradients were divided by the number of words looked up; if the loss is a "
            "mean, that division is in `gradient` already.",
            change={
                "gradient.reshape(-1, size))": "gradient.reshape(-1, size)) / input.numel()",
            },
        ),
        Mistake(
            name="every_row",
            why="Every row received the sum of all gradients; a row that was not looked up did "
            "not take part in the loss, so its gradient is zero.",
            source="""
            def lookup_gradient(input, gradient, *, words):
                return gradient.reshape(-1, gradient.shape[-1]).sum(dim=0).repeat(words, 1)
            """,
        ),
    ),
    variants=(
        """
        def lookup_gradient(input, gradient, *, words):
            chosen = one_hot(input.flatten(), words).to(gradient)
            return chosen.T @ gradient.reshape(input.numel(), -1)
        """,
        """
        def lookup_gradient(input, gradient, *, words):
            flat = gradient.reshape(-1, gradient.shape[-1])
            rows = torch.zeros(words, flat.shape[1], dtype=flat.dtype)
            for number, slope in zip(input.reshape(-1).tolist(), flat, strict=True):
                rows[number] += slope
            return rows
        """,
    ),
)


def _once(rng):
    return {
        "input": rng.permutation(V)[:7],
        "gradient": rng.standard_normal((7, D)),
        "words": V,
    }


def _embedding(rng, *shape, padding=None, start=False, words=V):
    given = rng.standard_normal((words, D))
    input = rng.integers(words, size=shape)
    if padding is not None:
        input.flat[:2] = padding
    if start:
        input = np.full(shape, padding)
    init = {"num_embeddings": words, "embedding_dim": D, "padding_idx": padding}
    return Call(init=init, state=None if start else {"weight": given}, args={"input": input})


embedding = Exercise(
    symbol="Embedding",
    title="The table as a module",
    section="embedding-module",
    hint="`torch.where(padding, vectors.detach(), vectors)` shows the same numbers and lets no "
    "gradient through where it is padding.",
    forbidden=("F.embedding", "nn.Embedding"),
    needs=("lookup",),
    cases=(
        Case("a batch of sentences", lambda rng: _embedding(rng, 2, 7)),
        Case("padding gets no gradient", lambda rng: _embedding(rng, 3, 5, padding=4), 2),
        Case("padding is word 0", lambda rng: _embedding(rng, B, padding=0)),
        Case("padding as it starts", lambda rng: _embedding(rng, 2, 3, padding=7, start=True)),
        Case(
            "the last word is padding",
            lambda rng: _embedding(rng, 2, 3, padding=V - 1),
            hidden=True,
        ),
    ),
    mistakes=(
        Mistake(
            name="padding_gets_gradient",
            why="The padding row is trained like a word; what fills up short sentences would "
            "acquire a meaning, which depends on how batches were cut.",
            change={"torch.where(padding, vectors.detach(), vectors)": "vectors"},
        ),
        Mistake(
            name="padding_multiplied_by_zero",
            why="The output at padding was set to zero; `padding_idx` says that the row gets no "
            "gradient, and what it holds (after loading, say) is still what a lookup returns.",
            change={
                "torch.where(padding, vectors.detach(), vectors)": "vectors.masked_fill("
                "padding, 0.0)"
            },
        ),
        Mistake(
            name="row_zeroed_in_forward",
            why="The padding row was set to zero whenever something was looked up; a lookup reads "
            "the table, and a row that is written to still gets a gradient.",
            source="""
            class Embedding(nn.Module):
                def __init__(
                    self, num_embeddings, embedding_dim, *, padding_idx=None, device=None
                ):
                    super().__init__()
                    self.padding_idx = padding_idx
                    self.weight = nn.Parameter(
                        torch.randn(num_embeddings, embedding_dim, device=device)
                    )

                def forward(self, input):
                    if self.padding_idx is not None:
                        with torch.no_grad():
                            self.weight[self.padding_idx] = 0.0
                    return lookup(input, self.weight)
            """,
        ),
        Mistake(
            name="truth_value",
            why="`if self.padding_idx` is false for word 0, which is the usual choice for "
            "padding; ask whether it is None.",
            source="""
            class Embedding(nn.Module):
                def __init__(
                    self, num_embeddings, embedding_dim, *, padding_idx=None, device=None
                ):
                    super().__init__()
                    self.padding_idx = padding_idx
                    start = torch.randn(num_embeddings, embedding_dim, device=device)
                    if padding_idx:
                        start[padding_idx] = 0.0
                    self.weight = nn.Parameter(start)

                def forward(self, input):
                    vectors = lookup(input, self.weight)
                    if not self.padding_idx:
                        return vectors
                    padding = (input == self.padding_idx).unsqueeze(-1)
                    return torch.where(padding, vectors.detach(), vectors)
            """,
        ),
        Mistake(
            name="padding_starts_random",
            why="The padding row starts at random and, without a gradient, stays so: every short "
            "sentence would carry the same noise.",
            change={"self.weight[padding_idx] = 0.0": "self.weight[padding_idx] += 0.0"},
        ),
        Mistake(
            name="weight_transposed",
            why="The table is (num_embeddings, embedding_dim), a row per word; the other way "
            "round no saved table fits.",
            change={
                "torch.randn(num_embeddings, embedding_dim, device=device)": "torch.randn("
                "embedding_dim, num_embeddings, device=device)",
                "self.weight[padding_idx]": "self.weight[:, padding_idx]",
                "lookup(input, self.weight)": "lookup(input, self.weight.T)",
            },
        ),
    ),
    variants=(
        """
        class Embedding(nn.Module):
            def __init__(self, num_embeddings, embedding_dim, *, padding_idx=None, device=None):
                super().__init__()
                start = torch.randn(num_embeddings, embedding_dim, device=device)
                trained = torch.ones(num_embeddings, 1, device=device)
                if padding_idx is not None:
                    start[padding_idx] = trained[padding_idx] = 0.0
                self.weight = nn.Parameter(start)
                self.register_buffer("trained", trained, persistent=False)

            def forward(self, input):
                table = self.trained * self.weight + (1 - self.trained) * self.weight.detach()
                return table[input]
        """,
        """
        class Embedding(nn.Module):
            def __init__(self, num_embeddings, embedding_dim, *, padding_idx=None, device=None):
                super().__init__()
                self.padding_idx = -1 if padding_idx is None else padding_idx
                self.weight = nn.Parameter(torch.empty(num_embeddings, embedding_dim))
                nn.init.normal_(self.weight)
                rows = torch.arange(num_embeddings)[:, None]
                self.weight.data.masked_fill_(rows == self.padding_idx, 0.0)

            def forward(self, input):
                out = torch.index_select(self.weight, 0, input.flatten())
                out = out.reshape(*input.shape, -1)
                real = (input != self.padding_idx)[..., None].to(out.dtype)
                return real * out + (1 - real) * out.detach()
        """,
    ),
)


# --- words and counts --------------------------------------------------------------------------

ALPHABET = ["value", "name", "class", "block", "scope", "the", "of", "is", "in"]


def _text(rng, *, sentences=11, minimum=2):
    """Sentences in which the words' frequencies are far apart, and some are equal."""
    share = np.geomspace(1, 30, len(ALPHABET))
    lengths = rng.integers(3, 8, size=sentences)
    text = [[str(w) for w in rng.choice(ALPHABET, size=n, p=share / share.sum())] for n in lengths]
    text[0] += ["zip", "zip", "yes", "abs", "abs", "who", "who"]
    return {"sentences": text, "minimum": minimum}


def _at_the_cutoff(rng):
    """Words that occur exactly as often as asked, and words that miss it by one."""
    words = ["def", "for", "if", "del", "try", "as"]
    text = [word for word, n in zip(words, (3, 2, 5, 3, 1, 2), strict=True) for _ in range(n)]
    rng.shuffle(text)
    return {"sentences": [text[:7], text[7:]], "minimum": 3}


build_vocabulary = Exercise(
    symbol="build_vocabulary",
    title="Which words get a vector?",
    section="vocabulary",
    hint="Count all words with `Counter`, keep the frequent ones, and sort by the key "
    "`(-count, word)`: tuples are compared entry by entry.",
    cases=(
        Case("rare words dropped", _text, 2),
        Case("every word kept", lambda rng: {"sentences": _text(rng)["sentences"]}),
        Case("exactly at the cutoff", _at_the_cutoff),
        Case("nothing is frequent enough", lambda rng: _text(rng, minimum=99), hidden=True),
        Case("another text", lambda rng: _text(rng, sentences=29, minimum=5), hidden=True),
    ),
    mistakes=(
        Mistake(
            name="cutoff_excluded",
            why="A word that occurs exactly `minimum` times is not rarer than that; it is kept.",
            change={"count >= minimum": "count > minimum"},
        ),
        Mistake(
            name="no_unknown_word",
            why="There is no entry for words that are not in the vocabulary; the first rare word "
            "of a new text would have no number.",
            change={
                "return [UNKNOWN, *kept], torch.tensor([found.total() - sum(counts), *counts])": (
                    "return kept, torch.tensor(counts)"
                )
            },
        ),
        Mistake(
            name="unknown_counts_words",
            why="The unknown word was credited with the number of different words left out; it "
            "stands in the text once for every token of theirs.",
            change={"found.total() - sum(counts)": "len(found) - len(kept)"},
        ),
        Mistake(
            name="unknown_never_occurs",
            why="The unknown word got a count of 0; it replaces every left-out token, so it "
            "occurs as often as they did, and noise must be drawn accordingly.",
            change={"found.total() - sum(counts)": "0"},
        ),
        Mistake(
            name="ties_in_order_of_appearance",
            why="`most_common` leaves words of equal frequency in the order they appeared in; "
            "shuffle the sentences and the numbers of words change.",
            change={"(-found[word], word)": "-found[word]"},
        ),
        Mistake(
            name="ties_backwards",
            why="`reverse=True` turned both parts of the key around: frequencies fall, and words "
            "of equal frequency run from z to a.",
            change={
                "lambda word: (-found[word], word))": "lambda word: (found[word], word), "
                "reverse=True)"
            },
        ),
        Mistake(
            name="unknown_last",
            why="The unknown word came last; it is number 0, the one number that is the same in "
            "every vocabulary, and `encode` relies on it.",
            change={
                "return [UNKNOWN, *kept], torch.tensor([found.total() - sum(counts), *counts])": (
                    "return [*kept, UNKNOWN], torch.tensor([*counts, found.total() - sum(counts)])"
                )
            },
        ),
        Mistake(
            name="alphabetical",
            why="The words are sorted by the alphabet alone; by falling frequency, the first "
            "thousand numbers are the thousand most frequent words, which is what one cuts by.",
            change={"(-found[word], word)": "word"},
        ),
    ),
    variants=(
        """
        def build_vocabulary(sentences, *, minimum=1):
            counts = {}
            for sentence in sentences:
                for word in sentence:
                    counts[word] = counts.get(word, 0) + 1
            pairs = sorted(counts.items())
            pairs = sorted(pairs, key=lambda pair: pair[1], reverse=True)
            rare = sum(count for _, count in pairs if count < minimum)
            pairs = [(UNKNOWN, rare)] + [pair for pair in pairs if pair[1] >= minimum]
            return [word for word, _ in pairs], torch.tensor([count for _, count in pairs])
        """,
        """
        def build_vocabulary(sentences, *, minimum=1):
            tokens = sum(sentences, [])
            words = sorted(set(tokens), key=lambda word: (-tokens.count(word), word))
            words = [word for word in words if not tokens.count(word) < minimum]
            vocabulary = [UNKNOWN] + words
            numbers = [words.index(t) + 1 if t in words else 0 for t in tokens]
            return vocabulary, torch.bincount(torch.tensor(numbers), minlength=len(vocabulary))
        """,
    ),
)


skip_gram_pairs = Exercise(
    symbol="skip_gram_pairs",
    title="Every word with its neighbors",
    section="counting-neighbors",
    hint="Two nested loops over positions are a right answer. Without loops: the (T, T) table of "
    "distances says which pairs are near, and `nonzero` lists them row by row.",
    needs=("neighborhood",),
    cases=(
        Case("a sentence", lambda rng: {"sentence": rng.integers(V, size=7), "window": 2}, 2),
        Case("words that repeat", lambda rng: {"sentence": rng.integers(2, size=11), "window": 3}),
        Case("window of one", lambda rng: {"sentence": rng.integers(V, size=5), "window": 1}),
        Case("window past both ends", lambda rng: {"sentence": rng.permutation(5), "window": 7}),
        Case("one word", lambda rng: {"sentence": rng.integers(V, size=1), "window": 2}),
        Case(
            "a longer one",
            lambda rng: {"sentence": rng.integers(V, size=23), "window": 5},
            hidden=True,
        ),
    ),
    mistakes=(
        Mistake(
            name="one_side",
            why="Words before the center are missing; the window reaches to both sides.",
            source="""
            def skip_gram_pairs(sentence, window):
                pairs = [
                    torch.stack([sentence[i], sentence[j]])
                    for i in range(len(sentence))
                    for j in range(i + 1, min(i + window + 1, len(sentence)))
                ]
                return torch.stack(pairs) if pairs else sentence.new_zeros(0, 2)
            """,
        ),
        Mistake(
            name="itself",
            why="Every word was paired with itself as well; then each predicts itself best, and "
            "that teaches nothing.",
            source="""
            def skip_gram_pairs(sentence, window):
                position = torch.arange(len(sentence))
                near = (position[:, None] - position).abs() <= window
                center, context = near.nonzero(as_tuple=True)
                return torch.stack([sentence[center], sentence[context]], dim=1)
            """,
        ),
        Mistake(
            name="equal_words_left_out",
            why="Pairs of equal words were left out; it is the position of the center that is no "
            "neighbor of itself, but the same word may stand next to it again.",
            source="""
            def skip_gram_pairs(sentence, window):
                near = neighborhood(len(sentence), window, device=sentence.device)
                near = near & (sentence[:, None] != sentence)
                center, context = near.nonzero(as_tuple=True)
                return torch.stack([sentence[center], sentence[context]], dim=1)
            """,
        ),
        Mistake(
            name="context_first",
            why="The pairs are (context, center); with the center first, `pairs[:, 0]` says whose "
            "company is counted.",
            change={
                "[sentence[center], sentence[context]]": "[sentence[context], sentence[center]]"
            },
        ),
        Mistake(
            name="by_distance",
            why="The pairs are right and their order is not: the contexts of a center come by "
            "position, from left to right, not by distance.",
            source="""
            def skip_gram_pairs(sentence, window):
                length = len(sentence)
                pairs = [
                    torch.stack([sentence[i], sentence[j]])
                    for i in range(length)
                    for distance in range(1, window + 1)
                    for j in (i - distance, i + distance)
                    if 0 <= j < length
                ]
                return torch.stack(pairs) if pairs else sentence.new_zeros(0, 2)
            """,
        ),
        Mistake(
            name="full_windows_only",
            why="Centers near the ends were left out because their windows are not full; every "
            "word of the sentence is a center, with the neighbors that it has.",
            source="""
            def skip_gram_pairs(sentence, window):
                pairs = [
                    torch.stack([sentence[i], sentence[j]])
                    for i in range(window, len(sentence) - window)
                    for j in range(i - window, i + window + 1)
                    if i != j
                ]
                return torch.stack(pairs) if pairs else sentence.new_zeros(0, 2)
            """,
        ),
        Mistake(
            name="window_in_all",
            why="The window counts positions to either side; `range(i - window, i + window)` ends "
            "one too early on the right.",
            source="""
            def skip_gram_pairs(sentence, window):
                pairs = [
                    torch.stack([sentence[i], sentence[j]])
                    for i in range(len(sentence))
                    for j in range(max(i - window, 0), min(i + window, len(sentence)))
                    if i != j
                ]
                return torch.stack(pairs) if pairs else sentence.new_zeros(0, 2)
            """,
        ),
        Mistake(
            name="positions",
            why="These are positions in the sentence; the pairs are of the words that stand there.",
            change={"[sentence[center], sentence[context]]": "[center, context]"},
        ),
        Mistake(
            name="negative_index",
            why="`i - window` went below 0, and a negative index counts from the end: the first "
            "word got the last one as its neighbor.",
            source="""
            def skip_gram_pairs(sentence, window):
                pairs = [
                    torch.stack([sentence[i], sentence[j]])
                    for i in range(len(sentence))
                    for j in range(max(i - window, -len(sentence)), i + window + 1)
                    if i != j and j < len(sentence)
                ]
                return torch.stack(pairs) if pairs else sentence.new_zeros(0, 2)
            """,
        ),
    ),
    variants=(
        """
        def skip_gram_pairs(sentence, window):
            words, pairs = sentence.tolist(), []
            for i, word in enumerate(words):
                near = words[max(i - window, 0) : i] + words[i + 1 : i + 1 + window]
                pairs += [[word, other] for other in near]
            return torch.tensor(pairs, dtype=torch.int64).reshape(-1, 2)
        """,
        """
        def skip_gram_pairs(sentence, window):
            length = len(sentence)
            position = torch.arange(length)[:, None]
            offsets = torch.cat([torch.arange(-window, 0), torch.arange(1, window + 1)])
            other = position + offsets
            inside = (other >= 0) & (other < length)
            center = position.expand_as(other)[inside]
            return torch.stack([sentence[center], sentence[other[inside]]], 1)
        """,
    ),
)


def _pairs(rng, *, count=101, words=7, used=None):
    used = words if used is None else used
    center = np.minimum(rng.geometric(0.3, size=count) - 1, used - 1)
    return {"pairs": np.stack([center, rng.integers(used, size=count)], 1), "words": words}


cooccurrence = Exercise(
    symbol="cooccurrence",
    title="Counting who meets whom",
    section="counting-neighbors",
    hint="A pair (i, j) is cell i·V + j of a matrix read row by row; `torch.bincount` counts how "
    "often each number occurs.",
    cases=(
        Case("many pairs", _pairs, 2),
        Case("some words missing", lambda rng: _pairs(rng, words=13, used=5)),
        Case("a few pairs", lambda rng: _pairs(rng, count=5, words=3)),
        Case(
            "no pair",
            lambda rng: {"pairs": np.zeros((0, 2), dtype=np.int64), "words": 3},
            hidden=True,
        ),
    ),
    mistakes=(
        Mistake(
            name="each_pair_once",
            why="Assigning through indices (`counts[i, j] += 1` with index tensors too) looks at "
            "each cell once, however often the pair occurs.",
            source="""
            def cooccurrence(pairs, words):
                counts = torch.zeros(words, words, dtype=torch.int64)
                counts[pairs[:, 0], pairs[:, 1]] += 1
                return counts
            """,
        ),
        Mistake(
            name="transposed",
            why="The context chose the row; a row belongs to a center, so that it can become the "
            "center's vector.",
            change={"pairs[:, 0] * words + pairs[:, 1]": "pairs[:, 1] * words + pairs[:, 0]"},
        ),
        Mistake(
            name="counted_both_ways",
            why="Each pair was counted in both directions; the list holds (a, b) and (b, a) "
            "already, so every count comes out double.",
            change={
                ".reshape(words, words)": ".reshape(words, words) + torch.bincount("
                "pairs[:, 1] * words + pairs[:, 0], minlength=words * words)"
                ".reshape(words, words)"
            },
        ),
        Mistake(
            name="shares",
            why="These are shares of all pairs; how sure one may be of a number depends on how "
            "many times it was seen, so counts are kept as counts.",
            change={
                "minlength=words * words).reshape(words, words)": "minlength=words * words)"
                ".reshape(words, words) / len(pairs)"
            },
        ),
    ),
    variants=(
        """
        def cooccurrence(pairs, words):
            center, context = one_hot(pairs, words).unbind(dim=1)
            return (center.T @ context).round().long()
        """,
        """
        def cooccurrence(pairs, words):
            counts = torch.zeros(words, words, dtype=torch.int64)
            for center, context in pairs.tolist():
                counts[center, context] += 1
            return counts
        """,
    ),
)


def _counts(rng, *, rows=7, columns=5, scale=4.0, **options):
    """Counts with zeros among them; no row and no column is empty."""
    drawn = rng.poisson(scale * rng.random((rows, columns)) ** 2)
    drawn[rng.integers(rows, size=2), :2] = 0
    drawn[np.arange(rows), np.arange(rows) % columns] += 1 + rng.integers(3, size=rows)
    return {"counts": drawn, **options}


def _never_seen(rng):
    made = _counts(rng, power=0.75)
    made["counts"][2], made["counts"][:, 3] = 0, 0
    return made


pmi = Exercise(
    symbol="pmi",
    title="More often than by chance",
    section="pmi",
    hint="Compute the count that chance would give to each cell, #(w) · q(c), by broadcasting a "
    "column and a row; the rest is a division and a logarithm.",
    cases=(
        Case("counts", _counts, 2),
        Case("rare contexts smoothed", lambda rng: _counts(rng, power=0.75), 2),
        Case("square", lambda rng: _counts(rng, rows=5)),
        Case("a word never seen", _never_seen),
        Case("large counts", lambda rng: _counts(rng, scale=1e6, power=0.5), hidden=True),
    ),
    mistakes=(
        Mistake(
            name="not_normalized",
            why="Counts were divided by counts; probabilities need the total: without it every "
            "value is too small by the logarithm of the number of pairs.",
            change={"* context / context.sum()": "* context"},
        ),
        Mistake(
            name="rows_and_columns_exchanged",
            why="The sums over the rows and over the columns are exchanged; with a square matrix "
            "the shapes fit and the numbers belong to other words.",
            source="""
            def pmi(counts, *, power=1.0):
                counts = counts.double()
                context = counts.sum(dim=1, keepdim=True) ** power
                expected = counts.sum(dim=0) * context / context.sum()
                return torch.where(counts > 0, (counts / expected).log(), -math.inf)
            """,
        ),
        Mistake(
            name="power_after_normalizing",
            why="The power was taken of the probabilities and the result not divided by its sum; "
            "q has to sum to 1, or all values shift by a constant.",
            change={
                "counts.sum(dim=0) ** power": "(counts.sum(dim=0) / counts.sum()) ** power",
                "* context / context.sum()": "* context",
            },
        ),
        Mistake(
            name="power_on_both",
            why="The power was applied to centers too; only the contexts' distribution is "
            "flattened, as noise words are drawn as contexts.",
            change={
                "counts.sum(dim=1, keepdim=True) * context": "counts.sum() * ("
                "counts.sum(dim=1, keepdim=True) ** power / "
                "(counts.sum(dim=1) ** power).sum()) * context"
            },
        ),
        Mistake(
            name="bits",
            why="This is the logarithm to base 2; everything in this book is in nats, and the "
            "shift ln k would no longer fit.",
            change={".log()": ".log2()"},
        ),
        Mistake(
            name="zero_for_unseen",
            why="A pair that was never seen got 0, as if it met exactly as often as by chance; "
            "its PMI is −∞, and making 0 of it is the next function's decision.",
            change={"-math.inf": "0.0"},
        ),
        Mistake(
            name="positive_already",
            why="Negative values were set to 0: that is PPMI, the next function; PMI itself tells "
            "pairs that meet less often than by chance from those that never do.",
            change={
                "return torch.where(counts > 0, (counts / expected).log(), -math.inf)": (
                    "return torch.where(counts > 0, (counts / expected).log(), -math.inf)"
                    ".clamp(min=0)"
                )
            },
        ),
        Mistake(
            name="nan_for_words_never_seen",
            why="For a word or a context that never occurs, 0 / 0 is NaN; such a pair was not "
            "seen either, so its PMI is −∞.",
            change={
                "torch.where(counts > 0, (counts / expected).log(), -math.inf)": (
                    "(counts / expected).log()"
                )
            },
        ),
        Mistake(
            name="one_added",
            why="One was added to every count, so that no logarithm is infinite; most cells of "
            "a real table are empty, and the made-up ones would outnumber the real ones.",
            change={"counts = counts.double()": "counts = counts.double() + 1"},
        ),
    ),
    variants=(
        """
        def pmi(counts, *, power=1.0):
            joint = counts.double() / counts.sum()
            center = joint.sum(dim=1)
            context = joint.sum(dim=0) ** power
            context = context / context.sum()
            found = joint.log() - torch.outer(center, context).log()
            return torch.where(joint == 0, torch.full_like(joint, -math.inf), found)
        """,
        """
        def pmi(counts, *, power=1.0):
            result = torch.full(counts.shape, -math.inf, dtype=torch.float64)
            total = counts.sum().item()
            smooth = [n**power for n in counts.sum(dim=0).tolist()]
            for w, row in enumerate(counts.tolist()):
                for c, n in enumerate(row):
                    if n:
                        chance = sum(row) / total * smooth[c] / sum(smooth)
                        result[w, c] = math.log(n / total / chance)
            return result
        """,
    ),
)


ppmi = Exercise(
    symbol="ppmi",
    title="Positive PMI",
    section="pmi",
    hint="Shift first, then cut off what is below zero; `clamp` takes −∞ to 0 as well.",
    needs=("pmi",),
    cases=(
        Case("no shift", _counts),
        Case("five noise words", lambda rng: _counts(rng, rows=11, power=0.75, negatives=5.0), 2),
        Case("less than one", lambda rng: _counts(rng, negatives=0.5)),
        Case("a word never seen", lambda rng: {**_never_seen(rng), "negatives": 2.0}, hidden=True),
    ),
    mistakes=(
        Mistake(
            name="cut_before_the_shift",
            why="Negative values were set to 0 before the shift, and came back: every empty cell "
            "now holds −ln k.",
            change={
                "(pmi(counts, power=power) - math.log(negatives)).clamp(min=0)": (
                    "pmi(counts, power=power).clamp(min=0) - math.log(negatives)"
                )
            },
        ),
        Mistake(
            name="not_cut",
            why="Negative values are still there, and −∞ where a pair was never seen; no singular "
            "value decomposition takes that.",
            change={".clamp(min=0)": ""},
        ),
        Mistake(
            name="not_shifted",
            why="`negatives` was ignored: the shift by ln k is what makes a pair prove more.",
            change={" - math.log(negatives)": ""},
        ),
        Mistake(
            name="shifted_up",
            why="ln k was added: a pair has to meet more often than k times by chance, so it is "
            "taken away.",
            change={" - math.log(negatives)": " + math.log(negatives)"},
        ),
        Mistake(
            name="shifted_by_k",
            why="k itself was taken away; PMI is a logarithm, so a factor of k is a shift by ln k.",
            change={"math.log(negatives)": "negatives"},
        ),
        Mistake(
            name="small_values_kept",
            why="Values below ln k were set to 0 and the others not shifted; with max(PMI − ln k, "
            "0), a value just above the threshold is just above 0.",
            source="""
            def ppmi(counts, *, power=1.0, negatives=1.0):
                found = pmi(counts, power=power)
                return torch.where(found > math.log(negatives), found, 0.0)
            """,
        ),
    ),
    variants=(
        """
        def ppmi(counts, *, power=1.0, negatives=1.0):
            shifted = pmi(counts, power=power) - math.log(negatives)
            return torch.maximum(shifted, torch.zeros_like(shifted))
        """,
        """
        def ppmi(counts, *, power=1.0, negatives=1.0):
            ratio = pmi(counts, power=power).exp() / negatives
            return torch.where(ratio > 1, ratio, 1.0).log()
        """,
    ),
)


def _matrix(rng, rows=13, columns=11, **options):
    """A matrix whose singular values are well apart."""
    size = min(rows, columns)
    left, _ = np.linalg.qr(rng.standard_normal((rows, size)))
    right, _ = np.linalg.qr(rng.standard_normal((columns, size)))
    values = np.geomspace(9, 0.3, size)
    return {"matrix": (left * values) @ right.T, **options}


svd_vectors = Exercise(
    symbol="svd_vectors",
    title="Short vectors from a long table",
    section="svd",
    hint="`torch.linalg.svd` sorts by falling singular value and returns Vᵀ, which is not needed "
    "here. Then turn each column so that its entry of largest magnitude is positive.",
    equivalent={
        "u, s, _ = torch.linalg.svd(matrix)": "more left vectors than are kept; the first ones are "
        "the same",
        "u, s, _ = torch.linalg.svd(matrix, full_matrices=True)": "more left vectors than are "
        "kept; the first ones are the same",
        "return ((vectors) / (largest.sign()))": "dividing by 1 or −1 is multiplying by it",
    },
    cases=(
        Case("half of each singular value", lambda rng: _matrix(rng, size=3), 2),
        Case("all of it", lambda rng: _matrix(rng, size=5, power=1.0)),
        Case("none of it", lambda rng: _matrix(rng, size=5, power=0.0)),
        Case("more columns than rows", lambda rng: _matrix(rng, rows=5, size=3)),
        Case("nothing cut off", lambda rng: _matrix(rng, rows=5, columns=7, size=5), hidden=True),
    ),
    mistakes=(
        Mistake(
            name="right_vectors",
            why="These vectors are of the columns, which are contexts; the rows' are in U.",
            source="""
            def svd_vectors(matrix, size, *, power=0.5):
                _, s, vh = torch.linalg.svd(matrix, full_matrices=False)
                vectors = vh[:size].T * s[:size] ** power
                largest = vectors.gather(0, vectors.abs().argmax(dim=0, keepdim=True))
                return vectors * largest.sign()
            """,
        ),
        Mistake(
            name="power_ignored",
            why="The singular values enter with power 1 whatever was asked for; then the first "
            "few directions dominate every distance.",
            change={"s[:size] ** power": "s[:size]"},
        ),
        Mistake(
            name="no_singular_values",
            why="The singular values are left out, so every direction counts alike, also those "
            "that hardly occur in the matrix.",
            change={"u[:, :size] * s[:size] ** power": "u[:, :size]"},
        ),
        Mistake(
            name="sign_of_the_first_entry",
            why="Some columns are turned around: their signs were left as the library chose them, "
            "or taken from the first entry, which rounding may turn; the largest one decides.",
            change={"vectors * largest.sign()": "vectors * torch.sign(vectors[:1])"},
        ),
        Mistake(
            name="smallest_kept",
            why="The smallest singular values were kept; the directions worth keeping are those "
            "with the largest ones, which come first.",
            change={
                "vectors = u[:, :size] * s[:size] ** power": "u, s = u.flip(1), s.flip(0); "
                "vectors = u[:, :size] * s[:size] ** power"
            },
        ),
    ),
    variants=(
        """
        def svd_vectors(matrix, size, *, power=0.5):
            u, s, _ = torch.svd(matrix)
            columns = []
            for column, value in zip(u.T[:size], s, strict=False):
                column = column * value**power
                columns.append(column * column[column.abs().argmax()].sign())
            return torch.stack(columns, dim=1)
        """,
        """
        def svd_vectors(matrix, size, *, power=0.5):
            values, vectors = torch.linalg.eigh(matrix @ matrix.T)
            values, vectors = values.flip(0)[:size], vectors.flip(1)[:, :size]
            turn = torch.where(vectors.amax(dim=0) > -vectors.amin(dim=0), 1.0, -1.0)
            return vectors * values ** (power / 2) * turn
        """,
    ),
)


def _vectors(rng, words=V, size=D):
    """Vectors of very different lengths, so that length and direction disagree."""
    return rng.standard_normal((words, size)) * np.geomspace(0.1, 9, words)[:, None]


def _neighbors(rng, word, count, **sizes):
    return {"vectors": _vectors(rng, **sizes), "word": word, "count": count}


nearest = Exercise(
    symbol="nearest",
    title="Nearest neighbors",
    section="neighbors",
    hint="Scale every vector to length 1; then one matrix-vector product holds all cosines. Take "
    "the word itself out of the race before `topk`.",
    forbidden=("F.cosine_similarity", "nn.CosineSimilarity"),
    cases=(
        Case("five neighbors", lambda rng: _neighbors(rng, 3, 5), 2),
        Case("the longest vector asks", lambda rng: _neighbors(rng, V - 1, 4)),
        Case("all are opposite", lambda rng: _opposite(rng)),
        Case("everyone, in order", lambda rng: _neighbors(rng, 0, 12, words=13), hidden=True),
    ),
    mistakes=(
        Mistake(
            name="itself",
            why="The word is its own nearest neighbor, with cosine 1; that is no news, so it is "
            "left out.",
            change={"torch.where(others, unit @ unit[word], -math.inf)": "unit @ unit[word]"},
        ),
        Mistake(
            name="dot_product",
            why="These are dot products; long vectors win them whatever their direction, and "
            "frequent words have long vectors.",
            change={"vectors / vectors.norm(dim=1, keepdim=True)": "vectors"},
        ),
        Mistake(
            name="euclidean",
            why="These are the smallest distances; they depend on how long the vectors are, and "
            "the cosine on their directions alone.",
            source="""
            def nearest(vectors, word, *, count):
                distance = (vectors - vectors[word]).norm(dim=1)
                distance[word] = math.inf
                best = distance.topk(count, largest=False)
                return best.indices, best.values
            """,
        ),
        Mistake(
            name="row_removed",
            why="The word's row was taken out before `topk`, so every later word moved up by one: "
            "the cosines are right, and the numbers are of other words.",
            source="""
            def nearest(vectors, word, *, count):
                unit = vectors / vectors.norm(dim=1, keepdim=True)
                others = torch.cat([unit[:word], unit[word + 1 :]])
                best = (others @ unit[word]).topk(count)
                return best.indices, best.values
            """,
        ),
        Mistake(
            name="all_scaled_by_one",
            why="All vectors were divided by one number, the norm of the whole table; each has "
            "to be divided by its own length.",
            change={"vectors.norm(dim=1, keepdim=True)": "vectors.norm()"},
        ),
        Mistake(
            name="features_scaled",
            why="The norm was taken down the columns: that scales features, not words.",
            change={"norm(dim=1, keepdim=True)": "norm(dim=0, keepdim=True)"},
        ),
        Mistake(
            name="farthest",
            why="A cosine grows with similarity; sorted from the smallest, the opposites come "
            "first.",
            change={
                "-math.inf": "math.inf",
                "cosine.topk(count)": "cosine.topk(count, largest=False)",
            },
        ),
        Mistake(
            name="itself_set_to_zero",
            why="The word's own cosine was set to 0, which is no small value here: when all "
            "others point away, the word comes back as its own neighbor.",
            change={"-math.inf": "0.0"},
        ),
        Mistake(
            name="asks_unscaled",
            why="The vector that asks was not scaled; the order is right, the cosines are too "
            "large or too small by its length.",
            change={"unit @ unit[word]": "unit @ vectors[word]"},
        ),
    ),
    variants=(
        """
        def nearest(vectors, word, *, count):
            length = vectors.square().sum(dim=1).sqrt()
            cosine = vectors @ vectors[word] / (length * length[word])
            order = cosine.argsort(descending=True)
            order = order[order != word][:count]
            return order, cosine[order]
        """,
        """
        def nearest(vectors, word, *, count):
            found = []
            for other, vector in enumerate(vectors):
                if other != word:
                    size = torch.linalg.norm(vector) * torch.linalg.norm(vectors[word])
                    found.append(((vector @ vectors[word] / size).item(), other))
            found = sorted(found, reverse=True)[:count]
            numbers, cosines = [other for _, other in found], [cosine for cosine, _ in found]
            return torch.tensor(numbers), torch.tensor(cosines, dtype=vectors.dtype)
        """,
    ),
)


def _opposite(rng):
    vectors = np.abs(_vectors(rng, words=7))
    vectors[2] *= -1
    return {"vectors": vectors, "word": 2, "count": 3}


def _partners(rng, words=V, pairs=7):
    drawn = np.stack([rng.permutation(words)[:2] for _ in range(pairs)])
    return {"vectors": _vectors(rng, words=words), "pairs": drawn}


partner_ranks = Exercise(
    symbol="partner_ranks",
    title="A score for neighbors",
    section="twins",
    hint="The rank of the partner is one more than the number of words with a larger cosine; the "
    "word itself must not be among them.",
    cases=(
        Case("seven pairs", _partners, 2),
        Case("partners that are near", lambda rng: _near_partners(rng)),
        Case("as many pairs as features", lambda rng: _partners(rng, pairs=D)),
        Case("one pair", lambda rng: _partners(rng, words=13, pairs=1), hidden=True),
        Case("many pairs", lambda rng: _partners(rng, words=31, pairs=23), hidden=True),
    ),
    mistakes=(
        Mistake(
            name="counted_from_zero",
            why="The count of nearer words is one less than the rank; with ranks from 0 the "
            "reciprocal of the best one is infinite.",
            change={"1 + (cosine > partner)": "(cosine > partner)"},
        ),
        Mistake(
            name="itself_counted",
            why="Every rank is one too large, so no partner can be first: the word itself was "
            "counted among the nearer ones, or the partner was (`>=` for `>`).",
            change={
                "cosine = cosine.scatter(2, pairs.unsqueeze(2), -math.inf)": "cosine = 1.0 * cosine"
            },
        ),
        Mistake(
            name="dot_product",
            why="Ranked by dot product, so that long vectors are near to everyone.",
            change={"vectors / vectors.norm(dim=1, keepdim=True)": "vectors"},
        ),
        Mistake(
            name="word_for_rank",
            why="`argsort` says which word stands at a rank; asked for the partner's rank, it has "
            "to be inverted (`argsort` of it again).",
            source="""
            def partner_ranks(vectors, pairs):
                unit = vectors / vectors.norm(dim=1, keepdim=True)
                cosine = (unit @ unit.T).fill_diagonal_(-math.inf)
                order = cosine.argsort(dim=1, descending=True)
                return 1 + order[pairs, pairs.flip(1)]
            """,
        ),
        Mistake(
            name="farther_words_counted",
            why="The words with a smaller cosine were counted: the rank runs from the far end.",
            change={"cosine > partner": "cosine < partner"},
        ),
        Mistake(
            name="columns_exchanged",
            why="The two directions are exchanged; being someone's nearest neighbor is not "
            "mutual, so they differ.",
            change={".sum(dim=2)": ".sum(dim=2).flip(1)"},
        ),
    ),
    variants=(
        """
        def partner_ranks(vectors, pairs):
            ranks = []
            for a, b in pairs.tolist():
                row = []
                for word, partner in ((a, b), (b, a)):
                    order = nearest(vectors, word, count=len(vectors) - 1)[0].tolist()
                    row.append(1 + order.index(partner))
                ranks.append(row)
            return torch.tensor(ranks)
        """,
        """
        def partner_ranks(vectors, pairs):
            length = vectors.square().sum(1).sqrt()
            cosine = (vectors / length[:, None]) @ (vectors / length[:, None]).T
            word, partner = pairs.flatten(), pairs.flip(1).flatten()
            rows = cosine[word]
            others = torch.arange(len(vectors)) != word[:, None]
            nearer = (rows > cosine[word, partner][:, None]) & others
            return nearer.sum(dim=1).reshape(-1, 2) + 1
        """,
    ),
    needs=("nearest",),
)


def _near_partners(rng):
    made = _partners(rng, pairs=5)
    made["pairs"] = np.arange(10).reshape(5, 2)
    noise = rng.standard_normal((5, D))
    made["vectors"][1:10:2] = 0.3 * made["vectors"][0:10:2] + 0.02 * noise
    return made


# --- skip-gram with negative sampling ----------------------------------------------------------


def _frequencies(rng, words=V, **options):
    counts = 1 + rng.integers(9, size=words) * rng.integers(1, 40, size=words)
    return {"counts": counts, **options}


def _one_missing(rng, **options):
    made = _frequencies(rng, **options)
    made["counts"][3] = 0
    return made


noise_distribution = Exercise(
    symbol="noise_distribution",
    title="Where noise comes from",
    section="negative-sampling",
    hint="First the power, then divide by the sum.",
    cases=(
        Case("counts of words", _frequencies),
        Case("as the text has them", lambda rng: _frequencies(rng, power=1.0)),
        Case("all alike", lambda rng: _frequencies(rng, power=0.0)),
        Case("a word that does not occur", _one_missing),
        Case("large counts", lambda rng: {"counts": 10**8 * rng.integers(1, 9, 5)}, hidden=True),
    ),
    mistakes=(
        Mistake(
            name="power_last",
            why="The power was taken after dividing by the sum, so the results no longer sum to 1.",
            change={
                "weights = counts.double() ** power": "weights = counts.double()",
                "weights / weights.sum()": "(weights / weights.sum()) ** power",
            },
        ),
        Mistake(
            name="no_power",
            why="These are the shares of the text; a power below 1 gives rare words more of the "
            "draws.",
            change={"counts.double() ** power": "counts.double()"},
        ),
        Mistake(
            name="not_normalized",
            why="These are weights; probabilities sum to 1.",
            change={"weights / weights.sum()": "weights"},
        ),
        Mistake(
            name="softmax",
            why="A softmax takes exponentials of the counts: the most frequent word gets "
            "all of the probability.",
            change={"weights / weights.sum()": "torch.softmax(weights, dim=0)"},
        ),
    ),
    variants=(
        """
        def noise_distribution(counts, *, power=0.75):
            share = counts.to(torch.float64) / counts.sum()
            return share.pow(power) / share.pow(power).sum()
        """,
        """
        def noise_distribution(counts, *, power=0.75):
            logits = power * counts.double().log() if power else torch.zeros(len(counts)).double()
            return (logits - torch.logsumexp(logits, dim=0)).exp()
        """,
    ),
)


keep_probability = Exercise(
    symbol="keep_probability",
    title="Thinning out frequent words",
    section="subsampling",
    hint="The share f is a count divided by the number of all tokens. √(t / f) is above 1 for "
    "rare words, and a probability is not.",
    cases=(
        Case("some are frequent", lambda rng: _frequencies(rng, threshold=0.03), 2),
        Case("all are frequent", lambda rng: _frequencies(rng, threshold=1e-5)),
        Case("none is frequent", lambda rng: _frequencies(rng, threshold=1.0)),
        Case("a word that does not occur", lambda rng: _one_missing(rng, threshold=0.01)),
        Case("another text", lambda rng: _frequencies(rng, words=31, threshold=0.02), hidden=True),
    ),
    mistakes=(
        Mistake(
            name="probability_of_dropping",
            why="1 − √(t / f) is the probability of dropping an occurrence, as the paper gives "
            "it; here it is that of keeping one.",
            change={
                "(threshold / share).sqrt().clamp(max=1)": "1 - (threshold / share).sqrt()"
                ".clamp(max=1)"
            },
        ),
        Mistake(
            name="formula_of_the_c_code",
            why="(√(f / t) + 1) · t / f is what the C code of word2vec computes, and many pages "
            "repeat; the paper's formula, which is asked for here, is √(t / f).",
            change={
                "(threshold / share).sqrt().clamp(max=1)": "((threshold / share).sqrt() + "
                "threshold / share).clamp(max=1)"
            },
        ),
        Mistake(
            name="above_one",
            why="For rare words √(t / f) is above 1; a probability ends there.",
            change={".clamp(max=1)": ""},
        ),
        Mistake(
            name="no_root",
            why="Without the root, all frequent words would be thinned down to the same number "
            "of occurrences, and their order would be lost.",
            change={".sqrt()": ""},
        ),
        Mistake(
            name="counts_for_shares",
            why="The threshold is a share of the text and was compared with a count; a longer "
            "text would lose more of every word.",
            change={"counts.double() / counts.sum()": "counts.double()"},
        ),
        Mistake(
            name="upside_down",
            why="√(f / t) grows with frequency: it keeps the frequent words and drops the rare.",
            change={"threshold / share": "share / threshold"},
        ),
    ),
    variants=(
        """
        def keep_probability(counts, *, threshold):
            limit = threshold * counts.sum().double()
            return torch.where(counts > limit, (limit / counts).sqrt(), 1.0)
        """,
        """
        def keep_probability(counts, *, threshold):
            total = sum(counts.tolist())
            kept = [
                min(1.0, (threshold * total / n) ** 0.5) if n else 1.0 for n in counts.tolist()
            ]
            return torch.tensor(kept, dtype=torch.float64)
        """,
    ),
)


SIDES = ("center", "context", "noise")


def _triples(rng, *, batch=B, negatives=K, size=D, scale=1.0):
    return {
        "center": scale * rng.standard_normal((batch, size)),
        "context": rng.standard_normal((batch, size)),
        "noise": rng.standard_normal((batch, negatives, size)),
    }


sgns_loss = Exercise(
    symbol="sgns_loss",
    title="The loss of skip-gram",
    section="negative-sampling",
    hint="−ln σ(x) = ln(1 + e⁻ˣ), and `torch.logaddexp(-x, zeros)` computes it for x of any size. "
    "Sum over the noise words, average over the pairs.",
    cases=(
        Case("eleven pairs", _triples, 2, grad=SIDES),
        Case("one noise word", lambda rng: _triples(rng, negatives=1), grad=SIDES),
        Case("as many noise words as pairs", lambda rng: _triples(rng, batch=K), grad=SIDES),
        Case("huge products", lambda rng: _triples(rng, scale=1e4), grad=SIDES),
        Case("a single pair", lambda rng: _triples(rng, batch=1, size=2), grad=SIDES, hidden=True),
        Case("many noise words", lambda rng: _triples(rng, negatives=13), hidden=True),
    ),
    mistakes=(
        Mistake(
            name="noise_not_negated",
            why="The sign of the noise's products is missing: noise is rewarded like context, and "
            "the loss is least when every vector points the same way.",
            change={"_softplus(drawn)": "_softplus(-drawn)"},
        ),
        Mistake(
            name="mean_over_noise",
            why="The noise terms were averaged; eq. 4 sums them, and their number k is what "
            "shifts the solution by ln k.",
            change={".sum(dim=1)).mean()": ".mean(dim=1)).mean()"},
        ),
        Mistake(
            name="mean_over_all_questions",
            why="The mean was taken over all (1 + k) · B questions, as "
            "`binary_cross_entropy_with_logits` does unless told; eq. 4 sums the 1 + k of a pair.",
            change={
                "(_softplus(-found) + _softplus(drawn).sum(dim=1)).mean()": "torch.cat([_softplus("
                "-found)[:, None], _softplus(drawn)], dim=1).mean()"
            },
        ),
        Mistake(
            name="sum_over_pairs",
            why="The loss is a sum over the pairs; as a mean it does not change with the size of "
            "the batch, and neither does the learning rate that fits.",
            change={".sum(dim=1)).mean()": ".sum(dim=1)).sum()"},
        ),
        Mistake(
            name="sign",
            why="Eq. 4 is to be made large; a loss is to be made small, so its sign turns.",
            change={
                "(_softplus(-found) + _softplus(drawn).sum(dim=1)).mean()": "-(_softplus("
                "-found) + _softplus(drawn).sum(dim=1)).mean()"
            },
        ),
        Mistake(
            name="log_of_sigmoid",
            why="`sigmoid` rounds to 0 for large negative numbers, and the logarithm of 0 is −∞; "
            "ln(1 + eˣ) in one piece does not overflow.",
            source="""
            def sgns_loss(center, context, noise):
                found = torch.sigmoid((context * center).sum(dim=1))
                drawn = torch.sigmoid(-(noise @ center.unsqueeze(2)).squeeze(2))
                return -(found.log() + drawn.log().sum(dim=1)).mean()
            """,
        ),
        Mistake(
            name="softmax_instead",
            why="This is a softmax over the true context and the noise, a different loss: here "
            "every word is judged by itself, context or noise.",
            source="""
            def sgns_loss(center, context, noise):
                rows = torch.cat([context.unsqueeze(1), noise], dim=1)
                scores = (rows @ center.unsqueeze(2)).squeeze(2)
                return -torch.log_softmax(scores, dim=1)[:, 0].mean()
            """,
        ),
    ),
    variants=(
        """
        def sgns_loss(center, context, noise):
            found = torch.einsum("bd,bd->b", center, context)
            drawn = torch.einsum("bd,bkd->bk", center, noise)
            score = torch.nn.functional.logsigmoid
            return -score(found).mean() - score(-drawn).sum() / len(center)
        """,
        """
        def sgns_loss(center, context, noise):
            rows = torch.cat([context.unsqueeze(1), -noise], dim=1)
            margins = (rows * center.unsqueeze(1)).sum(dim=2)
            return torch.nn.functional.softplus(-margins).sum() / len(center)
        """,
    ),
)


sgns_gradients = Exercise(
    symbol="sgns_gradients",
    title="The gradient of skip-gram by hand",
    section="sgns-gradient",
    hint="The derivative of −ln σ(x) is σ(x) − 1, that of −ln σ(−x) is σ(x). By the chain rule "
    "each error multiplies the other vector of its product.",
    forbidden=("torch.autograd.grad", "torch.func.grad", "Tensor.backward"),
    cases=(
        Case("eleven pairs", _triples, 2),
        Case("one noise word", lambda rng: _triples(rng, negatives=1)),
        Case("as many noise words as pairs", lambda rng: _triples(rng, batch=K)),
        Case("huge products", lambda rng: _triples(rng, scale=1e4)),
        Case("a single pair", lambda rng: _triples(rng, batch=1, size=2), hidden=True),
    ),
    mistakes=(
        Mistake(
            name="error_without_minus_one",
            why="For a true context the error is σ − 1: it vanishes when the model is sure of the "
            "pair. With σ alone, true pairs are pushed apart.",
            change={"keepdim=True)) - 1": "keepdim=True))"},
        ),
        Mistake(
            name="own_vector",
            why="The gradients of context and noise are multiples of these vectors themselves; "
            "the derivative of u·v with respect to u is v, the other vector of the product.",
            change={
                "found * center / batch": "found * context / batch",
                "drawn * center.unsqueeze(1) / batch": "drawn * noise / batch",
            },
        ),
        Mistake(
            name="noise_error_reversed",
            why="The error of a noise word is σ(x) and not σ(−x): it is small where the model "
            "already rejects the word.",
            change={
                "drawn = torch.sigmoid((noise": "drawn = torch.sigmoid(-(noise",
            },
        ),
        Mistake(
            name="batch_forgotten",
            why="The loss is a mean over the pairs, so every gradient is divided by their number.",
            change={"batch = len(center)": "batch = 1"},
        ),
        Mistake(
            name="noise_left_out_of_center",
            why="The center's gradient has to include the noise: it stands in each of those "
            "products too, and only they push vectors apart.",
            change={" + (drawn * noise).sum(dim=1)": ""},
        ),
        Mistake(
            name="noise_averaged",
            why="The noise's share of the center's gradient was averaged; the loss sums over the "
            "noise words, and so does its derivative.",
            change={"(drawn * noise).sum(dim=1)": "(drawn * noise).mean(dim=1)"},
        ),
        Mistake(
            name="uphill",
            why="These point uphill in the loss: the signs are those of the objective that the "
            "paper maximizes.",
            change={
                "batch = len(center)": "batch = -len(center)",
            },
        ),
        Mistake(
            name="derivative_of_sigmoid",
            why="σ(1 − σ) is the derivative of σ; the loss is its logarithm, whose derivative is "
            "1 − σ, and learning does not stall where the model is sure and wrong.",
            change={
                "drawn = torch.sigmoid((noise * center.unsqueeze(1)).sum(dim=2, keepdim=True))": (
                    "found = -found * (1 + found) * -1\n"
                    "    drawn = torch.sigmoid((noise * center.unsqueeze(1))"
                    ".sum(dim=2, keepdim=True))\n"
                    "    drawn = drawn * (1 - drawn)"
                )
            },
        ),
    ),
    variants=(
        """
        def sgns_gradients(center, context, noise):
            count = center.shape[0]
            rows = torch.cat([context.unsqueeze(1), noise], dim=1)
            errors = torch.sigmoid(torch.einsum("bkd,bd->bk", rows, center)) / count
            errors[:, 0] -= 1 / count
            on_rows = torch.einsum("bk,bd->bkd", errors, center)
            return torch.einsum("bk,bkd->bd", errors, rows), on_rows[:, 0], on_rows[:, 1:]
        """,
        """
        def sgns_gradients(center, context, noise):
            slopes = [torch.zeros_like(part) for part in (center, context, noise)]
            for b in range(len(center)):
                words = [(context[b], 1.0, slopes[1][b])]
                words += [(noise[b, k], 0.0, slopes[2][b, k]) for k in range(noise.shape[1])]
                for vector, label, slope in words:
                    error = 1 / (1 + torch.exp(-vector @ center[b])) - label
                    slope += error * center[b] / len(center)
                    slopes[0][b] += error * vector / len(center)
            return tuple(slopes)
        """,
    ),
)


def _skip_gram(rng, *, batch=B, negatives=K, words=7, start=False):
    """Few words, so that a word is center, context and noise at once and repeats."""
    state = {
        "center.weight": rng.standard_normal((words, D)),
        "context.weight": rng.standard_normal((words, D)),
    }
    return Call(
        init={"words": words, "size": D},
        state=None if start else state,
        args={
            "center": rng.integers(words, size=batch),
            "context": rng.integers(words, size=batch),
            "noise": rng.integers(words, size=(batch, negatives)),
        },
    )


skip_gram = Exercise(
    symbol="SkipGram",
    title="Skip-gram with negative sampling",
    section="sgns-gradient",
    hint="Two tables: centers are looked up in one, contexts and noise in the other.",
    forbidden=("F.embedding", "nn.Embedding"),
    needs=("Embedding", "lookup", "sgns_loss"),
    cases=(
        Case("words that repeat", _skip_gram, 2),
        Case("a larger vocabulary", lambda rng: _skip_gram(rng, words=V)),
        Case("as it starts", lambda rng: _skip_gram(rng, start=True)),
        Case("one pair", lambda rng: _skip_gram(rng, batch=1, negatives=2), hidden=True),
    ),
    mistakes=(
        Mistake(
            name="one_table",
            why="One table serves both roles; then a word's product with itself is the largest it "
            "can have, though words rarely stand next to themselves.",
            change={
                "self.context(context), self.context(noise)": "self.center(context), "
                "self.center(noise)"
            },
        ),
        Mistake(
            name="noise_from_the_centers",
            why="Noise words were looked up among the centers; they stand in the place of a "
            "context, so their vectors come from the contexts' table.",
            change={"self.context(noise)": "self.center(noise)"},
        ),
        Mistake(
            name="roles_exchanged",
            why="The tables are exchanged: what comes out as a word's center vector would have "
            "been trained as its context vector.",
            change={
                "self.center(center), self.context(context), self.context(noise)": "self.context("
                "center), self.center(context), self.center(noise)"
            },
        ),
        Mistake(
            name="both_at_random",
            why="The contexts start at random too, so the untrained model has opinions; with "
            "zeros it gives every pair probability ½.",
            change={"nn.init.zeros_(self.context.weight)": "nn.init.normal_(self.context.weight)"},
        ),
        Mistake(
            name="noise_detached",
            why="The noise is cut out of the graph; its vectors have to be pushed away from the "
            "center as well.",
            change={"self.context(noise)": "self.context(noise).detach()"},
        ),
    ),
    variants=(
        """
        class SkipGram(nn.Module):
            def __init__(self, words, size, *, device=None):
                super().__init__()
                self.center = Embedding(words, size, device=device)
                self.context = Embedding(words, size, device=device)
                self.context.weight.data.mul_(0.0)

            def forward(self, center, context, noise):
                products = self.center.weight @ self.context.weight.T
                found = products[center, context]
                drawn = products[center[:, None], noise]
                score = torch.nn.functional.logsigmoid
                return -(score(found) + score(-drawn).sum(dim=1)).mean()
        """,
        """
        class SkipGram(nn.Module):
            def __init__(self, words, size, *, device=None):
                super().__init__()
                for name in ("center", "context"):
                    self.add_module(name, Embedding(words, size, device=device))
                with torch.no_grad():
                    self.context.weight.copy_(torch.zeros(words, size))

            def forward(self, center, context, noise):
                v, u = self.center.weight, self.context.weight
                return sgns_loss(v[center], u[context], u[noise])
        """,
    ),
)


def _cells(rng, *, rows=7, columns=5, negatives=3, scale=1.0):
    made = _counts(rng, rows=rows, columns=columns)
    noise = rng.random(columns)
    return {
        "counts": made["counts"].astype(float),
        "products": scale * rng.standard_normal((rows, columns)),
        "noise": noise / noise.sum(),
        "negatives": negatives,
    }


sgns_expected_loss = Exercise(
    symbol="sgns_expected_loss",
    title="The loss without the dice",
    section="factorization",
    hint="A cell of the table is a true pair #(w, c) times, and is expected as noise k · #(w) · "
    "q(c) times. Weigh its two terms by these numbers.",
    cases=(
        Case("a table", _cells, 2, grad=("products",)),
        Case("as many words as contexts", lambda rng: _cells(rng, rows=5), grad=("products",)),
        Case("one noise word", lambda rng: _cells(rng, negatives=1), grad=("products",)),
        Case("huge products", lambda rng: _cells(rng, scale=1e4), hidden=True),
    ),
    mistakes=(
        Mistake(
            name="k_forgotten",
            why="k noise words are drawn for every pair, so a cell is met as noise k times as "
            "often; without the k the best products are PMI and not PMI − ln k.",
            change={
                "negatives * counts.sum(dim=1, keepdim=True)": "counts.sum(dim=1, keepdim=True)"
            },
        ),
        Mistake(
            name="noise_where_pairs_were_seen",
            why="Noise was counted only in cells where a pair was seen; most of what keeps "
            "vectors apart are words that never met.",
            change={
                "expected * _softplus(products)": "expected * (counts > 0) * _softplus(products)"
            },
        ),
        Mistake(
            name="noise_not_negated",
            why="The noise term has the sign of the true pairs: every product is pushed up, and "
            "nothing holds it back.",
            change={"expected * _softplus(products)": "expected * _softplus(-products)"},
        ),
        Mistake(
            name="noise_per_cell",
            why="The noise was drawn in proportion to #(w, c); which noise word comes does not "
            "depend on the true context, only how often w asks: k · #(w) · q(c).",
            change={"counts.sum(dim=1, keepdim=True) * noise": "counts * noise"},
        ),
        Mistake(
            name="centers_alike",
            why="Noise was spread evenly over the centers; it is drawn once for every pair, so "
            "often for centers that occur often.",
            change={
                "counts.sum(dim=1, keepdim=True) * noise": "counts.sum() / len(counts) * "
                "torch.ones_like(products) * noise"
            },
        ),
        Mistake(
            name="columns_summed",
            why="The counts were summed down the columns; what is needed is how often each center "
            "occurs, the sum along its row.",
            source="""
            def sgns_expected_loss(products, counts, noise, *, negatives):
                expected = negatives * counts.sum(dim=0) * noise
                loss = counts * _softplus(-products) + expected * _softplus(products)
                return loss.sum() / counts.sum()
            """,
        ),
        Mistake(
            name="not_averaged",
            why="This is the sum over all pairs of the text; the loss is their mean.",
            change={".sum() / counts.sum()": ".sum()"},
        ),
        Mistake(
            name="mean_over_cells",
            why="The mean was taken over the cells of the table; the loss is a mean over the "
            "pairs of the text.",
            change={".sum() / counts.sum()": ".mean()"},
        ),
    ),
    variants=(
        """
        def sgns_expected_loss(products, counts, noise, *, negatives):
            score = torch.nn.functional.logsigmoid
            pairs = counts / counts.sum()
            drawn = negatives * torch.outer(pairs.sum(dim=1), noise)
            return -torch.sum(pairs * score(products)) - torch.sum(drawn * score(-products))
        """,
        """
        def sgns_expected_loss(products, counts, noise, *, negatives):
            total = 0.0
            for row, products_of_row in zip(counts, products, strict=True):
                softplus = torch.logaddexp(products_of_row, torch.zeros_like(products_of_row))
                chance = negatives * row.sum() * noise
                total = total + (row * (softplus - products_of_row)).sum()
                total = total + (chance * softplus).sum()
            return total / counts.sum()
        """,
    ),
)


# --- what the vectors are good for -------------------------------------------------------------


def _question(rng, *, words=V, count=3):
    """A question with an answer near b − a + c; every vector has its own length."""
    vectors = rng.standard_normal((words, D))
    question = rng.permutation(words)[:4]
    a, b, c, answer = question
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors[answer] = unit[b] - unit[a] + unit[c] + 0.1 * rng.standard_normal(D)
    vectors *= np.geomspace(0.2, 7, words)[rng.permutation(words)][:, None]
    return {"vectors": vectors, "question": question[:3], "count": count}


def _negative(rng):
    """Every word that is no part of the question points away from the answer."""
    made = _question(rng, words=7, count=4)
    a, b, c = made["question"]
    unit = made["vectors"] / np.linalg.norm(made["vectors"], axis=1, keepdims=True)
    for word in sorted(set(range(7)) - {a, b, c}):
        made["vectors"][word] = unit[a] - unit[b] - unit[c] + 0.2 * rng.standard_normal(D)
    return made


analogy = Exercise(
    symbol="analogy",
    title="Analogies by offsets",
    section="analogies",
    hint="Scale all vectors to length 1 before adding them up, and take the three words of the "
    "question out of the race before `topk`.",
    cases=(
        Case("a question", _question, 2),
        Case("all answers, in order", lambda rng: _question(rng, words=11, count=8)),
        Case("no good answer", _negative),
        Case("the best answer", lambda rng: _question(rng, words=31, count=1), hidden=True),
    ),
    mistakes=(
        Mistake(
            name="question_allowed",
            why="The words of the question took part; b − a is short next to c, so c itself is "
            "usually the nearest and the offset is never put to the test.",
            change={"cosine.index_fill(0, question, -math.inf)": "cosine"},
        ),
        Mistake(
            name="question_set_to_zero",
            why="The cosines of a, b and c were set to 0, which beats every answer with a "
            "negative one; −∞ beats none.",
            change={"-math.inf": "0.0"},
        ),
        Mistake(
            name="offset_reversed",
            why="a − b + c walks the offset backwards: that asks what becomes c.",
            change={"b - a + c\n": "a - b + c\n"},
        ),
        Mistake(
            name="sum",
            why="a was added; the point of the offset is to take away what a and b share.",
            change={"b - a + c\n": "b + a + c\n"},
        ),
        Mistake(
            name="lengths_left",
            why="The three vectors were added up with their lengths, so the longest of them has "
            "the largest say in the direction.",
            change={"unit[question]": "vectors[question]"},
        ),
        Mistake(
            name="dot_product",
            why="Candidates were compared by dot product, which prefers long vectors.",
            change={"unit @ target": "vectors @ target"},
        ),
        Mistake(
            name="target_not_scaled",
            why="The order is right, but these are no cosines: the offset's end is not of length "
            "1, and has to be scaled as well.",
            change={" / target.norm()": ""},
        ),
    ),
    variants=(
        """
        def analogy(vectors, question, *, count=1):
            unit = torch.nn.functional.normalize(vectors, dim=1)
            a, b, c = question.tolist()
            target = torch.nn.functional.normalize(unit[c] + unit[b] - unit[a], dim=0)
            cosine = (unit * target).sum(dim=1)
            order = [w for w in cosine.argsort(descending=True).tolist() if w not in (a, b, c)]
            return torch.tensor(order[:count]), cosine[order[:count]]
        """,
        """
        def analogy(vectors, question, *, count=1):
            similar = torch.einsum("vd,wd->vw", vectors, vectors)
            length = similar.diagonal().sqrt()
            similar = similar / length / length[:, None]
            sign = torch.tensor([-1.0, 1.0, 1.0], dtype=vectors.dtype)
            scores = similar[:, question] @ sign
            size = (sign @ similar[question][:, question] @ sign).sqrt()
            others = [w for w in range(len(vectors)) if w not in question.tolist()]
            best = (scores / size)[others].sort(descending=True)
            return torch.tensor(others)[best.indices[:count]], best.values[:count]
        """,
    ),
)


def _context(rng, length=7, window=2):
    return {
        "sentence": rng.integers(V, size=length),
        "vectors": rng.standard_normal((V, D)),
        "window": window,
    }


neighbor_mean = Exercise(
    symbol="neighbor_mean",
    title="A vector that depends on its sentence",
    section="representations",
    hint="The table of who is near whom, as numbers 0 and 1, times the vectors of the words adds "
    "up the neighbors; its row sums say how many there were.",
    needs=("lookup", "neighborhood"),
    cases=(
        Case("a sentence", _context, 2, grad=("vectors",)),
        Case("window of one", lambda rng: _context(rng, window=1), grad=("vectors",)),
        Case("window past both ends", lambda rng: _context(rng, length=5, window=11)),
        Case("one word", lambda rng: _context(rng, length=1)),
        Case("a longer one", lambda rng: _context(rng, length=23, window=5), hidden=True),
    ),
    mistakes=(
        Mistake(
            name="sum",
            why="The neighbors were added up; positions at the ends have fewer, so their vectors "
            "would be shorter.",
            change={" / number.clamp(min=1)": ""},
        ),
        Mistake(
            name="divided_by_full_window",
            why="Divided by 2 × window everywhere; the first and the last positions have fewer "
            "neighbors than that.",
            change={"number.clamp(min=1)": "(2 * window)"},
        ),
        Mistake(
            name="itself",
            why="The word's own vector is in the mean; it is the same in every sentence, and what "
            "is asked for is what the sentence adds.",
            change={
                "near = neighborhood(len(sentence), window, device=sentence.device)": "near = ("
                "neighborhood(len(sentence), window) | torch.eye(len(sentence), dtype=torch.bool))"
            },
        ),
        Mistake(
            name="one_side",
            why="Only the words before a position are in its mean; the window reaches to both "
            "sides.",
            change={
                ").to(vectors.dtype)": ").tril().to(vectors.dtype)",
            },
        ),
        Mistake(
            name="equal_words_left_out",
            why="Neighbors that are the same word were left out; it is the position that does not "
            "count itself.",
            source="""
            def neighbor_mean(sentence, vectors, *, window):
                near = neighborhood(len(sentence), window, device=sentence.device)
                near = (near & (sentence[:, None] != sentence)).to(vectors.dtype)
                number = near.sum(dim=1, keepdim=True)
                return near @ lookup(sentence, vectors) / number.clamp(min=1)
            """,
        ),
        Mistake(
            name="division_by_zero",
            why="A sentence of one word has no neighbors, and 0 / 0 is NaN; from there it spreads "
            "to everything computed later.",
            change={"number.clamp(min=1)": "number"},
        ),
        Mistake(
            name="one_vector_for_all",
            why="This is the mean of the whole sentence, the same at every position.",
            source="""
            def neighbor_mean(sentence, vectors, *, window):
                return lookup(sentence, vectors).mean(dim=0).expand(len(sentence), -1).clone()
            """,
        ),
    ),
    variants=(
        """
        def neighbor_mean(sentence, vectors, *, window):
            length = len(sentence)
            out = torch.zeros(length, vectors.shape[1], dtype=vectors.dtype)
            for i in range(length):
                around = range(max(i - window, 0), min(i + window + 1, length))
                near = [j for j in around if j != i]
                if near:
                    out[i] = vectors[sentence[near]].mean(dim=0)
            return out
        """,
        """
        def neighbor_mean(sentence, vectors, *, window):
            found = vectors[sentence]
            rows = []
            for i in range(len(found)):
                near = torch.cat([found[max(i - window, 0) : i], found[i + 1 : i + 1 + window]])
                rows.append(near.sum(dim=0) / max(len(near), 1))
            return torch.stack(rows)
        """,
        """
        def neighbor_mean(sentence, vectors, *, window):
            length, size = len(sentence), vectors.shape[1]
            padded = torch.zeros(length + 2 * window, size, dtype=vectors.dtype)
            padded[window : window + length] = vectors[sentence]
            real = torch.zeros(length + 2 * window, dtype=vectors.dtype)
            real[window : window + length] = 1
            total = padded.unfold(0, 2 * window + 1, 1).sum(dim=2) - vectors[sentence]
            number = real.unfold(0, 2 * window + 1, 1).sum(dim=1, keepdim=True) - 1
            return total / torch.where(number == 0, torch.ones_like(number), number)
        """,
    ),
)


EXERCISES = (
    build_vocabulary,
    one_hot,
    lookup,
    lookup_gradient,
    embedding,
    skip_gram_pairs,
    cooccurrence,
    pmi,
    ppmi,
    svd_vectors,
    nearest,
    partner_ranks,
    noise_distribution,
    sgns_loss,
    keep_probability,
    sgns_gradients,
    skip_gram,
    sgns_expected_loss,
    analogy,
    neighbor_mean,
)
