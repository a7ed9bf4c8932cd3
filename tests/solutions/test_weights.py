"""Models that others have saved, of all years, and what is refused."""

from __future__ import annotations

import copy
import json
import sys

import pytest
import torch
from safetensors.torch import save_file
from torch import nn

from solutions import weights
from solutions.bert import BERT, to_bert
from solutions.gpt import GPT
from solutions.tokenization import (
    BytePairTokenizer,
    show_token,
    write_merges,
)
from solutions.transformer import Config, DecoderOnly, from_llama, rotary
from solutions.vit import VisionTransformer, to_vit
from solutions.weights import (
    ByteTokenizer,
    WordPieceTokenizer,
    describe,
    load,
    main,
    read_weights,
    rotary_rates,
)

transformers = pytest.importorskip("transformers")

V, D, HEADS, LAYERS, HIDDEN, LONGEST = 31, 24, 3, 2, 13, 40
BERT_CONFIG = {
    "model_type": "bert",
    "vocab_size": V,
    "hidden_size": D,
    "num_attention_heads": HEADS,
    "num_hidden_layers": LAYERS,
    "intermediate_size": HIDDEN,
    "max_position_embeddings": LONGEST,
}
GPT2_CONFIG = {
    "model_type": "gpt2",
    "vocab_size": V,
    "n_embd": D,
    "n_head": HEADS,
    "n_layer": LAYERS,
    "n_positions": LONGEST,
}
VIT_CONFIG = {
    "model_type": "vit",
    "hidden_size": D,
    "num_attention_heads": HEADS,
    "num_hidden_layers": LAYERS,
    "intermediate_size": HIDDEN,
    "image_size": 12,
    "patch_size": 4,
    "num_channels": 3,
    "id2label": {str(label): f"label {label}" for label in range(5)},
}
LLAMA_CONFIG = {
    "model_type": "llama",
    "vocab_size": V,
    "hidden_size": D,
    "num_attention_heads": HEADS,
    "num_hidden_layers": LAYERS,
    "intermediate_size": HIDDEN,
    "max_position_embeddings": LONGEST,
    "rms_norm_eps": 1e-5,
}
CONFIGS = {config["model_type"]: config for config in (BERT_CONFIG, GPT2_CONFIG, VIT_CONFIG)}
CONFIGS["llama"] = LLAMA_CONFIG


def drawn(model):
    """With norms and biases that tell themselves apart from their starts."""
    torch.manual_seed(1)
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.3)
    return model.eval()


def ours(kind, **options):
    sizes = {"embed_dim": D, "num_heads": HEADS, "num_layers": LAYERS}
    if kind == "bert":
        return drawn(BERT(V, **sizes, hidden=HIDDEN, longest=LONGEST, pad=0))
    if kind == "gpt2":
        return drawn(GPT(V, **sizes, longest=LONGEST))
    if kind == "vit":
        shape = {"image_size": 12, "patch_size": 4, "channels": 3, "classes": 5}
        return drawn(VisionTransformer(**shape, **sizes, hidden=HIDDEN, eps=1e-12))
    modern = {"positions": "rotary", "norm": "rms", "norm_first": True, "activation": "swiglu"}
    modern |= {"bias": False, "hidden": HIDDEN, "vocabulary": V}
    return drawn(DecoderOnly(Config(**sizes, **modern, **options)))


def to_gpt2(state):
    """A file's names, from those of a `GPT`."""
    theirs = {"wte.weight": state["embed.weight"], "wpe.weight": state["table"]}
    theirs |= {f"ln_f.{kind}": state[f"norm.{kind}"] for kind in ("weight", "bias")}
    names = {"attention_norm": "ln_1", "attention.output": "attn.c_proj"}
    names |= {"feed_forward_norm": "ln_2", "feed_forward.up": "mlp.c_fc"}
    names |= {"feed_forward.down": "mlp.c_proj"}
    for layer in range(LAYERS):
        for kind in ("weight", "bias"):
            for here, there in names.items():
                tensor = state[f"layers.{layer}.{here}.{kind}"]
                theirs[f"h.{layer}.{there}.{kind}"] = (
                    tensor.movedim(0, -1) if ".c_" in there else tensor
                )
            parts = [
                state[f"layers.{layer}.attention.{part}.{kind}"]
                for part in ("query", "key", "value")
            ]
            theirs[f"h.{layer}.attn.c_attn.{kind}"] = torch.cat(parts).movedim(0, -1)
    return {name: tensor.contiguous() for name, tensor in theirs.items()}


def write(folder, config, state, name="model.safetensors"):
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config))
    if name.endswith(".bin"):
        torch.save(dict(state), folder / name)
    else:
        save_file(
            {key: tensor.clone().contiguous() for key, tensor in state.items()}, folder / name
        )
    return folder


def asked(kind):
    torch.manual_seed(2)
    return torch.randn(2, 3, 12, 12) if kind == "vit" else torch.randint(1, V, (2, 17))


def outputs(model, kind):
    with torch.no_grad():
        found = model(asked(kind))
    return found if isinstance(found, tuple) else (found,)


def same(left, right, kind):
    for one, other in zip(outputs(left, kind), outputs(right, kind), strict=True):
        torch.testing.assert_close(one, other)
        assert one.std() > 0.1


def file_of(kind, model):
    state = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    made = {"bert": to_bert, "vit": to_vit, "gpt2": to_gpt2}
    made["llama"] = lambda state: from_llama(state, back=True)
    return made[kind](state)


# names of all years


@pytest.mark.parametrize("name", ["model.safetensors", "pytorch_model.bin"])
@pytest.mark.parametrize("kind", CONFIGS)
def test_a_file_of_either_sort(tmp_path, kind, name):
    model = ours(kind)
    loaded = load(write(tmp_path, CONFIGS[kind], file_of(kind, model), name))
    same(loaded.model, model, kind)
    assert (loaded.unused, loaded.lacking, loaded.unread) == ([], [], [])
    assert not loaded.model.training


def test_a_file_in_parts(tmp_path):
    model = ours("vit")
    state = file_of("vit", model)
    for part in (0, 1):
        some = dict(list(state.items())[part::2])
        write(tmp_path, VIT_CONFIG, some, f"model-0000{part + 1}-of-00002.safetensors")
    where = {name: f"model-0000{n % 2 + 1}-of-00002.safetensors" for n, name in enumerate(state)}
    index = tmp_path / "model.safetensors.index.json"
    index.write_text(json.dumps({"metadata": {}, "weight_map": where}))
    same(load(tmp_path).model, model, "vit")


def test_a_bert_of_2018(tmp_path):
    """gamma and beta, the numbers of positions, the decoder once more, and no model_type."""
    model = ours("bert")
    state = {
        name.replace("LayerNorm.weight", "LayerNorm.gamma").replace(
            "LayerNorm.bias", "LayerNorm.beta"
        ): tensor
        for name, tensor in file_of("bert", model).items()
    }
    assert sum(name.endswith("LayerNorm.gamma") for name in state) == 2 + 2 * LAYERS
    state["bert.embeddings.position_ids"] = torch.arange(LONGEST)[None]
    state["bert.embeddings.token_type_ids"] = torch.zeros(1, LONGEST, dtype=torch.int64)
    config = {name: value for name, value in BERT_CONFIG.items() if name != "model_type"}
    config["architectures"] = ["BertForPreTraining"]
    same(load(write(tmp_path, config, state)).model, model, "bert")


def test_an_encoder_alone_says_what_it_lacks(tmp_path):
    model = ours("bert")
    state = file_of("bert", model)
    bare = {k[5:]: tensor for k, tensor in state.items() if k.startswith("bert.")}
    head = {"classifier.weight": torch.zeros(2, D), "classifier.bias": torch.zeros(2)}
    loaded = load(write(tmp_path / "bare", BERT_CONFIG, bare | head))
    assert sorted(loaded.unused) == ["classifier.bias", "classifier.weight"]
    assert {name.partition(".")[0] for name in loaded.lacking} == {"masked", "next"}
    tokens = asked("bert")
    torch.testing.assert_close(loaded.model.states(tokens)[-1], model.states(tokens)[-1])
    said = describe(loaded)
    assert "without a place here: classifier." in said
    assert "so random: masked.bias" in said

    masked = {k: t for k, t in state.items() if "pooler" not in k and "seq_rel" not in k}
    loaded = load(write(tmp_path / "masked", BERT_CONFIG, masked))
    assert {name.partition(".")[0] for name in loaded.lacking} == {"pooler", "next"}
    torch.testing.assert_close(outputs(loaded.model, "bert")[0], outputs(model, "bert")[0])


@pytest.mark.parametrize("prefix", ["", "transformer."])
def test_a_gpt2_of_2019(tmp_path, prefix):
    """Masks among the weights, with and without a prefix."""
    model = ours("gpt2")
    state = {f"{prefix}{k}": tensor for k, tensor in file_of("gpt2", model).items()}
    for layer in range(LAYERS):
        state[f"{prefix}h.{layer}.attn.bias"] = torch.ones(1, 1, LONGEST, LONGEST)
        state[f"{prefix}h.{layer}.attn.masked_bias"] = torch.tensor(-1e4)
    same(load(write(tmp_path, GPT2_CONFIG, state)).model, model, "gpt2")


@pytest.mark.parametrize("tied", [False, True])
def test_a_llama_of_2023(tmp_path, tied):
    """Rates among the weights; tied, there is no lm_head."""
    model = ours("llama", tied=tied, eps=1e-5)
    state = file_of("llama", model)
    for layer in range(LAYERS):
        state[f"model.layers.{layer}.self_attn.rotary_emb.inv_freq"] = torch.ones(D // HEADS // 2)
    if tied:
        del state["lm_head.weight"]
    config = LLAMA_CONFIG | {"tie_word_embeddings": tied}
    same(load(write(tmp_path, config, state)).model, model, "llama")


def test_a_vit_without_its_head(tmp_path):
    model = ours("vit")
    state = {k.removeprefix("vit."): t for k, t in file_of("vit", model).items()}
    del state["classifier.weight"], state["classifier.bias"]
    state |= {"pooler.dense.weight": torch.zeros(D, D), "pooler.dense.bias": torch.zeros(D)}
    loaded = load(write(tmp_path, VIT_CONFIG, state))
    assert loaded.lacking == ["classifier.weight", "classifier.bias"]
    assert len(loaded.unused) == 2
    images = asked("vit")
    torch.testing.assert_close(loaded.model.embed(images), model.embed(images))


# what transformers saves


def theirs(kind, **options):
    config = {k: v for k, v in CONFIGS[kind].items() if k != "model_type"} | options
    made = {
        "bert": (transformers.BertForPreTraining, transformers.BertConfig),
        "gpt2": (transformers.GPT2LMHeadModel, transformers.GPT2Config),
        "vit": (transformers.ViTForImageClassification, transformers.ViTConfig),
        "llama": (transformers.LlamaForCausalLM, transformers.LlamaConfig),
    }[kind]
    return drawn(made[0](made[1](**copy.deepcopy(config))))  # it writes into what it is given


SCALED = {
    "linear": {"rope_type": "linear", "factor": 2.5},
    "llama3": {
        "rope_type": "llama3",
        "factor": 8.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 16,
    },
}


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("bert", {}),
        ("gpt2", {}),
        ("vit", {}),
        ("llama", {}),
        ("llama", {"tie_word_embeddings": True, "num_key_value_heads": 1}),
        ("llama", {"rope_scaling": SCALED["linear"]}),
        ("llama", {"rope_scaling": SCALED["llama3"], "rope_theta": 50.0}),
    ],
)
def test_what_transformers_saves_gives_its_logits(tmp_path, kind, options):
    model = theirs(kind, **options)
    model.save_pretrained(tmp_path)
    loaded = load(tmp_path)
    assert (loaded.unused, loaded.lacking, loaded.unread) == ([], [], [])
    with torch.no_grad():
        expected = model(asked(kind))
    names = ("prediction_logits", "seq_relationship_logits") if kind == "bert" else ("logits",)
    for got, name in zip(outputs(loaded.model, kind), names, strict=True):
        torch.testing.assert_close(got, expected[name], rtol=1e-4, atol=1e-5)
    if "rope_scaling" in options:  # it does make a difference
        plain = load(
            write(tmp_path / "plain", LLAMA_CONFIG | {"rms_norm_eps": 1e-5}, read_weights(tmp_path))
        )
        assert (outputs(plain.model, kind)[0] - expected.logits).abs().max() > 0.05


def test_vit_goes_back_under_the_names_of_files(tmp_path):
    model = theirs("vit")
    model.save_pretrained(tmp_path)
    state = read_weights(tmp_path)
    back = to_vit(load(tmp_path).model.state_dict())
    assert back.keys() == state.keys()
    assert all(torch.equal(back[name], tensor) for name, tensor in state.items())


@pytest.mark.parametrize("kind", SCALED)
def test_rates_of_version_4_and_of_version_5(kind):
    """Version 5 keeps the base beside the scaling; before 2024 the kind was called type."""
    config = LLAMA_CONFIG | {"rope_theta": 50.0, "rope_scaling": SCALED[kind]}
    rates = rotary_rates(config)
    assert rates == rotary_rates(
        LLAMA_CONFIG | {"rope_parameters": SCALED[kind] | {"rope_theta": 50.0}}
    )
    older = {"type" if name == "rope_type" else name: v for name, v in SCALED[kind].items()}
    assert rates == rotary_rates(config | {"rope_scaling": older})
    plain = [50.0 ** (-pair / 4) for pair in range(4)]
    if kind == "linear":
        assert rates == pytest.approx([rate / 2.5 for rate in plain])
    else:
        assert rates[0] < plain[0]  # between: it turns 2.5 times in 16 positions
        assert rates[1:] == pytest.approx([rate / 8 for rate in plain[1:]])
    x = torch.randn(2, 5, 8, dtype=torch.float64)
    given = rotary(x, base=tuple(rate / 2.5 for rate in plain))
    torch.testing.assert_close(given, rotary(x, torch.arange(5) / 2.5, base=50.0))


# what is refused


@pytest.mark.parametrize(
    ("kind", "change", "match"),
    [
        ("gpt2", {"activation_function": "relu"}, "activation_function = 'relu'"),
        ("gpt2", {"n_inner": 7}, "n_inner must be 96"),
        ("gpt2", {"layer_norm_epsilon": 1e-6}, "layer_norm_epsilon"),
        ("gpt2", {"scale_attn_by_inverse_layer_idx": True}, "scale_attn_by_inverse_layer_idx"),
        ("gpt2", {"tie_word_embeddings": False}, "tie_word_embeddings"),
        ("bert", {"position_embedding_type": "relative_key"}, "position_embedding_type"),
        ("bert", {"hidden_act": "relu"}, "hidden_act = 'relu'"),
        ("bert", {"is_decoder": True}, "is_decoder"),
        ("vit", {"qkv_bias": False}, "qkv_bias"),
        ("vit", {"image_size": [12, 8]}, "image_size must be one number"),
        ("llama", {"attention_bias": True}, "attention_bias"),
        ("llama", {"head_dim": 16}, "head_dim must be"),
        ("llama", {"rope_scaling": {"rope_type": "yarn", "factor": 2.0}}, "type 'yarn'"),
        ("llama", {"rope_scaling": {"type": "dynamic", "factor": 2.0}}, "type 'dynamic'"),
        ("llama", {"model_type": "mistral"}, "model_type 'mistral' is not one of gpt2"),
    ],
)
def test_what_is_not_built_is_refused_by_name(tmp_path, kind, change, match):
    write(tmp_path, CONFIGS[kind] | change, file_of(kind, ours(kind)))
    with pytest.raises(ValueError, match=match):
        load(tmp_path)


@pytest.mark.parametrize("kind", CONFIGS)
def test_unknown_weights_are_all_listed_and_missing_ones_too(tmp_path, kind):
    state = file_of(kind, ours(kind))
    write(tmp_path, CONFIGS[kind], state | {"h.0.this": torch.ones(1), "that": torch.ones(1)})
    with pytest.raises(ValueError, match=r"no place is known for (?=.*\.0\.this).*that"):
        load(tmp_path)
    dropped = next(name for name in state if ".0." in name)
    write(tmp_path, CONFIGS[kind], {k: t for k, t in state.items() if k != dropped})
    with pytest.raises(ValueError, match=r"the files lack .*layers\.0\."):
        load(tmp_path)


@pytest.mark.parametrize(
    ("kind", "copy"),
    [
        ("bert", "cls.predictions.decoder.weight"),
        ("gpt2", "lm_head.weight"),
        ("llama", "lm_head.weight"),
    ],
)
def test_heads_with_weights_of_their_own_are_not_tied_silently(tmp_path, kind, copy):
    state = file_of(kind, ours(kind)) | {copy: torch.randn(V, D)}
    config = CONFIGS[kind] | {"tie_word_embeddings": True}
    with pytest.raises(ValueError, match="tied here"):
        load(write(tmp_path, config, state))
    if kind == "llama":
        del state[copy]
        with pytest.raises(ValueError, match=r"lm_head\.weight is missing"):
            load(write(tmp_path, LLAMA_CONFIG, state))


def test_other_keys_of_a_config_are_said(tmp_path):
    write(tmp_path, GPT2_CONFIG | {"novelty": 3, "resid_pdrop": 0.1}, file_of("gpt2", ours("gpt2")))
    loaded = load(tmp_path)
    assert loaded.unread == ["novelty"]
    assert "not looked at: novelty" in describe(loaded)


def test_a_folder_without_weights(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps(GPT2_CONFIG))
    with pytest.raises(FileNotFoundError, match=r"neither model\.safetensors nor"):
        load(tmp_path)


# tokenizers

TEXT = "The cat sat on the mat, the other cats sat there; it's 3.14 o'clock — café, 猫!\n\n  x\n"


def bytes_folder(folder):
    trained = BytePairTokenizer()
    trained.train(TEXT * 3, 300)
    shown = [show_token(token) for token in trained.vocabulary]
    numbers = {token: 7 + place for place, token in enumerate(shown)} | {"<|endoftext|>": 2}
    folder.mkdir(exist_ok=True)
    (folder / "vocab.json").write_text(json.dumps(numbers), encoding="utf-8")
    lines = ["#version: 0.2", *write_merges(trained.merges)]
    (folder / "merges.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return len(numbers) + 7


def test_gpt2s_files_give_its_numbers(tmp_path):
    bytes_folder(tmp_path)
    mine = ByteTokenizer(tmp_path)
    other = transformers.GPT2Tokenizer(str(tmp_path / "vocab.json"), str(tmp_path / "merges.txt"))
    for text in (TEXT, "Lothlorien<|endoftext|>the cat", ""):
        assert mine.encode(text) == other(text)["input_ids"]
        assert mine.decode(mine.encode(text)) == text
    other.save_pretrained(tmp_path / "saved")  # version 5 writes tokenizer.json alone
    again = ByteTokenizer(tmp_path / "saved")
    assert again.encode(TEXT) == mine.encode(TEXT)
    assert again.ids == mine.ids
    file = tmp_path / "saved" / "tokenizer.json"
    saved = json.loads(file.read_text())
    saved["pre_tokenizer"]["add_prefix_space"] = True
    file.write_text(json.dumps(saved))
    (tmp_path / "saved" / "merges.txt").unlink(missing_ok=True)
    with pytest.raises(ValueError, match="another way than GPT-2"):
        ByteTokenizer(tmp_path / "saved")
    saved["model"]["type"] = "Unigram"
    file.write_text(json.dumps(saved))
    with pytest.raises(ValueError, match="Unigram"):
        ByteTokenizer(tmp_path / "saved")
    numbers = json.loads((tmp_path / "vocab.json").read_text())
    del numbers["at"]
    (tmp_path / "vocab.json").write_text(json.dumps(numbers))
    with pytest.raises(ValueError, match="no number for at"):
        ByteTokenizer(tmp_path)


WORDS = (
    "[PAD] [UNK] [CLS] [SEP] [MASK] the cat ##s sat ##ting cafe café , . ! ' ` $ — 猫 The C ##at"
)


@pytest.mark.parametrize("lower", [True, False])
def test_berts_vocabulary_gives_its_numbers(tmp_path, lower):
    (tmp_path / "vocab.txt").write_text("\n".join(WORDS.split()) + "\n", encoding="utf-8")
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"do_lower_case": lower}))
    mine = WordPieceTokenizer(tmp_path)
    other = transformers.BertTokenizer(str(tmp_path / "vocab.txt"), do_lower_case=lower)
    texts = [
        "The cats sat, the cat's sitting.",
        "Café — cafe\u0301! 猫猫\tthe\x00 \ufffdcat$`",
        "the [MASK] sat [UNK] [SEP] cat",
        "cat" * 40,
        "",
    ]
    for text in texts:
        assert mine.encode(text) == other(text)["input_ids"], text
    other.save_pretrained(tmp_path / "saved")
    again = WordPieceTokenizer(tmp_path / "saved")
    assert (again.vocabulary, again.lower) == (mine.vocabulary, lower)
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"tokenize_chinese_chars": False}))
    with pytest.raises(ValueError, match="tokenize_chinese_chars = False"):
        WordPieceTokenizer(tmp_path)


# the command


def run(monkeypatch, capsys, *words):
    monkeypatch.setattr(sys, "argv", ["weights", *map(str, words)])
    main()
    return capsys.readouterr().out


def test_the_command_shows_all_four(tmp_path, monkeypatch, capsys):
    size = bytes_folder(tmp_path / "gpt2")
    torch.manual_seed(0)
    config = GPT2_CONFIG | {"vocab_size": size}
    sizes = {"embed_dim": D, "num_heads": HEADS, "num_layers": LAYERS, "longest": LONGEST}
    model = drawn(GPT(size, **sizes))
    # the numbers 0 to 6 but 2 have no token: no guess falls on them
    model.embed.weight.data[:7] = 0.0
    write(tmp_path / "gpt2", config, to_gpt2(model.state_dict()))
    said = run(monkeypatch, capsys, tmp_path / "gpt2", "--text", "The cat")
    assert said.startswith("gpt2: ")
    assert "\nThe cat|" in said

    words = WORDS.split()
    bert = drawn(BERT(len(words), hidden=HIDDEN, pad=0, **sizes))
    folder = tmp_path / "bert"
    write(folder, BERT_CONFIG | {"vocab_size": len(words)}, to_bert(bert.state_dict()))
    (folder / "vocab.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
    said = run(monkeypatch, capsys, folder, "--text", "the [MASK] sat")
    tokens = torch.tensor([[2, 5, 4, 8, 3]])
    best = words[bert(tokens)[0][0, 2].argmax()]
    assert f"at 2, [MASK]: {best} " in said

    folder = write(tmp_path / "vit", VIT_CONFIG, to_vit(ours("vit").state_dict()))
    said = run(monkeypatch, capsys, folder)
    best = ours("vit")(torch.zeros(1, 3, 12, 12)).argmax()  # gray is 0 after the usual shift
    assert said.splitlines()[-1].startswith(f"label {best} ")
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.imsave(tmp_path / "red.png", torch.tensor([1.0, 0.0, 0.0]).expand(12, 12, 3).numpy())
    red = torch.tensor([1.0, -1.0, -1.0])[None, :, None, None].expand(1, 3, 12, 12)
    best = ours("vit")(red).argmax()
    said = run(monkeypatch, capsys, folder, "--image", tmp_path / "red.png")
    assert said.splitlines()[-1].startswith(f"label {best} ")

    folder = write(tmp_path / "llama", LLAMA_CONFIG, file_of("llama", ours("llama", eps=1e-5)))
    said = run(monkeypatch, capsys, folder, "--ids", 1, 2, 3)
    first = ours("llama", eps=1e-5)(torch.tensor([[1, 2, 3]]))[0, -1].argmax()
    assert f"[1, 2, 3] continues with [{first}, " in said
    with pytest.raises(SystemExit):
        run(monkeypatch, capsys, folder)
    said = capsys.readouterr().err
    assert "neither merges.txt nor tokenizer.json; --ids takes" in said
    with pytest.raises(SystemExit):
        run(monkeypatch, capsys, folder, "--ids", V)
    assert f"the numbers 0 to {V - 1}" in capsys.readouterr().err


def test_every_kind_says_what_it_reads():
    assert weights.KINDS.keys() == weights.ONLY.keys() == weights.READ.keys()
    assert weights.KINDS.keys() == weights.NO_PART.keys()
