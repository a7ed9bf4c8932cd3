"""Exercises on generative models: densities, fits by counting, Bayes' rule, samples, gaps."""

import numpy as np

from grader.exercise import Call, Case, Exercise, Mistake

B, C, D = 11, 5, 7


def log_shares(rng, classes=C):
    """Logarithms of probabilities, none of them very small."""
    shares = 0.2 + rng.random(classes)
    return np.log(shares / shares.sum())


def labels_of(rng, count, classes=C, each=2):
    """Labels in which every class occurs at least ``each`` times, in no order."""
    rest = rng.integers(classes, size=count - each * classes)
    return rng.permutation(np.concatenate([np.repeat(np.arange(classes), each), rest]))


def bits(rng, *shape):
    return (rng.random(shape) < 0.4).astype(float)


# log_prior

LOG_PRIOR = Exercise(
    symbol="log_prior",
    title="How common each class is",
    section="questions",
    cases=(
        Case("every class counted", lambda rng: _labels(rng, classes=C)),
        Case("smoothed", lambda rng: _labels(rng, classes=C, smoothing=1.5), 2),
        Case("no example of the last class", lambda rng: _labels(rng, classes=C + 1)),
        Case(
            "no example, smoothed",
            lambda rng: _labels(rng, classes=C + 2, smoothing=0.7),
            hidden=True,
        ),
    ),
    hint="`torch.bincount` counts; its `minlength` says how many classes there are.",
    tolerance=1e-4,  # the counts are divided in float32
    mistakes=(
        Mistake(
            name="smoothing_not_in_the_sum",
            why="The added examples count in the numerator but not in the total, so the "
            "probabilities sum to more than 1; each class adds α to the total as well.",
            change={"counts.sum()": "len(labels)"},
        ),
        Mistake(
            name="smoothing_once_in_the_sum",
            why="The total grew by α alone, but every one of the C classes has got α more "
            "examples, so the probabilities sum to more than 1.",
            change={"counts.sum()": "(len(labels) + smoothing)"},
        ),
        Mistake(
            name="smoothing_after_dividing",
            why="α was added to the frequencies instead of the counts; it stands for α more "
            "*examples*, whose weight fades as real ones come in.",
            change={
                "classes) + smoothing": "classes)",
                "return (counts / counts.sum()).log()": (
                    "shares = counts / counts.sum() + smoothing; "
                    "return (shares / shares.sum()).log()"
                ),
            },
        ),
        Mistake(
            name="classes_found_in_the_labels",
            why="The number of classes was taken from the labels; a class that happens to be "
            "missing from them is then missing from the result.",
            change={", minlength=classes": ""},
        ),
        Mistake(
            name="probabilities",
            why="The probabilities came back, not their logarithms; they are to be added to log "
            "densities.",
            change={".log()": ""},
        ),
        Mistake(
            name="all_equal",
            why="Every class got 1/C, whatever the labels say; that is what one believes before "
            "counting.",
            change={"(counts / counts.sum()).log()": "torch.ones(classes).log_softmax(0)"},
        ),
    ),
    variants=(
        """
        def log_prior(labels, *, classes, smoothing=0.0):
            counts = (labels[:, None] == torch.arange(classes)).sum(dim=0) + smoothing
            return torch.log(counts) - torch.log(torch.tensor(len(labels) + smoothing * classes))
        """,
        """
        def log_prior(labels, *, classes, smoothing=0.0):
            counts = torch.full((classes,), float(smoothing))
            counts.scatter_add_(0, labels, torch.ones(len(labels)))
            return torch.log_softmax(counts.log(), dim=0)
        """,
    ),
)


def _labels(rng, *, classes, smoothing=0.0):
    return {"labels": labels_of(rng, 31), "classes": classes, "smoothing": smoothing}


# gaussian_log_density

GAUSSIAN_LOG_DENSITY = Exercise(
    symbol="gaussian_log_density",
    title="A density with many factors",
    section="density",
    cases=(
        Case("a batch", lambda rng: _density(rng, B), 2, grad=("input", "mean", "variance")),
        Case("a single input", lambda rng: _density(rng), grad=("input",)),
        Case("one variance for all classes", lambda rng: _density(rng, B, rows=1)),
        Case("far away", lambda rng: _density(rng, B, scale=60.0)),
        Case("some features missing", lambda rng: _with_gaps(rng), 2),
        Case(
            "the same features missing everywhere",
            lambda rng: {**_density(rng, 2, 3), "observed": np.arange(D) % 3 > 0},
            hidden=True,
        ),
        Case(
            "narrow and wide",
            lambda rng: _density(rng, 2, 3, spread=1e3),
            grad=("mean", "variance"),
            hidden=True,
        ),
    ),
    hint="Give the input an axis for the classes: (..., 1, D) against (C, D). Compute the log of "
    "each factor, and add up the last axis.",
    mistakes=(
        Mistake(
            name="variance_taken_for_deviation",
            why="The distance was divided by s² instead of s: `variance` is the square of the "
            "deviation already.",
            change={".square() / variance": ".square() / variance.square()"},
        ),
        Mistake(
            name="normal_of_the_variance",
            why="The variance went where a deviation belongs, as in `Normal(mean, variance)`; s is "
            "its square already, so each width comes out squared, also in the normalizer.",
            change={
                ".square() / variance": ".square() / variance.square()",
                "2 * torch.pi * variance": "2 * torch.pi * variance.square()",
            },
        ),
        Mistake(
            name="no_normalizer",
            why="Without ln(2π s) a wide Gaussian costs nothing: it is never far from anything, "
            "and the class with the largest variances wins everywhere.",
            change={"squares + (2 * torch.pi * variance).log()": "squares + 0 * variance"},
        ),
        Mistake(
            name="two_pi_forgotten",
            why="The 2π is missing. Between classes it cancels, so the predictions stay the same; "
            "but the result is no density any more, it does not integrate to 1.",
            change={"2 * torch.pi * variance": "variance"},
        ),
        Mistake(
            name="log_of_variance_not_halved",
            why="The factor in front of a Gaussian is 1/√(2πs), whose logarithm is −½ ln(2πs); "
            "the ½ belongs to both terms.",
            change={
                "-0.5 * (squares + (2 * torch.pi * variance).log())": (
                    "-0.5 * squares - (2 * torch.pi * variance).log()"
                )
            },
        ),
        Mistake(
            name="multiplied_then_logged",
            why="The densities were multiplied and the logarithm was taken at the end. The "
            "product leaves the range of floating-point numbers long before its logarithm does: "
            "add logarithms instead.",
            change={"return terms.sum(dim=-1)": "return terms.exp().prod(dim=-1).log()"},
        ),
        Mistake(
            name="mean_over_features",
            why="The log densities of the features were averaged; the density of all of them "
            "together is a product, hence a sum of logarithms.",
            change={"return terms.sum(dim=-1)": "return terms.mean(dim=-1)"},
        ),
        Mistake(
            name="missing_means_zero",
            why="A missing feature was taken to be 0. Zero is a value like any other, and may be "
            "very improbable; what was not seen leaves the sum.",
            change={
                "terms = torch.where(observed.unsqueeze(-2), terms, 0.0)": (
                    "return gaussian_log_density(torch.where(observed, input, 0.0), mean, variance)"
                )
            },
        ),
        Mistake(
            name="normalizer_of_the_missing",
            why="A missing feature lost its distance but kept its ln(2πs); its whole factor "
            "integrates to 1, so all of it leaves the sum.",
            change={
                "terms = -0.5": (
                    "squares = squares if observed is None else torch.where("
                    "observed.unsqueeze(-2), squares, 0.0); terms = -0.5"
                ),
                "if observed is not None:": "if False:",
            },
        ),
        Mistake(
            name="multiplied_by_the_mask",
            why="The terms were multiplied by the mask; where a missing feature holds NaN, "
            "0 · NaN is NaN. `torch.where` picks and does not compute.",
            change={
                "torch.where(observed.unsqueeze(-2), terms, 0.0)": "terms * observed.unsqueeze(-2)"
            },
        ),
        Mistake(
            name="mask_inverted",
            why="The features that were observed are left out; True means seen.",
            change={"observed.unsqueeze(-2), terms, 0.0": "~observed.unsqueeze(-2), terms, 0.0"},
        ),
    ),
    variants=(
        """
        def gaussian_log_density(input, mean, variance, *, observed=None):
            variance = variance.expand_as(mean)
            columns = []
            for m, s in zip(mean, variance):
                log = torch.distributions.Normal(m, s.sqrt(), validate_args=False).log_prob(input)
                if observed is not None:
                    log = log.masked_fill(~observed, 0.0)
                columns.append(log.sum(dim=-1))
            return torch.stack(columns, dim=-1)
        """,
        """
        def gaussian_log_density(input, mean, variance, *, observed=None):
            seen = torch.ones_like(input)
            if observed is not None:
                seen = observed.to(input.dtype).expand_as(input)
                input = input.masked_fill(seen == 0, 0.0)
            variance = variance.expand_as(mean)
            gap = (input[..., None, :] - mean) / variance.sqrt()
            distance = torch.einsum("...cd,...d->...c", gap * gap, seen)
            return -(distance + seen @ torch.log(variance * 6.283185307179586).T) / 2
        """,
    ),
)


def _density(rng, *lead, rows=C, scale=1.0, spread=3.0):
    return {
        "input": scale * rng.standard_normal((*lead, D)),
        "mean": rng.standard_normal((C, D)),
        "variance": spread ** rng.uniform(-1, 1, (rows, D)),
    }


def _with_gaps(rng):
    drawn = _density(rng, B)
    observed = rng.random((B, D)) < 0.6
    drawn["input"][~observed] = np.where(rng.random((~observed).sum()) < 0.5, np.nan, 5.0)
    drawn["input"][0], observed[0] = np.nan, False
    return {**drawn, "observed": observed}


# fit_gaussian

FIT_GAUSSIAN = Exercise(
    symbol="fit_gaussian",
    title="Fitting by counting",
    section="counting",
    cases=(
        Case("a variance for each class", lambda rng: _examples(rng), 2),
        Case("shared variances", lambda rng: _examples(rng, shared=True), 2),
        Case("with a floor", lambda rng: _examples(rng, floor=0.3)),
        Case("shared, with a floor", lambda rng: _examples(rng, shared=True, floor=0.2)),
        Case("one example of each class", lambda rng: _one_each(rng), hidden=True),
        Case("features far from zero", lambda rng: _examples(rng, offset=1e3), hidden=True),
    ),
    hint="A one-hot matrix (B, C), transposed, times the features adds up each class. For the "
    "variances, `mean[labels]` is the mean that belongs to each example.",
    mistakes=(
        Mistake(
            name="divided_by_one_less",
            why="The variance divides by n − 1 here, as `torch.var` does unless told otherwise; "
            "maximum likelihood divides by n, and a class with one example would give 0/0.",
            change={"squares / counts + floor": "squares / (counts - 1) + floor"},
        ),
        Mistake(
            name="around_the_mean_of_all",
            why="The distances were measured from the mean of all classes, so how far the "
            "classes lie apart counts as spread within them.",
            change={"mean[labels]": "features.mean(dim=0)"},
        ),
        Mistake(
            name="shared_around_the_mean_of_all",
            why="The shared variance was measured around one mean for all classes, so how far the "
            "classes lie apart counts as spread within them.",
            change={
                "squares.mean(dim=0, keepdim=True)": (
                    "features.var(dim=0, correction=0, keepdim=True)"
                )
            },
        ),
        Mistake(
            name="shared_divided_by_fewer",
            why="The shared variance divides by n − C, which makes up for the C means that were "
            "fitted; maximum likelihood divides by n.",
            change={
                "squares.mean(dim=0, keepdim=True)": (
                    "squares.sum(dim=0, keepdim=True) / (len(features) - classes)"
                )
            },
        ),
        Mistake(
            name="classes_count_alike",
            why="The shared variance is the plain average of the classes' variances; a class with "
            "few examples then counts as much as one with many. Average over examples.",
            change={
                "squares.mean(dim=0, keepdim=True)": (
                    "(one_hot.T @ squares / counts).mean(dim=0, keepdim=True)"
                )
            },
        ),
        Mistake(
            name="deviation",
            why="The standard deviation came back; the variance is its square.",
            change={
                "squares.mean(dim=0, keepdim=True) + floor": (
                    "(squares.mean(dim=0, keepdim=True) + floor).sqrt()"
                ),
                "one_hot.T @ squares / counts + floor": (
                    "(one_hot.T @ squares / counts + floor).sqrt()"
                ),
            },
        ),
        Mistake(
            name="larger_of_the_two",
            why="The larger of variance and floor was taken; the floor is added, like the "
            "variance of independent noise, which also keeps the order of the variances.",
            change={
                "squares.mean(dim=0, keepdim=True) + floor": (
                    "squares.mean(dim=0, keepdim=True).clamp(min=floor)"
                ),
                "one_hot.T @ squares / counts + floor": (
                    "(one_hot.T @ squares / counts).clamp(min=floor)"
                ),
            },
        ),
        Mistake(
            name="no_floor_when_shared",
            why="Shared variances get no floor; a pixel that is white in every picture has a "
            "variance of 0 in them too.",
            change={
                "squares.mean(dim=0, keepdim=True) + floor": "squares.mean(dim=0, keepdim=True)"
            },
        ),
        Mistake(
            name="divided_by_all_examples",
            why="Each class's squares were divided by the number of all examples, so that rare "
            "classes look narrow.",
            change={"squares / counts + floor": "squares / len(features) + floor"},
        ),
    ),
    variants=(
        """
        def fit_gaussian(features, labels, *, classes, shared=False, floor=0.0):
            groups = [features[labels == c] for c in range(classes)]
            mean = torch.stack([group.mean(dim=0) for group in groups])
            variance = torch.stack([group.var(dim=0, correction=0) for group in groups])
            if shared:
                share = torch.tensor([float(len(group)) for group in groups]).double()
                variance = (share / share.sum() @ variance)[None]
            return mean, variance + floor
        """,
        """
        def fit_gaussian(features, labels, *, classes, shared=False, floor=0.0):
            width = features.shape[1]
            index = labels[:, None].expand(-1, width)
            empty = features.new_zeros(classes, width)
            mean = empty.scatter_reduce(0, index, features, "mean", include_self=False)
            gaps = (features - mean.gather(0, index)) ** 2
            if shared:
                variance = (gaps.sum(dim=0) / gaps.shape[0]).unsqueeze(0)
            else:
                variance = empty.scatter_reduce(0, index, gaps, "mean", include_self=False)
            return mean, variance + floor
        """,
    ),
)


def _examples(rng, *, offset=0.0, **options):
    labels = labels_of(rng, 31)
    scales = rng.uniform(0.3, 2.0, (C, D))
    means = offset + 3 * rng.standard_normal((C, D))
    features = means[labels] + scales[labels] * rng.standard_normal((31, D))
    return {"features": features, "labels": labels, "classes": C, **options}


def _one_each(rng):
    return {
        "features": rng.standard_normal((C, D)),
        "labels": rng.permutation(C),
        "classes": C,
        "floor": 0.1,
    }


# log_posterior

LOG_POSTERIOR = Exercise(
    symbol="log_posterior",
    title="Bayes' rule in logarithms",
    section="inference",
    cases=(
        Case("a batch", lambda rng: _bayes(rng, B), 2, grad=("log_likelihood", "log_prior")),
        Case("a single input", lambda rng: _bayes(rng)),
        Case("densities beyond all numbers", lambda rng: _bayes(rng, B, offset=-4000.0)),
        Case("huge densities", lambda rng: _bayes(rng, 2, 3, offset=3000.0), hidden=True),
        Case("an impossible class", lambda rng: _impossible(rng), hidden=True),
    ),
    hint="Add the logarithms of likelihood and prior. What is left is to make the exponentials "
    "sum to 1, and that is a function you know.",
    mistakes=(
        Mistake(
            name="prior_forgotten",
            why="The prior is missing, as if all classes were equally common: a rare class then "
            "gets the benefit of every doubt.",
            change={"log_likelihood + log_prior": "log_likelihood + 0 * log_prior"},
        ),
        Mistake(
            name="not_normalized",
            why="This is the joint ln p(x, y). Its largest entry is at the right place, but the "
            "exponentials sum to p(x) and not to 1.",
            change={
                "torch.log_softmax(log_likelihood + log_prior, dim=-1)": (
                    "log_likelihood + log_prior"
                )
            },
        ),
        Mistake(
            name="prior_after_normalizing",
            why="The likelihoods were normalized before the prior came in, so the result does not "
            "sum to 1; p(x) is a sum over likelihood *times* prior.",
            change={
                "torch.log_softmax(log_likelihood + log_prior, dim=-1)": (
                    "torch.log_softmax(log_likelihood, dim=-1) + log_prior"
                )
            },
        ),
        Mistake(
            name="exponentials_first",
            why="The densities were computed and then divided; e to the −4000 is 0 for a "
            "computer, and 0/0 is not a number. Stay in logarithms.",
            change={
                "torch.log_softmax(log_likelihood + log_prior, dim=-1)": (
                    "(joint := (log_likelihood + log_prior).exp()).div("
                    "joint.sum(dim=-1, keepdim=True)).log()"
                )
            },
        ),
        Mistake(
            name="probabilities",
            why="The probabilities came back instead of their logarithms; the small ones, which "
            "a loss is most interested in, are rounded to 0.",
            change={"torch.log_softmax(": "torch.softmax("},
        ),
        Mistake(
            name="over_the_batch",
            why="The first axis was normalized: the inputs now compete for a class, where the "
            "classes should compete for an input.",
            change={"dim=-1": "dim=0"},
        ),
    ),
    variants=(
        """
        def log_posterior(log_likelihood, log_prior):
            joint = log_likelihood + log_prior
            top = joint.max(dim=-1, keepdim=True).values
            return joint - top - (joint - top).exp().sum(dim=-1, keepdim=True).log()
        """,
        """
        def log_posterior(log_likelihood, log_prior):
            joint = log_likelihood + log_prior
            total = joint[..., 0]
            for column in joint.unbind(-1)[1:]:
                total = torch.logaddexp(total, column)
            return joint - total.unsqueeze(-1)
        """,
    ),
)


def _bayes(rng, *lead, offset=0.0):
    return {
        "log_likelihood": offset + 2 * rng.standard_normal((*lead, C)),
        "log_prior": log_shares(rng),
    }


def _impossible(rng):
    drawn = _bayes(rng, B, offset=-700.0)
    drawn["log_likelihood"][np.arange(B), rng.integers(C, size=B)] = -np.inf
    return drawn


# log_evidence

LOG_EVIDENCE = Exercise(
    symbol="log_evidence",
    title="The density of an input",
    section="inference",
    cases=(
        Case("a batch", lambda rng: _bayes(rng, B), 2, grad=("log_likelihood", "log_prior")),
        Case("a single input", lambda rng: _bayes(rng)),
        Case("densities beyond all numbers", lambda rng: _bayes(rng, B, offset=-4000.0)),
        Case("two leading axes", lambda rng: _bayes(rng, 2, 3, offset=900.0), hidden=True),
        Case("an impossible class", lambda rng: _impossible(rng), hidden=True),
    ),
    hint="A sum of exponentials, of which the logarithm is wanted: the chapter on linear models "
    "has built it, and torch has it too.",
    mistakes=(
        Mistake(
            name="prior_forgotten",
            why="The likelihoods were summed without their priors; a mixture weighs each class by "
            "how common it is, and without weights it integrates to C.",
            change={"log_likelihood + log_prior": "log_likelihood + 0 * log_prior"},
        ),
        Mistake(
            name="classes_averaged",
            why="The result was divided by the number of classes; the priors sum to 1 already.",
            change={
                "torch.logsumexp(log_likelihood + log_prior, dim=-1)": (
                    "torch.logsumexp(log_likelihood + log_prior, dim=-1) "
                    "- torch.tensor(float(len(log_prior))).double().log()"
                )
            },
        ),
        Mistake(
            name="best_class_alone",
            why="Only the most probable class was kept; an input may come from any of them, and "
            "the chances add up.",
            change={
                "torch.logsumexp(log_likelihood + log_prior, dim=-1)": (
                    "(log_likelihood + log_prior).amax(dim=-1)"
                )
            },
        ),
        Mistake(
            name="logarithms_averaged",
            why="The logarithms were averaged with the priors as weights; the logarithm of a mean "
            "is not the mean of logarithms, and one impossible class would make it −∞.",
            change={
                "torch.logsumexp(log_likelihood + log_prior, dim=-1)": (
                    "(log_likelihood * log_prior.exp()).sum(dim=-1)"
                )
            },
        ),
        Mistake(
            name="exponentials_first",
            why="The densities were added as they are; e to the −4000 is 0 and e to the 900 is ∞ "
            "for a computer. Take the largest logarithm out of the sum first.",
            change={
                "torch.logsumexp(log_likelihood + log_prior, dim=-1)": (
                    "(log_likelihood + log_prior).exp().sum(dim=-1).log()"
                )
            },
        ),
    ),
    variants=(
        """
        def log_evidence(log_likelihood, log_prior):
            joint = log_likelihood + log_prior
            top = joint.max(dim=-1).values
            return top + (joint - top[..., None]).exp().sum(dim=-1).log()
        """,
        """
        def log_evidence(log_likelihood, log_prior):
            total = log_likelihood[..., 0] + log_prior[0]
            for c in range(1, len(log_prior)):
                total = torch.logaddexp(total, log_likelihood[..., c] + log_prior[c])
            return total
        """,
    ),
)


# fill_in

FILL_IN = Exercise(
    symbol="fill_in",
    title="What must have been there",
    section="filling-in",
    cases=(
        Case("some features missing", lambda rng: _gaps(rng, B), 2),
        Case("the same ones everywhere", lambda rng: _half(rng)),
        Case("a single input", lambda rng: _gaps(rng)),
        Case("as many classes as features", lambda rng: _gaps(rng, B, classes=D), hidden=True),
        Case("two leading axes", lambda rng: _gaps(rng, 2, 3), hidden=True),
    ),
    hint="The expectation is a mean of the class means, weighted by the posterior: a matrix "
    "product. Then choose, entry by entry.",
    mistakes=(
        Mistake(
            name="best_class_alone",
            why="The mean of the most probable class was filled in. It is the likeliest story, "
            "not the expectation: where two classes are equally probable, the answer with the "
            "least squared error lies between them.",
            change={"log_posterior.exp() @ mean": "mean[log_posterior.argmax(dim=-1)]"},
        ),
        Mistake(
            name="classes_count_alike",
            why="The plain mean of all class means was filled in; what is seen has told nothing.",
            change={
                "log_posterior.exp() @ mean": ("torch.ones_like(log_posterior) / len(mean) @ mean")
            },
        ),
        Mistake(
            name="logarithms_as_weights",
            why="The weights of a mean are probabilities; these are their logarithms, negative "
            "numbers that do not sum to 1.",
            change={"log_posterior.exp()": "log_posterior"},
        ),
        Mistake(
            name="gaps_known_by_nan",
            why="The gaps were looked for in the input, as NaN; where a feature was not observed "
            "the input may hold anything, and only `observed` says where that is.",
            change={
                "torch.where(observed, input, expected)": (
                    "torch.where(input.isnan(), expected, input)"
                )
            },
        ),
        Mistake(
            name="observed_overwritten",
            why="The whole input was replaced by its expectation; what has been seen is known "
            "and stays.",
            change={"torch.where(observed, input, expected)": "expected + 0 * observed"},
        ),
        Mistake(
            name="mask_inverted",
            why="The observed features were replaced and the missing ones kept; True means seen.",
            change={
                "torch.where(observed, input, expected)": "torch.where(observed, expected, input)"
            },
        ),
        Mistake(
            name="added_up_with_the_mask",
            why="The parts were multiplied by the mask and added; where the input is NaN because "
            "nothing is known, 0 · NaN is NaN. `torch.where` picks and does not compute.",
            change={
                "torch.where(observed, input, expected)": (
                    "observed * input + ~observed * expected"
                )
            },
        ),
    ),
    variants=(
        """
        def fill_in(input, log_posterior, mean, *, observed):
            weights = torch.exp(log_posterior).unsqueeze(-1)  # (..., C, 1)
            filled = (weights * mean).sum(dim=-2)
            mask = observed.expand_as(filled)
            filled[mask] = input.expand_as(filled)[mask]
            return filled
        """,
        """
        def fill_in(input, log_posterior, mean, *, observed):
            expected = torch.einsum("...c,cd->...d", log_posterior.exp(), mean)
            return input.masked_fill(~observed, 0.0) + expected.masked_fill(observed, 0.0)
        """,
    ),
)


def _gaps(rng, *lead, classes=C):
    drawn = rng.standard_normal((*lead, classes))
    observed = rng.random((*lead, D)) < 0.5
    observed[..., 0], observed[..., 1] = True, False
    missing = np.where(np.arange(D) % 2, np.nan, 3.0)
    return {
        "input": np.where(observed, rng.standard_normal((*lead, D)), missing),
        "log_posterior": drawn - np.log(np.exp(drawn).sum(-1, keepdims=True)),
        "mean": rng.standard_normal((classes, D)),
        "observed": observed,
    }


def _half(rng):
    drawn = _gaps(rng, B)
    return {**drawn, "input": rng.standard_normal((B, D)), "observed": np.arange(D) < 3}


# fit_bernoulli

FIT_BERNOULLI = Exercise(
    symbol="fit_bernoulli",
    title="Coins, with a head start",
    section="zero-counts",
    cases=(
        Case("Laplace's rule", lambda rng: _coins(rng), 2),
        Case("another α", lambda rng: _coins(rng, smoothing=0.3), 2),
        Case("frequencies alone", lambda rng: _coins(rng, smoothing=0.0)),
        Case("a class without examples", lambda rng: _coins(rng, classes=C + 1), hidden=True),
        Case("a strong prior", lambda rng: _coins(rng, smoothing=40.0), hidden=True),
    ),
    hint="Count the ones of each class with a matrix product, as for the Gaussian means. A coin "
    "has two sides, and α goes to each.",
    mistakes=(
        Mistake(
            name="alpha_once_below",
            why="The denominator grew by α, but both outcomes get α imaginary examples; without "
            "the second α, ones and zeros do not sum to 1, and a feature that is always 1 "
            "comes out at 1.",
            change={"counts + 2 * smoothing": "counts + smoothing"},
        ),
        Mistake(
            name="alpha_after_dividing",
            why="α was added to the frequencies, n/n_c, and not to the counts; it stands for α "
            "more *examples* of each outcome, whose weight fades as real ones come in.",
            change={
                "(ones + smoothing) / (counts + 2 * smoothing)": (
                    "(ones / counts + smoothing) / (1 + 2 * smoothing)"
                )
            },
        ),
        Mistake(
            name="alpha_for_every_class",
            why="The denominator grew by α times the number of classes, which is the rule for the "
            "prior; a feature within a class has two outcomes, however many classes there are.",
            change={"counts + 2 * smoothing": "counts + classes * smoothing"},
        ),
        Mistake(
            name="alpha_for_every_feature",
            why="The denominator grew by α times the number of features. That is the rule for one "
            "die with D faces; here are D coins, each with two.",
            change={"counts + 2 * smoothing": "counts + features.shape[1] * smoothing"},
        ),
        Mistake(
            name="alpha_below_alone",
            why="The numerator lacks its α, so what was never counted keeps probability 0, which "
            "is what smoothing is there to prevent.",
            change={"ones + smoothing": "ones"},
        ),
        Mistake(
            name="shares_of_all_ones",
            why="The ones of a class were divided by the number of its ones, over all features. "
            "That is the multinomial model for counted words; here each feature is a coin of its "
            "own.",
            change={
                "(counts + 2 * smoothing)": (
                    "(ones.sum(dim=1, keepdim=True) + features.shape[1] * smoothing)"
                )
            },
        ),
        Mistake(
            name="divided_by_all_examples",
            why="Divided by the number of all examples: this is the joint frequency of feature "
            "and class, not the frequency within the class.",
            change={"counts + 2 * smoothing": "len(features) + 2 * smoothing"},
        ),
        Mistake(
            name="alpha_ignored",
            why="The result is Laplace's rule, α = 1, whatever the caller asks for.",
            change={"(ones + smoothing) / (counts + 2 * smoothing)": "(ones + 1) / (counts + 2)"},
        ),
    ),
    variants=(
        """
        def fit_bernoulli(features, labels, *, classes, smoothing=1.0):
            rows = []
            for c in range(classes):
                group = features[labels == c]
                rows.append((group.sum(dim=0) + smoothing) / (len(group) + 2 * smoothing))
            return torch.stack(rows)
        """,
        """
        def fit_bernoulli(features, labels, *, classes, smoothing=1.0):
            start = features.new_full((classes, features.shape[1]), smoothing)
            yes = start.index_add(0, labels, features)
            no = start.index_add(0, labels, 1 - features)
            return yes / (yes + no)
        """,
    ),
)


def _coins(rng, *, classes=C, smoothing=1.0):
    return {
        "features": bits(rng, 31, D),
        "labels": labels_of(rng, 31),
        "classes": classes,
        "smoothing": smoothing,
    }


# bernoulli_log_likelihood

BERNOULLI_LOG_LIKELIHOOD = Exercise(
    symbol="bernoulli_log_likelihood",
    title="The probability of a row of coins",
    section="zero-counts",
    cases=(
        Case("a batch", lambda rng: _tossed(rng, B), 2, grad=("probability",)),
        Case("a single input", lambda rng: _tossed(rng)),
        Case("coins that always fall the same way", lambda rng: _certain(rng), 2),
        Case("very many coins", lambda rng: _tossed(rng, 2, features=2003)),
        Case("some features missing", lambda rng: _some_tossed(rng)),
        Case("certain coins missing", lambda rng: _some_certain(rng)),
        Case("two leading axes", lambda rng: _tossed(rng, 2, 3), hidden=True),
        Case("almost certain coins", lambda rng: _tossed(rng, B, sure=1e-9), hidden=True),
    ),
    hint="`torch.xlogy(x, p)` is x ln p, and 0 where x is 0. A zero in the input has something to "
    "say as well.",
    mistakes=(
        Mistake(
            name="zeros_say_nothing",
            why="Only the ones were counted; that a pixel is white is evidence too, and without "
            "it the class with the most ink always wins.",
            change={" + torch.special.xlog1py(1 - input, -probability)": ""},
        ),
        Mistake(
            name="zero_times_infinity",
            why="Where a probability is 0 and the feature is 0, x ln p is 0 · (−∞), which is NaN; "
            "what was certain and did happen costs nothing.",
            change={
                "torch.xlogy(input, probability)": "input * probability.log()",
                "torch.special.xlog1py(1 - input, -probability)": (
                    "(1 - input) * (1 - probability).log()"
                ),
            },
        ),
        Mistake(
            name="clamped",
            why="The probabilities were kept away from 0 and 1. That hides a model that calls "
            "something impossible, and makes up evidence; smoothing belongs into the fit.",
            change={
                "input = input.unsqueeze(-2)": (
                    "input = input.unsqueeze(-2); probability = probability.clamp(1e-6, 1 - 1e-6)"
                )
            },
        ),
        Mistake(
            name="cross_entropy_of_torch",
            why="`binary_cross_entropy` cuts every logarithm off at −100, so that training goes "
            "on; what is impossible comes out as merely improbable.",
            change={
                "torch.xlogy(input, probability)": (
                    "-nn.functional.binary_cross_entropy("
                    '*torch.broadcast_tensors(probability, input), reduction="none")'
                ),
                " + torch.special.xlog1py(1 - input, -probability)": "",
            },
        ),
        Mistake(
            name="bernoulli_of_torch",
            why="`torch.distributions.Bernoulli` moves probabilities of 0 and 1 a little inwards, "
            "so what is impossible comes out as merely improbable.",
            change={
                "torch.xlogy(input, probability)": (
                    "torch.distributions.Bernoulli(probability).log_prob(input)"
                ),
                " + torch.special.xlog1py(1 - input, -probability)": "",
            },
        ),
        Mistake(
            name="multiplied_then_logged",
            why="The probabilities were multiplied first; with a few thousand coins the product "
            "is 0 for a computer. Add logarithms.",
            change={"return terms.sum(dim=-1)": "return terms.exp().prod(dim=-1).log()"},
        ),
        Mistake(
            name="mean_over_features",
            why="The logarithms were averaged; independent coins multiply, so their logarithms "
            "add up.",
            change={"return terms.sum(dim=-1)": "return terms.mean(dim=-1)"},
        ),
        Mistake(
            name="missing_means_zero",
            why="A missing feature was taken for a 0, which is an observation; leave it out of "
            "the sum.",
            change={
                "terms = torch.where(observed.unsqueeze(-2), terms, 0.0)": (
                    "return bernoulli_log_likelihood("
                    "torch.where(observed, input.squeeze(-2), 0.0), probability)"
                )
            },
        ),
        Mistake(
            name="multiplied_by_the_mask",
            why="The terms were multiplied by the mask; where a missing feature would be "
            "impossible, 0 · (−∞) is NaN. `torch.where` picks and does not compute.",
            change={
                "torch.where(observed.unsqueeze(-2), terms, 0.0)": "terms * observed.unsqueeze(-2)"
            },
        ),
        Mistake(
            name="mask_inverted",
            why="The features that were observed are left out; True means seen.",
            change={"observed.unsqueeze(-2), terms, 0.0": "~observed.unsqueeze(-2), terms, 0.0"},
        ),
    ),
    variants=(
        """
        def bernoulli_log_likelihood(input, probability, *, observed=None):
            yes = (input == 1).unsqueeze(-2)  # (..., 1, D)
            log = torch.where(yes, probability, 1 - probability).log()
            if observed is not None:
                log = log.masked_fill(~observed.unsqueeze(-2), 0.0)
            return log.sum(dim=-1)
        """,
        """
        def bernoulli_log_likelihood(input, probability, *, observed=None):
            columns = []
            for p in probability:
                likely = input * p + (1 - input) * (1 - p)
                if observed is not None:
                    likely = likely.masked_fill(~observed, 1.0)
                columns.append(torch.log(likely).sum(dim=-1))
            return torch.stack(columns, dim=-1)
        """,
    ),
)


def _tossed(rng, *lead, features=D, sure=0.03):
    probability = rng.uniform(sure, 1 - sure, (3 if features > D else C, features))
    if sure < 1e-3:
        probability = np.where(rng.random(probability.shape) < 0.5, sure, 0.5)
    return {"input": bits(rng, *lead, features), "probability": probability}


def _certain(rng):
    """Each class is certain of some features; every input agrees with one class at least."""
    probability = np.where(rng.random((C, D)) < 0.4, np.round(rng.random((C, D))), 0.3)
    probability[0], probability[1] = 0.0, 1.0
    wanted = probability[np.arange(B) % C]
    flat = wanted == 0.3
    return {"input": np.where(flat, bits(rng, B, D), wanted), "probability": probability}


def _some_tossed(rng):
    observed = rng.random((B, D)) < 0.6
    return {**_tossed(rng, B), "observed": observed}


def _some_certain(rng):
    """The first class is certain of four features, of which three are missing everywhere."""
    probability = rng.uniform(0.1, 0.9, (C, D))
    probability[0, 3:] = np.round(rng.random(D - 3))
    input = bits(rng, B, D)
    return {"input": input, "probability": probability, "observed": np.arange(D) < 4}


# draw_labels

DRAW_LABELS = Exercise(
    symbol="draw_labels",
    title="Drawing a class",
    section="sampling",
    cases=(
        Case("many draws", lambda rng: _drawn(rng, 101), 2),
        Case("a grid of draws", lambda rng: _drawn(rng, 7, 13)),
        Case("impossible classes are never drawn", lambda rng: _never(rng), 2),
        Case("two classes", lambda rng: _drawn(rng, 31, classes=2), hidden=True),
    ),
    hint="The cumulative sums of the probabilities are where the pieces of the unit interval end; "
    "`torch.searchsorted` finds the piece in which a number lies.",
    mistakes=(
        Mistake(
            name="wrong_side_of_the_edge",
            why="A draw that lies on an edge went to the piece before it. Uniform draws can be "
            "exactly 0, and then a first class of probability 0 would be drawn.",
            change={", right=True": ""},
        ),
        Mistake(
            name="all_classes_alike",
            why="The unit interval was cut into equal pieces; the prior plays no part.",
            change={
                "torch.searchsorted(edges, uniform, right=True)": (
                    "(uniform * len(log_prior)).long()"
                )
            },
        ),
        Mistake(
            name="most_probable_class",
            why="The most probable class came back every time; that is a decision and no sample, "
            "the random number went unused.",
            change={
                "torch.searchsorted(edges, uniform, right=True)": (
                    "log_prior.argmax() + torch.zeros_like(uniform, dtype=torch.int64)"
                )
            },
        ),
        Mistake(
            name="no_cumulative_sum",
            why="The draws were compared with the probabilities themselves; the pieces lie end to "
            "end, so each begins where those before it sum to.",
            change={".cumsum(dim=0)[:-1]": ""},
        ),
        Mistake(
            name="other_end_first",
            why="The pieces were laid out from the other end. It is a right way to draw, but "
            "here the order is stated, so that the same random numbers give the same classes.",
            change={"edges, uniform, right": "edges, 1 - uniform, right"},
        ),
    ),
    variants=(
        """
        def draw_labels(uniform, log_prior):
            edges = torch.cumsum(torch.exp(log_prior), dim=0)
            passed = uniform.unsqueeze(-1) >= edges[:-1]
            return passed.sum(dim=-1)
        """,
        """
        def draw_labels(uniform, log_prior):
            found = torch.zeros_like(uniform, dtype=torch.int64)
            start = 0.0
            for c, share in enumerate(log_prior.exp().tolist()):
                if share > 0:
                    found[uniform >= start] = c
                start = start + share
            return found
        """,
    ),
)


def _drawn(rng, *shape, classes=C):
    return {"uniform": rng.random(shape), "log_prior": log_shares(rng, classes)}


def _never(rng):
    shares = np.array([0.0, 0.3, 0.0, 0.45, 0.25, 0.0])
    with np.errstate(divide="ignore"):
        return {"uniform": np.append(0.0, rng.random(17)), "log_prior": np.log(shares)}


# sample_gaussian

SAMPLE_GAUSSIAN = Exercise(
    symbol="sample_gaussian",
    title="A picture from the density",
    section="sampling",
    cases=(
        Case("a batch", lambda rng: _noisy(rng, B), 2, grad=("noise", "mean", "variance")),
        Case("one variance for all classes", lambda rng: _noisy(rng, B, rows=1), 2),
        Case("two leading axes", lambda rng: _noisy(rng, 2, 3)),
        Case("a single label", lambda rng: _noisy(rng), hidden=True),
    ),
    hint="`mean[labels]` picks a row for each label. Shared variances have one row only, which "
    "must serve every class.",
    mistakes=(
        Mistake(
            name="scaled_by_the_variance",
            why="The noise was scaled by the variance; noise of deviation 1 times a number has "
            "that number as its *deviation*, the root of the variance.",
            change={"variance.sqrt()": "variance"},
        ),
        Mistake(
            name="noise_not_scaled",
            why="The noise was added as it is, with a variance of 1 in every pixel, even in those "
            "that never vary.",
            change={"deviation[labels] * noise": "noise + 0 * deviation[labels]"},
        ),
        Mistake(
            name="mean_scaled_too",
            why="The sum of mean and noise was scaled, so the samples lie around √s · m instead "
            "of m.",
            change={
                "mean[labels] + deviation[labels] * noise": (
                    "deviation[labels] * (mean[labels] + noise)"
                )
            },
        ),
        Mistake(
            name="first_class_for_all",
            why="Every sample uses the first row of the variances; only where the classes share "
            "one row is that right.",
            change={"deviation[labels]": "deviation[0]"},
        ),
        Mistake(
            name="means_alone",
            why="The class mean came back: it is the densest point, but a sample varies.",
            change={"deviation[labels] * noise": "0 * deviation[labels] * noise"},
        ),
    ),
    variants=(
        """
        def sample_gaussian(labels, noise, mean, variance):
            variance = variance.expand(len(mean), -1)
            return torch.addcmul(mean[labels], noise, variance[labels] ** 0.5)
        """,
        """
        def sample_gaussian(labels, noise, mean, variance):
            one_hot = torch.nn.functional.one_hot(labels, len(mean)).to(mean.dtype)
            spread = (one_hot @ variance.expand_as(mean)).sqrt()
            return one_hot @ mean + spread * noise
        """,
    ),
    forbidden=("torch.normal", "torch.randn", "torch.randn_like"),
)


def _noisy(rng, *lead, rows=C):
    return {
        "labels": rng.integers(C, size=lead),
        "noise": rng.standard_normal((*lead, D)),
        "mean": rng.standard_normal((C, D)),
        "variance": rng.uniform(0.05, 4.0, (rows, D)),
    }


# gaussian_linear_form

GAUSSIAN_LINEAR_FORM = Exercise(
    symbol="gaussian_linear_form",
    title="Gaussian naive Bayes is a linear model",
    section="linear-form",
    cases=(
        Case("random classes", lambda rng: _line(rng), 2, grad=("log_prior", "mean", "variance")),
        Case("unequal variances", lambda rng: _line(rng, spread=100.0), 2),
        Case("as many classes as features", lambda rng: _line(rng, classes=D)),
        Case("two classes", lambda rng: _line(rng, classes=2), hidden=True),
    ),
    hint="Multiply out −½ (x − m)² / s. The term with x² is the same for every class; what is "
    "left is m x / s and a constant.",
    mistakes=(
        Mistake(
            name="prior_forgotten",
            why="The bias lacks ln p(c), which is all that a rare class and a common one with the "
            "same mean differ in.",
            change={"log_prior - 0.5": "0 * log_prior - 0.5"},
        ),
        Mistake(
            name="half_forgotten",
            why="The cross term −½ · (−2 m x) loses its ½, the term in m² does not.",
            change={"0.5 * (mean * weight)": "(mean * weight)"},
        ),
        Mistake(
            name="normalizer_kept",
            why="The bias kept −½ Σ ln(2π s), which is the same for every class: it drops out of "
            "the softmax, like the term with x², and out of the formula with it.",
            change={
                "(mean * weight).sum(dim=-1)": (
                    "(mean * weight + (2 * torch.pi * variance).log()).sum(dim=-1)"
                )
            },
        ),
        Mistake(
            name="sign_of_the_bias",
            why="The term −½ m² / s comes off: a mean far from the origin makes a score large for "
            "all inputs in its direction, and the bias takes that back.",
            change={"log_prior - 0.5": "log_prior + 0.5"},
        ),
        Mistake(
            name="divided_by_the_deviation",
            why="The weight is m over the variance; one root divides the mean, another one the "
            "feature that it meets.",
            change={"mean / variance": "mean / variance.sqrt()"},
        ),
        Mistake(
            name="square_of_the_weight",
            why="The bias holds m² / s; W² is m² / s².",
            change={"(mean * weight)": "(weight * weight)"},
        ),
        Mistake(
            name="weight_transposed",
            why="One row of weights per class, (C, D), as in every linear model of this book.",
            change={"return weight,": "return weight.T,"},
        ),
    ),
    variants=(
        """
        def gaussian_linear_form(log_prior, mean, variance):
            weight = torch.linalg.solve(torch.diag(variance[0]), mean.T).T
            bias = log_prior - torch.einsum("cd,cd->c", weight, mean) / 2
            return weight, bias
        """,
        """
        def gaussian_linear_form(log_prior, mean, variance):
            scaled = mean / variance.sqrt()
            bias = log_prior - (scaled**2).sum(dim=1) / 2
            return scaled / variance.sqrt(), bias
        """,
    ),
)


def _line(rng, *, classes=C, spread=3.0):
    return {
        "log_prior": log_shares(rng, classes),
        "mean": rng.standard_normal((classes, D)),
        "variance": spread ** rng.uniform(-1, 1, (1, D)),
    }


# bernoulli_linear_form

BERNOULLI_LINEAR_FORM = Exercise(
    symbol="bernoulli_linear_form",
    title="So is Bernoulli naive Bayes",
    section="linear-form",
    cases=(
        Case("random coins", lambda rng: _coins_of(rng), 2, grad=("log_prior", "probability")),
        Case("almost certain coins", lambda rng: _coins_of(rng, sure=1e-7)),
        Case("as many classes as features", lambda rng: _coins_of(rng, classes=D)),
        Case("two classes", lambda rng: _coins_of(rng, classes=2), hidden=True),
    ),
    hint="Write x ln p + (1 − x) ln(1 − p) as x times something plus something without x.",
    mistakes=(
        Mistake(
            name="log_probability_as_weight",
            why="ln p is what a 1 gains, but the bias has already counted this feature as a 0; "
            "the weight is the difference, ln p − ln(1 − p).",
            change={"probability.log() - no": "probability.log() + 0 * no"},
        ),
        Mistake(
            name="odds_upside_down",
            why="The weight is ln(1 − p) − ln p here; it should say what a 1 gains over a 0, and "
            "with this sign ink where a class has ink speaks against it.",
            change={"probability.log() - no": "no - probability.log()"},
        ),
        Mistake(
            name="prior_forgotten",
            why="The bias lacks ln p(c): the score of a blank input is the prior times the chance "
            "that every coin shows 0.",
            change={"log_prior + no": "0 * log_prior + no"},
        ),
        Mistake(
            name="prior_alone",
            why="The bias is the prior alone; an input of zeros then scores the same in every "
            "class, though zeros are evidence.",
            change={"log_prior + no.sum(dim=-1)": "log_prior + 0 * no.sum(dim=-1)"},
        ),
        Mistake(
            name="ones_in_the_bias",
            why="The bias is the score when every feature is 0, so it sums ln(1 − p), not ln p.",
            change={"log_prior + no.sum(dim=-1)": "log_prior + probability.log().sum(dim=-1)"},
        ),
        Mistake(
            name="odds_without_logarithm",
            why="The weight is the logarithm of the odds p / (1 − p); the odds themselves are "
            "never negative, so nothing could speak against a class.",
            change={"probability.log() - no": "probability / no.exp()"},
        ),
    ),
    variants=(
        """
        def bernoulli_linear_form(log_prior, probability):
            return torch.logit(probability), log_prior + (1 - probability).log().sum(dim=1)
        """,
        """
        def bernoulli_linear_form(log_prior, probability):
            weight = torch.log(probability / (1 - probability))
            bias = log_prior - torch.nn.functional.softplus(weight).sum(dim=1)
            return weight, bias
        """,
    ),
)


def _coins_of(rng, *, classes=C, sure=0.05):
    probability = rng.uniform(0.05, 0.95, (classes, D))
    probability[:, ::3] = np.where(rng.random(probability[:, ::3].shape) < 0.5, sure, 1 - sure)
    return {"log_prior": log_shares(rng, classes), "probability": probability}


# joint_loss

JOINT_LOSS = Exercise(
    symbol="joint_loss",
    title="The loss of a generative model",
    section="two-losses",
    cases=(
        Case("a batch", lambda rng: _joint(rng), 2, grad=("input",)),
        Case("densities above 1", lambda rng: _joint(rng, offset=50.0)),
        Case("densities beyond all numbers", lambda rng: _joint(rng, offset=-4000.0)),
        Case("a single example", lambda rng: _joint(rng, count=1), grad=("input",), hidden=True),
    ),
    hint="One entry per row, that of the right class: `gather`, as in the cross-entropy, and "
    "nothing else of the row.",
    mistakes=(
        Mistake(
            name="cross_entropy",
            why="The scores were normalized over the classes first. That gives −ln p(y | x), the "
            "loss of a discriminative model; how probable x is has dropped out.",
            change={"-input.gather": "-input.log_softmax(dim=1).gather"},
        ),
        Mistake(
            name="evidence",
            why="This is −ln p(x), over all classes; it never looks at the label.",
            change={"-input.gather(1, target[:, None])": "-(input.logsumexp(dim=1) - 0 * target)"},
        ),
        Mistake(
            name="best_class",
            why="The largest entry of each row was taken instead of that of the right class: the "
            "model is rewarded for whatever it believes.",
            change={"-input.gather(1, target[:, None])": "-(input.amax(dim=1) - 0 * target)"},
        ),
        Mistake(
            name="sum_over_examples",
            why="Summed instead of averaged: twice the data would need half the learning rate.",
            change={".mean()": ".sum()"},
        ),
        Mistake(
            name="sign",
            why="A loss is to be made small, a density large: the sign is missing.",
            change={"-input.gather": "input.gather"},
        ),
        Mistake(
            name="every_class_against_every_label",
            why="`input[:, target]` takes the columns of all labels for every row, a (B, B) "
            "matrix; the right class of *each* row is wanted.",
            change={"input.gather(1, target[:, None])": "input[:, target]"},
        ),
    ),
    variants=(
        """
        def joint_loss(input, target):
            rows = torch.arange(len(target))
            return -input[rows, target].sum() / len(target)
        """,
        """
        def joint_loss(input, target):
            right = torch.nn.functional.one_hot(target, input.shape[1]).bool()
            return -torch.masked_select(input, right).mean()
        """,
        """
        def joint_loss(input, target):
            return torch.nn.functional.nll_loss(input, target)
        """,
    ),
)


def _joint(rng, *, count=B, offset=0.0):
    return {
        "input": offset + 3 * rng.standard_normal((count, C)),
        "target": rng.integers(C, size=count),
    }


# GaussianNB

GAUSSIAN_NB = Exercise(
    symbol="GaussianNB",
    title="A density as a module",
    section="two-losses",
    cases=(
        Case("a batch", lambda rng: _module(rng, B), 2, grad=("x",)),
        Case("shared variances", lambda rng: _module(rng, B, shared=True), 2, grad=("x",)),
        Case("as it starts", lambda rng: _module(rng, B, state=False)),
        Case("a single input", lambda rng: _module(rng), hidden=True),
        Case("far away", lambda rng: _module(rng, 2, 3, scale=50.0), grad=("x",), hidden=True),
    ),
    hint="`gaussian_log_density` does the work. The parameters may be any numbers, so the "
    "variances come out of an exponential and the prior out of a log-softmax.",
    mistakes=(
        Mistake(
            name="log_variance_as_variance",
            why="The parameter is the logarithm of the variance; without the exponential a "
            "gradient step could make a variance negative.",
            change={"self.log_variance.exp()": "self.log_variance"},
        ),
        Mistake(
            name="log_deviation",
            why="The parameter was read as the logarithm of the deviation, so the variances come "
            "out squared.",
            change={"self.log_variance.exp()": "(2 * self.log_variance).exp()"},
        ),
        Mistake(
            name="prior_forgotten",
            why="The log prior was not added, so this is ln p(x | y); the joint density takes both "
            "factors, also where all classes are equally common.",
            change={
                "return gaussian_log_density(x, self.mean, self.log_variance.exp()) + log_prior": (
                    "return gaussian_log_density(x, self.mean, self.log_variance.exp()) "
                    "+ 0 * log_prior"
                )
            },
        ),
        Mistake(
            name="prior_not_normalized",
            why="The logits were added as they are. Their exponentials need not sum to 1, and a "
            "generative loss would then fall without end by raising them all.",
            change={"torch.log_softmax(self.prior_logits, dim=0)": "self.prior_logits"},
        ),
        Mistake(
            name="posterior",
            why="`forward` returns the joint ln p(x, y). Normalized over the classes it has lost "
            "the density of x, and no generative loss can be computed from it.",
            change={
                "return gaussian_log_density(x, self.mean, self.log_variance.exp()) + log_prior": (
                    "return torch.log_softmax(gaussian_log_density("
                    "x, self.mean, self.log_variance.exp()) + log_prior, dim=-1)"
                )
            },
        ),
        Mistake(
            name="probability_added",
            why="A probability was added to a log density; logarithms go with logarithms.",
            change={"torch.log_softmax(self": "torch.softmax(self"},
        ),
        Mistake(
            name="shared_ignored",
            why="There is a row of variances for every class, even when they are to be shared.",
            change={"1 if shared else classes": "classes"},
        ),
        Mistake(
            name="buffers",
            why="Buffers are saved with the module but get no gradient. Counting would do with "
            "them; the discriminative loss has to move these numbers.",
            change={
                "self.prior_logits = nn.Parameter(": 'self.register_buffer("prior_logits", (',
                "self.mean = nn.Parameter(": 'self.register_buffer("mean", (',
                "self.log_variance = nn.Parameter(": 'self.register_buffer("log_variance", (',
                "torch.zeros(classes, device=device))": "torch.zeros(classes, device=device)))",
                "torch.zeros(classes, in_features, device=device))": (
                    "torch.zeros(classes, in_features, device=device)))"
                ),
                "torch.zeros(rows, in_features, device=device))": (
                    "torch.zeros(rows, in_features, device=device)))"
                ),
            },
        ),
    ),
    variants=(
        """
        class GaussianNB(nn.Module):
            def __init__(self, in_features, classes, *, shared=False, device=None):
                super().__init__()
                shapes = {
                    "prior_logits": (classes,),
                    "mean": (classes, in_features),
                    "log_variance": (1 if shared else classes, in_features),
                }
                for name, shape in shapes.items():
                    self.register_parameter(name, nn.Parameter(torch.zeros(shape, device=device)))

            def forward(self, x):
                deviation = (0.5 * self.log_variance).exp().expand_as(self.mean)
                normal = torch.distributions.Normal(self.mean, deviation, validate_args=False)
                prior = self.prior_logits - torch.logsumexp(self.prior_logits, dim=0)
                return prior + normal.log_prob(x.unsqueeze(-2)).sum(dim=-1)
        """,
        """
        class GaussianNB(nn.Module):
            def __init__(self, in_features, classes, *, shared=False, device=None):
                super().__init__()
                start = torch.zeros(classes, in_features, device=device)
                self.mean = nn.Parameter(start.clone())
                self.log_variance = nn.Parameter(start[:1].clone() if shared else start.clone())
                self.prior_logits = nn.Parameter(start.sum(dim=1))

            def forward(self, x):
                log_s = self.log_variance.expand_as(self.mean)
                columns = []
                for m, s, prior in zip(self.mean, log_s, self.prior_logits.softmax(0)):
                    terms = (x - m) ** 2 * torch.exp(-s) + s + 1.8378770664093453
                    columns.append(prior.log() - terms.sum(dim=-1) / 2)
                return torch.stack(columns, dim=-1)
        """,
    ),
    needs=("gaussian_log_density",),
)


def _module(rng, *lead, shared=False, state=True, scale=1.0):
    given = {
        "prior_logits": 1 + rng.standard_normal(C),
        "mean": rng.standard_normal((C, D)),
        "log_variance": rng.uniform(-1.5, 1.5, (1 if shared else C, D)),
    }
    return Call(
        init={"in_features": D, "classes": C, "shared": shared},
        state=given if state else None,
        args={"x": scale * rng.standard_normal((*lead, D))},
    )


EXERCISES = (
    LOG_PRIOR,
    GAUSSIAN_LOG_DENSITY,
    FIT_GAUSSIAN,
    LOG_POSTERIOR,
    LOG_EVIDENCE,
    FILL_IN,
    FIT_BERNOULLI,
    BERNOULLI_LOG_LIKELIHOOD,
    DRAW_LABELS,
    SAMPLE_GAUSSIAN,
    GAUSSIAN_LINEAR_FORM,
    BERNOULLI_LINEAR_FORM,
    JOINT_LOSS,
    GAUSSIAN_NB,
)
