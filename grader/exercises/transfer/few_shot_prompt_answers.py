"""Right and wrong answers to `transfer.few_shot_prompt`."""

from grader.author.answers import right, wrong


@right
def line_by_line(examples, question):
    lines = []
    for pair in examples:
        lines.append("Q: " + pair[0].strip())
        lines.append("A: " + pair[1].strip())
        lines.append("")
    lines += ["Q: " + question.strip(), "A:"]
    return "\n".join(lines)


@right
def joined(examples, question):
    blocks = [f"Q: {asked.strip()}\nA: {answer.strip()}" for asked, answer in examples]
    blocks.append(f"Q: {question.strip()}\nA:")
    return "\n\n".join(blocks)


wrong(
    "space_after_the_colon",
    why=(
        "The prompt ends with a space. A token of a word has its space in front: after a space of "
        "its own, the answer would have to begin with a token that never stands there."
    ),
    change={'{question.strip()}\\nA:"': '{question.strip()}\\nA: "'},
)


wrong(
    "no_empty_line",
    why=(
        "No empty line stands between examples: where one ends and the next begins is to be "
        "guessed."
    ),
    change={"{answer.strip()}\\n\\n": "{answer.strip()}\\n"},
)


wrong(
    "spaces_left",
    why="Spaces around questions and answers were left: the form is not the same in all examples.",
    change={"{asked.strip()}\\nA: {answer.strip()}": "{asked}\\nA: {answer}"},
)


wrong(
    "question_first",
    why="The question stands before the examples; the model goes on from the end.",
    change={
        'return "".join(solved) + f"Q: {question.strip()}\\nA:"': (
            'return f"Q: {question.strip()}\\nA:\\n\\n" + "".join(solved)'
        )
    },
)


wrong(
    "no_answer_begun",
    why=(
        "The prompt ends with the question: the model may as well ask another one. `A:` says "
        "whose turn it is."
    ),
    change={'{question.strip()}\\nA:"': '{question.strip()}\\n"'},
)


wrong(
    "answers_left_out",
    why="The examples have no answers: what is to be done with a question does not become clear.",
    change={"\\nA: {answer.strip()}": "\\nA:"},
)


wrong(
    "examples_left_out",
    why="The examples are missing: this is zero-shot.",
    change={'"".join(solved) + ': ""},
)


wrong(
    "line_end_at_the_end",
    why="A line end follows the last `A:`; the answer belongs on its line.",
    change={'{question.strip()}\\nA:"': '{question.strip()}\\nA:\\n"'},
)


wrong(
    "spaces_left_in_answers",
    why="Spaces and line ends around the answers were left; those around questions were dropped.",
    change={"{answer.strip()}": "{answer}"},
)


wrong(
    "spaces_left_in_examples_questions",
    why="Spaces and line ends around the questions of the examples were left.",
    change={"{asked.strip()}": "{asked}"},
)


wrong(
    "spaces_left_in_the_question",
    why="Spaces and line ends around the question at the end were left.",
    change={"{question.strip()}": "{question}"},
)
