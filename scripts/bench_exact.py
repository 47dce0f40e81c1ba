#!/usr/bin/env python3
"""Instructions and allocations per message, against their targets: one JSON object a line.

bench_exact.py [CASE...]

How bench_exact_run and this script talk:
  bench_exact_run --case NAME --n N   handles N messages of that case. It warms up first with a round
                                      of the same length, calls CALLGRIND_START_INSTRUMENTATION and
                                      CALLGRIND_STOP_INSTRUMENTATION (valgrind/callgrind.h) round the
                                      measured section, and prints `allocations COUNT` for it.
  bench_exact_run --kernel            prints the name of the kernel simdjson takes.
Each case runs with N and with 2N messages under callgrind; the difference divided by N is the figure,
so what a section costs once is no part of it. The exit code is 1 when a figure misses its target.
"""
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

ROOT = pathlib.Path(__file__).resolve().parents[1]
RUN = ROOT / "build/bin/bench_exact_run"
MESSAGES = 10_000
COMPILE_SECONDS = 5.0

# Those that bench/messages.hpp lists.
CODECS = ("json", "cbor", "msgpack")

# case: instructions per message, allocations per message; None is printed without a target, and the
# name of another case stands for that case's figure.
TARGETS = {
    "memory.publish": (250, 0),
    "memory.raw": (250, 0),
    "memory.json_28": (1250, 0),
    "memory.json_1k": (13500, 0),
    "memory.json_1k_two_fields": (8000, 0),
    "memory.retry": (2500, 0),
    "memory.json_28_lane": (None, None),
}
for codec in CODECS:
    for size in ("28", "1k"):
        TARGETS[f"codec.{codec}_encode_{size}"] = (None, None)
        TARGETS[f"codec.{codec}_decode_{size}"] = (
            None if codec == "json" else f"codec.json_decode_{size}", None)


class Failed(Exception):
    """A run that gave no figure; the text is a sentence."""


def run(command, what):
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          cwd=ROOT, check=False)
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-5:]
        raise Failed(f"{what} ended with {done.returncode}: " + " | ".join(last))
    return done.stdout


def measure(case, messages):
    """Instructions and allocations of one run's measured section."""
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder) / "callgrind"
        said = run(["valgrind", "--tool=callgrind", "--instr-atstart=no", "--quiet",
                    f"--callgrind-out-file={output}", str(RUN), "--case", case, "--n", str(messages)],
                   f"The case {case} with {messages} messages")
        # A section may be left in several parts; each has a total of its own.
        instructions = sum(int(total) for part in output.parent.glob("callgrind*")
                           for total in re.findall(r"^totals: (\d+)", part.read_text(), re.M))
    allocations = re.search(r"^allocations (\d+)$", said, re.M)
    if not allocations:
        raise Failed(f"The case {case} does not print `allocations COUNT`.")
    if not instructions:
        raise Failed(f"The case {case} does not switch callgrind's instrumentation on.")
    return instructions, int(allocations[1])


def report(figure, value, target, unit, ok=None):
    if ok is None:
        ok = target is None or (value is not None and value <= target)
    print(json.dumps({"figure": figure, "value": value, "target": target, "unit": unit, "ok": ok}),
          flush=True)
    return ok


@functools.cache
def figures(case):
    """Instructions and allocations per message, or None for both when there is no figure."""
    try:
        short, long = measure(case, MESSAGES), measure(case, 2 * MESSAGES)
    except Failed as problem:
        print(problem, file=sys.stderr)
        return None, None
    return tuple(round((long[index] - short[index]) / MESSAGES, digits)
                 for index, digits in enumerate((1, 4)))


def report_case(case):
    ok = True
    for index, kind in enumerate(("instructions", "allocations")):
        value, target = figures(case)[index], TARGETS[case][index]
        met = None if value is not None else False
        if isinstance(target, str):
            target = figures(target)[index]
            met = value is not None and target is not None and value <= target
        ok &= report(f"{case}.{kind}", value, target, f"{kind}/message", met)
    return ok


def kernel():
    try:
        native = run([str(RUN), "--kernel"], "bench_exact_run --kernel").split()[-1]
        measured = run(["valgrind", "--tool=none", "--quiet", str(RUN), "--kernel"],
                       "bench_exact_run --kernel under valgrind").split()[-1]
    except (Failed, IndexError) as problem:
        print(f"simdjson's kernel is not known: {problem}", file=sys.stderr)
        return report("simdjson.kernel", None, None, "kernel", False)
    return report("simdjson.kernel", measured, None,
                  f"kernel under callgrind; without it: {native}", True)


def compile_seconds():
    """Processor time to compile an example service, without the compiler cache, at best of two."""
    commands = {entry["file"]: entry for entry in
                json.loads((ROOT / "build/compile_commands.json").read_text(encoding="utf-8"))}
    example = str(ROOT / "examples/hello/main.cpp")
    if example not in commands:
        print("There is no examples/hello/main.cpp to compile.", file=sys.stderr)
        return report("example.compile_seconds", None, COMPILE_SECONDS, "s", False)
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
                return report("example.compile_seconds", None, COMPILE_SECONDS, "s", False)
            spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return report("example.compile_seconds", round(min(spent), 2), COMPILE_SECONDS, "s")


def main():
    cases = sys.argv[1:] or list(TARGETS)
    unknown = [case for case in cases if case not in TARGETS]
    if unknown:
        print(f"There is no case {', '.join(unknown)}. The cases are: {', '.join(TARGETS)}.",
              file=sys.stderr)
        return 2
    if not RUN.exists():
        print("build/bin/bench_exact_run is not built: run make bench-exact.", file=sys.stderr)
        return 2
    ok = True
    for case in cases:
        ok &= report_case(case)
    if not sys.argv[1:]:
        ok &= kernel()
        ok &= compile_seconds()
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
