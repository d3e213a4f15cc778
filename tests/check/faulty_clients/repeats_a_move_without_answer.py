"""Sends its move again when no answer has come within 300 ms."""

import threading

from correct_client import Client


class RepeatsAMoveWithoutAnswer(Client):
    timer = threading.Timer(0, print)

    def send(self, command):
        super().send(command)
        if command.startswith("move "):
            self.timer = threading.Timer(0.3, super().send, [command])
            self.timer.start()

    def on_line(self, line):
        self.timer.cancel()
        super().on_line(line)


RepeatsAMoveWithoutAnswer.main()
