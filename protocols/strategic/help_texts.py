"""What `help`, `help <command>` and `help <game>` say. A real client counts the lines of `help get`: eight with OK."""

from collections.abc import Mapping

from protocols.strategic.parsing import ALIASES, MESSAGE_LENGTH_MAX, Verb

_DESCRIPTIONS = {
    Verb.LOGIN: "Login as player",
    Verb.LOGOUT: "Logout and disconnect",
    Verb.GET: "Get server data",
    Verb.SUBSCRIBE: "Subscribe for a game",
    Verb.UNSUBSCRIBE: "Unsubscribe from the game",
    Verb.MOVE: "Make a game move in current match",
    Verb.FORFEIT: "Forfeit current match",
    Verb.CHALLENGE: "Handle challenges",
    Verb.MESSAGE: "Send a message to a player",
    Verb.HELP: "Displays this help information",
}

_USAGES = {
    Verb.LOGIN: "login <player name>",
    Verb.LOGOUT: "logout",
    Verb.GET: "get <gamelist | playerlist>",
    Verb.SUBSCRIBE: "subscribe <game>",
    Verb.UNSUBSCRIBE: "unsubscribe",
    Verb.MOVE: "move <game move>",
    Verb.FORFEIT: "forfeit",
    Verb.CHALLENGE: "challenge [accept] [args]",
    Verb.MESSAGE: 'message "<player>" <text>',
    Verb.HELP: "help [command]",
}

_ARGUMENTS: Mapping[Verb, Mapping[str, str]] = {
    Verb.LOGIN: {"<player name>": "Name to login with"},
    Verb.GET: {"<gamelist>": "Available games", "<playerlist>": "Currently logged in players"},
    Verb.SUBSCRIBE: {"<game>": "Game name to subscribe to"},
    Verb.MOVE: {"<game move>": "Game-specific move to make"},
    Verb.CHALLENGE: {
        '"<player>" "<game>"': "Challenge player for game",
        '"<player>" "<game>" <sec>': "Challenge with so many seconds for each turn",
        "accept <challenge number>": "Accept challenge",
        "forfeit": "Forfeit current match",
    },
    Verb.MESSAGE: {'"<player>"': "Receiver", "<text>": f"At most {MESSAGE_LENGTH_MAX} characters"},
    Verb.HELP: {"<command>": "Command to display detailed help information for"},
}


def overview(title: str) -> list[str]:
    """The list of all commands."""
    return [
        f"Help information for {title} commands.",
        "",
        "For more information on a command, type 'help <command>'.",
        "",
        "Available commands:",
        *(f"{verb.value:<13}: {_DESCRIPTIONS[verb]}" for verb in Verb),
    ]


def details(verb: Verb) -> list[str]:
    """One command."""
    lines = [f"Help information for command '{verb.value}'.", "", f"usage: {_USAGES[verb]}"]
    arguments = _ARGUMENTS.get(verb, {})
    if arguments:
        width = max(map(len, arguments)) + 4
        lines += ["", "Valid options and arguments:"]
        lines += [f"  {argument:<{width}}: {meaning}" for argument, meaning in arguments.items()]
    if verb in ALIASES:
        lines += ["", "Command aliases: " + ", ".join(f"'{alias}'" for alias in ALIASES[verb])]
    return lines


def of_game(game: str, guide: str) -> list[str]:
    """A game that has something to say to its players."""
    return [f"Help information for game '{game}'.", "", *guide.splitlines()]
