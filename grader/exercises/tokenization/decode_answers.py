"""Right and wrong answers to `tokenization.decode`."""

import codecs

from grader.author.answers import right, wrong


@right
def byte_by_byte(tokens, vocabulary):
    found = bytearray()
    for token in tokens:
        found.extend(vocabulary[token])
    return str(bytes(found), "utf-8", "replace")


@right
def a_decoder_that_remembers(tokens, vocabulary):
    reader = codecs.getincrementaldecoder("utf-8")(errors="replace")
    text = "".join(reader.decode(vocabulary[token]) for token in tokens)
    return text + reader.decode(b"", final=True)


wrong(
    "token_by_token",
    why=(
        "Each token was decoded alone; a character whose bytes lie in two tokens is then lost. "
        "Join the bytes first."
    ),
    change={
        'b"".join(vocabulary[token] for token in tokens).decode(errors="replace")': (
            '"".join(vocabulary[token].decode(errors="replace") for token in tokens)'
        )
    },
)


wrong(
    "strict",
    why=(
        "Bytes that are no UTF-8 raise an error here; a model may produce any tokens, so they are "
        "shown as � instead."
    ),
    change={'errors="replace"': ""},
)


wrong(
    "unreadable_left_out",
    why="What cannot be read was left out, so that nobody sees that something was there.",
    change={'errors="replace"': 'errors="ignore"'},
)


wrong(
    "latin_1",
    why="Every byte was read as one character (Latin-1); UTF-8 has up to four bytes for one.",
    change={'errors="replace"': '"latin-1"'},
)


wrong(
    "spaces_between",
    why="Spaces were put between the tokens; they stand in the tokens already.",
    change={'b"".join(': 'b" ".join('},
)


wrong(
    "stripped",
    why="Spaces at the ends were stripped; decoding gives back every byte.",
    change={'.decode(errors="replace")': '.decode(errors="replace").strip()'},
)
