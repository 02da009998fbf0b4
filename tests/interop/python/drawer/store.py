"""The engine: a database is one JSON file, and a change replaces the file.

    {"drawer": 1, "tables": {"item": {"columns": {"name": {"type": "text", "required": true}}, "rows": [...]}}, "ptah": null}

Readers need no lock, because a file is only ever replaced as a whole. Writers exclude each other by a lock on the file
`<path>.writer`. The lock of a run is another one, on `<path>.lock-<scope>`: it says nothing about single changes. The system
gives both back when a process dies.
"""

import contextlib
import copy
import fcntl
import hashlib
import json
import os
import tempfile
import threading
import time

import grpc

from drawer.contract import Failure, precondition

FORMAT = 1
PAUSE = 0.01


class Busy(Exception):
    """Another writer was there for the whole wait."""


def empty():
    """The content of a new database."""
    return {"drawer": FORMAT, "tables": {}, "ptah": None}


class File:
    """A database in a file."""

    def __init__(self, path):
        self.path = os.path.realpath(path)

    def exists(self):
        return os.path.exists(self.path)

    def name(self):
        return os.path.basename(self.path)

    def physical(self):
        """What the database is known by. A file that is replaced at each change has no number of its own but its place."""
        return "file " + self.path

    def create(self):
        if not self.exists():
            self.write(empty())

    def read(self):
        """The content. Whoever gets it may change it: it is a copy."""
        try:
            with open(self.path, encoding="utf-8") as file:
                content = json.load(file)
        except FileNotFoundError:
            return empty()
        except (OSError, ValueError) as error:
            raise Failure(grpc.StatusCode.FAILED_PRECONDITION, "the file cannot be read as a drawer") from error
        if not isinstance(content, dict) or content.get("drawer") != FORMAT:
            raise precondition("the file is not a drawer, or one of a later format")
        return content

    def write(self, content):
        """Replaces the content. On return it is on the disk; a crash before leaves the old content whole."""
        folder = os.path.dirname(self.path)
        descriptor, name = tempfile.mkstemp(prefix=".drawer-", dir=folder)
        try:
            with open(descriptor, "w", encoding="utf-8") as file:
                json.dump(content, file, indent=1, sort_keys=True)
                file.flush()
                os.fsync(file.fileno())
            os.replace(name, self.path)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(name)
            raise
        folder_descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(folder_descriptor)
        finally:
            os.close(folder_descriptor)

    def start_writing(self, wait, stopped):
        """Keeps other writers out until the result is closed. `stopped()` ends the wait early."""
        descriptor = os.open(self.path + ".writer", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        deadline = time.monotonic() + wait
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return contextlib.closing(_Held(descriptor))
            except BlockingIOError:
                if stopped() or time.monotonic() >= deadline:
                    os.close(descriptor)
                    raise Busy from None
                time.sleep(PAUSE)

    def try_lock(self, scope):
        """One attempt at the lock of a scope: what holds it, or None when another does."""
        digest = hashlib.sha256(scope.encode()).hexdigest()[:16]
        path = f"{self.path}.lock-{digest}"
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return None
        held = _Held(descriptor, path)
        # Somebody can have taken the file away in between; then another process may hold another file of this name.
        if held.holds():
            return held
        held.close()
        return None


class _Held:
    """A lock on an open file. Closing it gives the lock back."""

    def __init__(self, descriptor, path=None):
        self._descriptor, self._path = descriptor, path

    def holds(self):
        """Whether the lock is held now: the file that we locked still is the one that others would lock."""
        try:
            here, there = os.fstat(self._descriptor), os.stat(self._path)
        except OSError:
            return False
        return (here.st_dev, here.st_ino) == (there.st_dev, there.st_ino)

    def close(self):
        os.close(self._descriptor)


class Memory:
    """A scratch database: the same in memory."""

    def __init__(self, tables):
        content = empty()
        content["tables"] = tables
        self._content = content
        self._writing = threading.Lock()

    def exists(self):
        return True

    def name(self):
        return "scratch"

    def physical(self):
        return "memory"

    def read(self):
        return copy.deepcopy(self._content)

    def write(self, content):
        self._content = copy.deepcopy(content)

    def start_writing(self, wait, stopped):
        deadline = time.monotonic() + wait
        while not self._writing.acquire(timeout=PAUSE):
            if stopped() or time.monotonic() >= deadline:
                raise Busy
        return contextlib.closing(_HeldMutex(self._writing))

    def try_lock(self, scope):
        raise precondition("a scratch database belongs to one session and needs no lock")


class _HeldMutex:
    def __init__(self, mutex):
        self._mutex = mutex

    def close(self):
        self._mutex.release()
