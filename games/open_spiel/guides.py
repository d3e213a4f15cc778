"""Guides and rules in words of OpenSpiel's games, by OpenSpiel's names, for the forms of the catalogue.

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
    "chess": """\
A move is the square that a piece leaves and the square it goes to:

move e2e4          a pawn's first move, for example
move e1g1          castling: the king's own two squares
move e7e8q         a pawn becomes a queen; r rook, b bishop, n knight

8  r n b q k b n r     Capitals are white's pieces, small letters
7  p p p p p p p p     black's: king, queen, rook, bishop, pawn,
6  . . . . . . . .     and n for the knight.
5  . . . . . . . .
4  . . . . . . . .     PLAYERTOMOVE is white and begins.
3  . . . . . . . .     Checkmate wins.
2  P P P P P P P P
1  R N B Q K B N R
   a b c d e f g h

The game is drawn at once, and nobody has to claim it: at stalemate, at
the third time of the same position, after fifty moves of each side
without a capture or a pawn's move, if too few pieces are left for a
mate, and after 300 moves of each side.
An illegal move loses a match between text players: one that leaves the
king in check, or another spelling, such as Nf3, O-O, e2-e4 or e7e8.""",
    "ultimate_tic_tac_toe": """\
Nine boards of nine cells. Boards and cells are numbered alike:

0 1 2
3 4 5
6 7 8

move 4             the middle cell, or the middle board to choose it

PLAYERTOMOVE is X and begins. The cell you take says on which board
your opponent plays: after cell 2 of any board, it is board 2. At the
start, and if that board is won or full, the player first chooses a
board, by a move of its own in the same turn. TURNMESSAGE says what is
asked for: "choose a board" or "a cell of board 2".
Three cells in a row win a board, three boards in a row win the game. A
full board without a row is nobody's. When all boards are won or full
and nobody has three in a row, it is a draw.
An illegal move loses a match between text players: a cell that is
taken, a board that is won or full, or anything but a digit, 0 to 8.""",
    "dots_and_boxes": """\
A move draws a line between two dots beside each other. It is named by
its direction, and by the row and column of its left or upper dot:

move h,0,1         from the dot of row 0 and column 1 to the right
move v,2,4         from the dot of row 2 and column 4 down

   0   1   2   3   4
0  +   +---+   +   +   h,0,1 is drawn
                       rows of h are 0 to 4, columns 0 to 3
1  +   +   +   +   +
                       rows of v are 0 to 3, columns 0 to 4
2  +   +   +   +   +
                   |   v,2,4 is drawn
3  +   +   +   +   +

4  +   +   +   +   +

PLAYERTOMOVE is X and begins. The fourth line around a box makes it
yours, and you move again in the same turn, as often as you close one.
When all 40 lines are drawn, more boxes win; 8 each are a draw.
An illegal move loses a match between text players: a line that is
drawn already, or another spelling, such as h01 or P1(h,0,1).""",
    "oware": """\
A move is the house that you sow, a to f, counted from your own left:

   f  e  d  c  b  a      north's houses
   4  4  4  4  4  4
   4  4  4  4  4  4
   a  b  c  d  e  f      south's houses

move c             the third house from your left, for example

PLAYERTOMOVE is south and begins. The seeds of the house go one by one
into the houses that follow, counter-clockwise, but none back into it.
If the last one makes two or three seeds in a house of the opponent's,
you capture them; then those of the house before, if it is the
opponent's and has two or three, too, and so on. But a capture of all
the seeds that the opponent has is none: they stay.
If the opponent has no seeds, you have to play a house that gives some.
The game is over when a player has 25 seeds, when a position comes for
the second time, and when the player to move has no move. Everybody
then adds the seeds that lie on the own side; more seeds win, 24 each
are a draw. So are 1,000 moves without an end.
An illegal move loses a match between text players: an empty house, or
anything but a letter from a to f.""",
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
    "chess": (
        "Attack the king of the other colour so that no move can save it: that is checkmate, and wins. A piece is "
        "captured by moving to where it stands. White begins. While your king is attacked, its square is red, and "
        "your move has to save it.\n"
        "The king steps to any square beside it. The queen goes any way, straight or diagonally; the rook straight; "
        "the bishop diagonally; the knight two squares straight and one aside, over whatever stands between. A pawn "
        "goes one square ahead, or two from where it began, and captures one square diagonally ahead. A pawn that has "
        "just gone two squares, past one of yours, can be captured as if it had gone one.\n"
        "Castling moves the king two squares towards a rook, which jumps over it. Neither may have moved, nothing may "
        "stand between, and the king may not be attacked where it stands, passes or arrives. A pawn that reaches the "
        "far side becomes a queen, rook, bishop or knight.\n"
        "It is a draw if you cannot move though your king is not attacked, if the same position comes for the third "
        "time, after fifty moves of each side without a capture or a pawn's move, if too few pieces are left for a "
        "mate, and after 300 moves of each side.\n"
        "Touch a piece and then the square where it goes; to castle, the king. A pawn that reaches the far side needs "
        "a third touch: the piece that it becomes, below the board."
    ),
    "ultimate_tic_tac_toe": (
        "Nine small boards make up a large one. Three of your marks in a row win a small board: across, down or "
        "diagonally. Three small boards in a row win the game. X begins.\n"
        "The cell that you take says where your opponent plays next: if it is the top right cell of its board, then "
        "on the top right board. The board to play on is highlighted. If that board is won or full, the player "
        "chooses any other board, and so does X at the start.\n"
        "A board that is full without a row is nobody's. If all boards are won or full, and nobody has three in a "
        "row, the game is a draw.\n"
        "Touch a cell of the highlighted board to take it. If several boards are highlighted, touch one of them "
        "first, and then a cell of it."
    ),
    "dots_and_boxes": (
        "Draw a line between two dots beside each other, across or down. Whoever draws the fourth line around a box "
        "gets it, with a mark in it, and has to draw another line. X begins.\n"
        "It does not matter who drew the other three lines: avoid to draw the third line of a box.\n"
        "The game is over when all lines are drawn. More boxes win; the same number is a draw.\n"
        "Touch the gap between two dots to draw a line there."
    ),
    "oware": (
        "Take all the seeds of one of your houses and drop them one by one into the houses that follow, "
        "counter-clockwise, your own and your opponent's. A house with twelve or more seeds is itself left out. Your "
        "houses are the lower row. South begins.\n"
        "If your last seed makes two or three in a house of your opponent's, you capture them, and then those of the "
        "house before it, as long as that one is your opponent's and holds two or three, too. If that took everything "
        "your opponent has, you capture nothing.\n"
        "An opponent without seeds has to be given some: then only such houses can be played.\n"
        "Whoever has 25 of the 48 seeds wins. The game is also over if the same position comes again or a player "
        "cannot move; then everybody adds the seeds of the own row. 24 each are a draw.\n"
        "Touch one of your houses to sow its seeds."
    ),
}
