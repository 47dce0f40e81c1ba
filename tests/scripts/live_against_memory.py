#!/usr/bin/env python3
"""Plays scenario files on a real RabbitMQ server and on the one in memory, and compares the traces.

  live_against_memory.py WAYBILL FILE...

The server is $WAYBILL_RABBITMQ, of version $WAYBILL_RABBITMQ_VERSION (asked of $..._CTL by scripts/live.sh), and
$WAYBILL_RABBITMQ_CONTROL restarts it. Each trace is compared for each subscription and message: what was
delivered, answered, settled and published, in its order, without times, ids and host names. A file for
another version than the server's is not for this server; one whose events need more than --most seconds
is left out, and both are counted. Exit code 1 and the first difference of each file that differs.
"""
import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ANY_VALUE = {"waybill-id", "waybill-copy", "waybill-due", "waybill-expires-at", "waybill-dead-at",
             "waybill-dead-first-at", "waybill-dead-host"}
RESTS = 2.0  # seconds that a live run may take beside the time that its events need


def without_hash(name):
    """A waiting queue's name without the hash of its vhost and origin."""
    return name.rsplit(".", 1)[0] if name.startswith("waybill.wait.v1.") else name


def without_times(value):
    if isinstance(value, str):
        return without_hash(value)
    if isinstance(value, dict):
        return {name: None if name == "time" else without_times(each) for name, each in value.items()}
    return [without_times(each) for each in value] if isinstance(value, list) else value


def header(pair):
    name, value = pair
    if name in ANY_VALUE:
        return [name, None]
    return [name, without_times(value) if name.startswith(("x-death", "x-first-death", "x-last-death")) else value]


def what_counts(line):
    """The line without what may differ."""
    kept = {name: value for name, value in line.items() if name not in ("at_ms", "error")}
    if "headers" in kept:
        # A server gives headers back in an order of its own.
        kept["headers"] = sorted(map(header, kept["headers"]), key=json.dumps)
    if "via" in kept:
        kept["via"] = without_hash(kept["via"])
    return kept


def stories(lines):
    """By subscription or address, and message where a line names one: what happened, in order."""
    told = collections.defaultdict(list)
    sent = collections.Counter()
    for line in lines:
        if line.get("why") == "step":
            sent[repr(line.get("payload", line.get("payload_base64")))] += 1
        event = line["event"]
        payload = line.get("payload", line.get("payload_base64"))
        if event in ("delivered", "exceeded"):
            told[f"{line['subscription']}, {payload!r}"].append(what_counts(line))
        elif event == "published":
            told[f"published to {line['to']}, {payload!r}"].append(what_counts(line))
        elif event in ("outcome", "settled"):
            told[f"{event} of {line['subscription']}"].append(what_counts(line))
        elif event == "started":
            told[f"started {line['subscription']}"].append(what_counts(line))
        elif event == "ended":
            told["ended"].append(what_counts(line))
    for name, each in told.items():
        # Of several messages together: in no order.
        if name.startswith(("outcome", "settled")) or sent[name.rpartition(", ")[2]] > 1:
            each.sort(key=lambda line: json.dumps(line, sort_keys=True))
    return told


def difference(memory, live):
    here, there = stories(memory), stories(live)
    goes_on = memory[-1]["waiting"] > 0  # then it depends on how long a run is how much there is
    if goes_on:
        del here["ended"], there["ended"]
    for name in sorted(here.keys() | there.keys()):
        lengths = len(here[name]), len(there[name])
        for number in range(min(lengths) if goes_on else max(lengths)):
            one = here[name][number] if number < len(here[name]) else None
            other = there[name][number] if number < len(there[name]) else None
            if one != other:
                return (f"{name}, event {number + 1}:\n    in memory {json.dumps(one)}\n"
                        f"    live      {json.dumps(other)}")
    return None


def play(command, seconds):
    ran = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
    return ran.returncode, [json.loads(line) for line in ran.stdout.splitlines()], ran.stderr


def needs(lines):
    """Until when something happens, in seconds."""
    return max((line["at_ms"] for line in lines[:-1]), default=0) / 1000


class Comparison:
    def __init__(self, options):
        self.options = options
        self.server = os.environ["WAYBILL_RABBITMQ"]
        self.version = ".".join(os.environ["WAYBILL_RABBITMQ_VERSION"].split(".")[:2])
        self.seen = collections.Counter()

    def of(self, path, folder):
        """What differs; nothing when nothing does."""
        file = json.loads(path.read_text(encoding="utf-8"))
        if file.get("broker", {}).get("version", self.version) != self.version:
            return self.left_out("of other versions")
        if '"expiration"' in json.dumps(file["steps"]):
            # In memory they end to the millisecond; a real run takes some for each step.
            return self.left_out("with a time to live")
        faults = ("crash", "drop_connection", "fail_publishes", "restart_broker", "delete")
        if self.options.without_faults and any(name in step for step in file["steps"] for name in faults):
            return self.left_out("with faults")
        file.setdefault("broker", {})["version"] = self.version
        file.pop("expect", None)
        copy = folder / path.name
        copy.write_text(json.dumps(file), encoding="utf-8")
        code, memory, said = play([self.options.waybill, "simulate", str(copy)], 120)
        if code != 0:
            # The expectation says so, and there is no run to compare.
            return self.left_out("refused") if code == 2 else f"in memory: {said}"
        if needs(memory) > self.options.most:
            return self.left_out(f"that need more than {self.options.most} s")
        code, live, said = play([self.options.waybill, "simulate", str(copy), "--live", self.server,
                                 "--discard", "--control", os.environ["WAYBILL_RABBITMQ_CONTROL"]],
                                180 + needs(memory) * RESTS)
        if code != 0:
            reasons = [line["problem"] for line in live if line["event"] == "refused"]
            return f"live, exit code {code}: {said}{'; '.join(reasons)}"
        if '"crash"' in json.dumps(file["subscriptions"]):
            # What the lane of that handler had not settled yet comes once more: the law holds, and that is all.
            return self.left_out("killed in a handler, where the law held")
        self.seen["alike"] += 1
        return difference(memory, live)

    def left_out(self, why):
        self.seen[why] += 1

    def all(self):
        failed = 0
        with tempfile.TemporaryDirectory() as folder:
            for path in self.options.files:
                what = self.of(path, pathlib.Path(folder))
                if what:
                    failed += 1
                    print(f"{path.name}: {what}", file=sys.stderr, flush=True)
        words = ", ".join(f"{count} {why}" for why, count in sorted(self.seen.items()))
        print(f"RabbitMQ {self.version}: {len(self.options.files)} files: {words}; {failed} differ.")
        return 1 if failed or not self.seen["alike"] else 0


def main():
    known = argparse.ArgumentParser(description=__doc__)
    known.add_argument("--most", type=float, default=12)
    known.add_argument("--without-faults", action="store_true",
                       help="leaves out files in which something falls or fails: when it is noticed is "
                            "not the same on a real server each time")
    known.add_argument("waybill")
    known.add_argument("files", nargs="+", type=pathlib.Path)
    return Comparison(known.parse_args()).all()


if __name__ == "__main__":
    sys.exit(main())
