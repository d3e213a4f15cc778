"""Plays a scenario: performs its steps one after the other, and watches the client meanwhile.

Every wait goes through `until`, which looks again whenever something was heard. It looks at the client, too: a match
that it lost by its own fault, a program that ended, memory. So a fault is found in whatever step it happens.
"""

import math
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import reduce
from typing import Any

import trio
from attrs import Factory, define, field

from gameserver.check import verdict
from gameserver.check.opponent import Opponent
from gameserver.check.report import Failure, Finding
from gameserver.check.scene import Scene, moves_in
from gameserver.check.server_under_check import real_s
from gameserver.check.steps import CLIENT, Placed, Repeat, Step
from gameserver.core.events import Code, EndReason

QUIET_S = 0.1  # by judgement; twice the delay of a scenario's network is added
"""Silence of the wire after which the client is taken to have said what it had to say."""
_QUIET_MAX_S = 2.0  # by judgement: a client that polls is never silent
_END_QUIET_S = 0.25
"""The same at the end of a scenario, where a client may need a moment to die of what it heard last."""
# A client that dies of the end of its game against the house looked as if it were through, where the machine was busy.
_GO_ON_S = 2.0
"""The time in which a client that plays the house asks for another game, or ends."""
# SimpleClient 0.4 plays into a full column now and then, is asked again and goes on: one such move is no failure.
_ILLEGAL_MAX = 100
"""Illegal moves in one turn after which a client is taken to try for ever, where each of them costs nothing."""
# Tells a slow client from one that never answers: they need different advice.
_LATE_S, _LATE_AGAIN_S = 5.0, 0.5
"""The time that the move of a client is waited for after the end of its turn; the second where none came before."""
# A client that did not come back within half a minute hardly does so in a later scenario, so that wait is short.
BACK_S, BACK_AGAIN_S = 30.0, 3.0
"""The same for a client that has to come back after its connection broke."""
_EXIT_S = 3.0
"""The time between the end of a program's connection and its own."""

_THE_PROGRAM = "The program"
_COME_BACK = " When its connection is lost it has to connect and log in again, for at least half a minute."


class ScenarioFailed(Exception):
    """The client did something wrong in a scenario; the text is a sentence about it."""

    def __init__(self, what: str, kind: Failure = Failure.UNEXPECTED) -> None:
        super().__init__(what)
        self.kind = kind


class SituationNotReached(Exception):
    """The situation of the scenario did not come about; the text is a sentence."""


class NotPlayable(SituationNotReached):
    """The client's own moves have kept the situation from coming about, which is no fault of it."""


Act = Callable[["Director", Any], Awaitable[None]]


@define
class Patience:
    """The times that a client is waited for, over all scenarios: what it did not do in one, it hardly does later."""

    late_s: float = _LATE_S
    back_s: float = BACK_S


@define(eq=False)
class Director:
    """Directs one scenario of a check. `acts` says how each kind of step is performed."""

    scene: Scene
    game: str
    acts: Mapping[str, Act]
    turn_time_s: float
    login_time_s: float
    patience: Patience
    warnings: list[str] = Factory(list)
    mark: int = 0
    """Lines of the wire before the last step that did something."""
    excused: dict[int, set[EndReason]] = Factory(dict)
    """Matches that the client may lose for these reasons, because the scenario brings that about."""
    replaced: dict[int, int] = Factory(dict)
    """By match, the moves that the scenario makes the server make in the client's place."""
    provoked: int = 0
    """Refusals of what the client sends that the scenario brings about, and that are still to come."""
    cut_session: int = 0
    """The client's session before the last cut."""
    match_played: int = 0
    """The match in which moves were played last; 0 once a step has waited for its end."""
    starting_s: float = 0.0
    """The time in which the client started: from its command until it was logged in."""
    match_ended_s: float = -math.inf
    """The real time at which the last match was seen to be over."""
    is_away: bool = False
    """True since the client's connection was cut, until it has come back."""
    step: Placed | None = None
    is_last: bool = False
    """True while the last step is performed: a client that is through may end then."""
    failure: Failure | None = None
    """The kind of the client's failure, once it has failed."""
    _records_seen: int = field(default=0, init=False)
    _refusals_seen: int = field(default=0, init=False)
    _illegal: Counter[tuple[int, ...]] = field(factory=Counter, init=False)
    """Illegal moves that were refused, by match and position."""

    async def run(self, steps: Sequence[Placed]) -> list[Finding]:
        """Play all steps of a scenario under this director, and gather the findings.

        There are none if it went well. Raises `SituationNotReached`.
        """
        try:
            await self.perform(steps, is_last=True)
            await self._end()
        except ScenarioFailed as failed:
            sent = self.scene.wire.answered_by(failed.kind, round(trio.current_time() * 1_000_000))
            self.failure = failed.kind
            what = str(failed) + await self._late_answer() if failed.kind is Failure.SILENT else str(failed)
            await self.settle(_END_QUIET_S)
            return self._findings(what, sent)
        said = verdict.exception_in(self.scene.client.output_lines())
        if said is not None:
            self.warnings.append(f"It printed an exception, though it went on: {said}")
        return []

    async def perform(self, steps: Sequence[Placed], *, is_last: bool = False) -> None:
        """Perform the steps of a scenario in order, by the director's table of acts."""
        for placed in steps:
            self.is_last = is_last and placed is steps[-1]
            if isinstance(placed.step, Repeat):
                for time in range(1, placed.step.count + 1):
                    await self.perform(placed.step.steps, is_last=self.is_last and time == placed.step.count)
                continue
            self.step = placed
            # A step that expects a line may find one that came before it, since the last step that did something.
            if not _only_watches(placed.step):
                self.mark = len(self.scene.wire.lines)
            act = self.acts.get(type(placed.step).__name__)
            if act is None:
                raise SituationNotReached("the check cannot perform this step")
            await act(self, placed.step)
            self.watch()

    async def until(self, is_so: Callable[[], bool], within_s: float, otherwise: Callable[[], Exception]) -> None:
        """Wait in a scenario until something is so, in real time, and watch the client meanwhile.

        Raises what `otherwise` makes if it does not come.
        """
        if not await self._comes(is_so, within_s):
            raise otherwise()

    async def _comes(self, is_so: Callable[[], bool], within_s: float) -> bool:
        give_up_s = real_s() + within_s
        while not is_so():
            self.watch()
            if real_s() > give_up_s:
                return False
            await self.scene.change()
        return True

    async def settle(self, quiet_s: float = QUIET_S) -> None:
        """Let the checked client say what it has to say, until the wire is silent for a moment."""
        quiet_s += 2 * self.scene.delay_s
        give_up_s = real_s() + _QUIET_MAX_S + quiet_s
        began_s = trio.current_time()
        while real_s() < give_up_s:
            last_s = max(began_s, self.scene.wire.last_us / 1_000_000)
            if trio.current_time() - last_s >= quiet_s:
                return
            await self.scene.change()

    async def wait(self, time_s: float) -> None:
        """Let real time pass in a scenario, and watch the client meanwhile."""
        end_s = trio.current_time() + time_s
        while trio.current_time() < end_s:
            self.watch()
            await self.scene.change()

    def note_cut(self) -> None:
        """Note that the scenario cuts the client's connection now: it is not to blame for what it loses by that."""
        # The client may lose by its connection or by time from here on, but only until it is back: one that hung
        # afterwards would pass.
        player = self.scene.player
        self.excuse(EndReason.DROPPED, EndReason.LATE)
        self.is_away = True
        self.cut_session = 0 if player is None else player.session
        self.scene.let_answers_pass()

    def note_return(self) -> None:
        """Note that the client is back after its connection was cut: from here on it has to play as before."""
        self.is_away = False
        match = self.scene.match
        if match is not None:
            self.excused.get(match.id, set()).difference_update((EndReason.DROPPED, EndReason.LATE))

    def take_match_played(self) -> int:
        """The match in which the scenario had moves played last, for the step that ends it.

        The next step is about another one.
        """
        number, self.match_played = self.match_played, 0
        return number

    def opponent(self, name: str) -> Opponent:
        """Finds the check's own player by its name in the scenario, for the director of its steps."""
        return self.scene.opponents[name]

    def name_of(self, who: str) -> str:
        """The name on the wire of a player in the scenario's words, be it CLIENT or one of the check."""
        return self.scene.client_name if who == CLIENT else self.opponent(who).name

    def excuse(self, *reasons: EndReason) -> None:
        """Do not blame the client if it loses the match that is on for these reasons."""
        match = self.scene.match
        if match is not None:
            self.excused.setdefault(match.id, set()).update(reasons)

    def fill(self, text: str) -> str:
        """Fills in the placeholders in a text of the scenario, such as the client's name."""
        lobby = self.scene.server.lobby
        players = ", ".join(f'"{name}"' for name in (() if lobby is None else lobby.players))
        facts = {"{client}": self.scene.client_name, "{game}": self.game, "{players}": players, r"\x1e": "\x1e"}
        return reduce(lambda filled, fact: filled.replace(*fact), facts.items(), text)

    def watch(self) -> None:
        """Look at the checked client: its lost matches, refusals, program and clock.

        Raises `ScenarioFailed` if it has done something wrong.
        """
        self._look_at_records()
        self._look_at_refusals()
        self._look_at_program()
        self._look_at_clock()

    def _look_at_records(self) -> None:
        records = self.scene.server.records()
        for record in records[self._records_seen :]:
            self._records_seen += 1
            self.match_ended_s = real_s()
            allowed = (self.excused.get(record.match, ()), self.replaced.get(record.match, 0))
            faults = verdict.faults_of(record, self.scene.client_name, *allowed)
            if faults:
                raise ScenarioFailed(" ".join(fault.what for fault in faults), faults[0].kind)
            given_up = verdict.giving_up(record, self.scene.client_name)
            if given_up is not None:
                self.warnings.append(given_up)

    def _look_at_refusals(self) -> None:
        for refusal in self.scene.refusals[self._refusals_seen :]:
            self._refusals_seen += 1
            # Such lines were on their way when something else happened; nobody could have known.
            if refusal.code in verdict.TOO_LATE:
                continue
            if self.provoked:
                self.provoked -= 1
                continue
            if refusal.code is Code.ILLEGAL_MOVE:
                self._count_illegal_move(refusal.text)
            fault = verdict.mistake_of(refusal.code)
            if fault is not None:
                raise ScenarioFailed(f"{fault.what} The server answered: {refusal.text}", fault.kind)
            # Clients ask for this and that, and GammonX's poll: a refusal that costs nothing is no failure.
            self.warnings.append(f"The server refused something that it sent, and answered: {refusal.text}")

    def _count_illegal_move(self, answer: str) -> None:
        """Notice a client that finds no legal move, though it may try again."""
        match = self.scene.match
        self._illegal[() if match is None else (match.id, moves_in(match))] += 1
        if max(self._illegal.values()) > _ILLEGAL_MAX:
            what = f"It made {_ILLEGAL_MAX} illegal moves in one turn. The server answered: {answer}"
            raise ScenarioFailed(what, Failure.ILLEGAL)

    def _look_at_program(self) -> None:
        client = self.scene.client
        used = client.uses_too_much_memory(real_s())
        if used is not None:
            limit = client.memory_max_bytes // 1_000_000
            raise ScenarioFailed(
                f"It used {used // 1_000_000} MB of memory, more than the {limit} MB that it may use (--memory).",
                Failure.MEMORY,
            )
        if client.prints_too_much:
            raise ScenarioFailed(
                "It printed without end. Does a loop go on after the end of the input?", Failure.OUTPUT
            )
        code = client.exit_code
        if code is None or (code == 0 and self.is_last and self._is_through()):
            return
        raise self._ended(code)

    def _ended(self, code: int) -> ScenarioFailed:
        if not self.scene.client_name:
            what = f"{_THE_PROGRAM} {self.scene.client.end} before it had logged in."
            return ScenarioFailed(what, Failure.NOT_IN)
        if self.is_away:
            how = f"{self.scene.client.end}" if code != 0 else "ended when its connection was lost"
            return ScenarioFailed(f"{_THE_PROGRAM} {how}.{_COME_BACK}", Failure.NOT_BACK)
        if code != 0:
            return ScenarioFailed(f"{_THE_PROGRAM} {self.scene.client.end}.", Failure.ENDED)
        played = len(self.scene.server.records())
        matches = "1 match" if played == 1 else f"{played} matches"
        return ScenarioFailed(
            f"{_THE_PROGRAM} ended by itself after {matches}. In an event it has to stay for the next match: play on "
            "after the end of a match, or tell the program how many to play, such as `--matches {games}`.",
            Failure.LEFT,
        )

    def _is_through(self) -> bool:
        return self.scene.server.is_up and self.scene.match is None and bool(self.scene.client_name)

    def _look_at_clock(self) -> None:
        """Notice a client that hangs in a match without a clock. In all others the server does."""
        match = self.scene.match
        if match is None or match.policies.clock.turn_time_ms is not None or not self.scene.is_clients_turn:
            return
        if not self.scene.may_be_played(match):
            return  # it waits for an answer that the check keeps back
        if real_s() - self.scene.heard_s > self.turn_time_s:
            raise ScenarioFailed(f"It made no move within {self.turn_time_s:g} s of its turn.", Failure.SILENT)

    async def _end(self) -> None:
        """Look a last time: the client has to be there still, unless its program has ended in good order."""
        self.is_last = True
        await self.settle(_END_QUIET_S)
        await self._comes(self._has_gone_on, _GO_ON_S)
        self.watch()
        scenario = self.scene.scenario
        if (scenario.rewrites or scenario.rewrites_to_server) and not self.scene.editor.has_rewritten:
            raise SituationNotReached("no line or message passed that the scenario wants to change")
        waiting = next((opponent for opponent in self.scene.opponents.values() if opponent.wish), None)
        if waiting is not None:
            raise NotPlayable(f"{waiting.name} never came to play {waiting.wish!r}")
        # A program that plays a single match closes its connection first, and ends a moment later.
        what = "It had closed its connection when the scenario was over, without being told to."
        await self.until(self._is_here, _EXIT_S, lambda: ScenarioFailed(what, Failure.LEFT))

    def _has_gone_on(self) -> bool:
        """True unless a client that plays the house has not yet shown what it makes of the end of its game."""
        scene = self.scene
        plays_house = scene.server.terms.protocol.plays_house
        return not plays_house or scene.match is not None or scene.client.exit_code is not None

    def _is_here(self) -> bool:
        scene, protocol = self.scene, self.scene.server.terms.protocol
        was_told_to_leave = protocol.ends_with_match and scene.match is None and bool(scene.server.records())
        may_be_gone = protocol.plays_house or was_told_to_leave
        return scene.player is not None or scene.client.exit_code == 0 or may_be_gone

    async def _late_answer(self) -> str:
        """Wait for the move of a client that made none in time, and tell of it: what is slow is no sign of the wire."""
        scene, refused, began_s = self.scene, len(self.scene.refusals), real_s()
        while real_s() < began_s + self.patience.late_s:
            if any(refusal.code in verdict.MOVED_LATE for refusal in scene.refusals[refused:]):
                self.failure = Failure.SLOW
                return f" It sent one {real_s() - began_s:.1f} s after that."
            await scene.change()
        self.patience.late_s = _LATE_AGAIN_S
        return ""

    def _findings(self, what: str, sent: str) -> list[Finding]:
        text, line = ("", 0) if self.step is None else (self.step.text, self.step.line)
        found = [Finding(what, text, line, sent)]
        if self.scene.client.exit_code is not None and not what.startswith(_THE_PROGRAM):
            is_cause = self.failure is Failure.DROPPED
            if is_cause:
                self.failure = Failure.ENDED if self.scene.client.exit_code else Failure.LEFT
            found.insert(0 if is_cause else 1, Finding(f"{_THE_PROGRAM} {self.scene.client.end}.", text, line))
        said = verdict.exception_in(self.scene.client.output_lines())
        if said is not None:
            found.append(Finding(f"Its output has an exception: {said}", text, line))
        return found


def _only_watches(step: Step) -> bool:
    return type(step).__name__ in {"ClientSends", "ClientSendsNothing", "ClientAccepts", "ClientDoesNotMove"}
