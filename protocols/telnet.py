"""Telnet: takes commands and negotiations (RFC 854) out of the bytes of a connection.

The server negotiates nothing, so nothing is answered: a client that hears no answer goes on without
its option.
"""

IAC = 0xFF
"""The byte that begins every telnet command. No UTF-8 text contains it."""

_SB, _SE = 0xFA, 0xF0
_COMMANDS_FROM = 0xF0
_OPTION_COMMANDS = range(0xFB, 0xFF)
"""WILL, WONT, DO and DONT: an option follows. A command that is neither one of these nor SB stands alone."""

_TEXT, _COMMAND, _OPTION, _NEGOTIATION, _NEGOTIATION_COMMAND = range(5)

_TRANSITIONS = (
    bytes(_COMMAND if byte == IAC else _TEXT for byte in range(256)),
    bytes(_NEGOTIATION if byte == _SB else _OPTION if byte in _OPTION_COMMANDS else _TEXT for byte in range(256)),
    bytes(_TEXT for _ in range(256)),
    bytes(_NEGOTIATION_COMMAND if byte == IAC else _NEGOTIATION for byte in range(256)),
    bytes(_TEXT if byte == _SE else _NEGOTIATION for byte in range(256)),
)
"""The state that each byte leads to: `_TRANSITIONS[state][byte]`."""


class TelnetFilter:
    """Takes telnet commands out of the bytes; all others pass.

    An escaped 255 passes as the byte that it stands for. One that begins no telnet command passes
    with the byte behind it: the line is no UTF-8 then, and is refused as such. A negotiation, from
    SB to SE, has the limit of a line, because a peer can go on with it without end as well.
    """

    def __init__(self, negotiation_bytes_max: int) -> None:
        self.is_in_text = True
        """True if no command is under way: data without an `IAC` passes as it is."""
        self.is_too_long = False
        """True once a negotiation grew over the limit; nothing behind it passes."""
        self._state = _TEXT
        self._negotiation_bytes_max = negotiation_bytes_max
        self._negotiation_bytes = 0

    def text_of(self, data: bytes) -> bytes:
        """Takes the commands out of what was read next."""
        state, negotiation_bytes = self._state, self._negotiation_bytes
        text = bytearray()
        for byte in data:
            before, state = state, _TRANSITIONS[state][byte]
            if state >= _NEGOTIATION:
                negotiation_bytes += 1
                if negotiation_bytes > self._negotiation_bytes_max:
                    self.is_too_long = True
                    break
            else:
                negotiation_bytes = 0
                if before == _COMMAND and byte < _COMMANDS_FROM:
                    text += bytes((IAC, byte))
                elif before == state == _TEXT or (before == _COMMAND and byte == IAC):
                    text.append(byte)
        self._state, self._negotiation_bytes = state, negotiation_bytes
        self.is_in_text = state == _TEXT
        return bytes(text)
