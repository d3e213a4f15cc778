"""A report with one scenario of every outcome and level, and with texts that try to break its forms."""

import attrs

from gameserver.check.report import CheckReport, Failure, Finding, Heard, Level, ScenarioOutcome, ScenarioResult

PASSED = ScenarioResult(
    name="key_order", title="Keys in another order", level=Level.REQUIRED, outcome=ScenarioOutcome.PASSED, took_ms=1200
)
FAILED = ScenarioResult(
    name="line_in_two_packets",
    title="A line in two packets",
    level=Level.REQUIRED,
    outcome=ScenarioOutcome.FAILED,
    findings=(Finding("It made no move within 10 s of its turn.", "3 moves are played", 14),),
    wire=(
        Heard(12_000, to_client=True, text='SVR GAME MATCH {PLAYERTOMOVE: "you"}'),
        Heard(12_500, to_client=True, text='SVR GAME YOURTURN {TURNMESSAGE: ""}'),
        Heard(10_013_000, to_client=False, text="forfeit"),
    ),
    output=("Exception in thread <main>", "\tat Bot.run(Bot.java:7)"),
    faults="split",
    failure=Failure.SILENT,
    document="Every command and every reply is a line of text that ends with a newline.",
    change="Have the program print what it reads.",
    often="Read lines, as `BufferedReader.readLine()` does, and never take what one `read()` returns for a line.",
    source="TCP is a stream of bytes",
    took_ms=10_400,
    starting_ms=400,
    file="protocols/strategic/scenarios/line_in_two_packets.scenario",
)
ADVISED = attrs.evolve(
    FAILED,
    name="names",
    title='Names with "quotes" & <b>tags</b>',
    level=Level.ADVISED,
    wire=(Heard(5, to_client=True, text="<script>alert(1)</script> ]]> \x1b[31m \x00 \ud800 ☃ 囲碁"),),
    output=("\x1b[2J\x07",),
)
NOT_REACHED = ScenarioResult(
    name="pass",
    title="The program is skipped",
    level=Level.REQUIRED,
    outcome=ScenarioOutcome.NOT_REACHED,
    findings=(Finding("The program was not skipped in 10 matches.", "up to 10 matches until CLIENT is skipped", 9),),
    took_ms=30_000,
)
NOT_PLAYABLE = attrs.evolve(NOT_REACHED, name="draw", title="A draw", outcome=ScenarioOutcome.NOT_PLAYABLE)
WARNED = attrs.evolve(
    PASSED, name="chat", level=Level.CURIOUS, warnings=("The server refused `hello`.", "The server refused `hello`.")
)


def report_of(*results: ScenarioResult) -> CheckReport:
    return CheckReport(
        command=("java", "-jar", "My Bot.jar", "{host}"),
        protocol="strategic",
        game="Reversi",
        version="1.2.3",
        seed=7,
        results=results,
    )


MIXED = report_of(PASSED, FAILED, ADVISED, NOT_REACHED, WARNED)
WELL = report_of(PASSED, attrs.evolve(PASSED, name="split", took_ms=300))
