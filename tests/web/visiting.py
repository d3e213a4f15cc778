"""Plays visits to a server's pages in virtual time. `visits/README.md` tells the form of their files."""

import re
import shlex
from base64 import b64encode
from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import orjson
import trio
from attrs import Factory, define, evolve
from trio.testing import wait_all_tasks_blocked

from gameserver.authentication.roster import Roster
from gameserver.config import structure
from gameserver.core.commands import Conduct
from gameserver.core.organizer import KEPT_MAX
from gameserver.endpoints import HttpEndpoint
from gameserver.http.host_context import HttpOptions
from gameserver.http.listener import HttpProtocol
from gameserver.time_control import TimeControl
from gameserver.tournaments.model import Cancel, RegisterEntrant, StartTournament
from gameserver.tournaments.presets import preset, read_setting
from gameserver.web.application import pages
from gameserver.wire_log.files import WireLogSettings
from tests.admin.support import BEARER, admin, serving_admin
from tests.http.support import Answer
from tests.support.away_records import AwayJournal
from tests.support.games import catalogue
from tests.support.lobbies import lucky_seed
from tests.support.own_plugins import GAMES
from tests.support.scenarios import Line, Scenario, fault_in_text
from tests.support.serving import NO_PAUSE, LineClient, Running
from tests.support.shared_halls import SharedHalls
from tests.web.support import Events, check_html, create, get, listening, two_halls
from tests.web.teaching import ORIGIN, following, teachers

QUIET_S = 0.001
"""Real time without anything to do after which the server has taken what was sent to it."""
PATIENCE_S = 1_000_000
"""Far more than any thread takes: the clock jumps on while nothing but a thread works."""


def part_at(path: str, value: Any) -> Any:
    """The part of some JSON at this path."""
    step, _, rest = path.partition(".")
    if step == "*":
        return [part_at(rest, member) for member in value]
    if step == "?":
        return sorted(value)
    if "," in step:
        return [value[key] for key in step.split(",")]
    return part_at(rest, value[int(step) if isinstance(value, list) else step]) if step else value


def fault_of(expected: str, page: Answer, text: str) -> str:
    """A sentence on what is missing or too much; empty if nothing is."""
    if re.fullmatch(r"\d{3}", expected):
        return "" if page.status == int(expected) else f"the status is {page.status}"
    if found := re.fullmatch(r"\.(\S*) = (.*)", expected):
        value = part_at(found[1], page.json)
        return "" if value == orjson.loads(found[2]) else f"it is {value!r}"
    if found := re.fullmatch(r"@([\w-]+) (.*)", expected):
        header = page.headers.get(found[1], "")
        return "" if found[2] in header else f"the header is {header!r}"
    if found := re.fullmatch(r"form (\S+) (has|lacks) (.*)", expected):
        forms = [form for form in re.findall(r"<form.*?</form>", text, re.DOTALL) if f'"{found[1]}"' in form]
        is_there = any(found[3] in form for form in forms)
        return "" if forms and is_there == (found[2] == "has") else f"the forms are {forms}"
    return fault_in_text(expected, text + page.text if expected.startswith("- ") else text)


@define
class Visit:
    """Servers that are visited, by whom, and what was seen last."""

    halls: dict[str, Running]
    stack: AsyncExitStack
    shared: SharedHalls = Factory(SharedHalls)
    hall: str = "first"
    clients: dict[tuple[str, str], LineClient] = Factory(dict)
    page: Answer = Factory(lambda: Answer(0, {}, b""))
    text: str = ""
    """The text of the page, or the region of it that was heard last."""
    is_teachers: bool = False
    stream: Events | None = None

    @property
    def running(self) -> Running:
        """The server of the hall that is spoken of."""
        return self.halls[self.hall]

    async def happen(self, line: Line, expected: list[Line]) -> None:
        """Have it happen, and see what has to be seen."""
        hall, _, text = line.text.partition(": ")
        self.hall, text = (hall, text) if hall in self.halls else ("first", line.text)
        for pattern, act in ACTS.items():
            if found := re.fullmatch(pattern, text):
                with trio.move_on_after(PATIENCE_S) as scope:
                    await act(self, *found.groups())
                assert not scope.cancelled_caught, f"{line.place}: {text}: it does not happen"
                break
        else:
            raise AssertionError(f"{line.place} is not understood: {text}")
        if act in {Visit.get, Visit.ask} and not (expected and re.fullmatch(r"\d{3}", expected[0].text)):
            expected = [Line("200", line.place), *expected]
        for one in expected:
            fault = fault_of(one.text, self.page, self.text)
            assert not fault, f"{one.place}: {one.text}: {fault}:\n{self.text}"

    async def enter(self, names: str) -> None:
        for word in names.split():
            name, _, secret = word.partition(":")
            client = self.clients[self.hall, name] = await self.running.connect()
            await client.login(f"{name} {secret}" if secret else name)

    async def play(self, game: str, first: str, second: str) -> None:
        for name in (first, second):
            if (self.hall, name) not in self.clients:
                await self.enter(name)
            await self.send(name, f"subscribe {game}")
        await self.hear(second, "SVR GAME MATCH")
        assert f'PLAYERTOMOVE: "{first}"' in " ".join(await self.clients[self.hall, first].until("YOURTURN"))

    async def send(self, name: str, lines: str) -> None:
        await self.clients[self.hall, name].send(*lines.split(" | "))
        await wait_all_tasks_blocked(QUIET_S)

    async def hear(self, name: str, part: str | None) -> None:
        if part is None:
            await self.clients.pop((self.hall, name)).rest()
        else:
            await self.clients[self.hall, name].until(part)

    async def hold(self, verb: str, terms: str) -> None:
        which, game, name, *changes = shlex.split(terms)
        given = dict(map(read_setting, changes))
        number = max(self.running.server._sequencer._lobby.tournaments, default=0) + 1
        create(self.running, preset(which, name, game, **given), number=number, begins=verb == "hold")
        await wait_all_tasks_blocked(QUIET_S)

    async def conduct(self, verb: str, number: str, name: str | None = None) -> None:
        acts = {
            "cancel": Cancel("Ms Reed"),
            "start": StartTournament(0, "Ms Reed"),
            "admit": RegisterEntrant(name or ""),
        }
        act = acts[verb]
        self.running.server._sequencer.submit(Conduct(int(number), act), self.running.server.now_ms())
        await wait_all_tasks_blocked(QUIET_S)

    async def wait(self, seconds: str) -> None:
        await trio.sleep(float(seconds))

    async def get(self, path: str, words: str) -> None:
        given = dict(word.split("=", 1) for word in shlex.split(words))
        if login := given.pop("login", None):
            given["authorization"] = f"Basic {b64encode(login.encode()).decode()}"
        self.running.server._wire_log.flush()
        self._see(await get(self.running, path, **given))

    async def ask(self, who: str, method: str, path: str, words: str) -> None:
        """Ask at the admin listener."""
        words, body = re.fullmatch(r"(.*?)(?: ([\[{].*|\S+))?", words).groups() if method == "POST" else (words, None)
        given = dict(word.split("=", 1) for word in shlex.split(words))
        host = given.pop("host", "localhost:1")
        headers = [f"{name}: {value}" for name, value in given.items()]
        headers += [BEARER] if who == "teacher" else []
        headers += [ORIGIN] if method == "POST" and "origin" not in given else []
        headers += [] if path.startswith("/api") else ["Accept: text/html"]
        self.running.server._wire_log.flush()
        browser = await admin(self.running)
        if method == "GET":
            answer = await browser.get(path, headers, host=host)
        else:
            answer = await browser.post(path, (body or "").encode(), *headers, host=host)
        self._see(answer, is_teachers=True)

    async def follow(self, path: str | None) -> None:
        if path is None:
            (events,) = re.findall(r' data-events="(.*?)"', self.page.text)
            path = f"{events}{'&' if '?' in events else '?'}after={self.page.mark}"
        follows = following if self.is_teachers else listening
        self.stream = await self.stack.enter_async_context(follows(self.running, path))

    async def hear_news(self, regions: str) -> None:
        assert self.stream is not None
        news = await self.stream.news(*regions.split())
        self.page = Answer(200, {}, orjson.dumps(news))
        self.text = "\n".join(news["html"][region] for region in regions.split())

    async def read_journal(self, kind: str, act: str | None) -> None:
        *_, last = (
            row for row in self.running.journal.read_from(1) if act is None or f'"act":"{act}"'.encode() in row.body
        )
        assert last.tag == kind, last
        self._see(Answer(200, {}, last.body))

    async def crowd(self) -> None:
        lobby = self.running.server._sequencer._lobby
        for number in range(2, KEPT_MAX + 3):
            await self.hold("gather", f'hanze Tic-tac-toe "Cup {number}"')
            await self.conduct("cancel", str(number))
        assert 1 not in lobby.tournaments

    async def see_stop(self) -> None:
        with trio.fail_after(3):
            await self.running.stopped.wait()

    async def lose_records(self, what: str) -> None:
        assert isinstance(self.running.journal, AwayJournal)
        self.running.journal.is_away = what == "away"

    async def lose_directory(self, what: str) -> None:
        self.shared.is_away = what == "away"

    async def fall_silent(self) -> None:
        self.shared.silent_s = {"": 60.0, "reversi": 60.0}

    def _see(self, page: Answer, *, is_teachers: bool = False) -> None:
        self.page, self.text, self.is_teachers = page, page.text, is_teachers
        if page.headers.get("content-type", "").startswith("text/html") and page.text:
            check_html(page.text)
        assert lucky_seed(()) not in page.text
        assert "unsafe-inline" not in page.headers.get("content-security-policy", "")


ACTS: dict[str, Any] = {
    r"enter (.*)": Visit.enter,
    r"play (\S+) (\S+) (\S+)": Visit.play,
    r"(\S+?)> (.+)": Visit.send,
    r"(\S+?)<(?: (.+))?": Visit.hear,
    r"(hold|gather) (.*)": Visit.hold,
    r"(cancel|start|admit) (\d+)(?: (\S+))?": Visit.conduct,
    r"\+([\d.]+)": Visit.wait,
    r"GET (\S+)(.*)": Visit.get,
    r"(teacher|stranger) (GET|POST) (\S+)(.*)": Visit.ask,
    r"follow(?: (\S+))?": Visit.follow,
    r"news (.*)": Visit.hear_news,
    r"journal (\S+)(?: (\S+))?": Visit.read_journal,
    r"crowd": Visit.crowd,
    r"the server stops": Visit.see_stop,
    r"the records are (away|back)": Visit.lose_records,
    r"the directory is (away|back)": Visit.lose_directory,
    r"all halls fall silent": Visit.fall_silent,
}


def setup_of(words: Mapping[str, str], directory: Path) -> dict[str, Any]:
    """The setup of a server by a scenario's settings, with its files in the directory."""
    setup: dict[str, Any] = {}
    if "games" in words:
        setup["games"] = catalogue(*(game for game in GAMES if game.name in words["games"].split()))
    if "rules" in words:
        given = re.findall(r"(\w+)=(\S+)", words["rules"])
        changes: dict[str, Any] = {
            name: TimeControl.read(value.replace("_", " ")) if name.endswith("clock") else int(value)
            for name, value in given
        }
        setup["rules"] = evolve(NO_PAUSE, **changes)
    if "roster" in words:
        file = directory / "class.csv"
        file.write_text(words["roster"].replace("|", "\n"), encoding="utf-8")
        setup["roster"] = Roster(file, trio.current_time)
        setup["roster"].load()
    if "season" in words:
        setup["seasons"] = structure({"season": {"spring": orjson.loads(words["season"])}}, {})[0].season
    if "records" in words:
        setup["journal"] = AwayJournal(is_away=False)
    if "url" in words:
        setup["options_of"] = {"http": HttpOptions(words["url"])}
    if "logs" in words:
        setup["wire_log"] = WireLogSettings(str(directory / "logs"))
    return setup


async def fault_in(scenario: Scenario, directory: Path) -> str:
    """Play it against a server, which writes into the directory; the first fault. Needs a clock that jumps."""
    words, setup = scenario.settings, setup_of(scenario.settings, directory)
    async with AsyncExitStack() as stack:
        if "halls" in words:
            both = await stack.enter_async_context(two_halls(new_seed=lambda: lucky_seed(())))
            visit = Visit({"first": both.first, "reversi": both.reversi}, stack, both.shared)
        else:
            others = [HttpProtocol([], [HttpEndpoint("/", pages())])]
            serving = serving_admin(teachers(), others=others, new_seed=lambda: lucky_seed(()), **setup)
            visit = Visit({"first": await stack.enter_async_context(serving)}, stack)
        try:
            for line, expected in scenario.steps:
                await visit.happen(line, expected)
        except AssertionError as error:
            return str(error)
    return ""
