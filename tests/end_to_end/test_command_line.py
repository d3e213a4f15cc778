"""The installed command, as somebody at a terminal meets it."""

import json
import sqlite3
import tomllib
from contextlib import closing

import pytest
import tomli_w

from tests.end_to_end.blocking_client import begin, fields_of, play
from tests.end_to_end.support import GOODBYE, LOCAL, called, has_ipv6, run
from tests.support.elsewhere import SYSTEM

NOWHERE = ("--data", ":memory:", "--listen", f"strategic={LOCAL}:0")
"""For a server that should not even start: if it does, it does no harm."""


def complaint(done, exit_code):
    """The one line on stderr with which the command gives up."""
    assert done.returncode == exit_code, done
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    return line


def test_config_prints_toml_that_reads_back(tmp_path):
    done = called("config")
    assert (done.returncode, done.stderr) == (0, "")
    settings = tomllib.loads(done.stdout)
    assert settings["listen"]["strategic"] == "*:7789"

    changed = tmp_path / "changed.toml"
    settings["match"]["turn_time_s"] = 7.5
    settings["lobby"]["messages"] = "outside-matches"
    settings["connect-four"]["time_elapsed_error"] = False
    settings["listen"]["strategic:ngs"] = "[::1]:7790"
    changed.write_text(tomli_w.dumps(settings), encoding="utf-8")
    again = called("config", "--config", str(changed), "--data", "other.sqlite3", "--listen", "strategic=127.0.0.1:0")
    assert (again.returncode, again.stderr) == (0, "")
    settings["data"] = "other.sqlite3"
    settings["listen"]["strategic"] = "127.0.0.1:0"
    assert tomllib.loads(again.stdout) == settings


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


WRONG = "match.turn_tine_s is not a setting; did you mean 'turn_time_s'?"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["config", "--config", "wrong.toml"], f"gameserver: wrong.toml: {WRONG}"),
        (["serve", *NOWHERE, "--config", "wrong.toml"], WRONG),
        (["plugins", "--config", "wrong.toml"], WRONG),
        (["serve", *NOWHERE, "--config", "is-not-there.toml"], "is-not-there.toml: the file cannot be read"),
        (["serve", *NOWHERE, "--listen", "strategic"], "--listen takes PROTOCOL=HOST:PORT"),
        (["serve", *NOWHERE, "--listen", "strategic:2017=127.0.0.1:0"], "no profile '2017'"),
    ],
)
def test_a_wrong_setting_or_argument_is_one_line_and_exit_code_2(tmp_path, monkeypatch, arguments, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wrong.toml").write_text("[match]\nturn_tine_s = 3", encoding="utf-8")
    assert said in complaint(called(*arguments), 2)


def test_what_a_server_cannot_have_is_named_in_one_line(serve, tmp_path):
    server, letter = serve(), tmp_path / "letter.sqlite3"
    letter.write_bytes(b"This is a letter to my aunt, and no database at all." * 100)
    before = letter.read_bytes()
    data, listen = str(tmp_path / "data.sqlite3"), f"strategic={LOCAL}:0"
    holder = "" if SYSTEM else f"process {server.process.pid}"  # others have no lock that tells
    for arguments, *said in (
        (
            ("--data", data, "--listen", f"strategic={LOCAL}:{server.port}"),
            f"{LOCAL}:{server.port}",
            "listen.strategic",
        ),
        (("--data", data, "--listen", "strategic=192.0.2.1:0"), "192.0.2.1"),
        (("--data", str(server.data), "--listen", listen), str(server.data), holder),
        (("--data", str(letter), "--listen", listen), str(letter)),
    ):
        line = complaint(run("serve", *arguments), 1)
        assert all(words in line for words in said), line
    assert letter.read_bytes() == before
    server.client("ann").hears_nothing()


def test_a_stop_tells_the_players_and_saves_their_match(serve):
    server = serve()
    first, second = begin(server.client("ann"), server.client("bob"))
    play(first, second, 4, 0)
    stranger, deaf = server.client(), server.client("deaf", receive_buffer=2048)
    deaf.send(*["help"] * 500)
    assert server.stop() == 0, "a stop waits for nobody who does not listen"
    for client in (first, second, stranger):
        assert client.rest() == [GOODBYE]
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


def test_broken_plugin_is_named_and_the_others_work(serve):
    server = serve(plugins=["nope:GAME"])
    server.log.wait_for("'nope:GAME'", "No module named 'nope'")
    assert f"nc {LOCAL} {server.port}" in server.printed.text
    assert str(server.data) in "".join(line.strip() for line in server.printed.lines), "a long path is wrapped"
    done = called("plugins", "--config", str(server.data.with_name("config.toml")))
    assert done.returncode == 0
    assert "'nope:GAME'" in done.stderr
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in done.stdout.splitlines() if "│" in line]
    assert ["game", "Reversi", "games.reversi"] in rows
    assert ["protocol", "connect-four", "protocols.connect_four"] in rows


@pytest.mark.skipif(not has_ipv6(), reason="this machine has no IPv6")
def test_listeners_of_every_profile_and_address_share_one_lobby(serve):
    places = {
        "document": ("localhost", "localhost"),
        "2009": (LOCAL, LOCAL),
        "2015": ("[::1]", "::1"),
        "2016": ("[::]", "::1"),
        "ngs": ("*", "::1"),
    }
    listen = [f"strategic:{profile}={host}:0" for profile, (host, _) in places.items()]
    server = serve(listen=[*listen, "strategic=off"])
    assert len(set(server.ports)) == len(places)
    clients = [
        server.client(f"player {profile}", port=port, host=address)
        for (profile, (_, address)), port in zip(places.items(), server.ports, strict=True)
    ]
    assert len({tuple(client.banner) for client in clients}) == len(places)
    assert server.client("by IPv4", port=server.ports[-1]).banner == clients[-1].banner, "* is both"
    clients[0].send("get playerlist")
    clients[0].expect("OK", "SVR PLAYERLIST [" + ", ".join(f'"player {profile}"' for profile in places))
    begin(clients[1], clients[-2], "reversi")
