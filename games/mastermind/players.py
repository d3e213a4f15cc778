"""Players: each can make a code, give feedback on a guess, and guess. Whether as a person or a computer is their affair."""

from collections.abc import Sequence
from typing import Protocol

from attrs import frozen

from gameserver.game import Choose
from games.mastermind.board import Board, Turn
from games.mastermind.code import Code, random_code
from games.mastermind.configuration import Configuration
from games.mastermind.engine import GameIO
from games.mastermind.feedback import Feedback, feedback_of
from games.mastermind.solver.breakers import Breaker, most_parts
