#!/usr/bin/env python3
"""What Waybill takes on a real RabbitMQ, beside plain loops on rabbitmq-c.

bench_rabbitmq.py [--server 3.10|4.0|4.3] [--runs 9] [FIGURE...]

Starts a private server (scripts/live.sh), runs each figure on Waybill and on its loop in turn, so many
times each, and prints the median of both, the median of the ratios of neighbouring runs, and the
target. FIGURE is consume, publish, retry or waiting; default: all. A missed target is printed, and is
no failure: the exit code is 1 when a figure could not be measured. Where WAYBILL_TEST_WITHOUT names
the server nothing is measured, and that is said.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PROGRAM = ROOT / "build/bin/bench_rabbitmq"
ABSENT = 77
RUN_SECONDS = 300


class Failed(Exception):
    """A run that gave no figure; the text is a sentence."""


class Against:
    """One line of the table: Waybill's `value` against the loop's. `least` and `most` are of the ratio."""

    def __init__(self, name, loop, value="rate", least=None, most=None, ours="waybill"):
        self.name, self.loop, self.value, self.least, self.most = name, loop, value, least, most
        self.ours = ours

    def target(self):
        return f">= {self.least:g}" if self.least is not None else f"<= {self.most:g}"

    def met(self, ratio):
        return ratio >= self.least if self.least is not None else ratio <= self.most


class Pair:
    """Runs that alternate, by name their arguments, and the lines that they fill."""

    def __init__(self, name, runs, lines):
        self.name, self.runs, self.lines = name, runs, lines


def options(case, count, *more):
    return ["--case", case, "--n", str(count), *more]


# The loop that waits for each confirmation, and the cycle one at a time, do so few a second that they
# have fewer to do.
FIGURES = {
    "consume": [Pair("consume + ack, 100 B, prefetch 200", {
        "waybill": options("consume.waybill", 60_000),
        "loop": options("consume.loop", 60_000),
    }, [Against("consume + ack: messages/s", "loop", least=0.97),
        Against("consume + ack: client CPU, us/message", "loop", "cpu_us", most=1.0)])],
    "publish": [Pair(f"publish confirmed, 100 B, {kind}", {
        "waybill": options("publish.waybill", many, *more),
        "each": options("publish.each", few, *more),
        "window": options("publish.window", many, *more),
    }, [Against(f"publish, {kind}: messages/s, against each awaited", "each", least=least),
        Against(f"publish, {kind}: messages/s, against a window of 1,000", "window", least=1.0)])
        for kind, many, few, least, more in (
            ("transient classic", 60_000, 6_000, 3, ()),
            ("durable quorum", 30_000, 600, 10, ("--quorum",)))],
    "retry": [Pair(f"retry copy, {kind}", {
        "waybill": options("retry.waybill", many, *more),
        "four": options("retry.waybill", many, "--lanes", "4", *more),
        "wide": options("retry.waybill", many, "--prefetch", "100", *more),
        "loop": options("retry.loop", few, *more),
    }, [Against(f"retry copies, {kind}: cycles/s, 1 lane, prefetch 16", "loop", least=least),
        Against(f"retry copies, {kind}: cycles/s, 4 lanes, prefetch 16", "loop", least=least,
                ours="four"),
        Against(f"retry copies, {kind}: cycles/s, 1 lane, prefetch 100", "loop", least=least,
                ours="wide")])
        for kind, many, few, least, more in (
            ("transient classic", 15_000, 5_000, 2.5, ()),
            ("durable quorum", 5_000, 500, 6, ("--quorum",)))],
}
WAITING = 100_000


class Progress:
    """What runs now: one line that is redrawn, or in a log a line a pair."""

    def __init__(self):
        self.live = sys.stderr.isatty()

    def at(self, what, run, runs):
        if self.live:
            print(f"\r\033[K{what}: run {run} of {runs}", end="", file=sys.stderr, flush=True)
        elif run == 1:
            print(f"{what}: {runs} runs of each", file=sys.stderr, flush=True)

    def done(self):
        if self.live:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def run(arguments, seconds=RUN_SECONDS):
    """The figures that one run prints, by name."""
    what = "bench_rabbitmq " + " ".join(arguments)
    try:
        done = subprocess.run([str(PROGRAM), *arguments], stdout=subprocess.PIPE, text=True,
                              stdin=subprocess.DEVNULL, timeout=seconds, check=False)
    except subprocess.TimeoutExpired as late:
        raise Failed(f"{what} did not end in {seconds} s.") from late
    if done.returncode:
        raise Failed(f"{what} ended with {done.returncode}; its words are above.")
    return {name: float(value) for name, value in
            (line.split() for line in done.stdout.splitlines())}


def number(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:,.2f}"


def head():
    print(f"{'figure':64} {'waybill':>9} {'loop':>9} {'ratio':>7} {'target':>9}", flush=True)


def measure(pair, runs, progress):
    seen = {name: [] for name in pair.runs}
    for at in range(runs):
        progress.at(pair.name, at + 1, runs)
        for name, arguments in pair.runs.items():
            seen[name].append(run(arguments))
    progress.done()
    for line in pair.lines:
        ours = [each[line.value] for each in seen[line.ours]]
        loop = [each[line.value] for each in seen[line.loop]]
        ratio = statistics.median(a / b for a, b in zip(ours, loop))
        print(f"{line.name:64} {number(statistics.median(ours)):>9} "
              f"{number(statistics.median(loop)):>9} {ratio:>7.2f} {line.target():>9}"
              f"  {'met' if line.met(ratio) else 'MISSED'}", flush=True)


def waiting_queues():
    """How many the server has; they outlive the run by more than ten minutes."""
    listed = subprocess.run([os.environ["WAYBILL_RABBITMQ_CTL"], "-q", "list_queues", "-p", "/", "name"],
                            capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    if listed.returncode:
        raise Failed(f"The server does not list its queues: {listed.stderr.strip()}")
    return sum(line.startswith("waybill.wait.") for line in listed.stdout.splitlines())


def wait_for_many():
    print(f"{WAITING:,} messages wait in 20 delays of 60 to 79 s; this takes two to three minutes.",
          file=sys.stderr, flush=True)
    seen = run(options("waiting.waybill", WAITING), 2 * RUN_SECONDS)
    print(f"\n{WAITING:,} messages in 20 different delays, of a classic queue; all had begun to wait after "
          f"{seen['begun_in_s']:.1f} s")
    queues = waiting_queues()
    print(f"  waiting queues on the server: {queues}, of 20: {'met' if queues == 20 else 'MISSED'}")
    # The server counts whole milliseconds: by a finer clock a wait may lack a part of one.
    met = seen["earliest_ms"] >= -1 and seen["latest_ms"] <= 1000
    print(f"  ms late: earliest {seen['earliest_ms']:.0f}, median {seen['p50_ms']:.0f}, 99 % "
          f"{seen['p99_ms']:.0f}, latest {seen['latest_ms']:.0f}; none early by a millisecond or more, all within 1,000: "
          f"{'met' if met else 'MISSED'}", flush=True)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--server", default="3.10", help="3.10 (the default), 4.0 or 4.3")
    parser.add_argument("--runs", type=int, default=9, help="of each, in turn (default 9)")
    parser.add_argument("figure", nargs="*", help="consume, publish, retry, waiting; default: all")
    given = parser.parse_args()
    given.figure = given.figure or [*FIGURES, "waiting"]
    unknown = [each for each in given.figure if each not in FIGURES and each != "waiting"]
    if unknown:
        parser.error(f"There is no figure {', '.join(unknown)}.")
    if given.runs < 1:
        parser.error("--runs is at least 1.")
    if not PROGRAM.exists():
        parser.error("build/bin/bench_rabbitmq is not built: run make bench.")
    return given


def with_server(given):
    """Runs this script again, inside of a private server's life."""
    status = subprocess.call([str(ROOT / "scripts/live.sh"), "run", given.server, "--",
                              sys.executable, *sys.argv],
                             env={**os.environ, "WAYBILL_BENCH_SERVER": given.server})
    return 0 if status == ABSENT else status  # what is absent has been said


def load():
    return f"{os.getloadavg()[0]:.1f} on {os.cpu_count()} processors"


def main():
    given = arguments()
    if os.environ.get("WAYBILL_BENCH_SERVER") != given.server:
        return with_server(given)
    print(f"Load at the beginning: {load()}. Medians of {given.runs} alternating runs.\n")
    progress = Progress()
    try:
        if given.figure != ["waiting"]:
            head()
        for name in given.figure:
            for pair in FIGURES.get(name, []):
                measure(pair, given.runs, progress)
        if "waiting" in given.figure:
            wait_for_many()
    except Failed as problem:
        progress.done()
        print(problem, file=sys.stderr)
        return 1
    print(f"\nLoad at the end: {load()}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
