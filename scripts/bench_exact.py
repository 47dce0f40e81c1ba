#!/usr/bin/env python3
"""Instructions, allocations and bytes per message, against their targets and bench/baseline.json.

bench_exact.py [--json] [--write-baseline] [CASE...]

Prints a table, or with --json one object a line. The exit code is 1 when a figure misses its target
or has grown by more than 3 % over its baseline (scripts/bench_gate.py). --write-baseline takes what
is measured as the new baseline: of the cases named, else of all.

How bench_exact_run and this script talk:
  bench_exact_run --case NAME --n N   handles N messages of that case. It warms up first with a round
                                      of the same length, calls CALLGRIND_START_INSTRUMENTATION and
                                      CALLGRIND_STOP_INSTRUMENTATION (valgrind/callgrind.h) round the
                                      measured section, and prints `allocations COUNT` for it, or
                                      `bytes COUNT` where the figure is the memory that they hold.
  bench_exact_run --platform          prints what figures depend on beside the code, a word each:
                                      the kernel that simdjson takes, the compiler, the libraries.
Each case runs with N and with 2N messages under callgrind; the difference divided by N is the figure,
so what a section costs once is no part of it. Bytes are counted without callgrind.

A case of a real server runs bench_rabbitmq in the same way, with a private server of its own
(scripts/live.sh). Where WAYBILL_TEST_WITHOUT names the server, that is said and the case left out;
what cannot be had otherwise is a failure.
"""
import argparse
import functools
import json
import os
import pathlib
import re
import resource
import shlex
import subprocess
import sys
import tempfile

from bench_gate import Baseline, change, misses, problems

ROOT = pathlib.Path(__file__).resolve().parents[1]
RUN = ROOT / "build/bin/bench_exact_run"
RUN_RABBITMQ = ROOT / "build/bin/bench_rabbitmq"
RABBITMQ = "3.10"
ABSENT = 77
BASELINE = ROOT / "bench/baseline.json"
COMPILE_SECONDS = 5.0

# Those that bench/messages.hpp lists.
CODECS = ("json", "cbor", "msgpack")


class Case:
    """What is measured in one case, with the targets. None is a figure without a target, and the name
    of another case stands for that case's figure. `exact`: threads do not make it vary. `note`: why the
    instructions, or the bytes, cannot meet their target. `served`: what bench_rabbitmq calls a case that
    needs a server."""

    def __init__(self, exact=True, count=10_000, note=None, served=None, **targets):
        self.exact = exact
        self.count = count
        self.note = note
        self.served = served
        self.targets = targets

    def note_on(self, kind):
        return None if kind == "allocations" else self.note


def work(instructions=None, allocations=0, **how):
    return Case(instructions=instructions, allocations=allocations, **how)


CASES = {
    "memory.publish": work(250),
    "memory.raw": work(250),
    "memory.json_28": work(1250),
    "memory.json_1k": work(13500),
    "memory.json_1k_two_fields": work(8000),
    "memory.reply": work(1900, note=(
        "of {value} the codec takes 1,457 (937 to decode, 520 to encode) and the server's publish 157; the "
        "other 490 take the delivery and settle it (70), call the handler and stage its answer (147), and "
        "are the lane's and the executor's, of which a handler that only acks needs 130 too.")),
    "memory.retry": work(2500),
    "memory.retry_after": work(2700),
    "memory.dead_letter": work(8300, note=(
        "of {value} six JSON decodes take 5,622. The dead letter takes some 1,330 (its eleven headers 640, "
        "its id and what is known of it 200, the publish 160, the rest decides, copies and settles) and 380 "
        "to read its headers again; taking and settling six deliveries 600, their lanes and handlers "
        "nearly all the rest.")),
    "copies.dead_letter": work(10500, note=(
        "of {value} six JSON decodes take 5,622. Each of the four copies takes its publish 160, its four "
        "headers 190 to write and 240 to read and judge, 290 to decide, begin and end the move, and 180 in "
        "the lane, as a delivery that has headers. The dead letter takes some 1,330 and 380 to read.")),
    "memory.json_28_lane": work(allocations=None, exact=False),
    "rabbitmq.consume": work(3500, 4, exact=False, served="exact.waybill"),
    "rabbitmq.consume_by_plain_loop": work(allocations=None, exact=False, served="exact.loop"),
}
for delays in ("constant", "random"):
    for waiting, count in (("10k", 10_000), ("1m", 1_000_000)):
        for verb in ("arm", "expire"):
            CASES[f"timers.{verb}_{delays}_{waiting}"] = work(allocations=None, count=count)
CASES["timers.bytes_28"] = Case(count=1_000_000, bytes=128)
CASES["timers.bytes_100"] = Case(count=1_000_000, bytes=256)
CASES["copies.bytes_28"] = Case(count=1_000_000, bytes=None)
CASES["copies.bytes_100"] = Case(count=1_000_000, bytes=None)
for codec in CODECS:
    for size in ("28", "1k"):
        CASES[f"codec.{codec}_encode_{size}"] = work()
        CASES[f"codec.{codec}_decode_{size}"] = work(
            None if codec == "json" else f"codec.json_decode_{size}")


class Failed(Exception):
    """A run that gave no figure; the text is a sentence."""


class Absent(Exception):
    """The server of a case was asked to be left out; the text is the sentence that says so."""


def run(command, what):
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          cwd=ROOT, check=False)
    if done.returncode == ABSENT and command[0] == WITH_SERVER[0]:
        raise Absent(done.stdout.strip())
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-5:]
        raise Failed(f"{what} ended with {done.returncode}: " + " | ".join(last))
    return done.stdout


def said(output, word, what):
    found = re.search(rf"^{word} (\d+)$", output, re.M)
    if not found:
        raise Failed(f"{what} does not print `{word} COUNT`.")
    return int(found[1])


WITH_SERVER = (str(ROOT / "scripts/live.sh"), "run", RABBITMQ, "--")


def program_of(case):
    """What runs the case, and what comes before the command."""
    served = CASES[case].served
    return ([str(RUN_RABBITMQ), "--case", served], WITH_SERVER) if served else (
        [str(RUN), "--case", case], ())


def count_work(case, messages):
    """Instructions and allocations of one run's measured section."""
    what = f"The case {case} with {messages} messages"
    program, before = program_of(case)
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder) / "callgrind"
        printed = run([*before, "valgrind", "--tool=callgrind", "--instr-atstart=no", "--quiet",
                       f"--callgrind-out-file={output}", *program, "--n", str(messages)], what)
        # A section may be left in several parts; each has a total of its own.
        instructions = sum(int(total) for part in output.parent.glob("callgrind*")
                           for total in re.findall(r"^totals: (\d+)", part.read_text(), re.M))
    if not instructions:
        raise Failed(f"{what} does not switch callgrind's instrumentation on.")
    return instructions, said(printed, "allocations", what)


@functools.cache
def measure(case):
    """The case's figures by kind, each a message; None where there is none."""
    count = CASES[case].count
    try:
        if "bytes" in CASES[case].targets:
            what = f"The case {case}"
            held = said(run([str(RUN), "--case", case, "--n", str(count)], what), "bytes", what)
            return {"bytes": round(held / count, 1)}
        short, long = count_work(case, count), count_work(case, 2 * count)
    except Failed as problem:
        print(problem, file=sys.stderr)
        return {}
    return {"instructions": round((long[0] - short[0]) / count, 1),
            "allocations": round((long[1] - short[1]) / count, 4)}


def figures_of(case):
    """(figure, kind, value, target) for each kind of the case."""
    for kind, target in CASES[case].targets.items():
        if isinstance(target, str):
            target = measure(target).get(kind)
        name = case if kind == "bytes" else f"{case}.{kind}"
        yield name, kind, measure(case).get(kind), target


def platform():
    """What the figures depend on here. Under callgrind, where simdjson may take another kernel."""
    printed = run(["valgrind", "--tool=none", "--quiet", str(RUN), "--platform"],
                  "bench_exact_run --platform under valgrind")
    return dict(line.split(" ", 1) for line in printed.splitlines())


def compile_seconds():
    """Processor time to compile an example service, without the compiler cache, at best of two."""
    commands = {entry["file"]: entry for entry in
                json.loads((ROOT / "build/compile_commands.json").read_text(encoding="utf-8"))}
    example = str(ROOT / "examples/hello/main.cpp")
    if example not in commands:
        print("There is no examples/hello/main.cpp to compile.", file=sys.stderr)
        return None
    command = shlex.split(commands[example]["command"])
    with tempfile.TemporaryDirectory() as folder:
        command[command.index("-o") + 1] = str(pathlib.Path(folder) / "example.o")
        spent = []
        for _ in range(2):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            done = subprocess.run(command, cwd=commands[example]["directory"], check=False,
                                  env={**os.environ, "CCACHE_DISABLE": "1"})
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            if done.returncode:
                return None
            spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return round(min(spent), 2)


class Table:
    """Prints a line a figure as they come: for people."""

    def __init__(self):
        self.width = max(len(case) for case in CASES) + len(".instructions")
        print(f"{'figure':{self.width}} {'value':>11} {'baseline':>11} {'change':>8} {'target':>11}")

    def line(self, figure, kind, value, baseline, target, ok, noted=False):
        def number(given):
            if given is None:
                return "-"
            return f"{given:,.4f}" if kind == "allocations" and given else f"{given:,.10g}"
        grown = change(value, baseline)
        grown = "-" if grown is None else f"{grown:+.1%}" if baseline or not value else "new"
        print(f"{figure:{self.width}} {number(value):>11} {number(baseline):>11} {grown:>8} "
              f"{number(target):>11}{'' if ok else '  <- fails'}"
              f"{'  missed, see below' if noted and ok else ''}", flush=True)


class Lines:
    """One object a line: for programs."""

    def line(self, figure, kind, value, baseline, target, ok, noted=False):
        unit = "s" if kind == "seconds" else f"{kind}/message"
        print(json.dumps({"figure": figure, "value": value, "baseline": baseline, "target": target,
                          "unit": unit, "ok": ok, "noted": noted}), flush=True)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--json", action="store_true", help="one object a line instead of a table")
    parser.add_argument("--write-baseline", action="store_true",
                        help="take what is measured as the new baseline")
    parser.add_argument("case", nargs="*", help="default: all")
    given = parser.parse_args()
    unknown = [case for case in given.case if case not in CASES]
    if unknown:
        parser.error(f"There is no case {', '.join(unknown)}. The cases are: {', '.join(CASES)}.")
    for program in (RUN, RUN_RABBITMQ):
        if not program.exists():
            parser.error(f"build/bin/{program.name} is not built: run make bench-exact.")
    return given


def main():
    given = arguments()
    try:
        here = platform()
    except Failed as problem:
        print(problem, file=sys.stderr)
        return 1
    kept = Baseline.read(BASELINE)
    compares = kept.compares_with(here) and not given.write_baseline
    out = Lines() if given.json else Table()
    failures, notes, lower, written, seen = [], [], [], {}, set()
    for case in given.case or CASES:
        try:
            figures = list(figures_of(case))
        except Absent as skipped:
            notes.append(f"The case {case} is left out. {skipped}")
            continue
        for figure, kind, value, target in figures:
            gated = CASES[case].exact
            baseline = kept.figures.get(figure) if gated else None
            note = CASES[case].note_on(kind)
            found = problems(figure, value, baseline, target, compares and gated,
                             kept.differences(here), note)
            if note and misses(value, target):
                notes.append(f"{figure} misses its target of {target:,}: {note.format(value=f'{value:,.0f}')}")
            failures += found
            seen.add(figure)
            if gated and value is not None:
                written[figure] = value
            if compares and value is not None and baseline and value < baseline * 0.97:
                lower.append(figure)
            out.line(figure, kind, value, baseline, target, not found,
                     bool(note) and misses(value, target))
    if not given.case:
        spent = compile_seconds()
        ok = spent is not None and spent <= COMPILE_SECONDS
        out.line("example.compile_seconds", "seconds", spent, None, COMPILE_SECONDS, ok)
        if not ok:
            failures.append(f"An example takes {spent} s to compile; {COMPILE_SECONDS} s are allowed.")
        failures += [f"bench/baseline.json has a line for {figure}, which is no figure: "
                     "scripts/bench_exact.py --write-baseline removes it."
                     for figure in kept.figures if figure not in seen and not given.write_baseline]

    said_below = []
    if given.write_baseline:
        if given.case and not kept.compares_with(here) and kept.figures:
            failures.append("The baseline was taken with another kernel, so single cases cannot be "
                            "added to it: write it whole.")
        else:
            Baseline({**kept.figures, **written} if given.case else written, here).write(BASELINE)
            said_below.append("Wrote bench/baseline.json.")
    elif not compares:
        said_below.append(
            "The figures were held to their targets only: the baseline was taken with simdjson's kernel "
            f"{kept.platform.get('kernel')}, and this machine takes {here['kernel']}, which executes "
            "other instructions. On a machine like that of the baseline the check also sees growth.")
    if lower:
        said_below.append(f"Lower than the baseline by more than 3 %: {', '.join(lower)}. To hold that, "
                          "write the baseline (--write-baseline).")
    for sentence in notes + said_below + failures:
        print(sentence, file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
