"""Models that others have trained: GPT-2, BERT, ViT and Llama from a folder of `transformers`.

    python -m solutions.weights FOLDER --text "The capital of France is"

The folder holds what ``save_pretrained`` writes and what model hubs offer for download:
``config.json``, the weights in one or several files (safetensors or ``.bin``), and perhaps a
tokenizer. Nothing is fetched, and nothing in it is run. What these models cannot do is refused by
its name in the config; weights without a place are listed.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import unicodedata
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional as F

from solutions.bert import BERT, from_bert
from solutions.gpt import GPT, cached, from_gpt2, generate
from solutions.tokenization import BytePairTokenizer, read_merges, show_token, wordpiece
from solutions.transformer import Config, DecoderOnly, from_llama
from solutions.vit import VisionTransformer, from_vit

FILES = ("model.safetensors", "pytorch_model.bin")
NO_PART = {  # parts of a file that have no place here, by the beginnings of their names
    "gpt2": ("score.", "classifier."),
    "bert": ("classifier.", "qa_outputs."),
    "vit": ("pooler.", "vit.pooler.", "embeddings.mask_token", "vit.embeddings.mask_token"),
    "llama": ("score.", "qa_outputs."),
}
MAY_LACK = {"bert": ("masked.", "next.", "pooler."), "vit": ("classifier.",)}  # ours, not there
ONLY = {  # the values that are built here of what a config may say; the first if it says nothing
    "gpt2": {
        "activation_function": ("gelu_new", "gelu_pytorch_tanh"),
        "layer_norm_epsilon": (1e-5,),
        "scale_attn_weights": (True,),
        "scale_attn_by_inverse_layer_idx": (False,),
        "add_cross_attention": (False,),
        "tie_word_embeddings": (True,),
    },
    "bert": {
        "hidden_act": ("gelu",),
        "position_embedding_type": ("absolute",),
        "type_vocab_size": (2,),
        "is_decoder": (False,),
        "add_cross_attention": (False,),
        "tie_word_embeddings": (True,),
    },
    "vit": {"hidden_act": ("gelu",), "qkv_bias": (True,)},
    "llama": {
        "hidden_act": ("silu",),
        "attention_bias": (False,),
        "mlp_bias": (False,),
        "partial_rotary_factor": (1.0,),
    },
}
READ = {  # what else is read from a config
    "gpt2": "vocab_size n_embd n_head n_layer n_positions n_inner n_ctx",
    "bert": "vocab_size hidden_size num_attention_heads num_hidden_layers intermediate_size "
    "max_position_embeddings pad_token_id layer_norm_eps",
    "vit": "image_size patch_size num_channels hidden_size num_attention_heads num_hidden_layers "
    "intermediate_size layer_norm_eps id2label",
    "llama": "vocab_size hidden_size num_attention_heads num_key_value_heads num_hidden_layers "
    "intermediate_size rms_norm_eps tie_word_embeddings head_dim rope_theta rope_scaling "
    "rope_parameters max_position_embeddings",
}
NO_MATTER = re.compile(  # of training, of sampling, of other heads, of precision and of origin
    r".*(dropout.*|_pdrop|initializer.*|token_id|dtype|version|label.*|summary_.*|pooler_.*)$"
    r"|(_name_or_path|architectures|model_type|use_cache|pretraining_tp|encoder_stride|gradient_"
    r"checkpointing|directionality|task_specific_params|reorder_and_upcast_attn|finetuning_task"
    r"|output_(attentions|hidden_states|past)|return_dict|problem_type|num_labels|transformers_.*"
    r"|chunk_size_feed_forward|attn_implementation|_attn_implementation.*|classifier_.*)$"
)


# positions


def rotary_rates(config: Mapping[str, Any]) -> float | tuple[float, ...]:
    """Rates of the rotary positions, from the config of a Llama.

    With rates r_i = 1 / base^{2i/d_k}: ``linear`` divides all of them by a factor (Chen et al.
    2023, "Extending Context Window of Large Language Models via Position Interpolation").
    ``llama3`` divides those whose turn 2π/r is longer than the text of the first training over
    ``low_freq_factor``, leaves those shorter than that text over ``high_freq_factor``, and goes
    from one to the other in between (Llama Team 2024, "The Llama 3 Herd of Models", their code).

    Args:
        config: its ``config.json``. The base is ``rope_theta``; ``rope_scaling`` (from version 5
            on, both are in ``rope_parameters``) names the kind by ``rope_type``, or ``type``.

    Returns:
        The base, or the rates where they are scaled: `Config`'s ``rotary_base``.

    Raises:
        ValueError: another kind; the message names it.
    """
    given = config.get("rope_parameters") or {}
    given = {**given, **(config.get("rope_scaling") or {})}
    base = float(given.get("rope_theta") or config.get("rope_theta") or 10_000.0)
    kind = given.get("rope_type", given.get("type", "default"))
    if given.get("partial_rotary_factor", 1.0) != 1.0:
        raise ValueError("partial_rotary_factor is not implemented")
    if kind == "default":
        return base
    if kind not in ("linear", "llama3"):
        raise ValueError(f"rope_scaling of the type {kind!r} is not implemented")
    width = _of_heads(config)
    factor = float(given["factor"])
    rates = [base ** (-2 * pair / width) for pair in range(width // 2)]
    if kind == "linear":
        return tuple(rate / factor for rate in rates)
    low, high = float(given["low_freq_factor"]), float(given["high_freq_factor"])
    text = given.get("original_max_position_embeddings") or config["max_position_embeddings"]
    scaled = []
    for rate in rates:
        turns = text * rate / (2 * math.pi)  # of this pair, in a text of the first training
        kept = min(max((turns - low) / (high - low), 0.0), 1.0)
        scaled.append(kept * rate + (1 - kept) * rate / factor)
    return tuple(scaled)


def _of_heads(config: Mapping[str, Any]) -> int:
    """Features of a head."""
    width = config["hidden_size"] // config["num_attention_heads"]
    if (config.get("head_dim") or width) != width:
        raise ValueError(f"head_dim must be hidden_size / num_attention_heads, {width}")
    return width


# models


def _gpt2(config: Mapping[str, Any]) -> nn.Module:
    if config.get("n_inner") not in (None, 4 * config["n_embd"]):
        raise ValueError(f"n_inner must be {4 * config['n_embd']}, 4 · n_embd")
    return GPT(
        config["vocab_size"],
        embed_dim=config["n_embd"],
        num_heads=config["n_head"],
        num_layers=config["n_layer"],
        longest=config.get("n_positions") or config["n_ctx"],
    )


def _bert(config: Mapping[str, Any]) -> nn.Module:
    return BERT(
        config["vocab_size"],
        embed_dim=config["hidden_size"],
        num_heads=config["num_attention_heads"],
        num_layers=config["num_hidden_layers"],
        hidden=config["intermediate_size"],
        longest=config["max_position_embeddings"],
        pad=config.get("pad_token_id") or 0,
        eps=config.get("layer_norm_eps", 1e-12),
    )


def _vit(config: Mapping[str, Any]) -> nn.Module:
    for name in ("image_size", "patch_size"):
        if not isinstance(config.get(name, 0), int):
            raise ValueError(f"{name} must be one number, got {config[name]}")
    return VisionTransformer(
        image_size=config.get("image_size", 224),
        patch_size=config.get("patch_size", 16),
        channels=config.get("num_channels", 3),
        classes=len(config.get("id2label") or "01"),
        embed_dim=config["hidden_size"],
        num_heads=config["num_attention_heads"],
        num_layers=config["num_hidden_layers"],
        hidden=config["intermediate_size"],
        eps=config.get("layer_norm_eps", 1e-12),
    )


def _llama(config: Mapping[str, Any]) -> nn.Module:
    _of_heads(config)
    return DecoderOnly(
        Config(
            vocabulary=config["vocab_size"],
            embed_dim=config["hidden_size"],
            num_heads=config["num_attention_heads"],
            kv_heads=config.get("num_key_value_heads"),
            num_layers=config["num_hidden_layers"],
            hidden=config["intermediate_size"],
            positions="rotary",
            rotary_base=rotary_rates(config),
            norm="rms",
            eps=config.get("rms_norm_eps", 1e-6),
            norm_first=True,
            activation="swiglu",
            bias=False,
            tied=bool(config.get("tie_word_embeddings")),
        )
    )


KINDS: dict[str, tuple[Callable, Callable]] = {
    "gpt2": (_gpt2, from_gpt2),
    "bert": (_bert, from_bert),
    "vit": (_vit, from_vit),
    "llama": (_llama, from_llama),
}


class Loaded(NamedTuple):
    """A model of ours with others' weights.

    Attributes:
        model: in evaluation mode, float32.
        config: what its ``config.json`` says.
        unused: names of weights in the files that have no place in the model.
        lacking: names of the model's parameters that the files lack; they are random.
        unread: what the config says that nobody looked at.
    """

    model: nn.Module
    config: dict[str, Any]
    unused: list[str]
    lacking: list[str]
    unread: list[str]


def read_weights(folder: str | os.PathLike) -> dict[str, Tensor]:
    """All tensors of a folder.

    Args:
        folder: with ``model.safetensors`` or ``pytorch_model.bin``, or with several files of
            either kind and their index, a JSON file.

    Returns:
        Tensors by the names that they have there. ``.bin`` is read as weights alone: what else a
        pickle could do is refused.

    Raises:
        FileNotFoundError: there are no such files.
    """
    folder = Path(folder)
    for name in FILES:
        if (folder / name).exists():
            return _read(folder / name)
        index = folder / f"{name}.index.json"
        if index.exists():
            files = sorted({*json.loads(index.read_text())["weight_map"].values()})
            return {k: tensor for file in files for k, tensor in _read(folder / file).items()}
    raise FileNotFoundError(f"{folder} holds neither {FILES[0]} nor {FILES[1]}, nor their index")


def _read(path: Path) -> dict[str, Tensor]:
    if path.suffix == ".safetensors":
        return load_file(path)
    return torch.load(path, map_location="cpu", weights_only=True)


def load(folder: str | os.PathLike) -> Loaded:
    """Read a model.

    Args:
        folder: what ``save_pretrained`` of `transformers` has written, of version 4, 5 or before.

    Returns:
        The model, and what did not fit.

    Raises:
        ValueError: the model is of another kind, its config asks for what is not built here, or
            its weights have names that nobody knows, all of which are listed; or weights are
            missing, other than those of a head.
        FileNotFoundError: a file is missing.
    """
    config = json.loads((Path(folder) / "config.json").read_text())
    kind = config.get("model_type")
    if kind is None:  # as before 2020: then the class that was saved tells
        saved = "".join(config.get("architectures") or []).lower()
        kind = next((known for known in KINDS if saved.startswith(known)), None)
    if kind not in KINDS:
        raise ValueError(f"model_type {kind!r} is not one of {', '.join(KINDS)}")
    config["model_type"] = kind
    for name, allowed in ONLY[kind].items():
        if config.get(name, allowed[0]) not in allowed:
            raise ValueError(
                f"{name} = {config[name]!r} is not implemented for {kind}; "
                f"{' or '.join(map(repr, allowed))} is"
            )
    build, rename = KINDS[kind]
    model = build(config)
    state = read_weights(folder)
    unused = [name for name in state if name.startswith(NO_PART[kind])]
    used = {name: tensor for name, tensor in state.items() if name not in unused}
    head, table = _last(used, "lm_head.weight"), _last(used, "wte.weight", "embed_tokens.weight")
    tied = kind == "gpt2" or (kind == "llama" and config.get("tie_word_embeddings"))
    if tied and head is not None and not torch.equal(head, table):
        raise ValueError("lm_head.weight is not the table of embeddings, to which it is tied here")
    if kind == "llama" and not tied and head is None:
        raise ValueError("lm_head.weight is missing, and tie_word_embeddings is false")
    ours = rename(used)
    found = model.load_state_dict(ours, strict=False)
    if found.unexpected_keys:
        raise ValueError(f"no place is known for {', '.join(found.unexpected_keys)}")
    optional = MAY_LACK.get(kind, ())
    if missing := [name for name in found.missing_keys if not name.startswith(optional)]:
        raise ValueError(f"the files lack {', '.join(missing)}")
    known = {*ONLY[kind], *READ[kind].split()}
    unread = [k for k, value in config.items() if not (k in known or NO_MATTER.match(k))]
    return Loaded(model.eval(), config, unused, found.missing_keys, unread)


def _last(state: Mapping[str, Tensor], *endings: str) -> Tensor | None:
    return next((tensor for name, tensor in state.items() if name.endswith(endings)), None)


# tokenizers


class ByteTokenizer:
    """GPT-2's tokenizer with the numbers of its ``vocab.json``.

    Attributes:
        tokenizer: `BytePairTokenizer`.
        ids: the number there of each of its tokens.
    """

    def __init__(self, folder: str | os.PathLike) -> None:
        """Read ``vocab.json`` and ``merges.txt``, or ``tokenizer.json``, which version 5 writes.

        Args:
            folder: that holds them.

        Raises:
            ValueError: a token that the merges make has no number, or a text is cut in another way
                than GPT-2 does.
            FileNotFoundError: there are no such files.
        """
        if (Path(folder) / "merges.txt").exists():
            numbers = json.loads((Path(folder) / "vocab.json").read_text(encoding="utf-8"))
            lines = (Path(folder) / "merges.txt").read_text(encoding="utf-8").split("\n")
        else:
            found = _tokenizer_json(folder, "BPE", "ByteLevel")
            cuts = found["pre_tokenizer"]
            if found["normalizer"] or cuts["add_prefix_space"] or not cuts.get("use_regex", True):
                raise ValueError("tokenizer.json cuts a text in another way than GPT-2")
            added = {token["content"]: token["id"] for token in found["added_tokens"]}
            numbers = found["model"]["vocab"] | added
            merges = found["model"]["merges"]  # each a text, or since 2024 a list of two
            lines = [line if isinstance(line, str) else " ".join(line) for line in merges]
        plain = BytePairTokenizer(read_merges(lines))
        shown = [show_token(token) for token in plain.vocabulary]
        if missing := [token for token in shown if token not in numbers]:
            raise ValueError(f"vocab.json has no number for {', '.join(missing[:5])}")
        specials = sorted(numbers.keys() - {*shown}, key=numbers.__getitem__)
        self.tokenizer = BytePairTokenizer(plain.merges, specials)
        self.ids = [numbers[token] for token in (*shown, *specials)]
        self._back = {number: token for token, number in enumerate(self.ids)}

    def encode(self, text: str) -> list[int]:
        """Text to numbers.

        Args:
            text: any string.

        Returns:
            One number per token.
        """
        return [self.ids[token] for token in self.tokenizer.encode(text)]

    def decode(self, ids: list[int]) -> str:
        """Numbers to text.

        Args:
            ids: numbers of ``vocab.json``; others, of which a model may have some more, are left
                out.

        Returns:
            The text.
        """
        known = [self._back[number] for number in ids if number in self._back]
        return self.tokenizer.decode(known)


class WordPieceTokenizer:
    """BERT's tokenizer: words and marks, and each in parts (`wordpiece`).

    Attributes:
        vocabulary: the tokens in the order of their numbers, a list.
        lower: whether letters become small and lose their accents.
    """

    def __init__(self, folder: str | os.PathLike) -> None:
        """Read ``vocab.txt``, or ``tokenizer.json``; and ``tokenizer_config.json``, if it is there.

        Args:
            folder: that holds them. ``do_lower_case`` is true if nothing says otherwise.

        Raises:
            ValueError: a text is cut in another way than by BERT.
            FileNotFoundError: there are no such files.
        """
        if (Path(folder) / "vocab.txt").exists():
            lines = (Path(folder) / "vocab.txt").read_text(encoding="utf-8").split("\n")
            self.vocabulary = [line.rstrip("\r") for line in lines]
            if self.vocabulary[-1] == "":
                self.vocabulary.pop()
        else:
            found = _tokenizer_json(folder, "WordPiece", "BertPreTokenizer")["model"]["vocab"]
            self.vocabulary = sorted(found, key=found.__getitem__)
        self._number = {token: number for number, token in enumerate(self.vocabulary)}
        settings = Path(folder) / "tokenizer_config.json"
        given = json.loads(settings.read_text()) if settings.exists() else {}
        self.lower = given.get("do_lower_case", True)
        for name, only in (("tokenize_chinese_chars", True), ("strip_accents", self.lower)):
            if given.get(name) not in (None, only):
                raise ValueError(f"{name} = {given[name]} is not implemented")
        self._specials = [token for token in self.vocabulary if re.fullmatch(r"\[[A-Z]+\]", token)]

    def words(self, text: str) -> list[str]:
        """Cut a text into words, marks and Chinese characters, as BERT's code does.

        Args:
            text: any string; control characters are left out.

        Returns:
            No spaces among them.
        """
        kept = [" " if letter.isspace() else letter for letter in text if letter not in "\0\ufffd"]
        kept = [letter for letter in kept if unicodedata.category(letter)[0] != "C"]
        spaced = "".join(f" {letter} " if _chinese(letter) else letter for letter in kept)
        if self.lower:
            apart = unicodedata.normalize("NFD", spaced.lower())
            spaced = "".join(letter for letter in apart if unicodedata.category(letter) != "Mn")
        return "".join(f" {letter} " if _mark(letter) else letter for letter in spaced).split()

    def encode(self, text: str) -> list[int]:
        """Text to numbers, between [CLS] and [SEP].

        Args:
            text: any string; ``[MASK]`` and other special tokens in it are one token each.

        Returns:
            One number per token; [UNK] for a word that cannot be cut, or of over 100 letters.
        """
        pattern = "|".join(map(re.escape, self._specials))
        tokens = ["[CLS]"]
        for part in re.split(f"({pattern})", text):
            if part in self._specials:
                tokens.append(part)
                continue
            for word in self.words(part):
                tokens += wordpiece(word, self._number) if len(word) <= 100 else ["[UNK]"]
        return [self._number[token] for token in (*tokens, "[SEP]")]


def _tokenizer_json(folder: str | os.PathLike, model: str, cuts: str) -> dict[str, Any]:
    file = Path(folder) / "tokenizer.json"
    if not file.exists():
        other = "merges.txt" if model == "BPE" else "vocab.txt"
        raise FileNotFoundError(f"{folder} holds neither {other} nor tokenizer.json")
    found = json.loads(file.read_text(encoding="utf-8"))
    kinds = found["model"].get("type"), (found["pre_tokenizer"] or {}).get("type")
    if kinds != (model, cuts):
        raise ValueError(f"tokenizer.json is of the kinds {kinds}, and {(model, cuts)} are read")
    return found


def _chinese(letter: str) -> bool:
    code = ord(letter)
    blocks = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2A6DF))
    blocks += ((0x2A700, 0x2B73F), (0x2B740, 0x2B81F), (0x2B820, 0x2CEAF), (0x2F800, 0x2FA1F))
    return any(first <= code <= last for first, last in blocks)


def _mark(letter: str) -> bool:
    return (letter.isascii() and letter.isprintable() and not letter.isalnum()) or (
        unicodedata.category(letter)[0] == "P"
    )


# shown


def describe(loaded: Loaded) -> str:
    """The entries that were loaded, and those that were not.

    Args:
        loaded: by `load`.

    Returns:
        Lines of text.
    """
    count = sum(parameter.numel() for parameter in loaded.model.parameters())
    lines = [f"{loaded.config['model_type']}: {count:,} parameters"]
    for said, names in (
        ("in the files, and without a place here", loaded.unused),
        ("not in the files, so random", loaded.lacking),
        ("in config.json, and not looked at", loaded.unread),
    ):
        if names:
            lines.append(f"{said}: {', '.join(names)}")
    return "\n".join(lines)


def _within(loaded: Loaded, ids: list[int]) -> list[int]:
    count = loaded.config["vocab_size"]
    if not ids or not 0 <= min(ids) <= max(ids) < count:
        raise ValueError(f"tokens have the numbers 0 to {count - 1}, one or more; got {ids[:20]}")
    return ids


@torch.no_grad()
def show_language(loaded: Loaded, folder: Path, text: str, ids: list[int] | None) -> str:
    """Let a GPT-2 or a Llama continue, always with the likeliest token.

    Args:
        loaded: by `load`.
        folder: with a tokenizer.
        text: what is continued.
        ids: numbers of tokens in place of a text, which need no tokenizer.

    Returns:
        The text and what follows, or the numbers of both.

    Raises:
        ValueError: there are no tokens, or the model does not know their numbers; or the
            tokenizer is of another kind.
        FileNotFoundError: there is no tokenizer.
    """
    tokenizer = ByteTokenizer(folder) if ids is None else None
    given = _within(loaded, ids or tokenizer.encode(text))
    prompt, uniform = torch.tensor([given]), torch.zeros(1, 12)
    made = generate(cached(loaded.model), prompt, uniform, temperature=0.0)[0].tolist()
    if tokenizer is None:
        return f"{given} continues with {made}"
    return f"{text}|{tokenizer.decode(made)}"


@torch.no_grad()
def show_masked(loaded: Loaded, folder: Path, text: str, ids: list[int] | None) -> str:
    """Let a BERT fill in what is masked.

    Args:
        loaded: by `load`.
        folder: with a tokenizer.
        text: with ``[MASK]`` where a guess is wanted; of numbers, every place is guessed.
        ids: numbers of tokens in place of a text, which need no tokenizer.

    Returns:
        A line of five guesses for each place.

    Raises:
        ValueError: there are no tokens, or the model does not know their numbers; or the
            tokenizer is of another kind.
        FileNotFoundError: there is no tokenizer.
    """
    if any(name.startswith("masked.") for name in loaded.lacking):
        return "without the head that fills in, it has states and no guesses"
    tokenizer = WordPieceTokenizer(folder) if ids is None else None
    given = _within(loaded, ids or tokenizer.encode(text))
    names = [*map(str, range(loaded.config["vocab_size"]))]
    if tokenizer is not None:
        names[: len(tokenizer.vocabulary)] = tokenizer.vocabulary
    chance = loaded.model(torch.tensor([given]))[0][0].softmax(-1)  # (T, V)
    lines = []
    for place, token in enumerate(given):
        if tokenizer is None or names[token] == "[MASK]":
            best = chance[place].topk(5)
            guesses = zip(best.indices.tolist(), best.values.tolist(), strict=True)
            said = ", ".join(f"{names[guess]} {share:.1%}" for guess, share in guesses)
            lines.append(f"at {place}, {names[token]}: {said}")
    return "\n".join(lines) or "the text has no [MASK]"


@torch.no_grad()
def show_image(loaded: Loaded, folder: Path, path: str | None) -> str:
    """Let a ViT classify a picture.

    Args:
        loaded: by `load`.
        folder: with ``preprocessor_config.json``, perhaps: means and spreads of the colors, 0.5 if
            nothing says so.
        path: of a PNG or JPEG file, which is resized; a gray picture, if None.

    Returns:
        The five likeliest classes.
    """
    config, settings = loaded.config, folder / "preprocessor_config.json"
    given = json.loads(settings.read_text()) if settings.exists() else {}
    size, channels = config.get("image_size", 224), config.get("num_channels", 3)
    image = torch.full((channels, size, size), 0.5)
    if path:
        from matplotlib.image import imread  # of the data sets' packages

        image = torch.tensor(imread(path))
        image = image / 255 if image.dtype == torch.uint8 else image
        image = image[..., None] if image.ndim == 2 else image
        image = image.movedim(-1, 0)[:channels].expand(channels, -1, -1)
        image = F.interpolate(image[None], (size, size), mode="bilinear", antialias=True)[0]
    mean = torch.tensor(given.get("image_mean", [0.5] * channels))[:, None, None]
    std = torch.tensor(given.get("image_std", [0.5] * channels))[:, None, None]
    chance = loaded.model((image - mean)[None] / std)[0].softmax(-1)
    best = chance.topk(min(5, len(chance)))
    labels = config.get("id2label") or {}
    guesses = zip(best.indices.tolist(), best.values.tolist(), strict=True)
    return ", ".join(f"{labels.get(str(label), label)} {share:.1%}" for label, share in guesses)


def main() -> None:
    """Load a folder from the command line, and show what the model says."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--text", default="This is a [MASK].", help="to continue, or to fill in")
    parser.add_argument("--ids", type=int, nargs="+", help="numbers of tokens, in place of a text")
    parser.add_argument("--image", help="PNG or JPEG, for a ViT; gray, if none is given")
    given = parser.parse_args()
    try:
        loaded = load(given.folder)
        print(describe(loaded))
        kind = loaded.config["model_type"]
        if kind == "vit":
            print(show_image(loaded, given.folder, given.image))
        else:
            show = show_masked if kind == "bert" else show_language
            print(show(loaded, given.folder, given.text, given.ids))
    except (ValueError, FileNotFoundError) as error:
        hint = "; --ids takes the numbers of tokens" if "tokenizer.json" in str(error) else ""
        parser.exit(1, f"{error}{hint}\n")


if __name__ == "__main__":
    main()
