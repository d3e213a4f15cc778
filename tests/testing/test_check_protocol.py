"""The kit for protocols: it passes one that is right, and finds each planted fault, each with its own sentence."""

import json
from collections.abc import Callable
from typing import Any, ClassVar

import pytest
from attrs import evolve

from gameserver.core.commands import TimeUp
from gameserver.protocol import (
    Accepted,
    BrokenInput,
    Context,
    Enter,
    GameEnded,
    ListPlayers,
    MatchOpened,
    MatchShown,
    MovePlayed,
    Output,
    Peer,
    Play,
    Rejected,
    Reply,
    Said,
    TurnStarted,
)
from gameserver.testing import ContractError, check_protocol
from gameserver.time_control import TimeControl
from protocols.lines import LineReader
from tests.support.own_plugins import GAMES
from tests.testing.simple_json import EXAMPLE, SPEAKER

Good: Any = EXAMPLE.SimpleJsonAdapter


def protocol(adapter: type, **changed: Any) -> Any:
    """The example's protocol with another adapter."""

    class Changed(EXAMPLE.SimpleJson):
        def adapter(self, peer: Peer, context: Context) -> Any:
            good = super().adapter(peer, context)
            return adapter(good.session, good._reader)

    for name, value in changed.items():
        setattr(Changed, name, value)
    return Changed()


def test_the_example_keeps_the_contract_in_every_game() -> None:
    check_protocol(EXAMPLE.PROTOCOL, SPEAKER, games=GAMES)


def asking(change: Callable[[Any], Any]) -> type:
    """The example's adapter, which asks for something else."""

    class Changed(Good):
        def next(self):
            return change(super().next())

    return Changed


def hearing(change: Callable[[Any], list[Any]]) -> type:
    """The example's adapter, which takes something else than an event: none, others or more."""

    class Changed(Good):
        def render(self, answer, events):
            return super().render(answer, [other for event in events for other in change(event)])

    return Changed


def saying(change: Callable[[Any, Any, Any], Any]) -> type:
    """The example's adapter, which says something else to an answer and events."""

    class Changed(Good):
        def render(self, answer, events):
            return change(answer, events, super().render(answer, events))

    return Changed


def other_result(event: Any) -> list[Any]:
    if not isinstance(event, GameEnded) or not event.result.winners:
        return [event]
    return [evolve(event, result=evolve(event.result, winners=(1 - event.result.winners[0],)))]


def raw_facts(answer: Any, _: Any, outputs: Any) -> Any:
    raw = b'{"tell": "error", "why": "%s"}\n'
    return [Output(raw % answer.facts.get("why", "").encode())] if isinstance(answer, Rejected) else outputs


def no_words(answer: Any, _: Any, outputs: Any) -> Any:
    return () if isinstance(answer, Rejected) and answer.code.name == "TOO_LATE" else outputs


def words_for_said(_: Any, events: Any, outputs: Any) -> Any:
    return [*outputs, *(Output(b'{"tell": "chat"}\n') for event in events if isinstance(event, Said))]


def playing(**changed: Any) -> type:
    """The example's adapter, whose moves are changed."""
    return asking(lambda item: evolve(item, **changed) if isinstance(item, Play) and item.match else item)


ForgetsNoAnswer = asking(lambda item: None if isinstance(item, Reply) else item)
HasNoWordsForAnEvent = hearing(lambda event: [] if isinstance(event, MatchShown) else [event])
SaysHeldBackAtOnce = saying(lambda _, __, outputs: [Output(output.data) for output in outputs])
AsksForTheServers = asking(lambda item: TimeUp(1) if isinstance(item, Play) else item)
NeverLogsIn = asking(lambda item: ListPlayers(item.session) if isinstance(item, Enter) else item)
TellsMovesTwice = hearing(lambda event: [event] * (1 + isinstance(event, MovePlayed)))
TellsTheOtherResult = hearing(other_result)


class RaisesOfItsOwn(Good):
    def receive(self, data, at_ms):
        data.decode()
        super().receive(data, at_ms)


class ForgetsUnfinished(Good):
    def receive(self, data, at_ms):
        self._reader._unfinished.clear()
        super().receive(data, at_ms)


class StripsPieces(Good):
    def receive(self, data, at_ms):
        super().receive(data.lstrip(b" "), at_ms)


class KeepsEverything(Good):
    def __init__(self, session, reader):
        super().__init__(session, LineReader(10**9))


class CountsNothing(Good):
    pending_bytes = property(lambda self: 0, lambda self, count: None)


class CountsUnfinished(Good):
    pending_bytes = property(
        lambda self: self._reader.pending_bytes + len(self._reader._unfinished), lambda self, count: None
    )


class RepliesTwice(Good):
    is_waiting = False
    again = None

    def next(self):
        item, self.again = (super().next(), None) if self.again is None else (self.again, None)
        if isinstance(item, Reply) and self.again is None and not getattr(self, "said_twice", False):
            self.again, self.said_twice = item, True
        return item


class BreaksAtFacts(Good):
    def render(self, answer, events):
        if isinstance(answer, Rejected) and answer.code.name == "UNKNOWN_GAME":
            answer.facts["game"]
        return super().render(answer, events)


class LosesTheQuestion(Good):
    def render(self, answer, events):
        outputs = super().render(answer, events)
        self.asked = None
        return outputs


class BreaksAtAnEvent(Good):
    def render(self, answer, events):
        for event in events:
            if isinstance(event, GameEnded):
                event.result.winners[0]
        return super().render(answer, events)


class SaysText(Good):
    def greeting(self):
        return "hello"


class AsksUnasked(Good):
    is_waiting = False

    def __init__(self, session, reader):
        super().__init__(session, reader)
        self.greets = True

    def next(self):
        greets, self.greets = self.greets, False
        return Reply(b"") if greets else super().next()


class KnowsEverybody(Good):
    def next(self):
        item = super().next()
        self.session.entered = self.session.entered or isinstance(item, Enter)
        return item


class KnowsNobody(Good):
    identified = False


class EndsTooSoon(Good):
    @property
    def finished(self):
        return self.session.left or (self._ended and not self._reader)


class NeverEnds(Good):
    @property
    def finished(self):
        return self.session.left


class WaitsForMore(Good):
    is_waiting = True


class TellsNoTurn(Good):
    def render(self, answer, events):
        for event in events:
            if isinstance(event, TurnStarted) and event.turn > 0 and event.prompt != "a prompt":
                return super().render(answer, [other for other in events if other is not event])
        return super().render(answer, events)


class SharesWhatIsHidden(Good):
    moves: ClassVar[list[str]] = []

    def next(self):
        item = super().next()
        if isinstance(item, Play):
            self.moves.append(item.move)
        return item

    def render(self, answer, events):
        def seen(event):
            return evolve(event, text=self.moves[-1]) if isinstance(event, MovePlayed) and event.text == "?" else event

        return super().render(answer, [seen(event) for event in events])


class ComesBackAsAnother(Good):
    names: ClassVar[set[str]] = set()

    def next(self):
        item = super().next()
        if isinstance(item, Enter) and item.name == "ann" and self.session.peer.session > 8:
            return evolve(item, name="ann2")
        return item


class GoesOnAnywhere(Good):
    def receive(self, data, at_ms):
        if b"\xff" in data:
            raise BrokenInput("no text", "no bytes")
        super().receive(data, at_ms)


FAULTS = [
    (RaisesOfItsOwn, r"receive\(.*raised UnicodeDecodeError .*raise BrokenInput, and nothing else"),
    (ForgetsUnfinished, "depends on how the bytes are cut: .* keep what is unfinished"),
    (StripsPieces, "depends on how the bytes are cut"),
    (KeepsEverything, "bytes without an end are kept, and the limit is 2048; raise BrokenInput beyond it"),
    (CountsNothing, "pending_bytes is 0 while 40 times .* waits; it must be from 40"),
    (CountsUnfinished, "pending_bytes is .*, which is unfinished; it must be 0"),
    (ForgetsNoAnswer, "has no answer; give a Reply for what is not understood"),
    (RepliesTwice, "has 2 replies; give one for each message"),
    (saying(no_words), "was refused with TOO_LATE, and the client is told nothing; find words for it"),
    (BreaksAtFacts, r"render\(Rejected, \[\]\) raised KeyError"),
    (saying(raw_facts), "is told as .*, which is no whole message"),
    (LosesTheQuestion, "if something else is told before it; let render.* leave alone what is asked"),
    (HasNoWordsForAnEvent, "MatchShown has no words; render it, or name it as silent"),
    (saying(words_for_said), "Said is named as silent in the Speaker, but has words; take it out"),
    (BreaksAtAnEvent, r"render\(None, \[GameEnded\]\) raised IndexError"),
    (SaysHeldBackAtOnce, "TurnStarted is held back until 5000, but its Output has release_ms 0; pass release_ms on"),
    (SaysText, r"greeting\(\) is 'hello'; give bytes"),
    (AsksUnasked, r"next\(\) gives something before the peer has said anything"),
    (KnowsEverybody, "identified is True although the lobby refused; wait for Accepted"),
    (KnowsNobody, "identified must be True once Enter or Arrive was accepted"),
    (EndsTooSoon, "finished is True although Enter has no answer yet; the peer would never get it"),
    (NeverEnds, "finished stays False; the server would keep the connection for ever"),
    (WaitsForMore, r"is_waiting is True, but next\(\) gives .*the peer would get no answer"),
    (playing(session=1), "Play names the session 1, the connection's is .*; take it from peer.session"),
    (AsksForTheServers, r"next\(\) gave TimeUp; give a command or query of gameserver.protocol, Reply or Work"),
    (playing(move=b"d3"), "Play cannot be journaled: .*check what the peer sent before it is asked"),
    (NeverLogsIn, "the player is not in the lobby; let a login end in Enter"),
    (TellsNoTurn, "it is the player's turn, and the client was not told; render TurnStarted"),
    (TellsMovesTwice, "the opponent's moves were .*, and the client was told .*; render each MovePlayed once"),
    (TellsTheOtherResult, "the game was a .*, and the client was told .*; render GameEnded"),
    (playing(match=99), "the legal move .* did not count; the client was told"),
    (SharesWhatIsHidden, "the opponent's move .* is hidden yet; say MovePlayed.text"),
    (ComesBackAsAnother, "the player does not have the seat back; name the same player in Enter"),
    (GoesOnAnywhere, "BrokenInput.last_words is 'no bytes'; give bytes"),
]


@pytest.mark.parametrize(("adapter", "sentence"), FAULTS)
def test_a_planted_fault_is_found(adapter: type, sentence: str) -> None:
    with pytest.raises(ContractError, match=sentence) as caught:
        check_protocol(protocol(adapter), SPEAKER)
    error = caught.value
    assert error.plugin == "simple-json (document)"
    if adapter is TellsTheOtherResult:
        assert error.steps[:2] == ("log_in('ann')", "find('Contract secrets')")
        assert str(error) == f"{error.plugin}, after {' '.join(error.steps)}: {error.problem}"


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"name": "Simple JSON"}, "the name 'Simple JSON' must be lower case"),
        ({"default_port": None}, "default_port is None; give a port, or None and endpoints"),
        ({"profiles": ("document", "")}, "a tuple of names"),
        ({"profiles": "document"}, "the profiles 'document' must be a tuple of names"),
        ({"options_type": None}, r"options_type\(\) raised TypeError"),
    ],
)
def test_a_wrong_definition_is_found(changed: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ContractError, match=sentence):
        check_protocol(protocol(Good, **changed), SPEAKER)


def test_objects_that_are_not_protocols_are_caught() -> None:
    not_an_instance: Any = EXAMPLE.SimpleJson
    with pytest.raises(ContractError, match="export an instance"):
        check_protocol(not_an_instance, SPEAKER)


def test_a_speaker_that_finds_nobody_is_told() -> None:
    with pytest.raises(ContractError, match=r"no game began; let find\(\) end in Seek"):
        check_protocol(EXAMPLE.PROTOCOL, evolve(SPEAKER, find=lambda game: b'{"do": "games"}\n'))


def test_whatever_is_accepted_has_an_answer() -> None:
    """The ground of the faults: the example says ok to what was accepted."""
    adapter = EXAMPLE.PROTOCOL.adapter(Peer(7, "192.0.2.7"), Context("document", None, ()))
    adapter.receive(b'{"do": "games"}\n', 0)
    adapter.next()
    assert [json.loads(output.data) for output in adapter.render(Accepted(), ())] == [{"tell": "ok"}]
    assert adapter.render(None, (MatchOpened(1, "x", ("a", "b"), 0, 0, TimeControl()),))
