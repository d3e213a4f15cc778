"""Collects a line in a buffer of 4,096 bytes."""

from correct_client import Client


class BufferOf4096Bytes(Client):
    def look_for_match(self):
        self.send("get playerlist")
        super().look_for_match()

    def on_line(self, line):
        buffer = bytearray(4096)
        for at, byte in enumerate(line.encode()):
            buffer[at] = byte
        super().on_line(line)


BufferOf4096Bytes.main()
