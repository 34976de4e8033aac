"""Every setting with its default, in sections: one for each stage. Frozen; `loading.py` fills them."""

from __future__ import annotations

from typing import Literal

import msgspec


class Section(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of the sections of `Settings`."""


class IndexSettings(Section, frozen=True):
    chunk_tokens: int = 220  # target length of a chunk, in tokens of the embedder
    chunk_overlap: int = 0  # sentences repeated from the chunk before
    max_file_mb: float = 50.0
    exclude: tuple[str, ...] = ()  # patterns as in .gitignore, on top of the ignore files
    hidden: bool = False  # read files and folders that begin with a dot
    lexical: Literal["auto", "rank-bm25", "tantivy"] = "auto"
    tantivy_above: int = 500  # chunks; where `auto` changes over (docs/benchmarks.md)


class EmbeddingSettings(Section, frozen=True):
    model: str = "e5-small-en-zh"  # the shipped one, or a model folder or hub name (extra [models])
    query_prefix: str | None = None
    passage_prefix: str | None = None
    threads: int = 0  # 0: every core


class RetrievalSettings(Section, frozen=True):
    top_k: int = 10
    channel_k: int = 50  # hits taken from each channel before fusion
    rrf_k: int = 60
    dense_weight: float = 0.6
    lexical_weight: float = 0.4
    fusion: Literal["adaptive", "rrf"] = "adaptive"
    rerank: Literal["reader", "none"] = "reader"  # who puts the first hits of both channels in order
    paths: tuple[str, ...] = ()


class LoopSettings(Section, frozen=True):
    strategy: Literal["adaptive", "direct", "standard", "multi_hop", "self_rag", "combined", "generative"] = (
        "adaptive"
    )
    heal: bool = True
    max_rounds: int = 3
    min_relevance: float = 0.65  # failure signal: best relevance below this
    min_confidence: float = 0.70  # failure signal: confidence below this
    deep_k: int = 20  # hits per channel when a search is deepened
    max_hops: int = 3  # sub-questions of a multi-hop question at most
    parallel: bool = False  # sub-questions that need no other are asked side by side
    min_answer_chars: int = 50  # failure signal: prose shorter than this; short facts are fine on `standard`
    max_answer_chars: int = 5000  # failure signal: an answer longer than this


class AnswerSettings(Section, frozen=True):
    on_no_evidence: Literal["abstain", "direct"] = "abstain"  # direct: a model answers without documents
    max_sentences: int = 3
    max_sentences_unsure: int = 3  # an answer that is not sure shows more of what is near
    max_chars: int = 1000
    abstain_below: float | None = None  # None: the calibrated threshold of the judge
    strict_abstain_below: float | None = None  # the same for self_rag and combined


class ModelSettings(Section, frozen=True):
    backend: Literal["embedded", "openai", "scripted"] = "embedded"
    script: str = ""  # file of the scripted back end
    base_url: str = (
        "http://localhost:11434/v1"  # any server that speaks the OpenAI chat protocol; this is Ollama's
    )
    name: str = ""  # the model to ask for
    key_env: str = "OPENAI_API_KEY"  # name of the variable that holds the key; the key itself is no setting
    planner: str = ""  # a model for one role; empty: `name`
    judge: str = ""
    rewriter: str = ""
    generator: str = ""
    verifier: str = ""
    classifier: str = ""
    temperature: float = 0.0
    seed: int = 7
    timeout: float = 60.0  # seconds for one call
    retries: int = 2  # after 429, 5xx and lost connections
    max_tokens: int = 700  # of one reply
    context_chars: int = 8000  # of hits shown to the model in one call
    output: Literal["auto", "schema", "object", "text"] = (
        "auto"  # auto: the best the server accepts, found out once
    )
    votes: Literal[1, 3] = 1  # judge askings, the majority decides
    ask_twice: bool = True  # the first "insufficient" is asked once more
    prompts: str = ""  # folder whose files replace prompts of the same name
    breaker_failures: int = 3  # calls that fail in a row before the server is left alone
    breaker_seconds: float = 30.0  # until it is tried again


class BudgetSettings(Section, frozen=True):
    """Limits of what a model server may be asked. 0: none."""

    seconds: float = 120.0  # for one question
    tokens: int = 0  # for one question
    tokens_per_day: int = 0
    cost: float = 0.0  # for one question, in the currency of the prices
    cost_per_day: float = 0.0
    price_prompt: float = 0.0  # of a million tokens
    price_completion: float = 0.0
    reserve: float = 0.3  # share kept for the final answer


class CacheSettings(Section, frozen=True):
    """Answers and routing decisions that are kept; 0 seconds: never."""

    enabled: bool = True
    entries: int = 10_000  # of each kind
    decisions: float = 3600.0  # seconds a routing decision of a model is kept
    standard: float = 86_400.0  # seconds an answer of the route is kept
    multi_hop: float = 14_400.0
    self_rag: float = 3600.0
    combined: float = 3600.0


class MemorySettings(Section, frozen=True):
    enabled: bool = True
    similarity: float = 0.88  # of two questions, from which on the remembered plan is tried
    plans: int = 5000  # kept at most


class HistorySettings(Section, frozen=True):
    """How long traces, failures and signals are kept. 0: without limit."""

    keep_days: float = 90.0
    keep_mb: float = 500.0


class HealthSettings(Section, frozen=True):
    """Alert thresholds of `ragheal health`."""

    days: float = 7.0  # the window
    min_questions: int = 20  # fewer raise no alert
    max_heal_rate: float = 0.30
    min_heal_success: float = 0.80
    max_recoveries: float = 2.0
    max_degraded_rate: float = 0.10
    max_p95_seconds: float = 0.0  # 0: no alert


class TraceSettings(Section, frozen=True):
    save: bool = True


class Settings(Section, frozen=True):
    """Every setting. Sections group what one stage reads."""

    index: IndexSettings = IndexSettings()
    embedding: EmbeddingSettings = EmbeddingSettings()
    retrieval: RetrievalSettings = RetrievalSettings()
    loop: LoopSettings = LoopSettings()
    answer: AnswerSettings = AnswerSettings()
    model: ModelSettings = ModelSettings()
    trace: TraceSettings = TraceSettings()
    budget: BudgetSettings = BudgetSettings()
    cache: CacheSettings = CacheSettings()
    memory: MemorySettings = MemorySettings()
    history: HistorySettings = HistorySettings()
    health: HealthSettings = HealthSettings()
