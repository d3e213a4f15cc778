"""The README's commands that newcomers copy, in the shell that they have."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from protocols.gammonx.schema import read_guid

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
JOIN = re.search(r"(curl -H 'Content-Type: application/json'.*?)\n```", README, re.DOTALL)


@pytest.mark.parametrize("has_uuidgen", [True, False])
def test_each_copied_join_is_a_different_player(tmp_path: Path, *, has_uuidgen: bool) -> None:
    """macOS has `uuidgen`, in capitals; a small Linux has the kernel's file alone."""
    assert JOIN is not None
    programs = {"curl": '#!/bin/sh\nfor last; do :; done\necho "$last"\n'}
    if has_uuidgen:
        programs["uuidgen"] = "#!/bin/sh\necho FDD907CA-794A-43F4-83E6-$(od -An -N6 -tx1 /dev/urandom | tr -d ' \\n')\n"
    for name, text in programs.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    for tool in ("cat", "od", "tr", "sh"):
        found = subprocess.run(["/bin/sh", "-c", f"command -v {tool}"], capture_output=True, text=True, check=True)
        (tmp_path / tool).symlink_to(found.stdout.strip())
    said = [
        subprocess.run(["/bin/sh", "-c", JOIN[1]], env={"PATH": str(tmp_path)}, capture_output=True, check=True).stdout
        for _ in range(2)
    ]
    players = [read_guid(json.loads(body)["PlayerId"]) for body in said]
    assert None not in players
    assert players[0] != players[1]
