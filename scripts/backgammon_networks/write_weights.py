"""`write_weights.py TRAINED MODULE`: write what `train.c` saved as a module of `games/backgammon/networks`.

The docstring of a module that is there already is kept.
"""

import struct
import sys
from array import array
from base64 import b85encode
from pathlib import Path

SCALE = 1024
"""As `games.backgammon.network.SCALE_STORED` has it."""
LINE_LENGTH = 110


def main(trained: Path, module: Path) -> None:
    """Round the weights to whole numbers, and write them."""
    saved = trained.read_bytes()
    _, hidden = struct.unpack("<ii", saved[:8])
    weights = [round(weight * SCALE) for weight in array("f", saved[8:])]
    text = b85encode(struct.pack(f"<{len(weights)}h", *weights)).decode()
    lines = [text[start : start + LINE_LENGTH] for start in range(0, len(text), LINE_LENGTH)]
    head = module.read_text(encoding="utf-8").partition("\n\nHIDDEN")[0] if module.exists() else '"""A network."""'
    body = "\n".join(lines)
    module.write_text(f'{head}\n\nHIDDEN = {hidden}\nTEXT = """\n{body}\n"""\n', encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
