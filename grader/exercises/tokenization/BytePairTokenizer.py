"""`tokenization.BytePairTokenizer`: any text to tokens and back."""

from __future__ import annotations

from dataclasses import replace

from grader.author.afresh import alike, spelled
from grader.author.exercise import Call, Case, Exercise, Made, Returned
from grader.exercises.tokenization import TEXT

END = "<|end|>"


@alike
def _spelled(call, rng):
    """With other letters, also in the merges that are given: a to z are tokens 64 to 89."""
    order = rng.permutation(26).tolist()
    other = {64 + place: 64 + letter for place, letter in enumerate(order)}
    call = spelled(call, "".join(chr(97 + letter) for letter in order))
    given = call.init.get("merges", ())
    pairs = given.given["items"] if isinstance(given, Made) else given
    merges = [[other.get(token, token) for token in pair] for pair in pairs]
    new = Made("tuple", {"items": merges}) if isinstance(given, Made) else merges
    return replace(call, init=call.init | ({"merges": new} if merges else {}))


EXERCISE = Exercise(
    title="A byte-pair tokenizer",
    section="special-tokens",
    cases=(
        Case("trained, there and back", lambda rng: _trained(TEXT, 270, "slow newest lowest"), 3),
        Case("bytes alone", lambda rng: _there_and_back("naïve 日本 🙂\n\n ok"), corner=True),
        Case(
            "what training never saw",
            lambda rng: _trained(TEXT, 290, "slow low 🙃 größer ½ \r\n\t x e\u0301"),
        ),
        Case(
            "given merges",
            lambda rng: _there_and_back("slow low", merges=[[75, 78], [256, 86]]),
        ),
        Case(
            "a merge across pieces",
            lambda rng: _there_and_back("go on, no", merges=[[78, 220], [78, 77]]),
        ),
        Case(
            "a run of line feeds",
            lambda rng: _there_and_back("a\n\n\nb\n\n", merges=[[198, 198]]),
        ),
        Case(
            "given merges and special tokens",
            lambda rng: _there_and_back(
                f"slow{END}low", merges=[[75, 78], [256, 86]], specials=[END]
            ),
        ),
        Case(
            "letters of several bytes, and a special token",
            lambda rng: _there_and_back("é<|終|>日", specials=["<|終|>"]),
        ),
        Case("how many tokens", lambda rng: _counted()),
        Case(
            "special tokens between the same words",
            lambda rng: _trained(END.join(["xy"] * 5), 262, "xyxy xy", specials=[END]),
        ),
        Case(
            "with special tokens",
            lambda rng: _trained(
                f"{END}low{END}low lower{END}", 262, f"low{END}<| lower{END}", specials=[END, "<|"]
            ),
            2,
        ),
        Case("no text", lambda rng: _trained(TEXT, 258, "")),
        Case("a text too short for the size", lambda rng: _trained("ab", 400, "abab"), corner=True),
        Case(
            "trained twice",
            lambda rng: Call(
                init={},
                steps=(
                    ("train", {"text": "aaaa bbbb", "size": 259}),
                    ("encode", {"text": "aaaa bbbb cccc"}),
                    ("train", {"text": "cccc cc", "size": 258}),
                    ("encode", {"text": "aaaa bbbb cccc"}),
                    ("merges", None),
                ),
            ),
        ),
        Case(
            "trained again, for no merge",
            lambda rng: Call(
                init={},
                steps=(
                    ("train", {"text": "aaaa bbbb", "size": 259}),
                    ("train", {"text": "", "size": 400}),
                    ("__len__", {}),
                    ("train", {"text": "aaaa bbbb", "size": 259}),
                    ("train", {"text": "aaaa bbbb", "size": 256}),
                    ("merges", None),
                    ("encode", {"text": "aaaa"}),
                ),
            ),
            corner=True,
        ),
        Case("special tokens in a tuple", lambda rng: _specials_kept(), corner=True),
        Case("merges in a tuple", lambda rng: _merges_kept(), corner=True),
        Case(
            "a short special token before a long one",
            lambda rng: _there_and_back("<pad>low<p", specials=["<p", "<pad>"]),
            corner=True,
        ),
        Case(
            "a size without room for merges",
            lambda rng: _trained("low low", 257, f"low{END}", specials=[END]),
            corner=True,
        ),
        Case(
            "spaces between special tokens",
            lambda rng: _trained(END.join(["ab", *["   "] * 5]), 260, "ab    c", specials=[END]),
            corner=True,
        ),
        Case(
            "a size that is too small",
            lambda rng: _trained(TEXT, 256, "a", specials=[END]),
            raises="ValueError",
        ),
        Case(
            "half of a surrogate pair",
            lambda rng: Call(
                init={}, steps=(("encode", {"text": Made("half", {"text": "low "})}),)
            ),
            raises="ValueError",
        ),
        Case(
            "tokens that are no text",
            lambda rng: Call(init={}, steps=(("decode", {"tokens": [160, 5, 255]}),)),
            corner=True,
        ),
        Case("another text", lambda rng: _trained(TEXT[::-1], 280, TEXT), hidden=True),
    ),
    hint=(
        "Each part is a function above: cut out special tokens, cut the rest into pieces, bytes to "
        "tokens, merges. In training, too, no special token may be merged."
    ),
    needs=(
        "pieces",
        "byte_tokens",
        "token_bytes",
        "learn_merges_fast",
        "merge",
        "decode",
        "split_special",
        "count_pairs",
    ),
    afresh=_spelled,
)


def _trained(text, size, new, **init):
    return Call(
        init=init,
        steps=(
            ("train", {"text": text, "size": size}),
            ("merges", None),
            ("encode", {"text": new}),
            ("decode", {"tokens": Returned(2)}),
            ("vocabulary", None),
        ),
    )


def _there_and_back(text, **init):
    return Call(init=init, steps=(("encode", {"text": text}), ("decode", {"tokens": Returned(0)})))


def _specials_kept():
    specials = Made("tuple", {"items": [END, "<|"]})
    again = ("encode", {"text": f"a b{END}A"})
    steps = ("specials", None), ("merges", None), again, again
    return Call(init={"merges": [[75, 78]], "specials": specials}, steps=steps)


def _merges_kept():
    """Lists that are given stay as they are, too."""
    merges = Made("tuple", {"items": [[75, 78]]})
    lists = ("__init__", {"merges": [[75, 78], [256, 86]], "specials": ["<m", "<m>"]})
    steps = ("merges", None), ("encode", {"text": "abc<m>"}), lists
    return Call(init={"merges": merges, "specials": ["<m>"]}, steps=steps)


def _counted():
    given = {"merges": [[75, 78]], "specials": [END, "<|"]}
    before = after = ("__len__", {}), ("encode", {"text": f"<|{END}"})
    return Call(init=given, steps=(*before, ("train", {"text": TEXT, "size": 263}), *after))
