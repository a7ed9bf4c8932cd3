"""Right and wrong answers to `seq2seq.beam_search`."""

import torch

from grader.author.answers import equivalent, right, wrong
from solutions.fit import map_tensors
from solutions.seq2seq import length_score


@right
def with_lists(step, state, first, *, beam, eos=2, max_length=100, penalty=0.0):
    def worth(log_prob, length):
        return log_prob / ((5 + length) / 6) ** penalty

    live, finished = [([], 0.0)], []
    fed = first
    for length in range(1, max_length + 1):
        log_probs, state = step(fed, state)
        candidates = [
            (total + more, row, token)
            for row, (_, total) in enumerate(live)
            for token, more in enumerate(log_probs[row].tolist())
        ]
        candidates.sort(key=lambda one: one[0], reverse=True)
        following, rows = [], []
        for total, row, token in candidates[:beam]:
            tokens = [*live[row][0], token]
            if token == eos:
                finished.append((tokens, worth(total, length)))
            else:
                following.append((tokens, total))
                rows.append(row)
        live = following
        finished = sorted(finished, key=lambda one: one[1], reverse=True)[:beam]
        if not live:
            break
        if len(finished) == beam and finished[-1][1] >= worth(live[0][1], max_length):
            break
        index = torch.tensor(rows, device=first.device)
        state = map_tensors(state, lambda part: part[index])  # noqa: B023
        fed = first.new_tensor([tokens[-1] for tokens, _ in live])
    return finished or [(tokens, worth(total, max_length)) for tokens, total in live]


@right
def ended_as_minus_infinity(step, state, first, *, beam, eos=2, max_length=100, penalty=0.0):
    """The rows that have ended stay in the tensors, and can win no place any more."""
    rows, totals, done = first[:, None], torch.zeros_like(first, dtype=torch.float64), []
    for t in range(1, max_length + 1):
        log_probs, state = step(rows[:, -1], state)
        scores = (totals[:, None] + log_probs).reshape(-1)
        order = scores.argsort(descending=True)[:beam]
        came, token = order // log_probs.shape[1], order % log_probs.shape[1]
        rows, totals = torch.cat([rows[came], token[:, None]], 1), scores[order]
        for row, total in zip(rows.tolist(), totals, strict=True):
            if row[-1] == eos:
                done.append((float(length_score(total, t, penalty=penalty)), row[1:]))
        live = token != eos
        rows, totals, came = rows[live], totals[live], came[live]
        state = map_tensors(state, lambda part: part.index_select(0, came))  # noqa: B023
        done.sort(key=lambda one: -one[0])
        if len(rows) == 0:
            break
        reach = float(length_score(totals[0], max_length, penalty=penalty))
        if len(done) >= beam and done[beam - 1][0] >= reach:
            break
    if not done:
        done = [
            (float(length_score(total, max_length, penalty=penalty)), row[1:])
            for row, total in zip(rows.tolist(), totals, strict=True)
        ]
    return [(row, score) for score, row in done[:beam]]


wrong(
    "finished_extended",
    why=(
        "Finished hypotheses were continued: tokens after an end token are not part of the "
        "sequence, and they take the places of others."
    ),
    change={"alive = token != eos": "alive = token == token"},
)


wrong(
    "lengths_not_compared",
    why=(
        "Finished hypotheses were ranked by log-probability, whatever their length: every token "
        "lowers it, so the short ones win. The penalty makes them comparable."
    ),
    change={"worth = length_score(scores, length, penalty=penalty)": "worth = scores"},
)


wrong(
    "one_length_for_all",
    why="The scores of all hypotheses were computed with max_length; each has its own length.",
    change={"length_score(scores, length,": "length_score(scores, max_length,"},
)


wrong(
    "unfinished_beside_finished",
    why=(
        "Live hypotheses were ranked together with finished ones: they have not yet paid for their "
        "end token, and count only if nothing has ended."
    ),
    change={
        "    if not finished:\n": "    if len(scores):\n",
        "        finished = [Hypothesis(*pair) for": "        finished += [Hypothesis(*pair) for",
        "    return finished[:beam]": (
            "    finished.sort(key=lambda hypothesis: -hypothesis.score)\n"
            "    return finished[:beam]"
        ),
    },
)


wrong(
    "state_not_rearranged",
    why=(
        "The hypotheses were rearranged and their states were not: from then on each is continued "
        "with the state of another."
    ),
    change={"part: part[rows]": "part: part[torch.arange(len(rows)).clamp(max=len(part) - 1)]"},
)


wrong(
    "one_tuple_deep",
    why=(
        "The tensors of a tuple were rearranged, as if it held nothing else: a state may have "
        "tuples in tuples, and None among the tensors."
    ),
    change={
        "map_tensors(state, lambda part: part[rows])": (
            "(tuple(part[rows] for part in state) if isinstance(state, tuple) else state[rows])"
        )
    },
    corner=True,
)


wrong(
    "beginnings_not_rearranged",
    why=(
        "The new tokens were put after the hypotheses in their old order: the beginning of one "
        "gets the end of another."
    ),
    change={
        "torch.cat([tokens[rows], token[:, None]]": (
            "torch.cat([tokens[torch.arange(len(rows)).clamp(max=len(tokens) - 1)], token[:, None]]"
        ),
    },
)


wrong(
    "stops_with_the_first_end",
    why=(
        "The search stopped as soon as one hypothesis had ended; a live one may still end with a "
        "higher score."
    ),
    change={"if len(finished) >= beam and finished[beam - 1].score >= reach:": "if finished:"},
)


wrong(
    "stops_too_early",
    why=(
        "The search stopped too early: as many had ended as are wanted, but a live one could still "
        "overtake them, with a score up to what its log-probability is worth at `max_length`."
    ),
    change={" and finished[beam - 1].score >= reach": ""},
)


wrong(
    "bound_at_this_length",
    why=(
        "Live hypotheses were judged by what they are worth now; with a penalty, the same "
        "log-probability is worth more at a greater length."
    ),
    change={
        "reach = length_score(scores.max(), max_length,": (
            "reach = length_score(scores.max(), length,"
        ),
    },
)


wrong(
    "never_stops_early",
    why=(
        "The search continues to max_length although no live hypothesis can still win: "
        "the result is right, but it makes many needless calls to the model."
    ),
    change={"if len(finished) >= beam and": "if False and"},
    corner=True,
)


wrong(
    "bound_of_the_best",
    why=(
        "The search stopped when the best finished hypothesis was safe; all that are returned have "
        "to be."
    ),
    change={"finished[beam - 1].score >= reach": "finished[0].score >= reach"},
)


wrong(
    "copies_to_begin_with",
    why=(
        "It began with as many begin tokens as there are beams: all are alike, and the same "
        "hypotheses come up again and again. One is enough."
    ),
    change={
        "tokens, finished = first[:, None], []": (
            "tokens, finished = first[:, None].repeat(beam, 1), []"
        ),
        "    scores = torch.zeros(1, device": (
            "    state = map_tensors(state, lambda part: part.repeat(beam))\n"
            "    scores = torch.zeros(beam, device"
        ),
    },
)


wrong(
    "places_lost",
    why=(
        "Each hypothesis that ended took its place with it, and the beam got narrower: extend the "
        "live ones to as many as before."
    ),
    change={
        "extend_beams(log_probs, scores, beam=beam)": (
            "extend_beams(log_probs, scores, beam=max(1, beam - len(finished)))"
        ),
    },
)


wrong(
    "end_token_left_out",
    why=(
        "The end token is part of a finished hypothesis: it distinguishes the hypothesis from one "
        "that was cut off."
    ),
    change={"tokens[row, 1:].tolist()": "tokens[row, 1:-1].tolist()"},
)


wrong(
    "begin_token_left_in",
    why="The begin token is only read; hypotheses begin after it.",
    change={"tokens[row, 1:].tolist()": "tokens[row].tolist()"},
)


wrong(
    "best_one_alone",
    why="Only the best hypothesis was returned; return up to `beam` of them.",
    change={"return finished[:beam]": "return finished[:1]"},
)


wrong(
    "more_than_the_beam",
    why="More hypotheses were returned than the beam is wide.",
    change={"return finished[:beam]": "return finished"},
)


wrong(
    "in_order_of_ending",
    why=(
        "You returned the hypotheses in the order in which they ended; the highest score comes "
        "first."
    ),
    change={
        "        finished.sort(key=lambda hypothesis: -hypothesis.score)\n": "",
        "finished[beam - 1].score >= reach": (
            "sorted(one.score for one in finished)[-beam] >= reach"
        ),
    },
)


wrong(
    "lowest_first",
    why="Scores are negative and the highest is the best; you sorted the other way.",
    change={"-hypothesis.score": "hypothesis.score"},
)


wrong(
    "end_token_fixed",
    why="The end token is an argument; another vocabulary has another number for it.",
    change={
        "torch.nonzero(token == eos)": "torch.nonzero(token == 2)",
        "alive = token != eos": "alive = token != 2",
    },
)


wrong(
    "nothing_if_nothing_ended",
    why="Where no hypothesis has ended, the live ones are returned, and not an empty list.",
    change={"    if not finished:\n": "    if False:\n"},
    corner=True,
)


equivalent(
    "for row in (torch.nonzero(token == eos).flatten()):",
    why="a tensor of one number is an index, too",
)
equivalent(
    "if len(finished) >= beam and ((finished[beam - 1].score) > (reach)):",
    why="only a tie would tell them apart",
)


wrong(
    "a_state_is_taken_for_granted",
    why=(
        "You took rows of a state that may be None: a model that reads only the last token returns "
        "None, first and later."
    ),
    change={
        "state = map_tensors(state, lambda part: part[rows])  # noqa: B023": (
            "state = map_tensors((state[rows],) if state is None else state, "
            "lambda part: part[rows])"
        )
    },
    corner=True,
)
