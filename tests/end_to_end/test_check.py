"""`gameserver check`, the installed command, upon a client without a fault and one with a fault."""

import json
import subprocess
import sys
from pathlib import Path

CLIENTS = Path(__file__).parents[1] / "check" / "faulty_clients.py"
SCENARIOS = ("loss_with_a_reason", "opponent_forfeits")


def check(client: str, *options: str) -> subprocess.CompletedProcess[str]:
    words = [word for name in SCENARIOS for word in ("--scenario", name)]
    started = [sys.executable, str(CLIENTS), client, "{host}", "{port}", "{name}", "{game}"]
    return subprocess.run(
        [sys.executable, "-m", "gameserver", "check", "--game", "tic-tac-toe", *words, *options, "--", *started],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


def test_fault_is_reported_and_told_by_the_exit_code() -> None:
    ran = check("counts_the_keys_of_a_result", "--report", "json")
    assert ran.returncode == 1, ran.stdout + ran.stderr
    told = json.loads(ran.stdout)
    assert not told["ready"]
    faulty, well = told["scenarios"]
    assert (faulty["name"], faulty["outcome"]) == ("loss_with_a_reason", "failed")
    assert faulty["findings"][0]["what"] == "The program ended with exit code 1."
    assert any("REASON" in line["text"] for line in faulty["wire"])
    assert (well["name"], well["outcome"]) == ("opponent_forfeits", "passed")
    assert "Not ready for an event" in ran.stderr
