"""Does on the wire what BarryClient does, a student's client of 2017: `python barry_client.py HOST PORT NAME`.

It pauses for half a second before it sends `connect` or `start`, and sends `start` again after any answer but
`started`. After a game it reads one more message before it leaves, so with the original it plays one game alone.
"""

import sys

from wire import Wire, pause, room_of

PAUSE_S = 0.5


def main(host: str, port: str, name: str) -> None:
    wire = Wire(host, port)
    pause(PAUSE_S)
    wire.send("connect", name=name)
    while True:
        message = wire.read()
        if message["event"] == "lobby":
            wire.send("join", **{"room number": room_of(message)})
        elif message["event"] == "game":
            wire.new_game()
            play(wire)


def play(wire: Wire) -> None:
    started = False
    while not started:
        pause(PAUSE_S)
        wire.send("start")
        started = wire.read()["event"] == "started"
    message = wire.read()
    has_turn = message["event"] == "make move"
    is_over = False
    while not is_over:
        if message["event"] == "make move" and has_turn:
            wire.play(wire.move())
            has_turn = False
        elif message["event"] == "opponent moved" and not has_turn:
            wire.play(str(message["move"]))
            has_turn = True
        is_over = message["event"] == "game over"
        message = wire.read()
    wire.send("exit game")


main(*sys.argv[1:])
