#!/usr/bin/env python3
"""Runs the fuzzers and ends with a table: what each ran, and the input on which one failed.

fuzz.py [--seconds 60] [--jobs 2] [TARGET...]

Without targets all of build-fuzz/bin, each for so many seconds, so many at once. What they find worth
keeping stays in build-fuzz/corpus, so that a later run begins where this one ended; the inputs of
tests/fuzz/corpus are part of it. The exit code is 1 when one failed.
"""
import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILD = ROOT / "build-fuzz"
KNOWN = ROOT / "tests/fuzz/corpus"


def seed(target, folder):
    """The inputs that once failed, as the files that libFuzzer reads."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = (KNOWN / f"{target}.hex").read_text(encoding="utf-8").split("\n")
    inputs = [line for line in lines if line and not line.startswith("#")]
    for number, line in enumerate(inputs):
        (folder / f"known-{number}").write_bytes(bytes.fromhex(line))


def last_number(pattern, text):
    found = re.findall(pattern, text)
    return int(found[-1]) if found else 0


def run(target, seconds):
    folder, failures = BUILD / "corpus" / target, BUILD / "failures" / target
    seed(target, folder)
    failures.mkdir(parents=True, exist_ok=True)
    for old in failures.iterdir():
        old.unlink()
    command = [str(BUILD / "bin" / f"fuzz_{target}"), f"-max_total_time={seconds}", "-max_len=4096",
               "-timeout=10", "-print_final_stats=1",
               # At the end only: what codecs keep for the next message looks like a leak of each run.
               "-detect_leaks=0",
               f"-artifact_prefix={failures}/", str(folder)]
    if (words := ROOT / "tests/fuzz" / f"{target.split('_', maxsplit=1)[0]}.dict").exists():
        command.insert(1, f"-dict={words}")
    started = time.monotonic()
    done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, check=False)
    log = done.stderr.decode(errors="replace")
    (BUILD / f"{target}.log").write_text(log, encoding="utf-8")
    result = {"target": target, "seconds": round(time.monotonic() - started),
              "runs": last_number(r"stat::number_of_executed_units: (\d+)", log),
              "coverage": last_number(r"cov: (\d+)", log), "failed": done.returncode != 0,
              "inputs": [path.read_bytes().hex() for path in sorted(failures.iterdir())],
              "why": re.findall(r"^broken: .*|^SUMMARY: .*|.*runtime error: .*", log, re.M)[:3]}
    print(f"{target}: {'failed' if result['failed'] else 'kept its promises'} after "
          f"{result['runs']} runs", file=sys.stderr, flush=True)
    return result


def table(results):
    print(f"{'target':16}{'runs':>12}{'seconds':>9}{'coverage':>10}")
    for one in results:
        print(f"{one['target']:16}{one['runs']:12}{one['seconds']:9}{one['coverage']:10}"
              f"{'  failed' if one['failed'] else ''}")


def explain(one):
    print(f"\n{one['target']} failed; all that it said is in build-fuzz/{one['target']}.log.")
    for line in one["why"]:
        print(f"  {line}")
    for line in one["inputs"]:
        print(line)
    if one["inputs"]:
        print(f"Put this line into tests/fuzz/corpus/{one['target']}.hex, with a comment above it that "
              "says what it was: `make unit` then runs it.")


def main():
    built = sorted(path.name.removeprefix("fuzz_") for path in (BUILD / "bin").glob("fuzz_*"))
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("targets", nargs="*")
    asked = parser.parse_args()
    targets = asked.targets or built
    if unknown := [name for name in targets if name not in built]:
        sys.exit(f"There is no fuzzer called {unknown[0]}. There are: {', '.join(built)}.")
    with concurrent.futures.ThreadPoolExecutor(asked.jobs) as pool:
        results = list(pool.map(lambda target: run(target, asked.seconds), targets))
    table(results)
    failed = [one for one in results if one["failed"]]
    for one in failed:
        explain(one)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
