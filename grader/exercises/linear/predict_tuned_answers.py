"""Right and wrong answers to `linear.predict_tuned`."""

import torch

from grader.author.answers import right, wrong
from solutions.linear import accuracy, linear, train


@right
def best_by_a_key(
    features,
    labels,
    *,
    dev_features,
    dev_labels,
    new_features,
    classes,
    candidates,
    learning_rate,
    steps,
):
    def fit(l2):
        return train(
            features,
            labels,
            weight=torch.zeros(classes, features.shape[1], dtype=features.dtype),
            bias=torch.zeros(classes, dtype=features.dtype),
            loss="cross_entropy",
            learning_rate=learning_rate,
            steps=steps,
            l2=l2,
        )[:2]

    models = [fit(l2) for l2 in candidates]
    best = max(models, key=lambda model: accuracy(linear(dev_features, *model), dev_labels))
    return linear(new_features, *best)


@right
def gradients_by_hand(
    features,
    labels,
    *,
    dev_features,
    dev_labels,
    new_features,
    classes,
    candidates,
    learning_rate,
    steps,
):
    count, size = features.shape
    y = torch.nn.functional.one_hot(labels, classes).to(features.dtype)
    results = []
    for l2 in candidates:
        weight, bias = features.new_zeros(classes, size), features.new_zeros(classes)
        for _ in range(steps):
            error = (torch.softmax(features @ weight.T + bias, dim=1) - y) / count
            weight = weight - learning_rate * (error.T @ features + 2 * l2 * weight)
            bias = bias - learning_rate * error.sum(dim=0)
        scores = dev_features @ weight.T + bias
        hits = (scores.argmax(dim=1) == dev_labels).sum() if scores.isfinite().all() else -1
        results.append((int(hits), new_features @ weight.T + bias))
    counts = [right for right, _ in results]
    return results[counts.index(max(counts))][1]


wrong(
    "chosen_on_training_data",
    why=(
        "λ was chosen by the accuracy on the training data, which favors the "
        "smallest penalty: the model that memorized the wrong labels "
        "looks best there."
    ),
    change={"linear(dev_features, *model), dev_labels": "linear(features, *model), labels"},
)


wrong(
    "chosen_by_loss",
    why=(
        "λ was chosen by the loss on the development data; the docstring asks for `accuracy`, "
        "and the loss can prefer a model that is wrong more often."
    ),
    change={
        "accuracy(linear(dev_features, *model), dev_labels)": (
            "-float(cross_entropy(linear(dev_features, *model), dev_labels))"
        )
    },
)


wrong(
    "trained_again_on_everything",
    why=(
        "The chosen λ was used to train once more, on training and development data together. "
        "This is common before a model is deployed, but that model was never evaluated: score "
        "with the one that won."
    ),
    change={
        "best = models[found.index(max(found))]": (
            "best = train(torch.cat([features, dev_features]), torch.cat([labels, "
            "dev_labels]), weight=features.new_zeros(classes, features.shape[1]), "
            "bias=features.new_zeros(classes), loss='cross_entropy', "
            "learning_rate=learning_rate, steps=steps, "
            "l2=candidates[found.index(max(found))])[:2]"
        )
    },
)


wrong(
    "start_in_single_precision",
    why=(
        "`torch.zeros` makes float32, and torch refuses a product of float32 "
        "weights with float64 features; `features.new_zeros` takes dtype and "
        "device of the features."
    ),
    change={
        "features.new_zeros(classes, features.shape[1])": (
            "torch.zeros(classes, features.shape[1])"
        ),
        "features.new_zeros(classes)": "torch.zeros(classes)",
    },
)


wrong(
    "last_model_kept",
    why=("The new examples are scored with the model trained last instead of the best one."),
    change={"linear(new_features, *best)": "linear(new_features, *models[-1])"},
)


@wrong(
    why=(
        "Each candidate starts where the one before ended, so the runs are not "
        "comparable: the later ones had more steps. Start every run from zeros."
    )
)
def start_carried_over(
    features,
    labels,
    *,
    dev_features,
    dev_labels,
    new_features,
    classes,
    candidates,
    learning_rate,
    steps,
):
    weight = features.new_zeros(classes, features.shape[1])
    bias = features.new_zeros(classes)
    models = []
    for l2 in candidates:
        weight, bias, _ = train(
            features,
            labels,
            weight=weight,
            bias=bias,
            loss="cross_entropy",
            learning_rate=learning_rate,
            steps=steps,
            l2=l2,
        )
        models.append((weight, bias))
    found = [accuracy(linear(dev_features, *model), dev_labels) for model in models]
    return linear(new_features, *models[found.index(max(found))])


wrong(
    "later_of_equals",
    why=(
        "The last of equally good candidates was taken (`>=` in place of `>` does this); the "
        "docstring asks for the first, so that a later candidate that is no better changes "
        "nothing."
    ),
    change={"found.index(max(found))": "-1 - found[::-1].index(max(found))"},
)


wrong(
    "diverged_run_chosen",
    why=(
        "A run that diverged was chosen: `argmax` takes the first NaN for the largest score, so "
        "such a model seems right on every example of class 0."
    ),
    change={
        "accuracy(linear(dev_features, *model), dev_labels)": (
            "(linear(dev_features, *model).argmax(dim=1) == dev_labels).float().mean().item()"
        )
    },
    corner=True,
)


wrong(
    "weights_alone_on_development_data",
    why=(
        "On the development data each model was evaluated without its bias; the model that "
        "scores the new examples has one."
    ),
    change={"linear(dev_features, *model)": "linear(dev_features, model[0])"},
    corner=True,
)


wrong(
    "none_where_none_is_right",
    why=(
        "A model was kept only if it got more than 0 right. If no model gets any example right, "
        "all are equal, and the first one scores."
    ),
    change={
        "best = models[found.index(max(found))]": (
            "best = models[found.index(max(found))] if max(found) > 0 else models[-1]"
        )
    },
    corner=True,
)
