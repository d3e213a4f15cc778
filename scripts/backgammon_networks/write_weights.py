"""`write_weights.py TRAINED FILE`: write what `train.c` saved as a file of `games/backgammon/networks`.

The comments of a file that is there already are kept.
"""

import struct
import sys
from array import array
from base64 import b85encode
from pathlib import Path

SCALE = 1024
"""As `games.backgammon.network.SCALE_STORED` has it."""
LINE_LENGTH = 110


def main(trained: Path, file: Path) -> None:
    """Rounds the weights of the backgammon networks to whole numbers, and writes them."""
    # Eight bytes tell the inputs and the hidden units; the network finds them by its game and its size.
    weights = [round(weight * SCALE) for weight in array("f", trained.read_bytes()[8:])]
    text = b85encode(struct.pack(f"<{len(weights)}h", *weights)).decode()
    lines = [text[start : start + LINE_LENGTH] for start in range(0, len(text), LINE_LENGTH)]
    before = file.read_text(encoding="ascii").splitlines() if file.exists() else ["# A network."]
    head = [line for line in before if line.startswith("# ")]
    file.write_text("\n".join([*head, *lines, ""]), encoding="ascii")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
