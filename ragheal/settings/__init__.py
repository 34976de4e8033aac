"""One frozen `Settings` (`sections.py`), and `load()`, which fills it from every source (`loading.py`)."""

from ragheal.settings.loading import ENV_PREFIX, KEYS, PROJECT_FILE, Loaded, flat, load, preset_path
from ragheal.settings.sections import (
    AnswerSettings,
    BudgetSettings,
    CacheSettings,
    EmbeddingSettings,
    HealthSettings,
    HistorySettings,
    IndexSettings,
    LoopSettings,
    MemorySettings,
    ModelSettings,
    RetrievalSettings,
    Section,
    Settings,
    TraceSettings,
)

__all__ = [
    "ENV_PREFIX",
    "KEYS",
    "PROJECT_FILE",
    "AnswerSettings",
    "BudgetSettings",
    "CacheSettings",
    "EmbeddingSettings",
    "HealthSettings",
    "HistorySettings",
    "IndexSettings",
    "Loaded",
    "LoopSettings",
    "MemorySettings",
    "ModelSettings",
    "RetrievalSettings",
    "Section",
    "Settings",
    "TraceSettings",
    "flat",
    "load",
    "preset_path",
]
