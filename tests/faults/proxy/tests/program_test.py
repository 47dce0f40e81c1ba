#!/usr/bin/env python3
"""program_test.py PROGRAM: the proxy as a program obeys its command line and its standard input."""
import socket
import subprocess
import sys


def frame(kind, payload):
    return bytes([kind, 0, 1]) + len(payload).to_bytes(4, "big") + payload + b"\xce"


ACK = frame(1, bytes([0, 60, 0, 80]) + b"tag and bit")


def refuses(*arguments):
    run = subprocess.run([PROGRAM, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                         timeout=60, check=False)
    return run.returncode, run.stderr.decode()


PROGRAM = sys.argv[1]
assert refuses()[0] == 2
assert refuses("1", "--port", "x")[0] == 2
assert refuses("1", "--colour")[0] == 2
assert refuses("1", "client basic.ack 1 explode") == (1, '"explode" is no action.\n')

with socket.create_server(("127.0.0.1", 0)) as server:
    proxy = subprocess.Popen(
        [PROGRAM, str(server.getsockname()[1]), "--watch", "client basic.ack 2 before cut close"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def say(line):
        proxy.stdin.write(line + "\n")
        proxy.stdin.flush()

    word, port = proxy.stdout.readline().split()
    assert word == "port"
    client = socket.create_connection(("127.0.0.1", int(port)), 10)
    behind, _ = server.accept()
    behind.settimeout(10)
    client.sendall(ACK + ACK)
    got = b""
    while more := behind.recv(4096):
        got += more
    assert got == ACK, got
    for begins in (0, len(ACK)):
        seen = proxy.stdout.readline()
        assert seen == f"client basic.ack channel 1, {len(ACK)} bytes from {begins}\n", seen
    answers = {"seen client basic.ack": 2, "seen server frame": 0, "bytes client": 2 * len(ACK),
               "acted": 1}
    for question, answer in answers.items():
        say(question)
        assert int(proxy.stdout.readline()) == answer, question
    say("client basic.ack 1 dance")
    assert proxy.stderr.readline() == 'client basic.ack 1 dance: "dance" is no action.\n'
    say("refuse")
    say("acted")
    proxy.stdout.readline()
    assert socket.socket().connect_ex(("127.0.0.1", int(port))) != 0
    say("quit")
    assert proxy.wait(60) == 0
