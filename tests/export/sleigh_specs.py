"""Checks the files that `gencc export sleigh -o` writes beside the specification.

Each is well-formed XML of the elements and attributes below, which are those of Ghidra's schemas
(language_definitions.rxg, processor_spec.rxg, compiler_spec.rxg) that gencc uses; the files name each
other, and every register that they name is one of the specification's, with the size it is said to
have.
"""

import argparse
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

# element: (attributes that it must have, attributes that it may have, elements within)
LDEFS = {
    "language_definitions": ((), (), ("language",)),
    "language": (("processor", "endian", "size", "variant", "version", "slafile", "processorspec", "id"), (),
                 ("description", "compiler")),
    "description": ((), (), ()),
    "compiler": (("name", "spec", "id"), (), ()),
}
PSPEC = {
    "processor_spec": ((), (), ("programcounter", "context_data")),
    "programcounter": (("register",), (), ()),
    "context_data": ((), (), ("tracked_set",)),
    "tracked_set": (("space",), (), ("set",)),
    "set": (("name", "val"), (), ()),
}
CSPEC = {
    "compiler_spec": ((), (), ("data_organization", "global", "stackpointer", "default_proto")),
    "data_organization": ((), (), ("pointer_size",)),
    "pointer_size": (("value",), (), ()),
    "global": ((), (), ("range",)),
    "range": (("space",), (), ()),
    "stackpointer": (("register", "space"), (), ()),
    "default_proto": ((), (), ("prototype",)),
    "prototype": (("name", "extrapop", "stackshift"), (), ("input", "output")),
    "input": ((), (), ("pentry",)),
    "output": ((), (), ("pentry",)),
    "pentry": (("minsize", "maxsize"), ("align",), ("register", "addr")),
    "register": (("name",), (), ()),
    "addr": (("space", "offset"), (), ()),
}


def check_element(e, layout, wrong):
    must, may, within = layout[e.tag]
    if not set(must) <= set(e.attrib) <= set(must) | set(may):
        wrong.append(f"{e.tag} has the attributes {sorted(e.attrib)}")
    for child in e:
        if child.tag not in within:
            wrong.append(f"{child.tag} in {e.tag}")
        else:
            check_element(child, layout, wrong)


def read(path, layout, root, wrong):
    tree = ET.parse(path).getroot()
    if tree.tag != root:
        wrong.append(f"{path.name} is a {tree.tag}")
    else:
        check_element(tree, layout, wrong)
    return tree


def check_language(language, registers, base, wrong):
    """What the files say of each other."""
    e = language.find("language")
    order = "big" if "define endian=big" in registers["text"] else "little"
    for name, value in (("slafile", f"{base}.sla"), ("processorspec", f"{base}.pspec"), ("endian", order)):
        if e.get(name) != value:
            wrong.append(f"{name} is {e.get(name)}, not {value}")
    if e.find("compiler").get("spec") != f"{base}.cspec":
        wrong.append("the compiler has another file")
    ends = f":{'BE' if order == 'big' else 'LE'}:{e.get('size')}:{e.get('variant')}"
    if e.get("id") != e.get("processor") + ends:
        wrong.append(f"the language is {e.get('id')}")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("gencc")
    p.add_argument("arch")
    p.add_argument("isa")
    p.add_argument("instruction", help="the only one that is exported")
    p.add_argument("--stack", required=True, help="the stack pointer")
    p.add_argument("--arguments", required=True, help="registers of arguments, by commas; stack+N: on the stack")
    p.add_argument("--result", required=True)
    a = p.parse_args()

    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder) / "some.thing"
        path = f"{base}.slaspec"
        subprocess.run([a.gencc, "export", "sleigh", "--isa", a.isa, "-o", path, a.arch, a.instruction],
                       capture_output=True, check=True)
        text = Path(path).read_text()
        language = read(Path(f"{base}.ldefs"), LDEFS, "language_definitions", wrong)
        processor = read(Path(f"{base}.pspec"), PSPEC, "processor_spec", wrong)
        compiler = read(Path(f"{base}.cspec"), CSPEC, "compiler_spec", wrong)
    registers = {name: int(size) for size, name in
                 re.findall(r"^define register offset=0x[0-9a-f]+ size=(\d+) \[ (\w+) \];", text, re.M)}
    check_language(language, {"text": text}, base.name, wrong)
    word = int(compiler.find("data_organization/pointer_size").get("value"))
    for e in [*compiler.iter(), *processor.iter()]:
        name = e.get("register") or (e.get("name") if e.tag in ("register", "set") else None)
        if name and name not in registers:
            wrong.append(f"{e.tag}: there is no register {name}")
        elif name and e.tag in ("register", "stackpointer") and registers[name] != word:
            wrong.append(f"{e.tag}: {name} has {registers[name]} bytes")
    proto = compiler.find("default_proto/prototype")
    said = {"stack": compiler.find("stackpointer").get("register")}
    for key, tag in (("arguments", "input"), ("result", "output")):
        said[key] = ",".join(e.get("name") or f"{e.get('space')}+{e.get('offset')}"
                             for e in proto.findall(f"{tag}/pentry/*"))
    for key, value in said.items():
        if value != getattr(a, key):
            wrong.append(f"{key}: {value}, not {getattr(a, key)}")
    print("\n".join(wrong) or f"{len(registers)} registers; {said}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
