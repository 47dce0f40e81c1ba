#!/usr/bin/env python3
"""Checks the table of public reports in tests/README.md against the files.

Each report stands in one row, each row names a test or what it waits for, each name leads to a
file, and each scenario is named on the page. Exit code 1 and a sentence for each that is not so.
"""
import pathlib
import re
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1] / "tests"
PAGE = TESTS / "README.md"
ROW = re.compile(r"^\| (B\d+) \| [^|]+ \| ([^|]+) \| ([^|]+) \|$", re.M)
WAITS_FOR = {"amqp1", "mqtt", "pulsar", "batches", "keyed order", "error rules", "sqlite"}


def problems(page):
    seen = set()
    for report, tried, waits in ROW.findall(page):
        if report in seen:
            yield f"{report} stands in two rows."
        seen.add(report)
        if tried == waits == "-":
            yield f"{report} names no test, and nothing that it waits for."
        for each in filter(lambda word: word != "-", waits.split(", ")):
            if each not in WAITS_FOR:
                yield f"{report} waits for \"{each}\", which is no transport or ability to come."
        for name in re.findall(r"`([^`]+)`", tried):
            if not any(TESTS.glob(name)):
                yield f"{report} names {name}, and there is no such file."
    lines = set(re.findall(r"^\| *(B\d+)", page, re.M))
    for report in sorted(lines - seen):
        yield f"{report} does not stand in a row of four columns."
    named = {file for name in re.findall(r"`(scenarios/[^`]+)`", page) for file in TESTS.glob(name)}
    for scenario in sorted(set(TESTS.glob("scenarios/*.json")) - named):
        yield f"{scenario.relative_to(TESTS)} is not named."


def main():
    page = PAGE.read_text(encoding="utf-8")
    found = list(problems(page))
    for each in found:
        print(f"tests/README.md: {each}", file=sys.stderr)
    if not found:
        print(f"All {len(ROW.findall(page))} reports lead somewhere.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
