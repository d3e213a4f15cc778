"""The starter kits, as students start them, against the installed server."""

import os
import pty
import re
import signal
import subprocess
from contextlib import ExitStack, contextmanager

import pytest

from tests.end_to_end.example_bots import ExampleBot
from tests.end_to_end.support import DEADLINE_S, LOCAL
from tests.support.kits import LANGUAGES, Kit

GAMES = ("Tic-tac-toe", "Reversi", "Connect-four-3D")
SCENARIO = ("--scenario=connection_breaks_in_a_match",)
"""Of the check, for every run of the tests; the whole check takes a minute for each kit."""
RESULT = re.compile(r"\S+ - RESULT (win|loss|draw) (.+) (-?\d+):(-?\d+)")


@pytest.fixture(params=LANGUAGES)
def kit(request, tmp_path_factory) -> Kit:
    return Kit.of(tmp_path_factory, request.param)


@pytest.fixture
def start(to_end):
    """Starts a kit's bot under that name."""

    def launch(kit: Kit, port: int, name: str, *arguments: object) -> ExampleBot:
        return ExampleBot.launch(to_end, [*kit.command(LOCAL, port, name), *map(str, arguments)], name=name)

    return launch


def results(bot: ExampleBot) -> list[tuple[str, ...]]:
    """The ends of its matches, from its log: the result, the opponent, its score and theirs."""
    bot.finish()
    found = [RESULT.fullmatch(line) for line in bot.printed.lines if "- RESULT" in line]
    assert None not in found, bot.printed.text
    return [each.groups() for each in found if each]


def test_a_kit_plays_all_its_games_with_the_house(server, kit, start, tmp_path, tmp_path_factory):
    """And its logs are recordings, which the test of any kit plays again."""
    asked = [("--game", game, "--challenge", "house-random", "--matches", 2) for game in GAMES]
    bots = {game: start(kit, server.port, f"bot {game}", *rest) for game, rest in zip(GAMES, asked, strict=True)}
    told = {game: results(bot) for game, bot in bots.items()}
    assert [match.reason for match in server.matches()] == ["played"] * 6
    for match in server.matches():
        mine = match.players.index(f"bot {match.game}")
        points = (str(match.points[mine]), str(match.points[1 - mine]))
        assert told[match.game].pop(0) == (match.results[mine], "house-random", *points)
    another = Kit.of(tmp_path_factory, "python").copy(tmp_path / "kit")
    for recording in (another.directory / "recorded").iterdir():
        recording.unlink()
    for game, bot in bots.items():
        (another.directory / "recorded" / f"{game}.txt").write_text(bot.printed.text, encoding="utf-8")
    done = another.run("test")
    assert done.returncode == 0, done.stdout


def test_kits_challenge_each_other_and_outlive_a_restart(serve, start, tmp_path_factory):
    """One of each pair only waits, as in a tournament; the other one challenges it."""
    kits = [Kit.of(tmp_path_factory, language) for language in LANGUAGES if Kit.can_be_built(language)]
    server, matches, pairs = serve(match={"first_move_pause_ms": 0}), 10, []
    for caller_kit, opponent_kit in zip(kits[::2], [*kits[1:], kits[0]][::2], strict=True):
        opponent = start(opponent_kit, server.port, f"waits {opponent_kit.language}", "--matches", matches)
        opponent.printed.wait_for("< SVR GAMELIST")
        asked = ("--game", "Reversi", "--challenge", opponent.name, "--matches", matches)
        pairs.append((start(caller_kit, server.port, f"calls {caller_kit.language}", *asked), opponent))
    for caller, _ in pairs:
        caller.printed.wait_for("- RESULT")
    assert server.stop() == 0
    server.start_where_it_was()
    for caller, opponent in pairs:
        for mine, theirs in zip(results(caller), results(opponent), strict=True):
            assert mine[1] == opponent.name
            assert theirs[1] == caller.name
            assert mine[2:] == theirs[:1:-1]
        assert "no connection" in caller.printed.text
        assert "no connection" in opponent.printed.text
    assert [match.reason for match in server.matches()] == ["played"] * matches * len(pairs)


@contextmanager
def interrupts_heard():
    """A program that a shell runs in the background does not hear Ctrl-C, and neither do those that it starts."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_kit_that_is_stopped_in_a_match_logs_out(server, kit):
    """In a terminal of its own, because Mono has no Ctrl-C elsewhere."""
    ours, theirs = pty.openpty()
    with ExitStack() as to_end:
        to_end.callback(os.close, ours)
        person = server.client("bob")
        command = kit.command(LOCAL, server.port, "ann")
        environment = os.environ | {"TERM": "xterm"}
        with interrupts_heard():
            bot = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
        os.close(theirs)
        to_end.callback(bot.wait, DEADLINE_S)
        to_end.callback(bot.kill)
        log = os.fdopen(os.dup(ours), encoding="utf-8", errors="replace")
        to_end.callback(log.close)
        read_until(log, "< SVR GAMELIST")
        person.send('challenge "ann" "Reversi"')
        read_until(log, "- match of Reversi against bob")
        bot.send_signal(signal.SIGINT)
        assert bot.wait(DEADLINE_S) in (0, 128 + signal.SIGINT)
        rest = read_until(log, "> logout")
        assert "Exception" not in rest
        assert "Traceback" not in rest
        while not (line := person.line()).startswith("SVR GAME WIN"):
            assert not line.startswith("SVR GAME LOSS")


def test_a_kit_passes_the_check_of_its_readme(tmp_path_factory):
    """The other kits are checked at length; tests/examples/test_kits.py shows that their READMEs say the same."""
    passes_the_check(Kit.of(tmp_path_factory, "python"), SCENARIO, timeout_s=240)


@pytest.mark.slow
@pytest.mark.timeout(1300)
def test_a_kit_passes_the_whole_check_of_its_readme(kit):
    passes_the_check(kit, (), timeout_s=1200)


def passes_the_check(kit: Kit, options: tuple[str, ...], timeout_s: float) -> None:
    done = kit.check(*options, timeout_s=timeout_s)
    assert done.returncode == 0, done.stdout
    assert "FAILED" not in done.stdout, done.stdout


def read_until(log, part: str) -> str:
    """The output of the bot, up to the first line with this part."""
    lines = []
    for line in log:
        lines.append(line)
        if part in line:
            return "".join(lines)
    pytest.fail(f"the bot did not print {part!r}:\n" + "".join(lines))
