"""Right and wrong answers to `mlp.topological_order`."""

from grader.author.answers import right, wrong


@right
def iterators_on_the_stack(parents, output):
    order, seen = [], {output}
    stack = [(output, iter(parents[output]))]
    while stack:
        node, left = stack[-1]
        for parent in left:
            if parent not in seen:
                seen.add(parent)
                stack.append((parent, iter(parents[parent])))
                break
        else:
            order.append(node)
            stack.pop()
    return order


@right
def places_on_the_stack(parents, output):
    order, seen, stack = [], {output}, [[output, 0]]
    while stack:
        node, place = stack[-1]
        if place == len(parents[node]):
            order.append(node)
            stack.pop()
            continue
        stack[-1][1] += 1
        parent = parents[node][place]
        if parent not in seen:
            seen.add(parent)
            stack.append([parent, 0])
    return order


@wrong(
    why=(
        "The order is right, but for each parent a whole list is searched again, the node's "
        "parents or the nodes listed so far: with n of them this takes n² steps. Put all parents "
        "on the stack, or keep your place with an iterator, and keep the nodes seen in a set."
    ),
    corner=True,
)
def parents_looked_through_anew(parents, output):
    listed, stack = {}, [output]
    entered = set()
    while stack:
        node = stack[-1]
        entered.add(node)
        missing = [p for p in parents[node] if p not in listed]
        if missing:
            stack.append(missing[0])
        else:
            listed.setdefault(node, None)
            stack.pop()
    return list(listed)


@wrong(
    why=(
        "Each node was listed before its parents were visited, so the output comes first and no "
        "node's inputs are ready when it is reached."
    )
)
def listed_on_the_way_in(parents, output):
    order, stack = [], [output]
    while stack:
        node = stack.pop()
        if node not in order:
            order.append(node)
            stack.extend(reversed(parents[node]))
    return order


@wrong(
    why=(
        "A breadth-first search, reversed, puts a node by its *shortest* distance from the "
        "output; a node that is also reached by a longer path is then listed after a node that "
        "needs it."
    )
)
def first_come_reversed(parents, output):
    order = [output]
    for node in order:
        order.extend(p for p in dict.fromkeys(parents[node]) if p not in order)
    return order[::-1]


@wrong(
    why=(
        "A node that is used twice is listed twice; in the backward pass it would pass down its "
        "gradient twice."
    )
)
def listed_once_per_use(parents, output):
    order, stack = [], [(output, False)]
    while stack:
        node, ready = stack.pop()
        if ready:
            order.append(node)
        else:
            stack.append((node, True))
            stack.extend((parent, False) for parent in reversed(parents[node]))
    return order


@wrong(
    why=(
        "A node was marked as seen when it was put on the stack, so a deeper node that needs it "
        "first can no longer visit it; mark it when it is taken off."
    )
)
def seen_when_put_on_the_stack(parents, output):
    order, seen, stack = [], {output}, [(output, False)]
    while stack:
        node, ready = stack.pop()
        if ready:
            order.append(node)
            continue
        stack.append((node, True))
        for parent in reversed(parents[node]):
            if parent not in seen:
                seen.add(parent)
                stack.append((parent, False))
    return order


@wrong(
    why=(
        "The nodes were sorted by their numbers, but a node's number says nothing about when the "
        "node was computed; only its parents do."
    )
)
def sorted_by_number(parents, output):
    found, stack = {output}, [output]
    while stack:
        fresh = set(parents[stack.pop()]) - found
        found |= fresh
        stack += fresh
    return sorted(found)


@wrong(
    why=(
        "The order is right, but a function that calls itself once per level "
        "stops at about 1,000 levels, and a loss summed over a thousand "
        "examples is such a chain."
    )
)
def recursion(parents, output):
    order, seen = [], set()

    def visit(node):
        if node not in seen:
            seen.add(node)
            for parent in parents[node]:
                visit(parent)
            order.append(node)

    visit(output)
    return order


@wrong(
    why=(
        "The order is right, but the nodes seen are kept in a list: each lookup compares a node "
        "with all nodes before it, so the work grows with the square of their number. A set "
        "finds it at once."
    )
)
def seen_in_a_list(parents, output):
    order, seen, stack = [], [], [(output, False)]
    while stack:
        node, parents_listed = stack.pop()
        if parents_listed:
            order.append(node)
        elif node not in seen:
            seen.append(node)
            stack.append((node, True))
            stack.extend((parent, False) for parent in reversed(parents[node]))
    return order


wrong(
    "everything_listed",
    why=(
        "The search was started from every node; nodes that the output does not depend on must "
        "not be listed."
    ),
    change={"[(output, False)]": "[(node, False) for node in reversed(range(len(parents)))]"},
)


wrong(
    "last_parent_first",
    why=(
        "A stack returns the last item first, so the parents were visited from right to left; "
        "push them in reverse order."
    ),
    change={"reversed(parents[node])": "parents[node]"},
)
