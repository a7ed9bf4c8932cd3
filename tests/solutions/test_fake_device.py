"""Solutions on a device that this machine need not have, and modules compiled.

The recorded public cases give the calls; `elsewhere.py` runs them in a process of its own, on fake
tensors, so that a tensor made on the wrong device is found here and not by the first user of a GPU.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# Fake tensors hold no numbers; so what looks at one, on the way to its result, cannot run on them.
VALUE = "DataDependentOutputException"  # in an `if`, in a loop, or by `.item()`
SHAPE = "DynamicOutputShapeException"  # the number of rows depends on it, as in `x[mask]`
READS = {
    "linear.normal_equations": VALUE,  # the rank of the data
    "linear.predict_tuned": VALUE,  # which setting is best
    "generative.fit_gaussian": VALUE,  # whether a class is empty
    "generative.fit_covariance": VALUE,
    "embeddings.cooccurrence": VALUE,  # whether a token lies outside of the vocabulary
    "seq2seq.greedy": VALUE,  # whether every row has ended
    "seq2seq.exhaustive_search": VALUE,  # the score of each text
    "self_attention.padding_mask": VALUE,  # whether a length is above the longest
    "transformer.decoder_mask": VALUE,
    "bert.next_sentences": VALUE,  # whether a sentence is the last one
    "gpt.windows": VALUE,  # whether a piece lies inside of the text
    "gpt.speculative_step": VALUE,  # how many tokens are kept
    "transfer.restore_spans": VALUE,  # tokens, one by one
    "test_time_compute.best_allocation": VALUE,  # whether the budget allows anything
    "test_time_compute.generate_with_tool": VALUE,  # whether a call begins
    "generative.log_prior": SHAPE,  # counts of labels
    "embeddings.skip_gram_pairs": SHAPE,
    "recurrent.bits_per_character": SHAPE,
    "recurrent.KneserNey": SHAPE,
    "seq2seq.sequence_loss": SHAPE,
    "seq2seq.beam_search": SHAPE,
    "attention.agreement": SHAPE,
    "bert.mlm_loss": SHAPE,
    "bert.word_vectors": SHAPE,
    "gpt.perplexity": SHAPE,
    "gpt.MixtureOfExperts": SHAPE,
    "preference.grpo_loss": SHAPE,
    "test_time_compute.verifier_loss": SHAPE,
}
NUMBERS = "aten::empty_strided"  # `tensor.new_tensor(numbers)`: torch wants real ones there
LACKING = {
    "training.random_trials": NUMBERS,
    "transfer.span_corruption": NUMBERS,
    "transfer.text_infilling": NUMBERS,
}


def elsewhere(*device: str) -> dict[str, dict[str, str]]:
    """Results by kind of run and exercise; "" where all was well."""
    env = os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    script = Path(__file__).with_name("elsewhere.py")
    run = subprocess.run([sys.executable, script, *device], env=env, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@pytest.fixture(scope="module")
def results() -> dict[str, dict[str, str]]:
    return elsewhere()


@pytest.mark.parametrize("kind", ["float32", "bfloat16"])
def test_solutions_run_where_their_inputs_are(results, kind: str):
    found = {name: said for name, said in results[kind].items() if said}
    known = READS | LACKING
    wrong = {name: said for name, said in found.items() if known.get(name, "\n") not in said}
    assert wrong == {}
    assert len(results[kind]) - len(found) > 250


def test_what_is_listed_as_impossible_is_so(results):
    assert {name for name, said in results["float32"].items() if said} == {*READS, *LACKING}


def test_modules_return_the_same_when_compiled(results):
    assert {name: said for name, said in results["compiled"].items() if said} == {}
    assert len(results["compiled"]) > 30


# CUDA has no bfloat16 for these functions of `torch.linalg`, which read what autocast has made.
NO_BFLOAT16 = {
    "linear.normal_equations": "linalg.solve",
    "bert.fit_probe": "lu_factor",
    "diffusion.frechet_distance": "svd",
    "model_compression.gptq": "cholesky",
}


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=pytest.mark.cuda)])
def test_real_devices_return_what_the_processor_returns(device: str):
    results = elsewhere(device)
    for kind in ("float32", "bfloat16", "equal"):
        known = NO_BFLOAT16 if (kind, device) == ("bfloat16", "cuda") else {}
        found = {name: said for name, said in results[kind].items() if said}
        assert {n: s for n, s in found.items() if known.get(n, "\n") not in s} == {}
        assert len(results[kind]) > 350
