"""Debian packages of another architecture, through an apt configuration of our own.

The registry and its keyring are the ones this machine's own apt sources name, and the machine's apt
settings (proxy, passwords, timeouts) hold; its package lists and its dpkg database are not touched.
apt verifies the signature of the index; each package is held against the index's SHA-256 here.
"""
import hashlib
import os
import re
import subprocess
import sys
import time
from collections import namedtuple
from pathlib import Path

SYSTEM_SOURCES = Path("/etc/apt")
SUITE = "trixie"
# What Debian rebuilds of its next release for this one: a newer kernel.
BACKPORTS = SUITE + "-backports"
# The same release by other names. A mirror in the middle of an update, or with a cache before it, has
# parts of two publications under one of them, and often the whole earlier one under another.
SUITE_NAMES = (SUITE, "stable", "oldstable")
NAMES_OF = {SUITE: SUITE_NAMES, "bookworm": ("bookworm", "oldstable", "oldoldstable")}
# What apt says of such a mirror.
OUT_OF_STEP = re.compile(r"unexpected size|Hash Sum mismatch|Mirror sync in progress|\b50[0234]\b")
# Seconds to wait before all names are asked, and asked again.
PATIENCE = (0, 15, 60, 180)
DEBIAN_KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")

Package = namedtuple("Package", "name version architecture size sha256")


class GuestError(Exception):
    """Something the user has to know, as one paragraph."""


class RegistryError(GuestError):
    """The registry did not deliver: a newer index may help, or a network."""


def run(command, **options):
    """Runs a program that must succeed; returns its output."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          **options)
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines()
        raise GuestError(f"{command[0]} failed with {done.returncode}: " + " / ".join(lines[-3:]))
    return done.stdout


def sha256_of(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()


def parse_stanzas(text):
    """Yields the stanzas of an RFC 822 style file as dicts of lower-case names.

    A value keeps its continuation lines as they are, so that a key in a Signed-By survives."""
    stanza, name = {}, None
    for line in text.splitlines() + [""]:
        if line.startswith("#"):
            continue
        if not line.strip():
            if stanza:
                yield stanza
            stanza, name = {}, None
        elif line[0] in " \t":
            if name:
                stanza[name] += "\n" + line
        elif ":" in line:
            name, value = line.split(":", 1)
            name = name.strip().lower()
            stanza[name] = value.strip()


def sources_deb822(text):
    """Yields (URI, suites, Signed-By or None) of a .sources file."""
    for stanza in parse_stanzas(text):
        if stanza.get("enabled", "yes").lower() in ("no", "false", "0"):
            continue
        if "deb" in stanza.get("types", "").split():
            for uri in stanza.get("uris", "").split():
                yield uri, stanza.get("suites", "").split(), stanza.get("signed-by")


def sources_one_line(text):
    """Yields (URI, suites, Signed-By or None) of a .list file."""
    for line in text.splitlines():
        match = re.match(r"\s*deb\s+(?:\[([^]]*)\]\s*)?(\S+)\s+(\S+)", line)
        if match:
            options = dict(word.split("=", 1) for word in (match[1] or "").split() if "=" in word)
            yield match[2], [match[3]], options.get("signed-by")


def system_sources(directory=SYSTEM_SOURCES):
    """Yields (URI, suites, Signed-By) of everything apt on this machine is pointed at."""
    files = [directory / "sources.list"] + sorted((directory / "sources.list.d").glob("*"))
    for file in files:
        if not file.is_file():
            continue
        text = file.read_text(encoding="utf-8", errors="replace")
        if file.suffix == ".sources":
            yield from sources_deb822(text)
        elif file.suffix == ".list":
            yield from sources_one_line(text)


def system_codename():
    try:
        match = re.search(r'^VERSION_CODENAME="?(\w+)', Path("/etc/os-release").read_text(), re.M)
    except OSError:
        match = None
    return match[1] if match else "stable"


def find_registry(directory=SYSTEM_SOURCES):
    """The (URI, Signed-By) of the archive this machine's own release comes from."""
    releases = (system_codename(), "stable", "oldstable", "testing", "sid", SUITE)
    candidates = list(system_sources(directory))
    for release in releases:
        for uri, suites, keyring in candidates:
            if release in suites:
                return uri, keyring
    raise GuestError(
        f"found no Debian archive in {directory}/sources.list or {directory}/sources.list.d, so "
        "it is not known where guest packages come from. On Debian, one of these files has a line "
        f"such as `deb URI {releases[0]} main`; add it and run this again.")


class Registry:
    """The packages of one architecture of a release of Debian or its backports, kept under one
    folder."""

    def __init__(self, folder, architecture, suite=SUITE):
        release = suite.partition("-")[0]
        addition = suite.removeprefix(release)
        self.suite = suite
        self.suite_names = [name + addition for name in NAMES_OF[release]]
        self.folder = Path(folder).resolve() / f"apt-{architecture}{addition}"
        self.architecture = architecture
        self.config = self.folder / "apt.conf"
        self.archives = self.folder / "archives"
        self.uri = None
        self.refreshed = False

    def configure(self, suite):
        """Writes the private configuration, for one of the suite's names."""
        self.uri, keyring = find_registry()
        if not keyring and DEBIAN_KEYRING.exists():
            keyring = str(DEBIAN_KEYRING)
        for name in ("state/lists/partial", "cache/archives/partial", "archives", "empty.d"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        (self.folder / "status").touch()
        source = (f"Types: deb\nURIs: {self.uri}\nSuites: {suite}\nComponents: main\n"
                  f"Architectures: {self.architecture}\n")
        if keyring:
            source += f"Signed-By: {keyring}\n"
        (self.folder / "guest.sources").write_text(source)
        self.config.write_text(f"""\
#clear APT::Architectures;
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
APT::Architecture "{self.architecture}";
APT::Architectures {{ "{self.architecture}"; }};
APT::Install-Recommends "false";
APT::Sandbox::User "root";
APT::Update::Error-Mode "any";
Acquire::Languages "none";
Acquire::Retries "2";
Acquire::http::Timeout "30";
Acquire::https::Timeout "30";
Dir::State "{self.folder}/state";
Dir::State::status "{self.folder}/status";
Dir::Cache "{self.folder}/cache";
Dir::Etc::sourcelist "{self.folder}/guest.sources";
Dir::Etc::sourceparts "{self.folder}/empty.d";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "{self.folder}/empty.d";
""")

    def apt(self, *command):
        """Runs an apt command that needs no network; returns its output."""
        return run([command[0], f"-c={self.config}", *command[1:]],
                   env=dict(os.environ, LC_ALL="C"))

    def try_fetch(self, *command, folder=None):
        """Runs an apt command that uses the network; returns what apt says against it, or None."""
        quiet = [] if sys.stdout.isatty() else ["-qq"]
        done = subprocess.run(["apt-get", f"-c={self.config}", *quiet, *command], cwd=folder,
                              stderr=subprocess.PIPE, text=True, env=dict(os.environ, LC_ALL="C"))
        if not done.returncode:
            return None
        said = [line for line in done.stderr.splitlines() if line.startswith(("E:", "W:"))]
        return hide_password(" / ".join(said[:3]) or "nothing")

    def not_delivered(self, said):
        return RegistryError(
            "the Debian registry that this machine's apt sources name "
            f"({hide_password(self.uri)}) did not deliver {self.suite} for {self.architecture}. "
            "Check the network, and apt's proxy (`apt-config dump Acquire`); then run this "
            f"again: what has been downloaded is kept. apt said: {said}")

    def other_release(self):
        """What is wrong with the index: the release that a suite names changes every two years."""
        for file in (self.folder / "state/lists").glob("*Release"):
            codename = re.search(r"^Codename: (\S+)", file.read_text(errors="replace"), re.M)
            if codename and codename[1] != self.suite:
                return f"{file.name} is of {codename[1]}"
        return None

    def update(self, suite, *options):
        """Downloads the index under one name of the suite; returns what is wrong, or None."""
        self.configure(suite)
        return self.try_fetch(*options, "update") or self.other_release()

    def refresh(self):
        """Downloads the index, once a run."""
        if self.refreshed:
            return
        for seconds in PATIENCE:
            if seconds:
                print(f"  the registry's index of {self.architecture} does not fit its signature; "
                      f"asked again in {seconds} s", flush=True)
                time.sleep(seconds)
            options = ["-oAcquire::http::No-Cache=true"] if seconds else []
            said = first = self.update(self.suite, *options)
            if said and not OUT_OF_STEP.search(said):
                break
            for suite in self.suite_names[1:]:
                said = said and self.update(suite, *options)
            if not said:
                self.refreshed = True
                return
        raise self.not_delivered(first)

    def ensure_index(self):
        """Takes the index kept from an earlier run, or downloads it."""
        for suite in self.suite_names:
            if list((self.folder / "state/lists").glob(f"*_dists_{suite}_*_Packages*")):
                self.configure(suite)
                return
        self.refresh()

    def describe(self, names):
        """The Package of each name (or name=version); GuestError when one does not exist."""
        text = self.apt("apt-cache", "show", "--no-all-versions", *names)
        found = {}
        for stanza in parse_stanzas(text):
            found[stanza["package"]] = Package(stanza["package"], stanza["version"],
                                               stanza["architecture"], int(stanza["size"]),
                                               stanza["sha256"])
        missing = [name for name in names if name.split("=")[0] not in found]
        if missing:
            raise GuestError(f"{self.suite} has no package {', '.join(missing)} for {self.architecture}")
        return list(found.values())

    def depends(self, name):
        """The names that a package depends on directly."""
        text = self.apt("apt-cache", "depends", "--important", name)
        return re.findall(r"^\s+\|?(?:Pre)?Depends: (\S+)", text, re.M)

    def closure(self, names):
        """The Packages that installing these names on an empty system brings, in apt's order."""
        text = self.apt("apt-get", "install", "-s", "-y", *names)
        planned = re.findall(r"^Inst (\S+) \((\S+) ", text, re.M)
        order = {name.split(":")[0]: index for index, (name, _) in enumerate(planned)}
        packages = self.describe([f"{name.split(':')[0]}={version}" for name, version in planned])
        return sorted(packages, key=lambda package: order[package.name])

    def path_of(self, package):
        """Where the file of a package is, once downloaded (the name is apt's)."""
        version = package.version.replace(":", "%3a")
        return self.archives / f"{package.name}_{version}_{package.architecture}.deb"

    def is_good(self, package):
        path = self.path_of(package)
        return (path.is_file() and path.stat().st_size == package.size
                and sha256_of(path) == package.sha256)

    def download(self, packages):
        """Downloads what is not there yet, verifies all, and returns the files."""
        missing = [package for package in packages if not self.is_good(package)]
        for package in missing:
            path = self.path_of(package)
            if path.exists() and path.stat().st_size >= package.size:
                path.unlink()  # whole but wrong; a shorter file is one that apt goes on with
        if missing:
            size = sum(package.size for package in missing)
            print(f"  downloading {len(missing)} of {len(packages)} packages, {size / 1e6:.1f} MB",
                  flush=True)
            said = self.try_fetch("download", *[f"{package.name}={package.version}"
                                                for package in missing], folder=self.archives)
            if said:
                raise self.not_delivered(said)
        for package in missing:
            if not self.is_good(package):
                raise RegistryError(f"{self.path_of(package).name} is not what the signed index "
                                    "describes (size or SHA-256); run this again")
        return [self.path_of(package) for package in packages]


def hide_password(text):
    return re.sub(r"//[^/@\s]*@", "//", text)
