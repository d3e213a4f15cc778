r"""Conversations as text files, held against a real server in virtual time.

A transcript begins with what it shows, in lines with `#`, and its settings, in lines with `@`. Then
it tells what happens, one thing a line:

    C1 connects                  a new connection; also `to ngs` (a profile of the text protocol),
                                 `to connect-four` or `to connect-four:0.5.3` (another protocol), and
                                 `from 127.0.0.2` (another computer)
    C1 enters as ann             connects and enters under that name, in the way of its protocol (`to`
                                 as above); what is usual about it is not told: the two lines of the
                                 text protocol's banner and its OK, Connect Four's first list of rooms
    C1> move 4                   C1 sends this and a line end; a `\` at the end keeps the line end back
    C1 half-closes               C1 will send no more, and reads on
    C1 closes, C1 resets         C1 is gone, in good order or not
    +5s, +100ms, +2min           time passes
    the teacher holds hanze Tic-tac-toe    a tournament of this preset begins, with everybody who is logged in
                                 as they came, the first against the last
    restart                      the server stops in good order and starts on the same journal
    kill                         the same without the good order: nothing but the journal's rows is left
    S>C1 OK                      the server says this to C1
    S closes C1                  the server ends the connection

GammonX is another matter, because it is no lines: `C1 posts /api/matches/join {...}` and `C1 gets PATH` are requests,
answered by `S>C1 200 {...}`; `C1 connects to gammonx` (or `gammonx:2026`, and `with token1`) opens the
hub, `C1> Move match1 0 4` calls a method, `S>C1 game-state {...}` is an event and `S>C1 Move done` the
call's end. What is usual about it, the handshake and pings, is not told. `tests.support.transcripts.hub` says
what GUIDs are called, and what is written in short.

The key of a player of the protocol `web` who `enters` is the name, again and again, as far as 22 characters go. The
server's time, `server_ms`, is always 0. The link to a page of one's own ends with `link=LINK`,
and the commitment of a match is `SHA256`.

A conversation of a protocol that is served over WebSocket too goes the same way there: each line is
a message, and what the server says is one frame a line, without a line end.

Bytes that no editor shows are written `\x0d`, so is a space at the end of a line, and `\\` is a
backslash. What the server says to one client has to come exactly as written, after the action above
it and before the next; between clients there is no order. Server lines are cut at CRLF, in Connect
Four and Mastermind at LF, and at nothing else, so any other line end shows.

Settings, one a line: `@profile ngs` or `@profile connect-four` (where a client connects to that names
nothing else), `@rules clock=turn_5s` (and `@limits`), `@options messages_per_10_s=1` (of that
protocol; of another: `@options connect-four time_elapsed_error=false`), `@game Countdown` (a game
beside Reversi and Tic-tac-toe), `@house` (the house is in), `@begins first second` (who moves first
in match 1, 2, ...: the first by the order of the names, which is usual here, or the second), `@code
5,3,5,5 of 6` (the secret code that the server draws in match 1, of six colours), `@dice 6 1 4 2` (how the first dice
fall in match 1), `@roster ann=apple` (names with secrets), `@tcp` (it goes otherwise in WebSocket messages).

`python -m tests.support.transcripts [--write] FILE ...` prints, or writes, what the server really says.
"""

from tests.support.transcripts.client import TranscriptClient
from tests.support.transcripts.model import MANNERS, Manner, Transcript
from tests.support.transcripts.performing import perform
from tests.support.transcripts.reading import Unreadable, read
from tests.support.transcripts.text import to_bytes, to_text

__all__ = [
    "MANNERS",
    "Manner",
    "Transcript",
    "TranscriptClient",
    "Unreadable",
    "perform",
    "read",
    "to_bytes",
    "to_text",
]
