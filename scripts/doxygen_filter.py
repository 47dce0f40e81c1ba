#!/usr/bin/env python3
"""Prepares one file for Doxygen: doxygen_filter.py FILE.

A header's first comment is the contract of the whole file: it becomes the file's description, and
that of the class which the file is called after; what that class says of its own follows. Overloads
that are there for their error texts are left out. In Markdown the links between pages keep their
anchors, and a link to what is no page of the reference (a test, a folder) becomes its text.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]


def header(text, stem):
    never = r"^( *)template <(?:(?!^\1\}\n).)*?// never compiles: says why.*?^\1\}\n"
    text = re.sub(never, lambda match: "\n" * match[0].count("\n"), text, flags=re.S | re.M)
    contract = re.match(r"(?:///.*\n)+", text)
    if not contract:
        return text
    own = rf"^((?:///.*\n)*)((?:template <[^;{{]*>\n)?(?:class|struct)(?: WAYBILL_API| \[\[.*\]\])? {stem}\b[^;]*?\{{)"

    def described(match):
        said = f"///\n{match[1]}" if match[1] else ""
        return contract[0] + said + match[2]

    rest = re.sub(own, described, text[contract.end():], count=1, flags=re.M)
    return "/// \\file\n" + contract[0] + rest


def slug(heading):
    return re.sub(r"[^\w\- ]", "", re.sub(r"[*`]", "", heading).lower()).replace(" ", "-")


def identifier(page):
    return re.sub(r"\W", "-", str(page.relative_to(ROOT).with_suffix("")).lower())


def markdown(text, page):
    me = identifier(page)

    def heading(match):
        return f"{match[1]} {match[2]} {{#{me}-{slug(match[2])}}}"

    def link(match):
        words, target = match[1], match[2]
        if re.match(r"\w+:", target) or match[0].startswith("!"):
            return match[0]
        name, _, anchor = target.partition("#")
        there = (page.parent / name).resolve() if name else page
        if there != ROOT / "README.md" and there.parent != ROOT / "docs":
            return words
        return f"[{words}](#{identifier(there)}-{anchor})" if anchor else f"[{words}](#{identifier(there)})"

    parts = re.split(r"(^```.*?^```$|^ {4}[^\n]*$)", re.sub(r"<!--.*?-->\n?", "", text, flags=re.S), flags=re.S | re.M)
    for at in range(0, len(parts), 2):
        part = re.sub(r"^(##+) (.*)$", heading, parts[at], flags=re.M)
        part = re.sub(r"^# (.*)$", rf"# \1 {{#{me}}}", part, flags=re.M)
        parts[at] = re.sub(r"!?\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]*)\)", link, part)
    return "".join(parts)


def main():
    path = pathlib.Path(sys.argv[1]).resolve()
    text = path.read_text(encoding="utf-8")
    sys.stdout.write(markdown(text, path) if path.suffix == ".md" else header(text, path.stem))


if __name__ == "__main__":
    main()
