"""A bot that breaks the codes of a Mastermind server: a model to copy. Standard library only.

python3 mastermind_breaker.py [--host H] [--port P] [--colors N] [--length L] [--tries T] [--games K] [--seed S]

Three habits keep it out of trouble:
1. A message is complete when its line feed has come: one read may hold half a message, or three.
2. Every message that is sent has exactly one answer. So it asks, waits, and looks at the type of what comes.
3. The server is the one who knows what was right: the bot never works out for itself that it has won.
"""

import argparse
import json
import random
import socket
import time
from collections import Counter
from collections.abc import Sequence
from functools import partial
from itertools import product

NEW_GAME, GUESS, ANSWER, GAME_END, RETREAT, ACCEPT, ERROR = range(7)  # the types of messages
CORRECT, ELSEWHERE, WRONG = range(3)  # the numbers in an answer, which is sorted: only how many there are counts
CODES_MAX = 300_000  # more possible codes than that are not gone through one by one
GUESSES_COMPARED = 150  # looking at more possible guesses makes the bot slower and hardly better
REFUSED_MAX = 3
RETRY_WAITS_MS = (250, 500, 1000, 2000, 4000)
Code = tuple[int, ...]
say = partial(print, flush=True)  # flush: whoever reads our output through a pipe sees each line at once


def answer_to(guess: Code, code: Code) -> tuple[int, int]:
    """How many colors are in their place, and how many elsewhere: what the server would answer if `code` were it."""
    exact = sum(one == other for one, other in zip(guess, code, strict=True))
    common = (Counter(guess) & Counter(code)).total()  # each color as often as it is in both
    return exact, common - exact


class Solver:
    """Keeps the codes that fit every answer so far, and guesses the one that leaves the fewest at worst."""

    def __init__(self, colors: int, length: int, chance: random.Random) -> None:
        self.chance = chance
        self.codes: Sequence[Code] = list(product(range(colors), repeat=length))
        self.first = tuple(place * min(colors, 2) // length for place in range(length))  # such as 0,0,1,1

    def guess(self) -> Code:
        """The next guess; it is always one that may be right."""
        if self.first in self.codes and len(self.codes) > GUESSES_COMPARED:
            guess, self.first = self.first, ()
            return guess
        few = self.chance.sample(self.codes, min(len(self.codes), GUESSES_COMPARED))
        return min(few, key=lambda guess: max(Counter(answer_to(guess, code) for code in few).values()))

    def learn(self, guess: Code, exact: int, elsewhere: int) -> None:
        """Drop every code to which this would not have been the answer."""
        self.codes = [code for code in self.codes if answer_to(guess, code) == (exact, elsewhere)]


class Breaker:
    """One player. The connection may break; then the next game begins on a new one."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.chance = random.Random(options.seed)
        self.lost = 0  # connections lost in a row

    def run(self) -> None:
        """Play all games, over as many connections as it takes."""
        played = 0
        while played < self.options.games:
            try:
                with (
                    socket.create_connection((self.options.host, self.options.port), 10) as self.socket,
                    self.socket.makefile("rb") as self.lines,  # a file collects bytes until a line is complete
                ):
                    while played < self.options.games:
                        self.play()
                        played += 1
            except OSError as problem:  # refused, reset, timed out, closed: in Python all are OSError
                if self.lost == len(RETRY_WAITS_MS):
                    where = f"{self.options.host}, port {self.options.port}"
                    raise SystemExit(f"mastermind_breaker: no server at {where}: {problem}") from None
                say(f"connection lost ({problem}), next try in {RETRY_WAITS_MS[self.lost]} ms")
                time.sleep(RETRY_WAITS_MS[self.lost] / 1000)
                self.lost += 1

    def play(self) -> None:
        """One game, from NewGame to GameEnd."""
        options = self.options
        size = {"NbrColors": options.colors, "MaxTries": options.tries, "CodeLength": options.length}
        accepted = self.ask(NEW_GAME, size, wanted=(ACCEPT,))[1]["Attributes"]
        say(f"new game: {accepted}")
        self.lost = refused = 0
        solver = Solver(accepted["NbrColors"], accepted["CodeLength"], self.chance)  # what was accepted, not asked for
        while True:
            guess = solver.guess()
            kind, content = self.ask(GUESS, {"Guess": guess}, wanted=(ANSWER, GAME_END, ERROR))
            if kind == ERROR:  # costs no try: the game goes on as if nothing had been sent
                refused += 1
                say(f"the server says: {content['Message']}")
                if refused == REFUSED_MAX:
                    raise SystemExit(f"mastermind_breaker: {refused} guesses were refused in one game")
                continue
            if kind == GAME_END:
                code = ",".join(map(str, content["Code"]))
                return say(f"RESULT {'won' if content['Won'] else 'lost'} {content['Tries']} {code}")
            exact, elsewhere = content["Answer"].count(CORRECT), content["Answer"].count(ELSEWHERE)
            solver.learn(guess, exact, elsewhere)
            say(f"guess {','.join(map(str, guess))}: {exact} exact, {elsewhere} elsewhere, {len(solver.codes)} left")

    def ask(self, kind: int, content: dict, wanted: tuple[int, ...]) -> tuple[int, dict]:
        """Send one message and wait for its answer, which has to be of a wanted type."""
        self.socket.sendall(f"{kind}|{json.dumps(content)}\n".encode())
        line = self.lines.readline()
        if not line.endswith(b"\n"):
            raise ConnectionError("the server closed it")
        number, _, body = line.decode().partition("|")
        heard, answer = int(number), json.loads(body)
        if heard == ERROR and "stopping" in answer["Message"]:
            raise ConnectionError(answer["Message"])
        if heard not in wanted:
            raise SystemExit(f"mastermind_breaker: the server says: {answer.get('Message', line)}")
        return heard, answer


def main() -> None:
    """Read the command line and play."""
    parser = argparse.ArgumentParser(usage=argparse.SUPPRESS, description="Break the codes of a Mastermind server.")
    parser.add_argument("--host", default="localhost", help="where the server runs (%(default)s)")
    parser.add_argument("--port", default=8081, type=int, help="its port for Mastermind (%(default)s)")
    parser.add_argument("--colors", default=6, type=int, help="how many colors there are (%(default)s)")
    parser.add_argument("--length", default=4, type=int, help="how long a code is (%(default)s)")
    parser.add_argument("--tries", default=12, type=int, help="how often may be guessed (%(default)s)")
    parser.add_argument("--games", default=1, type=int, help="how many to play (%(default)s)")
    parser.add_argument("--seed", type=int, help="choose the same guesses again")
    options = parser.parse_args()
    if not 1 <= options.port <= 65535 or min(options.games, options.colors, options.length, options.tries) < 1:
        parser.error("--port goes from 1 to 65535, and all other numbers begin at 1")
    if options.colors**options.length > CODES_MAX:
        parser.error(f"{options.colors} colors in {options.length} places are more than {CODES_MAX} codes")
    Breaker(options).run()


if __name__ == "__main__":
    main()
