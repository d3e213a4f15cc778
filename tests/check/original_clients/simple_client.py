"""Does on the wire what the original's own SimpleClient 0.5.3 does: `python simple_client.py HOST PORT NAME AFTER`.

A person types its commands, a second apart, and each has one answer. In a game messages come in pairs, and its own
moves are on no board. AFTER is what its user does after a game: `restart`, or `exit_game` to join a room again.
"""

import sys

from wire import Wire, pause, room_of

TYPING_S = 1.0
THINKING_S = 0.2


def main(host: str, port: str, name: str, after: str) -> None:
    wire, after = Wire(host, port), after.replace("_", " ")
    message = ask(wire, "connect", name=name)
    while True:
        full: list[int] = []
        while message["event"] == "lobby":
            room = room_of(message, full)
            message = ask(wire, "join", **{"room number": room})
            if message["event"] == "error":
                full.append(room)
                message = ask(wire, "connect")
        message = ask(wire, "start")
        while message["event"] == "started":
            play(wire)
            message = ask(wire, after)


def ask(wire: Wire, action: str, **more: object) -> dict[str, object]:
    pause(TYPING_S)
    wire.send(action, **more)
    return wire.read()


def play(wire: Wire) -> None:
    wire.new_game()
    message = wire.read()
    if message["event"] == "opponent moved":
        wire.play(str(message["move"]))
        message = wire.read()
    if message["event"] == "make move":
        wire.move()
    message = wire.read()
    while message["event"] != "game over":
        if message["event"] == "opponent moved":
            wire.play(str(message["move"]))
        message = wire.read()
        pause(THINKING_S)
        if message["event"] == "game over":
            return
        if message["event"] == "make move":
            wire.move()
        message = wire.read()


main(*sys.argv[1:])
