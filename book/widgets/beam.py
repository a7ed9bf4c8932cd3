"""The tree that a beam search grows, round after round, to be followed."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from book.widgets.board import widget
from solutions.fit import map_tensors
from solutions.seq2seq import extend_beams

ACROSS, DOWN, EDGE = 44, 34, 24  # between rounds, between ranks, and around, in pixels
KINDS, MEANT = ("dropped", "live", "ended"), ("dropped", "kept", "finished")
Node = list  # [place of the parent in the round before, token, log-probability, kind]


def grow(
    step: Callable,
    state: Any,
    first: torch.Tensor,
    *,
    beam: int,
    eos: int,
    rounds: int,
    more: int = 2,
) -> list[list[Node]]:
    """Follow a beam search, and keep also the best of what it drops.

    Args:
        step: as for `solutions.seq2seq.beam_search`.
        state: what the first step is given.
        first: (1,) int64.
        beam: how many are kept.
        eos: the end token.
        rounds: at most.
        more: how many that are dropped are shown in each round.

    Returns:
        For each round its nodes, the best first: the place of the parent in the round before, the
        token, the log-probability of the whole, and a place in `KINDS`.
    """
    token, scores, places, tree = first, torch.zeros(1, device=first.device), [0], []
    for _ in range(rounds):
        log_probs, state = step(token, state)
        rows, tokens, best = extend_beams(log_probs, scores, beam=beam + more)
        kept, nodes = [], []
        for rank, (row, symbol, score) in enumerate(
            zip(rows.tolist(), tokens.tolist(), best.tolist(), strict=True)
        ):
            kind = 0 if rank >= beam else 2 if symbol == eos else 1
            nodes.append([places[row], symbol, round(score, 3), kind])
            if kind == 1:
                kept.append(rank)
        tree.append(nodes)
        if not kept:
            break
        token, scores, places = tokens[kept], best[kept], kept
        state = map_tensors(state, lambda part: part[rows[kept]])  # noqa: B023
    return tree


def path(tree: Sequence[Sequence[Node]], at: int, place: int) -> list[int]:
    """The places of a node and of all before it, one for each round up to `at`."""
    places = [place]
    for nodes in tree[at:0:-1]:
        places.append(nodes[places[-1]][0])
    return places[::-1]


def best_end(tree: Sequence[Sequence[Node]]) -> tuple[int, int]:
    """Round and place of the likeliest hypothesis that has ended, or of what is likeliest."""
    ends = [
        (node[2], at, place)
        for at, nodes in enumerate(tree)
        for place, node in enumerate(nodes)
        if node[3] == 2
    ]
    _, at, place = max(ends or [(tree[-1][0][2], len(tree) - 1, 0)])
    return at, place


def beam_tree(
    sources: Mapping[str, Mapping[int, Sequence[Sequence[Node]]]],
    symbols: Sequence[str],
    alt: str,
    *,
    opens: int,
) -> None:
    """Show the trees of some sources, for beams of several widths.

    Args:
        sources: by what is read, and then by width, what `grow` returns.
        symbols: what each token is shown as.
        alt: what is to be seen.
        opens: the width to begin with.
    """
    (source, widths), *_ = sources.items()
    tree = widths[opens]
    at, place = best_end(tree)
    chosen = path(tree, at, place)
    told = "".join(symbols[tree[r][p][1]] for r, p in enumerate(chosen))
    score, kind = f"{tree[at][place][2]:.2f}".replace("-", "−"), MEANT[tree[at][place][3]]
    said = f"{source} → {told}: log-probability {score}, {kind}"
    page = f'{_svg(tree, symbols, chosen, alt)}<p role="status">{html.escape(said)}</p>'
    trees = [tree for some in sources.values() for tree in some.values()]
    used = sorted({node[1] for tree in trees for nodes in tree for node in nodes})
    model = {
        "sources": [[name, {str(w): t for w, t in some.items()}] for name, some in sources.items()],
        "symbols": {str(token): symbols[token] for token in used},
        "opens": opens,
    }
    widget("beam", page, alt, model=model, parts=("player",))


def _svg(
    tree: Sequence[Sequence[Node]], symbols: Sequence[str], chosen: Sequence[int], alt: str
) -> str:
    """The tree as a picture: rounds from left to right, the likeliest on top."""

    def spot(at: int, place: int) -> tuple[int, int]:
        return EDGE + ACROSS * (at + 1), EDGE + DOWN * place

    lines, dots = [], []
    for at, nodes in enumerate(tree):
        for place, (parent, token, _, kind) in enumerate(nodes):
            x, y = spot(at, place)
            x0, y0 = spot(at - 1, parent)
            on = " on" if at < len(chosen) and chosen[at] == place else ""
            name = f'class="{KINDS[kind]}{on}"'
            lines.append(f'<path {name} pathLength="1" d="M{x0} {y0}L{x} {y}"/>')
            text = html.escape(symbols[token])
            dots.append(
                f'<g {name}><circle cx="{x}" cy="{y}" r="12"/>'
                f'<text x="{x}" y="{y}">{text}</text></g>'
            )
    width = 2 * EDGE + ACROSS * len(tree)
    height = 2 * EDGE + DOWN * (max(len(nodes) for nodes in tree) - 1)
    start = f'<g class="live on"><circle cx="{EDGE}" cy="{EDGE}" r="5"/></g>'
    return (
        f'<div class="course-tree"><svg viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="group" aria-label="{html.escape(alt)}">'
        f"{''.join(lines)}{start}{''.join(dots)}</svg></div>"
    )
