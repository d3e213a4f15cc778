"""Bugs planted on purpose: what the simulator is for. Each is an edit of the production code, by function and line.

They are the mistakes that a change of the server could make without any other test's notice, as small as they come. An
edit that no longer applies fails its test: the code has moved, and the edit has to move with it.

    python -m tests.simulation --planted release-before-commit --seeds 20
"""

import inspect
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from types import CodeType, FunctionType
from typing import Any

from attrs import Factory, frozen

from tests.simulation.plan import (
    ASYNCHRONOUS,
    CODES,
    CODES_BY_WEBSOCKET,
    PROTOCOLS,
    ROOMS,
    SQLITE,
    SYNCHRONOUS,
    TEXT,
    TICKETS,
    WEB,
    HallsPlan,
    Interrupted,
    Plan,
    StandbyPlan,
)


@frozen
class Edit:
    """`old` becomes `new` in the function of this name, such as `gameserver.engine.sequencer:Sequencer._commit`."""

    function: str
    old: str
    new: str

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Let the edited code run wherever the function is called from, whoever has imported it."""
        function = self._function()
        before = function.__code__
        function.__code__ = self._edited(function)
        try:
            yield
        finally:
            function.__code__ = before

    def _function(self) -> FunctionType:
        module, _, path = self.function.partition(":")
        found: Any = import_module(module)
        for name in path.split("."):
            found = inspect.getattr_static(found, name)
        found = getattr(found, "fget", found)  # of a property
        return inspect.unwrap(getattr(found, "__func__", found))

    def _edited(self, function: FunctionType) -> CodeType:
        source = textwrap.dedent(inspect.getsource(function))
        source = source[re.search(r"^(async )?def ", source, re.MULTILINE).start() :]  # without decorators
        if source.count(self.old) != 1:
            raise AssertionError(f"{self.function} has {source.count(self.old)} times {self.old!r}: move the edit")
        edited = source.replace(self.old, self.new)
        # In a class body, so that `super()` finds its class where the function has it.
        code = compile(f"class _:\n{textwrap.indent(edited, ' ')}", inspect.getfile(function), "exec")
        found = _code_named(code, function.__name__)
        assert found.co_freevars == function.__code__.co_freevars, f"{self.function} needs other variables from outside"
        return found


def _code_named(code: CodeType, name: str) -> CodeType:
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return next((one for one in inner if one.co_name == name), None) or _code_named(inner[0], name)


@frozen
class Planted:
    edit: Edit
    least: int
    """The number of seeds out of twenty that find it, at least."""
    wanted: Mapping[str, Any] = Factory(dict)
    """Settings of the plans; what it leaves out every seed draws."""
    kind: Callable[..., Plan] = Plan
    first_seed: int = 0


OF_TEXT: Mapping[str, Any] = {"protocols": (TEXT,), "steps": 400}
OF_ROOMS: Mapping[str, Any] = {"protocols": (ROOMS,)}
OF_TICKETS: Mapping[str, Any] = {"protocols": (TICKETS,)}
KILLED: Mapping[str, Any] = {**OF_TEXT, "faults": ("crash", "stop")}
FLED: Mapping[str, Any] = {"protocols": (TEXT,), "faults": ("slow-commit", "teacher"), "steps": 1_000}
HELD: Mapping[str, Any] = {"protocols": (TEXT,)}
_SQLITE_JOURNAL = "gameserver.journal.sqlite:SqliteJournal"
_RELEASED = "self._release(batch); batch.outputs.clear()"


def _planted(
    function: str,
    old: str,
    new: str,
    least: int,
    wanted: Mapping[str, Any] = OF_TEXT,
    kind: Callable[..., Plan] = Plan,
    first_seed: int = 0,
) -> Planted:
    return Planted(Edit(function, old, new), least, wanted, kind, first_seed)


DURABLE: Mapping[str, Planted] = {
    "release-before-commit": _planted(
        "gameserver.engine.sequencer:Sequencer._commit",
        "    if batch.rows:\n",
        f"    {_RELEASED}\n    if batch.rows:\n",
        9,
    ),
    "release-before-quick-commit": _planted(
        "gameserver.engine.sequencer:Sequencer.step",
        "if self._is_committed_at_once(batch):\n                self._release(batch)",
        f"{_RELEASED}\n            self._is_committed_at_once(batch)",
        12,
    ),
    "release-before-quick-commit-of-the-task": _planted(
        "gameserver.engine.sequencer:Sequencer._carry_through",
        "    if self._is_committed_at_once(batch):\n        self._release(batch)",
        f"    {_RELEASED}\n    if self._is_committed_at_once(batch):\n        pass",
        11,
    ),
    "failed-quick-commit-counts": _planted(
        "gameserver.engine.committer:Committer.commit_at_once",
        "        self._quick = 0\n        return False",
        "        self._quick = 0\n        return True",
        4,
    ),
    "failed-commit-not-repeated": _planted(
        "gameserver.engine.committer:Committer._until_it_succeeds",
        "error = await self._attempt_again(work, error)",
        "error = None",
        5,
    ),
    "uncommitted-on-a-page": _planted(
        "gameserver.engine.sequencer:Sequencer.settled",
        "self._uncommitted is None and ",
        "",
        4,
        {"protocols": (WEB,), "faults": ("slow-commit", "failing-commit")},
    ),
    "pages-untold": _planted(
        "gameserver.engine.sequencer:Sequencer._release",
        "    self._released()\n",
        "    pass\n",
        2,
        {"protocols": (WEB, TEXT)},
    ),
    "step-during-commit": _planted(
        "gameserver.engine.sequencer:Sequencer.step",
        "if self._is_resting and self._uncommitted is None:",
        "if True:",
        7,
    ),
    "step-beside-the-task": _planted(
        "gameserver.engine.sequencer:Sequencer.step",
        "if self._is_resting and self._uncommitted is None:",
        "if self._uncommitted is None:",
        1,
    ),
    "step-leaves-a-commit": _planted(
        "gameserver.engine.sequencer:Sequencer.step",
        "if self._uncommitted is not None or any(",
        "if any(",
        1,
        first_seed=80,
    ),
    "move-not-journaled": _planted(
        "gameserver.engine.batch:Batch._keep",
        "    self.rows.append(row)",
        "    if row.tag == 'play' and row.seq % 7 == 0:\n"
        "        row = write_row(row.seq, At(row.now_ms, row.stamp_ms, row.wall_ms), Void(0, ''))\n"
        "    self.rows.append(row)",
        10,
    ),
    "snapshot-with-the-next-number": _planted(
        "gameserver.engine.sequencer:Sequencer.save_snapshot",
        "self._snapshotter.save(self._lobby, self._seq, now_ms)",
        "self._snapshotter.save(self._lobby, self._seq + 1, now_ms)",
        5,
        KILLED,
    ),
    "snapshot-in-slices-with-an-old-number": _planted(
        "gameserver.engine.committer:Snapshotter.go_on",
        "begin_snapshot(lobby, seq, now_ms())",
        "begin_snapshot(lobby, seq - 1, now_ms())",
        1,
        KILLED,
    ),
    "replay-forgets-the-time": _planted(
        "gameserver.journal.recovery:Follower.finish",
        "return Replayed(lobby, self.seq, self._now_ms,",
        "return Replayed(lobby, self.seq, 0,",
        10,
        KILLED,
    ),
    "reused-match-number": _planted(
        "gameserver.core.sessions:start_server",
        "next_match=max(draft.server.next_match, command.next_match_min)",
        "next_match=command.next_match_min",
        7,
        KILLED,
    ),
}
"""Nothing that a client has been told is lost, and nothing is told before it is on the disk."""

JOURNAL: Mapping[str, Planted] = {
    "last-row-not-read-again": _planted(
        f"{_SQLITE_JOURNAL}._rolled_back",
        "self._last = last_row(self._connection)",
        "pass",
        9,
        {**OF_TEXT, "journal": SQLITE, "faults": ("failing-commit",)},
    ),
    "records-left-out-of-a-batch": _planted(
        f"{_SQLITE_JOURNAL}._append", "if records:", "if records and len(rows) < 2:", 5, {**OF_TEXT, "journal": SQLITE}
    ),
}
"""The data file has every row and record once. Only runs over the real journal can find these."""

CONNECTIONS: Mapping[str, Planted] = {
    "rest-of-a-write-lost": _planted(
        "gameserver.transport.send_queue:SendQueue.flush", "del ready[:sent]", "ready.clear() if sent else None", 11
    ),
    "byte-sent-twice": _planted(
        "gameserver.transport.send_queue:SendQueue.flush",
        "del ready[:sent]",
        "del ready[: max(0, sent - 1) if sent < len(ready) else sent]",
        11,
    ),
    "room-to-send-unwatched": _planted(
        "gameserver.transport.epoll_reactor:EpollReactor.update",
        "if self._masks.get(number, mask) != mask:",
        "if self._masks.get(number, mask) != mask and not mask & select.EPOLLOUT:",
        7,
    ),
    "two-commands-in-flight": _planted(
        "gameserver.transport.connection:Connection._take_items",
        "            self.in_flight = True\n            self._services.submit(item, self.stamp_ms, self)\n"
        "            return",
        "            self._services.submit(item, self.stamp_ms, self)\n            continue",
        11,
    ),
    "answer-leaves-the-next-command-waiting": _planted(
        "gameserver.transport.connection:Connection.resume",
        "    if has_pending:\n        self._wait_for_turn()",
        "    if has_pending:\n        pass",
        8,
    ),
    "held-output-goes-at-once": _planted(
        "gameserver.transport.send_queue:SendQueue.put", "if release_ms or buffer.held_bytes:", "if False:", 5
    ),
    "end-of-input-unheard": _planted(
        "gameserver.transport.connection:Connection._run",
        "elif data is not None:\n            self.adapter.receive_eof()",
        "elif data is not None:\n            pass",
        1,
        {"protocols": (TEXT,), "faults": ("drop", "half-close"), "steps": 300},
    ),
    "session-outlives-its-connection": _planted(
        "gameserver.transport.connection:Connection.abort",
        "        self._services.left(self, why, self._fault)",
        "        pass",
        6,
        {"protocols": (TEXT,), "faults": ("reset",)},
    ),
    "bug-costs-the-match": _planted(
        "gameserver.core.seats:drop",
        "if _kept_for_fault(draft, match, seat, command):",
        "if False:",
        3,
        {"protocols": (TEXT,), "faults": ("bug",)},
    ),
}
"""One command in flight for each connection, and every byte once, in order."""

TIME: Mapping[str, Planted] = {
    "stall-charged": _planted(
        "gameserver.engine.clock:ServerClock.now_ms",
        "step_ms = STALL_MS if passed_ms > STALL_MS and self.watched else passed_ms",
        "step_ms = passed_ms",
        2,
        {"protocols": (TEXT,), "faults": ("stall", "slow-commit")},
    ),
    "alarm-asks-for-no-quiet": _planted(
        "gameserver.engine.clock:Alarm._look",
        "if is_final or self._watched.is_quiet(timed):",
        "if True:",
        2,
        {"protocols": (TEXT,), "faults": ("stall", "lag", "slow-commit")},
    ),
    "no-read-pass": _planted(
        "gameserver.engine.clock:Alarm._look",
        "self._watched.read_pass(late)",
        "pass",
        5,
        {"protocols": (TEXT,), "faults": ("slow-commit", "failing-commit", "stall"), "steps": 1_000},
    ),
    "no-margin": _planted(
        "gameserver.policies:room_policies", "late_margin_ms=rules.late_margin_ms", "late_margin_ms=0", 4, OF_ROOMS
    ),
    "commit-charged": _planted(
        "gameserver.engine.clock:ServerClock.held",
        "self._hold_left_ms = STALL_MS",
        "self._hold_left_ms = 3_600_000",
        7,
        {"protocols": (TEXT,), "faults": ("slow-commit",)},
    ),
    "late-move-counts": _planted(
        "gameserver.core.playing:_is_overdue",
        "return seat in match.turn.seats",
        "return False",
        1,
        {"protocols": (TEXT, ROOMS)},
    ),
    "late-answer-counts": _planted(
        "gameserver.core.late_answers:drop",
        "if owed is None:\n        return None",
        "return None",
        4,
        OF_ROOMS,
        first_seed=4,
    ),
    "clock-runs-for-the-absent": _planted(
        "gameserver.core.sessions:_empty_seats", "if match.waits_for_absent:", "if False:", 8, KILLED
    ),
}
"""Clocks run only while the server serves, and a move that was sent in time counts."""

SECRETS: Mapping[str, Planted] = {
    "seat-stolen-by-name": _planted(
        "gameserver.core.sessions:may_return",
        "return seat_return is SeatReturn.ANY_ADDRESS or holder.address == command.address",
        "return True",
        1,
        {"protocols": (TEXT, ROOMS), "faults": ("intruder", "crash", "stop"), "bots": 3},
        first_seed=24,
    ),
    "seat-stolen-by-ticket": _planted(
        "gameserver.core.tickets:refusal",
        "    if is_proven(command, place):\n        return None\n    name",
        "    return None\n    name",
        6,
        {"protocols": (TICKETS,), "faults": ("intruder", "drop", "reset")},
    ),
    "any-secret-will-do": _planted(
        "gameserver.authentication.roster:is_same_secret",
        "return compare_digest(*digests)",
        "return True",
        2,
        {"protocols": (TEXT, ROOMS), "faults": ("intruder", "roster")},
        first_seed=3,
    ),
    "takeover-without-proof": _planted(
        "gameserver.core.sessions:enter",
        "    rules = draft.server.rules\n",
        "    rules = draft.server.rules\n"
        "    if draft.players.get(command.name) is not None:\n"
        "        command = attrs.evolve(command, proof=Proof.PROVEN)\n",
        5,
        {"protocols": (TEXT,), "faults": ("intruder", "roster")},
        first_seed=3,
    ),
    "ticket-told": _planted(
        "gameserver.core.match:Match.identities",
        "holder.identity for holder",
        "holder.ticket for holder",
        11,
        OF_TICKETS,
    ),
    "ticket-on-a-page": _planted(
        "gameserver.read_model.live:_shared_id_of", "if all(", "if any(", 2, {"protocols": PROTOCOLS}
    ),
    "code-on-a-page": _planted(
        "gameserver.read_model.replay:GameReplay._text",
        "return self.game.seen_draw(state, values_of(step.text), None)",
        "return step.text",
        10,
        {"protocols": (CODES, CODES_BY_WEBSOCKET)},
    ),
    "code-told": _planted(
        "protocols.mastermind.rendering:accept_line",
        'return b"" if session.running is None else write(Accept(session.running.size))',
        'return write(Accept(session.running.size)) + _.draws[0].text.replace(" ", ",").encode()',
        12,
        {"protocols": (CODES,)},
    ),
}
"""Seats and secrets are their owners'."""

LOBBY: Mapping[str, Planted] = {
    "untold-match-is-lost": _planted(
        "gameserver.engine.batch:InFlight._ends_untold", "player.match not in self.opened", "True", 1, FLED
    ),
    "match-recorded-twice": _planted(
        "gameserver.core.match_course:end_match",
        "draft.finished.append(over)",
        "draft.finished.extend([over, over] if result.reason == 'resigned' else [over])",
        4,
        {"protocols": (TEXT,)},
    ),
    "void-match-is-rated": _planted(
        "gameserver.records.match_record:_tells_strength",
        "return False",
        "return True",
        5,
        {"protocols": (TEXT,), "faults": ("teacher",)},
    ),
    "match-begins-before-a-stop": _planted(
        "gameserver.core.lobby:ServerState.drains",
        "return self.stop_by_ms is not None",
        "return False",
        2,
        {"protocols": (TEXT,), "faults": ("drain",)},
    ),
    "seeker-not-paired-again": _planted(
        "gameserver.core.match_course:end_match", "if player.seek is not None:", "if False:", 11, OF_TEXT
    ),
}
"""The lobby's own promises."""

TOURNAMENTS: Mapping[str, Planted] = {
    "result-counted-twice": _planted(
        "gameserver.core.organizer:resume_after_restart",
        "row = found\n",
        "row = found\n"
        "        done_ = [one for one in found.state.pairings if one.status is PairingStatus.DONE and one.played]\n"
        "        if done_:\n"
        "            again = attrs.evolve(done_[-1], number=len(found.state.pairings) + 1)\n"
        "            row = attrs.evolve(row, state=attrs.evolve(row.state, pairings=(*row.state.pairings, again)))\n"
        "            put(draft, row)\n",
        11,
        HELD,
        Interrupted,
    ),
    "withdrawn-player-paired": _planted(
        "gameserver.tournaments.transitions:without_game",
        "    if tournament.plan.is_open_to_all:",
        "    return pairing\n    if tournament.plan.is_open_to_all:",
        2,
        HELD,
        first_seed=137,
    ),
    "dice-by-match": _planted(
        "gameserver.core.match:Match.chance_key",
        "return self.id if self.scheduled is None else self.scheduled.chance",
        "return self.id",
        5,
        HELD,
        Interrupted,
        first_seed=43,
    ),
    "second-bye": _planted(
        "gameserver.tournaments.swiss:_rested",
        "names = [bye.player for bye in tournament.byes]",
        "return frozenset()",
        1,
        {"protocols": (TEXT,), "faults": (), "bots": 5},
        Interrupted,
        first_seed=19,
    ),
}
"""A tournament with interruptions ends as the one without."""

_LEADERSHIP = "gameserver.journal.leadership:Leadership"
_FOLLOWER = "gameserver.journal.recovery:Follower"
_LEAD, _TAKE_AGAIN = f"{_LEADERSHIP}.lead", f"{_LEADERSHIP}._take_again"
_LATE = ("stopped", "frozen", "cut-network", "slow-commit")
_LOSSES = ("replica-away", "promotion", "lost-connection")
_LOCKED = """\
        if not session.try_lock():
            self._end_old(session)
            return False
        self._lock_lost = True
        leader = Leader(self._token, self._name, self._wall_ms())
        session.write_leader(leader)
"""
_SKIPPED = """\
if row.seq % 5:
            self._decide(row, ends.get(row.seq, ()))
        else:
            self.seq, self._row = row.seq, row"""
_UNCONNECTED = """\
if self._leader is not None and self._session is None:
        raise JournalError("the connection is lost")
    if self._session is None:"""


def _of_two(function: str, old: str, new: str, least: int, first_seed: int = 0, **wanted: Any) -> Planted:
    return Planted(Edit(function, old, new), least, wanted, StandbyPlan, first_seed)


STANDBY: Mapping[str, Planted] = {
    "uncertain-leader-tells": _of_two(
        f"{_LEADERSHIP}.is_certain",
        "and session is not None\n"
        "        and self._now_s() - self._certain_from_s < CERTAIN_S\n"
        "        and session.is_quiet\n",
        "",
        1,
    ),
    "uncertain-leader-shows-pages": _of_two(
        "gameserver.server.live_read_model:LiveReadModel.latest",
        "if not self._is_certain():",
        "if False:",
        1,
        protocols=(WEB, TEXT),
    ),
    "certain-from-the-answer-to-a-commit": _of_two(
        f"{_LEADERSHIP}.append",
        "last, None\n        self._certain_from_s = began_s",
        "last, None\n        self._certain_from_s = self._now_s()",
        1,
        faults=_LATE,
    ),
    "certain-for-longer-than-the-session-lives": _of_two(
        f"{_LEADERSHIP}.is_certain", "< CERTAIN_S", "< 1.2 * SESSION_S", 1, faults=("frozen",)
    ),
    "released-after-a-late-commit": _of_two(
        "gameserver.engine.sequencer:Sequencer._commit",
        "while not self._journal.is_certain:",
        "while False:",
        1,
        faults=_LATE,
    ),
    "released-without-rows-in-doubt": _of_two(
        "gameserver.engine.sequencer:Sequencer._is_committed_at_once",
        "elif not self._journal.is_certain:",
        "elif False:",
        1,
        20,
        faults=("stopped",),
        protocols=(TEXT,),
        bots=2,
        steps=1_000,
    ),
    "leader-goes-on-after-a-takeover": _of_two(
        _TAKE_AGAIN, "if found is None or found.token != own.token:", "if False:", 1
    ),
    "leader-never-connects-again": _of_two(
        f"{_LEADERSHIP}._connected", "if self._session is None:", _UNCONNECTED, 1, faults=("lost-connection",)
    ),
    "lost-rows-unnoticed-by-the-leader": _of_two(
        "gameserver.journal.leadership:LastRow.is_same",
        "return self.seq == other.seq and",
        "return True or",
        1,
        replica=ASYNCHRONOUS,
        faults=_LOSSES,
    ),
    "commit-in-doubt-tried-again-blindly": _of_two(
        _TAKE_AGAIN, "self._last, self._in_doubt = last, None", "self._in_doubt = None", 1
    ),
    "commit-in-doubt-counts-as-made": _of_two(
        _TAKE_AGAIN,
        "self._last, self._in_doubt = last, None",
        "self._last, self._in_doubt = self._in_doubt or last, None",
        1,
    ),
    "replica-not-awaited": _of_two(
        _TAKE_AGAIN, "session.write_leader(own)", "pass", 1, replica=SYNCHRONOUS, faults=_LOSSES, steps=1_500
    ),
    "leads-without-the-lock": _of_two(_LEAD, "if not session.try_lock():", "if not (session.try_lock() or True):", 1),
    "last-row-read-before-the-lock": _of_two(
        _LEAD,
        f"{_LOCKED}        self._last = session.last()\n",
        f"        self._last = session.last()\n{_LOCKED}",
        1,
        faults=("crash",),
    ),
    "standby-skips-a-row": _of_two(f"{_FOLLOWER}.follow", "self._decide(row, ends.get(row.seq, ()))", _SKIPPED, 1),
    "standby-keeps-lost-rows": _of_two(
        f"{_FOLLOWER}._new_rows", "found[:1] == [self._row]", "True", 1, replica=ASYNCHRONOUS, faults=_LOSSES
    ),
}
"""Whichever of two servers leads, it leads alone and has all rows."""

_RATINGS = "gameserver.journal.postgresql:SharedRatings"
PAIRED: Mapping[str, Any] = {"protocols": (TEXT,), "bots": 2}


def _of_halls(function: str, old: str, new: str, least: int, first_seed: int = 0, **wanted: Any) -> Planted:
    return Planted(Edit(function, old, new), least, wanted, HallsPlan, first_seed)


HALLS: Mapping[str, Planted] = {
    "one-lock-for-all-halls": _of_halls(
        "gameserver.journal.postgresql:lock_key", 'f"gameserver {hall}".encode()', 'b"gameserver"', 6, **PAIRED
    ),
    "records-of-the-wrong-hall": _of_halls(
        "gameserver.server.archive:LiveHalls.of_hall", "reader(name)", "reader(self.own)", 6, protocols=(WEB, TEXT)
    ),
    "ratings-of-another-hall-ignored": _of_halls(
        "gameserver.engine.sequencer:Sequencer._confirm",
        "self._ratings.learn(await self._committer.confirm())",
        "await self._committer.confirm()",
        8,
        **PAIRED,
    ),
    "ratings-of-this-hall-alone": _of_halls(
        f"{_RATINGS}.write", "book = RatingBook(known)", "book = RatingBook()", 9, **PAIRED
    ),
    "ratings-that-differ-not-read-again": _of_halls(
        f"{_RATINGS}.write", "self._differing.update(_differing(records, rated))", "pass", 2, **PAIRED
    ),
    "ratings-of-a-slow-commit-missed": _of_halls(
        f"{_RATINGS}.changed", "within_s + OVERLAP_S", "within_s", 1, **PAIRED
    ),
    "roster-change-unseen": _of_halls(
        "gameserver.server.command_preparer:watch_roster",
        "await trio.to_thread.run_sync(roster.look, abandon_on_cancel=True)",
        "pass",
        6,
        protocols=(TEXT,),
        faults=("roster", "drop", "reset"),
    ),
}
"""Halls keep their logs apart, and share ratings, records and the roster."""

PLANTED: Mapping[str, Planted] = {
    **DURABLE,
    **JOURNAL,
    **CONNECTIONS,
    **TIME,
    **SECRETS,
    **LOBBY,
    **TOURNAMENTS,
    **STANDBY,
    **HALLS,
}
