"""The example bot with habits of clients of the text protocol: `python text_client.py --host HOST ...`.

It writes commands in capitals, a byte at a time, compares YOURTURN with the whole line, and looks for the next match
while one is played. All the time it asks for the list of players, and sends a bare `get`, which is refused.
"""

import sys
import threading
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3] / "examples" / "python"))

import random_bot

POLL_S = 0.2


class TextClient(random_bot.Bot):
    lock = threading.Lock()

    def send(self, command: str, secret: str = "") -> None:
        word, _, rest = command.partition(" ")
        with self.lock:
            self.unanswered.append(command)
            for byte in f"{word.upper()} {rest} \r\n".encode():
                self.socket.sendall(bytes([byte]))

    def ask_for_match(self) -> None:
        super().ask_for_match()
        threading.Timer(POLL_S, self.poll).start()

    def poll(self) -> None:
        with suppress(OSError):
            self.send("get playerlist")
            self.send("get")
            threading.Timer(POLL_S, self.poll).start()

    def on_answer(self, command: str, answer: str) -> None:
        if command != "get":
            super().on_answer(command, answer)

    def on_result(self, result: str, fields: dict[str, str]) -> None:
        self.playing = False

    def on_news(self, line: str) -> None:
        if not line.startswith("SVR GAME YOURTURN") or line == 'SVR GAME YOURTURN {TURNMESSAGE: ""}':
            super().on_news(line)
        if line.startswith("SVR GAME MATCH"):
            self.send(f"subscribe {self.options.game}")


random_bot.Bot = TextClient
random_bot.main()
