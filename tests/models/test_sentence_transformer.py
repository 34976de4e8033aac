"""The optional extra: any sentence-transformers model."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragheal.errors import ConfigError, ModelError
from ragheal.models import load_embedder
from ragheal.models.embed import DATA, SHIPPED
from ragheal.models.sentence_transformer import SentenceTransformerEmbedder, default_prefixes

needs_package = pytest.mark.skipif(
    importlib.util.find_spec("sentence_transformers") is None or importlib.util.find_spec("onnx") is None,
    reason='needs the optional packages: pip install "ragheal[models]" onnx',
)

PASSAGES = [
    "Orders may be returned within 30 days of delivery.",
    "Every client may send at most 100 requests per second; beyond that the gateway answers 429.",
    "The pump is switched off when the pressure exceeds 6 bar.",
    "Employees accrue two days of paid leave per month.",
    "The museum is closed on Mondays.",
    "每个客户端每秒最多发送一百个请求，超过后网关返回429。",
    "压力超过六巴时，水泵自动关闭。",
    "员工每月累计两天带薪休假。",
    "博物馆每周一闭馆。",
    "订单可在送达后三十天内退货。",
]
QUESTIONS = [
    "What is the frequency limit of the API?",
    "How much holiday do I get?",
    "When can I visit the museum?",
    "水泵什么时候停？",
    "退货期限是多久？",
    "接口限流是多少？",
]


def dequantiser() -> Any:
    """`tools/` is no package that gets installed, so the file is loaded by its path."""
    path = Path(__file__).parents[2] / "tools" / "build_embedder" / "dequantise.py"
    spec = importlib.util.spec_from_file_location("dequantise", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def bert_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shipped weights, dequantised, as a plain BertModel of transformers."""
    import torch
    from tokenizers import Tokenizer
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("bert") / "e5-small-plain"
    dequantise = dequantiser()
    state = dequantise.state_dict(DATA / SHIPPED / "model.onnx")
    bert = BertModel(BertConfig(**dequantise.bert_config(state)), add_pooling_layer=False)
    bert.load_state_dict({name: torch.from_numpy(value) for name, value in state.items()})
    bert.save_pretrained(folder)
    PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer.from_file(str(DATA / SHIPPED / "tokenizer.json")),
        bos_token="<s>",
        eos_token="</s>",
        pad_token="<pad>",
        unk_token="<unk>",
        mask_token="<mask>",
        model_max_length=512,
        model_input_names=["input_ids", "attention_mask"],
    ).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def model_folder(bert_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with mean pooling and normalisation, as sentence-transformers saves it."""
    from sentence_transformers import SentenceTransformer

    try:
        from sentence_transformers.sentence_transformer import modules as models
    except ImportError:  # before 6.0
        from sentence_transformers import models

    folder = tmp_path_factory.mktemp("st") / "e5-small-float"
    bert = models.Transformer(str(bert_folder))
    parts = [bert, models.Pooling(384, "mean"), models.Normalize()]
    SentenceTransformer(modules=parts, device="cpu").save(str(folder))
    return folder


@pytest.fixture(scope="module")
def embedder(model_folder: Path) -> SentenceTransformerEmbedder:
    return SentenceTransformerEmbedder(str(model_folder))


#: How far int8 moves a cosine of the fine-tuned embedder, whose cosines are spread over 0.2 to 0.9.
NOISE = 0.04


@needs_package
def test_it_agrees_with_the_shipped_graph(embedder: SentenceTransformerEmbedder) -> None:
    """Two independent ways to run the same weights: a wrong one shows as another vector or another order."""
    shipped = load_embedder(SHIPPED)
    ours, theirs = shipped.embed_passages(PASSAGES), embedder.embed_passages(PASSAGES)
    assert theirs.shape == ours.shape
    assert theirs.dtype == np.float32
    assert np.allclose(np.linalg.norm(theirs, axis=1), 1, atol=1e-5)
    assert float((ours * theirs).sum(1).min()) > 0.98
    for question in QUESTIONS:
        a, b = shipped.embed_query(question), embedder.embed_query(question)
        assert float(a @ b) > 0.98
        # The same passages first; scores closer than the noise of int8 may change places.
        mine, other = ours @ a, int(np.argmax(theirs @ b))
        assert mine[other] > mine.max() - NOISE, question
        assert all(mine[i] > np.sort(mine)[-2] - NOISE for i in np.argsort(-(theirs @ b))[:2]), question


@needs_package
def test_its_properties(embedder: SentenceTransformerEmbedder, model_folder: Path) -> None:
    """The index is made after these; a wrong one shows only as bad answers."""
    assert embedder.dim == 384
    assert embedder.max_tokens == load_embedder(SHIPPED).max_tokens
    assert embedder.count_tokens("one two three") == load_embedder(SHIPPED).count_tokens("one two three")
    assert embedder.count_tokens("word " * 1000) >= 1000
    assert embedder.embed_passages([]).shape == (0, 384)
    again = SentenceTransformerEmbedder(str(model_folder))
    assert again.fingerprint == embedder.fingerprint
    assert SentenceTransformerEmbedder(str(model_folder), "", "").fingerprint != embedder.fingerprint


@needs_package
def test_prefixes_reach_the_model(embedder: SentenceTransformerEmbedder, model_folder: Path) -> None:
    """Without its prefixes an e5 model ranks visibly worse."""
    bare = SentenceTransformerEmbedder(str(model_folder), "", "")
    text = "rate limit"
    assert np.allclose(bare.embed_query("query: " + text), embedder.embed_query(text), atol=1e-5)
    assert np.allclose(bare.embed_passages(["passage: " + text]), embedder.embed_passages([text]), atol=1e-5)
    assert not np.allclose(bare.embed_query(text), embedder.embed_query(text), atol=1e-3)


@needs_package
def test_a_fingerprint_lasts(bert_folder: Path) -> None:
    """A plain BERT gets a random unused head at each load; counted in, every start would ask for a new index."""
    first, second = (SentenceTransformerEmbedder(str(bert_folder)).fingerprint for _ in range(2))
    assert first == second


@needs_package
def test_loading_is_silent(model_folder: Path) -> None:
    """Bars and reports of a library would end up in the middle of the user's output."""
    code = (
        "import sys; from ragheal.models import load_embedder\n"
        "load_embedder(sys.argv[1]).embed_passages(['hello'])\n"
    )
    run = subprocess.run([sys.executable, "-c", code, str(model_folder)], capture_output=True, text=True)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


@needs_package
def test_progress_ends_at_the_number_of_texts(embedder: SentenceTransformerEmbedder) -> None:
    """A bar that never fills."""
    seen: list[int] = []
    embedder.embed_passages(PASSAGES, seen.append)
    assert seen[-1] == len(PASSAGES)


@needs_package
def test_a_folder_that_is_no_model(tmp_path: Path) -> None:
    """The user should see which folder was tried, not a traceback of a library."""
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "bert"}), "utf-8")
    with pytest.raises(ModelError, match=str(tmp_path)) as caught:
        SentenceTransformerEmbedder(str(tmp_path)).embed_query("hello")
    assert caught.value.hint


@needs_package
def test_a_path_that_is_not_there_is_not_looked_up(tmp_path: Path) -> None:
    """A misspelt path must not become a request to a server."""
    with pytest.raises(ModelError, match="no such folder"):
        SentenceTransformerEmbedder(str(tmp_path / "nowhere")).embed_query("hello")


@needs_package
def test_a_hub_name_offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a network the message names everything that was tried."""
    constants = pytest.importorskip("huggingface_hub.constants")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(ModelError, match="nobody/nothing-e5") as caught:
        load_embedder("nobody/nothing-e5").embed_query("hello")
    assert "local model cache" in caught.value.message
    assert caught.value.exit_code == 6


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command to type, not an ImportError."""
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(ConfigError, match="sentence-transformers") as caught:
        load_embedder("intfloat/e5-base-v2")
    assert 'pip install "ragheal[models]"' in caught.value.hint


@pytest.mark.parametrize(
    ("model", "prompts", "expected"),
    [
        ("intfloat/multilingual-e5-large", {}, ("query: ", "passage: ")),
        ("/models/E5-small-v2", {}, ("query: ", "passage: ")),
        ("/models/e5/minilm", {}, ("", "")),
        ("someone/base512", {}, ("", "")),
        ("intfloat/e5-mistral-7b-instruct", {}, ("", "")),
        ("a/b", {"query": "Q: ", "document": "D: "}, ("Q: ", "D: ")),
        ("a/e5-b", {"query": "ask: ", "document": ""}, ("ask: ", "")),
    ],
)
def test_default_prefixes(model: str, prompts: dict[str, str], expected: tuple[str, str]) -> None:
    """A model's own prompts come first, e5 gets those it was trained with, no other model gets any."""
    assert default_prefixes(model, prompts) == expected
