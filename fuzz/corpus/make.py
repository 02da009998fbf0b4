#!/usr/bin/env python3
"""Makes the corpus of messages from the golden bytes: `fuzz/corpus/make.py`. The other targets' entries are written by hand."""

import pathlib
import re
import struct

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
GOLDEN = dict(line.split(" ", 1) for line in (ROOT / "crates/provider-wire/tests/golden/1.0.txt").read_text().splitlines())
LIB = (ROOT / "fuzz/src/lib.rs").read_text()


def golden(name):
    return bytes.fromhex(GOLDEN.get(name, "").strip())


def write(target, name, data):
    folder = HERE / target
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(data)


def piece(data):
    return struct.pack(">H", len(data)) + data


def field(number, data):
    """A field of bytes."""
    return bytes([number << 3 | 2]) + varint(len(data)) + data


def varint(number):
    out = b""
    while True:
        number, low = number >> 7, number & 0x7F
        out += bytes([low | (0x80 if number else 0)])
        if not number:
            return out


reply = LIB.split("pub fn reply")[1].split("/// Takes a piece")[0]
for number, name in enumerate(re.findall(r"read::<(\w+)>", reply)):
    write("reply", name, bytes([number]) + golden(name))

answer = LIB.split("pub fn answer")[1].split("/// The parts")[0]
for number, (asked, replied) in enumerate(re.findall(r"both::<(\w+), (\w+)>", answer)):
    write("answer", f"{asked}-{replied}", bytes([number]) + piece(golden(asked)) + golden(replied))

digest = b"sha256:" + b"0" * 64
end = field(3, bytes([8, 1]) + field(2, digest) + field(3, b"snapshot"))
objects = field(1, field(1, golden("Object")))
unread = field(2, field(1, golden("NotDescribed")))
write("stream", "reading", bytes([0]) + piece(golden("InspectRequest")) + piece(objects) + piece(unread) + piece(end))
write("stream", "rendering", bytes([1]) + piece(field(1, golden("RenderedDefinition"))))
source = field(1, b"zorp") + field(2, b"a.sql") + field(3, b"create table t (a)")
span = field(1, bytes([8, 0, 16, 18, 24, 1, 32, 1]))
table = field(1, b"table") + field(4, field(1, b"t"))
statement = span + field(2, b"create table t (a)") + field(3, field(1, table) + field(2, digest))
parts = piece(field(1, field(1, statement))) + piece(field(5, bytes([8, 1])))
write("stream", "analysis", bytes([2]) + piece(source) + parts)

kind = b"type.googleapis.com/ptah.provider.v1.Reason"
status = bytes([8, 3]) + field(3, field(1, kind) + field(2, field(1, b"the server has no such database")))
write("reason", "reason", status)
