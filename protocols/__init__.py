"""One adapter for each wire protocol: every module here that exports `PROTOCOL` is found at start.

    strategic            lines of text, as the Strategic Game Server spoke them
    connect_four         newline JSON, 3D Connect Four
    mastermind           `Type|JSON`
    gammonx              REST and a SignalR hub
    web                  JSON over a WebSocket, for players in a browser
    signalr              SignalR for any protocol that is a hub; there is no `PROTOCOL` in it
    line_adapter         the base of the adapters whose messages are lines: the first three,
                         and web
    line_reader, telnet  bytes to lines, whatever pieces they come in, and telnet's commands taken out of them
    json_text            JSON as clients really write it
    message_pace         a limit to how many chat lines a connection sends
    wording              facts into sentences

A protocol's package has its adapter, what it can be asked (handlers), what it says (rendering), its dialects
(profiles), its settings (options) and the page for its users (`guide.md`).
"""

PART_OF = "gameserver"
"""Of the distribution. Another package of this name has no such line (`gameserver.cli.main`)."""
