"""The GPT that a page runs in the browser: its file, its training record, and its tensors there."""

import hashlib
import json
import platform
import re
import shutil
import subprocess
from functools import cache

import pytest
import torch
from driver import BROWSER, lacking

from book import reference
from book.packed import FILE, pack, small_gpt, unpack
from book.pages import ROOT
from book.recorded import recorded
from book.widgets import board
from book.widgets.machine import forward_pass, trace
from book.widgets.tokens import readable
from grader.instruct.browser import chromium
from solutions.data import text as language_reference
from solutions.gpt import GPT, cached, generate, text_losses

TEXTS = [
    "The value of the expression is a",
    "x",
    "naïve ½ 日本 🙂\u3000it's 3.14  \n\n the  end\xa0 ",
]
RUN = BROWSER / "small_gpt.cjs"
NOTHING = {"positions": False, "layers": [], "heads": [[], [], [], []]}


@cache
def loaded():
    return small_gpt()


def in_browser(tokens, off=NOTHING):
    """Tensors that the page's script computes, run by Node.js."""
    if not shutil.which("node"):
        pytest.skip("there is no Node.js to run the page's script with")
    given = json.dumps({"tokens": tokens, "off": off, "texts": TEXTS})
    command = ["node", RUN, FILE.with_name("gpt.js"), FILE]
    done = subprocess.run(command, input=given, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def compared(found, model, tokens):
    """The largest difference of any tensor from what `solutions.gpt.GPT` computes."""
    length, worst = len(tokens), 0.0
    wanted = trace(model, torch.tensor(tokens))
    for name, tensor in wanted.items():
        layer, _, part = name.rpartition(".")
        flat = torch.tensor(found["layers"][int(layer)][part] if layer else found[part])
        if part == "weights":  # rows of all heads one after another, with room for all keys
            ours = flat.reshape(model.config.longest, len(tensor), -1)[:length, :, :length]
            ours = ours.transpose(0, 1)
        else:
            ours = flat.reshape(model.config.longest, -1)[:length]
        assert ours.shape == tensor.shape, name
        worst = max(worst, (ours - tensor).abs().max().item())
    assert len(wanted) == 5 + 12 * model.config.num_layers
    return worst


def test_every_tensor_of_the_script_is_that_of_the_solution():
    model, tokenizer = loaded()
    for text in TEXTS:
        tokens = tokenizer.encode(text)[: model.config.longest]
        assert compared(in_browser(tokens), model, tokens) < 1e-4


def test_the_comparison_notices_a_number_that_is_off():
    model, tokenizer = loaded()
    tokens = tokenizer.encode(TEXTS[0])
    found = in_browser(tokens)
    found["layers"][2]["hidden"][300] += 2e-4
    assert compared(found, model, tokens) > 1e-4


def test_the_script_reads_and_draws_as_the_solutions_do():
    model, tokenizer = loaded()
    tokens = tokenizer.encode(TEXTS[0])
    found = in_browser(tokens)
    assert found["encoded"] == [tokenizer.encode(text) for text in TEXTS]
    assert found["decoded"] == TEXTS
    with torch.no_grad():
        logits = model(torch.tensor([tokens]))[0, -1].double()
    greedy, cool, chances = torch.tensor(found["chances"], dtype=torch.float64)
    assert greedy.argmax() == logits.argmax()
    assert greedy.sum() == 1
    torch.testing.assert_close(cool, (logits / 0.7).softmax(0), rtol=1e-4, atol=1e-6)
    torch.testing.assert_close(chances, logits.softmax(0), rtol=1e-4, atol=1e-6)
    early = torch.tensor(found["early"], dtype=torch.float64)
    wanted = trace(model, torch.tensor(tokens))
    streams = torch.stack([wanted[f"{layer}.y"][-1] for layer in range(len(early))])
    with torch.no_grad():
        logits = model.head(model.norm(streams)).double()
    torch.testing.assert_close(early, logits.softmax(1), rtol=1e-4, atol=1e-6)
    torch.testing.assert_close(early[-1], chances)
    ends = chances.cumsum(0)
    for uniform, token in zip([0, 0.3, 0.999999], found["drawn"], strict=True):
        assert ends[token] > uniform
        assert token == 0 or ends[token - 1] <= uniform


@pytest.mark.parametrize(
    "off",
    [
        NOTHING | {"positions": True},
        NOTHING | {"layers": [1, 3]},
        NOTHING | {"heads": [[0], [], [1, 2], []]},
    ],
)
def test_what_is_taken_out_adds_nothing_to_the_stream(off):
    model, tokenizer = loaded()
    tokens = tokenizer.encode(TEXTS[0])
    changed = GPT(**recorded("small_gpt")["sizes"]).eval()
    changed.load_state_dict(model.state_dict())
    width = model.config.embed_dim // model.config.num_heads
    with torch.no_grad():
        if off["positions"]:
            changed.table.zero_()
        for layer, part in enumerate(changed.layers):
            for head in off["heads"][layer]:
                part.attention.output.weight[:, head * width : (head + 1) * width] = 0
            if layer in off["layers"]:
                for last in (part.attention.output, part.feed_forward.down):
                    last.weight.zero_()
                    last.bias.zero_()
        logits = changed(torch.tensor([tokens]))[0]
        before = model(torch.tensor([tokens]))[0]
    found = in_browser(tokens, off)
    ours = torch.tensor(found["logits"]).reshape(-1, logits.shape[1])[: len(tokens)]
    assert (ours - logits).abs().max() < 1e-4
    assert (ours - before).abs().max() > 0.01


def test_multiply_adds_are_those_of_the_matrix_products():
    model, tokenizer = loaded()
    config = model.config
    width, layers = config.embed_dim, config.num_layers
    tokens = tokenizer.encode(TEXTS[0])
    per_row = [
        layers * (12 * width**2 + 2 * width * (row + 1)) + config.vocabulary * width
        for row in range(len(tokens))
    ]
    assert in_browser(tokens)["counts"] == per_row
    fewer = in_browser(tokens, NOTHING | {"layers": [2]})["counts"]
    assert all(less < all_of for less, all_of in zip(fewer, per_row, strict=True))


def test_one_row_more_is_what_the_cache_of_the_solution_gives():
    model, tokenizer = loaded()
    tokens = tokenizer.encode(TEXTS[0])
    step, state = cached(model), None
    with torch.no_grad():
        rows = []
        for token in tokens:
            logits, state = step(torch.tensor([[token]]), state)
            rows.append(logits[0, 0])
    ours = torch.tensor(in_browser(tokens)["logits"]).reshape(-1, len(tokenizer))[: len(tokens)]
    assert (ours - torch.stack(rows)).abs().max() < 1e-4


# The page, in a browser


@pytest.fixture(scope="module")
def used(tmp_path_factory):
    """Answers of the widget on a page to what a reader does: browser/small_gpt.mjs."""
    if why := lacking():
        pytest.skip(why)
    bundles = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(board, "display", lambda bundle, raw: bundles.append(bundle))
        forward_pass(*loaded(), TEXTS[0], "a pass")
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(FILE.parent, folder / "_static" / "small_gpt")
    page = folder / "page.html"
    head = '<!doctype html><html lang="en" data-content_root="./"><title>A page</title>'
    page.write_text(f"{head}<meta charset=utf-8><main>{bundles[0]['text/html']}</main>")
    command = ["node", BROWSER / "small_gpt.mjs", chromium(), page.as_uri(), TEXTS[1]]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def likely(model, tokenizer, tokens):
    """The sentence of the widget after a text, with all parts in place."""
    with torch.no_grad():
        chances, best = model(torch.tensor([tokens]))[0, -1].softmax(dim=-1).topk(3)
    words = [readable(tokenizer.vocabulary[token]) for token in [tokens[-1], *best.tolist()]]
    three = (f"“{word}” {chance:.0%}" for word, chance in zip(words[1:], chances, strict=True))
    return f"Most likely after “{words[0]}”: {', '.join(three)}."


def test_nothing_is_loaded_and_nothing_moves_until_a_reader_asks(used):
    assert used["errors"] == []
    assert used["before"] == [used["url"]]
    assert used["scrolled"] == [used["url"]]
    assert [name.rpartition("/")[2] for name in used["asked"][1:]] == ["gpt.js", "weights.js"]
    assert used["still"] == used["first"]  # of the page's text, without the script and with it


def test_a_text_that_is_typed_is_what_the_model_reads(used):
    model, tokenizer = loaded()
    assert used["first"] == likely(model, tokenizer, tokenizer.encode(TEXTS[0]))
    assert used["typed"] == likely(model, tokenizer, tokenizer.encode(TEXTS[1]))
    assert used["empty"] == "Type at least one character."
    assert used["painted"] > 400  # of 8 × 64 cells; those near zero are clear


def test_what_is_written_at_temperature_0_is_what_the_solution_writes(used):
    model, tokenizer = loaded()
    prompt = torch.tensor([tokenizer.encode(TEXTS[0])])
    tokens = generate(cached(model), prompt, torch.zeros(1, 11), temperature=0.0)[0].tolist()
    assert used["one"] == TEXTS[0] + tokenizer.decode(tokens[:1])
    assert used["eleven"] == TEXTS[0] + tokenizer.decode(tokens)
    assert used["without cache"] == used["eleven"]  # and the same from here on
    count = re.compile(r"this token: ([\d,]+) with the cache.*; ([\d,]+) without.*typed: ([\d,]+)")
    one, all_of, spent = (
        [int(found.replace(",", "")) for found in count.search(price).groups()]
        for price in used["prices"]
    )
    counts = in_browser([*prompt[0].tolist(), *tokens])["counts"]
    read = prompt.shape[1]
    assert one == [counts[read], sum(counts[: read + 1]), sum(counts[: read + 1])]
    assert all_of == [counts[-1], sum(counts), sum(counts)]
    every_row = sum(sum(counts[: read + more]) for more in range(12))
    assert spent == [counts[-1], sum(counts), every_row]


def test_what_is_taken_out_is_told_beside_the_whole_model(used):
    whole = used["first"].partition(": ")[2]
    for told in used["without"]:
        assert told.endswith(f"With all parts in place: {whole}")
        assert not told.startswith(used["first"])
    assert used["again"] == used["first"]


def test_steps_follow_the_keys_and_open_their_layer(used):
    names = ["1/20 Tokens", "2/20 Embeddings", "3/20 Layer 1: Queries, keys, values"]
    assert used["steps"] == [*names, names[1]]
    assert used["opened"] == ["7/20 Layer 2: Queries, keys, values", True]
    assert used["followed"].startswith("Most likely after “The”: ")
    assert " The text continues with “␣value”, " in used["followed"]


def test_axe_finds_nothing_in_it(used):
    assert used["violations"] == []
    assert used["sideways"] <= 0


# The file and its record


def test_weights_are_those_of_the_training_record():
    run, content = recorded("small_gpt"), FILE.read_bytes()
    assert hashlib.sha256(content).hexdigest() == run["sha256"]
    assert len(content) < 1_000_000
    model, tokenizer = loaded()
    assert sum(parameter.numel() for parameter in model.parameters()) == run["parameters"]
    assert len(tokenizer) == run["sizes"]["vocabulary"]
    assert run["seconds"] < 300  # of the processor


@pytest.mark.skipif(
    platform.python_version() != reference.VERSION,
    reason=f"the text that the pages were written for (Python {reference.VERSION})",
)
def test_the_loss_on_unseen_text_is_the_recorded_one():
    run, (model, tokenizer) = recorded("small_gpt"), loaded()
    whole = language_reference()
    unseen = torch.tensor(tokenizer.encode(whole[whole.index("\n", len(whole) * 9 // 10) + 1 :]))
    assert len(unseen) == run["tokens"]["unseen"]
    span = run["sizes"]["longest"]
    with torch.no_grad():
        loss = text_losses(model, unseen, span=span, stride=span // 2).mean().item()
    assert loss == pytest.approx(run["loss"]["unseen, int8"], abs=1e-4)
    assert abs(run["loss"]["unseen, int8"] - run["loss"]["unseen"]) < 0.01


def test_a_model_is_packed_and_read_as_it_is():
    torch.manual_seed(0)
    sizes = {"vocabulary": 259, "embed_dim": 6, "num_heads": 3, "num_layers": 2, "longest": 5}
    model = GPT(**sizes, std=0.5)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter)
    merges = [(72, 73), (256, 65), (1, 2)]
    script = pack(model, merges)
    read, tokenizer = unpack(script)
    assert tokenizer.merges == merges
    for name, tensor in read.state_dict().items():
        given = model.state_dict()[name]
        half = given.reshape(-1, given.shape[-1]).abs().amax(dim=1) / 127 / 2
        gap = (tensor - given).abs().reshape(-1, given.shape[-1]).amax(dim=1)
        assert (gap <= half * 1.001).all(), name
    assert pack(read, merges) == script  # rounding once more changes nothing
    assert read.head.weight is read.embed.weight
    with pytest.raises(ValueError, match="begins with"):
        unpack("alert(1)")


def test_the_folder_of_the_page_holds_no_more_than_the_two_scripts():
    names = {path.name for path in (ROOT / "book/_static/small_gpt").iterdir()}
    assert names == {"gpt.js", "weights.js"}
