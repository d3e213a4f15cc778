"""Takes every ERR in a match for a refusal of its move, and sends another one."""

from correct_client import Client


class MovesAgainAfterErr(Client):
    def on_err(self, line):
        super().on_err(line)
        if self.is_playing:
            self.on_turn()


MovesAgainAfterErr.main()
