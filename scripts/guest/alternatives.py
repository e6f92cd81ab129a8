"""The links that update-alternatives would have made, without running a package's scripts.

The calls of `update-alternatives --install` in the packages' postinst files are read as text. A call
whose words the shell would have had to compute is left out.
"""
import re
import shlex
from collections import namedtuple

Alternative = namedtuple("Alternative", "link name path priority slaves")
Slave = namedtuple("Slave", "link name path")

DATABASE = "var/lib/dpkg/alternatives"


def is_literal(words):
    return not any(re.search(r"[$`*?(){}<>|&;]", word) for word in words)


def read_slaves(words):
    slaves = []
    while len(words) >= 4 and words[0] == "--slave" and is_literal(words[1:4]):
        slaves.append(Slave(*words[1:4]))
        words = words[4:]
    return slaves


def calls(script):
    """The words of each line of a shell script that calls update-alternatives."""
    for line in script.replace("\\\n", " ").splitlines():
        if "update-alternatives" in line:
            try:
                yield shlex.split(line, comments=True)
            except ValueError:  # a quotation that goes on in the next line
                continue


def alternatives_of(script):
    """The Alternatives that a postinst installs."""
    found = []
    for words in calls(script):
        if "--install" not in words:
            continue
        words = words[words.index("--install") + 1:]
        if len(words) >= 4 and is_literal(words[:4]) and re.fullmatch(r"-?\d+", words[3]):
            link, name, path, priority = words[:4]
            found.append(Alternative(link, name, path, int(priority), read_slaves(words[4:])))
    return found


def below(root, path):
    return root / path.lstrip("/")


def is_there(root, path):
    """Whether a package brought a file; its absolute links are the guest's, and not followed."""
    path = below(root, path)
    return path.is_symlink() or path.exists()


def make_link(root, link, name, path):
    """LINK of the guest leads to PATH by way of /etc/alternatives/NAME; a file of a package stays."""
    place = below(root, link)
    if place.exists() and not place.is_symlink():
        return
    middle = root / "etc/alternatives" / name
    for where, target in ((middle, path), (place, f"/etc/alternatives/{name}")):
        where.parent.mkdir(parents=True, exist_ok=True)
        where.unlink(missing_ok=True)
        where.symlink_to(target)


def write_record(root, choices):
    """What update-alternatives keeps of a name, so that it works in the guest."""
    slaves = {slave.name: slave.link for choice in choices for slave in choice.slaves}
    lines = ["auto", choices[0].link]
    for name, link in slaves.items():
        lines += [name, link]
    lines.append("")
    for choice in choices:
        paths = {slave.name: slave.path for slave in choice.slaves}
        lines += [choice.path, str(choice.priority)] + [paths.get(name, "") for name in slaves]
    (root / DATABASE).mkdir(parents=True, exist_ok=True)
    (root / DATABASE / choices[0].name).write_text("\n".join(lines) + "\n\n")


def set_up(root):
    """Makes the links of all packages of a tree; of several choices the highest priority wins."""
    names = {}
    for script in sorted((root / "var/lib/dpkg/info").glob("*.postinst")):
        for choice in alternatives_of(script.read_text(encoding="utf-8", errors="replace")):
            if is_there(root, choice.path):
                slaves = [slave for slave in choice.slaves if is_there(root, slave.path)]
                names.setdefault(choice.name, []).append(choice._replace(slaves=slaves))
    for choices in names.values():
        best = max(choices, key=lambda choice: choice.priority)
        for link in [best, *best.slaves]:
            make_link(root, link.link, link.name, link.path)
        write_record(root, choices)
