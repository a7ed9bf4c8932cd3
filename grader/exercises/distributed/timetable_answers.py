"""Right and wrong answers to `distributed.timetable`."""

from grader.author.answers import right, wrong


@right
def by_starting_times(orders):
    last = len(orders) - 1
    times, changed = {}, True
    while changed:
        changed = False
        for stage, order in enumerate(orders):
            free = 0
            for job in order:
                if (stage, job) in times:
                    free = times[stage, job] + 1
                    continue
                needs = [(stage - 1, job)] if job[0] == "F" and stage > 0 else []
                if job[0] == "B":
                    needs = [(stage, f"F{job[1:]}")] + ([(stage + 1, job)] if stage < last else [])
                if any(need not in times for need in needs):
                    break
                times[stage, job] = max([free, *(times[need] + 1 for need in needs)])
                free, changed = times[stage, job] + 1, True
    if len(times) < sum(len(order) for order in orders):
        raise ValueError("a deadlock")
    end = 1 + max(times.values(), default=-1)
    rows = [[""] * end for _ in orders]
    for (stage, job), time in times.items():
        rows[stage][time] = job
    return rows


@right
def with_queues(orders):
    waiting, rows = [list(order) for order in orders], [[] for _ in orders]
    ended = [set() for _ in orders]
    while any(waiting):
        now = []
        for stage, queue in enumerate(waiting):
            job = queue[0] if queue else None
            ready = job is not None
            if ready and job.startswith("F"):
                ready = stage == 0 or job in ended[stage - 1]
            elif ready:
                ready = job.replace("B", "F") in ended[stage]
                ready &= stage + 1 == len(orders) or job in ended[stage + 1]
            now.append(job if ready else "")
        if not any(now):
            raise ValueError("all stages wait")
        for stage, job in enumerate(now):
            rows[stage].append(job)
            if job:
                ended[stage].add(waiting[stage].pop(0))
    return rows


wrong(
    "ended_at_once",
    why=(
        "A job counted as done while its time had not passed, so the next stage began with it at "
        "the same time."
    ),
    change={
        "following[stage] += 1": "following[stage] += 1\n                done.add((stage, job))",
    },
)


@wrong(why="A backward pass did not wait for the backward pass of the stage after.")
def backward_too_early(orders):
    rows, done, following = [[] for _ in orders], set(), [0] * len(orders)
    while len(done) < sum(map(len, orders)):
        started = []
        for stage, order in enumerate(orders):
            job = order[following[stage]] if following[stage] < len(order) else ""
            need = (stage - 1, job) if job[:1] == "F" else (stage, "F" + job[1:])
            if job and (need[0] < 0 or need in done):
                started.append((stage, job))
                following[stage] += 1
            else:
                job = ""
            rows[stage].append(job)
        if not started:
            raise ValueError("every stage waits")
        done.update(started)
    return rows


@wrong(why="A forward pass did not wait for the stage before, whose output is its input.")
def forward_too_early(orders):
    rows, done, following = [[] for _ in orders], set(), [0] * len(orders)
    while len(done) < sum(map(len, orders)):
        started = []
        for stage, order in enumerate(orders):
            job = order[following[stage]] if following[stage] < len(order) else ""
            needs = [(stage, "F" + job[1:])] if job[:1] == "B" else []
            if needs and stage < len(orders) - 1:
                needs.append((stage + 1, job))
            if job and all(need in done for need in needs):
                started.append((stage, job))
                following[stage] += 1
            else:
                job = ""
            rows[stage].append(job)
        if not started:
            raise ValueError("every stage waits")
        done.update(started)
    return rows


@wrong(why="A stage that had to wait took a later job first; jobs are done in the given order.")
def whatever_is_ready(orders):
    rows, done = [[] for _ in orders], set()
    while len(done) < sum(map(len, orders)):
        started = []
        for stage, order in enumerate(orders):
            ready = [
                job
                for job in order
                if (stage, job) not in done
                and all(need in done for need in _needs(stage, job, len(orders)))  # noqa: F821
            ]
            rows[stage].append(ready[0] if ready else "")
            started += [(stage, job) for job in ready[:1]]
        if not started:
            raise ValueError("every stage waits")
        done.update(started)
    return rows


wrong(
    "waiting_left_out",
    why="The times at which a stage waits were left out, so the rows show no bubble.",
    change={"rows[stage].append(job)": "rows[stage] += [job] if job else []"},
)


wrong(
    "one_job_at_a_time",
    why="Only one stage worked at each time; stages work in parallel.",
    change={"if job and all(": "if job and not started and all("},
)


wrong(
    "a_stop_without_an_error",
    why="Stages that wait for each other ended the table early; raise a ValueError.",
    change={
        'raise ValueError("no stage can continue: each waits for another")': "return rows",
    },
    corner=True,
)
