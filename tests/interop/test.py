"""The other languages, end to end: `test.py BIN TOOLS`.

BIN has our programs (ptah, ptah-provider-sqlite, ptah-provider-conformance, ptah-interop), TOOLS what run.sh built: the
Python provider, and the Go plugin and host on each version of go-plugin.
"""

import fcntl
import hashlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN, TOOLS = pathlib.Path(), pathlib.Path()
GO_VERSIONS = ("1.5.2", "1.8.0")


class Case(unittest.TestCase):
    """A folder of its own, and programs run in it as a user would."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ptah-it-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def manifest(self, provider, engine, executable):
        digest = hashlib.sha256(executable.read_bytes()).hexdigest()
        self.write(
            "ptah-providers.yaml",
            f"providers:\n  - id: {provider}\n    executable: {executable}\n    sha256: {digest}\n"
            f"    engines:\n      - name: {engine}\n",
        )

    def start(self, *command, program=None, **environment):
        path = f"{BIN}:{os.environ['PATH']}"
        settings = {"PATH": path, "HOME": str(self.folder), "NO_COLOR": "1", **environment}
        pipe = subprocess.PIPE
        return subprocess.Popen(
            [str(program or BIN / "ptah"), *map(str, command)],
            cwd=self.folder,
            env=settings,
            stdin=subprocess.DEVNULL,
            stdout=pipe,
            stderr=pipe,
            text=True,
        )

    def run_program(self, program, *command, code=0, **environment):
        """What it says. A code of None stands for any."""
        started = self.start(*command, program=program, **environment)
        out, err = started.communicate(timeout=600)
        told = f"{program.name} {' '.join(map(str, command))}\nexit code {started.returncode}\n{out}\n{err}"
        if code is not None:
            self.assertEqual(started.returncode, code, told)
        return out + err

    def ptah(self, *command, code=0, **environment):
        return self.run_program(BIN / "ptah", *command, code=code, **environment)

    def passed(self, text):
        """The number in the closing line of a program that checks."""
        return int(re.search(r"^(\d+) passed, 0 failed$", text, re.MULTILINE).group(1))


class Conformance(Case):
    """Both providers keep the contract, as far as our own program can tell from outside."""

    def prove(self, executable, engine, address, create, steal):
        command = (executable, "--engine", engine, "--address", address, "--create", create, "--steal", steal)
        said = self.run_program(BIN / "ptah-provider-conformance", *command)
        passed = int(re.search(r"(\d+) passed, 0 failed, \d+ not applicable", said).group(1))
        return passed

    def test_the_python_provider_keeps_the_contract(self):
        address = f"drawer://{self.folder}/{{n}}.drawer"
        steal = "read -r address; rm -f \"${address#drawer://}\".lock-*"
        create = "CREATE TABLE {name} (id number)"
        executable = TOOLS / "ptah-provider-drawer"
        self.assertGreaterEqual(self.prove(executable, "drawer", address, create, steal), 150)

    def test_the_go_plugin_keeps_the_contract(self):
        steal = "read -r address; rm -f \"${address#shelf://}\"/.lock-*"
        for version in GO_VERSIONS:
            with self.subTest(go_plugin=version):
                address = f"shelf://{self.folder}/{version}-{{n}}"
                executable = TOOLS / f"plugin-{version}"
                self.assertGreaterEqual(self.prove(executable, "shelf", address, "MAKE {name}", steal), 100)


class Pages(Case):
    """What the providers' pages show is what happens, and what they quote is what is there.

    A block "```console interop" is a session as in `bins/ptah/tests/it/docs.rs`, "file=NAME" a file, and "from=NAME" a
    piece of the Python provider.
    """

    PAGES = sorted((ROOT / "docs" / "providers").glob("*.md"))

    def blocks(self, page):
        for match in re.finditer(r"^```(.*)\n((?:(?!```).*\n)*)```$", page.read_text(), re.MULTILINE):
            yield match.group(1), match.group(2)

    def test_what_the_pages_quote_is_in_the_provider(self):
        quoted = 0
        for page in self.PAGES:
            for kind, text in self.blocks(page):
                if " from=" in kind:
                    quoted += 1
                    source = (ROOT / "tests/interop/python/drawer" / kind.split("from=")[1]).read_text()
                    self.assertIn(text, source, f"{page.name} quotes what is not in {kind}")
        self.assertGreaterEqual(quoted, 8)

    def test_what_the_pages_show_happens(self):
        shown = 0
        for page in self.PAGES:
            with tempfile.TemporaryDirectory(prefix="ptah-it-") as name:
                folder = pathlib.Path(name)
                (folder / "ptah-provider-drawer").write_bytes((TOOLS / "ptah-provider-drawer").read_bytes())
                (folder / "ptah-provider-drawer").chmod(0o755)
                for kind, text in self.blocks(page):
                    if "file=" in kind:
                        (folder / kind.split("file=")[1]).write_text(text)
                    elif kind == "console interop":
                        for command, code, expected in self.steps(text):
                            shown += 1
                            self.follow(page, folder, command, code, expected)
        self.assertGreaterEqual(shown, 8)

    def steps(self, text):
        steps = []
        for line in text.splitlines():
            if line.startswith("$ "):
                steps.append([line[2:], 0, []])
            elif line.startswith("? ") and not steps[-1][2]:
                steps[-1][1] = int(line[2:])
            else:
                steps[-1][2].append(line)
        return steps

    def follow(self, page, folder, command, code, expected):
        settings = {"PATH": f"{BIN}:{os.environ['PATH']}", "HOME": str(folder), "NO_COLOR": "1"}
        ran = subprocess.run(
            ["sh", "-c", command], cwd=folder, env=settings, capture_output=True, text=True, timeout=120, check=False
        )
        said = ran.stdout + ran.stderr
        pattern = "".join(
            r"(?:.*\n)*" if line == "..." else re.escape(line).replace(re.escape("[..]"), ".*") + r"[ ]*\n"
            for line in expected
        )
        told = f"{page.name}: $ {command}\nexit code {ran.returncode}\n{said}"
        self.assertEqual(ran.returncode, code, told)
        self.assertRegex(said if said.endswith("\n") or not said else said + "\n", r"\A" + pattern + r"\Z", told)


def processes(marked):
    """The command lines of running processes that hold a text."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue
            if marked in line:
                found.append((int(entry.name), line))
    return found


class GoHostsOurs(Case):
    """go-plugin's own host starts our provider."""

    def test_a_go_host_makes_real_calls_to_our_provider(self):
        for version in GO_VERSIONS:
            with self.subTest(go_plugin=version), tempfile.TemporaryDirectory(prefix="ptah-it-") as sockets:
                said = self.run_program(TOOLS / f"host-{version}", "calls", BIN / "ptah-provider-sqlite", sockets)
                self.assertGreaterEqual(self.passed(said), 25)


class OursHostsGo(Case):
    """Our host starts a plugin on go-plugin."""

    def test_our_host_drives_a_go_plugin(self):
        for version in GO_VERSIONS:
            with self.subTest(go_plugin=version):
                self.manifest("example.org/shelf", "shelf", TOOLS / f"plugin-{version}")
                (self.folder / version).mkdir()
                program, target = BIN / "ptah-interop", ("ptah-providers.yaml", "shelf", f"shelf://{version}")
                said = self.run_program(program, "calls", *target, "MAKE box")
                self.assertGreaterEqual(self.passed(said), 23)

    def test_the_command_line_reads_through_a_go_plugin(self):
        for version in GO_VERSIONS:
            with self.subTest(go_plugin=version):
                self.manifest("example.org/shelf", "shelf", TOOLS / f"plugin-{version}")
                self.assertIn("can be used", self.ptah("providers", "check").split("example.org/shelf")[1])
                store = self.folder / version
                store.mkdir()
                (store / "tools").touch()
                said = self.ptah("schema", "inspect", "--db-url", f"shelf://{version}")
                self.assertIn("box tools", said)
                self.assertIn("objects: 1", said)

    def test_what_a_go_plugin_lacks_is_told_before_anything_runs(self):
        self.manifest("example.org/shelf", "shelf", TOOLS / "plugin-1.8.0")
        self.write("schema.sql", "MAKE box\n")
        said = self.ptah(
            "schema", "apply", "--db-url", "shelf://store", "--schema-file", "schema.sql", "--auto-approve", code=2
        )
        missing = "provider claims reading is not available: engine `shelf` does not offer sessions.claims"
        self.assertIn(missing, said)
        self.assertNotIn("lost", said)

    def test_a_go_plugin_that_was_changed_is_not_started(self):
        self.manifest("example.org/shelf", "shelf", TOOLS / "plugin-1.8.0")
        text = (self.folder / "ptah-providers.yaml").read_text()
        self.write("ptah-providers.yaml", re.sub(r"sha256: [0-9a-f]{8}", "sha256: 00000000", text))
        said = self.ptah("schema", "inspect", "--db-url", "shelf://store", code=2)
        self.assertIn("and the manifest says 00000000", said)


class Drawer(Case):
    """The Python provider, driven by ptah."""

    def setUp(self):
        super().setUp()
        self.manifest("example.org/drawer", "drawer", TOOLS / "ptah-provider-drawer")

    def apply(self, schema, *more, code=0, **environment):
        self.write("schema.sql", schema)
        target = ("--db-url", "drawer://shop.drawer", "--schema-file", "schema.sql", "--auto-approve")
        return self.ptah("schema", "apply", *target, *more, code=code, **environment)

    def tables(self):
        return json.loads((self.folder / "shop.drawer").read_text())["tables"]

    def insert(self, table, row):
        path = self.folder / "shop.drawer"
        content = json.loads(path.read_text())
        content["tables"][table]["rows"].append(row)
        path.write_text(json.dumps(content))

    def test_a_schema_is_applied_from_nothing_to_in_sync(self):
        said = self.apply("CREATE TABLE item (name text REQUIRED, price number);\n")
        self.assertIn("applied: shop.drawer was read again and is as it was decided", said)
        self.assertEqual(list(self.tables()["item"]["columns"]), ["name", "price"])
        again = "CREATE TABLE item (price number, name text REQUIRED);\n"
        self.assertIn("in sync", self.apply(again))
        self.assertIn("it was proven earlier", self.apply(again))
        self.assertNotIn("it was proven earlier", self.apply(again, "--fresh"))

    def test_renames_additions_and_drops_keep_the_rows(self):
        self.apply("CREATE TABLE item (name text, price number);\n")
        self.insert("item", {"name": "pen", "price": 2})
        changed = "CREATE TABLE item (\n  -- ptah:renamed from=price\n  cost number,\n  note text\n);\n"
        said = self.apply(changed, code=2)
        self.assertIn("gate.destructive", said)
        self.assertEqual(self.tables()["item"]["rows"], [{"name": "pen", "price": 2}])
        self.apply(changed, "--allow-destructive")
        self.assertEqual(self.tables()["item"]["rows"], [{"cost": 2}])

    def test_rows_that_stand_against_a_change_stop_it_before_it_begins(self):
        self.apply("CREATE TABLE item (name text);\n")
        self.insert("item", {})
        said = self.apply("CREATE TABLE item (name text REQUIRED);\n", code=2)
        self.assertIn("rows without a value stand against making the column required", said)
        self.assertFalse(self.tables()["item"]["columns"]["name"]["required"])

    def test_a_change_that_the_engine_cannot_make_is_refused_with_its_reason_and_place(self):
        self.apply("CREATE TABLE item (name text);\n")
        said = self.apply("CREATE TABLE item (\n  name number\n);\n", code=2)
        self.assertIn("a drawer does not change the type of a column", said)
        self.assertIn("schema.sql:2:3", said)

    def test_what_is_wrong_with_a_source_is_told_at_once_and_in_its_place(self):
        said = self.apply("CREATE TABLE item (name txt);\nDROP TABLE item;\n-- ptah:renamed from=a\n", code=2)
        for place in ("schema.sql:1:25", "schema.sql:2:1", "schema.sql:3:1"):
            self.assertIn(place, said)

    def test_wherever_the_provider_dies_the_next_run_settles_it(self):
        before, wanted = "CREATE TABLE item (name text);\n", "CREATE TABLE item (name text, note text);\n"
        self.apply(before)
        effects = int(re.search(r"effects: (\d+)", self.apply(wanted, PTAH_FAULT="count")).group(1))
        self.assertGreater(effects, 10)
        settled = 0
        for effect in range(1, effects):
            with self.subTest(effect=effect):
                (self.folder / "shop.drawer").unlink()
                self.apply(before)
                self.apply(wanted, code=None, PTAH_FAULT=f"{effect}:after:provider")
                half = json.loads((self.folder / "shop.drawer").read_text())
                phases = [row["phase"] for row in half["ptah"]["rows"]][3:]
                # What the file says of the run is what is in it: an outcome stands beside its work.
                self.assertEqual("note" in half["tables"]["item"]["columns"], "outcome" in phases)
                said = self.apply(wanted)
                self.assertEqual("settled" in said, "intend" in phases and "settle" not in phases, said)
                settled += "settled" in said
                self.assertIn("note", self.tables()["item"]["columns"])
        self.assertGreater(settled, 5)

    def test_a_copied_database_is_not_changed_until_a_person_says_which_it_is(self):
        self.apply("CREATE TABLE item (name text);\n")
        copied = self.folder / "copy.drawer"
        copied.write_bytes((self.folder / "shop.drawer").read_bytes())
        self.write("schema.sql", "CREATE TABLE item (name text, note text);\n")
        target = ("--db-url", "drawer://copy.drawer", "--schema-file", "schema.sql", "--auto-approve")
        before = copied.read_bytes()
        self.ptah("schema", "apply", *target, code=2)
        self.assertEqual(copied.read_bytes(), before)
        self.ptah("schema", "apply", *target, "--as-copy")
        self.assertIn("note", json.loads(copied.read_text())["tables"]["item"]["columns"])

    def test_two_runs_at_once_change_the_database_once(self):
        self.apply("CREATE TABLE item (name text);\n")
        self.write("schema.sql", "CREATE TABLE item (name text, note text);\n")
        target = ("--db-url", "drawer://shop.drawer", "--schema-file", "schema.sql", "--auto-approve")
        both = [self.start("schema", "apply", *target) for _ in range(2)]
        said = [one.communicate(timeout=600) for one in both]
        self.assertEqual([one.returncode for one in both], [0, 0], said)
        self.assertEqual(sorted("in sync" in out + err for out, err in said), [False, True], said)

    def test_our_host_drives_its_locks_and_outcomes(self):
        self.apply("CREATE TABLE item (name text);\n")
        target = ("ptah-providers.yaml", "drawer", "drawer://shop.drawer")
        said = self.run_program(BIN / "ptah-interop", "calls", *target, "CREATE TABLE box (name text)")
        self.assertGreaterEqual(self.passed(said), 23)

    def test_no_secret_of_an_address_is_told(self):
        said = self.ptah("schema", "inspect", "--db-url", "drawer:hunter2", "--engine", "drawer", code=2)
        self.assertNotIn("hunter2", said)

    def test_a_provider_never_outlives_its_host(self):
        host = self.host_in_a_transaction()
        children = [pid for pid, _ in processes("executable") if _parent(pid) == host.pid]
        self.assertEqual(len(children), 1)
        host.send_signal(signal.SIGKILL)
        host.communicate(timeout=60)
        self.until("the provider ended", lambda: _state(children[0]) in (None, "Z"))
        self.assertNotIn("note", self.tables()["item"]["columns"])
        self.assertIn("settled", self.apply("CREATE TABLE item (name text, note text);\n"))
        self.assertIn("note", self.tables()["item"]["columns"])

    def host_in_a_transaction(self):
        """A host that holds still while its transaction is open, at whichever effect of the run that is."""
        target = ("--db-url", "drawer://shop.drawer", "--schema-file", "schema.sql", "--auto-approve")
        for effect in range(6, 40):
            (self.folder / "shop.drawer").unlink(missing_ok=True)
            self.apply("CREATE TABLE item (name text);\n")
            self.write("schema.sql", "CREATE TABLE item (name text, note text);\n")
            host = self.start("schema", "apply", *target, PTAH_FAULT=f"{effect}:before:stop")
            self.addCleanup(host.kill)
            self.until("the host stopped", lambda: _state(host.pid) in ("T", "Z"))
            rows = json.loads((self.folder / "shop.drawer").read_text())["ptah"]["rows"]
            if [row["phase"] for row in rows[3:]] == ["intend"] and self.is_being_written():
                return host
            host.kill()
            host.communicate(timeout=60)
        raise AssertionError("no effect of the run lies in a transaction")

    def is_being_written(self):
        with open(self.folder / "shop.drawer.writer", "a", encoding="utf-8") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
            return False

    def until(self, what, holds):
        deadline = time.monotonic() + 60
        while not holds():
            self.assertLess(time.monotonic(), deadline, f"never happened: {what}")
            time.sleep(0.005)


def _stat(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1].split()
    except OSError:
        return None


def _state(pid):
    stat = _stat(pid)
    return stat[0] if stat else None


def _parent(pid):
    stat = _stat(pid)
    return int(stat[1]) if stat else None


if __name__ == "__main__":
    BIN, TOOLS = pathlib.Path(sys.argv.pop(1)).resolve(), pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)
