"""The installed command, as somebody at a terminal meets it."""

import json
import signal
import socket
import sqlite3
import subprocess
import tomllib
from contextlib import closing
from importlib.metadata import version

import pytest
import tomli_w
from click.testing import CliRunner

from gameserver.cli.main import main
from tests.end_to_end.blocking_client import begin, fields_of, play
from tests.end_to_end.support import GOODBYE, LOCAL, has_ipv6, run
from tests.support.elsewhere import SYSTEM

NOWHERE = ("--data", ":memory:", "--listen", f"strategic={LOCAL}:0")
"""For a server that should not even start: if it does, it does no harm."""

needs_ipv6 = pytest.mark.skipif(not has_ipv6(), reason="this machine has no IPv6")


def here(*arguments):
    """The command in this process, for what ends before anything is started; a new process would take a second each."""
    done = CliRunner().invoke(main, arguments)
    return subprocess.CompletedProcess(arguments, done.exit_code, done.stdout, done.stderr)


def complaint(done, exit_code):
    """The one line on stderr with which the command gives up."""
    assert done.returncode == exit_code, done
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    return line


def test_version():
    assert run("--version").stdout == f"gameserver, version {version('gameserver')}\n"


def test_plugins_lists_games_and_protocols():
    done = run("plugins")
    assert (done.returncode, done.stderr) == (0, "")
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in done.stdout.splitlines() if "│" in line]
    assert ["game", "Tic-tac-toe", "games.tic_tac_toe"] in rows
    assert ["game", "Reversi", "games.reversi"] in rows
    assert ["protocol", "strategic", "protocols.strategic"] in rows
    assert ["protocol", "connect-four", "protocols.connect_four"] in rows


def test_help_prints_the_page_of_a_protocol():
    done = here("help", "strategic")
    assert (done.returncode, done.stderr) == (0, "")
    for words in ("SVR GAME YOURTURN {TURNMESSAGE:", "challenge accept", "Turn timelimit reached", "2009"):
        assert words in done.stdout
    assert "there is no protocol 'telepathy'" in complaint(here("help", "telepathy"), 2)


def test_config_prints_toml_that_reads_back(tmp_path):
    done = here("config")
    assert (done.returncode, done.stderr) == (0, "")
    settings = tomllib.loads(done.stdout)
    assert settings["listen"]["strategic"] == "*:7789"

    changed = tmp_path / "changed.toml"
    settings["limits"]["commands_per_s"] = 7.5
    settings["lobby"]["messages"] = "outside-matches"
    settings["strategic"]["messages_per_10_s"] = 3
    settings["listen"]["strategic:ngs"] = "[::1]:7790"
    changed.write_text(tomli_w.dumps(settings), encoding="utf-8")
    again = here("config", "--config", str(changed), "--data", "other.sqlite3", "--listen", "strategic=127.0.0.1:0")
    assert (again.returncode, again.stderr) == (0, "")
    settings["data"] = "other.sqlite3"
    settings["listen"]["strategic"] = "127.0.0.1:0"
    assert tomllib.loads(again.stdout) == settings


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("turn_time = 3", ["turn_time is not a setting"]),
        ("[match]\nturn_tine_s = 3", ["match.turn_tine_s is not a setting", "did you mean 'turn_time_s'?"]),
        ("[limits]\nline_bytes_max = 'many'", ["limits.line_bytes_max", "'many' should be a whole number"]),
        ("[limits]\nline_bytes_max = 5", ["limits", "'line_bytes_max' must be >= 256"]),
        ("[match]\nturn_time_s = true", ["match.turn_time_s", "should be a number"]),
        ("[lobby]\nmessages = 'sometimes'", ["lobby.messages", "'sometimes'", "outside-matches"]),
        ("[journal]\nsynchronous = 'maybe'", ["journal.synchronous: must be in", "'maybe'"]),
        ("[strategic]\nmessages_per_10_s = 0", ["strategic", "'messages_per_10_s' must be >= 1"]),
        ("[strategic]\nmessages = 1", ["strategic.messages is not a setting"]),
        ("[match\n", ["is not valid TOML"]),
        ("[listen]\nstrategic = 'here'", ["listen.strategic", "'here' is not an address"]),
        ("[listen]\nstrategic = '127.0.0.1:99999'", ["listen.strategic", "is not an address"]),
        ("[listen]\n'strategic:2017' = '*:0'", ["no profile '2017'", "2016"]),
        ("[listen]\nstrategy = '*:0'", ["there is no protocol 'strategy'", "did you mean 'strategic'?"]),
        ("plugins = 'pig:GAME'", ["plugins"]),
        ("data = 3", ["data", "should be text"]),
    ],
)
def test_a_wrong_setting_is_one_line_and_exit_code_2(tmp_path, text, said):
    file = tmp_path / "wrong.toml"
    file.write_text(text, encoding="utf-8")
    line = complaint(here("config", "--config", str(file)), 2)
    assert line.startswith(f"gameserver: {file}")
    for words in said:
        assert words in line


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--listen", "strategic"], "--listen takes PROTOCOL=HOST:PORT"),
        (["--listen", "strategic:ngs=127.0.0.1"], "is not an address"),
        (["--listen", "strategic:ngs=:7789"], "is not an address"),
        (["--listen", "strategic:2017=127.0.0.1:0"], "no profile '2017'"),
        (["--listen", "telepathy=127.0.0.1:0"], "there is no protocol 'telepathy'"),
        (["--config", "is-not-there.toml"], "is-not-there.toml: the file cannot be read"),
    ],
)
def test_a_wrong_argument_is_one_line_and_exit_code_2(arguments, said):
    assert said in complaint(here("serve", *NOWHERE, *arguments), 2)


def test_a_port_that_is_taken_is_named_with_the_key_that_changes_it(tmp_path):
    with socket.socket() as other:
        other.bind((LOCAL, 0))
        other.listen()
        port = other.getsockname()[1]
        done = run("serve", "--data", str(tmp_path / "data.sqlite3"), "--listen", f"strategic={LOCAL}:{port}")
    line = complaint(done, 1)
    assert f"{LOCAL}:{port}" in line
    assert "listen.strategic" in line


@pytest.mark.parametrize("command", [["serve", *NOWHERE], ["plugins"]])
def test_every_command_reads_the_config_as_strictly(tmp_path, command):
    file = tmp_path / "wrong.toml"
    file.write_text("turn_time = 3", encoding="utf-8")
    assert "turn_time is not a setting" in complaint(here(*command, "--config", str(file)), 2)


def test_an_address_that_is_not_ours_is_named(tmp_path):
    done = run("serve", "--data", str(tmp_path / "data.sqlite3"), "--listen", "strategic=192.0.2.1:0")
    assert "192.0.2.1" in complaint(done, 1)


def test_a_second_server_on_the_same_data_file_is_refused(serve):
    server = serve()
    done = run("serve", "--data", str(server.data), "--listen", f"strategic={LOCAL}:0")
    line = complaint(done, 1)
    assert str(server.data) in line
    if not SYSTEM:  # others have no lock that tells, and this server has no access file
        assert f"process {server.process.pid}" in line
    server.client("ann").hears_nothing()


def test_file_that_is_not_a_data_file_is_refused(tmp_path):
    data = tmp_path / "data.sqlite3"
    data.write_bytes(b"This is a letter to my aunt, and no database at all." * 100)
    before = data.read_bytes()
    line = complaint(run("serve", "--data", str(data), "--listen", f"strategic={LOCAL}:0"), 1)
    assert str(data) in line
    assert data.read_bytes() == before


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_stop_tells_the_players_and_saves_their_match(serve, how):
    server = serve()
    first, second = begin(server.client("ann"), server.client("bob"))
    play(first, second, 4, 0)
    stranger = server.client()
    assert server.stop(how) == 0
    for client in (first, second, stranger):
        assert client.rest() == [GOODBYE]
    assert "Traceback" not in server.log.text

    assert not server.data.with_name(server.data.name + "-wal").exists()
    with closing(sqlite3.connect(server.data)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)

    server.start()
    ann, bob = server.client("ann"), server.client("bob")
    match = fields_of(ann.expect("SVR GAME MATCH "))
    bob.expect("SVR GAME MATCH ")
    first, second = (ann, bob) if match["PLAYERTOMOVE"] == "ann" else (bob, ann)
    for client in (first, second):
        client.expect('SVR GAME MOVE {PLAYER: "', 'SVR GAME MOVE {PLAYER: "')
    first.expect("SVR GAME YOURTURN ")
    play(first, second, 1, 7)
    assert first.ask("move 2") == "OK"
    second.expect("SVR GAME MOVE ", "SVR GAME YOURTURN ")


def test_a_stop_waits_for_nobody_who_does_not_listen(serve):
    server = serve()
    deaf = server.client("deaf", receive_buffer=2048)
    deaf.send(*["help"] * 500)
    assert server.stop() == 0


def test_everything_is_kept_over_two_restarts(serve):
    server = serve()
    for _ in range(2):
        first, second = begin(server.client("ann"), server.client("bob"))
        play(first, second, 0, 3, 1, 4)
        assert first.ask("move 2") == "OK"
        assert second.expect("SVR GAME MOVE ", "SVR GAME LOSS ")
        assert server.stop() == 0
        server.start()
    assert [(match.match, match.reason, sorted(match.results)) for match in server.matches()] == [
        (1, "played", ["loss", "win"]),
        (2, "played", ["loss", "win"]),
    ]


def test_data_in_memory_leaves_no_file(tmp_path, new_server):
    server = new_server("--data", ":memory:")
    server.start()
    assert "kept in memory only" in server.printed.text
    begin(server.client("ann"), server.client("bob"))
    assert server.stop() == 0
    assert not list(tmp_path.rglob("*.sqlite3*"))


def test_the_log_as_json_names_session_player_and_match(serve):
    server = serve("--log-json")
    first, second = begin(server.client("ann"), server.client("bob"))
    play(first, second, 0, 3, 1, 4)
    assert first.ask("move 2") == "OK"
    first.send("bye")
    assert first.rest()[-1].startswith("SVR GAME WIN ")
    server.log.wait_for("connection ends")
    assert server.stop() == 0

    events = [json.loads(line) for line in server.log.lines]
    assert all({"event", "level", "timestamp"} <= event.keys() for event in events)
    entered = {event["player"]: event["session"] for event in events if event["event"] == "player entered"}
    assert entered.keys() == {"ann", "bob"}
    (over,) = [event for event in events if event["event"] == "match over"]
    assert (over["match"], over["game"], over["reason"]) == (1, "Tic-tac-toe", "played")
    assert sorted(over["players"]) == ["ann", "bob"]
    assert over["winners"] == [over["players"][0]]
    ended = {event["session"] for event in events if event["event"] == "connection ends"}
    assert ended == set(entered.values())


def test_a_broken_plugin_is_named_and_the_server_starts_without_it(serve):
    server = serve(plugins=["nope:GAME", "json:NOTHING", "json", "json:dumps"])
    server.log.wait_for("'nope:GAME'", "No module named 'nope'")
    server.log.wait_for("'json:NOTHING'", "NOTHING")
    server.log.wait_for("'json'", "should read module:NAME")
    server.log.wait_for("'json:dumps'", "neither a Game nor a WireProtocol")
    begin(server.client("ann"), server.client("bob"))


def test_plugins_reports_a_broken_one_by_name(tmp_path):
    file = tmp_path / "config.toml"
    file.write_text('plugins = ["nope:GAME"]', encoding="utf-8")
    done = run("plugins", "--config", str(file))
    assert done.returncode == 0
    assert "Tic-tac-toe" in done.stdout
    assert "'nope:GAME'" in done.stderr


def test_every_protocol_off_is_no_server_for_the_text_protocol(new_server):
    server = new_server(listen=("strategic=off", f"strategic:ngs={LOCAL}:0"))
    server.start()
    assert len(server.ports) == 1
    assert server.client().banner[0] == "New Game Server [Version 1.0]"


def test_listeners_with_different_profiles_share_one_lobby(serve):
    profiles = ("document", "2009", "2015", "2016", "ngs")
    server = serve(listen=[f"strategic:{profile}={LOCAL}:0" for profile in profiles] + ["strategic=off"])
    assert len(set(server.ports)) == len(profiles)
    clients = [
        server.client(f"player {profile}", port=port) for profile, port in zip(profiles, server.ports, strict=True)
    ]
    assert len({tuple(client.banner) for client in clients}) == len(profiles)
    clients[0].send("get playerlist")
    clients[0].expect(
        "OK", 'SVR PLAYERLIST ["player document", "player 2009", "player 2015", "player 2016", "player ngs"'
    )
    begin(clients[1], clients[-1], "reversi")


@pytest.mark.parametrize(
    ("host", "reached_by"),
    [
        pytest.param("127.0.0.1", ["127.0.0.1"], id="IPv4"),
        pytest.param("[::1]", ["::1"], id="IPv6", marks=needs_ipv6),
        pytest.param("*", ["127.0.0.1", "::1"], id="both", marks=needs_ipv6),
        pytest.param("0.0.0.0", ["127.0.0.1"], id="every IPv4"),
        pytest.param("[::]", ["::1"], id="every IPv6", marks=needs_ipv6),
        pytest.param("localhost", ["localhost"], id="by name"),
    ],
)
def test_addresses(serve, host, reached_by):
    server = serve(listen=[f"strategic={host}:0"])
    for number, address in enumerate(reached_by):
        client = server.client(f"player{number}", host=address)
        assert len(client.banner) == 2
        client.hears_nothing()


def test_the_table_says_how_to_try_it(serve):
    server = serve()
    assert f"nc {LOCAL} {server.port}" in server.printed.text
    assert str(server.data) in "".join(line.strip() for line in server.printed.lines), "a long path is wrapped"
