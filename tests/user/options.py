#!/usr/bin/env python3
"""The command line of aarch64-user: options, messages, statistics, broken files, repeatability."""
import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile

ARGUMENTS = r"""
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>
/* How many descriptors from 3 on can be sent through a socket: its own two. */
static int sent(void)
{
    char control[64] = {0}, byte = 0;
    struct iovec vec = {&byte, 1};
    struct msghdr m = {.msg_iov = &vec, .msg_iovlen = 1, .msg_control = control, .msg_controllen = CMSG_SPACE(4)};
    int fds[2], seen = 0;

    socketpair(AF_UNIX, SOCK_DGRAM, 0, fds);
    for (int fd = 3; fd < 1100; fd++) {
        struct cmsghdr *c = CMSG_FIRSTHDR(&m);

        c->cmsg_len = CMSG_LEN(4);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        memcpy(CMSG_DATA(c), &fd, 4);
        seen += sendmsg(fds[0], &m, 0) == 1;
    }
    return seen;
}

/* Closes, replaces and looks at every descriptor that is not its own, then makes the simulator write to its log. */
static void descriptors(void)
{
    struct pollfd p = {.events = POLLOUT};
    int seen = 0, fd, others;
    struct stat st;
    char path[64];
    DIR *dir;

    printf("sent %d, ", sent());
    close_range(3, ~0u, 0);
    dir = opendir("/proc/self/fd");
    for (struct dirent *e; (e = readdir(dir));)
        seen += e->d_name[0] != '.';
    printf("listed %d,", seen - 1 /* the directory */);
    closedir(dir);
    for (fd = 3, seen = 0; fd < 1100; fd++) {
        p.fd = fd;
        snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
        seen += !fstat(fd, &st) + (fcntl(fd, F_GETFD) >= 0) + !close(fd) + (write(fd, "guest", 5) == 5) +
                !access(path, F_OK) + !truncate(path, 0) + !utimensat(AT_FDCWD, path, NULL, 0) + (dup(fd) >= 0) + (poll(&p, 1, 0) > 0 && !(p.revents & POLLNVAL));
        snprintf(path, sizeof(path), "/dev/fd/%d", fd);
        seen += !access(path, F_OK);
        snprintf(path, sizeof(path), "/proc/thread-self/fd/%d", fd);
        seen += !access(path, F_OK);
        snprintf(path, sizeof(path), "/proc/self/task/%d/fdinfo/%d", getpid(), fd);
        seen += !access(path, F_OK);
    }
    printf(" reached %d,", seen);
    for (others = 0, fd = 3; fd < 1100; fd++)
        others += dup2(1, fd) == fd;
    printf(" duplicated %d\n", others);
    for (fd = 3; fd < 1100; fd++)
        close(fd);
    syscall(1000);
    syscall(1001);
}

static void limits(char **argv)
{
    struct rlimit two = {3, 3}, got = {0};
    FILE *maps;

    if (!argv[2]) {
        printf("set %d", setrlimit(RLIMIT_NOFILE, &two));
        getrlimit(RLIMIT_NOFILE, &got);
        printf(" %ld %ld, open %d", (long)got.rlim_cur, (long)got.rlim_max, open("/dev/null", O_RDONLY));
        printf(" %d, dup2 %d\n", errno == EMFILE, dup2(1, 5));
        fflush(stdout);
        execl("/proc/self/exe", argv[0], "limits", "again", NULL);
        printf("exec: %d\n", errno);
        return;
    }
    getrlimit(RLIMIT_NOFILE, &got);
    printf("again %ld %ld, open %d\n", (long)got.rlim_cur, (long)got.rlim_max, open("/dev/null", O_RDONLY));
}

/* How long it takes to read 64 MB of zeros, whose pages the host has to make. */
static void reading(void)
{
    size_t size = 64 << 20;
    int zeros = open("/dev/zero", O_RDONLY);
    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    ssize_t got = read(zeros, malloc(size), size);
    clock_gettime(CLOCK_MONOTONIC, &after);
    printf("read %zd in %ld\n", got, (after.tv_sec - before.tv_sec) * 1000000000L + after.tv_nsec - before.tv_nsec);
}

int main(int argc, char **argv)
{
    struct timespec ts;
    if (argc > 1 && !strcmp(argv[1], "descriptors"))
        descriptors();
    if (argc > 1 && !strcmp(argv[1], "limits"))
        limits(argv);
    if (argc > 1 && !strcmp(argv[1], "traced")) {
        close(2); /* and another file takes its number */
        dup2(open("/dev/null", O_WRONLY), 2);
        getpgid(4711);
        if (!argv[2])
            execl("/proc/self/exe", argv[0], "traced", "again", NULL);
        close_range(2, ~0u, 0);
        getsid(4711);
        return fcntl(1000, F_GETFD) >= 0;
    }
    unsigned value = 0;
    if (argc > 1 && !strcmp(argv[1], "crc"))
        __asm__ volatile(".arch armv8-a+crc\n crc32b w0, w0, w0");
    if (argc > 1 && !strcmp(argv[1], "hwcap"))
        printf("hwcap %lx %lx\n", getauxval(AT_HWCAP), getauxval(AT_HWCAP2));
    if (argc > 1 && !strcmp(argv[1], "unknown"))
        printf("%ld %ld\n", syscall(1000), syscall(1000));
    if (argc > 1 && !strcmp(argv[1], "reading"))
        reading();
    if (argc > 1 && !strcmp(argv[1], "sleep"))
        sleep(100000);
    if (argc > 1 && !strcmp(argv[1], "again"))
        execl("/proc/self/exe", argv[0], argv[1], NULL);
    clock_gettime(CLOCK_REALTIME, &ts);
    getrandom(&value, sizeof(value), 0);
    printf("%s A=%s HOME=%s %ld.%09ld %u\n", argv[0], getenv("A"), getenv("HOME"),
           (long)ts.tv_sec, ts.tv_nsec, value);
    return 3;
}
"""

failures = []


def check(what, good, seen=""):
    if not good:
        failures.append(what)
        print(f"wrong: {what} {seen}")


def run(command, timeout=60):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout,
                          stdin=subprocess.DEVNULL, check=False)
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(
        errors="replace")


def refused(user, args, word):
    status, out, err = run([user] + args)
    good = status == 2 and not out and err.count("\n") == 1 and word in err
    check(f"{args} is refused with one line", good, (status, out, err))


def options(user, program, folder):
    status, out, _ = run([user, "--help"])
    check("--help", status == 0 and "-strace" in out and "PROGRAM" in out)
    check("-d help", run([user, "-d", "help"])[1].count("unimp") == 1)
    check("-cpu help", "CRC32" in run([user, "-cpu", "help"])[1])
    check("-gpu help", "Mali-G52" in run([user, "-gpu", "help"])[1])
    refused(user, ["-gpu", "g99", program], "-gpu help")
    refused(user, ["-gpu", "g52", "-gpu-snapshot", program, program], "Not a directory")
    refused(user, ["-gpu", "g52", "-gpu-snapshot", program + "/chains", program], "Not a directory")
    chains = os.path.join(folder, "chains")
    check("-gpu-snapshot makes its folder", run([user, "-gpu", "g52", "-gpu-snapshot", chains, program])[0] == 3 and
          os.path.isdir(chains))
    refused(user, ["-nonsense", program], "-nonsense")
    refused(user, [], "program")
    refused(user, ["-E", "A", program], "-E")
    for size in "18014398509481985K", "17592186044417M", "2G", "0", "-1", "8X", "": # 2^64 and more
        refused(user, ["-s", size, program], "-s takes a size")
    refused(user, ["-cpu", "x87=on", program], "x87")
    refused(user, ["-d", "nothing", program], "nothing")
    refused(user, [os.path.join(folder, "absent")], "absent")
    refused(user, [sys.executable], "ELF")
    refused(user, [folder], "regular")
    status, out, _ = run([user, "-E", "A=5", "-U", "HOME", "-0", "zero", program])
    check("-E, -U, -0 and the exit code", status == 3 and out.startswith("zero A=5 HOME=(null)"))
    check("a run is repeatable", out == run([user, "-E", "A=5", "-U", "HOME", "-0", "zero",
                                             program])[1])
    check("-seed matters", out != run([user, "-seed", "7", "-E", "A=5", "-U", "HOME", "-0", "zero",
                                       program])[1])
    check("-s", run([user, "-s", "1M", program])[0] == 3)
    check("a feature", run([user, program, "crc"])[0] == 3)
    check("a feature switched off", run([user, "-cpu", "crc32=off", program, "crc"])[0] == -4)
    for cpu, caps in (("cortex-a57", "fb"), ("cortex-a57,lse=on", "1fb"), ("lse=on,sha2=off", "1bb"), ("max", "10d7fb"),
                      ("max,lse=off,fcma=off", "1096fb")):
        check(f"HWCAP of -cpu {cpu}", f"hwcap {caps} 0" in run([user, "-cpu", cpu, program, "hwcap"])[1])
    refused(user, ["-cpu", "cortex-a58", program], "cortex-a57, max")
    refused(user, ["-cpu", "lse", program], "cortex-a57, max")
    refused(user, ["-cpu", "fp_enabled=on", program], "fp_enabled")
    status, _, err = run([user, "-d", "unimp", program, "unknown"])
    check("an unknown call is logged once", status == 3 and err.count("1000") == 1, err)
    status, _, err = run([user, "-strace", program])
    check("-strace", status == 3 and "exit_group(3)" in err and "getrandom(" in err, err)
    status, _, err = run([user, "-strace", program, "traced"])
    check("-strace goes on when the program closes its standard error", status == 0 and
          err.count("getpgid(4711)") == 2 and err.count("getsid(4711)") == 1 and "exit_group(" in err, (status, err))
    log = os.path.join(folder, "log")
    status, out, err = run([user, "-D", log, "-d", "unimp", program, "descriptors"])
    with open(log, encoding="utf-8") as file:
        text = file.read()
    check("the log is out of the program's reach", status == 3 and out.startswith(
        "sent 2, listed 3, reached 0, duplicated 1097\n") and text.count("not implemented") == 2, (status, out, err, text))
    for options_ in [], ["-accel", "interp"]:
        status, out, err = run([user, *options_, program, "limits"])
        check("the program's limit of files is not the simulator's", status == 3 and out.startswith(
            "set 0 3 3, open -1 1, dup2 -1\nagain 3 3, open -1\n"), (status, out, err))
    refused(user, ["-nofile", "9:3", program], "-nofile")
    check("virtual sleep", run([user, program, "sleep"], 20)[0] == 3)
    # No host fills 64 MB within 100 us; that many instructions are far more than a call's.
    for clock, least, most in ("host", 100000, 1 << 60), ("virtual", 0, 100000):
        status, out, err = run([user, "-clock", clock, program, "reading"])
        found = re.match(r"read 67108864 in (\d+)\n", out)
        check(f"-clock {clock} during a system call", status == 3 and found and least <= int(found[1]) < most, (status, out, err))
    check("-limit", run([user, "-limit", "10", program, "sleep"], 20)[0] == 124)
    check("-limit counts through execve", run([user, "-limit", "1", "-icount", "ps=1000000000", program, "again"], 60)[0] == 124)
    for text in ("99", "3"):
        status, _, err = run(["sh", "-c", f"exec '{user}' -handed-over {text} '{program}' 3</dev/null"], 20)
        check("nothing handed over", status == 2 and err.count("\n") == 1 and "-handed-over" in err, err)
    run([user, "-stats", os.path.join(folder, "stats"), program])
    with open(os.path.join(folder, "stats", "stats.json"), encoding="utf-8") as file:
        stats = json.load(file)
    check("statistics", stats["cpu0"]["executed"] > 1000)


def broken_files(user, program, folder, seed):
    """No file crashes the simulator: it exits with a message and status 2, or runs whatever the
    guest does."""
    with open(program, "rb") as file:
        good = file.read()
    rng = random.Random(seed)
    path = os.path.join(folder, "broken")
    for n in range(60):
        data = bytearray(good)
        for _ in range(rng.choice((1, 3, 10))):
            data[rng.randrange(0x400)] = rng.randrange(256)
        if n % 4 == 0:
            del data[rng.randrange(len(data)):]
        with open(path, "wb") as file:
            file.write(data)
        status, _, err = run([user, "-limit", "1", path], 60)
        if status == 2:
            check(f"broken file {n} of seed {seed}: one line", err.count("\n") == 1, err)
        check(f"broken file {n} of seed {seed}: no sanitizer report",
              "Sanitizer" not in err and "runtime error" not in err, err)


def zeros_only(user, gcc, folder):
    """A segment without bytes in the file begins behind the file's end."""
    source, program = os.path.join(folder, "zeros.s"), os.path.join(folder, "zeros")
    with open(source, "w", encoding="utf-8") as file:
        file.write(""".globl _start
            _start: ldr x1, =zeros
            ldr w0, [x1, #4092]
            add w0, w0, #42
            mov x8, #93
            svc #0
            .bss
            .align 12
            zeros: .space 8192
""")
    subprocess.run([gcc, "-nostdlib", "-static", source, "-o", program], check=True)
    status, _, err = run([user, program], 60)
    check("a segment of zeros only", status == 42, err)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--user", required=True)
    parser.add_argument("--gcc", required=True)
    parser.add_argument("--seed", type=int, default=1)
    o = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "p.c"), os.path.join(folder, "p")
        with open(source, "w", encoding="utf-8") as file:
            file.write(ARGUMENTS)
        subprocess.run([o.gcc, "-w", "-O2", "-static", source, "-o", program], check=True)
        options(o.user, program, folder)
        zeros_only(o.user, o.gcc, folder)
        broken_files(o.user, program, folder, o.seed)
    print("wrong" if failures else "good")
    return 1 if failures else 0


sys.exit(main())
