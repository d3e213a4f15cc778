"""A player's results in all halls: what the page of a player shows."""

from collections.abc import Sequence

from attrs import evolve

from gameserver.halls import hall_phrase, hall_title, hall_word
from gameserver.read_model.halls import records_at
from gameserver.read_model.lobby_view import RecordsModel
from gameserver.records.player_stats import Career, career_of
from gameserver.records.reader import MatchHead, RecordedTournament, Wanted
from gameserver.records.tournament_record import NO_SHOWS_MAX, NoShow
from gameserver.values import value
from gameserver.web.pages.across_halls import heads_of_all, models_of
from gameserver.web.pages.tournament_list import Listed, tournaments_of, with_idle_rounds, with_places

RECENT = 20
"""The number of latest matches on a player's page, and of tournaments."""


@value
class HallNoShow(NoShow):
    """A no-show in one of several halls."""

    hall: str
    at: str
    """The beginning of the addresses of the hall's records; empty for this server's own hall."""

    @property
    def where(self) -> str:
        """The tournament and its hall, within a sentence."""
        return f"tournament {self.decided.tournament} in {hall_phrase(self.hall)}"

    @property
    def anchor(self) -> str:
        """The id on a player's page; `Place.id_part` is the same part. Every hall counts its tournaments from 1."""
        part = f"{hall_word(self.hall)}-" if self.at else ""
        return f"no-show-{part}{self.decided.tournament}-{self.decided.pairing}"


@value
class PlayerResults:
    """Statistics, and the latest matches, no-shows and tournaments, the last one first."""

    career: Career
    heads: Sequence[MatchHead]
    no_shows: Sequence[NoShow]
    tournaments: Sequence[Listed]


async def results_of(read_model: RecordsModel, name: str) -> PlayerResults:
    """A player's results. With one hall they are as its records have them, and nothing speaks of halls."""
    models = models_of(read_model)
    wanted = Wanted(player=name, count=RECENT)
    if len(models) == 1:
        return PlayerResults(
            career=await read_model.read(lambda reader: reader.career(name)),
            heads=await read_model.read(lambda reader: reader.heads(wanted)),
            no_shows=await read_model.read(lambda reader: reader.no_shows(name)),
            tournaments=await _with_all(read_model, await tournaments_of(read_model, name, count=RECENT)),
        )
    parts = [await model.read(lambda reader: reader.career_parts(name)) for model in models.values()]
    heads, _ = await heads_of_all(read_model, wanted)
    no_shows = [one for hall, model in models.items() for one in await _no_shows(read_model, hall, model, name)]
    return PlayerResults(
        career=career_of(parts, tuple(models)),
        heads=heads,
        no_shows=sorted(no_shows, key=lambda one: one.decided.at, reverse=True)[:NO_SHOWS_MAX],
        tournaments=await _tournaments(read_model, name),
    )


async def _no_shows(read_model: RecordsModel, hall: str, model: RecordsModel, name: str) -> list[HallNoShow]:
    """The latest no-shows in one hall."""
    at = "" if hall == read_model.halls.own else records_at(hall)
    found = await model.read(lambda reader: reader.no_shows(name))
    return [HallNoShow(one.decided, one.announced, one.meanwhile, hall, at) for one in found]


async def _with_all(model: RecordsModel, found: list[RecordedTournament]) -> list[Listed]:
    return await with_idle_rounds(model, await with_places(model, found))


async def _tournaments(read_model: RecordsModel, name: str) -> list[Listed]:
    """The tournaments of all halls, the latest first. Places are worked out for those that are shown alone."""
    own, models = read_model.halls.own, models_of(read_model)
    found = [
        (one.created_at, hall, one)
        for hall, model in models.items()
        for one in await tournaments_of(model, name, count=RECENT)
    ]
    found.sort(key=lambda line: line[0], reverse=True)
    lines = []
    for _, hall, tournament in found[:RECENT]:
        (line,) = await _with_all(models[hall], [tournament])
        lines.append(evolve(line, at="" if hall == own else records_at(hall), title=hall_title(hall)))
    return lines
