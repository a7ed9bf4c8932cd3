"""Right and wrong answers to `test_time_compute.generate_with_tool`."""

import torch

from grader.author.answers import equivalent, right, wrong
from solutions.gpt import filtered
from solutions.recurrent import draw_next

CHARACTERS = "0123456789+?[=]."


@right
def with_lists(step, prompt, uniform, tool, **settings):
    rows, count = uniform.shape
    said = [[] for _ in range(rows)]
    queues = [[] for _ in range(rows)]
    fed, state, text = prompt, None, prompt
    for place in range(count):
        logits, state = step(fed, state)
        sampled = draw_next(filtered(logits[:, -1], text, **settings), uniform[:, place])
        column = []
        for row in range(rows):
            if queues[row]:
                token = queues[row].pop(0)
            else:
                token = int(sampled[row])
                if CHARACTERS[token] == "=":
                    before = "".join(CHARACTERS[one] for one in text[row].tolist())
                    call = before[before.rfind("[") + 1 :]
                    result = tool.get(call, "")
                    queues[row] = [CHARACTERS.index(one) for one in result + "]"]
            column.append(token)
            said[row].append(token)
        fed = torch.tensor(column)[:, None]
        text = torch.cat([text, fed], dim=1)
    return torch.tensor(said, dtype=torch.int64).view(rows, count)


@right
def with_a_tensor_of_texts(step, prompt, uniform, tool, **settings):
    rows, read = prompt.shape
    count = uniform.shape[1]
    text = torch.cat([prompt, torch.zeros(rows, count, dtype=torch.int64)], dim=1)
    forced = torch.full((rows, count + 1), -1)
    state, begun = None, 0
    for end in range(read, read + count):
        logits, state = step(text[:, begun:end], state)
        scores = filtered(logits[:, -1], text[:, :end], **settings)
        sampled = draw_next(scores, uniform[:, end - read])
        given = forced[:, end - read]
        text[:, end] = torch.where(given >= 0, given, sampled)
        for row in range(rows):
            if given[row] < 0 and sampled[row] == CHARACTERS.index("="):
                before = "".join(CHARACTERS[one] for one in text[row, :end].tolist())
                result = tool.get(before.split("[")[-1], "") + "]"
                for more, sign in enumerate(result[: read + count - end]):
                    forced[row, end - read + 1 + more] = CHARACTERS.index(sign)
        begun = end
    return text[:, read:]


wrong(
    "tool_never_asked",
    why="The tool is never asked: the model writes the result itself.",
    change={"elif drawn[row] == RESULT:": "elif False:"},
)


wrong(
    "close_forgotten",
    why="The result is not closed: `]` must follow it, or the model does not know where it ends.",
    change={'tool[call] + "]"': "tool[call]", 'waiting[row] = "]"': 'waiting[row] = ""'},
)


wrong(
    "unknown_call_goes_on",
    why="After a call that the tool does not know, `]` is missing.",
    change={'waiting[row] = "]"': 'waiting[row] = ""'},
)


wrong(
    "all_before_the_equals_sign",
    why="The tool gets more than the call, which begins after the last `[`.",
    change={'.rpartition("[")[2]': '.rpartition("?")[2]'},
)


wrong(
    "first_bracket",
    why="The call begins after the first `[`; in a text with two calls, that is the old one.",
    change={'.rpartition("[")[2]': '.partition("[")[2]'},
)


wrong(
    "result_not_read",
    why="The model reads what it sampled in place of the result that the tool wrote.",
    change={
        "fed = torch.tensor(drawn, device=tokens.device)[:, None]": (
            "sampled = draw_next(filtered(logits[:, -1], tokens, **settings), chance)\n"
            "        fed = torch.tensor(drawn, device=tokens.device)[:, None]"
        ),
        "tokens = torch.cat([tokens, fed], dim=1)": (
            "tokens, fed = torch.cat([tokens, fed], dim=1), sampled[:, None]"
        ),
    },
)


wrong(
    "prompt_returned_too",
    why="You returned the prompt, too; return only what follows.",
    change={"return tokens[:, prompt.shape[1] :]": "return tokens"},
)


wrong(
    "state_forgotten",
    why="The state is not passed on, so each token is read as if it were the first.",
    change={"step(fed, state)": "step(fed, None)"},
)


wrong(
    "settings_ignored",
    why="The settings are ignored; temperature and filters act on the model's own tokens.",
    change={"filtered(logits[:, -1], tokens, **settings)": "filtered(logits[:, -1], tokens)"},
)


wrong(
    "one_queue_for_all",
    why="The result is written into every row; only the row that has called gets it.",
    change={'waiting[row] = tool[call] + "]"': 'waiting[:] = [tool[call] + "]"] * len(waiting)'},
)


@wrong(
    why=(
        "You fed the whole text again for every token. The result is right, but the cost grows "
        "with the square of the length: feed the new tokens, and the state."
    )
)
def everything_again(step, prompt, uniform, tool, **settings):
    tokens, waiting = prompt, [""] * len(prompt)
    for chance in uniform.unbind(dim=1):
        logits, _ = step(tokens, None)
        drawn = draw_next(filtered(logits[:, -1], tokens, **settings), chance).tolist()
        for row, rest in enumerate(waiting):
            if rest:
                drawn[row], waiting[row] = CHARACTERS.index(rest[0]), rest[1:]
            elif CHARACTERS[drawn[row]] == "=":
                call = "".join(CHARACTERS[one] for one in tokens[row].tolist()).rpartition("[")[2]
                waiting[row] = tool.get(call, "") + "]"
        tokens = torch.cat([tokens, torch.tensor(drawn)[:, None]], dim=1)
    return tokens[:, prompt.shape[1] :]


equivalent(
    "drawn = (draw_next(filtered(logits[:, -1], tokens, **settings), chance))",
    why="a tensor holds the same numbers",
)
