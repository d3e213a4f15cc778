"""One adapter for each wire protocol: every module here that exports `PROTOCOL` is found at start.

connect_four  3D Connect Four over newline JSON, as the tournament server of 2016 spoke it
gammonx       GammonX
lines         The base of protocols of lines
mastermind    Mastermind in `Type|JSON` messages
signalr       SignalR over WebSockets, for protocols that are hubs
strategic     The Strategic Game Server text protocol
web           The protocol of players in a browser
wording       The default sentence of each refusal, and how facts are put into one

A protocol's package is its adapter and its header. Its modules are what it can be asked (handlers), what it says
(rendering), the state of a connection with the settings (session), its dialects (profiles), and the page for its users
(`guide.md`).
"""

PART_OF = "gameserver"
"""Of the distribution. Another package of this name has no such line (`gameserver.cli.main`)."""
