import importlib.util
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="session")
def samples() -> ModuleType:
    """Runs made by hand: `tests/samples.py`."""
    spec = importlib.util.spec_from_file_location("samples", Path(__file__).parent.parent / "samples.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
