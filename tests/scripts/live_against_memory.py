#!/usr/bin/env python3
"""Plays scenario files on a real RabbitMQ server and on the one in memory, and compares the traces.

  live_against_memory.py WAYBILL FILE...

The server is $WAYBILL_RABBITMQ, of version $WAYBILL_RABBITMQ_VERSION, as scripts/live.sh gives them. Several
files are played at once, each player in a virtual host of its own; those that restart the server come
last, one by one. A file for another version than the server's is counted and not played. No step passes
more time than --most seconds, in memory and live. What is compared, and what may differ, stands in traces.py.

A file whose trace differs is played once more, alone, when all have been: with others beside it a server is
slower than what the file waits for. Not where the command itself said what is wrong (a message lost or
invented, a law broken), and not more than twenty files.

--named is a list of files that cannot agree, each with its reason: "FILE VERSION reason". Exit code 1,
and the first difference, for each file that differs and is not named, and for each that is and does not.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import queue
import re
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

import traces

MOST_AGAIN = 60
TIMES_ALONE = 3
UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1, "m": 60, "h": 3600, "d": 86400}


def seconds(text):
    number, unit = re.fullmatch(r"(\d+)([a-z]+)", text).groups()
    return int(number) * UNITS[unit]


def until(most, steps):
    """The steps, of which each passes no more time than `most` seconds."""
    for step in steps:
        yield {"advance": f"{round(most * 1000)}ms"} if seconds(step.get("advance", "0s")) > most else step


class Player:
    """A virtual host of the server, and who plays there."""

    def __init__(self, number, server, folder):
        self.vhost = f"{server.vhost}/{number}"
        at = urllib.parse.urlsplit(server.url_for_players)
        self.url = at._replace(path="/" + urllib.parse.quote(self.vhost, safe="")).geturl()
        self.control = folder / f"control-{number}"
        self.control.write_text(f"#!/bin/sh\n[ \"$1\" != delete ] || exec '{server.ctl}' -q delete_queue -p "
                                f"'{self.vhost}' \"$2\"\nexec '{server.control}' \"$@\"\n", encoding="utf-8")
        self.control.chmod(0o755)


class Server:
    def __init__(self, over_tls):
        self.url = os.environ["WAYBILL_RABBITMQ"]
        self.url_for_players = self.url
        if over_tls:
            ca = urllib.parse.quote(os.environ["WAYBILL_RABBITMQ_CERTIFICATES"] + "/ca.crt", safe="")
            self.url_for_players = f"{os.environ['WAYBILL_RABBITMQ_TLS']}?cacertfile={ca}"
        self.ctl = os.environ["WAYBILL_RABBITMQ_CTL"]
        self.control = os.environ["WAYBILL_RABBITMQ_CONTROL"]
        self.version = ".".join(os.environ["WAYBILL_RABBITMQ_VERSION"].split(".")[:2])
        at = urllib.parse.urlsplit(self.url)
        self.vhost = urllib.parse.unquote(at.path[1:])
        self.user = urllib.parse.unquote(at.username)

    def players(self, count, folder):
        # In one call: each takes seconds.
        everything = ", ".join(['<<".*">>'] * 3)
        words = (f'lists:foreach(fun(Number) -> Name = <<"{self.vhost}/", (integer_to_binary(Number))/binary>>, '
                 f'rabbit_vhost:add(Name, <<"tests">>), rabbit_auth_backend_internal:set_permissions('
                 f'<<"{self.user}">>, Name, {everything}, <<"tests">>) end, lists:seq(1, {count})).')
        subprocess.run([self.ctl, "-q", "eval", words], check=True, stdout=subprocess.DEVNULL, timeout=60)
        return [Player(number, self, folder) for number in range(1, count + 1)]


def play(command, at_most):
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=at_most, check=False)
    except subprocess.TimeoutExpired as late:
        said = (late.stderr or b"").decode(errors="replace").strip()
        return None, [], f"not over after {at_most:.0f} s: {said}"
    return ran.returncode, [json.loads(line) for line in ran.stdout.splitlines()], ran.stderr.strip()


def happens_until(lines):
    """When the last thing happens, in seconds."""
    return max((line["at_ms"] for line in lines[:-1]), default=0) / 1000


class Comparison:
    def __init__(self, options):
        self.options = options
        self.server = Server(options.tls)
        self.named = {}
        if options.named:
            for line in options.named.read_text(encoding="utf-8").splitlines():
                if line and not line.startswith("#"):
                    name, version, reason = line.split(maxsplit=2)
                    if version in ("any", self.server.version):
                        self.named[name] = reason
        self.seen = collections.Counter()
        self.failed = 0
        self.lock = threading.Lock()

    def in_memory(self, file, copy):
        copy.write_text(json.dumps(file), encoding="utf-8")
        return play([self.options.waybill, "simulate", str(copy)], 120)

    def of(self, path, player, folder):
        """How it was compared, or nothing when there are no two traces to compare; and what differs."""
        file = json.loads(path.read_text(encoding="utf-8"))
        file.setdefault("broker", {})["version"] = self.server.version
        file.pop("expect", None)
        copy = folder / path.name
        code, memory, said = self.in_memory(file, copy)
        whole = happens_until(memory)
        file["steps"] = list(until(self.options.most, file["steps"]))
        if code == 0:
            code, memory, said = self.in_memory(file, copy)
        is_cut = happens_until(memory) < whole
        if code not in (0, 2):
            return None, f"in memory, exit code {code}: {said}"
        live_code, live, said = play([self.options.waybill, "simulate", str(copy), "--live", player.url,
                                      "--discard", "--control", str(player.control)],
                                     180 + 2 * happens_until(memory))
        if self.options.keep:
            for name, lines in (("memory", memory), ("live", live)):
                text = "".join(json.dumps(line) + "\n" for line in lines)
                (self.options.keep / f"{path.stem}.{name}").write_text(text, encoding="utf-8")
        if live_code != code:
            reasons = [line["problem"] for line in live if line["event"] == "refused"]
            return None, f"live, exit code {live_code}, in memory {code}: {said}{'; '.join(reasons)}"
        return "cut" if is_cut else "refused" if code == 2 else "whole", traces.difference(memory, live)

    def judge(self, path, player, folder, is_last=False):
        """Whether it is to be played again."""
        begun = time.monotonic()
        kind, what = self.of(path, player, folder)
        reason = self.named.get(path.name)
        with self.lock:
            if self.options.times:
                print(f"{time.monotonic() - begun:6.1f} s  {path.name}{'  DIFFERS' if what else ''}", flush=True)
            if what and kind and reason is None and not is_last:
                self.seen["again"] += 1
                print(f"{path.name} is played again, alone, for this: {what}", flush=True)
                return True
            self.seen[kind] += 1
            if what and (reason is None or not kind):
                self.failed += 1
                print(f"{path.name}: {what}", file=sys.stderr, flush=True)
            elif what:
                self.seen["named"] += 1
                print(f"{path.name} differs, as its list says: {reason}")
            elif reason is not None:
                self.failed += 1
                print(f"{path.name} agrees, though {self.options.named} says: {reason}", file=sys.stderr)
            else:
                self.seen["alike"] += 1
        return False

    def all(self):
        begun = time.monotonic()
        files, alone = [], []
        for path in self.options.files:
            text = path.read_text(encoding="utf-8")
            version = json.loads(text).get("broker", {}).get("version", self.server.version)
            if version == self.server.version:
                (alone if '"restart_broker"' in text else files).append(path)
        other = len(self.options.files) - len(files) - len(alone)
        left_out = 0
        if self.options.without_restarts:
            left_out, alone = len(alone), []
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            idle = queue.Queue()
            for each in self.server.players(self.options.players, folder):
                idle.put(each)

            def take(path):
                player = idle.get()
                try:
                    return self.judge(path, player, folder)
                finally:
                    idle.put(player)

            again = []
            for several, count in ((files, self.options.players), (alone, 1)):
                with concurrent.futures.ThreadPoolExecutor(count) as threads:
                    again += [path for path, is_so in zip(several, threads.map(take, several)) if is_so]
            for number, path in enumerate(again):
                if number >= MOST_AGAIN:
                    print(f"{path.name} is not played again: there are too many.", file=sys.stderr)
                    self.failed += 1
                else:
                    for once_more in range(1, TIMES_ALONE + 1):
                        if not self.judge(path, idle.queue[0], folder, is_last=once_more == TIMES_ALONE):
                            break
        ran = len(files) + len(alone)
        print(f"RabbitMQ {self.server.version}: {ran} files compared in {time.monotonic() - begun:.0f} s "
              f"({self.seen['whole']} whole, {self.seen['cut']} whose steps were made shorter, "
              f"{self.seen['refused']} refused): {self.seen['alike']} alike, {self.failed} differ, "
              f"{self.seen['named']} named; {self.seen['again']} were played again; {left_out} restart the server "
              f"and were left out; {other} are for other versions.")
        return 1 if self.failed or not self.seen["alike"] else 0


def main():
    known = argparse.ArgumentParser(description=__doc__)
    known.add_argument("--most", type=float, default=30)
    known.add_argument("--players", type=int, default=16)
    known.add_argument("--without-restarts", action="store_true", help="leaves out files that restart the server")
    known.add_argument("--tls", action="store_true", help="plays over amqps")
    known.add_argument("--named", type=pathlib.Path)
    known.add_argument("--keep", type=pathlib.Path, help="a folder for the traces")
    known.add_argument("--times", action="store_true", help="how long each file took")
    known.add_argument("waybill")
    known.add_argument("files", nargs="+", type=pathlib.Path)
    return Comparison(known.parse_args()).all()


if __name__ == "__main__":
    sys.exit(main())
