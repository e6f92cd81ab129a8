#!/usr/bin/env python3
"""Sessions of gencc-dap, as an editor has them.

    dap.py MALI_RUN GENCC_DAP
"""
import base64
import json
import random
import re
import subprocess
import sys
import unittest

from kernels import HERE, Kernels

GENCC_DAP = None
SOURCE = HERE.parent / "check/right.cl"
FAULTY = HERE.parent / "check/faulty.cl"


def line_of(path, kernel, text):
    """The number of the line of a kernel that has a text."""
    lines = path.read_text().splitlines()
    begin = next(n for n, line in enumerate(lines) if f"void {kernel}(" in line)
    return next(n for n in range(begin, len(lines)) if text in lines[n]) + 1


class Client:
    """An editor's side."""

    def __init__(self):
        self.process = subprocess.Popen([GENCC_DAP], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.seq, self.events = 0, []

    def send_raw(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, command, **arguments):
        self.seq += 1
        body = json.dumps({"seq": self.seq, "type": "request", "command": command, "arguments": arguments}).encode()
        self.send_raw(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        return self.seq

    def receive(self):
        head = self.process.stdout.readline()
        assert head.startswith(b"Content-Length: "), head
        assert self.process.stdout.readline() == b"\r\n"
        return json.loads(self.process.stdout.read(int(head.split()[1])))

    def answer(self, command, **arguments):
        """Sends a request, and returns the whole response."""
        number = self.send(command, **arguments)
        while True:
            message = self.receive()
            if message["type"] == "response" and message["request_seq"] == number:
                return message
            self.events.append(message)

    def ask(self, command, **arguments):
        message = self.answer(command, **arguments)
        assert message["success"], message
        return message.get("body", {})

    def event(self, *names):
        """The next event of one of the names."""
        while True:
            message = self.events.pop(0) if self.events else self.receive()
            if message["type"] == "event" and message["event"] in names:
                return message["event"], message.get("body", {})

    def launch(self, snapshot, **arguments):
        self.ask("initialize", adapterID="gencc")
        self.ask("launch", snapshot=snapshot, **arguments)
        self.event("initialized")

    def start(self):
        self.ask("configurationDone")
        return self.event("stopped", "terminated")

    def go(self, command="continue", **arguments):
        self.ask(command, **arguments)
        return self.event("stopped", "terminated")

    def end(self):
        """Ends the server however far it is."""
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    def close(self):
        self.process.stdin.close()
        status = self.process.wait(timeout=60)
        self.process.stdout.close()
        return status


class Sessions(Kernels):
    def setUp(self):
        self.client = Client()
        self.addCleanup(self.client.end)

    def variables(self, thread, scope):
        scopes = {s["name"]: s["variablesReference"] for s in self.client.ask("scopes", frameId=thread)["scopes"]}
        return {v["name"]: v["value"] for v in self.client.ask("variables", variablesReference=scopes[scope])["variables"]}

    def frame(self, thread):
        return self.client.ask("stackTrace", threadId=thread)["stackFrames"][0]

    def test_a_line_and_steps(self):
        c = self.client
        c.launch(self.kernel("right_reverse", "g72"), source=str(SOURCE), kernel="reverse")
        store, barrier = line_of(SOURCE, "reverse", "o[get"), line_of(SOURCE, "reverse", "barrier")
        answers = c.ask("setBreakpoints", source={"path": str(SOURCE)},
                        breakpoints=[{"line": store, "condition": "get_global_id(0) == 130"}, {"line": 9999}])["breakpoints"]
        self.assertEqual([b["verified"] for b in answers], [True, False])
        self.assertEqual(answers[0]["line"], store)
        name, stop = c.start()
        self.assertEqual((name, stop["reason"]), ("stopped", "breakpoint"))
        frame = self.frame(stop["threadId"])
        self.assertEqual((frame["line"], frame["source"]["path"]), (store, str(SOURCE)))
        self.assertEqual(self.variables(stop["threadId"], "Work-item")["get_global_id"], "(130,0,0)")
        self.assertEqual(len(c.ask("threads")["threads"]), 16)
        c.ask("setBreakpoints", source={"path": str(SOURCE)}, breakpoints=[{"line": barrier - 1}])
        name, stop = c.go(threadId=stop["threadId"])
        self.assertEqual(self.frame(stop["threadId"])["line"], barrier - 1)
        c.ask("setBreakpoints", source={"path": str(SOURCE)}, breakpoints=[])
        name, stop = c.go("next", threadId=stop["threadId"], granularity="line")
        self.assertEqual((name, stop["reason"]), ("stopped", "step"))
        self.assertEqual(self.frame(stop["threadId"])["line"], barrier)
        self.assertEqual(c.go()[0], "terminated")
        c.ask("disconnect")
        self.assertEqual(c.close(), 0)

    def test_functions_instructions_and_code(self):
        c = self.client
        c.launch(self.kernel("right_reverse", "g72"), kernel="reverse")
        answers = c.ask("setFunctionBreakpoints", breakpoints=[{"name": "reverse"}, {"name": "other"}])["breakpoints"]
        self.assertEqual([b["verified"] for b in answers], [True, False])
        thread = c.start()[1]["threadId"]
        frame = self.frame(thread)
        self.assertIn("line not known", frame["name"])
        code = c.ask("disassemble", memoryReference=frame["instructionPointerReference"], instructionOffset=-1,
                     instructionCount=4)["instructions"]
        self.assertEqual(len(code), 4)
        self.assertEqual(code[1]["address"], frame["instructionPointerReference"])
        c.ask("setFunctionBreakpoints", breakpoints=[])
        c.ask("setInstructionBreakpoints", breakpoints=[{"instructionReference": code[3]["address"]}])
        stop = c.go(threadId=thread)[1]
        self.assertEqual(self.frame(stop["threadId"])["instructionPointerReference"], code[3]["address"])
        c.ask("setInstructionBreakpoints", breakpoints=[])
        stop = c.go("stepIn", threadId=stop["threadId"], granularity="instruction")[1]
        self.assertEqual(stop["reason"], "step")
        self.assertEqual(c.go("stepOut", threadId=stop["threadId"])[0], "stopped")
        self.assertEqual(c.go()[0], "terminated")

    def test_what_goes_wrong(self):
        c = self.client
        c.launch(self.kernel("reverse_no_barrier", "g72"), source=str(FAULTY), kernel="reverse_no_barrier")
        answers = c.ask("setExceptionBreakpoints", filters=["race", "fault", "nothing"])["breakpoints"]
        self.assertEqual([b["verified"] for b in answers], [True, True, False])
        name, stop = c.start()
        self.assertEqual((name, stop["reason"]), ("stopped", "exception"))
        self.assertIn("race in local memory", stop["text"])

    def test_variables_and_memory(self):
        c = self.client
        c.launch(self.kernel("right_reverse", "g72"), stopOnEntry=True)
        name, stop = c.start()
        self.assertEqual(stop["reason"], "entry")
        thread = stop["threadId"]
        scopes = {s["name"]: s["variablesReference"] for s in c.ask("scopes", frameId=thread)["scopes"]}
        self.assertEqual(list(scopes), ["Work-item", "Lanes", "Registers", "Temporaries", "Uniforms"])
        self.assertEqual(len(self.variables(thread, "Lanes")), 4)
        c.ask("setVariable", variablesReference=scopes["Registers"], name="r9", value="1.5")
        self.assertEqual(self.variables(thread, "Registers")["r9"], "0x3fc00000 (1069547520, 1.5)")
        c.ask("setVariable", variablesReference=scopes["Work-item"], name="lane", value="2")
        self.assertEqual(self.variables(thread, "Work-item")["get_global_id"], "(2,0,0)")
        self.assertEqual(c.ask("evaluate", expression="get_global_id(0) * 2 + 1", frameId=thread)["result"], "5")
        self.assertIn("warp 0", c.ask("evaluate", expression="info warps", context="repl")["result"])
        self.assertFalse(c.answer("evaluate", expression="1 +", frameId=thread)["success"])
        address = next(u for u in [f"u{n}.w0 | u{n}.w1 << 32" for n in range(8)] + [f"u{n}.w1 | u{n + 1}.w0 << 32" for n in range(8)] if c.answer("evaluate", expression=f"u32({u})")["success"])
        at = hex(int(c.ask("evaluate", expression=address)["result"]))
        before = base64.b64decode(c.ask("readMemory", memoryReference=at, count=8)["data"])
        c.ask("writeMemory", memoryReference=at, offset=4, data=base64.b64encode(b"abcd").decode())
        after = base64.b64decode(c.ask("readMemory", memoryReference=at, count=8)["data"])
        self.assertEqual(after, before[:4] + b"abcd")
        self.assertEqual(c.ask("readMemory", memoryReference="0x10", count=8)["unreadableBytes"], 8)

    def test_mistakes_are_answered(self):
        c = self.client
        for command in "threads", "configurationDone", "stackTrace", "continue", "next", "scopes", "variables", "evaluate", \
                "readMemory", "setBreakpoints", "nothing", "launch", "setVariable", "disassemble", "writeMemory":
            answer = c.answer(command)
            self.assertEqual(answer["success"], command == "threads", command)
        self.assertFalse(c.answer("launch", snapshot="/nowhere")["success"])
        c.send_raw(b"Content-Length: 3\r\n\r\n{]}")
        c.send_raw(b"Content-Length: x\r\n\r\n")
        self.assertTrue(c.answer("initialize")["success"])
        c.launch(self.kernel("right_reverse", "g72"), stopOnEntry=True)
        thread = c.start()[1]["threadId"]
        generator = random.Random(1)
        for _ in range(300):
            command = generator.choice(["threads", "stackTrace", "scopes", "variables", "setVariable", "readMemory",
                                        "disassemble", "evaluate", "setInstructionBreakpoints", "setBreakpoints"])
            values = [thread, -1, 1 << 62, "r0", "0xffffffffffffffff", None, [], {}, "1/0", True, 2.5]
            names = ["threadId", "frameId", "variablesReference", "name", "value", "memoryReference", "count", "offset",
                     "instructionCount", "instructionOffset", "expression", "breakpoints", "source"]
            c.answer(command, **{name: generator.choice(values) for name in generator.sample(names, 5)})
        self.assertEqual(c.ask("threads")["threads"][0]["id"], thread)

    def test_leaving_ends_the_program(self):
        self.client.launch(self.kernel("right_reverse", "g72"), stopOnEntry=True)
        self.client.start()
        self.client.ask("disconnect")
        self.assertEqual(self.client.close(), 0)

    def test_terminating_lets_it_run_out(self):
        self.client.launch(self.kernel("right_reverse", "t860"), stopOnEntry=True)
        thread = self.client.start()[1]["threadId"]
        self.assertEqual(len(self.client.ask("threads")["threads"]), 64)
        self.assertTrue(re.match("r0", next(iter(self.variables(thread, "Registers")))))
        self.client.ask("terminate")
        self.assertEqual(self.client.event("exited")[1]["exitCode"], 0)


if __name__ == "__main__":
    Kernels.MALI_RUN, GENCC_DAP = sys.argv.pop(1), sys.argv.pop(1)
    unittest.main()
