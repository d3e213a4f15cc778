"""The decisions of a leader: over a log in memory, whose sessions end and whose answers get lost."""

import re
from pathlib import Path

import pytest
from attrs import define, evolve, field

from gameserver.journal import journal
from gameserver.journal.journal import JournalRow
from tests.journal.test_contract import rows
from tests.support.shared_log import SharedJournal, SharedLog

TEXT = Path(__file__).with_suffix(".txt").read_text("utf-8")
CONVERSATIONS = {title: list(filter(None, lines)) for title, *lines in map(str.splitlines, TEXT.split("\n# ")[1:])}


def numbered(numbers: str) -> list[JournalRow]:
    first, _, last = numbers.partition("-")
    return rows(int(first), int(last or first) - int(first) + 1)


@define
class Play:
    now_s: float = 0.0
    log: SharedLog = field(init=False)
    servers: dict[str, SharedJournal] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.log = SharedLog(lambda: self.now_s)
        self.servers = {name: self.log.journal(f"{name}:1") for name in ("one", "other")}

    def perform(self, line: str) -> None:
        did, _, error = line.partition(" -> ")
        if not error:
            return self._do(*did.split(" ", 2))
        kind, words = error.split(" ", 1)
        with pytest.raises(getattr(journal, kind), match=re.escape(words)):
            self._do(*did.split(" ", 2))
        self.log.calls.clear()
        return None

    def _do(self, who: str, verb: str, what: str = "") -> None:
        if who in self.servers:
            self._at_server(self.servers[who], verb, what)
        elif who == "log":
            self._at_log(verb, what)
        else:
            self.now_s += float(who)

    def _at_server(self, server: SharedJournal, verb: str, what: str) -> None:
        match verb, *what.split():
            case ("leads",) | ("stands", _):
                assert server.lead() == (verb == "leads")
            case "appends", numbers:
                server.append(numbered(numbers))
            case ("confirms",) | ("closes",):
                getattr(server, verb.removesuffix("s"))()
            case "fails", *_:
                server.fails = what
            case "hears", "unasked":
                server.leadership.open_session.is_quiet = False
            case "hears", _, seconds, _:
                server.before_answer = lambda: self._do(seconds, "pass")
            case "is", ("away" | "back") as place:
                server.is_reachable = place == "back"
            case "is", *state:
                certain = "certain" if server.is_certain else "uncertain"
                found = ["leading"] if server.leadership.leads else ["following", str(server.last())]
                assert state in ([certain], found)
            case _:
                raise AssertionError(verb)

    def _at_log(self, verb: str, what: str) -> None:
        match verb, *what.split():
            case "keeps", _:
                self.log.keeps_sessions = True
            case ("refuses",) | ("allows",):
                self.log.refuses = verb == "refuses"
            case "forgets", "after", number:
                self.log.forget_after(int(number))
            case "forgets", *_:
                self.log.leader = None
                self.log.forget_after(0)
            case "takes", whose, numbers:
                foreign = {"body": b"{}"} if whose == "foreign" else {}
                self.log.kept.append([evolve(row, **foreign) for row in numbered(numbers)])
            case "ends", name:
                self.log.end(name)
            case "has", numbers:
                assert list(self.log.kept.read_from(1)) == numbered(numbers)
            case "did", *_:
                assert ", ".join(self.log.calls) == what
            case _:
                raise AssertionError(verb)


@pytest.mark.parametrize("title", CONVERSATIONS)
def test_servers_decide_as_written(title: str) -> None:
    play = Play()
    for line in CONVERSATIONS[title]:
        play.perform(line)
