"""Clients of the text protocol with a single fault each: `python faulty_clients.py FAULT HOST PORT NAME GAME`.

A fault is a class that takes the place of the correct client, and differs from it in a few lines, as real clients did.
"""

import json
import re
import sys
import threading
import time

from correct_client import FIELD, CorrectClient


class AcceptsNoChallenge(CorrectClient):
    """Ignores challenges."""

    def on_challenge(self, fields):
        """Nobody has written this yet."""


class AlwaysAnswersAMove(CorrectClient):
    """Chooses its next move when the opponent has moved: if it must pass, there is none to choose."""

    def on_move(self, fields):
        super().on_move(fields)
        if fields["PLAYER"] != self.name and None in self.board.owners:
            self.answer = self.random.choice(self.board.legal(True))


class AssumesItIsFirst(CorrectClient):
    """Begins every match, whoever is to move."""

    def begins(self, fields):
        return True

    def on_match(self, fields):
        super().on_match(fields)
        if fields["PLAYERTOMOVE"] != self.name:
            self.on_turn()


class BelievesEveryMove(CorrectClient):
    """Reads every move as a number, also the one by which the opponent has just lost."""

    def on_move(self, fields):
        self.board.owners[int(fields["MOVE"])] = fields["PLAYER"] == self.name
        super().on_move(fields)


class BlocksOnAChallenge(CorrectClient):
    """Answers a challenge at once, and hears nothing until its match begins: even while it plays another one."""

    blocks = False

    def on_challenge(self, fields):
        self.send(f"challenge accept {fields['CHALLENGENUMBER']}")
        self.blocks = True

    def on_line(self, line):
        if line.startswith("SVR GAME MATCH"):
            self.blocks = False
        if not self.blocks:
            super().on_line(line)


class BufferOf256Bytes(CorrectClient):
    """Collects a line in a buffer of 256 bytes, as `char line[256]` in C."""

    def look_for_match(self):
        self.send("get playerlist")
        super().look_for_match()

    def on_line(self, line):
        buffer = bytearray(256)
        for at, byte in enumerate(line.encode()):
            buffer[at] = byte
        super().on_line(line)


class BufferOf4096Bytes(CorrectClient):
    """Collects a line in a buffer of 4,096 bytes."""

    def look_for_match(self):
        self.send("get playerlist")
        super().look_for_match()

    def on_line(self, line):
        buffer = bytearray(4096)
        for at, byte in enumerate(line.encode()):
            buffer[at] = byte
        super().on_line(line)


class ClearsItsMatchLate(CorrectClient):
    """Clears its match 80 ms after the end, in another thread: a match that has begun meanwhile is cleared with it."""

    def on_end(self, kind, fields):
        threading.Timer(0.08, super().on_end, [kind, fields]).start()


KNOWN = re.compile(r'\{PLAYER: "[^"]*", MOVE: "[^"]*", DETAILS: "[^"]*"\}')


class CountsTheKeys(CorrectClient):
    """Fits its whole line to a pattern of exactly the keys that it knows."""

    def on_event(self, kind, text):
        if kind != "MOVE" or KNOWN.fullmatch(text):
            super().on_event(kind, text)


class CountsTheKeysOfAResult(CorrectClient):
    """Unpacks exactly the values that it knows, where a match ends."""

    def on_end(self, kind, fields):
        own_score, other_score, comment = fields.values()
        print(kind, own_score, other_score, comment, flush=True)
        super().on_end(kind, fields)


class DiesOnACancelledChallenge(CorrectClient):
    """Looks for the challenger in the line that takes a challenge back, which has only its number."""

    def on_cancelled(self, fields):
        print(fields["CHALLENGER"], "has changed their mind")


class DiesOnAnUnknownLine(CorrectClient):
    """Treats a line that it does not know as an error in the protocol."""

    def on_other(self, line):
        if self.is_in and not line.startswith(("SVR GAMELIST", "SVR PLAYERLIST", "SVR HELP")):
            raise ValueError(line)

    def on_event(self, kind, text):
        if kind not in ("MATCH", "YOURTURN", "MOVE", "WIN", "LOSS", "DRAW", "CHALLENGE", "CHALLENGE CANCELLED"):
            raise ValueError(kind)
        super().on_event(kind, text)


class DiesOnChat(CorrectClient):
    """Looks for a sender that the text protocol does not name so."""

    def on_chat(self, line):
        print(self.fields(line)["PLAYER"])


class DoesNotKnowADraw(CorrectClient):
    """Knows WIN and LOSS only: after a draw it still waits for its turn."""

    def on_event(self, kind, text):
        if kind != "DRAW" and not (kind == "MATCH" and self.is_playing):
            super().on_event(kind, text)


class DoesNotKnowAForfeit(CorrectClient):
    """Shows the last move when a match ends, though a match that is given up may have none."""

    def on_match(self, fields):
        super().on_match(fields)
        self.moves = []

    def on_move(self, fields):
        super().on_move(fields)
        self.moves.append(fields["MOVE"])

    def on_end(self, kind, fields):
        print("the last move was", self.moves[-1])
        super().on_end(kind, fields)


class DoesNotKnowAPass(CorrectClient):
    """Expects the turns to alternate: after its own move it waits for the opponent's, even if that is skipped."""

    waits = False

    def on_match(self, fields):
        super().on_match(fields)
        self.waits = not self.begins(fields)

    def on_move(self, fields):
        super().on_move(fields)
        self.waits = fields["PLAYER"] == self.name

    def on_turn(self):
        if not self.waits:
            super().on_turn()


class DoesNotReconnect(CorrectClient):
    """Ends when the connection does."""

    def run(self):
        try:
            self.play_until_it_closes()
        except OSError as problem:
            sys.exit(f"connection lost: {problem}")


class DropsWhatComesWithOk(CorrectClient):
    """Waits for the OK of `subscribe` by itself, and throws away what came in the same packet."""

    waits = False

    def look_for_match(self):
        super().look_for_match()
        self.waits = True

    def read(self):
        data = super().read()
        if self.waits and b"OK\r\n" in data:
            self.waits = False
            return b"OK\r\n"
        return data


class ExpectsCrlf(CorrectClient):
    """Knows no other end of line than CR LF."""

    def lines(self):
        rest = b""
        while data := self.read():
            *lines, rest = (rest + data).split(b"\r\n")
            yield from (line.decode(errors="replace") for line in lines if line)


class ExpectsLf(CorrectClient):
    """Reads to the next LF, and takes a CR in front of it away: a CR alone ends no line."""

    def lines(self):
        rest = b""
        while data := self.read():
            *lines, rest = (rest + data).split(b"\n")
            yield from (line.decode(errors="replace").strip() for line in lines if line.strip())


ORDER = {"PLAYERTOMOVE": 0, "GAMETYPE": 1, "OPPONENT": 2, "PLAYER": 0, "MOVE": 1, "DETAILS": 2, "CHALLENGENUMBER": 1}


class FixedKeyPositions(CorrectClient):
    """Takes the fields of a map by their position: the first, the second, the third."""

    def fields(self, text):
        values = [value for _, value in FIELD.findall(text)]
        return {key: values[at] for key, at in ORDER.items() if at < len(values)}


class GivesUpWaiting(CorrectClient):
    """Takes five seconds of silence for a broken connection, and ends."""

    def read(self):
        self.socket.settimeout(5)
        try:
            return super().read()
        except TimeoutError:
            sys.exit("the server does not answer")


class IgnoresATurnWithoutText(CorrectClient):
    """Sees YOURTURN only with its map behind it."""

    def on_line(self, line):
        if not line.endswith("YOURTURN"):
            super().on_line(line)


class ListensLate(CorrectClient):
    """Sets up its board in another thread when a match begins: what comes within 50 ms of MATCH is lost."""

    ready_at = 0.0

    def on_match(self, fields):
        super().on_match(fields)
        self.ready_at = time.monotonic() + 0.05

    def on_move(self, fields):
        if time.monotonic() > self.ready_at:
            super().on_move(fields)


class MovesAgainAfterErr(CorrectClient):
    """Takes every ERR in a match for a refusal of its move, and sends another one."""

    def on_err(self, line):
        super().on_err(line)
        if self.is_playing:
            self.on_turn()


class MovesOnMatch(CorrectClient):
    """Makes its first move when MATCH says that it begins, without waiting for YOURTURN."""

    skips = False

    def on_match(self, fields):
        super().on_match(fields)
        self.skips = self.begins(fields)
        if self.skips:
            super().on_turn()

    def on_turn(self):
        if not self.skips:
            super().on_turn()
        self.skips = False


class NameAnywhereInTheLine(CorrectClient):
    """Takes its name in PLAYERTOMOVE for its turn, also as a part of the opponent's name."""

    def on_match(self, fields):
        super().on_match(fields)
        if self.name in fields["PLAYERTOMOVE"] != self.name:
            self.on_turn()


class NamesAreWords(CorrectClient):
    """Expects a value to be one word of letters, digits and dashes."""

    def fields(self, text):
        return dict(re.findall(r'(\w+): "([A-Za-z0-9_-]+)"', text))


class ParsesMapsAsJson(CorrectClient):
    """Puts quotation marks around the keys and parses the map as JSON, which a quotation mark in a name breaks."""

    def fields(self, text):
        return json.loads(re.sub(r'([{ ])(\w+): "', r'\1"\2": "', text))


class ReadsByPacket(CorrectClient):
    """Takes the end of what one read returns for the end of a line."""

    def lines(self):
        while data := self.read():
            yield from data.decode(errors="replace").splitlines()


class RepeatsAMoveWithoutAnswer(CorrectClient):
    """Sends its move again when no answer has come within 300 ms."""

    timer = threading.Timer(0, print)

    def send(self, command):
        super().send(command)
        if command.startswith("move "):
            self.timer = threading.Timer(0.3, super().send, [command])
            self.timer.start()

    def on_line(self, line):
        self.timer.cancel()
        super().on_line(line)


class SplitsAtColons(CorrectClient):
    """Splits a map at `, ` and its entries at `: `, so a name or a text with one of these breaks it."""

    def fields(self, text):
        found = {}
        for entry in text.strip("{}").split(", "):
            key, quoted = entry.split(": ")
            found[key] = quoted.strip('"')
        return found


class TableOfEightResults(CorrectClient):
    """Keeps its results in a table that the ninth match does not fit into."""

    def __init__(self, *options):
        super().__init__(*options)
        self.results = [""] * 8
        self.played = 0

    def on_end(self, kind, fields):
        self.results[self.played] = kind
        self.played += 1
        super().on_end(kind, fields)


class TakesOkForItsMove(CorrectClient):
    """Puts its own move on its board when OK comes, and ignores the MOVE line that tells of it.

    After a reconnect it has only the opponent's moves: no OK comes for its own, which are told again with them.
    """

    chosen = None

    def send(self, command):
        super().send(command)
        self.chosen = int(command.removeprefix("move ")) if command.startswith("move ") else None

    def on_ok(self):
        if self.chosen is not None:
            self.board.play(self.chosen, True)
        super().on_ok()

    def on_move(self, fields):
        if fields["PLAYER"] != self.name:
            super().on_move(fields)


class TurnMessageMustBeEmpty(CorrectClient):
    """Compares the line of its turn with the one that it has always seen."""

    def on_line(self, line):
        if not line.startswith("SVR GAME YOURTURN") or line == 'SVR GAME YOURTURN {TURNMESSAGE: ""}':
            super().on_line(line)


class WordAnywhereInTheLine(CorrectClient):
    """Looks for the word YOURTURN in the whole line, where a name or a chat message may have it, too."""

    def on_line(self, line):
        super().on_line(line)
        if "YOURTURN" in line and not line.startswith("SVR GAME YOURTURN") and self.is_playing:
            self.on_turn()


if __name__ == "__main__":
    fault, *options = sys.argv[1:]
    globals()[fault.title().replace("_", "")](*options).run()
