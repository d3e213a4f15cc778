"""Follows a transcript such as `examples/telnet.md` against a server: types what it types, and hears what it hears.

A transcript is Markdown. In its indented blocks `>` marks what is typed and `<` what the server
sends; the last words before a block, "Bob:" or "You:", say at whose keyboard. All must be as written,
except where another server says something else: the lists of games and players, the number of a
challenge, a move of the house or of the bot zoe. Where luck decides how a match goes on (who begins, whether the house
takes a cell that is wanted), it is given up and begun again, until the luck is that of the transcript.
"""

import re
from collections.abc import Callable, Iterator

from attrs import Factory, define, frozen

from tests.end_to_end.blocking_client import BlockingClient, fields_of

ATTEMPTS = 200

BOT = "zoe"
"""A client of another protocol, which has to be there when the transcript is followed."""


@frozen
class Line:
    """One line of the transcript."""

    number: int
    who: str
    typed: bool
    text: str


class OtherLuck(Exception):
    """The match goes another way than that of the transcript."""


def lines_of(markdown: str) -> Iterator[Line]:
    """Lines that are typed and heard, each with its player."""
    who = "you"
    for number, text in enumerate(markdown.splitlines(), start=1):
        if re.match(r" {4}[<>]( |$)", text):
            yield Line(number, who, text[4] == ">", text[6:])
        elif speaker := re.fullmatch(r"(\w+)(?: again)?:", text.strip()):
            who = speaker[1].lower()
        elif text.startswith("#"):
            who = "you"


def scenes_of(lines: list[Line]) -> list[list[Line]]:
    """The lines in pieces that can be tried again, such as a match from its challenge to its result."""
    scenes: list[list[Line]] = [[]]
    in_match = False
    for line in lines:
        if line.typed and line.text.startswith("challenge ") and not in_match:
            scenes.append([])
            in_match = True
        scenes[-1].append(line)
        if not line.typed and re.match("SVR GAME (WIN|LOSS|DRAW) ", line.text):
            scenes.append([])
            in_match = False
    return [scene for scene in scenes if scene]


@define
class Follower:
    """Plays the transcript. `connect` makes a client without reading its banner; all but "you" log in by themselves."""

    connect: Callable[[], BlockingClient]
    clients: dict[str, BlockingClient] = Factory(dict)
    challenge_number: str = ""

    def follow(self, markdown: str) -> int:
        """All of it; how many lines were followed."""
        lines = list(lines_of(markdown))
        for scene in scenes_of(lines):
            for line in scene:
                self._client(line.who)
            heard = ""
            for _ in range(ATTEMPTS):
                try:
                    for line in scene:
                        self._follow(line)
                    break
                except OtherLuck as luck:
                    heard = str(luck)
                    self._leave_the_match()
            else:
                raise AssertionError(f"in {ATTEMPTS} attempts luck was never that of the page: {heard}")
        return len(lines)

    def _follow(self, line: Line) -> None:
        client = self._client(line.who)
        if line.typed:
            client.send(re.sub(r"(?<=challenge accept )\d+", self.challenge_number, line.text))
        else:
            self._compare(line, client.next())

    def _client(self, who: str) -> BlockingClient:
        if who not in self.clients:
            self.clients[who] = self.connect()
            if who != "you":
                self.clients[who].expect("", "")
                self.clients[who].log_in(who)
        return self.clients[who]

    def _compare(self, line: Line, heard: str) -> None:
        kind, expected, said = kind_of(heard), fields_of(line.text), fields_of(heard)
        if kind == "SVR GAME CHALLENGE":
            self.challenge_number = said["CHALLENGENUMBER"]
            expected["CHALLENGENUMBER"] = self.challenge_number
        if kind == "SVR GAME MOVE" and (said["PLAYER"].startswith("house-") or said["PLAYER"] == BOT):
            expected["MOVE"] = said["MOVE"]
        if kind == kind_of(line.text) and expected and expected == said:
            return
        if kind == kind_of(line.text) and kind in {"SVR PLAYERLIST", "SVR GAMELIST"}:
            return
        difference = f"line {line.number} says {line.text!r}, the server {heard!r}"
        if heard.startswith("SVR GAME ") and heard != line.text:
            raise OtherLuck(difference)
        assert heard == line.text, difference

    def _leave_the_match(self) -> None:
        """Give up whatever match is on, and read everything about it."""
        for client in self.clients.values():
            client.news()
        for client in self.clients.values():
            client.ask("forfeit")
        for client in self.clients.values():
            client.news()


def kind_of(line: str) -> str:
    """The kind of a line: its words before the first bracket."""
    return re.split(r" [\[{]", line)[0]
