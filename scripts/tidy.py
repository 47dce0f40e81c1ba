#!/usr/bin/env python3
"""Runs clang-tidy on the sources that changed since this branch left the main one.

tidy.py [--all] [FILE...]

A changed header is read through a source that includes it. Reads build/compile_commands.json, so
the tree must be configured.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
TIDY = "clang-tidy-19"
FOLDERS = ("include/", "src/", "examples/", "tests/", "bench/", "tools/")


def git(*arguments):
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.split("\n") if done.returncode == 0 else []


def changed():
    """Tracked and new files that differ from where this branch began."""
    base = None
    for main in ("origin/HEAD", "origin/main", "origin/master", "main", "master"):
        found = [line for line in git("merge-base", "HEAD", main) if line]
        if found:
            base = found[0]
            if found != [line for line in git("rev-parse", "HEAD") if line]:
                break
    names = git("diff", "--name-only", "--diff-filter=d", base or "HEAD")
    if base is None or (not any(names) and base == git("rev-parse", "HEAD")[0]):
        # On the main branch itself: what the last commit changed.
        names += git("diff", "--name-only", "--diff-filter=d", "HEAD~1")
    return names + git("ls-files", "--others", "--exclude-standard")


def compiled():
    """The sources that are compiled, with their commands in a form that clang understands."""
    entries = json.loads((ROOT / "build/compile_commands.json").read_text(encoding="utf-8"))
    for entry in entries:
        entry["command"] = re.sub(r" -fno-semantic-interposition| -fdiagnostics-color=\S+", "",
                                  entry["command"])
    return entries


class Includes:
    """Which files include which, by the text of their #include lines."""

    LINE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)

    def __init__(self, sources):
        headers = [str(path.relative_to(ROOT)) for folder in FOLDERS
                   for pattern in ("*.hpp", "*.h") for path in (ROOT / folder).rglob(pattern)]
        self.sources = set(sources)
        self.by_name = {}
        for name in [*headers, *sources]:
            text = (ROOT / name).read_text(encoding="utf-8", errors="replace")
            for included in self.LINE.findall(text):
                self.by_name.setdefault(pathlib.PurePath(included).name, []).append((included, name))

    def source_of(self, header):
        """A source that includes the header, be it through others; the nearest one, or None."""
        seen, level = {header}, [header]
        while level:
            above = sorted({name for file in level
                            for included, name in self.by_name.get(pathlib.PurePath(file).name, [])
                            if file.endswith("/" + included)} - seen)
            found = [name for name in above if name in self.sources]
            if found:
                stem = pathlib.PurePath(header).stem
                return min(found, key=lambda name: (name.startswith("build"), stem not in name, name))
            seen.update(above)
            level = above
        return None


def findings(said):
    """What clang-tidy printed, cut into one piece a finding."""
    said = re.sub(r"^(\d+ warnings?\b.*generated|Error while processing|Suppressed |Use -header-filter).*\n?",
                  "", said, flags=re.M)
    pieces = re.split(r"^(?=\S+:\d+:\d+: (?:warning|error):)", said, flags=re.M)
    return [piece.rstrip() for piece in pieces if re.match(r"\S+:\d+:\d+: ", piece)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--all", action="store_true")
    parser.add_argument("files", nargs="*")
    arguments = parser.parse_args()

    entries = compiled()
    sources = [os.path.relpath(entry["file"], ROOT) for entry in entries]
    own = [source for source in sources if source.startswith(FOLDERS)]
    names = arguments.files or (own if arguments.all else changed())
    wanted, unread = set(), []
    includes = Includes(sources)
    for name in names:
        if not name.startswith(FOLDERS) or name.startswith("tests/build/"):
            continue
        if name in own:
            wanted.add(name)
        elif name.endswith((".hpp", ".h")):
            through = includes.source_of(name)
            wanted.update([through] if through else [])
            unread += [] if through else [name]
    for name in unread:
        print(f"{name} is included by no source, so clang-tidy did not read it.")
    if not wanted:
        print("No source changed, so clang-tidy has nothing to read.")
        return 0

    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "compile_commands.json").write_text(json.dumps(entries))

        def read(source):
            done = subprocess.run([TIDY, "-p", folder, "--quiet", source], cwd=ROOT, text=True,
                                  capture_output=True, stdin=subprocess.DEVNULL, check=False)
            return source, done.returncode, done.stdout + (done.stderr if done.returncode else "")

        failed, shown = 0, set()
        jobs = int(os.environ.get("JOBS", os.cpu_count() or 1))
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            for source, status, said in pool.map(read, sorted(wanted)):
                if not status:
                    continue
                failed += 1
                # A header is read through several sources, and found fault with each time.
                pieces = findings(said) or [f"{source}: clang-tidy ended with {status}.\n{said}"]
                for piece in pieces:
                    if piece not in shown:
                        shown.add(piece)
                        print(piece.replace(str(ROOT) + "/", ""), flush=True)
    if failed:
        print(f"clang-tidy objects to {failed} of {len(wanted)} files: "
              f"{len(shown)} findings.")
        return 1
    print(f"clang-tidy has read {len(wanted)} files and objects to none.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
