#!/usr/bin/env python3
"""Plants faults in the settlement code, one at a time, and sees `waybill simulate --random` find each.

planted_faults.py [--runs 2000] [--seed 1] [--jobs N]

Builds the command of a copy of this tree in build/planted, first as it is, where nothing may be
found, then with each fault. Prints a table; the exit code is 1 when something is not as it must be.
A line that a fault changes and that is not there (once) any more ends the script: then the fault is
to be planted anew.
"""
import argparse
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
COPY = ROOT / "build/planted"
BUILD = COPY / "build"  # where it is in this tree, so that ccache knows the files again
LOG = COPY / "build.log"


@dataclasses.dataclass
class Fault:
    name: str
    file: str
    line: str  # as it stands, without its margin
    planted: str
    transport: str = "memory"


FAULTS = [
    Fault("cap off by one", "src/settle/plan.hpp",
          "if (declared.cap != 0 && now.attempt >= declared.cap) {",
          "if (declared.cap != 0 && now.attempt > declared.cap) {"),
    Fault("settle before the publish is confirmed", "src/settle/move.cpp",
          "if (status == publish_status::confirmed) [[likely]] {",
          "if (status != publish_status::lost) [[likely]] {"),
    Fault("count not carried", "src/settle/move.cpp",
          "const auto carried = decided.unseen ? about.attempt - 1 : about.attempt;",
          "const auto carried = decided.unseen ? about.attempt - 1 : about.past.carried;"),
    Fault("dead letter on drop", "src/settle/plan.hpp",
          "return {{}, declared.rejects_drops ? action::reject : action::accept, {}, true};",
          "return spent(declared, now, dead_reason::attempts);"),
    Fault("delay lost at stop", "src/time/memory_delay_store.cpp",
          "if (left > left.zero() && !copy->changed) copy->date(time_->wall() + left);",
          "if (left < left.zero() && !copy->changed) copy->date(time_->wall() + left);"),
    # A server's own. Nothing is lost by it: only the order of a lane is.
    Fault("given back behind the others", "src/transport/rabbitmq/server/queue.cpp",
          "insert({returned_band, next_return_++}, std::move(returned));",
          "insert({-returned_band, next_return_++}, std::move(returned));",
          "rabbitmq"),
]


def say(text):
    print(text, file=sys.stderr, flush=True)


def fail(text):
    sys.exit(f"planted_faults.py: {text}")


def copy_tree():
    """What git has here, changed or new, without touching what is there and the same already."""
    names = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others",
                            "--exclude-standard"], check=True, capture_output=True, text=True).stdout
    wanted = {name for name in names.split("\0") if name and (ROOT / name).is_file()}
    for path in [path for path in COPY.rglob("*") if path.is_file() and not path.is_relative_to(BUILD)]:
        if str(path.relative_to(COPY)) not in wanted:
            path.unlink()
    for name in wanted:
        to = COPY / name
        content = (ROOT / name).read_bytes()
        if to.is_file() and to.read_bytes() == content:
            continue
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_bytes(content)


def line_of(fault):
    """The number of the line that the fault changes."""
    lines = (ROOT / fault.file).read_text().splitlines()
    found = [number for number, line in enumerate(lines, 1) if line.strip() == fault.line]
    if len(found) != 1:
        fail(f"{fault.file} has the line of \"{fault.name}\" {len(found)} times, and must have it once:"
             f"\n  {fault.line}\nPlant this fault anew in tests/scripts/planted_faults.py.")
    return found[0]


def run(*command):
    with open(LOG, "a") as output:
        done = subprocess.run([str(word) for word in command], cwd=COPY, stdout=output, stderr=output)
    if done.returncode != 0:
        print(LOG.read_text()[-4000:], file=sys.stderr)
        fail(f"could not build the copy in {COPY}: see above")


def build(jobs):
    if not (BUILD / "build.ninja").exists():
        run("cmake", "--preset", "default", "-DWAYBILL_TESTS=OFF", "-DWAYBILL_EXAMPLES=OFF",
            "-DWAYBILL_BENCH=OFF", "-DWAYBILL_INSTALL=OFF")
    run("ninja", "-C", BUILD, "-j", jobs, "waybill_tool")


def search(seed, runs, transport):
    """After how many runs a fault was found, and what was said; or None."""
    command = BUILD / "bin/waybill"
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([command, "simulate", "--random", str(seed), "--runs", str(runs),
                               "--transport", transport],
                              cwd=folder, capture_output=True, text=True)
    if done.returncode == 0:
        return None, ""
    found = re.search(r"^(\w+) in run (\d+): (.*)$", done.stderr, re.MULTILINE)
    if done.returncode != 1 or not found:
        fail(f"the command ended with {done.returncode}:\n{done.stderr}")
    return int(found[2]) + 1, f"{found[1]}: {found[3]}"


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--runs", type=int, default=2000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--jobs", type=int, default=int(os.environ.get("JOBS", os.cpu_count())))
    how = options.parse_args()

    lines = [line_of(fault) for fault in FAULTS]
    copy_tree()
    say("Building the command as it is.")
    build(how.jobs)
    table, is_good = [], True
    for transport in sorted({fault.transport for fault in FAULTS}):
        runs, sentence = search(how.seed, how.runs, transport)
        is_good = is_good and runs is None
        table.append((f"as it is, on {transport}", "", f"nothing in {how.runs} runs" if runs is None else
                      f"run {runs}, AND MUST NOT BE: {sentence}"))
    for fault, number in zip(FAULTS, lines):
        say(f"Planting \"{fault.name}\".")
        file = COPY / fault.file
        sound = file.read_text()
        file.write_text(sound.replace(fault.line, fault.planted))
        try:
            build(how.jobs)
        finally:
            file.write_text(sound)
        runs, sentence = search(how.seed, how.runs, fault.transport)
        is_good = is_good and runs is not None
        table.append((fault.name, f"{fault.file}:{number}",
                      f"run {runs}: {sentence}" if runs else f"NOT FOUND in {how.runs} runs"))
    widths = [max(len(row[column]) for row in table) for column in range(2)]
    for name, place, found in table:
        print(f"{name:{widths[0]}}  {place:{widths[1]}}  {found}")
    if is_good:
        shutil.rmtree(COPY)  # a copy of a tree is for nobody else to find
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
