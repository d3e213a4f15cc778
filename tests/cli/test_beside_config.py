"""Plug-ins as modules beside the config file, and their pages."""

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from gameserver.cli.main import main

MODULE = """
from tests.support.buggy import BuggyProtocol

class Beside(BuggyProtocol):
    name = "beside"
    title = "From beside the config"
    guide = GUIDE

PROTOCOL = Beside()
"""


@pytest.mark.parametrize(("guide", "says"), [("# The page\\n", "# The page"), ("", "has no page")])
def test_help_finds_protocol_beside_config(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, guide: str, says: str
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    name = f"beside_{'with' if guide else 'without'}_page"
    (tmp_path / f"{name}.py").write_text(MODULE.replace("GUIDE", f'"{guide}"'))
    config = tmp_path / "gameserver.toml"
    config.write_text(f'plugins = ["{name}:PROTOCOL"]\n')
    result = CliRunner().invoke(main, ["help", "beside", "--config", str(config)])
    assert result.exit_code == 0, result.output
    assert says in result.output
