"""Right and wrong answers to `contrastive.update_teacher`."""

import torch

from grader.author.answers import equivalent, right, wrong


@right
def by_lerp(teacher, student, decay):
    found = {}
    with torch.no_grad():
        for name in teacher:
            if torch.is_floating_point(teacher[name]):
                found[name] = torch.lerp(student[name].to(teacher[name]), teacher[name], decay)
            else:
                found[name] = teacher[name] * 0 + student[name]
    return found


@right
def by_a_step(teacher, student, decay):
    found = {name: tensor.detach().clone() for name, tensor in teacher.items()}
    for name, tensor in found.items():
        if tensor.is_floating_point():
            tensor += (1 - decay) * (student[name] - tensor)
        else:
            tensor.copy_(student[name])
    return found


wrong(
    "decay_swapped",
    why="The student has the weight m; it is the teacher that keeps m of itself.",
    change={
        "decay * old + (1 - decay) * student[name]": ("(1 - decay) * old + decay * student[name]")
    },
)


wrong(
    "teacher_does_not_shrink",
    why="A part of the student is added, but the teacher is not made smaller first: the sum grows.",
    change={"decay * old + (1": "old + (1"},
)


wrong(
    "copied",
    why="The student was copied; the teacher must change slowly.",
    change={"decay * old + (1 - decay) * student[name]": ("0 * decay * old + student[name]")},
)


wrong(
    "teacher_unchanged",
    why="The teacher is returned as it was.",
    change={"decay * old + (1 - decay) * student[name]": ("old + 0 * student[name]")},
)


wrong(
    "counters_of_the_teacher",
    why="Counters are kept from the teacher; the statement takes the student's.",
    change={"else student[name].clone().to(old.dtype)": "else old.clone()"},
)


wrong(
    "counters_averaged",
    why="Whole numbers are averaged, too, and become fractions.",
    change={"if old.is_floating_point()": "if True"},
)


wrong(
    "counters_left_out",
    why="Tensors of whole numbers are missing from the result.",
    change={
        "for name, old in teacher.items()": (
            "for name, old in teacher.items() if old.is_floating_point()"
        )
    },
)


@wrong(why="The given teacher was changed; return a new dict with new tensors.")
def in_place(teacher, student, decay):
    for name, old in teacher.items():
        if old.is_floating_point():
            old.mul_(decay).add_(student[name], alpha=1 - decay)
        else:
            old.copy_(student[name])
    return dict(teacher)


wrong(
    "dtypes_of_the_student",
    why="The result has the student's dtypes, or wider ones; a teacher keeps the dtypes it has.",
    change={
        "(decay * old + (1 - decay) * student[name]).to(old.dtype)": (
            "decay * old + (1 - decay) * student[name]"
        ),
        "student[name].clone().to(old.dtype)": "student[name].clone()",
    },
    corner=True,
)


equivalent(
    "else (student[name]).to(old.dtype)",
    why="the same values; only a later change in place would show it",
)
