"""Matches as players meet them: two clients, the house, lost connections, odd bytes, a restart in between."""

import random
import socket
import time

import pytest

from tests.end_to_end.blocking_client import begin, fields_of, play
from tests.end_to_end.bots import StrictBot, check_records, counted, play_all
from tests.end_to_end.support import eventually

# Black wins by taking every white disc with the ninth move.
# fmt: off
WIPE_OUT = (37, 43, 34, 29, 52, 45, 38, 44, 20)
# fmt: on


def test_tic_tac_toe_to_the_end(server):
    first, second = begin(server.client("ann"), server.client("bob"), "tic-TAC-toe")
    play(first, second, 4, 0, 2, 6)
    assert first.ask("move 3") == "OK"
    for client in (first, second):
        assert fields_of(client.expect("SVR GAME MOVE "))["MOVE"] == "3"
    second.expect("SVR GAME YOURTURN ")
    assert second.ask("move 5") == "OK"
    for client in (first, second):
        assert fields_of(client.expect("SVR GAME MOVE "))["MOVE"] == "5"
    first.expect("SVR GAME YOURTURN ")
    play(first, second, 1, 7)
    assert first.ask("move 8") == "OK"
    for client in (first, second):
        assert fields_of(client.expect("SVR GAME MOVE "))["MOVE"] == "8"
        assert client.next() == 'SVR GAME DRAW {PLAYERONESCORE: "0", PLAYERTWOSCORE: "0", COMMENT: ""}'
        client.hears_nothing()
    begin(first, second, "Reversi")


@pytest.mark.parametrize("game", ["Tic-tac-toe", "Reversi"])
async def test_two_clients_play_match_after_match(server, game):
    bots = [StrictBot(name, game, counted(5), random.Random(name)) for name in ("ann", "bob")]
    await play_all(bots, server.port)
    assert len(server.matches()) == 5
    check_records(bots, server.matches())


async def test_the_house_plays_many_at_once(server):
    bots = [
        StrictBot(f"{number} against {rival} at {game}", game, counted(2), random.Random(number), rival)
        for number in range(10)
        for rival, game in (
            ("house-random", "Tic-tac-toe"),
            ("house-random", "Reversi"),
            ("house-greedy", "Reversi"),
            ("house-perfect", "Tic-tac-toe"),
        )
    ]
    await play_all(bots, server.port)
    recorded = server.matches()
    assert len(recorded) == 2 * len(bots)
    check_records(bots, recorded)
    perfect = [match for bot in bots if bot.rival == "house-perfect" for match in bot.matches]
    assert "win" not in {match.result for match in perfect}


def test_reversi_by_wipe_out(server):
    first, second = begin(server.client("ann"), server.client("bob"), "Reversi")
    play(first, second, *WIPE_OUT[:-1])
    assert first.ask(f"move {WIPE_OUT[-1]}") == "OK"
    for client, result in ((first, "WIN"), (second, "LOSS")):
        client.expect("SVR GAME MOVE ")
        why = ', REASON: "the game was played to its end"' if result == "LOSS" else ""
        assert client.next() == f'SVR GAME {result} {{PLAYERONESCORE: "13", PLAYERTWOSCORE: "0", COMMENT: ""{why}}}'


def test_the_opponent_of_a_lost_connection_wins(server):
    losses = {
        "reset": lambda client: client.reset(),
        "close": lambda client: client.close(),
        "bye": lambda client: client.send("bye"),
        "half-close": lambda client: client.half_close(),
    }
    for how, lose in losses.items():
        first, second = begin(server.client(f"ann {how}"), server.client(f"bob {how}"))
        play(first, second, 4)
        lose(second)
        won = 'SVR GAME WIN {PLAYERONESCORE: "0", PLAYERTWOSCORE: "0", COMMENT: "Client disconnected"}'
        assert first.next() == won, how
        first.hears_nothing()
    assert [(match.reason, match.results) for match in server.matches()] == [("dropped", ["win", "loss"])] * 4


def test_disconnected_player_may_come_back_within_the_grace(serve):
    server = serve(match={"drop_grace_s": 60})
    clients = {name: server.client(name) for name in ("ann", "bob")}
    first, second = begin(*clients.values())
    play(first, second, 4, 0)
    (name,) = [name for name, client in clients.items() if client is second]
    second.reset()
    again = eventually(lambda: came_back(server, name), "the seat is free")
    again.expect("SVR GAME MATCH ", 'SVR GAME MOVE {PLAYER: "', f'SVR GAME MOVE {{PLAYER: "{name}", MOVE: "0"')
    again.hears_nothing()
    play(first, again, 1, 7)


def came_back(server, name):
    client = server.client()
    return client if client.ask(f"login {name}") == "OK" else None


def test_late_is_lost(serve):
    server = serve(match={"turn_time_s": 1, "late_margin_ms": 0})
    first, second = begin(server.client("ann"), server.client("bob"))
    play(first, second, 4)
    expected = 'PLAYERONESCORE: "0", PLAYERTWOSCORE: "0", COMMENT: "Turn timelimit reached"'
    assert first.next() == f"SVR GAME WIN {{{expected}}}"
    assert second.next() == f'SVR GAME LOSS {{{expected}, REASON: "no move came within 1 s of YOURTURN"}}'
    assert second.ask("move 0") == "ERR Not in any match"


def test_an_illegal_move_is_lost(server):
    first, second = begin(server.client("ann"), server.client("bob"))
    play(first, second, 4)
    assert second.ask("move 4") == "OK"
    for client, result in ((first, "WIN"), (second, "LOSS")):
        assert fields_of(client.expect("SVR GAME MOVE "))["DETAILS"] == "Illegal move"
        expected = 'PLAYERONESCORE: "1", PLAYERTWOSCORE: "-1", COMMENT: "Illegal move"'
        why = ', REASON: "cell 4 is taken"' if result == "LOSS" else ""
        assert client.next() == f"SVR GAME {result} {{{expected}{why}}}"


def test_line_ends(server):
    for number, end in enumerate((b"\n", b"\r\n", b"\r", b"\r\0")):
        client = server.client()
        client.send_bytes(b"login ann%d" % number + end + end + b"get gamelist" + end)
        client.expect("OK", "OK", "SVR GAMELIST ")


def test_telnet_negotiation_is_swallowed(server):
    client = server.client()
    will, subnegotiation = b"\xff\xfb\x18", b"\xff\xfa\x18\x00xterm\xff\xf0"
    client.send_bytes(b"lo" + will + b"gin a" + subnegotiation + b"nn\r\n\xff\xf1get \xff\xfd\x01gamelist\r\n")
    client.expect("OK", "OK", "SVR GAMELIST ")
    client.send("get playerlist")
    client.expect("OK", 'SVR PLAYERLIST ["ann", ')


def test_one_byte_at_a_time_and_everything_in_one_packet(server):
    slow = server.client()
    slow.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for byte in b"login ann\r\nget gamelist\r\n":
        slow.send_bytes(bytes([byte]))
    slow.expect("OK", "OK", "SVR GAMELIST ")
    fast = server.client(banner=False)
    fast.send("login bob", "get gamelist", "subscribe Reversi", "unsubscribe", "nonsense", "get playerlist")
    fast.expect("", "", "OK", "OK", "SVR GAMELIST ", "OK", "OK", "ERR ", "OK", "SVR PLAYERLIST ")


def test_a_half_closed_peer_is_answered_to_the_end(server):
    """As in `printf 'login a\\nget gamelist\\n' | nc -N host port`."""
    client = server.client()
    client.send_bytes(b"login a\nget gamelist\nhelp get\nget playerlist")
    client.half_close()
    rest = client.rest()
    assert rest[:2] == ["OK", "OK"]
    assert rest[2].startswith("SVR GAMELIST [")
    assert rest.count("OK") == 4
    assert rest[-1].startswith('SVR PLAYERLIST ["a", ')
    other = server.client()
    eventually(lambda: other.ask("login a") == "OK", "the name is free again")


def test_a_half_closed_peer_hears_all_of_a_long_answer(server):
    client = server.client(receive_buffer=4096)
    client.send("login a", *["help"] * 400, "get gamelist")
    client.half_close()
    rest = client.rest()
    assert rest.count("OK") == 402
    assert rest[-1].startswith("SVR GAMELIST ")


def test_a_restart_brings_both_back_to_their_seats(serve):
    server = serve(match={"turn_time_s": 5})
    first, second = begin(server.client("ann"), server.client("bob"), "Reversi")
    play(first, second, *WIPE_OUT[:3])
    assert server.stop() == 0
    server.start()
    ann = server.client("ann")
    match = fields_of(ann.expect("SVR GAME MATCH "))
    for number in range(3):
        assert fields_of(ann.expect("SVR GAME MOVE "))["MOVE"] == str(WIPE_OUT[number])
    bob = server.client("bob")
    assert fields_of(bob.expect("SVR GAME MATCH "))["PLAYERTOMOVE"] == match["PLAYERTOMOVE"]
    for number in range(3):
        assert fields_of(bob.expect("SVR GAME MOVE "))["MOVE"] == str(WIPE_OUT[number])
    first, second = (ann, bob) if match["PLAYERTOMOVE"] == "ann" else (bob, ann)
    second.expect("SVR GAME YOURTURN ")
    play(second, first, *WIPE_OUT[3:-1])
    assert first.ask(f"move {WIPE_OUT[-1]}") == "OK"
    for client, result in ((first, "WIN"), (second, "LOSS")):
        client.expect("SVR GAME MOVE ", f"SVR GAME {result} ")


def test_after_a_restart_the_clock_stands_until_the_mover_is_back(serve):
    server = serve(match={"turn_time_s": 1.5, "late_margin_ms": 0})
    clients = {name: server.client(name) for name in ("ann", "bob")}
    first, second = begin(*clients.values())
    play(first, second, 4)
    mover, other = ("ann", "bob") if clients["ann"] is second else ("bob", "ann")
    assert server.stop() == 0
    server.start()
    waiting = server.client(other)
    waiting.expect("SVR GAME MATCH ", "SVR GAME MOVE ")
    time.sleep(2)  # longer than a turn
    waiting.hears_nothing()
    back = server.client(mover)
    back.expect("SVR GAME MATCH ", "SVR GAME MOVE ", "SVR GAME YOURTURN ")
    play(back, waiting, 0)
    # From here on the clock runs as ever.
    for client, result in ((back, "WIN"), (waiting, "LOSS")):
        assert client.next().startswith(f"SVR GAME {result} ")


def test_after_a_restart_an_empty_seat_makes_the_match_void(serve):
    server = serve(match={"restart_grace_s": 0.5})
    begin(server.client("ann"), server.client("bob"))
    assert server.stop() == 0
    server.start()
    ann = server.client("ann")
    ann.expect("SVR GAME MATCH ")
    while (line := ann.next()).startswith("SVR GAME YOURTURN "):
        pass
    assert line == 'SVR GAME DRAW {PLAYERONESCORE: "0", PLAYERTWOSCORE: "0", COMMENT: "Match void"}'
    bob = server.client("bob")
    bob.hears_nothing()
    begin(ann, bob)
    assert server.stop() == 0
    (match,) = server.matches()
    assert (match.reason, match.results) == ("void", ["void", "void"])
