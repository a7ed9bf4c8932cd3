"""Right and wrong answers to `transfer.span_corruption`."""

import torch

from grader.author.answers import right, wrong


@right
def by_a_mask(tokens, starts, lengths, *, sentinel):
    gone = tokens.new_zeros(len(tokens), dtype=torch.bool)
    for start, length in zip(starts, lengths):
        fits = start >= 0 and length > 0 and start + length <= len(tokens)
        if not fits or gone[start:].any():
            raise ValueError("spans must be ascending, not empty, apart, and inside")
        gone[start : start + length] = True
    before = torch.cat([gone.new_zeros(1), gone[:-1]])
    first = gone & ~before
    number = sentinel + first.cumsum(0) - 1
    read, asked = [], []
    for token, is_gone, is_first, mark in zip(tokens, gone, first, number):
        if is_first:
            read.append(mark)
            asked.append(mark)
        (asked if is_gone else read).append(token)
    asked.append(tokens.new_tensor(sentinel + int(first.sum())))
    return torch.stack(read), torch.stack(asked)


@right
def joined_first(tokens, starts, lengths, *, sentinel):
    spans = []
    for start, length in zip(starts, lengths):
        stop = start + length
        if length <= 0 or start < (spans[-1][1] if spans else 0) or stop > tokens.numel():
            raise ValueError(f"not a span: {start}, {length}")
        if spans and spans[-1][1] == start:
            spans[-1][1] = stop
        else:
            spans.append([start, stop])
    text = tokens.tolist()
    read, asked, last = [], [], 0
    for number, (start, stop) in enumerate(spans):
        read = read + text[last:start] + [sentinel + number]
        asked = asked + [sentinel + number] + text[start:stop]
        last = stop
    last_mark = [sentinel + len(spans)]
    return tokens.new_tensor(read + text[last:]), tokens.new_tensor(asked + last_mark)


wrong(
    "one_sentinel_for_all",
    why=(
        "Every span got the same sentinel: the model cannot say which of the gaps it is filling, "
        "and nobody could put the spans back."
    ),
    change={"            number += 1\n": ""},
)


wrong(
    "last_sentinel_missing",
    why=(
        "The sentinel at the end of what is asked is missing: it is how the model says that it has "
        "filled the last gap; without it nothing ends the last span."
    ),
    change={"torch.cat([*asked, tokens.new_tensor([number])])": "torch.cat([tokens[:0], *asked])"},
)


wrong(
    "last_sentinel_used_before",
    why="The target ends with the last span's own sentinel; it ends with the next, unused one.",
    change={"tokens.new_tensor([number])])": "tokens.new_tensor([max(number - 1, sentinel)])])"},
)


wrong(
    "counting_down",
    why=(
        "The sentinels count down from `sentinel`: T5's own vocabulary does that, and here the "
        "second is `sentinel` + 1; a token below `sentinel` is text."
    ),
    change={"number += 1": "number -= 1"},
)


wrong(
    "a_sentinel_for_each_token",
    why=(
        "A span of n tokens left n sentinels; one stands for all of it, so that what is read "
        "is shorter."
    ),
    change={
        "read += [tokens[end:start], mark]": "read += [tokens[end:start], mark.expand(length)]"
    },
)


wrong(
    "touching_spans_apart",
    why=(
        "Spans that touch got a sentinel each: two sentinels in a row, with nothing between that "
        "says where one ends and the other begins. They are one span."
    ),
    change={"if start > end or not asked:": "if True:"},
)


wrong(
    "span_at_the_beginning_lost",
    why=(
        "A span that begins at 0 got no sentinel, because it begins where the one before, which "
        "there is not, would have ended."
    ),
    change={"if start > end or not asked:": "if start > end:"},
)


wrong(
    "spans_left_in",
    why="The spans stand in what is read, too: the answer is before the model's eyes.",
    change={"        end = start + length\n": "        end = start\n"},
)


wrong(
    "sentinel_after_its_span",
    why="Each sentinel stands after the tokens of its span; it announces them, so it comes before.",
    change={
        "            asked.append(mark)\n": "            asked.append(tokens[:0])\n",
        "        asked.append(tokens[start:end])\n": (
            "        asked += [tokens[start:end], tokens.new_tensor([number - 1])]\n"
        ),
    },
)


wrong(
    "rest_of_the_text_missing",
    why="What follows the last span is missing from what is read.",
    change={"torch.cat([*read, tokens[end:]])": "torch.cat([*read, tokens[:0]])"},
)


wrong(
    "overlap_not_seen",
    why="A span that overlaps the one before was cut: its first tokens would be asked for twice.",
    change={"start < end or": "start < 0 or"},
    corner=True,
)


wrong(
    "empty_span_taken",
    why="An empty span was taken; a sentinel that stands for nothing is no gap.",
    change={"length < 1 or": "length < 0 or"},
    corner=True,
)


wrong(
    "end_not_checked",
    why="A span that reaches beyond the end was cut short in silence; a ValueError is promised.",
    change={" or start + length > len(tokens)": ""},
    corner=True,
)


wrong(
    "one_token_between_joined",
    why=(
        "Spans with one token between them were joined, and the token is gone: spans touch where "
        "the next begins at the end of the last, which is its first token outside."
    ),
    change={"if start > end or not asked": "if start > end + 1 or not asked"},
    corner=True,
)
