"""What an exact figure may be: not above its target, and not above its baseline by more than 3 %.

A target that cannot be met has a note that says why; then only the baseline binds.

A figure counts instructions, allocations or bytes, so the same code gives the same figure. What else
it depends on (the kernel that simdjson takes on this processor, the compiler, the libraries) stands
in the baseline beside the figures.
"""
import json

GROWTH = 0.03
ACCEPT = "scripts/bench_exact.py --write-baseline"


class Baseline:
    """The figures of bench/baseline.json, and with what they were taken."""

    def __init__(self, figures, platform):
        self.figures = figures
        self.platform = platform

    @classmethod
    def read(cls, path):
        if not path.exists():
            return cls({}, {})
        kept = json.loads(path.read_text(encoding="utf-8"))
        return cls(kept["figures"], kept["taken_with"])

    def write(self, path):
        """One line a figure, so that a change of one is a change of one line."""
        path.write_text(json.dumps({"taken_with": self.platform,
                                    "figures": dict(sorted(self.figures.items()))}, indent=2) + "\n",
                        encoding="utf-8")

    def compares_with(self, platform):
        """Another kernel executes other instructions for the same JSON, and other string functions."""
        return self.platform.get("kernel") == platform.get("kernel")

    def differences(self, platform):
        """What else may move a figure here, in words."""
        return [f"{name} {kept} there, {platform.get(name)} here"
                for name, kept in self.platform.items() if platform.get(name) != kept]


def change(value, baseline):
    """How much of its baseline a figure has grown by: 0.03 is 3 %; None without a baseline."""
    if value is None or baseline is None:
        return None
    if baseline == 0:
        return 0.0 if value == 0 else float("inf")
    return value / baseline - 1


def misses(value, target):
    return value is not None and target is not None and value > target


def problems(figure, value, baseline, target, compares=True, differences=(), note=None):
    """Why this figure fails the check, a sentence each; none when it passes."""
    if value is None:
        return [f"{figure} could not be measured: the reason is above."]
    found = []
    if misses(value, target) and not note:
        found.append(f"{figure} is {value:,} and misses its target of {target:,}.")
    if note and target is not None and not misses(value, target):
        found.append(f"{figure} is {value:,} and meets its target of {target:,}: take its note away, so "
                     "that the target binds again.")
    case = figure.rsplit(".", 1)[0] if figure.count(".") > 1 else figure
    accept = f"`{ACCEPT} {case}`"
    if not compares:
        return found
    if baseline is None:
        found.append(f"{figure} is {value:,} and has no line in bench/baseline.json: add it with {accept}.")
    elif value > baseline * (1 + GROWTH):
        by = f"{change(value, baseline):.1%}" if baseline else f"{value:,}"
        found.append(f"{figure} grew from {baseline:,} to {value:,}, by {by}; more than {GROWTH:.0%} fails. "
                     f"If that is meant, accept it with {accept} and say why in the commit."
                     + (f" The baseline was taken with {'; '.join(differences)}." if differences else ""))
    return found
