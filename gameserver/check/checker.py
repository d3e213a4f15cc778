"""Runs scenarios with a client, one after the other, and reports."""

import re
import time
import traceback
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import trio
from attrs import evolve

from gameserver.check.acts import ACTS
from gameserver.check.advice import PLAIN, advised
from gameserver.check.director import Director, NotPlayable, Patience, SituationNotReached
from gameserver.check.report import Finding, Level, ScenarioOutcome, ScenarioResult, wire_line
from gameserver.check.scenario import Scenario
from gameserver.check.scene import CannotStart, CheckedClient, Scene
from gameserver.check.server_under_check import RefusedInput, ServerTerms, ServerUnderCheck, SkippingClock, settings_of
from gameserver.check.steps import SitsDown
from gameserver.config_file import ConfigError
from gameserver.logs import first_error
from gameserver.plugins import Plugins
from gameserver.proxy.faults import WrongFaults
from gameserver.system import WrongPlaceholder
from gameserver.values import value

_TURN_TIME_S = 10.0  # a turn of the text protocol
"""The time after which a client hangs in a match without a clock."""

_CLOSE_S = 10.0
"""The time that the end of the client's processes may take."""

_WEIGHTS: Mapping[Level, int] = {Level.REQUIRED: 2, Level.ADVISED: 1, Level.CURIOUS: 0}


class CannotCheck(Exception):
    """The check cannot go on at all; the text says why, and what to do."""


@value
class Terms:
    """The client that is checked, and the limits that it is held to, as values that another process can be sent."""

    command: tuple[str, ...]
    """The client's command, with placeholders; empty if it is started by hand."""
    protocol: str
    game: str
    name: str
    directory: Path
    """The directory for the output of the client."""
    tell: Callable[[str], None]
    turn_time_s: float | None = None
    login_time_s: float = 30.0
    memory_max_bytes: int = 1_000_000_000
    profile: str = ""
    """The dialect of the server; empty for the protocol's first one."""
    seed: int = 1
    port: int = 0
    """The port that the client comes to, if that is free; 0 for any."""
    keeps_wire: bool = False
    """True if the directory gets what passed on the wire, too."""


@value
class Prepared:
    """A scenario to be checked, and the server for it."""

    scenario: Scenario
    server: ServerTerms


def prepared(plugins: Plugins, terms: Terms, scenario: Scenario) -> Prepared:
    """Prepares what the checker needs to run a scenario: the server that it asks for. Raises `CannotCheck`."""
    chance = Random(f"{terms.seed} {scenario.name} server")  # noqa: S311 - the same again for the same seed
    seed = f"{chance.getrandbits(256):064x}"
    knows_rooms = any(isinstance(placed.step, SitsDown) for placed in scenario.steps)
    try:
        served = server_terms(plugins, terms, scenario.settings, terms.turn_time_s, seed, knows_rooms=knows_rooms)
    except ConfigError as error:
        raise CannotCheck(f"{scenario.file}: {error}") from error
    return Prepared(scenario, served)


def server_terms(
    plugins: Plugins,
    terms: Terms,
    raw: Mapping[str, Any],
    turn_time_s: float | None,
    seed: str,
    *,
    knows_rooms: bool = False,
) -> ServerTerms:
    """Prepares a check of this client: on what terms its server runs, with settings as a config file has them.

    Raises `ConfigError`.
    """
    protocol = plugins.protocols[terms.protocol]
    settings, options = settings_of(plugins, protocol, raw, turn_time_s)
    # A protocol without a port of its own is spoken over HTTP; for others the client's command may ask for it.
    over_http = protocol.default_port is None or any("{port:http}" in word for word in terms.command)
    return ServerTerms(plugins, protocol, terms.profile, settings, options, over_http, seed, knows_rooms)


def play(terms: Terms, ready: Prepared, patience: Patience | None = None) -> ScenarioResult:
    """Checks the client in one scenario, with an event loop of its own.

    `patience` is that of the whole check. Raises `CannotCheck`.
    """
    began_s = time.perf_counter()
    clock = SkippingClock()
    try:
        result = trio.run(partial(_play, terms, ready, patience or Patience(), clock), clock=clock)
    except Exception as error:  # noqa: BLE001 - a mistake of ours, or of a game's author, must not cost the other scenarios
        # CannotStart and the like hold for every scenario alike, so they end the check.
        cause = first_error(error)
        if isinstance(cause, CannotStart | WrongPlaceholder | WrongFaults):
            raise CannotCheck(str(cause)) from None
        return _broken(ready.scenario, cause)
    except BaseExceptionGroup as group:
        raise first_error(group) from None  # Ctrl-C
    return evolve(result, took_ms=round((time.perf_counter() - began_s) * 1000))


def _broken(scenario: Scenario, error: BaseException) -> ScenarioResult:
    """The result of a scenario that the check itself could not play."""
    at = traceback.extract_tb(error.__traceback__)[-1]
    what = f"The check itself has failed, please report it: {type(error).__name__}: {error} (in {at.name})."
    return ScenarioResult(
        name=scenario.name,
        title=scenario.title,
        level=scenario.level,
        outcome=ScenarioOutcome.NOT_REACHED,
        findings=(Finding(what),),
        file=scenario.file,
    )


def _file_of(terms: Terms, scenario: Scenario, ending: str) -> Path:
    return terms.directory / f"{re.sub(r'[^A-Za-z0-9_-]', '_', scenario.name)}.{ending}"


async def _play(terms: Terms, ready: Prepared, patience: Patience, clock: SkippingClock) -> ScenarioResult:
    scenario = ready.scenario
    output = _file_of(terms, scenario, "log")
    chance = Random(f"{terms.seed} {scenario.name}")  # noqa: S311 - the same again for the same seed
    async with directed(terms, ready, output, chance, clock, patience) as director:
        try:
            findings = tuple(await director.run(scenario.steps))
            outcome = ScenarioOutcome.FAILED if findings else ScenarioOutcome.PASSED
        except SituationNotReached as why:
            outcome = ScenarioOutcome.NOT_PLAYABLE if isinstance(why, NotPlayable) else ScenarioOutcome.NOT_REACHED
            findings = (_finding(director, f"{str(why)[0].upper()}{str(why)[1:]}."),)
    if terms.keeps_wire:
        lines = "".join(f"{wire_line(heard)}\n" for heard in director.scene.wire.lines)
        _file_of(terms, scenario, "wire").write_text(lines, encoding="utf-8")
    return _result(director, outcome, findings)


@asynccontextmanager
async def directed(
    terms: Terms, ready: Prepared, output: Path, chance: Random, clock: SkippingClock, patience: Patience
) -> AsyncIterator[Director]:
    """Sets up the checker's run of a scenario; at the end the client is ended, and the server stopped."""
    client = CheckedClient(terms.command, terms.game, terms.protocol, output, terms.tell, terms.memory_max_bytes)
    async with trio.open_nursery() as nursery:
        refusals: list[RefusedInput] = []
        server = ServerUnderCheck(ready.server, nursery, refusals.append)
        scene = Scene(ready.scenario, server, client, clock, chance, nursery, terms.name, terms.port, refusals)
        await scene.open()
        try:
            turn_time_s = terms.turn_time_s or _TURN_TIME_S
            yield Director(scene, terms.game, ACTS, turn_time_s, terms.login_time_s, patience)
        finally:
            with trio.move_on_after(_CLOSE_S, shield=True):
                await scene.close()
        nursery.cancel_scope.cancel()


def _finding(director: Director, what: str) -> Finding:
    step = director.step
    return Finding(what) if step is None else Finding(what, step.text, step.line)


def _result(director: Director, outcome: ScenarioOutcome, findings: tuple[Finding, ...]) -> ScenarioResult:
    scene, is_well = director.scene, outcome is ScenarioOutcome.PASSED
    scenario = scene.scenario
    result = ScenarioResult(
        name=scenario.name,
        title=scenario.title,
        level=scenario.level,
        outcome=outcome,
        findings=findings,
        warnings=tuple(dict.fromkeys(director.warnings)),
        wire=() if is_well else scene.wire.tail,
        output=() if is_well else tuple(scene.client.output_lines()),
        faults=scenario.wire.words,
        document=scenario.document,
        failure=director.failure,
        change=scenario.change,
        source=scenario.source,
        starting_ms=round(director.starting_s * 1000),
        file=scenario.file,
    )
    return advised(result)


def wanted(scenarios: Sequence[Scenario], game: str, level: Level | None, names: Sequence[str]) -> list[Scenario]:
    """Picks the scenarios to check a client in: by name, else those of a level and the ones that weigh more.

    Those that weigh most come first, and before them the plain matches: a client that fails there fails everywhere.
    """
    fit = [scenario for scenario in scenarios if scenario.suits(game)]
    # A badge after a part of the check proves nothing, so the scenarios that decide come first.
    fit.sort(key=lambda scenario: (-_WEIGHTS[scenario.level], not scenario.name.startswith(PLAIN)))
    if names:
        return [scenario for scenario in fit if scenario.name in names]
    return [scenario for scenario in fit if level is None or _WEIGHTS[scenario.level] >= _WEIGHTS[level]]
