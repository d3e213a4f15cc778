"""The correct client, with habits of clients of the text protocol: `python text_client.py HOST PORT NAME GAME`.

It writes commands in capitals, a byte at a time, compares YOURTURN with the whole line, and looks for the next match
while one is played. All the time it asks for the list of players, and sends a bare `get`, which is refused.
"""

import sys
import threading
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[3] / "examples" / "python"))

from correct_client import CorrectClient

POLL_S = 0.2


class TextClient(CorrectClient):
    lock = threading.Lock()

    def send(self, command: str) -> None:
        word, _, rest = command.partition(" ")
        with self.lock:
            for byte in f"{word.upper()} {rest} \r\n".encode():
                self.socket.sendall(bytes([byte]))

    def look_for_match(self) -> None:
        super().look_for_match()
        threading.Timer(POLL_S, self.poll).start()

    def poll(self) -> None:
        with suppress(OSError):
            self.send("get playerlist")
            self.send("get")
            threading.Timer(POLL_S, self.poll).start()

    def on_end(self, kind: str, fields: dict[str, str]) -> None:
        self.is_playing = False

    def on_match(self, fields: dict[str, str]) -> None:
        super().on_match(fields)
        self.send(f"subscribe {self.game}")

    def on_line(self, line: str) -> None:
        if not line.startswith("SVR GAME YOURTURN") or line == 'SVR GAME YOURTURN {TURNMESSAGE: ""}':
            super().on_line(line)


TextClient.main()
