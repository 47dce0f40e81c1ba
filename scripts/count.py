#!/usr/bin/env python3
"""Counts tests in the JUnit files that ctest writes.

count.py [--say NAME] [--stage NAME=STATUS]... FILE...

A test file that doctest ran counts with its test cases, any other entry counts as one. A stage that
ended with a status other than 0 while its file NAME.xml (or, without one, any file) shows no failure
did not build, or ended before its tests: that counts as one failure. The last line is `N passed, N failed, N skipped`, and the
exit code is 1 when something failed or nothing passed.
"""
import argparse
import pathlib
import re
import sys
import xml.etree.ElementTree as xml

CASES = re.compile(r"test cases:\s*(\d+) \|\s*(\d+) passed \|\s*(\d+) failed \|\s*(\d+) skipped")


def count_entry(entry):
    """Passed, failed and skipped in one <testcase>."""
    failed = entry.find("failure") is not None or entry.get("status") == "fail"
    if entry.find("skipped") is not None or entry.get("status") in ("notrun", "disabled"):
        return 0, 0, 1
    cases = CASES.findall(re.sub(r"\x1b\[[0-9;]*m", "", entry.findtext("system-out") or ""))
    if not cases:
        return (0, 1, 0) if failed else (1, 0, 0)
    # doctest counts as skipped what its filters leave out, which is every other file's tests.
    passed = sum(int(case[1]) for case in cases)
    broken = sum(int(case[2]) for case in cases)
    return passed, max(broken, 1) if failed else broken, 0


def count_file(path):
    try:
        entries = xml.parse(path).getroot().iter("testcase")
    except (OSError, xml.ParseError):
        return 0, 0, 0
    counts = [count_entry(entry) for entry in entries]
    return tuple(sum(column) for column in zip(*counts)) if counts else (0, 0, 0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--say", default="")
    parser.add_argument("--stage", action="append", default=[])
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()

    passed = failed = skipped = 0
    failures = {}
    for path in arguments.files:
        counts = count_file(path)
        failures[path.stem.split(".")[0]] = failures.get(path.stem.split(".")[0], 0) + counts[1]
        passed, failed, skipped = passed + counts[0], failed + counts[1], skipped + counts[2]
    for stage in arguments.stage:
        name, status = stage.rsplit("=", 1)
        if status != "0" and not failures.get(name, failed):
            failed += 1
    says = f"{arguments.say}: " if arguments.say else ""
    print(f"{says}{passed} passed, {failed} failed, {skipped} skipped")
    return 0 if failed == 0 and passed > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
