"""The protocol in `examples`, which no package of ours may import, and its speaker, loaded from their files."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

_DIRECTORY = Path(__file__).parents[2] / "examples" / "simple_json"


def _loaded(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, _DIRECTORY / f"{name}.py")
    assert spec is not None, name
    assert spec.loader is not None, name
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # its test imports it by this name
    spec.loader.exec_module(module)
    return module


EXAMPLE = _loaded("simple_json")
SPEAKER = _loaded("test_simple_json").SPEAKER
