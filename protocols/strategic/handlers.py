"""The commands of a client, before and after its login, and their answers.

`HANDLERS`, at the end of this module, has the handler of each command at each stage. A command that is not in it is
refused with "Not logged in", and an unknown word with "Unsupported command". A handler reads the rest of the line and
returns the command or query for the lobby, or the answer if the lobby is not needed.

               login  logout  get  help  forfeit  challenge  subscribe unsubscribe move message contribute
    arrived      x      x      x    x     none        -                     -
    entered    again    x      x    x      x          x                     x

The stage decides only the order of complaints: which of two faults of a line is named first, as in the original. The
lobby decides what is allowed, because its state is current: a `move` outside a match is sent to it, too, and comes back
refused.

A player who is in no match hears by `get match` of the last one, from the records. They are on disk, so this is work
beside the connection. Until its answer is there no further line is taken, because answers keep their order.
"""

from collections.abc import Callable, Mapping

from attrs import define

from gameserver.protocol import (
    Answer,
    Capability,
    Code,
    Command,
    Contribute,
    Enter,
    ListGames,
    ListPlayers,
    PastMatch,
    Play,
    Query,
    RecordsAway,
    Rejected,
    Reply,
    Resign,
    Seek,
    ShowBoard,
    ShowFairness,
    ShowMatch,
    Withdraw,
    Work,
)
from protocols.lines import MESSAGES_MAX, Asked
from protocols.strategic import help_texts, parsing, rendering
from protocols.strategic.help_texts import closest, suggested, way_out, what_is_missing
from protocols.strategic.parsing import GameNames, Unparsable, Verb
from protocols.strategic.session import StrategicSession
from protocols.wording import echo

_NO_MATCH = "You have not played any match yet; subscribe <game> finds an opponent"
_RECORDS_AWAY = "Matches on record cannot be looked up now; ask again in a moment"


@define
class _LastMatch:
    """One look-up, from the question to the answer: `next` is the session's follow-up until it gives the answer."""

    _session: StrategicSession
    _player: str
    _has_begun: bool = False
    _answer: bytes | None = None

    def next(self) -> Work | Reply | None:
        """The work, then nothing while it is done, then the answer."""
        if not self._has_begun:
            self._has_begun = True
            return Work(self._look_up)
        if self._answer is None:
            return None
        self._session.follow_up = None
        return Reply(self._answer)

    async def _look_up(self, _wake: Callable[[], None]) -> None:
        try:
            self._answer = self._told(await self._session.last_match_of(self._player))
        except RecordsAway:
            self._answer = rendering.err(_RECORDS_AWAY)

    def _told(self, past: PastMatch | None) -> bytes:
        if past is None:
            return rendering.err(_NO_MATCH)
        return rendering.OK + rendering.past_match_line(past, self._player, self._session)


_CAPABILITIES = (Capability.CHAT, Capability.CHALLENGE)

_VERBS: Mapping[bool, Mapping[str, Verb]] = {False: parsing.VERBS, True: parsing.ORIGINAL_VERBS}
"""The commands by their words, for servers that are an imitation of an original and for those that are not."""


def read_line(session: StrategicSession, line: bytes) -> Asked:
    """Handles a line of the text protocol: a command, a query or a reply; None if the client asks to leave."""
    try:
        word, argument = parsing.split_line(line)
        verbs = _VERBS[session.profile.is_imitation]
        verb = verbs.get(word) or verbs.get(word.lower())
        if verb is None:
            return _refused(_unsupported(session, word))
        return HANDLERS[session.entered].get(verb, _not_entered)(session, argument)
    except Unparsable as mistake:
        return _refused(str(mistake))


def answered(session: StrategicSession, asked: Command | Query, answer: Answer) -> bytes:
    """Handles what became of a text command: OK, or ERR and why; `get match` may look into the records."""
    if not isinstance(answer, Rejected):
        if type(asked) is Enter:
            session.entered = True
        return rendering.OK
    if isinstance(asked, ShowMatch) and answer.code is Code.NOT_IN_MATCH:
        # The look-up takes a trip to the records: no line is read meanwhile, so that answers keep their order.
        session.follow_up = _LastMatch(session, answer.facts.get("player", "")).next
        return b""
    if answer.code is Code.PROOF_TOO_OFTEN:
        # The last wrong secret that a connection may try: the refusal tells that it ends.
        session.left = True
    text = session.profile.refusal(answer)
    if not session.profile.is_imitation:
        # Only where no original is imitated: some clients compare the originals' words.
        text = suggested(text, _meant(answer, session.games)) + way_out(answer, session.games)
    return rendering.err(text)


def _meant(rejected: Rejected, games: GameNames) -> str | None:
    """The name that may have been meant instead of one that is unknown."""
    if rejected.code is Code.UNKNOWN_GAME:
        return closest(rejected.facts.get("game", ""), games.known)
    return rejected.facts.get("like")


def _refused(text: str) -> Reply:
    return Reply(rendering.err(text))


def _refused_as(session: StrategicSession, code: Code) -> Reply:
    """The refusal that the lobby would give, given without it."""
    return _refused(session.profile.refusal(Rejected(code)))


def _unsupported(session: StrategicSession, word: str) -> str:
    text = f"Unsupported command: '{echo(word)}'"
    return text if session.profile.is_imitation else suggested(text, closest(word, parsing.VERBS))


def _not_entered(session: StrategicSession, _: str) -> Reply:
    return _refused_as(session, Code.NOT_ENTERED)


def _login(session: StrategicSession, name: str) -> Enter:
    if not name:
        raise Unparsable(parsing.NO_NAME)
    peer = session.peer
    return Enter(peer.session, name, "strategic", peer.address, _CAPABILITIES)


def _login_again(session: StrategicSession, name: str) -> Reply:
    if not name:
        raise Unparsable(parsing.NO_NAME)
    return _refused_as(session, Code.ALREADY_ENTERED)


def _logout(session: StrategicSession, _: str) -> None:
    # Without a reply: the originals closed the connection at once, whichever of the five words it was.
    session.left = True


_ANSWERED: Mapping[str, Callable[[int], Query]] = {"gamelist": ListGames, "playerlist": ListPlayers}
_ANSWERED_BEYOND: Mapping[str, Callable[[int], Query]] = {
    **_ANSWERED,
    "match": ShowMatch,
    "board": ShowBoard,
    "fairness": ShowFairness,
}
"""The same, with the queries that no original knew."""


def _get(session: StrategicSession, what: str) -> Query:
    is_imitation = session.profile.is_imitation
    known = _ANSWERED if is_imitation else _ANSWERED_BEYOND
    ask = known.get(what.lower())
    # joost's client of 2020 sends a bare `get` every 2 s to keep its connection, and counts on one ERR for each.
    if ask is None:
        text = f"Unknown GET argument: '{echo(what)}'"
        meant = None if is_imitation else closest(what, tuple(known))
        if not (what or is_imitation):
            text += f", write: {', '.join(f'get {each}' for each in known)}"
        raise Unparsable(suggested(text, meant))
    return ask(session.peer.session)


def _help(session: StrategicSession, word: str) -> Reply:
    profile = session.profile
    if not word:
        lines = help_texts.overview(profile.banner[0])
        if not profile.is_imitation:
            lines += help_texts.beyond_commands(session.pages_url)
    elif word.lower() in _VERBS[profile.is_imitation]:
        verb = parsing.VERBS[word.lower()]
        lines = help_texts.details(verb)
        if not profile.is_imitation:
            lines = help_texts.fitted([*lines, *help_texts.MORE.get(verb, ())])
    else:
        lines = _help_of_game(session, word)
    return Reply(rendering.help_lines(lines))


def _helped(session: StrategicSession) -> Mapping[str, str]:
    """The subjects of `help`: commands, games and their other names, each with the subject that it stands for."""
    return {word: word for word in parsing.VERBS} | session.games.known


def _help_of_game(session: StrategicSession, word: str) -> list[str]:
    game = session.games.spelled(word)
    guide = session.guide_of(game)
    is_imitation = session.profile.is_imitation
    if guide:
        lines = help_texts.of_game(game, guide)
        return lines if is_imitation else help_texts.fitted(lines)
    text = f"Unknown command '{echo(word)}'"
    meant = None if is_imitation else closest(word, _helped(session))
    # With a full stop where nothing is suggested, as captured from the originals.
    raise Unparsable(suggested(text, meant) if meant else f"{text}.")


def _subscribe(session: StrategicSession, game: str) -> Seek:
    if not game:
        raise Unparsable(parsing.NO_GAME)
    return Seek(session.peer.session, session.games.spelled(game))


def _unsubscribe(session: StrategicSession, _: str) -> Withdraw:
    return Withdraw(session.peer.session)


def _move(session: StrategicSession, move: str) -> Play:
    if not move:
        raise Unparsable(parsing.NO_MOVE)
    # As it was written, blanks around it aside: the originals repeat it so in MOVE.
    return Play(session.peer.session, move, session.read_in)


def _forfeit(session: StrategicSession, _: str) -> Resign:
    return Resign(session.peer.session, match=session.read_in)


def _forfeit_nothing(session: StrategicSession, _: str) -> Reply:
    return _refused_as(session, Code.NOT_IN_MATCH)


def _challenge(session: StrategicSession, argument: str) -> Command | Reply:
    """A challenge, or a command that begins like one. To a player in a match, that fault is named before any other."""
    try:
        return _read_challenge(session, argument)
    except Unparsable:
        # The original named this fault before any other of the line.
        if session.view is None:
            raise
        return _refused_as(session, Code.IN_MATCH)


def _read_challenge(session: StrategicSession, argument: str) -> Command:
    is_imitation = session.profile.is_imitation
    if not is_imitation and parsing.DECLINED.fullmatch(argument):
        raise Unparsable(parsing.NO_NEED_TO_DECLINE)
    try:
        asked = parsing.read_challenge(session.peer.session, argument, session.games, takes_clocks=not is_imitation)
    except Unparsable as mistake:
        if is_imitation or str(mistake) != parsing.ILLEGAL_ARGUMENTS:
            raise
        raise Unparsable(f"{mistake}{what_is_missing(argument, session.games)}") from None
    return _forfeit(session, "") if isinstance(asked, Resign) else asked


def _message(session: StrategicSession, argument: str) -> Command:
    try:
        say = parsing.read_message(session.peer.session, argument)
    except Unparsable as mistake:
        if session.profile.is_imitation or str(mistake) != parsing.EMPTY_MESSAGE:
            raise
        raise Unparsable(f'{mistake}, write: message "<player>" <text>') from None
    if not session.pace.allows(session.read_ms):
        raise Unparsable(f"Too many messages, at most {MESSAGES_MAX} in 10 seconds")
    return say


def _contribute(session: StrategicSession, data: str) -> Contribute:
    return Contribute(session.peer.session, data)


Handler = Callable[[StrategicSession, str], Asked]

_ALWAYS: Mapping[Verb, Handler] = {Verb.LOGOUT: _logout, Verb.GET: _get, Verb.HELP: _help}

_ARRIVED: Mapping[Verb, Handler] = {**_ALWAYS, Verb.LOGIN: _login, Verb.FORFEIT: _forfeit_nothing}

_ENTERED: Mapping[Verb, Handler] = {
    **_ALWAYS,
    Verb.LOGIN: _login_again,
    # In a match, too: mg2002 sends it right after MATCH and wants OK, and the captured servers then began the next
    # match right after the result.
    Verb.SUBSCRIBE: _subscribe,
    Verb.UNSUBSCRIBE: _unsubscribe,
    Verb.MOVE: _move,
    Verb.FORFEIT: _forfeit,
    Verb.CHALLENGE: _challenge,
    Verb.MESSAGE: _message,
    Verb.CONTRIBUTE: _contribute,
}

HANDLERS: Mapping[bool, Mapping[Verb, Handler]] = {False: _ARRIVED, True: _ENTERED}
"""By whether the lobby has accepted a login."""
