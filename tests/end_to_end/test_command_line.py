"""The installed command, as somebody at a terminal meets it."""

import json
import sqlite3
from contextlib import closing

import pytest

from tests.end_to_end.blocking_client import begin, fields_of, play
from tests.end_to_end.support import GOODBYE, LOCAL, has_ipv6, run
from tests.support.elsewhere import SYSTEM


def complaint(done, exit_code):
    """The one line on stderr with which the command gives up."""
    assert done.returncode == exit_code, done
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    return line


def test_the_log_as_json_names_session_player_match_and_a_broken_plugin(serve):
    server = serve("--log-json", plugins=["nope:GAME"])
    server.log.wait_for("'nope:GAME'", "No module named 'nope'")
    assert f"nc {LOCAL} {server.port}" in server.printed.text
    assert str(server.data) in "".join(line.strip() for line in server.printed.lines), "a long path is wrapped"
    first, second = begin(server.client("ann"), server.client("bob"))
    play(first, second, 0, 3, 1, 4)
    assert first.ask("move 2") == "OK"
    first.send("bye")
    assert first.rest()[-1].startswith("SVR GAME WIN ")
    server.log.wait_for("connection ends")
    assert server.stop() == 0

    events = [json.loads(line) for line in server.log.lines[1:]]  # the first tells of the plug-in
    assert all({"event", "level", "timestamp"} <= event.keys() for event in events)
    entered = {event["player"]: event["session"] for event in events if event["event"] == "player entered"}
    assert entered.keys() == {"ann", "bob"}
    (over,) = [event for event in events if event["event"] == "match over"]
    assert (over["match"], over["game"], over["reason"]) == (1, "Tic-tac-toe", "played")
    assert sorted(over["players"]) == ["ann", "bob"]
    assert over["winners"] == [over["players"][0]]
    ended = {event["session"] for event in events if event["event"] == "connection ends"}
    assert ended == set(entered.values())


def test_what_a_server_cannot_have_is_named_in_one_line(server, tmp_path):
    data, listen = str(tmp_path / "data.sqlite3"), f"strategic={LOCAL}:0"
    holder = "" if SYSTEM else f"process {server.process.pid}"  # others have no lock that tells
    for arguments, *said in (
        (
            ("--data", data, "--listen", f"strategic={LOCAL}:{server.port}"),
            f"{LOCAL}:{server.port}",
            "listen.strategic",
        ),
        (("--data", str(server.data), "--listen", listen), str(server.data), holder),
    ):
        line = complaint(run("serve", *arguments), 1)
        assert all(words in line for words in said), line
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
