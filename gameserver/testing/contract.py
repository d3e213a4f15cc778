"""The errors of a contract kit: the plug-in, the steps before, the fault, and how to mend it."""

from collections.abc import Callable
from typing import Any, NoReturn, ParamSpec, TypeVar

from attrs import define, field

P = ParamSpec("P")
R = TypeVar("R")


class ContractError(AssertionError):
    """A game does not keep the contract of `gameserver.game`, or a protocol that of `gameserver.protocol`.

    `plugin` is its name, `steps` are the moves and draws, or the messages, that led there, `problem` is
    one sentence on what is wrong and how to mend it.
    """

    def __init__(self, plugin: str, steps: tuple[str, ...], problem: str) -> None:
        where = f"after {' '.join(steps)}" if steps else "at the start"
        super().__init__(f"{plugin}, {where}: {problem}")
        self.plugin = plugin
        self.steps = steps
        self.problem = problem


@define
class Trail:
    """The moves or messages so far in a contract kit, for the text of an error."""

    plugin: str
    steps: list[str] = field(factory=list)

    def error(self, problem: str) -> ContractError:
        """The contract error that tells a problem, to be raised from the exception that showed it."""
        return ContractError(self.plugin, tuple(self.steps), problem)

    def fail(self, problem: str) -> NoReturn:
        """Report that a plug-in breaks its contract."""
        raise self.error(problem)

    def require(self, holds: object, problem: str) -> None:
        """Report that a plug-in breaks its contract, unless something holds."""
        if not holds:
            self.fail(problem)

    def ask(self, question: str, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Ask a plug-in what its contract makes it answer always."""
        try:
            return function(*args, **kwargs)
        except Exception as error:
            raise self.error(f"{question} raised {describe(error)}; it must answer in every position") from error


def describe(error: Exception) -> str:
    """Describes an exception in a few words, for a contract kit's error in testing a plug-in."""
    return f"{type(error).__name__} ({error})" if str(error) else type(error).__name__


def is_line(text: Any) -> bool:
    """True if a plug-in's text is one line, as its contract asks: no line ends or other control characters."""
    return isinstance(text, str) and text.isprintable()


def is_quotable(text: Any) -> bool:
    """True if a plug-in's line has no double quotes, as its contract asks; the text protocol cannot escape one."""
    return is_line(text) and '"' not in text


def is_frozen(value: object) -> bool:
    """True if a plug-in keeps the contract that no attribute of this value of its can be set."""
    names = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]
    names.extend(getattr(value, "__dict__", ()))
    public = [name for name in names if not name.startswith("__") and hasattr(value, name)]
    return not any(_can_be_set(value, name) for name in public or ["anything"])


def _can_be_set(value: object, name: str) -> bool:
    try:
        setattr(value, name, getattr(value, name, None))
    except (AttributeError, TypeError):
        return False
    return True
