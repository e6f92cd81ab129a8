#!/usr/bin/env python3
"""Sessions of `gencc lsp` on a copy of the tutorial's description:

    session.py GENCC DESCRIPTIONS

An editor opens files, types, and sends requests. The cursor of a request is given by a text, in
which `¦` marks it. Malformed messages get an error, and the session continues."""
import json
import random
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

GENCC, DESCRIPTIONS = sys.argv[1], Path(sys.argv[2])


class Server:
    """A server, with the messages of an editor."""

    def __init__(self, folder):
        self.process = subprocess.Popen([GENCC, "lsp", "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number, self.notes, self.folder = 0, [], folder

    def send_raw(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, **message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.send_raw(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def receive(self):
        head = self.process.stdout.readline()
        assert head.startswith(b"Content-Length: "), head
        assert self.process.stdout.readline() == b"\r\n"
        return json.loads(self.process.stdout.read(int(head.split()[1])))

    def answer(self, number):
        while True:
            message = self.receive()
            if message.get("id") == number and "method" not in message:
                return message
            self.notes.append(message)

    def request(self, method, params):
        self.number += 1
        self.send(id=self.number, method=method, params=params)
        return self.answer(self.number)

    def ask(self, method, params):
        message = self.request(method, params)
        assert "error" not in message, message
        return message["result"]

    def notify(self, method, params):
        self.send(method=method, params=params)

    def diagnostics(self, uri):
        """Returns the next diagnostics that are published for a file."""
        while True:
            message = self.notes.pop(0) if self.notes else self.receive()
            if message.get("method") == "textDocument/publishDiagnostics" and message["params"]["uri"] == uri:
                return message["params"]["diagnostics"]

    def close(self):
        self.ask("shutdown", None)
        self.notify("exit", None)
        self.process.stdin.close()
        status = self.process.wait(timeout=20)
        self.process.stdout.close()
        return status


class Editor(unittest.TestCase):
    """An editor with a copy of a description."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve() / "a folder"
        shutil.copytree(DESCRIPTIONS / self.DESCRIPTION, self.folder)
        self.server = Server(self.folder)
        result = self.server.ask("initialize", {"rootUri": self.uri(""), "capabilities": {}})
        self.assertTrue(result["capabilities"]["hoverProvider"])
        self.server.notify("initialized", {})
        self.open = {}
        self.addCleanup(self.end)

    def end(self):
        if self.server.process.poll() is None:
            self.assertEqual(self.server.close(), 0)

    def uri(self, name):
        return (self.folder / name).as_uri() if name else self.folder.as_uri()

    def did_open(self, name):
        self.open[name] = (self.folder / name).read_text()
        self.server.notify("textDocument/didOpen", {"textDocument": {
            "uri": self.uri(name), "languageId": "genc", "version": 1, "text": self.open[name]}})
        return self.server.diagnostics(self.uri(name))

    def position(self, name, where):
        """Returns the position of the ¦ in a text that occurs once in a file."""
        text, plain = self.open[name], where.replace("¦", "")
        self.assertEqual(text.count(plain), 1, where)
        before = text[:text.index(plain) + where.index("¦")]
        return {"line": before.count("\n"), "character": len(before.rsplit("\n", 1)[-1])}

    def at(self, name, where):
        return {"textDocument": {"uri": self.uri(name)}, "position": self.position(name, where)}

    def type(self, name, old, new):
        """Replaces a text that occurs once, by its range, as an editor does."""
        start, end = self.position(name, "¦" + old), self.position(name, old + "¦")
        self.open[name] = self.open[name].replace(old, new)
        self.server.notify("textDocument/didChange", {
            "textDocument": {"uri": self.uri(name), "version": 2},
            "contentChanges": [{"range": {"start": start, "end": end}, "text": new}]})
        return self.server.diagnostics(self.uri(name))

    def texts(self, locations):
        """Returns the text at each location: (file, line, text)."""
        found = []
        for one in locations:
            path = next(n for n in self.folder.rglob("*") if n.as_uri() == one["uri"])
            line = path.read_text().splitlines()[one["range"]["start"]["line"]]
            found.append((path.name, line[one["range"]["start"]["character"]:one["range"]["end"]["character"]]))
        return sorted(found)

    def apply(self, edits):
        for uri, changes in edits["changes"].items():
            path = next(n for n in self.folder.iterdir() if n.as_uri() == uri)
            lines = path.read_text().split("\n")
            for e in sorted(changes, key=lambda c: (c["range"]["start"]["line"], c["range"]["start"]["character"]),
                            reverse=True):
                a, b = e["range"]["start"], e["range"]["end"]
                self.assertEqual(a["line"], b["line"])
                line = lines[a["line"]]
                lines[a["line"]] = line[:a["character"]] + e["newText"] + line[b["character"]:]
            path.write_text("\n".join(lines))

    def rename(self, name, where, new):
        return self.server.request("textDocument/rename", {**self.at(name, where), "newName": new})

    def complete(self, name, where):
        return [item["label"] for item in self.server.ask("textDocument/completion", self.at(name, where))]


class Session(Editor):
    DESCRIPTION = "tutorial"

    def test_diagnostics(self):
        self.assertEqual(self.did_open("rv64i.genc"), [])
        wrong = self.type("rv64i.genc", "write_register_bank(X, r, value)", "write_register_bank(X, r, valeu)")
        self.assertEqual([d["severity"] for d in wrong], [1])
        self.assertIn("valeu", wrong[0]["message"])
        self.assertEqual(wrong[0]["source"], "gencc")
        self.assertEqual(wrong[0]["range"]["start"], self.position("rv64i.genc", "r, ¦valeu"))
        self.assertEqual(wrong[0]["range"]["end"], self.position("rv64i.genc", "r, valeu¦"))
        self.assertEqual(self.type("rv64i.genc", "valeu", "value"), [])
        # A broken ISA file: its message appears, and disappears again.
        self.assertEqual(self.did_open("rv64i.ac"), [])
        self.assertTrue(self.type("rv64i.ac", "ac_fetchsize 32;", "ac_fetchsize 33;"))
        self.assertEqual(self.type("rv64i.ac", "ac_fetchsize 33;", "ac_fetchsize 32;"), [])

    def test_unsaved_text_counts(self):
        """A helper renamed in one buffer is missing in another, although no file changed."""
        self.did_open("rv64i.genc")
        self.type("rv64i.genc", "helper uint64 get(uint8 r)", "helper uint64 fetch(uint8 r)")
        self.assertIn("get(", (self.folder / "rv64i.genc").read_text())
        self.assertTrue(self.type("rv64i.genc", "// What they do.", "// What they do!"))

    def test_hover(self):
        self.did_open("rv64i.genc")
        hover = self.server.ask("textDocument/hover", self.at("rv64i.genc", "execute(addi) { s¦et"))
        value = hover["contents"]["value"]
        self.assertIn("helper void set(uint8 r, uint64 value)", value)
        helper = self.server.ask("textDocument/hover", self.at("rv64i.genc", "execute(addi) { set(inst.rd, ge¦t"))
        self.assertIn("Register 0 always reads as zero.", helper["contents"]["value"])
        field = self.server.ask("textDocument/hover", self.at("rv64i.genc", "execute(addi) { set(inst.r¦d"))
        self.assertIn("field, bits 11:7 of I", field["contents"]["value"])
        register = self.server.ask("textDocument/hover", self.at("rv64i.genc", "read_register_bank(¦X"))
        self.assertIn("bank X (uint64, 0, 32, 8, 1, 8, 8);", register["contents"]["value"])
        self.assertIn("register", register["contents"]["value"])
        intrinsic = self.server.ask("textDocument/hover", self.at("rv64i.genc", "mem_re¦ad_8("))
        self.assertIn("void mem_read_8(memory, word, uint8&)", intrinsic["contents"]["value"])
        self.assertIsNone(self.server.ask("textDocument/hover", self.at("rv64i.genc", "// Wh¦at they do.")))

    def test_definition(self):
        self.did_open("rv64i.genc")
        helper = self.server.ask("textDocument/definition", self.at("rv64i.genc", "execute(addi) { s¦et"))
        self.assertEqual(self.texts(helper), [("rv64i.genc", "set")])
        self.assertEqual(helper[0]["range"]["start"], self.position("rv64i.genc", "helper void ¦set"))
        instruction = self.server.ask("textDocument/definition", self.at("rv64i.genc", "execute(ad¦di)"))
        self.assertEqual(self.texts(instruction), [("rv64i.ac", "addi")])
        register = self.server.ask("textDocument/definition", self.at("rv64i.genc", "read_register_bank(¦X"))
        self.assertEqual(self.texts(register), [("rv64.ac", "X")])
        local = self.server.ask("textDocument/definition", self.at("rv64i.genc", "write_register_bank(X, r, val¦ue"))
        self.assertEqual(local[0]["range"]["start"], self.position("rv64i.genc", "helper void set(uint8 r, uint64 ¦value"))
        self.did_open("rv64i.ac")
        used = self.server.ask("textDocument/definition", self.at("rv64i.ac", 'asm "sub %¦r{rd}'))
        self.assertEqual(self.texts(used), [("rv64i.ac", "r")])

    def test_references(self):
        self.did_open("rv64i.genc")
        params = {**self.at("rv64i.genc", "helper uint64 g¦et"), "context": {"includeDeclaration": True}}
        found = self.texts(self.server.ask("textDocument/references", params))
        uses = self.open["rv64i.genc"].count("get(")
        self.assertEqual(found, [("rv64i.genc", "get")] * uses)
        params["context"]["includeDeclaration"] = False
        self.assertEqual(len(self.server.ask("textDocument/references", params)), uses - 1)

    def test_rename(self):
        """After a rename the description compiles to the same."""
        self.did_open("rv64i.genc")
        before = self.dump()
        for where, new in (("helper uint64 g¦et", "register_value"), ("execute(ad¦di)", "add_immediate"),
                           ("read_register_bank(¦X", "XREGS"), ("helper void set(uint8 ¦r", "number")):
            edits = self.rename("rv64i.genc", where, new)
            self.assertIn("result", edits, edits)
            self.apply(edits["result"])
            self.server.notify("textDocument/didClose", {"textDocument": {"uri": self.uri("rv64i.genc")}})
            self.did_open("rv64i.genc")
            self.assertIn(new, self.open["rv64i.genc"])
        self.assertIn("add_immediate", (self.folder / "rv64i.ac").read_text())
        self.assertIn("bank XREGS", (self.folder / "rv64.ac").read_text())
        renamed = {"add_immediate": "addi", "XREGS": "X"}
        after = self.dump()
        for new, old in renamed.items():
            after = after.replace(new, old)
        self.assertEqual(after, before)

    def test_rename_field(self):
        """Renames a format's field in all encodings and behaviours with that format; other fields
        of this name stay."""
        before = self.dump()
        self.did_open("rv64i.genc")
        edits = self.rename("rv64i.genc", "execute(addi) { set(inst.rd, get(inst.rs1) + inst.im¦m", "number")
        self.assertIn("result", edits, edits)
        self.apply(edits["result"])
        self.assertIn("inst.number", (self.folder / "rv64i.genc").read_text())
        self.assertIn("%d{number}", (self.folder / "rv64i.ac").read_text())
        self.assertEqual(self.dump().replace("number", "imm"), before)

    def dump(self):
        done = subprocess.run([GENCC, "dump", "--stage", "model", self.folder / "rv64.ac"], capture_output=True,
                              text=True, timeout=20)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_no_rename(self):
        self.did_open("rv64i.genc")
        for where, new, why in (("helper uint64 g¦et", "set", "taken"), ("helper uint64 g¦et", "1x", "no name"),
                                 ("execute(addi) { set(inst.r¦d", "rs1", "taken"),
                                ("// Wh¦at they", "x", "no name")):
            self.assertIn(why, self.rename("rv64i.genc", where, new)["error"]["message"])

    def test_completion(self):
        self.did_open("rv64i.genc")
        fields = self.complete("rv64i.genc", "execute(addi) { set(inst.¦rd")
        self.assertIn("rd", fields)
        self.assertIn("imm", fields)
        self.assertNotIn("set", fields)
        code = self.complete("rv64i.genc", "execute(addi) { s¦et")
        for name in ("set", "get", "X", "mem_read_64", "if", "uint64"):
            self.assertIn(name, code)
        self.assertIn("value", self.complete("rv64i.genc", "write_register_bank(X, r, v¦alue"))
        self.did_open("rv64i.ac")
        self.assertEqual(self.complete("rv64i.ac", 'asm "sub %¦r{rd}'), ["r"])
        self.assertIn("ac_instr", self.complete("rv64i.ac", "ac_fet¦chsize"))

    def test_outline_and_layout(self):
        self.did_open("rv64i.ac")
        document = {"textDocument": {"uri": self.uri("rv64i.ac")}}
        names = [s["name"] for s in self.server.ask("textDocument/documentSymbol", document)]
        for name in ("I", "addi", "sub", "r"):
            self.assertIn(name, names)
        options = {**document, "options": {"tabSize": 4, "insertSpaces": True}}
        self.assertEqual(self.server.ask("textDocument/formatting", options), [])
        self.type("rv64i.ac", "    ac_fetchsize 32;", "\tac_fetchsize 32;  ")
        edits = self.server.ask("textDocument/formatting", options)
        self.assertEqual(edits[0]["newText"], (self.folder / "rv64i.ac").read_text())

    def test_columns_are_utf16(self):
        self.did_open("rv64i.genc")
        self.type("rv64i.genc", "execute(addi) { set(", "execute(addi) { /* 𝄞 é */ set(")
        before = "execute(addi) { /* 𝄞 é */ "
        line = self.open["rv64i.genc"].split(before)[0].count("\n")
        hover = self.server.ask("textDocument/hover", {"textDocument": {"uri": self.uri("rv64i.genc")}, "position": {
            "line": line, "character": len(before.encode("utf-16-le")) // 2 + 1}})
        self.assertIn("helper void set", hover["contents"]["value"])

    def test_malformed(self):
        """Any malformed message gets an error, and the next request is served."""
        rng, server = random.Random(1), self.server
        self.did_open("rv64i.genc")
        for data in (b"Content-Length: 5\r\n\r\n{]{]{", b"Content-Length: x\r\n\r\n", b"Nonsense\r\n\r\n",
                     b"Content-Length: 99999999999\r\n\r\n", b"Content-Length: 2\r\n\r\n[]",
                     b"Content-Length: 4\r\n\r\n\xff\xfe\x00\x01"):
            server.send_raw(data)
            self.assertEqual(server.answer(None)["error"]["code"], -32700, data)
        for message in ({"id": 900, "method": "no/such"}, {"id": 901}, {"id": 902, "method": "textDocument/hover"},
                        {"id": 903, "method": "textDocument/rename", "params": {"textDocument": 7}},
                        {"id": 904, "method": "textDocument/nonsense", "params": self.at("rv64i.genc", "What ¦they")}):
            server.send(**message)
            self.assertIn("error", server.answer(message["id"]), message)
        for params in (None, [], {"textDocument": {"uri": 3}}, {"textDocument": {"uri": "http:x"}, "contentChanges": 1}):
            for method in ("didOpen", "didChange", "didClose", "didSave"):
                server.notify(f"textDocument/{method}", params)
        uri = self.uri("rv64i.genc")
        for _ in range(60):
            place = {"line": rng.choice([-5, 0, 3, 10, 10**9]), "character": rng.choice([-1, 0, 7, 10**9])}
            end = {"line": rng.choice([-5, 0, 3, 10, 10**9]), "character": rng.choice([0, 2, 10**9])}
            server.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": 3}, "contentChanges": [
                {"range": {"start": place, "end": end}, "text": rng.choice(['"', "{", "}}", "/*", "inst.", "\u0000", "é"])}]})
            for method in ("hover", "definition", "completion", "documentSymbol", "formatting"):
                server.ask(f"textDocument/{method}", {"textDocument": {"uri": uri}, "position": place})

    def test_lifecycle(self):
        other = Server(self.folder)
        self.assertEqual(other.request("textDocument/hover", {})["error"]["code"], -32002)
        other.notify("exit", None)
        other.process.stdin.close()
        self.assertEqual(other.process.wait(timeout=20), 1)
        other.process.stdout.close()
        gone = Server(self.folder)
        gone.process.stdin.close()
        self.assertEqual(gone.process.wait(timeout=20), 1)
        gone.process.stdout.close()


class Layouts(Editor):
    DESCRIPTION = "mali/layouts"

    def test_session(self):
        self.assertEqual(self.did_open("job.ac"), [])
        where = "type                  : job_ty¦pe 7"
        hover = self.server.ask("textDocument/hover", self.at("job.ac", where))
        self.assertIn("enum job_type {", hover["contents"]["value"])
        self.assertEqual(self.texts(self.server.ask("textDocument/definition", self.at("job.ac", where))),
                         [("job.ac", "job_type")])
        self.assertIn("write_value_type", self.complete("job.ac", where))
        self.assertIn("next", self.complete("job.ac", "dependency_1          : ui¦nt 16"))
        wrong = self.type("job.ac", "type                  : job_type 7", "type                  : job_tpye 7")
        self.assertIn("job_tpye", wrong[0]["message"])
        self.assertEqual(self.type("job.ac", "job_tpye 7", "job_type 7"), [])

    def test_rename(self):
        self.did_open("job.ac")
        for where, new in (("type                  : job_ty¦pe 7", "kind_of_job"), ("fault_poi¦nter         :", "place")):
            edits = self.rename("job.ac", where, new)
            self.assertIn("result", edits, edits)
            self.apply(edits["result"])
            self.server.notify("textDocument/didClose", {"textDocument": {"uri": self.uri("job.ac")}})
            self.did_open("job.ac")
        self.assertIn("enum kind_of_job {", self.open["job.ac"])
        self.assertIn("kind_of_job 7 @ 4:1", self.open["job.ac"])
        done = subprocess.run([GENCC, "layouts", "--check", self.folder / "mali.ac"], capture_output=True, text=True,
                              timeout=20)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_no_rename(self):
        self.did_open("registers.ac")
        error = self.rename("registers.ac", "const uint32 PWR_KEY_UN¦LOCK", "KEY")["error"]
        self.assertIn("not renamed", error["message"])


class Gpus(Editor):
    """A file of GPUs, which refers to names in files that it does not include."""
    DESCRIPTION = "mali"
    FILE = "variants/t760.ac"

    def hover(self, where):
        return self.server.ask("textDocument/hover", self.at(self.FILE, where))["contents"]["value"]

    def definition(self, where):
        return self.texts(self.server.ask("textDocument/definition", self.at(self.FILE, where)))

    def test_diagnostics(self):
        self.assertEqual(self.did_open(self.FILE), [])
        for old, new, message in (("like t624", "like t625", "unknown GPU \"t625\"; did you mean \"t620\"?"),
                                  ("    cores 4", "    cores 400", "\"cores\" is a number from 1 to 64"),
                                  ("register L2_FEATURES", "register L2_FEATURE",
                                   "unknown register \"L2_FEATURE\"; did you mean \"L2_FEATURES\"?")):
            wrong = self.type(self.FILE, old, new)
            self.assertEqual([one["message"] for one in wrong], [message])
            self.assertEqual(self.type(self.FILE, new, old), [])

    def test_a_change_beside_it(self):
        """An error in the GPU that another one inherits from is reported there; its consequences
        are reported here."""
        self.did_open(self.FILE)
        self.did_open("variants/t624.ac")
        self.type("variants/t624.ac", "AC_GPU(t624)", "AC_GPU(t625)")
        self.assertEqual([one["message"] for one in self.server.diagnostics(self.uri(self.FILE))],
                         ["unknown GPU \"t624\"; did you mean \"t604\"?"])

    def test_session(self):
        self.did_open(self.FILE)
        self.assertIn("AC_GPU(t624)", self.hover("like t6¦24"))
        self.assertIn("L2_FEATURES", self.hover("register L2_FEAT¦URES"))
        self.assertIn("shader cores", self.hover("    co¦res 4"))
        self.assertEqual(self.definition("like t6¦24"), [("t624.ac", "t624")])
        self.assertEqual(self.definition("register L2_FEAT¦URES"), [("registers.ac", "L2_FEATURES")])
        self.assertIn("t860", self.complete(self.FILE, "like ¦t624"))
        self.assertNotIn("cores", self.complete(self.FILE, "like ¦t624"))
        self.assertIn("TILER_FEATURES", self.complete(self.FILE, "register ¦L2_FEATURES"))
        offered = self.complete(self.FILE, "    ¦cores 4")
        for word in ("clock_mhz", "timing", "power", "point", "register", "like"):
            self.assertIn(word, offered)
        found = self.texts(self.server.ask("textDocument/references", {
            **self.at(self.FILE, "like t6¦24"), "context": {"includeDeclaration": True}}))
        self.assertIn(("t624.ac", "t624"), found)
        self.assertIn(("t760.ac", "t624"), found)
        self.assertIn(("t880.ac", "t624"), found)
        self.assertNotIn(("g72.ac", "g71"), found)

    def test_timing(self):
        self.FILE = "variants/g72.ac"
        self.did_open(self.FILE)
        self.assertIn("cycles, 0 to 100000", self.hover("timing l2_miss_lat¦ency"))
        self.assertIn("pipe_depth", self.complete(self.FILE, "timing ¦l2_miss_latency"))
        wrong = self.type(self.FILE, "timing l2_miss_latency", "timing l2_mis_latency")
        self.assertIn("did you mean \"l2_miss_latency\"?", wrong[0]["message"])

    def test_power(self):
        self.FILE = "variants/t624.ac"
        self.did_open(self.FILE)
        self.assertIn("pJ, 0 to 1000000", self.hover("power l1_ener¦gy"))
        self.assertIn("core_gated", self.complete(self.FILE, "power ¦l1_energy"))

    def test_no_rename(self):
        self.did_open(self.FILE)
        self.assertIn("not renamed", self.rename(self.FILE, "like t6¦24", "t625")["error"]["message"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
