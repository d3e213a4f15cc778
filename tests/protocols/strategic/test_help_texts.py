"""The help for each command, in every profile."""

import pytest

from protocols.strategic.parsing import Verb
from tests.support.strategic_client import StrategicClient

HELP = {
    "login": [
        "usage: login <player name>",
        "",
        "Valid options and arguments:",
        "  <player name>    : Name to login with",
    ],
    "logout": [
        "usage: logout",
        "",
        "Command aliases: 'exit', 'quit', 'disconnect', 'bye'",
    ],
    "get": [
        "usage: get <gamelist | playerlist>",
        "",
        "Valid options and arguments:",
        "  <gamelist>      : Available games",
        "  <playerlist>    : Currently logged in players",
    ],
    "subscribe": [
        "usage: subscribe <game>",
        "",
        "Valid options and arguments:",
        "  <game>    : Game name to subscribe to",
    ],
    "unsubscribe": ["usage: unsubscribe"],
    "move": [
        "usage: move <game move>",
        "",
        "Valid options and arguments:",
        "  <game move>    : Game-specific move to make",
    ],
    "forfeit": ["usage: forfeit"],
    "challenge": [
        "usage: challenge [accept] [args]",
        "",
        "Valid options and arguments:",
        '  "<player>" "<game>"          : Challenge player for game',
        '  "<player>" "<game>" <sec>    : Challenge with so many seconds for each turn',
        "  accept <challenge number>    : Accept challenge",
        "  forfeit                      : Forfeit current match",
    ],
    "message": [
        'usage: message "<player>" <text>',
        "",
        "Valid options and arguments:",
        '  "<player>"    : Receiver',
        "  <text>        : At most 140 characters",
        "",
        "Command aliases: 'msg'",
    ],
    "help": [
        "usage: help [command]",
        "",
        "Valid options and arguments:",
        "  <command>    : Command to display detailed help information for",
    ],
}


@pytest.mark.parametrize("command", HELP)
def test_help_for_a_command(command):
    heading = [f"Help information for command '{command}'.", ""]
    expected = ["OK", *(f"SVR HELP {line}" for line in heading + HELP[command])]
    for profile in ("2009", "2015", "2016", "ngs"):
        assert StrategicClient(profile).told(f"help {command.upper()}") == expected
    if command not in {"move", "challenge"}:  # one is longer where no original is imitated, one is broken differently
        assert StrategicClient().told(f"help {command}") == expected


def test_help():
    assert StrategicClient("2015").told("help") == [
        "OK",
        "SVR HELP Help information for Strategic Game Server Fixed [Version 1.1.0] commands.",
        "SVR HELP ",
        "SVR HELP For more information on a command, type 'help <command>'.",
        "SVR HELP ",
        "SVR HELP Available commands:",
        "SVR HELP login        : Login as player",
        "SVR HELP logout       : Logout and disconnect",
        "SVR HELP get          : Get server data",
        "SVR HELP subscribe    : Subscribe for a game",
        "SVR HELP unsubscribe  : Unsubscribe from the game",
        "SVR HELP move         : Make a game move in current match",
        "SVR HELP forfeit      : Forfeit current match",
        "SVR HELP challenge    : Handle challenges",
        "SVR HELP message      : Send a message to a player",
        "SVR HELP help         : Displays this help information",
    ]
    assert set(HELP) == set(Verb)
