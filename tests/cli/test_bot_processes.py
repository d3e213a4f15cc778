"""Bots that a command starts: what `--bot` means, and what becomes of the processes."""

import sys
import time
from pathlib import Path

import pytest

from gameserver.cli.bot_processes import Launch, crew_of
from gameserver.cli.common import CommandFailed, WrongSettings
from tests.end_to_end.support import eventually

LISTENING = {"strategic": "127.0.0.1:7789", "connect-four": "[::1]:9090", "http": "tls://localhost:8443"}


def test_the_placeholders_of_a_command() -> None:
    launch = Launch.of("ann=java -jar 'my bot.jar' {name}@{host}:{port} {port:connect-four} {host:http} {game} {games}")
    assert launch.filled(LISTENING, "Tic tac toe", 6) == (
        *("java", "-jar", "my bot.jar", "ann@127.0.0.1:7789", "9090", "localhost", "Tic tac toe", "6"),
    )
    assert Launch.of("ann=bot {host:connect-four} '{\"depth\": 3}'").filled(LISTENING, "Reversi", 1) == (
        *("bot", "::1", '{"depth": 3}'),
    )


@pytest.mark.parametrize("text", ["ann", "ann=", "=bot", "ann=bot 'x"])
def test_a_bot_is_a_name_and_a_command(text: str) -> None:
    with pytest.raises(WrongSettings, match="--bot"):
        Launch.of(text)


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("bot {prot}", r"there is no \{prot\}; there are \{host\}, .* and \{games\}"),
        ("bot {name:http}", r"there is no \{name:http\}"),
        ("bot {port:gopher}", "the server listens for strategic, connect-four, http"),
    ],
)
def test_a_placeholder_that_there_is_not(command: str, why: str) -> None:
    with pytest.raises(WrongSettings, match=f"--bot ann: .*{why}"):
        Launch.of(f"ann={command}").filled(LISTENING, "Reversi", 1)


def test_bots_and_what_they_have_started_end_with_the_block(tmp_path: Path) -> None:
    """The bot is a script that starts the real one, as bots in Java are; it stands still when things are cleared up."""
    ticks = tmp_path / "ticks"
    real = f"import time, pathlib\nwhile True:\n pathlib.Path({str(ticks)!r}).write_text(str(time.time()))"
    script = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {real!r}])"
    stood_still = []

    def clear_up() -> None:
        time.sleep(0.2)  # signals take a moment; that nothing more happens cannot be waited for otherwise
        before = ticks.read_text()
        time.sleep(0.1)
        stood_still.append(ticks.read_text() == before)

    with crew_of(None, 30.0, clear_up) as crew:
        crew.start("ann", [sys.executable, "-c", script])
        eventually(lambda: ticks.exists() and ticks.read_text(), "the real bot runs")
        assert crew.ended == []
    assert stood_still == [True]
    assert crew.ended == crew.bots
    ticks.unlink()
    time.sleep(0.1)
    assert not ticks.exists()


def test_a_bot_that_has_played_all_its_games_may_go(tmp_path: Path) -> None:
    with crew_of(tmp_path, 30.0, lambda: None) as crew:
        crew.start("ann's bot", [sys.executable, "-c", "print('a\\n' * 50, 'bye')"])
        eventually(lambda: crew.ended, "it is over")
        crew.check(crew.ended, 3, 3)
        with pytest.raises(CommandFailed) as refused:
            crew.check(crew.ended, 2, 3)
        assert refused.value.message.splitlines()[-1].strip() == "bye"
        assert len(refused.value.message.splitlines()) == 11
    assert (tmp_path / "ann_s_bot.log").read_text().endswith("bye\n")


@pytest.mark.skipif(sys.platform == "win32", reason="there a pipe cannot be selected")
def test_bot_has_an_open_and_silent_input_until_its_part_is_over(tmp_path: Path) -> None:
    """Bots read it in a thread, and end or spin where it is closed from the beginning."""
    reads = (
        "import select, signal, sys\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "print('ended' if select.select([sys.stdin], [], [], 0)[0] else 'open', flush=True)\n"
        "print(repr(sys.stdin.read()))\n"
    )
    output = tmp_path / "ann.log"
    with crew_of(tmp_path, 30.0, lambda: None) as crew:
        crew.start("ann", [sys.executable, "-c", reads])
        eventually(output.read_text, "it has looked at its input")
    assert output.read_text().splitlines() == ["open", "''"]
    assert crew.bots[0].end == "ended with exit code 0"
