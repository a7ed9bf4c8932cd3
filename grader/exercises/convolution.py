"""Exercises on convolution: sizes, patches, matrices, gradients, pooling, and two networks."""

import numpy as np

from grader.exercise import Call, Case, Exercise, Mistake

AUTOGRAD = (
    "torch.autograd.grad",
    "Tensor.backward",
    "torch.autograd.backward",
    "torch.func.grad",
    "torch.func.vjp",
)
CONVOLUTION = ("F.conv2d", "torch.conv2d", "torch.convolution", "nn.Conv2d", "F.conv1d", "F.conv3d")
PATCHES = ("F.unfold", "nn.Unfold")


def settings(stride=1, padding=0, dilation=1):
    return {"stride": stride, "padding": padding, "dilation": dilation}


# shift

SHIFT = Exercise(
    symbol="shift",
    title="A picture, moved",
    section="one-pixel",
    cases=(
        Case("down and to the left", lambda rng: _moved(rng, down=2, right=-3), 2, grad=("input",)),
        Case("up and to the right", lambda rng: _moved(rng, down=-1, right=2), grad=("input",)),
        Case("a batch with channels", lambda rng: _moved(rng, 2, 3, down=1, right=1)),
        Case("to the right alone", lambda rng: _moved(rng, 2, right=2), hidden=True),
        Case("not at all", lambda rng: _moved(rng), hidden=True),
    ),
    hint="Moving right by 2 is two columns of zeros on the left and two columns less on the right; "
    "`F.pad` does both, since a negative pad cuts off.",
    mistakes=(
        Mistake(
            name="rolled",
            why="`torch.roll` lets what leaves on one side come back on the other; the pixels that "
            "come in must be zero.",
            source="""
            def shift(input, *, down=0, right=0):
                return torch.roll(input, (down, right), (-2, -1))
            """,
        ),
        Mistake(
            name="axes_swapped",
            why="`F.pad` begins with the last axis, the columns; so `right` comes first and `down` "
            "second.",
            change={"(right, -right, down, -down)": "(down, -down, right, -right)"},
        ),
        Mistake(
            name="other_way",
            why="The picture moves against the arrow: to move it to the right, columns are added "
            "on its left.",
            change={"(right, -right, down, -down)": "(-right, right, -down, down)"},
        ),
        Mistake(
            name="not_cut",
            why="The picture grew: what is added on one side has to be cut off on the other.",
            change={"(right, -right, down, -down)": "(right, 0, down, 0)"},
        ),
    ),
    variants=(
        """
        def shift(input, *, down=0, right=0):
            height, width = input.shape[-2:]
            row = torch.arange(height)[:, None] - down
            column = torch.arange(width) - right
            there = (row >= 0) & (row < height) & (column >= 0) & (column < width)
            taken = input[..., row.clamp(0, height - 1), column.clamp(0, width - 1)]
            return torch.where(there, taken, torch.zeros_like(taken))
        """,
        """
        def shift(input, *, down=0, right=0):
            height, width = input.shape[-2:]
            rows = torch.eye(height + abs(down)).double()
            columns = torch.eye(width + abs(right)).double()
            rows = rows.roll(down, 0)[:height, :height].triu(-height)
            columns = columns.roll(right, 0)[:width, :width]
            if down < 0:
                rows = torch.eye(height + abs(down)).double()[-down:, :height]
            if right < 0:
                columns = torch.eye(width + abs(right)).double()[-right:, :width]
            return rows @ input @ columns.T
        """,
    ),
)


def _moved(rng, *lead, **by):
    return {"input": rng.standard_normal((*lead, 5, 7)), **by}


# output_size

OUTPUT_SIZE = Exercise(
    symbol="output_size",
    title="How many outputs?",
    section="arithmetic",
    cases=(
        Case("stride 1", lambda rng: _axis(rng, 3)),
        Case("a stride that leaves a rest", lambda rng: _axis(rng, 3, stride=3, rest=1), 2),
        Case("a stride that fits", lambda rng: _axis(rng, 5, stride=3)),
        Case("padding", lambda rng: _axis(rng, 5, padding=2)),
        Case("dilation", lambda rng: _axis(rng, 3, dilation=2)),
        Case("all of them", lambda rng: _axis(rng, 3, stride=3, padding=1, dilation=3, rest=2)),
        Case("one place", lambda rng: {"size": 7, "kernel_size": 7}, hidden=True),
        Case(
            "a single weight", lambda rng: _axis(rng, 1, stride=3, dilation=5, rest=1), hidden=True
        ),
    ),
    hint="How many pixels does the kernel span, with its gaps? How far can it then move? How many "
    "strides fit in there, and how many places is that, counting the first?",
    mistakes=(
        Mistake(
            name="first_place_forgotten",
            why="A kernel that can move by n strides has n + 1 places: it also stands where it "
            "begins.",
            change={"// stride + 1": "// stride"},
        ),
        Mistake(
            name="rounded_up",
            why="The last stride would carry the kernel over the edge, so a part of a stride does "
            "not count: round down.",
            change={
                "(size + 2 * padding - span) // stride": "-((span - size - 2 * padding) // stride)"
            },
        ),
        Mistake(
            name="padding_at_one_end",
            why="The zeros are added at both ends of the axis, so the padding counts twice.",
            change={
                "return (size + 2 * padding": "return (size + padding",
            },
        ),
        Mistake(
            name="dilation_times_kernel",
            why="k weights have k − 1 gaps between them: the span is d (k − 1) + 1, not d k.",
            change={"dilation * (kernel_size - 1) + 1": "dilation * kernel_size"},
        ),
        Mistake(
            name="span_without_its_one",
            why="k weights that lie d apart span d (k − 1) + 1 pixels; you left out the 1, as if "
            "the first weight took no room.",
            change={"dilation * (kernel_size - 1) + 1": "dilation * (kernel_size - 1)"},
        ),
        Mistake(
            name="divided_into_a_float",
            why="`/` gives a number with a fraction; places are counted in whole numbers, `//`.",
            change={"// stride": "/ stride"},
        ),
        Mistake(
            name="one_added_before_dividing",
            why="The 1 is the first place and belongs after the division; inside it counts as one "
            "more pixel to move by.",
            change={
                "(size + 2 * padding - span) // stride + 1": (
                    "(size + 2 * padding - span + 1) // stride"
                )
            },
        ),
    ),
    variants=(
        """
        def output_size(size, kernel_size, *, stride=1, padding=0, dilation=1):
            last = size + 2 * padding - dilation * (kernel_size - 1)
            return len(range(0, last, stride))
        """,
        """
        def output_size(size, kernel_size, *, stride=1, padding=0, dilation=1):
            count, start = 0, -padding
            while start + dilation * (kernel_size - 1) < size + padding:
                count, start = count + 1, start + stride
            return count
        """,
    ),
)


def _axis(rng, kernel_size, *, rest=0, **steps):
    """A size at which some places and a rest fit."""
    used = settings(**steps)
    span = used["dilation"] * (kernel_size - 1) + 1
    size = span + used["stride"] * int(rng.integers(4, 12)) + rest - 2 * used["padding"]
    return {"size": size, "kernel_size": kernel_size, **steps}


# correlate2d

CORRELATE2D = Exercise(
    symbol="correlate2d",
    title="A kernel slides over a picture",
    section="sliding",
    cases=(
        Case("a 3×2 kernel", lambda rng: _slide(rng, 3, 2), 2, grad=("input", "kernel")),
        Case("a square kernel", lambda rng: _slide(rng, 3, 3), grad=("input", "kernel")),
        Case("as large as the picture", lambda rng: _slide(rng, 7, 11)),
        Case("a single weight", lambda rng: _slide(rng, 1, 1), hidden=True),
        Case("a row of weights", lambda rng: _slide(rng, 1, 5), grad=("input",), hidden=True),
    ),
    hint="The window whose top left corner is (i, j) is `input[i : i + height, j : j + width]`.",
    mistakes=(
        Mistake(
            name="flipped",
            why="You flipped the kernel: that is convolution as signal processing defines it; "
            "networks, and this formula, leave the kernel as it is (cross-correlation).",
            change={"* kernel)": "* kernel.flip(0, 1))"},
        ),
        Mistake(
            name="last_place_missed",
            why="A kernel of height h fits into H rows at H − h + 1 places; the last of them is "
            "missing.",
            change={
                "rows = output_size(input.shape[0], height)": "rows = input.shape[0] - height",
                "columns = output_size(input.shape[1], width)": "columns = input.shape[1] - width",
            },
        ),
        Mistake(
            name="mean_of_the_products",
            why="The products are averaged instead of summed, so the result shrinks with the size "
            "of the kernel.",
            change={").sum()": ").mean()"},
        ),
        Mistake(
            name="kernel_transposed",
            why="The kernel lies on its side: its first axis runs down the rows, like that of the "
            "picture.",
            source="""
            def correlate2d(input, kernel):
                width, height = kernel.shape
                rows = output_size(input.shape[0], height)
                columns = output_size(input.shape[1], width)
                output = input.new_empty(rows, columns)
                for i in range(rows):
                    for j in range(columns):
                        window = input[i : i + height, j : j + width]
                        output[i, j] = (window * kernel.T).sum()
                return output
            """,
        ),
        Mistake(
            name="same_size",
            why="You added zeros around the picture, so that the result is as large as the "
            "picture; here only the places count at which the whole kernel fits.",
            source="""
            def correlate2d(input, kernel):
                height, width = kernel.shape
                padded = F.pad(input, (0, width - 1, 0, height - 1))
                output = torch.zeros_like(input)
                for i in range(input.shape[0]):
                    for j in range(input.shape[1]):
                        output[i, j] = (padded[i : i + height, j : j + width] * kernel).sum()
                return output
            """,
        ),
    ),
    variants=(
        """
        def correlate2d(input, kernel):
            height, width = kernel.shape
            rows, columns = input.shape[0] - height + 1, input.shape[1] - width + 1
            total = 0.0
            for u in range(height):
                for v in range(width):
                    total = total + kernel[u, v] * input[u : u + rows, v : v + columns]
            return total
        """,
        """
        def correlate2d(input, kernel):
            windows = input.unfold(0, kernel.shape[0], 1).unfold(1, kernel.shape[1], 1)
            return torch.einsum("ijuv,uv->ij", windows, kernel)
        """,
    ),
    forbidden=(*CONVOLUTION, *PATCHES),
    needs=("output_size",),
)


def _slide(rng, height, width):
    return {
        "input": rng.standard_normal((7, 11)),
        "kernel": 1.0 + rng.standard_normal((height, width)),
    }


# unfold

UNFOLD = Exercise(
    symbol="unfold",
    title="Patches as columns",
    section="patches",
    cases=(
        Case("a 3×2 kernel", lambda rng: _patches(rng, (3, 2)), 2, grad=("input",)),
        Case("stride", lambda rng: _patches(rng, (3, 2), 1, 2, stride=2), grad=("input",)),
        Case("padding", lambda rng: _patches(rng, (2, 3), 1, 2, padding=2), grad=("input",)),
        Case("dilation", lambda rng: _patches(rng, (2, 3), 1, 2, dilation=2)),
        Case(
            "all of them",
            lambda rng: _patches(rng, (3, 2), stride=2, padding=1, dilation=2),
            grad=("input",),
        ),
        Case("a single weight", lambda rng: _patches(rng, (1, 1), stride=2), hidden=True),
        Case(
            "padding wider than the kernel",
            lambda rng: _patches(rng, (2, 2), padding=3, stride=2),
            grad=("input",),
            hidden=True,
        ),
    ),
    hint="Loop over the weights of the kernel, not over the places: what one weight sees from all "
    "places is a slice of the padded picture, with the stride as its step.",
    mistakes=(
        Mistake(
            name="places_in_rows",
            why="Each patch became a row; here a patch is a column, so that weights times patches "
            "is a matrix product.",
            change={".flatten(1, 2)": ".flatten(1, 2).mT"},
        ),
        Mistake(
            name="channels_last",
            why="The channels change fastest in your columns; a filter (channels, height, width), "
            "flattened, has one whole window per channel.",
            change={"dim=2": "dim=1"},
        ),
        Mistake(
            name="window_column_by_column",
            why="The windows are read column by column; a kernel that is flattened runs row by "
            "row.",
            source="""
            def unfold(input, kernel_size, *, stride=1, padding=0, dilation=1):
                height, width = kernel_size
                steps = {"stride": stride, "padding": padding, "dilation": dilation}
                rows = output_size(input.shape[2], height, **steps)
                columns = output_size(input.shape[3], width, **steps)
                padded = F.pad(input, [padding] * 4)
                seen = [
                    padded[:, :, i : i + stride * rows : stride, j : j + stride * columns : stride]
                    for j in range(0, dilation * width, dilation)
                    for i in range(0, dilation * height, dilation)
                ]
                return torch.stack(seen, dim=2).flatten(3).flatten(1, 2)
            """,
        ),
        Mistake(
            name="places_column_by_column",
            why="The places run down the columns first; the result could not be reshaped into a "
            "picture (rows, columns).",
            change={".flatten(3)": ".mT.flatten(3)"},
        ),
        Mistake(
            name="edge_repeated",
            why="The picture was padded with copies of its edge; zero padding adds zeros.",
            change={"[padding] * 4)": '[padding] * 4, mode="replicate")'},
        ),
        Mistake(
            name="stride_ignored",
            why="Neighboring places lie one pixel apart although the stride is larger; it must be "
            "the step of the slice.",
            change={
                "i : i + stride * rows : stride, j : j + stride * columns : stride": (
                    "i : i + rows, j : j + columns"
                )
            },
        ),
        Mistake(
            name="dilation_ignored",
            why="The weights look at adjacent pixels; with dilation d they look at every d-th.",
            change={
                "range(0, dilation * height, dilation)": "range(height)",
                "range(0, dilation * width, dilation)": "range(width)",
            },
        ),
        Mistake(
            name="dilation_for_stride",
            why="Stride and dilation changed places: the stride is between two places of the "
            "kernel, the dilation between two weights inside of it.",
            source="""
            def unfold(input, kernel_size, *, stride=1, padding=0, dilation=1):
                stride, dilation = dilation, stride
                height, width = kernel_size
                steps = {"stride": stride, "padding": padding, "dilation": dilation}
                rows = output_size(input.shape[2], height, **steps)
                columns = output_size(input.shape[3], width, **steps)
                padded = F.pad(input, [padding] * 4)
                seen = [
                    padded[:, :, i : i + stride * rows : stride, j : j + stride * columns : stride]
                    for i in range(0, dilation * height, dilation)
                    for j in range(0, dilation * width, dilation)
                ]
                return torch.stack(seen, dim=2).flatten(3).flatten(1, 2)
            """,
        ),
    ),
    variants=(
        """
        def unfold(input, kernel_size, *, stride=1, padding=0, dilation=1):
            height, width = kernel_size
            windows = F.pad(input, (padding, padding, padding, padding))
            windows = windows.unfold(2, dilation * (height - 1) + 1, stride)
            windows = windows.unfold(3, dilation * (width - 1) + 1, stride)
            windows = windows[..., ::dilation, ::dilation]  # (B, C, rows, columns, height, width)
            columns = windows.permute(0, 1, 4, 5, 2, 3)
            return columns.reshape(len(input), input.shape[1] * height * width, -1)
        """,
        """
        def unfold(input, kernel_size, *, stride=1, padding=0, dilation=1):
            height, width = kernel_size
            padded = torch.nn.ZeroPad2d(padding)(input)
            top = torch.arange(0, padded.shape[2] - dilation * (height - 1), stride)
            left = torch.arange(0, padded.shape[3] - dilation * (width - 1), stride)
            row = (top + dilation * torch.arange(height)[:, None])[:, None, :, None]
            column = (left + dilation * torch.arange(width)[:, None])[None, :, None, :]
            return padded[:, :, row, column].flatten(4).flatten(1, 3)
        """,
    ),
    forbidden=(*PATCHES, *CONVOLUTION),
    needs=("output_size",),
)


def _patches(rng, kernel_size, count=2, channels=3, **steps):
    return {
        "input": 2.0 + rng.standard_normal((count, channels, 5, 7)),
        "kernel_size": list(kernel_size),
        **steps,
    }


# conv2d

CONV2D = Exercise(
    symbol="conv2d",
    title="Convolution as a matrix product",
    section="channels",
    cases=(
        Case("three channels, five filters", lambda rng: _layer(rng), 2, grad=("input", "weight")),
        Case("no bias", lambda rng: {**_layer(rng), "bias": None}, grad=("input", "weight")),
        Case(
            "stride, padding and dilation",
            lambda rng: {**_layer(rng), **settings(3, 2, 2)},
            grad=("input", "weight", "bias"),
        ),
        Case(
            "two groups",
            lambda rng: {**_layer(rng, channels=4, filters=6, depth=2), "groups": 2},
            2,
            grad=("input", "weight", "bias"),
        ),
        Case(
            "a group for each channel",
            lambda rng: {**_layer(rng, channels=3, filters=6, depth=1), "groups": 3, "padding": 1},
        ),
        Case(
            "as many filters as columns",
            lambda rng: _layer(rng, channels=2, filters=3, depth=2),
            grad=("bias",),
        ),
        Case("one picture", lambda rng: _layer(rng, count=1), hidden=True),
        Case(
            "groups and steps",
            lambda rng: {
                **_layer(rng, channels=4, filters=6, depth=2),
                "groups": 2,
                **settings(2, 1, 1),
            },
            grad=("weight",),
            hidden=True,
        ),
    ),
    hint="Give patches and kernels an axis for the groups; `@` multiplies group by group. At the "
    "end the places become rows and columns again.",
    mistakes=(
        Mistake(
            name="flipped",
            why="You flipped the kernels, as signal processing does; networks leave them as they "
            "are, and learned weights would no longer fit.",
            change={"= weight.reshape(": "= weight.flip(2, 3).reshape("},
        ),
        Mistake(
            name="bias_along_the_columns",
            why="The bias was broadcast along the last axis, the columns of the picture; it has "
            "one number per filter: `bias[:, None, None]`.",
            change={"bias[:, None, None]": "bias"},
        ),
        Mistake(
            name="bias_forgotten",
            why="The bias is never added.",
            change={"output if bias is None else output + bias[:, None, None]": "output"},
        ),
        Mistake(
            name="kernel_transposed_by_reshape",
            why="`reshape` cannot transpose: it reads the same numbers in the same order, so each "
            "row of your kernel matrix mixes several filters.",
            change={
                "weight.reshape(groups, filters // groups, -1)": (
                    "weight.reshape(groups, -1, filters // groups).mT"
                )
            },
        ),
        Mistake(
            name="rows_and_columns_swapped",
            why="The places were laid out as (columns, rows): a picture that is not square comes "
            "out scrambled.",
            change={"reshape(batch, filters, rows, -1)": "reshape(batch, filters, -1, rows)"},
        ),
        Mistake(
            name="groups_interleaved",
            why="The first group takes the first channels, not every second or third one; patches "
            "are laid out channel after channel, so the axis of the groups comes before the rest.",
            source="""
            def conv2d(
                input, weight, bias=None, *, stride=1, padding=0, dilation=1, groups=1
            ):
                batch, channels = input.shape[:2]
                filters, depth, height, width = weight.shape
                steps = {"stride": stride, "padding": padding, "dilation": dilation}
                patches = unfold(input, (height, width), **steps)
                patches = patches.reshape(batch, depth, groups, height * width, -1)
                patches = patches.transpose(1, 2).flatten(2, 3)
                kernels = weight.reshape(groups, filters // groups, -1)
                output = kernels @ patches
                rows = output_size(input.shape[2], height, **steps)
                output = output.reshape(batch, filters, rows, -1)
                return output if bias is None else output + bias[:, None, None]
            """,
        ),
        Mistake(
            name="stride_and_dilation_swapped",
            why="Stride and dilation changed places on the way to `unfold`.",
            change={
                'steps = {"stride": stride, "padding": padding, "dilation": dilation}': (
                    'steps = {"stride": dilation, "padding": padding, "dilation": stride}'
                )
            },
        ),
        Mistake(
            name="padding_forgotten",
            why="The padding is not handed on, so the result is smaller than it should be.",
            change={'"padding": padding, ': ""},
        ),
    ),
    variants=(
        """
        def conv2d(input, weight, bias=None, *, stride=1, padding=0, dilation=1, groups=1):
            batch, channels, height, width = input.shape
            filters, depth, tall, wide = weight.shape
            rows = output_size(height, tall, stride=stride, padding=padding, dilation=dilation)
            columns = output_size(width, wide, stride=stride, padding=padding, dilation=dilation)
            padded = F.pad(input, [padding] * 4).reshape(
                batch, groups, depth, height + 2 * padding, width + 2 * padding
            )
            kernels = weight.reshape(groups, filters // groups, depth, tall, wide)
            total = input.new_zeros(batch, filters, rows, columns)
            for u in range(tall):
                for v in range(wide):
                    top, left = u * dilation, v * dilation
                    seen = padded[
                        ...,
                        top : top + stride * (rows - 1) + 1 : stride,
                        left : left + stride * (columns - 1) + 1 : stride,
                    ]
                    part = torch.einsum("bgcij,gfc->bgfij", seen, kernels[..., u, v])
                    total = total + part.flatten(1, 2)
            if bias is not None:
                total = total + bias.reshape(1, -1, 1, 1)
            return total
        """,
        """
        def conv2d(input, weight, bias=None, *, stride=1, padding=0, dilation=1, groups=1):
            tall, wide = weight.shape[2:]
            x = F.pad(input, [padding] * 4).unfold(2, dilation * (tall - 1) + 1, stride)
            x = x.unfold(3, dilation * (wide - 1) + 1, stride)[..., ::dilation, ::dilation]
            parts = [
                torch.einsum("bcijuv,fcuv->bfij", part, kernels)
                for part, kernels in zip(x.chunk(groups, 1), weight.chunk(groups, 0), strict=True)
            ]
            y = torch.cat(parts, dim=1)
            if bias is not None:
                y = (y.movedim(1, -1) + bias).movedim(-1, 1)
            return y
        """,
    ),
    forbidden=(*CONVOLUTION, *PATCHES),
    needs=("output_size", "unfold"),
)


def _layer(rng, *, count=2, channels=3, filters=5, depth=3):
    return {
        "input": rng.standard_normal((count, channels, 7, 5)),
        "weight": rng.standard_normal((filters, depth, 2, 3)),
        "bias": 1.0 + rng.standard_normal(filters),
    }


# conv2d_matrix

CONV2D_MATRIX = Exercise(
    symbol="conv2d_matrix",
    title="The matrix of a convolution",
    section="linear-map",
    cases=(
        Case("one channel, one filter", lambda rng: _matrix(rng, 1, 1), 2, grad=("weight",)),
        Case("channels and filters", lambda rng: _matrix(rng, 2, 3), 2, grad=("weight",)),
        Case("stride and padding", lambda rng: {**_matrix(rng, 2, 3), **settings(2, 1)}),
        Case("dilation", lambda rng: {**_matrix(rng, 1, 2), **settings(1, 1, 2)}, hidden=True),
        Case("all of them", lambda rng: {**_matrix(rng, 3, 1), **settings(3, 2, 2)}, hidden=True),
    ),
    hint="A matrix times the n-th unit vector is its n-th column. What picture is a unit vector?",
    mistakes=(
        Mistake(
            name="transposed",
            why="You have one row per input; the outputs are the rows, so that M x works.",
            change={".flatten(1).T": ".flatten(1)"},
        ),
        Mistake(
            name="flipped",
            why="The kernel stands in the matrix backwards; each row holds it as it is, since "
            "nothing is flipped here.",
            change={"*shape), weight,": "*shape), weight.flip(2, 3),"},
        ),
        Mistake(
            name="channels_last",
            why="The columns are ordered pixel by pixel, with the channels inside; "
            "`x.flatten()` goes through one channel after the other.",
            change={
                "units.reshape(-1, *shape)": (
                    "units.reshape(-1, *size, weight.shape[1]).permute(0, 3, 1, 2)"
                )
            },
        ),
        Mistake(
            name="filters_last",
            why="The rows are ordered place by place, with the filters inside; "
            "`conv2d(x).flatten()` goes through one filter after the other.",
            change={".flatten(1).T": ".permute(0, 2, 3, 1).flatten(1).T"},
        ),
        Mistake(
            name="size_swapped",
            why="`size` is (H, W): the height comes first.",
            change={"*size\n": "*reversed(size)\n"},
        ),
        Mistake(
            name="steps_ignored",
            why="The matrix does not know stride, padding or dilation.",
            change={"weight, **steps)": "weight)"},
        ),
    ),
    variants=(
        """
        def conv2d_matrix(weight, size, *, stride=1, padding=0, dilation=1):
            filters, channels, tall, wide = weight.shape
            height, width = size
            steps = {"stride": stride, "padding": padding, "dilation": dilation}
            rows = output_size(height, tall, **steps)
            columns = output_size(width, wide, **steps)
            matrix = weight.new_zeros(filters, rows, columns, channels, height, width)
            for i in range(rows):
                for j in range(columns):
                    for u in range(tall):
                        for v in range(wide):
                            y, x = stride * i + dilation * u, stride * j + dilation * v
                            y, x = y - padding, x - padding
                            if 0 <= y < height and 0 <= x < width:
                                matrix[:, i, j, :, y, x] = weight[:, :, u, v]
            return matrix.reshape(filters * rows * columns, channels * height * width)
        """,
        """
        def conv2d_matrix(weight, size, *, stride=1, padding=0, dilation=1):
            filters, channels, tall, wide = weight.shape
            height, width = size

            def places(n, k):  # which input meets which weight at which place
                count = (n + 2 * padding - dilation * (k - 1) - 1) // stride + 1
                place = torch.arange(count)[:, None, None]
                offset = torch.arange(k)[None, :, None]
                return (stride * place + dilation * offset - padding == torch.arange(n)).double()

            matrix = torch.einsum("fcuv,iuh,jvw->fijchw", weight, places(height, tall),
                                  places(width, wide))
            return matrix.flatten(0, 2).flatten(1)
        """,
    ),
    forbidden=CONVOLUTION,
    needs=("output_size", "unfold", "conv2d"),
)


def _matrix(rng, channels, filters):
    return {"weight": 3.0 + rng.standard_normal((filters, channels, 2, 3)), "size": [3, 5]}


# conv2d_input_gradient

CONV2D_INPUT_GRADIENT = Exercise(
    symbol="conv2d_input_gradient",
    title="Gradient with respect to the input",
    section="gradients",
    cases=(
        Case("stride 1", lambda rng: _back(rng), 2),
        Case("padding", lambda rng: _back(rng, padding=1)),
        Case("a stride that leaves a rest", lambda rng: _back(rng, stride=3, padding=1), 2),
        Case("dilation", lambda rng: _back(rng, dilation=2, stride=2)),
        Case("as many filters as channels", lambda rng: _back(rng, filters=3, stride=2)),
        Case("wide padding", lambda rng: _back(rng, padding=3, stride=2), hidden=True),
        Case("all of them", lambda rng: _back(rng, stride=3, padding=2, dilation=2), hidden=True),
    ),
    hint="Each gradient goes back to where it came from: to s i + d u − p, weighted with w[u]. "
    "Seen from the input, that is a convolution of the spread gradient with the flipped kernel.",
    mistakes=(
        Mistake(
            name="not_flipped",
            why="The kernel must be flipped: what reached output i through weight u came from "
            "input i + u, so input n looks back at the outputs n − u.",
            change={"weight.flip(2, 3)": "weight"},
        ),
        Mistake(
            name="filters_and_channels_not_swapped",
            why="The gradient has one picture per filter and must come back with one per channel, "
            "so these two axes of the weight change places.",
            change={".transpose(0, 1)": ""},
        ),
        Mistake(
            name="gradient_repeated",
            why="Between two gradients belong stride − 1 zeros; you repeated the gradient there, "
            "as if every pixel had been the start of a window.",
            change={
                "spread[:, :, :, 0, :, 0] = grad_output": (
                    "spread[:] = grad_output[:, :, :, None, :, None]"
                )
            },
        ),
        Mistake(
            name="padding_not_removed",
            why="The gradient of the added zeros has to be cut off again: input 0 is `padding` "
            "pixels from the edge of what the kernel saw.",
            change={
                "F.pad(full, (-padding, end, -padding, bottom))": (
                    "F.pad(full, (0, end - padding, 0, bottom - padding))"
                )
            },
        ),
        Mistake(
            name="rest_at_the_front",
            why="With a stride, the pixels that no kernel saw lie at the bottom and on the right; "
            "you put their zeros at the top and on the left.",
            change={
                "F.pad(full, (-padding, end, -padding, bottom))": (
                    "F.pad(full, (end, -padding, bottom, -padding))"
                )
            },
        ),
        Mistake(
            name="cut_at_minus_zero",
            why="Without padding there is nothing to cut off, but a slice that ends at `-padding` "
            "ends at −0, which is 0, and is empty; end it at padding + H.",
            source="""
            def conv2d_input_gradient(
                grad_output, weight, size, *, stride=1, padding=0, dilation=1
            ):
                padded = [n + 2 * padding for n in size]
                matrix = conv2d_matrix(weight, padded, stride=stride, dilation=dilation)
                back = grad_output.flatten(1) @ matrix
                back = back.reshape(len(grad_output), weight.shape[1], *padded)
                return back[:, :, padding:-padding, padding:-padding]
            """,
        ),
        Mistake(
            name="overwritten",
            why="Windows overlap, and a pixel gets a gradient from every output that saw it: add "
            "them up; you kept the last one.",
            source="""
            def conv2d_input_gradient(
                grad_output, weight, size, *, stride=1, padding=0, dilation=1
            ):
                batch, filters, rows, columns = grad_output.shape
                channels, tall, wide = weight.shape[1:]
                height, width = size
                back = grad_output.new_zeros(
                    batch, channels, height + 2 * padding, width + 2 * padding
                )
                for i in range(rows):
                    for j in range(columns):
                        top, left = stride * i, stride * j
                        back[
                            :,
                            :,
                            top : top + dilation * (tall - 1) + 1 : dilation,
                            left : left + dilation * (wide - 1) + 1 : dilation,
                        ] = torch.einsum("bf,fcuv->bcuv", grad_output[:, :, i, j], weight)
                return back[:, :, padding : padding + height, padding : padding + width]
            """,
        ),
        Mistake(
            name="dilation_forgotten",
            why="On the way back the weights are as far apart as on the way there: the flipped "
            "kernel needs the dilation, too.",
            change={"flipped, dilation=dilation)": "flipped)"},
        ),
    ),
    variants=(
        """
        def conv2d_input_gradient(
            grad_output, weight, size, *, stride=1, padding=0, dilation=1
        ):
            batch, filters, rows, columns = grad_output.shape
            height, width = size
            channels, tall, wide = weight.shape[1:]
            back = grad_output.new_zeros(
                batch, channels, height + 2 * padding, width + 2 * padding
            )
            for u in range(tall):
                for v in range(wide):
                    part = torch.einsum("bfij,fc->bcij", grad_output, weight[:, :, u, v])
                    top, left = u * dilation, v * dilation
                    back[
                        :,
                        :,
                        top : top + stride * rows : stride,
                        left : left + stride * columns : stride,
                    ] += part
            return back[:, :, padding : padding + height, padding : padding + width]
        """,
        """
        def conv2d_input_gradient(
            grad_output, weight, size, *, stride=1, padding=0, dilation=1
        ):
            steps = {"stride": stride, "padding": padding, "dilation": dilation}
            matrix = conv2d_matrix(weight, size, **steps)
            back = grad_output.flatten(1) @ matrix
            return back.reshape(len(grad_output), weight.shape[1], *size)
        """,
    ),
    forbidden=(
        "F.conv_transpose2d",
        "torch.conv_transpose2d",
        "nn.ConvTranspose2d",
        "F.fold",
        "nn.Fold",
        "torch.nn.grad.conv2d_input",
        *CONVOLUTION,
        *AUTOGRAD,
    ),
    needs=("output_size", "unfold", "conv2d", "conv2d_matrix"),
)


def _back(rng, *, channels=3, filters=5, **steps):
    """A gradient of the shape that the convolution of a (7, 11) picture has."""
    used = settings(**steps)
    rows, columns = (
        (n + 2 * used["padding"] - used["dilation"] * (k - 1) - 1) // used["stride"] + 1
        for n, k in ((7, 3), (11, 2))
    )
    return {
        "grad_output": rng.standard_normal((2, filters, rows, columns)),
        "weight": rng.standard_normal((filters, channels, 3, 2)),
        "size": [7, 11],
        **steps,
    }


# conv2d_weight_gradient

CONV2D_WEIGHT_GRADIENT = Exercise(
    symbol="conv2d_weight_gradient",
    title="Gradient with respect to the weight",
    section="gradients",
    cases=(
        Case("stride 1", lambda rng: _met(rng), 2),
        Case("stride and padding", lambda rng: _met(rng, stride=2, padding=1), 2),
        Case("dilation", lambda rng: _met(rng, dilation=2)),
        Case("as many filters as channels", lambda rng: _met(rng, filters=3)),
        Case("all of them", lambda rng: _met(rng, stride=3, padding=2, dilation=2), hidden=True),
        Case("one picture", lambda rng: _met(rng, count=1, stride=2), hidden=True),
    ),
    hint="At every place a weight meets one number of the patch. Multiply it with the gradient of "
    "that place, and add up over the places and over the batch.",
    mistakes=(
        Mistake(
            name="mean_over_the_batch",
            why="You averaged over the pictures; the same weight serves all of them, and each use "
            "adds to its gradient. A mean belongs into the loss.",
            change={"return grad.reshape": "return grad.div(len(input)).reshape"},
        ),
        Mistake(
            name="one_for_each_picture",
            why="You kept a gradient for each picture; all of them pass through the same weight, "
            "so it gets the sum over the batch.",
            source="""
            def conv2d_weight_gradient(
                grad_output, input, kernel_size, *, stride=1, padding=0, dilation=1
            ):
                patches = unfold(
                    input, kernel_size, stride=stride, padding=padding, dilation=dilation
                )
                grad = torch.einsum("bfl,bpl->bfp", grad_output.flatten(2), patches)
                return grad.reshape(*grad.shape[:2], input.shape[1], *kernel_size)
            """,
        ),
        Mistake(
            name="mean_over_the_places",
            why="You averaged over the places; a shared weight gets the sum of what each of its "
            "uses asks for.",
            change={"return grad.reshape": "return grad.div(patches.shape[2]).reshape"},
        ),
        Mistake(
            name="flipped",
            why="The kernel's gradient came out flipped: only the gradient of the input needs a "
            "flip.",
            change={"*kernel_size)": "*kernel_size).flip(2, 3)"},
        ),
        Mistake(
            name="transposed_by_reshape",
            why="The product came out as (patch, filter), and `reshape` does not transpose: it "
            "deals the numbers out in the order in which they lie.",
            change={'->fp"': '->pf"', "grad.shape[0]": "grad.shape[1]"},
        ),
        Mistake(
            name="steps_forgotten",
            why="The padding did not reach `unfold` and the last patches were cut to fit, so every "
            "gradient meets the wrong patch.",
            source="""
            def conv2d_weight_gradient(
                grad_output, input, kernel_size, *, stride=1, padding=0, dilation=1
            ):
                patches = unfold(F.pad(input, [0, 2 * padding] * 2), kernel_size, stride=stride,
                                 dilation=dilation)
                grad = torch.einsum("bfl,bpl->fp", grad_output.flatten(2), patches)
                return grad.reshape(grad.shape[0], input.shape[1], *kernel_size)
            """,
        ),
    ),
    variants=(
        """
        def conv2d_weight_gradient(
            grad_output, input, kernel_size, *, stride=1, padding=0, dilation=1
        ):
            # the input, convolved with the gradient: stride and dilation change places
            x = F.pad(input, [padding] * 4).transpose(0, 1)
            grad = conv2d(x, grad_output.transpose(0, 1), stride=dilation, dilation=stride)
            tall, wide = kernel_size
            return grad.transpose(0, 1)[:, :, :tall, :wide]
        """,
        """
        def conv2d_weight_gradient(
            grad_output, input, kernel_size, *, stride=1, padding=0, dilation=1
        ):
            tall, wide = kernel_size
            rows, columns = grad_output.shape[2:]
            x = F.pad(input, [padding] * 4)
            grad = input.new_zeros(grad_output.shape[1], input.shape[1], tall, wide)
            for u in range(tall):
                for v in range(wide):
                    met = x[:, :, u * dilation :: stride, v * dilation :: stride]
                    met = met[:, :, :rows, :columns]
                    grad[:, :, u, v] = torch.einsum("bfij,bcij->fc", grad_output, met)
            return grad
        """,
    ),
    forbidden=("torch.nn.grad.conv2d_weight", *CONVOLUTION, *PATCHES, *AUTOGRAD),
    needs=("output_size", "unfold", "conv2d"),
)


def _met(rng, *, count=2, filters=5, **steps):
    drawn = _back(rng, filters=filters, **steps)
    return {
        "grad_output": drawn["grad_output"][:count],
        "input": rng.standard_normal((count, 3, 7, 11)),
        "kernel_size": [3, 2],
        **steps,
    }


# max_pool2d

MAX_POOL2D = Exercise(
    symbol="max_pool2d",
    title="Max pooling, and whom it thanks",
    section="pooling",
    cases=(
        Case("windows of 2×2", lambda rng: _map(rng, 2), 2, grad=("input",)),
        Case("after a ReLU", lambda rng: _rectified(rng, 2), 2, grad=("input",)),
        Case("windows of 3×3", lambda rng: _map(rng, 3), grad=("input",)),
        Case("overlapping windows", lambda rng: _map(rng, 3, stride=2), grad=("input",)),
        Case("windows with gaps", lambda rng: _map(rng, 2, stride=3), grad=("input",), hidden=True),
        Case("a window of one", lambda rng: _map(rng, 1), hidden=True),
        Case("equal everywhere", lambda rng: _flat(rng), grad=("input",), hidden=True),
    ),
    hint="Let `unfold` make one column per window, with every channel as a picture of its own; "
    "`argmax` takes the first of equals, and `gather` fetches it.",
    mistakes=(
        Mistake(
            name="ties_shared",
            why="The values are right, but `amax` divides the gradient evenly among equals; here "
            "the first takes it all. After a ReLU windows full of zeros are common.",
            change={
                "windows.gather(1, largest)": "windows.amax(dim=1, keepdim=True)",
            },
        ),
        Mistake(
            name="last_of_equals",
            why="Of equal numbers the last one got the gradient; the first should, row by row.",
            change={
                "largest = windows.argmax(dim=1, keepdim=True)": (
                    "windows = windows.flip(1)\n    largest = windows.argmax(dim=1, keepdim=True)"
                )
            },
        ),
        Mistake(
            name="stride_one",
            why="Without a stride the windows lie side by side; you moved them by one pixel, so "
            "the picture hardly gets smaller.",
            change={"stride = stride or kernel_size": "stride = stride or 1"},
        ),
        Mistake(
            name="averaged",
            why="You averaged the window; the maximum keeps the strongest answer and forgets the "
            "rest.",
            change={"windows.gather(1, largest)": "windows.mean(dim=1)"},
        ),
        Mistake(
            name="over_the_channels",
            why="The maximum was taken over all channels of a window, and each of them got it; a "
            "channel is pooled by itself.",
            source="""
            def max_pool2d(input, kernel_size, *, stride=None):
                stride = stride or kernel_size
                rows = output_size(input.shape[2], kernel_size, stride=stride)
                windows = unfold(input, (kernel_size, kernel_size), stride=stride)
                largest = windows.argmax(dim=1, keepdim=True)
                pooled = windows.gather(1, largest).reshape(len(input), 1, rows, -1)
                return pooled.expand(-1, input.shape[1], -1, -1).clone()
            """,
        ),
        Mistake(
            name="largest_absolute_value",
            why="You took the number of largest size, whatever its sign; −5 is smaller than 1.",
            change={"windows.argmax": "windows.abs().argmax"},
        ),
        Mistake(
            name="rest_pooled_too",
            why="Rows and columns that do not fill a window are dropped; you pooled them as well, "
            "and the result is larger.",
            source="""
            def max_pool2d(input, kernel_size, *, stride=None):
                stride = stride or kernel_size
                height, width = input.shape[2:]
                input = F.pad(
                    input,
                    (0, (kernel_size - width) % stride, 0, (kernel_size - height) % stride),
                    value=-math.inf,
                )
                rows = output_size(input.shape[2], kernel_size, stride=stride)
                pictures = input.flatten(0, 1).unsqueeze(1)
                windows = unfold(pictures, (kernel_size, kernel_size), stride=stride)
                largest = windows.argmax(dim=1, keepdim=True)
                return windows.gather(1, largest).reshape(*input.shape[:2], rows, -1)
            """,
        ),
    ),
    variants=(
        """
        def max_pool2d(input, kernel_size, *, stride=None):
            step = kernel_size if stride is None else stride
            windows = input.unfold(2, kernel_size, step).unfold(3, kernel_size, step).flatten(4)
            order = torch.arange(windows.shape[-1], 0, -1)
            first = ((windows == windows.amax(-1, keepdim=True)) * order).argmax(-1)
            chosen = F.one_hot(first, windows.shape[-1]).to(input.dtype)
            return (windows * chosen).sum(-1)
        """,
        """
        def max_pool2d(input, kernel_size, *, stride=None):
            stride = stride or kernel_size
            rows = (input.shape[2] - kernel_size) // stride + 1
            columns = (input.shape[3] - kernel_size) // stride + 1
            best = None
            for u in range(kernel_size):
                for v in range(kernel_size):
                    seen = input[:, :, u : u + stride * rows : stride]
                    seen = seen[:, :, :, v : v + stride * columns : stride]
                    best = seen if best is None else torch.where(seen > best, seen, best)
            return best.clone()
        """,
    ),
    forbidden=(
        "F.max_pool2d",
        "torch.max_pool2d",
        "F.max_pool2d_with_indices",
        "nn.MaxPool2d",
        "F.adaptive_max_pool2d",
        "nn.AdaptiveMaxPool2d",
        *PATCHES,
    ),
    needs=("output_size", "unfold"),
)


def _map(rng, kernel_size, **steps):
    return {
        "input": rng.standard_normal((2, 3, 5, 7)) - 0.5,
        "kernel_size": kernel_size,
        **steps,
    }


def _rectified(rng, kernel_size):
    drawn = _map(rng, kernel_size)
    return {**drawn, "input": np.maximum(drawn["input"], 0.0)}


def _flat(rng):
    return {"input": np.full((1, 2, 5, 4), rng.standard_normal()), "kernel_size": 2}


# avg_pool2d

AVG_POOL2D = Exercise(
    symbol="avg_pool2d",
    title="Average pooling",
    section="pooling",
    cases=(
        Case("windows of 2×2", lambda rng: _map(rng, 2), 2, grad=("input",)),
        Case("windows of 3×3", lambda rng: _map(rng, 3), grad=("input",)),
        Case("overlapping windows", lambda rng: _map(rng, 3, stride=2), grad=("input",)),
        Case("a window of one", lambda rng: _map(rng, 1), hidden=True),
        Case("windows with gaps", lambda rng: _map(rng, 2, stride=3), grad=("input",), hidden=True),
    ),
    hint="This one is linear. Which kernel, and how many groups, make your `conv2d` do it?",
    mistakes=(
        Mistake(
            name="sum_for_mean",
            why="The window is summed up; divide by its pixels, or the numbers grow from layer to "
            "layer.",
            change={"1 / kernel_size**2": "1.0"},
        ),
        Mistake(
            name="one_side_for_area",
            why="A window of k × k has k² pixels; you divided by k.",
            change={"1 / kernel_size**2": "1 / kernel_size"},
        ),
        Mistake(
            name="stride_one",
            why="Without a stride the windows lie side by side; you moved them by one pixel.",
            change={"stride or kernel_size": "stride or 1"},
        ),
        Mistake(
            name="channels_mixed",
            why="Without groups each filter adds up the windows of all channels; a channel is "
            "pooled by itself, with a group for each.",
            source="""
            def avg_pool2d(input, kernel_size, *, stride=None):
                channels = input.shape[1]
                shape = channels, channels, kernel_size, kernel_size
                kernel = input.new_full(shape, 1 / kernel_size**2)
                return conv2d(input, kernel, stride=stride or kernel_size)
            """,
        ),
        Mistake(
            name="maximum",
            why="That is max pooling: it keeps the largest number and drops the others, while the "
            "average hears all of them.",
            source="""
            def avg_pool2d(input, kernel_size, *, stride=None):
                return max_pool2d(input, kernel_size, stride=stride)
            """,
        ),
    ),
    variants=(
        """
        def avg_pool2d(input, kernel_size, *, stride=None):
            step = stride or kernel_size
            return input.unfold(2, kernel_size, step).unfold(3, kernel_size, step).mean((-1, -2))
        """,
        """
        def avg_pool2d(input, kernel_size, *, stride=None):
            stride = stride or kernel_size
            sums = F.pad(input.cumsum(2).cumsum(3), (1, 0, 1, 0))  # over everything above and left
            k = kernel_size
            total = sums[:, :, k:, k:] - sums[:, :, :-k, k:] - sums[:, :, k:, :-k]
            total = total + sums[:, :, :-k, :-k]
            return total[:, :, ::stride, ::stride] / (k * k)
        """,
    ),
    forbidden=(
        "F.avg_pool2d",
        "nn.AvgPool2d",
        "F.adaptive_avg_pool2d",
        "nn.AdaptiveAvgPool2d",
        "F.interpolate",
        *CONVOLUTION,
    ),
    needs=("output_size", "unfold", "conv2d", "max_pool2d"),
)


# conv2d_cost

CONV2D_COST = Exercise(
    symbol="conv2d_cost",
    title="What sharing saves",
    section="sharing",
    cases=(
        Case("one channel", lambda rng: _cost(rng, 1)),
        Case("several channels", lambda rng: _cost(rng, 3), 2),
        Case("stride and padding", lambda rng: _cost(rng, 3, stride=2, padding=2)),
        Case("groups", lambda rng: _cost(rng, 6, groups=3, filters=9)),
        Case("all of them", lambda rng: _cost(rng, 4, groups=2, filters=6, stride=3), hidden=True),
        Case("a kernel of one", lambda rng: _cost(rng, 5, kernel_size=1), hidden=True),
    ),
    hint="How many weights has one filter? Every weight is used once at every place.",
    mistakes=(
        Mistake(
            name="bias_not_counted",
            why="Each filter has one more parameter: its bias.",
            change={"return weights + out_channels": "return weights"},
        ),
        Mistake(
            name="bias_at_every_place",
            why="The bias is shared as the weights are: one number per filter, whatever the size "
            "of the picture.",
            change={"return weights + out_channels": "return weights + out_channels * places"},
        ),
        Mistake(
            name="one_axis",
            why="The kernel has places along both axes; you counted those of one.",
            change={"padding=padding) ** 2": "padding=padding)"},
        ),
        Mistake(
            name="places_of_the_input",
            why="You counted a place for every pixel of the input; there is one for every pixel of "
            "the *output*, as `output_size` says.",
            change={
                "output_size(size, kernel_size, stride=stride, padding=padding) ** 2": "size**2"
            },
        ),
        Mistake(
            name="groups_ignored",
            why="With groups a filter sees only its part of the channels: in_channels / groups.",
            change={"(in_channels // groups)": "in_channels"},
        ),
        Mistake(
            name="operations_twice",
            why="Here a multiplication and the addition that follows count as one multiply-add; "
            "you counted two operations.",
            change={"weights * places": "2 * weights * places"},
        ),
        Mistake(
            name="bias_multiplied",
            why="The biases are only added; they cause no multiplication.",
            change={"weights * places": "(weights + out_channels) * places"},
        ),
    ),
    variants=(
        """
        def conv2d_cost(
            in_channels, out_channels, kernel_size, *, size, stride=1, padding=0, groups=1
        ):
            per_output = kernel_size * kernel_size * in_channels // groups
            side = (size + 2 * padding - kernel_size) // stride + 1
            return out_channels * (per_output + 1), side * side * out_channels * per_output
        """,
        """
        def conv2d_cost(
            in_channels, out_channels, kernel_size, *, size, stride=1, padding=0, groups=1
        ):
            weight = torch.zeros(out_channels, in_channels // groups, kernel_size, kernel_size)
            picture = torch.zeros(1, in_channels, size, size)
            steps = {"stride": stride, "padding": padding, "groups": groups}
            output = conv2d(picture, weight, **steps)
            parameters = weight.numel() + len(weight)
            return parameters, output[0, 0].numel() * weight.numel()
        """,
    ),
    needs=("output_size", "unfold", "conv2d"),
)


def _cost(rng, channels, *, filters=7, kernel_size=3, **steps):
    return {
        "in_channels": channels,
        "out_channels": filters,
        "kernel_size": kernel_size,
        "size": 12 + int(rng.integers(5)),
        **steps,
    }


# receptive_field

RECEPTIVE_FIELD = Exercise(
    symbol="receptive_field",
    title="How far an output sees",
    section="receptive-field",
    cases=(
        Case("three layers of stride 1", lambda rng: _stack(rng, [(3, 1, 1)] * 3)),
        Case("stride first", lambda rng: _stack(rng, [(5, 2, 1), (3, 1, 1)]), 2),
        Case("convolutions and pooling", lambda rng: _stack(rng, [(3, 1, 1), (2, 2, 1)] * 3), 2),
        Case("dilation", lambda rng: _stack(rng, [(3, 1, 1), (3, 1, 2), (3, 1, 4)])),
        Case("everything", lambda rng: _stack(rng, [(5, 3, 2), (3, 2, 3)]), hidden=True),
        Case("no layer", lambda rng: {"layers": []}, hidden=True),
    ),
    hint="Neighboring weights of a layer lie `dilation` of *its* inputs apart. How many pixels is "
    "one of these? That is the jump so far, before this layer's own stride.",
    mistakes=(
        Mistake(
            name="jump_updated_first",
            why="The stride of a layer spreads its outputs, so it counts for the layers after it; "
            "you multiplied before adding this layer's share.",
            source="""
            def receptive_field(layers):
                field, jump = 1, 1
                for kernel_size, stride, dilation in layers:
                    jump *= stride
                    field += (kernel_size - 1) * dilation * jump
                return field, jump
            """,
        ),
        Mistake(
            name="jump_ignored",
            why="After a stride one step is several pixels, so later layers see further; you added "
            "k − 1 pixels for each.",
            change={"* dilation * jump": "* dilation"},
        ),
        Mistake(
            name="kernels_added",
            why="The first weight looks at a pixel that counts already; a kernel adds k − 1 "
            "pixels.",
            change={"(kernel_size - 1)": "kernel_size"},
        ),
        Mistake(
            name="dilation_ignored",
            why="With dilation d the weights lie d apart, so a kernel reaches d (k − 1) further.",
            change={"* dilation ": ""},
        ),
        Mistake(
            name="strides_added",
            why="Strides multiply: every second of every second pixel is every fourth.",
            change={"jump *= stride": "jump += stride - 1"},
        ),
        Mistake(
            name="started_at_zero",
            why="Before any layer an output is a pixel, and it sees one: itself.",
            change={"field, jump = 1, 1": "field, jump = 0, 1"},
        ),
    ),
    variants=(
        """
        def receptive_field(layers):
            field = 1
            jump = 1
            for kernel_size, stride, dilation in reversed(list(layers)):  # from the output down
                field = (field - 1) * stride + dilation * (kernel_size - 1) + 1
                jump = jump * stride
            return field, jump
        """,
        """
        def receptive_field(layers):
            strides = [stride for _, stride, _ in layers]
            jumps = [math.prod(strides[:n]) for n in range(len(layers) + 1)]
            reach = [(k - 1) * d * jump for (k, _, d), jump in zip(layers, jumps, strict=False)]
            return 1 + sum(reach), jumps[-1]
        """,
    ),
)


def _stack(rng, layers):
    """These layers and one more, in which the kernel is drawn."""
    return {"layers": [*map(list, layers), [int(rng.integers(3, 9)), 2, 1]]}


# Conv2d

CONV2D_MODULE = Exercise(
    symbol="Conv2d",
    title="Convolution as a layer",
    section="as-a-layer",
    cases=(
        Case("three channels, five filters", lambda rng: _module(rng), 2, grad=("x",)),
        Case("no bias", lambda rng: _module(rng, bias=False), grad=("x",)),
        Case("every setting", lambda rng: _module(rng, **settings(2, 1, 2)), grad=("x",)),
        Case("groups", lambda rng: _module(rng, 6, 9, groups=3), grad=("x",)),
        Case("a kernel of one", lambda rng: _module(rng, size=1), hidden=True),
        Case("everything", lambda rng: _module(rng, 4, 2, groups=2, padding=2), hidden=True),
    ),
    hint="Keep the settings in `__init__`, register weight and bias as parameters, and let your "
    "`conv2d` do the work. `self.bias = None` says that there is none.",
    mistakes=(
        Mistake(
            name="channels_swapped",
            why="Filters come first in the weight, (out_channels, in_channels / groups, ...), as "
            "in `nn.Conv2d`; the other way round no saved parameters fit.",
            change={
                "shape = out_channels, in_channels // groups,": (
                    "shape = in_channels // groups, out_channels,"
                )
            },
        ),
        Mistake(
            name="full_depth_with_groups",
            why="With groups each filter sees in_channels / groups channels, and its weight has no "
            "more than that.",
            change={"in_channels // groups": "in_channels"},
        ),
        Mistake(
            name="settings_forgotten",
            why="Stride, padding and dilation were taken in the constructor and never used.",
            change={", **self.steps": ""},
        ),
        Mistake(
            name="bias_always",
            why="`bias=False` was not heeded: there is a bias all the same.",
            change={"_parameters(shape, bias, device)": "_parameters(shape, True, device)"},
        ),
        Mistake(
            name="bias_not_used",
            why="The bias is there but `forward` does not add it, so it never learns.",
            change={"self.weight, self.bias, groups": "self.weight, groups"},
        ),
        Mistake(
            name="bias_per_kernel",
            why="The bias was given axes of length 1 so that it broadcasts; as a parameter it is "
            "(out_channels,), or no saved parameters fit.",
            change={
                "self.weight, self.bias = _parameters(shape, bias, device)": (
                    "self.weight, self.bias = _parameters(shape, bias, device)\n"
                    "        if bias:\n"
                    "            self.bias = nn.Parameter(self.bias.data[:, None, None])"
                ),
                "self.weight, self.bias, groups": (
                    "self.weight, None if self.bias is None else self.bias.flatten(), groups"
                ),
            },
        ),
    ),
    variants=(
        """
        class Conv2d(nn.Module):
            def __init__(
                self,
                in_channels,
                out_channels,
                *,
                kernel_size,
                stride=1,
                padding=0,
                dilation=1,
                groups=1,
                bias=True,
                device=None,
            ):
                super().__init__()
                self.stride, self.padding = stride, padding
                self.dilation, self.groups = dilation, groups
                size = (out_channels, in_channels // groups, kernel_size, kernel_size)
                self.weight = nn.Parameter(0.1 * torch.randn(size, device=device))
                if bias:
                    self.bias = nn.Parameter(torch.zeros(out_channels, device=device))
                else:
                    self.register_parameter("bias", None)

            def forward(self, x):
                y = conv2d(
                    x,
                    self.weight,
                    stride=self.stride,
                    padding=self.padding,
                    dilation=self.dilation,
                    groups=self.groups,
                )
                return y if self.bias is None else y + self.bias.view(-1, 1, 1)
        """,
        """
        class Conv2d(nn.Module):
            def __init__(self, in_channels, out_channels, *, kernel_size, bias=True, groups=1,
                         device=None, **steps):
                super().__init__()
                self.kernel_size, self.groups, self.steps = kernel_size, groups, steps
                self.weight = nn.Parameter(
                    torch.ones(out_channels, in_channels // groups, kernel_size, kernel_size)
                )
                self.bias = nn.Parameter(torch.ones(out_channels)) if bias else None

            def forward(self, x):
                k = self.kernel_size
                parts = [
                    torch.einsum("bpl,fp->bfl", unfold(part, (k, k), **self.steps), w.flatten(1))
                    for part, w in zip(
                        x.chunk(self.groups, 1), self.weight.chunk(self.groups, 0), strict=True
                    )
                ]
                y = torch.cat(parts, dim=1)
                if self.bias is not None:
                    y = y + self.bias[:, None]
                rows = output_size(x.shape[2], k, **self.steps)
                return y.reshape(len(x), -1, rows, y.shape[2] // rows)
        """,
    ),
    forbidden=(*CONVOLUTION, *PATCHES),
    needs=("output_size", "unfold", "conv2d"),
)


def _module(rng, channels=3, filters=5, *, size=3, groups=1, bias=True, **steps):
    state = {"weight": rng.standard_normal((filters, channels // groups, size, size))}
    if bias:
        state["bias"] = 1.0 + rng.standard_normal(filters)
    return Call(
        init={
            "in_channels": channels,
            "out_channels": filters,
            "kernel_size": size,
            "groups": groups,
            "bias": bias,
            **steps,
        },
        state=state,
        args={"x": rng.standard_normal((2, channels, 7, 5))},
    )


# LeNet

LENET = Exercise(
    symbol="LeNet",
    title="LeNet",
    section="lenet",
    cases=(
        Case("digits of 8×8", lambda rng: _lenet(rng), 3, grad=("x",)),
        Case(
            "other sizes",
            lambda rng: _lenet(rng, count=2, channels=2, classes=3, size=11),
            grad=("x",),
        ),
        Case("a single picture", lambda rng: _lenet(rng, count=1, size=5), hidden=True),
        Case("three channels", lambda rng: _lenet(rng, channels=3, classes=7), hidden=True),
    ),
    hint="Pooling halves the picture and rounds down, twice. Then `flatten(1)` lays the channels "
    "out one after another. A ReLU follows every layer but the last: scores can be any number.",
    mistakes=(
        Mistake(
            name="no_relu_between_convolutions",
            why="Without a ReLU, a convolution is followed by what is linear but for the maximum; "
            "the first layer can then hardly tell bright from dark.",
            change={"self.conv1(x).relu()": "self.conv1(x)"},
        ),
        Mistake(
            name="no_relu_after_the_second_convolution",
            why="After the second convolution the ReLU is missing, so negative answers reach the "
            "dense layers.",
            change={"self.conv2(x).relu()": "self.conv2(x)"},
        ),
        Mistake(
            name="no_relu_after_the_first_dense_layer",
            why="The first dense layer has no ReLU, so it and the second are one linear map.",
            change={"self.fc1(x.flatten(1)).relu()": "self.fc1(x.flatten(1))"},
        ),
        Mistake(
            name="relu_on_the_scores",
            why="A ReLU at the end makes all negative scores 0, and a class that is at 0 gets no "
            "gradient; scores can be any number.",
            change={"self.fc3(self.fc2(x).relu())": "self.fc3(self.fc2(x).relu()).relu()"},
        ),
        Mistake(
            name="softmax_in_the_model",
            why="`forward` returns scores; the loss contains the softmax.",
            change={"self.fc3(self.fc2(x).relu())": "self.fc3(self.fc2(x).relu()).softmax(dim=-1)"},
        ),
        Mistake(
            name="average_pooling",
            why="The pictures are averaged where the docstring says max pooling; the original "
            "network did so, with weights of its own.",
            change={
                "max_pool2d(self.conv1(x).relu(), 2)": "avg_pool2d(self.conv1(x).relu(), 2)",
                "max_pool2d(self.conv2(x).relu(), 2)": "avg_pool2d(self.conv2(x).relu(), 2)",
            },
        ),
        Mistake(
            name="flattened_pixel_by_pixel",
            why="The features went into the dense layer pixel by pixel; they are ordered channel "
            "after channel, which is what `flatten(1)` gives.",
            change={"x.flatten(1)": "x.movedim(1, -1).flatten(1)"},
        ),
        Mistake(
            name="no_relu_after_the_second_dense_layer",
            why="The second dense layer has no ReLU, so it and the third are one linear map.",
            change={"self.fc2(x).relu()": "self.fc2(x)"},
        ),
        Mistake(
            name="no_padding",
            why="Without padding the picture loses its border to each convolution, so the first "
            "dense layer would need another size.",
            change={
                "Conv2d(in_channels, channels[0], kernel_size=3, padding=1,": (
                    "Conv2d(in_channels, channels[0], kernel_size=3,"
                ),
                "Conv2d(channels[0], channels[1], kernel_size=3, padding=1,": (
                    "Conv2d(channels[0], channels[1], kernel_size=3,"
                ),
                "(size // 4) ** 2": "(((size - 2) // 2 - 2) // 2) ** 2",
            },
        ),
    ),
    variants=(
        """
        class LeNet(nn.Module):
            def __init__(self, in_channels=1, classes=10, *, size=8, channels=(6, 16),
                         hidden=(120, 84), device=None):
                super().__init__()
                self.conv1 = nn.Conv2d(in_channels, channels[0], 3, padding=1, device=device)
                self.conv2 = nn.Conv2d(channels[0], channels[1], 3, padding=1, device=device)
                side = size // 2 // 2
                self.fc1 = nn.Linear(channels[1] * side * side, hidden[0], device=device)
                self.fc2 = nn.Linear(*hidden, device=device)
                self.fc3 = nn.Linear(hidden[1], classes, device=device)

            def forward(self, x):
                for conv in (self.conv1, self.conv2):
                    x = F.relu(F.max_pool2d(conv(x), 2))  # the order does not matter
                x = torch.flatten(x, 1)
                for layer in (self.fc1, self.fc2):
                    x = F.relu(layer(x))
                return self.fc3(x)
        """,
        """
        class LeNet(nn.Module):
            def __init__(self, in_channels=1, classes=10, *, size=8, channels=(6, 16),
                         hidden=(120, 84), device=None):
                super().__init__()
                first, second = channels
                self.conv1 = Conv2d(in_channels, first, kernel_size=3, device=device)
                self.conv2 = Conv2d(first, second, kernel_size=3, device=device)
                self.fc1 = nn.Linear(second * (size // 4) * (size // 4), hidden[0], device=device)
                self.fc2 = nn.Linear(hidden[0], hidden[1], device=device)
                self.fc3 = nn.Linear(hidden[1], classes, device=device)

            def forward(self, x):
                x = self.conv1(F.pad(x, (1, 1, 1, 1))).clamp(min=0)
                x = self.conv2(F.pad(F.max_pool2d(x, 2), (1, 1, 1, 1))).clamp(min=0)
                x = F.max_pool2d(x, 2).reshape(len(x), -1)
                return self.fc3(self.fc2(self.fc1(x).clamp(min=0)).clamp(min=0))
        """,
    ),
    needs=("output_size", "unfold", "conv2d", "max_pool2d", "avg_pool2d", "Conv2d"),
)


def _dense(rng, name, inputs, outputs):
    return {
        f"{name}.weight": rng.standard_normal((outputs, inputs)) / np.sqrt(inputs),
        f"{name}.bias": 0.3 * rng.standard_normal(outputs),
    }


def _filters(rng, name, channels, filters, size=3, *, bias=True):
    shape = (filters, channels, size, size)
    state = {f"{name}.weight": rng.standard_normal(shape) / np.sqrt(channels * size)}
    return {**state, f"{name}.bias": 0.3 * rng.standard_normal(filters)} if bias else state


def _lenet(rng, *, count=3, channels=1, classes=11, size=8):
    state = {
        **_filters(rng, "conv1", channels, 2),
        **_filters(rng, "conv2", 2, 3),
        **_dense(rng, "fc1", 3 * (size // 4) ** 2, 13),
        **_dense(rng, "fc2", 13, 7),
        **_dense(rng, "fc3", 7, classes),
    }
    return Call(
        init={
            "in_channels": channels,
            "classes": classes,
            "size": size,
            "channels": [2, 3],
            "hidden": [13, 7],
        },
        state=state,
        args={"x": rng.standard_normal((count, channels, size, size))},
    )


# ResidualBlock

RESIDUAL_BLOCK = Exercise(
    symbol="ResidualBlock",
    title="A block that adds to its input",
    section="residual",
    cases=(
        Case("same shape", lambda rng: _block(rng, 3, 3), 2, grad=("x",)),
        Case(
            "fewer pixels, more channels", lambda rng: _block(rng, 3, 5, stride=2), 2, grad=("x",)
        ),
        Case("more channels alone", lambda rng: _block(rng, 3, 5), grad=("x",)),
        Case("fewer pixels alone", lambda rng: _block(rng, 3, 3, stride=2), grad=("x",)),
        Case("while training", lambda rng: _block(rng, 3, 3, training=True), grad=("x",)),
        Case("a plain block", lambda rng: _block(rng, 3, 5, stride=2, residual=False)),
        Case(
            "a plain block, same shape", lambda rng: _block(rng, 2, 2, residual=False), hidden=True
        ),
        Case(
            "training, other shape",
            lambda rng: _block(rng, 2, 5, stride=3, training=True),
            grad=("x",),
            hidden=True,
        ),
    ),
    hint="Compute f(x) up to its second batch norm, add the input (or its shortcut), and only then "
    "the last ReLU.",
    mistakes=(
        Mistake(
            name="added_after_the_relu",
            why="The ReLU was applied to f(x) before the sum, so the block can only ever add and "
            "never take away.",
            change={
                "change = self.norm2(self.conv2(change))": (
                    "change = self.norm2(self.conv2(change)).relu()"
                ),
                "return change.relu()": "return change",
            },
        ),
        Mistake(
            name="no_last_relu",
            why="The ReLU after the sum is missing.",
            change={"return change.relu()": "return change"},
        ),
        Mistake(
            name="no_relu_inside",
            why="Without a ReLU between them the two convolutions are one linear map.",
            change={"self.norm1(self.conv1(x)).relu()": "self.norm1(self.conv1(x))"},
        ),
        Mistake(
            name="input_never_added",
            why="The input is not added: the block is plain, and a deep stack of those trains "
            "badly.",
            change={"change = change + (x if self.shortcut is None else self.shortcut(x))": "pass"},
        ),
        Mistake(
            name="stride_in_the_second_convolution",
            why="The stride belongs to the first convolution; the shapes are the same with it in "
            "the second, the numbers are not.",
            change={
                "Conv2d(in_channels, out_channels, stride=stride, **plain)": (
                    "Conv2d(in_channels, out_channels, **plain)"
                ),
                "Conv2d(out_channels, out_channels, **plain)": (
                    "Conv2d(out_channels, out_channels, stride=stride, **plain)"
                ),
            },
        ),
        Mistake(
            name="activation_added",
            why="What is added is x itself; you added what the first convolution made of it, so "
            "there is no way around that layer.",
            change={
                "change = self.norm2(self.conv2(change))": (
                    "first, change = change, self.norm2(self.conv2(change))"
                ),
                "(x if self.shortcut is None": "(first if self.shortcut is None",
            },
        ),
        Mistake(
            name="shortcut_always",
            why="A block that keeps the shape has no shortcut layer: its input passes unchanged.",
            change={
                "if residual and (stride != 1 or in_channels != out_channels):": "if residual:"
            },
        ),
        Mistake(
            name="shortcut_for_channels_alone",
            why="A stride changes the shape as well, so a shortcut is needed even if the channels "
            "stay.",
            change={"(stride != 1 or in_channels != out_channels)": "in_channels != out_channels"},
        ),
        Mistake(
            name="shortcut_without_stride",
            why="The shortcut needs the stride of the first convolution, or the two pictures "
            "differ in size and cannot be added.",
            change={'"kernel_size": 1, "stride": stride,': '"kernel_size": 1,'},
        ),
        Mistake(
            name="sum_normalized",
            why="The second batch norm is a part of f; you added first and normalized the sum, so "
            "the input no longer passes unchanged.",
            change={
                "change = self.norm2(self.conv2(change))": "change = self.conv2(change)",
                "return change.relu()": "return self.norm2(change).relu()",
            },
        ),
        Mistake(
            name="one_norm_for_both",
            why="Both convolutions share one batch norm; the second has one of its own.",
            change={"self.norm2(self.conv2": "self.norm1(self.conv2"},
        ),
    ),
    variants=(
        """
        class ResidualBlock(nn.Module):
            def __init__(
                self, in_channels, out_channels, *, stride=1, residual=True, device=None
            ):
                super().__init__()
                self.conv1 = nn.Conv2d(in_channels, out_channels, 3, stride, 1, bias=False)
                self.norm1 = nn.BatchNorm2d(out_channels)
                self.conv2 = nn.Conv2d(out_channels, out_channels, 3, 1, 1, bias=False)
                self.norm2 = nn.BatchNorm2d(out_channels)
                self.residual = residual
                if residual:
                    same = stride == 1 and in_channels == out_channels
                    self.shortcut = (
                        nn.Identity()
                        if same
                        else nn.Conv2d(in_channels, out_channels, 1, stride, bias=False)
                    )

            def forward(self, x):
                y = F.relu(self.norm1(self.conv1(x)))
                y = self.norm2(self.conv2(y))
                return F.relu(self.shortcut(x) + y) if self.residual else F.relu(y)
        """,
        """
        class ResidualBlock(nn.Module):
            def __init__(
                self, in_channels, out_channels, *, stride=1, residual=True, device=None
            ):
                super().__init__()
                sizes = {"padding": 1, "kernel_size": 3, "bias": False}
                self.conv1 = Conv2d(in_channels, out_channels, stride=stride, **sizes)
                self.norm1 = nn.BatchNorm2d(out_channels)
                self.conv2 = Conv2d(out_channels, out_channels, **sizes)
                self.norm2 = nn.BatchNorm2d(out_channels)
                self.stride, self.residual = stride, residual
                self.shortcut = None
                if residual and (stride > 1 or in_channels != out_channels):
                    self.shortcut = Conv2d(in_channels, out_channels, kernel_size=1, bias=False)

            def forward(self, x):
                y = self.norm2(self.conv2(self.norm1(self.conv1(x)).clamp(min=0)))
                if self.shortcut is not None:  # take the pixels first, then mix the channels
                    y = y + self.shortcut(x[:, :, :: self.stride, :: self.stride])
                elif self.residual:
                    y = y + x
                return y.clamp(min=0)
        """,
    ),
    needs=("output_size", "unfold", "conv2d", "Conv2d"),
)


def _norm(rng, name, channels):
    return {
        f"{name}.weight": 1.0 + 0.3 * rng.standard_normal(channels),
        f"{name}.bias": 0.5 * rng.standard_normal(channels),
        f"{name}.running_mean": 0.5 * rng.standard_normal(channels),
        f"{name}.running_var": 0.5 + rng.random(channels),
        f"{name}.num_batches_tracked": np.array(3),
    }


def _block_state(rng, inside, outside, *, stride=1, residual=True, prefix=""):
    state = {
        **_filters(rng, "conv1", inside, outside, bias=False),
        **_norm(rng, "norm1", outside),
        **_filters(rng, "conv2", outside, outside, bias=False),
        **_norm(rng, "norm2", outside),
    }
    if residual and (stride != 1 or inside != outside):
        state |= _filters(rng, "shortcut", inside, outside, 1, bias=False)
    return {f"{prefix}{name}": value for name, value in state.items()}


def _block(rng, inside, outside, *, training=False, **kind):
    return Call(
        init={"in_channels": inside, "out_channels": outside, **kind},
        state=_block_state(rng, inside, outside, **kind),
        args={"x": rng.standard_normal((2, inside, 5, 4))},
        training=training,
    )


# ResNet

RESNET = Exercise(
    symbol="ResNet",
    title="A residual network",
    section="resnet",
    cases=(
        Case("two stages", lambda rng: _resnet(rng), 3, grad=("x",)),
        Case("three stages of two blocks", lambda rng: _resnet(rng, (2, 3, 5), 2), 2, grad=("x",)),
        Case("while training", lambda rng: _resnet(rng, training=True), grad=("x",)),
        Case("without shortcuts", lambda rng: _resnet(rng, residual=False)),
        Case("a stage with the same channels", lambda rng: _resnet(rng, (2, 2))),
        Case("one stage", lambda rng: _resnet(rng, (3,), 3), hidden=True),
        Case("plain, two blocks", lambda rng: _resnet(rng, (2, 3), 2, residual=False), hidden=True),
    ),
    hint="Only the first block of a stage changes the channels, and only from the second stage on "
    "does it have stride 2. Averaging the last maps over rows and columns leaves (B, channels).",
    mistakes=(
        Mistake(
            name="stride_in_the_first_stage",
            why="The first stage works on the picture as it is; you halved it there already.",
            change={"stage > 0 and block == 0": "block == 0"},
        ),
        Mistake(
            name="stride_in_every_block",
            why="Every block of a stage has stride 2, so the picture shrinks with each of them; "
            "only the first block of a stage should do that.",
            change={"stage > 0 and block == 0": "stage > 0"},
        ),
        Mistake(
            name="stride_where_channels_change",
            why="Whether a block halves the picture depends on its place, not on its channels: "
            "the first block of every stage but the first does, even if the channels stay.",
            change={
                "2 if stage > 0 and block == 0 else 1": "2 if before != after else 1",
            },
        ),
        Mistake(
            name="norm_not_used",
            why="The batch norm after the first convolution is made and never used.",
            change={"self.norm(self.conv(x)).relu()": "self.conv(x).relu()"},
        ),
        Mistake(
            name="no_relu_after_the_first_norm",
            why="The ReLU between the first batch norm and the blocks is missing.",
            change={"self.norm(self.conv(x)).relu()": "self.norm(self.conv(x))"},
        ),
        Mistake(
            name="sum_for_average",
            why="The maps are summed up; the average keeps the scores the same for pictures of any "
            "size.",
            change={"x.mean(dim=(2, 3))": "x.sum(dim=(2, 3))"},
        ),
        Mistake(
            name="maximum_for_average",
            why="You took the largest number of each map; here it is the average.",
            change={"x.mean(dim=(2, 3))": "x.amax(dim=(2, 3))"},
        ),
        Mistake(
            name="always_residual",
            why="`residual=False` does not reach the blocks.",
            change={'"residual": residual, ': ""},
        ),
        Mistake(
            name="blocks_in_a_list",
            why="A Python list hides the blocks: their parameters are not listed, not trained and "
            "not saved. `nn.Sequential` or `nn.ModuleList` registers them.",
            change={
                "self.blocks = nn.Sequential(*made)": "self.blocks = made",
                "x = self.blocks(self.norm(self.conv(x)).relu())": (
                    "x = self.norm(self.conv(x)).relu()\n"
                    "        for block in self.blocks:\n"
                    "            x = block.double()(x)"
                ),
            },
        ),
    ),
    variants=(
        """
        class ResNet(nn.Module):
            def __init__(
                self,
                in_channels=1,
                classes=10,
                *,
                channels=(8, 16),
                blocks=1,
                residual=True,
                device=None,
            ):
                super().__init__()
                self.conv = nn.Conv2d(in_channels, channels[0], 3, padding=1, bias=False)
                self.norm = nn.BatchNorm2d(channels[0])
                widths = [width for width in channels for _ in range(blocks)]
                halving = range(blocks, len(widths), blocks)
                self.blocks = nn.ModuleList(
                    ResidualBlock(before, after, stride=1 + (n in halving), residual=residual)
                    for n, (before, after) in enumerate(zip([channels[0], *widths], widths))
                )
                self.fc = nn.Linear(channels[-1], classes)

            def forward(self, x):
                x = F.relu(self.norm(self.conv(x)))
                for block in self.blocks:
                    x = block(x)
                return self.fc(F.adaptive_avg_pool2d(x, 1).flatten(1))
        """,
        """
        class ResNet(nn.Module):
            def __init__(
                self,
                in_channels=1,
                classes=10,
                *,
                channels=(8, 16),
                blocks=1,
                residual=True,
                device=None,
            ):
                super().__init__()
                self.conv = Conv2d(in_channels, channels[0], kernel_size=3, padding=1, bias=False)
                self.norm = nn.BatchNorm2d(channels[0])
                stack = [
                    ResidualBlock(channels[0], channels[0], residual=residual)
                    for _ in range(blocks)
                ]
                for before, after in zip(channels, channels[1:], strict=False):
                    stack.append(ResidualBlock(before, after, stride=2, residual=residual))
                    for _ in range(blocks - 1):
                        stack.append(ResidualBlock(after, after, residual=residual))
                self.blocks = nn.Sequential(*stack)
                self.fc = nn.Linear(channels[-1], classes)

            def forward(self, x):
                maps = self.blocks(self.norm(self.conv(x)).clamp(min=0)).flatten(2)
                return self.fc(maps.sum(-1) / maps.shape[-1])
        """,
    ),
    needs=("output_size", "unfold", "conv2d", "Conv2d", "ResidualBlock"),
)


def _resnet(rng, channels=(2, 3), blocks=1, *, residual=True, training=False):
    state = {**_filters(rng, "conv", 2, channels[0], bias=False), **_norm(rng, "norm", channels[0])}
    before, index = channels[0], 0
    for stage, after in enumerate(channels):
        for block in range(blocks):
            stride = 2 if stage > 0 and block == 0 else 1
            prefix = f"blocks.{index}."
            kind = {"stride": stride, "residual": residual, "prefix": prefix}
            state |= _block_state(rng, before, after, **kind)
            before, index = after, index + 1
    state |= _dense(rng, "fc", before, 7)
    return Call(
        init={
            "in_channels": 2,
            "classes": 7,
            "channels": list(channels),
            "blocks": blocks,
            "residual": residual,
        },
        state=state,
        args={"x": rng.standard_normal((3, 2, 5, 4))},
        training=training,
    )


EXERCISES = (
    SHIFT,
    CORRELATE2D,
    OUTPUT_SIZE,
    UNFOLD,
    CONV2D,
    CONV2D_COST,
    CONV2D_MATRIX,
    CONV2D_INPUT_GRADIENT,
    CONV2D_WEIGHT_GRADIENT,
    MAX_POOL2D,
    AVG_POOL2D,
    RECEPTIVE_FIELD,
    CONV2D_MODULE,
    LENET,
    RESIDUAL_BLOCK,
    RESNET,
)
