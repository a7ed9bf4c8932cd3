"""Right and wrong answers to `distributed.one_forward_one_backward`."""

from grader.author.answers import right, wrong


@right
def three_phases(stage, stages, microbatches):
    warm = min(stages - stage - 1, microbatches)
    jobs = ["F" + str(k) for k in range(warm)]
    for k in range(microbatches - warm):
        jobs += [f"F{warm + k}", f"B{k}"]
    return jobs + [f"B{k}" for k in range(microbatches - warm, microbatches)]


@right
def by_what_is_in_flight(stage, stages, microbatches):
    jobs, forward, backward = [], 0, 0
    while backward < microbatches:
        if forward < microbatches and forward - backward < stages - stage:
            jobs.append(f"F{forward}")
            forward += 1
        else:
            jobs.append(f"B{backward}")
            backward += 1
    return jobs


wrong(
    "one_too_many",
    why="The alternation begins with a forward pass, so p − 1 − stage of them come before it.",
    change={"stages - 1 - stage": "stages - stage"},
)


wrong(
    "counted_from_the_wrong_end",
    why="The first stage is the one that has to wait longest for a gradient, and not the last.",
    change={"stages - 1 - stage": "stage"},
)


wrong(
    "same_on_all_stages",
    why="All stages began with p − 1 forward passes; a later stage needs fewer.",
    change={"stages - 1 - stage": "stages - 1"},
)


wrong(
    "all_forward_first",
    why="This is GPipe: all forward passes first, so all activations are held at once.",
    change={"min(microbatches, stages - 1 - stage)": "microbatches"},
)


wrong(
    "no_warm_up",
    why="A stage cannot go backward before later stages have; begin with more forward passes.",
    change={"min(microbatches, stages - 1 - stage)": "0"},
)


wrong(
    "latest_first",
    why="The backward passes take the newest microbatch; the oldest is ready first.",
    change={'jobs.append(f"B{number}")': 'jobs.append(f"B{microbatches - 1 - number}")'},
)


@wrong(why="In the alternation the backward pass came first, so a stage holds one less, and waits.")
def backward_before_forward(stage, stages, microbatches):
    ahead = min(microbatches, stages - stage)
    jobs = [f"F{number}" for number in range(ahead)]
    if ahead > 1:
        jobs = jobs[:-1]
        ahead -= 1
    for number in range(microbatches):
        jobs.append(f"B{number}")
        if ahead + number < microbatches:
            jobs.append(f"F{ahead + number}")
    return jobs


wrong(
    "more_than_there_are",
    why="With few microbatches, there are fewer forward passes to begin with: at most m.",
    change={"min(microbatches, stages - 1 - stage)": "stages - 1 - stage"},
    corner=True,
)
