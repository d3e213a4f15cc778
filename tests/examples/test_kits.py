"""The starter kits: built and tested as their READMEs say, and against a scripted server."""

import shutil
import subprocess
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.examples.fake_strategic_server import YOURTURN, Peer, fake_server, match_line, move_line, result_line
from tests.support.kits import EXAMPLES, LANGUAGES, Kit

HOST = "127.0.0.1"
TIMEOUT_S = 60
MAVEN_PLUGINS = Path("/usr/share/maven-repo/org/apache/maven/plugins")
BROKEN_STRATEGIES = {
    "java": (
        "src/main/java/Strategy.java",
        "return moves.get(",
        "return 9 / (moves.size() - moves.size()) + moves.get(",
    ),
    "csharp": ("src/Strategy.cs", "return moves[", "return 9 / (moves.Count - moves.Count) + moves["),
    "python": ("strategy.py", "return random.choice(moves)", "return 1 // 0"),
    "javascript": ("strategy.mjs", "return moves[", "return nothing[0] + moves["),
}

several_builds = pytest.mark.parametrize(
    "language", [pytest.param(name, marks=[pytest.mark.slow] * (name in ("java", "csharp"))) for name in LANGUAGES]
)
"""For tests that change a kit: those that are compiled are built again, and left to the slow tests."""


@pytest.fixture(scope="module", params=LANGUAGES)
def kit(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Kit:
    return Kit.of(tmp_path_factory, request.param)


@contextmanager
def playing(kit: Kit, port: int, *arguments: str):
    """The bot, started for this server."""
    command = [*kit.command(HOST, port, "ann"), *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8") as bot:
        try:
            yield bot
        finally:
            bot.kill()


def finish(bot: "subprocess.Popen[str]", exit_code: int = 0) -> tuple[str, str]:
    """The bot's output, once it has come to its end."""
    log, complaint = bot.communicate(timeout=TIMEOUT_S)
    assert bot.returncode == exit_code, log + complaint
    return log, complaint


def test_the_kits_have_the_same_recordings():
    recordings = {path.name: path.read_bytes() for path in (EXAMPLES / "python/recorded").iterdir()}
    assert "quirks.txt" in recordings
    for language in LANGUAGES:
        assert {path.name: path.read_bytes() for path in (EXAMPLES / language / "recorded").iterdir()} == recordings


def test_a_kit_passes_its_own_test(kit: Kit):
    done = kit.run("test")
    assert done.returncode == 0, done.stdout


def test_the_check_of_its_readme_starts_the_bot_as_the_readme_does(kit: Kit):
    command, _, start = kit.block("check").partition(" -- ")
    assert command == "gameserver check --game Reversi"
    assert start.replace("{host} {port} {name}", "localhost 7789 ann") == kit.block("run")


@several_builds
def test_a_kit_fails_its_own_test_if_it_says_something_else(language, tmp_path, tmp_path_factory):
    changed = Kit.of(tmp_path_factory, language).copy(tmp_path / "kit")
    recording = changed.directory / "recorded/quirks.txt"
    recording.write_text(recording.read_text("utf-8").replace("> challenge accept 8", "> challenge accept 7"), "utf-8")
    done = changed.run("test")
    assert done.returncode != 0, done.stdout
    assert "challenge accept 8" in done.stdout


@several_builds
def test_a_strategy_that_fails_costs_a_good_move_and_not_the_match(language, tmp_path, tmp_path_factory):
    kit = Kit.of(tmp_path_factory, language).copy(tmp_path / "kit")
    file, line, broken = BROKEN_STRATEGIES[language]
    strategy = kit.directory / file
    assert line in strategy.read_text("utf-8")
    strategy.write_text(strategy.read_text("utf-8").replace(line, broken), "utf-8")
    if "<!-- build -->" in kit.readme:
        assert kit.run("build").returncode == 0

    def script(peer: Peer) -> None:
        peer.welcome("ann", match_line("Tic-tac-toe", "bob", "bob"), move_line("bob", 0), YOURTURN)
        peer.send("OK")
        peer.expect("move 1", "OK", move_line("ann", 1), result_line("WIN", -1, 1, "Player forfeited match"))
        peer.goodbye()

    with fake_server(script) as server, playing(kit, server.port, "--matches", "1") as bot:
        log, complaint = finish(bot)
    assert "the strategy found no legal move, playing 1 instead" in log
    assert complaint, "the student has to see the error"
    assert kit.run("test").returncode != 0, "the kit's own test has to find it too"


def test_a_silent_server_is_asked_for_a_sign_of_life(tmp_path_factory):
    """All kits at the same time, because they have to wait for seconds."""

    def lively(peer: Peer) -> None:
        peer.welcome("ann", match_line("Tic-tac-toe", "ann", "bob"))
        peer.expect("get gamelist", "OK", "SVR GAMELIST []", YOURTURN)
        command, _, move = peer.hear().partition(" ")
        assert command == "move"
        peer.send("OK", move_line("ann", move))
        peer.expect("get gamelist")  # and never another byte: the network is gone
        assert peer.hear() == "", "it has given this connection up"

    def again(peer: Peer) -> None:
        peer.welcome("ann", match_line("Tic-tac-toe", "bob", "bob"))
        peer.send(result_line("DRAW", 0, 0, "Match void"))
        peer.goodbye()

    with ExitStack() as to_end:
        bots = []
        for language in filter(Kit.can_be_built, LANGUAGES):
            server = to_end.enter_context(fake_server(lively, again))
            kit = Kit.of(tmp_path_factory, language)
            bots.append(to_end.enter_context(playing(kit, server.port, "--matches", "1", "--silence", "1")))
        for bot in bots:
            log, complaint = finish(bot)
            assert complaint == ""
            assert "no sign of life" in log
            assert "- RESULT draw bob 0:0" in log


def test_what_keeps_it_from_playing_is_told_in_a_sentence(kit: Kit):
    """A refused login, whose secret is not logged, a missing server, and a wrong argument."""

    def script(peer: Peer) -> None:
        peer.expect("login ann apple-pie-for-2", "ERR Duplicate name exists")
        assert peer.hear() == ""

    with fake_server(script) as server, playing(kit, server.port, "--secret", "apple-pie-for-2") as bot:
        log, complaint = finish(bot, exit_code=1)
    assert "> login ann\n" in log
    assert "the server refused 'login ann': ERR Duplicate name exists" in complaint
    assert "apple-pie" not in log + complaint
    with playing(kit, server.port) as bot:
        _, complaint = finish(bot, exit_code=1)
    assert f"no server at {HOST}, port {server.port}" in complaint
    with playing(kit, server.port, "--challenge", "bob") as bot:
        _, complaint = finish(bot, exit_code=2)
    assert "--challenge needs --game" in complaint


@pytest.mark.slow  # 10 s of CPU, of which Maven starts for 9; the sources are compiled and tested above by javac
def test_the_java_kit_is_built_by_debians_maven_without_a_network(tmp_path: Path, tmp_path_factory):
    if shutil.which("mvn") is None or not (MAVEN_PLUGINS / "maven-surefire-plugin").exists():
        pytest.skip("no Maven with Debian's plugins here: see examples/java/README.md for the packages")
    kit = Kit.of(tmp_path_factory, "java").copy(tmp_path / "kit")
    (kit.directory / "MyBot.jar").unlink()
    done = kit.run("maven")
    assert done.returncode == 0, done.stdout
    (report,) = (kit.directory / "target/surefire-reports").glob("*.txt")
    assert "Tests run: 2, Failures: 0" in report.read_text("utf-8")

    def script(peer: Peer) -> None:
        peer.welcome("ann", match_line("Reversi", "bob", "bob"))
        peer.send(result_line("WIN", 2, 2, "Illegal move"))
        peer.goodbye()

    shutil.move(kit.directory / "target/MyBot.jar", kit.directory / "MyBot.jar")
    with fake_server(script) as server, playing(kit, server.port, "--matches", "1") as bot:
        log, _ = finish(bot)
    assert "- RESULT win bob 2:2" in log
