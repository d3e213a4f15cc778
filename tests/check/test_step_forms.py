"""The ways in which steps are written."""

import re

import pytest

from gameserver.check.steps import (
    FORMS,
    Aim,
    AimsAt,
    ClientGoesThroughRestart,
    ClientIsCutOff,
    ClientIsLate,
    ClientSends,
    ClientSendsNothing,
    ClientsMoveBecomes,
    ComesBack,
    ComesIn,
    Event,
    IsLate,
    LineIsLate,
    MatchesUntil,
    MatchIsCalled,
    Meets,
    Moves,
    OthersComeIn,
    PlaysAsSoonAsItMay,
    Says,
    SendsRaw,
    ServerRestarts,
    SitsDown,
    Step,
    Thinks,
    TimePasses,
    WireIs,
    read_step,
)

STEPS = {
    "ANN plays double as soon as it may": PlaysAsSoonAsItMay("ANN", "double"),
    "CLIENT comes in": ComesIn("CLIENT"),
    'ANN comes in as "ann \\"the\\" bob"': ComesIn("ANN", 'ann "the" bob'),
    'CLIENT comes in as "Zoë Ångström"': ComesIn("CLIENT", "Zoë Ångström"),
    "200 others come in": OthersComeIn(200),
    '200 others come in as "p{n} Ünï"': OthersComeIn(200, "p{n} Ünï"),
    "CLIENT meets ANN": Meets("ANN"),
    "CLIENT meets ANN, CLIENT first": Meets("ANN", "CLIENT"),
    "CLIENT meets ANN, ANN first, at Tic-tac-toe": Meets("ANN", "ANN", "Tic-tac-toe"),
    "CLIENT meets ANN, at Connect Four": Meets("ANN", "", "Connect Four"),
    "a match of CLIENT and ANN is called": MatchIsCalled("ANN"),
    "a match of CLIENT and ANN is called, CLIENT first": MatchIsCalled("ANN", "CLIENT"),
    "ANN sits down": SitsDown("ANN"),
    "ANN sits down beside CLIENT": SitsDown("ANN", "CLIENT"),
    "ANN says hello  there": Says("ANN", "hello  there"),
    "ANN sends get playerlist": SendsRaw("ANN", "get playerlist"),
    "CLIENT moves": Moves("CLIENT"),
    "ANN aims at a pass": AimsAt("ANN", Aim.SKIP),
    "ANN thinks 1.5 s": Thinks("ANN", 1.5),
    "ANN thinks 30ms": Thinks("ANN", 0.03),
    "the next YOURTURN comes 1 s late": LineIsLate("YOURTURN", 1),
    "ANN is late": IsLate("ANN"),
    "CLIENT is late": ClientIsLate(),
    'CLIENT\'s next move becomes {"move":"a7"}': ClientsMoveBecomes('{"move":"a7"}'),
    "CLIENT comes back": ComesBack("CLIENT"),
    "CLIENT is cut off": ClientIsCutOff(),
    "CLIENT is cut off for 3 s": ClientIsCutOff(3),
    "the server restarts": ServerRestarts(),
    "the server is away for 2 min": ServerRestarts(120),
    "CLIENT goes through a restart of the server": ClientGoesThroughRestart(),
    "180 s pass": TimePasses(180),
    "the wire: split every byte, delay 200ms": WireIs("split every byte, delay 200ms"),
    "the wire to client: coalesce": WireIs("coalesce", "client"),
    "the wire: clean": WireIs(""),
    "CLIENT sends ^move \\d+$": ClientSends(re.compile(r"^move \d+$")),
    "CLIENT sends nothing for 2 s": ClientSendsNothing(2),
    "up to 10 matches until CLIENT is skipped": MatchesUntil(10, "CLIENT", Event.SKIPPED),
}


@pytest.mark.parametrize("text", STEPS)
def test_step_is_read(text: str) -> None:
    assert read_step(text) == STEPS[text]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("CLIENT comes inn", "{who} comes in[ as {name}]"),
        ("CLIENT resigns", "{player} resigns"),
        ("0 moves are played", "from 1 to 10000"),
        ("CLIENT sends (", "not a regular expression"),
        ("ANN thinks 3 hours", "{player} thinks {time_s}"),
        ("ann comes in", "is not a step"),
    ],
)
def test_step_that_is_none_is_explained(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=re.escape(why)):
        read_step(text)


def test_every_step_can_be_written() -> None:
    assert {form.step.__name__ for form in FORMS} | {"Repeat"} == {step.__name__ for step in Step.__subclasses__()}
