"""Plays the scenarios of a check: several at once, each in a process of its own."""

from collections.abc import Generator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from functools import lru_cache, partial
from multiprocessing import get_context
from pathlib import Path

import click

from gameserver import plugins
from gameserver.check import checker
from gameserver.check.checker import CannotCheck, Terms
from gameserver.check.director import Patience
from gameserver.check.library import Library, of_directory, of_package
from gameserver.check.report import ScenarioResult
from gameserver.check.scenario import Scenario
from gameserver.cli.common import quiet_log
from gameserver.protocol import WireProtocol
from gameserver.values import value


@value
class Job:
    """The client and the limits of a check, as values that another process can be sent; it finds the plug-ins anew."""

    command: tuple[str, ...]
    protocol: str
    profile: str
    game: str
    name: str
    directories: tuple[Path, ...]
    """Directories of scenarios."""
    directory: Path
    turn_time_s: float | None
    login_time_s: float
    memory_max_bytes: int
    seed: int
    port: int
    keeps_wire: bool

    def terms(self, found: plugins.Plugins) -> Terms:
        """The same for the checker."""
        return Terms(
            command=self.command,
            plugins=found,
            protocol=found.protocols[self.protocol],
            profile=self.profile,
            game=self.game,
            name=self.name,
            directory=self.directory,
            tell=partial(click.echo, err=True),
            turn_time_s=self.turn_time_s,
            login_time_s=self.login_time_s,
            memory_max_bytes=self.memory_max_bytes,
            seed=self.seed,
            port=self.port,
            keeps_wire=self.keeps_wire,
        )


def library_of(protocol: WireProtocol, directories: Sequence[Path]) -> Library:
    """All scenarios for a protocol: its own, and those of directories."""
    library = of_package(protocol.scenarios)
    for directory in directories:
        library += of_directory(directory)
    return library


def played_at_once(job: Job, scenarios: Sequence[Scenario], processes: int) -> Generator[ScenarioResult, None, None]:
    """The results of scenarios as they come, in any order. Raises `CannotCheck`."""
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        futures = [pool.submit(_play, job, scenario.name) for scenario in scenarios]
        try:
            for future in as_completed(futures):
                yield future.result()
        except BrokenProcessPool as error:
            why = "a process of the check was ended from outside; was there too little memory? Try fewer --jobs"
            raise CannotCheck(why) from error
        finally:
            pool.shutdown(cancel_futures=True)


def _play(job: Job, name: str) -> ScenarioResult:
    terms, library, patience = _prepared(job)
    scenario = next(scenario for scenario in library.scenarios if scenario.name == name)
    return checker.play(terms, checker.prepared(terms, scenario), patience)


@lru_cache(maxsize=1)
def _prepared(job: Job) -> tuple[Terms, Library, Patience]:
    """Everything that the scenarios of this process share."""
    quiet_log()
    found = plugins.load()
    return job.terms(found), library_of(found.protocols[job.protocol], job.directories), Patience()
