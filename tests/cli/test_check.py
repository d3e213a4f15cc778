"""`gameserver check` at the command line."""

import socket
import sys
from pathlib import Path

import orjson
import pytest
from click.testing import CliRunner, Result

from gameserver.check import checker
from gameserver.check.report import ScenarioResult
from gameserver.cli.main import main
from tests.check.test_scenario import HEAD
from tests.support.stopping import stop_with_its_client

CLIENT = Path(__file__).parent.parent / "check" / "small_client.py"


def run(*words: str, fault: str = "none", command: tuple[str, ...] | None = None) -> Result:
    client = (sys.executable, str(CLIENT), "{host}", "{port}", "{name}", fault) if command is None else command
    behind = ("--", *client) if client else ()
    return CliRunner().invoke(main, ["check", "--game", "Tic-tac-toe", "--login-time", "3", *words, *behind])


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A directory with two scenarios of a course."""
    (tmp_path / "one.scenario").write_text(f"{HEAD}\nCLIENT comes in\n")
    advised = HEAD.replace("level: required", "level: advised")
    (tmp_path / "two.scenario").write_text(f"{advised}\nCLIENT comes in\nOPPONENT comes in\nCLIENT meets OPPONENT\n")
    return tmp_path


def test_client_that_passes_exits_with_0(course: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    words = ("--scenarios", str(course), "--scenario", "one", "--scenario", "two", "--keep", str(kept))
    told = run(*words, "--report", "json", "--output", str(tmp_path / "report.json"))
    assert told.exit_code == 0, told.output
    assert told.stderr.startswith("2 scenarios: about 5 s; on top of that the program starts 2 times, and thinks\n")
    assert "[ 1/2] one  passed" in told.stderr
    report = orjson.loads((tmp_path / "report.json").read_bytes())
    assert [one["outcome"] for one in report["scenarios"]] == ["passed", "passed"]
    assert "login client" in (kept / "two.wire").read_text()
    assert (kept / "two.log").exists()


@pytest.mark.slow
def test_scenarios_can_be_played_at_once(course: Path) -> None:
    told = run("--scenarios", str(course), "--scenario", "two", "--scenario", "one", "--jobs", "2")
    assert told.exit_code == 0, told.output
    assert "required    1 of 1 passed" in told.stdout
    assert "advised     1 of 1 passed" in told.stdout


def test_server_speaks_the_profile_that_is_named(course: Path, tmp_path: Path) -> None:
    words = ("--scenarios", str(course), "--scenario", "one", "--keep", str(tmp_path / "kept"))
    told = run(*words, "--protocol", "strategic:2015", "--report", "json")
    assert orjson.loads(told.stdout)["protocol"] == "strategic:2015"
    assert "2015" in (tmp_path / "kept" / "one.wire").read_text()


def test_command_needs_no_dashes_before_it(course: Path) -> None:
    client = (sys.executable, "-u", str(CLIENT), "{host}", "{port}", "{name}", "none")
    told = run("--scenarios", str(course), "--scenario", "one", *client, command=())
    assert told.exit_code == 0, told.output


def test_check_ends_early_if_nobody_logs_in(course: Path) -> None:
    words = ("--scenarios", str(course), "--scenario", "one", "--scenario", "two", "--scenario", "plays_first")
    told = run(*words, fault="does not start")
    assert told.exit_code == 1
    assert "The program ended with exit code 3 before it had logged in." in told.stdout
    assert "The program does not log in, so the other scenarios are not played." in told.stderr
    assert "Not played: 1 more." in told.stderr


def test_a_check_that_its_user_stops_tells_what_it_knows(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    play, played = checker.play, list[str]()

    def stopped(terms: checker.Terms, ready: checker.Prepared, *_: object) -> ScenarioResult:
        if played:
            raise KeyboardInterrupt
        played.append(ready.scenario.name)
        return play(terms, ready)

    monkeypatch.setattr(checker, "play", stopped)
    told = run("--scenarios", str(course), "--scenario", "one", "--scenario", "two")
    assert told.exit_code == 1
    assert "required    1 of 1 passed" in told.stdout
    assert told.stderr.endswith("stopped; this is how it went so far\n\nNot played: 1 more.\n")


def test_taken_port_is_named_instead_of_another_one_used() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        told = run("--port", str(port), "--scenario", "plays_first")
    assert told.exit_code == 1
    assert f"--port: 127.0.0.1:{port} cannot be listened on: " in told.stderr


def test_broken_scenario_of_a_course_is_named_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "bad.scenario").write_text(f"{HEAD}\nCLIENT flies\n")
    told = run("--scenarios", str(tmp_path))
    assert told.exit_code == 2
    assert f"{tmp_path / 'bad.scenario'}:9: 'CLIENT flies' is not a step" in told.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="there are no signals to end it by")
def test_ended_check_leaves_no_client_behind(course: Path) -> None:
    command = [sys.executable, str(CLIENT), "{host}", "{port}", "{name}", "does not log in"]
    check = ["check", "--game", "Tic-tac-toe", "--scenarios", str(course), "--scenario", "one", "--", *command]
    stop_with_its_client(check, CLIENT)
