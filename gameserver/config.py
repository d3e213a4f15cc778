"""The configuration: one TOML file, every key with a default, every mistake one clear line.

`docs/settings.md` is made of these classes: the docstring below a field is its meaning there. A table
named after a protocol or a library of games holds its own options.
"""

import difflib
import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from types import UnionType
from typing import Any, get_args, get_origin

import attrs
from attrs import Factory, field, validators
from cattrs import Converter, transform_error
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override
from cattrs.v import format_exception

from gameserver.config_file import DATA_FILE, ConfigError
from gameserver.flow_control.limits import Limits
from gameserver.game import GameLibrary
from gameserver.halls import HallSettings
from gameserver.policies import ChatPolicy, ReasonPolicy, Rules, SeatReturn
from gameserver.protocol import WireProtocol
from gameserver.settings import FIXED, HouseTerms
from gameserver.time_control import NO_TIME_LIMIT, TimeControl
from gameserver.tournaments.season import SeasonSettings
from gameserver.transport.listener import Address
from gameserver.values import value
from gameserver.wire_log.files import WireLogSettings

_OFF = "off"
_KEY_IN_PATH = re.compile(r"\['([^']*)'\]")
_WORD = re.compile(r"[\w-]+", re.ASCII)
_TLS = "tls://"
# A client of 2020 (Hayo1706) sets "challenge sent" when it has read the OK of `challenge`. If MATCH and YOURTURN are in
# the same packet, that overwrites "in a match", and it never moves. The original server never answered that fast.
_HOUSE_ACCEPT_MS = 150
"""The delay before the house accepts a `challenge`, charged to nobody. Practice begins at once."""


def _has_limit(_: object, attribute: "attrs.Attribute[TimeControl]", clock: TimeControl) -> None:
    if clock == NO_TIME_LIMIT:
        raise ValueError("a match needs a limit, or a client that hangs would hold its opponent for ever", attribute)


@value
class MatchSettings:
    """The terms of matches made in the text protocol's queue or by challenge.

    Matches in rooms and of tickets follow them too, but for the keys that `[rooms]` and `[tickets]` have themselves.
    """

    # As the originals of the text protocol: `turn_timelimit_sec`, and `gameserver.turntimelimit=10`.
    clock: TimeControl = field(default=TimeControl(10_000), validator=_has_limit)
    """The players' time, unless the challenge sets its own: for a turn (`"turn 10s"`), a bank for the whole match and
    more for each turn (`"3m+2s"`), a bank alone (`"5m"`), a bank and periods of byo-yomi (`"2m, 3 x 10s"`), or a bank
    and a limit of the turn (`"5m, turn 60s"`), which alone old clients are told."""
    # By judgement, for the time on the network: players of other servers complain of moves sent in time and lost.
    late_margin_ms: int = field(default=250, validator=[validators.ge(0), validators.le(60_000)])
    """The time after the deadline within which a move still counts, in rooms and matches of tickets too."""
    # The document of the text protocol: "Result of a match, player disconnected", at once.
    drop_grace_s: float = field(default=0.0, validator=[validators.ge(0), validators.le(86_400)])
    """Total seconds that a player may be disconnected in a match. 0: a lost connection loses the match at once."""
    # A client of 2025 (ITV2S2-Groep-2) registers for moves a moment after MATCH, on its GUI's thread: a MOVE in the
    # same packet is lost, and the game hangs until the time limit.
    first_move_pause_ms: int = field(default=100, validator=[validators.ge(0), validators.le(10_000)])
    """The shortest time between MATCH and the first MOVE: one old client needs it. Charged to nobody."""
    seat_return: SeatReturn = SeatReturn.SAME_ADDRESS
    """The players who may take an empty seat by its name: from the same address, or from any address."""
    reasons: ReasonPolicy = ReasonPolicy.ALWAYS
    """The matches in which a text player's LOSS ends with `REASON`, which says why: all, or only those against house
    players. Profiles that imitate an original never send it."""
    rated: bool = True
    """True if matches of two players are rated. A match of tickets is rated if both players asked for it (GammonX's
    Ranked), a match with the house never."""
    drain_s: float = field(default=0.0, validator=[validators.ge(0), validators.le(86_400)])
    """The time for which a stopping server waits for the running matches; it starts no new ones. 0: they are saved at
    once. A second Ctrl-C or SIGTERM stops the server at once."""


@value
class LobbySettings:
    """Chat, and the players who may log in."""

    # mg2002 reads the line for a game event, and mees (2020) dies of any line that it does not know.
    messages: ChatPolicy = ChatPolicy.ALWAYS
    """The time at which a `message` is delivered. Two old clients crash on one during a match."""
    house_players: bool = True
    """True if there are house players. Without them nobody can play through the Mastermind protocol."""
    roster: str = ""
    """A CSV file with the columns `name` and `secret`: only a player with the secret can log in under a name. A column
    `id` is used in the grades. A column `gammonx_id` lets GammonX clients play under the student's name. A column
    `team` has the names of teams. `"database"`: the table is in the PostgreSQL database, for all halls, and
    `gameserver roster` puts it there."""
    roster_only: bool = False
    """True if only players on the roster may log in. Mastermind's players, who have no names, always may."""
    gammonx_secret_required: bool = False
    """True if a GammonX client on the roster has to send the secret of the name, if that has one. GammonX clients do
    not do so by themselves. False: they come in by the PlayerId while nobody else of that name is logged in."""


@value
class RoomSettings:
    """The numbered rooms in which players of the 3D Connect Four protocol meet."""

    game: str = "Connect-four-3D"
    """The game that is played in the rooms of the 3D Connect Four protocol."""
    # The document's table: "Make move | 15 s | Random move made for this client".
    clock: TimeControl = field(default=TimeControl(15_000), validator=_has_limit)
    """The time of players in a room. When a turn's is over, the server makes a random move in the player's place."""
    # Measured: all known clients play whole games without a pause.
    move_pause_ms: int = field(default=0, validator=[validators.ge(0), validators.le(60_000)])
    """A pause between a move and the next `make move`, charged to nobody. The original server had 1000."""


@value
class TicketSettings:
    """The terms of matches of tickets, such as those of the GammonX protocol."""

    # GammonX's own server has 60 s as a constant.
    clock: TimeControl = field(default=TimeControl(60_000), validator=_has_limit)
    """The time of players in a match of tickets (GammonX). When a turn's is over, the game is lost. A match waits as
    long as a turn for its players to start."""
    # GammonX's own server: 30 s for each player in a match, of which the rest carries over to the next loss.
    drop_grace_s: float = field(default=30.0, validator=[validators.ge(0), validators.le(86_400)])
    """The same in a match of tickets (GammonX)."""


@value
class JournalSettings:
    """Settings of the journal."""

    synchronous: str = field(default="full", validator=validators.in_(("full", "normal", "off")))
    """`"full"` survives a power cut, `"normal"` only a killed process, `"off"` neither. In PostgreSQL `"normal"` waits
    for no replica, and `"off"` for no disk either."""
    commit_retry_s: float = field(default=30.0, validator=validators.ge(0))
    """The time that the server keeps trying to write to a failing disk, or to a database that is away or answers too
    late, before it stops."""


@value
class TlsSettings:
    """The certificate of encrypted listeners: files in PEM."""

    certificate: str = ""
    """The certificate, with its chain, of listeners with `tls://`."""
    key: str = ""
    """Its key. Empty if the certificate's file contains it too."""


@value
class LogSettings:
    """Settings of the log."""

    level: str = field(default="info", validator=validators.in_(("debug", "info", "warning", "error")))
    """The lowest level that is logged. `serve --log-json` writes one JSON object per line instead of text."""


def _is_not_empty(_instance: object, attribute: "attrs.Attribute[str]", text: str) -> None:
    if not text:
        message = "must not be empty"
        raise ValueError(message, attribute)


def _are_words(_: object, attribute: "attrs.Attribute[Any]", seasons: Mapping[str, object]) -> None:
    wrong = next((name for name in seasons if not _WORD.fullmatch(name)), None)
    if wrong is not None:
        raise ValueError(f"the name {wrong!r} is a part of an address; use letters, digits, - and _", attribute)


@value
class Settings:
    """All settings of the config file that are in force."""

    data: str = field(default=DATA_FILE, validator=_is_not_empty)
    """The data file: journal, records, snapshot. `":memory:"` keeps nothing. A connection string of PostgreSQL, such as
    `"postgresql://USER@HOST/DATABASE"` or `"service=NAME"`, keeps them in that database (docs/postgresql.md)."""
    plugins: tuple[str, ...] = ()
    """Games and protocols in addition to the installed ones, as `"module:NAME"`."""
    listen: Mapping[str, str] = Factory(dict)
    """The addresses at which each protocol listens."""
    match: MatchSettings = Factory(MatchSettings)
    lobby: LobbySettings = Factory(LobbySettings)
    rooms: RoomSettings = Factory(RoomSettings)
    tickets: TicketSettings = Factory(TicketSettings)
    house: HouseTerms = Factory(HouseTerms)
    limits: Limits = Factory(Limits)
    journal: JournalSettings = Factory(JournalSettings)
    hall: HallSettings = Factory(HallSettings)
    log: LogSettings = Factory(LogSettings)
    tls: TlsSettings = Factory(TlsSettings)
    wire_log: WireLogSettings = Factory(WireLogSettings)
    season: Mapping[str, SeasonSettings] = field(factory=dict, validator=_are_words)
    """The seasons by their names in addresses."""

    def rules(self) -> Rules:
        """The rules by which the core decides, out of the config's settings."""
        return Rules(
            clock=self.match.clock,
            late_margin_ms=self.match.late_margin_ms,
            drop_grace_ms=round(self.match.drop_grace_s * 1000),
            first_move_pause_ms=self.match.first_move_pause_ms,
            house_accept_ms=_HOUSE_ACCEPT_MS,
            messages=self.lobby.messages,
            seat_return=self.match.seat_return,
            room_game=self.rooms.game,
            room_clock=self.rooms.clock,
            room_move_pause_ms=self.rooms.move_pause_ms,
            ticket_clock=self.tickets.clock,
            ticket_drop_grace_ms=round(self.tickets.drop_grace_s * 1000),
            reasons=self.match.reasons,
            rated=self.match.rated,
        )


@value
class ListenerSettings:
    """One listener: which protocol, in which profile, where; `key` is what to change in the config."""

    key: str
    protocol: WireProtocol
    profile: str
    address: Address


def structure(
    raw: Mapping[str, Any], plugins: Mapping[str, WireProtocol | GameLibrary]
) -> tuple[Settings, dict[str, Any]]:
    """Turns a raw TOML table into the configuration: its settings, and the options of each plug-in by its name.

    Raises `ConfigError`.
    """
    for name in plugins:
        if name in attrs.fields_dict(Settings):
            raise ConfigError(f"the plug-in {name!r} is named like the server's table [{name}]; give it another name")
    # A table that is named after a plug-in is that plug-in's own; all others are read here, so that a slip is found.
    own = {key: value for key, value in raw.items() if key not in plugins}
    settings: Settings = _structured(own, Settings, "")
    options = {
        name: _structured(raw.get(name, {}), plugin.options_type, f"{name}.") for name, plugin in plugins.items()
    }
    return settings, options


def listeners(settings: Settings, protocols: Mapping[str, WireProtocol]) -> tuple[ListenerSettings, ...]:
    """Works out the listeners of a config: each protocol at its default port unless the settings say otherwise."""
    served = {name: protocol for name, protocol in protocols.items() if protocol.default_port is not None}
    wanted = {name: f"{protocol.default_host}:{protocol.default_port}" for name, protocol in served.items()}
    wanted |= settings.listen
    texts = ((key, text) for key, all_ in wanted.items() if all_ != _OFF for text in all_.split(","))
    found = tuple(_listener(key, text, protocols) for key, text in texts)
    if any(listener.address.tls for listener in found) and not settings.tls.certificate:
        raise ConfigError("tls.certificate: a listener has an address with tls://, so a certificate is required")
    if not found:
        raise ConfigError(f"listen: every protocol is {_OFF!r}, so nobody could connect; give one an address")
    return found


def parse_listen(texts: Sequence[str]) -> dict[str, str]:
    """Reads `--listen PROTOCOL[:PROFILE]=HOST:PORT` as the configuration's `listen` table: keys and addresses."""
    listen: dict[str, str] = {}
    for text in texts:
        key, equals, address = (part.strip() for part in text.partition("="))
        if not equals:
            raise ConfigError(f"--listen takes PROTOCOL=HOST:PORT, such as strategic=0.0.0.0:7789, not {text!r}")
        if key in listen:
            raise ConfigError(f"--listen names {key} twice; a second listener needs another profile, {key}:PROFILE")
        listen[key] = address
    return listen


def to_raw(settings: Settings, options: Mapping[str, Any], in_force: Sequence[ListenerSettings]) -> dict[str, Any]:
    """Turns the configuration's values, with the listeners in force, back into a table in terms of TOML."""
    raw: dict[str, Any] = _CONVERTER.unstructure(settings)
    raw["plugins"] = list(settings.plugins)
    for season in raw["season"].values():
        if season["grades"] is None:  # TOML has no word for nothing
            del season["grades"]
    off = {key: _OFF for key, text in settings.listen.items() if text == _OFF}
    addresses: dict[str, list[str]] = {}
    for listener in in_force:
        addresses.setdefault(listener.key, []).append(str(listener.address))
    raw["listen"] = {key: ", ".join(texts) for key, texts in addresses.items()} | off
    raw |= {name: _CONVERTER.unstructure(own) for name, own in options.items()}
    return raw


def _listener(key: str, text: str, protocols: Mapping[str, WireProtocol]) -> ListenerSettings:
    name, _, profile = key.partition(":")
    protocol = protocols.get(name)
    if protocol is None:
        raise ConfigError(f"listen.{key}: there is no protocol {name!r}{_meant(name, protocols)}")
    if protocol.default_port is None:
        raise ConfigError(f"listen.{key}: {name} has no sockets of its own, it is served by listen.http")
    profile = profile or protocol.profiles[0]
    if profile not in protocol.profiles:
        known = ", ".join(protocol.profiles)
        raise ConfigError(f"listen.{key}: {name} has no profile {profile!r}; it has {known}")
    where = text.strip()
    host, colon, port = where.removeprefix(_TLS).rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    # `isdigit` alone takes digits of every script; the operating system does not.
    if not colon or not host or not port.isascii() or not port.isdigit() or int(port) > 65_535:
        raise ConfigError(f"listen.{key}: {text!r} is not an address; write HOST:PORT, such as 0.0.0.0:7789 or *:7789")
    return ListenerSettings(key, protocol, profile, Address(host, int(port), tls=where.startswith(_TLS)))


def _structured(raw: Any, into: type, prefix: str) -> Any:
    try:
        return _CONVERTER.structure(raw, into)
    except Exception as error:
        faults = transform_error(error, path="$", format_exception=_fault)
        raise ConfigError("; ".join(_readable(fault, into, prefix) for fault in faults)) from error


def _fault(error: BaseException, kind: type | None) -> str:
    """The fault of one value; cattrs adds its place, in which a validator that names its attribute adds the key."""
    if not isinstance(error, (_WrongType, ValueError)) or not error.args:
        return format_exception(error, kind)
    text, *about = error.args
    # attrs' validators see one value, and cattrs the table around it: without this a wrong hall.name was told as "hall:
    # ...".
    key = next((one.name for one in about if isinstance(one, attrs.Attribute)), "")
    return f".{key}: {str(text).removeprefix(repr(key)).lstrip()}" if key else str(text)


def _readable(fault: str, into: type, prefix: str) -> str:
    """A fault with its key in front: `match.clock: ...`."""
    text, _, path = fault.rpartition(" @ $")
    path = _KEY_IN_PATH.sub(r".\1", path)
    where = (prefix + path.lstrip(".")).rstrip(".")
    if text.startswith("extra fields found ("):
        names = text.removeprefix("extra fields found (").removesuffix(")").split(", ")
        known = _keys_at(into, path.lstrip("."))
        return "; ".join(
            f"{where + '.' if where else ''}{name} is not a setting{_meant(name, known)}" for name in names
        )
    if text.startswith("."):
        return f"{where}{text}".lstrip(".")
    return f"{where}: {text}" if where else text


def _keys_at(into: type, path: str) -> list[str]:
    for step in filter(None, path.split(".")):
        if attrs.has(into):
            into = next((known.type for known in attrs.fields(into) if known.name == step and known.type), into)
        else:
            into = get_args(into)[-1]  # of the tables that have names
        into = next(filter(attrs.has, get_args(into)), into) if get_origin(into) is UnionType else into
    return [known.name for known in attrs.fields(into) if known.metadata != FIXED]


def _meant(word: str, known: Sequence[str] | Mapping[str, object]) -> str:
    # At 0.6, difflib's default, `tls` would be suggested for `tables`.
    close = difflib.get_close_matches(word, list(known), n=1, cutoff=0.7)
    return f"; did you mean {close[0]!r}?" if close else f"; there is {', '.join(known)}"


class _WrongType(Exception):
    """A value of another type than the key has."""


def _strict(kind: type, words: str) -> Any:
    """A hook that takes a value as it is, where cattrs would convert "7" to 7 and true to 1."""

    def structure_hook(value: object, _: object) -> object:
        accepted = (int, float) if kind is float else kind
        if not isinstance(value, accepted) or (isinstance(value, bool) and kind is not bool):
            raise _WrongType(f"{value!r} should be {words}")
        return float(value) if kind is float and isinstance(value, int) else value

    return structure_hook


def _make_converter() -> Converter:
    converter = Converter(forbid_extra_keys=True)
    for kind, words in ((int, "a whole number"), (float, "a number"), (str, "text"), (bool, "true or false")):
        converter.register_structure_hook(kind, _strict(kind, words))
    converter.register_structure_hook(StrEnum, _choice)
    converter.register_structure_hook(TimeControl, lambda text, _: TimeControl.read(text))
    converter.register_unstructure_hook(TimeControl, str)
    converter.register_structure_hook_func(lambda kind: kind == tuple[str, ...], _texts)
    converter.register_structure_hook_func(lambda kind: kind == tuple[str | int, ...], _texts_and_numbers)
    converter.register_structure_hook_func(lambda kind: kind == str | tuple[float, ...], _text_or_numbers)
    converter.register_structure_hook_factory(attrs.has, lambda cls: _table(cls, converter))
    converter.register_unstructure_hook_factory(
        attrs.has, lambda cls: make_dict_unstructure_fn(cls, converter, **_without_fixed(cls))
    )
    return converter


def _without_fixed(cls: type) -> Any:
    return {field.name: override(omit=True) for field in attrs.fields(cls) if field.metadata == FIXED}


def _table(cls: type, converter: Converter) -> Any:
    """A hook that takes a table with the keys of the class."""
    structured: Any = make_dict_structure_fn(cls, converter, _cattrs_forbid_extra_keys=True, **_without_fixed(cls))

    def structure_hook(value: object, kind: object) -> object:
        if not isinstance(value, Mapping):
            raise _WrongType(f"{value!r} should be a table")
        return structured(value, kind)

    return structure_hook


def _texts(value: object, _: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise _WrongType(f"{value!r} should be a list of texts")
    return tuple(value)


def _texts_and_numbers(value: object, _: object) -> tuple[str | int, ...]:
    if not isinstance(value, list) or not all(type(one) in {str, int} for one in value):
        raise _WrongType(f"{value!r} should be a list of texts and whole numbers")
    return tuple(value)


def _text_or_numbers(value: object, _: object) -> str | tuple[float, ...]:
    if isinstance(value, list) and all(type(one) in {int, float} for one in value):
        return tuple(value)
    if not isinstance(value, str):
        raise _WrongType(f"{value!r} should be text or a list of numbers")
    return value


def _choice(value: object, kind: Any) -> Any:
    try:
        return kind(value)
    except ValueError:
        raise _WrongType(f"{value!r} should be one of {', '.join(kind)}") from None


_CONVERTER = _make_converter()
