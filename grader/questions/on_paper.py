"""Feedback on known mistakes as a paper states it.

The sentence of an exercise's mistake stands beside the exercise: it may name its symbols, its
arguments and its equations. On paper those are missing, and these sentences take its place.
"""

from __future__ import annotations

SENTENCES = {
    "attention.attend_backward.mean_unweighted": "The mean over the keys must be weighted by α, as the "
    "context is; yours counts all keys alike.",
    "attention.dot_score.cosine": "You divided by the lengths of query and key, which gives the "
    "cosine; in a dot product a long key scores more.",
    "attention.dot_score.scaled_by_d": "You divided by the number d of features. A sum of d products "
    "of variance 1 has the variance d, so the divisor must be √d.",
    "bert.mlm_loss.divided_by_all": "The sum is divided by all positions, also by those that need no "
    "prediction: the loss looks too good.",
    "bert.truncate_pair.second_alone": "Only the second text is shortened: a long first one leaves "
    "nothing of it, or never fits.",
    "embeddings.pmi.bits": "This is the logarithm to base 2; PMI has the natural logarithm here, in "
    "nats.",
    "embeddings.pmi.positive_already": "Negative values were set to 0, which gives the positive PMI. "
    "PMI itself distinguishes pairs that meet less often than by chance from those that never do.",
    "embeddings.sgns_loss.mean_over_noise": "The noise terms were averaged; the loss is their sum, "
    "and their number k is what shifts the solution by ln k.",
    "embeddings.sgns_loss.sign": "The log-likelihood is to be large and a loss small: the sign must "
    "be reversed.",
    "generative.gaussian_log_density.log_of_variance_not_halved": "The factor in front of a Gaussian "
    "of variance s is 1/√(2πs), whose logarithm is −½ ln(2πs); the ½ belongs to both terms.",
    "generative.gaussian_log_density.no_normalizer": "The normalizer, −½ ln(2πs) for the variance s, "
    "is missing: the class with the largest variances then wins everywhere.",
    "generative.gaussian_log_density.two_pi_forgotten": "The 2π is missing. It cancels between "
    "classes, so the predictions stay the same, but the density no longer integrates to 1.",
    "generative.gaussian_log_density.variance_taken_for_deviation": "The squared distance was divided "
    "by the square of the variance; the variance is the square of the deviation already.",
    "linear.cross_entropy_gradient.divided_by_all_entries": "The gradient was divided by the number "
    "of its entries; the mean is over the examples alone.",
    "linear.cross_entropy_gradient.not_divided_by_examples": "p − y is the gradient of one example's "
    "loss; the loss is the mean over all examples, so each must be divided by their number.",
    "linear.squared_loss.half": "A factor ½ makes the gradient tidier and is common in textbooks, but "
    "it is not part of this loss, which comes out half as large.",
    "linear.squared_loss.mean_over_outputs": "`.mean()` also divides by the number of outputs; every "
    "gradient is then smaller by this factor, and a penalty on the weights counts more.",
    "mlp.multiply_adds.input_gradient_always": "The gradient of the network's input was counted, too; "
    "training does not need it, so the first layer needs only the gradient of its weights.",
    "preference.group_advantages.by_one_less": "This deviation divides by the number of answers less "
    "one; here it divides by the number of answers.",
    "preference.group_advantages.divided_by_the_variance": "The rewards were divided by the variance; "
    "its root, the standard deviation, is what has their unit.",
    "preference.packed_mask.the_future": "The mask lets each token see the future: rows are queries "
    "and columns are keys, so the past is the lower triangle.",
    "recurrent.bits_per_character.mean_probability": "You averaged the probabilities and then took "
    "the logarithm; each symbol has its own cost, and the costs are averaged.",
    "self_attention.operations.no_projections": "The queries, keys and values are computed, too: "
    "three products of (T, D) with (D, D) are missing.",
    "seq2seq.length_score.per_token": "The score was divided by the length itself, which is a mean "
    "per token. It favors long sequences more than ((5 + n) / 6)^ζ does.",
    "seq2seq.length_score.six_forgotten": "The divisor is ((5 + n) / 6)^ζ, and its 6 is missing; with "
    "it the divisor is 1 for a sequence of one token.",
    "seq2seq.scheduled_inputs.first_replaced": "The first input was drawn, too; nothing has been "
    "written before it, so it is always the begin token.",
    "seq2seq.scheduled_inputs.shares_swapped": "The share is that of the model's own tokens; you took "
    "it for that of the target's.",
    "tokenization.bits_per_byte.per_character": "The losses were divided by the number of characters "
    "instead of bytes; a character may have up to four.",
    "tokenization.bits_per_byte.times_ln_2": "The losses were multiplied by ln 2; a bit is ln 2 nats, "
    "so the number of bits is larger than that of nats.",
    "training.dropout.divided_by_p": "The survivors were divided by p, the probability of zero; the "
    "mean stays if they are divided by their own share, 1 − p.",
    "transformer.decoder_mask.padding_forgotten": "Only the future is hidden. That is enough where "
    "padding comes last and the loss ignores it, but not where queries could attend to padding.",
    "transformer.sinusoidal.halves_not_interleaved": "In yours all sines come first, then all "
    "cosines. They must alternate: columns 2i and 2i + 1 belong to one wave.",
    "transformer.split_heads.every_third_feature": "Your head gets features at regular distances. It must "
    "get neighbors: the first D/heads features are head 0.",
}
