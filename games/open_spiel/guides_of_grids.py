"""Guides and rules in words of OpenSpiel's grid games, by OpenSpiel's names, for the forms of the catalogue.

`GUIDES` tell programs, and people at a prompt, how to write moves. `HOW_TO_PLAY` tells the rules to people who touch a
board. Both tell the rules as OpenSpiel plays them, which differ from those of clubs here and there.
"""

from collections.abc import Mapping

GUIDES: Mapping[str, str] = {
    "hex": """\
A move is a free cell: the letter of its column, a to k, and the number
of its row, 1 to 11. Row 1 is above, and each row lies half a cell
further right than the one above it. So f6, in the middle, touches six
cells: f5 and g5 above, e6 and g6 beside it, e7 and f7 below.

move f6            puts a stone into the middle

PLAYERTOMOVE is black (B) and begins. Black wins by a chain of stones
that joins the edge above (row 1) to the edge below (row 11), white (W)
by one from the left edge (column a) to the right edge (column k). One
of the two always comes about, so there is no draw. There is no swap
after the first move.
An illegal move loses a match between text players: a cell that is
taken, or anything but a cell.""",
    "go": """\
A move is a crossing, or pass. A crossing is the letter of its column,
a to j without i, and the number of its row, 1 to 9 from below.

move e5            puts a stone into the middle
move pass          leaves the turn to the other side

PLAYERTOMOVE is black (B) and begins, white (W) gets 7.5 points for it.
Stones of one colour that are joined along the lines are captured when
the last free crossing beside them is taken. A stone must not leave its
own group without one, unless it captures. A single stone that has just
captured one must not be captured back at once (ko). A move that makes
a position come up again otherwise is legal, and ends in a draw.
Two passes in a row end the game, and so does the 162nd move. Each side
has a point for each of its stones, and for each free crossing in an
area that it alone surrounds. All stones on the board count as alive:
capture dead ones before you pass.
An illegal move loses a match between text players: a crossing that is
taken or forbidden, or anything but a crossing and pass.""",
    "connect_four": """\
A move is the number of a column, 0 to 6 from the left. The disc falls
onto those that are in the column already. It holds six.

move 3             drops a disc into the middle column

PLAYERTOMOVE is X and begins, the other is O. Four discs of yours in a
row win: across, upright or diagonally. A full board without such a row
is a draw.
An illegal move loses a match between text players: a column that is
full, or anything but a column.""",
    "gomoku": """\
A move is a free crossing: the number of its row and of its column,
with a comma between them. Both are 0 to 14, from the top left.

move 7,7           puts a stone into the middle

PLAYERTOMOVE is black (B) and begins, the other is white (W). Five
stones of yours in a row win: across, upright or diagonally. Six or
more win as well, and nothing is forbidden to black. A full board
without a row is a draw.
An illegal move loses a match between text players: a crossing that is
taken, or anything but a crossing.""",
    "checkers": """\
A move is two cells, from and to, each a letter and a number. Row 1 is
below. PLAYERTOMOVE is white (w), has the men below and begins.

move c3d4          moves a man from c3 to d4
move c3e5          jumps from c3 over d4 to e5, and captures what is
                   on d4

A man moves one cell diagonally forward, or jumps diagonally forward
over a piece of the other side to the free cell behind it. A man that
reaches the last row becomes a king (W or B), which moves and jumps
backward, too, and no further than a man.
You have to jump if you can, with whichever piece you like. A piece
that has jumped, and can jump again, has to: each jump is a move of its
own in the same turn, and you are asked for the next one. A man that
becomes a king jumps no further in that turn.
A side without a piece, or without a move, loses. Forty moves in a row
without a capture, twenty of each side, are a draw, and so is a game of
1,000 moves.
An illegal move loses a match between text players: one that is not
possible, and any other where you have to jump.""",
    "breakthrough": """\
A move is two cells, from and to, each a letter and a number. Row 1 is
below. PLAYERTOMOVE is black (B), has the two rows above, and begins.

move d7d6          moves a piece from d7 one row down

Black moves down, white (W) up: one cell straight or diagonally
forward. Straight only a free cell can be reached, diagonally one of
the other side as well: that piece is captured. Nothing has to be
captured.
The first piece on the other side's first row wins. So does capturing
all pieces. There is no draw.
An illegal move loses a match between text players: any that is not
possible, such as one to a cell with a piece of your own.""",
    "amazons": """\
A turn is three moves, each a cell of a letter, a to j, and a number, 1
to 10 from below: which queen, where she goes, where she shoots. You
are asked for each of them.

move d1            takes the queen on d1
move d7            moves her to d7
move g7            shoots from there to g7, which is burnt then (#)

PLAYERTOMOVE is white (W) and begins, the other is black (B). Queens
move and shoot as a queen of chess moves: any number of cells across,
upright or diagonally, over free cells only. Nothing is captured. She
may shoot to the cell that she has just left, or over it.
The side that cannot move any queen when it is to move loses. There is
no draw.
An illegal move loses a match between text players: a queen that cannot
move, or a cell that cannot be reached.""",
    "lines_of_action": """\
A move is two cells, from and to, each a letter and a number. Row 1 is
below. PLAYERTOMOVE is black (B), in rows 1 and 8, and begins.

move b1b3          moves a piece by two cells: two pieces were in
                   column b

A piece moves in a straight line, across, upright or diagonally, by
exactly as many cells as there are pieces of both colours in that line
from end to end. It may leap over pieces of its own colour, not over
others. On its last cell it captures a piece of the other colour.
All pieces of a colour in one group win; pieces hang together that
touch at a side or at a corner, and a single one is a group. If a move
does that for both colours, its player wins. A side without a move
loses. A position that was there before is a draw at once, and so is a
game of 1,000 moves.
An illegal move loses a match between text players: any that is not
possible, such as one by another number of cells.""",
}

HOW_TO_PLAY: Mapping[str, str] = {
    "hex": (
        "Join your two edges by a chain of stones of your colour. Black joins the edges above and below, white those "
        "to the left and to the right: the rim of the board has the colours.\n"
        "You put down one stone in turn, on any free cell. Stones stay where they are, and each cell touches six "
        "others. Black begins.\n"
        "Whoever completes a chain wins. One of you always can, so there is no draw.\n"
        "Touch a free cell to put your stone there."
    ),
    "go": (
        "Surround more of the board than the other side. You put down one stone in turn, on a crossing of the lines, "
        "or you pass. Black begins, and white has 7.5 points for that.\n"
        "Stones of one colour that are joined along the lines are a group. A group is captured when the last free "
        "crossing beside it is taken. You must not take the last one beside your own group, unless you capture.\n"
        "A single stone that has just captured one must not be captured back at once. If a move makes any other "
        "earlier position come up again, the game is a draw.\n"
        "The game is over when both of you pass one after the other, or after 162 moves. Each of your stones is a "
        "point, and so is each free crossing in an area that you alone surround. All stones on the board count, so "
        "capture those that are dead before you pass.\n"
        "Touch a crossing to put your stone there. To pass there is a button."
    ),
    "connect_four": (
        "Four of your discs in a row win: across, upright or diagonally.\n"
        "You drop one disc in turn. It falls to the lowest free hole of its column. If the board is full and nobody "
        "has a row, it is a draw.\n"
        "Touch a column to drop a disc into it."
    ),
    "gomoku": (
        "Five of your stones in a row win: across, upright or diagonally. More than five win as well.\n"
        "You put down one stone in turn, on any free crossing. Stones stay where they are. Black begins. If the board "
        "is full and nobody has a row, it is a draw.\n"
        "Touch a free crossing to put your stone there."
    ),
    "checkers": (
        "Capture all pieces of the other side, or leave it without a move. White is below, moves up and begins.\n"
        "A man moves one cell diagonally forward. It captures by jumping diagonally forward over a piece of the other "
        "side to the free cell behind it. A man that reaches the last row is crowned: a king moves and jumps backward, "
        "too, one cell or one piece at a time.\n"
        "If you can jump, you have to. A piece that can jump again after that has to go on, unless it has just been "
        "crowned.\n"
        "Forty moves in a row without a capture, twenty of each side, are a draw.\n"
        "Touch a piece, then the cell that it goes to. Touch again for each further jump."
    ),
    "breakthrough": (
        "The first piece that reaches the other side's first row wins. Black is above, moves down and begins; white "
        "moves up.\n"
        "A piece moves one cell straight or diagonally forward. Diagonally it may capture a piece of the other side, "
        "straight it may not. Nothing has to be captured. Whoever captures everything wins, too.\n"
        "Touch a piece, then the cell that it goes to."
    ),
    "amazons": (
        "Leave the other side without a move. Each side has four queens, which move as in chess: any number of free "
        "cells across, upright or diagonally. White is below and begins.\n"
        "In each turn one queen moves, and then shoots from where she stands. The shot goes as a queen moves, and the "
        "cell that it hits is burnt: nothing can enter or cross it any more. Nothing is captured.\n"
        "The side that is to move and cannot move any queen loses.\n"
        "Touch a queen, then the cell that she goes to, then the cell that she shoots at."
    ),
    "lines_of_action": (
        "Bring all your pieces together in one group. Pieces hang together if they touch, also at a corner. Black "
        "begins.\n"
        "A piece moves in a straight line, across, upright or diagonally: by exactly as many cells as there are pieces "
        "of both colours in that whole line. It may leap over pieces of your colour, not over others. If it ends on a "
        "piece of the other colour, that is captured.\n"
        "If your move brings both colours together, you win. A side that cannot move loses. A position that was there "
        "before makes the game a draw.\n"
        "Touch a piece, then the cell that it goes to."
    ),
}
