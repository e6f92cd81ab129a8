#!/usr/bin/env python3
"""-sandbox: a program that knows where the simulator lies cannot write there, nor get round the check."""
import argparse
import os
import subprocess
import sys
import tempfile

PROGRAM = r"""
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* An address of the simulator's heap, as the host's list of its mappings says. */
static uint64_t find_heap(void)
{
    char path[64], line[512];
    unsigned long from = 0;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/self/task/%d/smaps", getpid());
    file = fopen(path, "r");
    while (file && fgets(line, sizeof(line), file)) {
        if (strstr(line, "[heap]"))
            sscanf(line, "%lx", &from);
    }
    return from;
}

static int result(long value)
{
    return value < 0 ? errno : 0;
}

static int open_it(const char *path, int flags)
{
    int fd = open(path, flags);

    if (fd < 0)
        return errno;
    close(fd);
    return 0;
}

static void ask(const char *other)
{
    char path[64];
    int dir = open("/proc/self", O_PATH | O_DIRECTORY);

    printf("mem %d", open_it("/proc/self/mem", O_RDWR));
    printf(" %d", open_it("/proc/self/mem", O_RDONLY));
    printf(" %d", open_it("/proc/thread-self/mem", O_PATH));
    snprintf(path, sizeof(path), "/proc/%d/task/%d/mem", getpid(), getpid());
    printf(" %d", open_it(path, O_WRONLY));
    snprintf(path, sizeof(path), "/proc/self/fd/%d/mem", dir);
    printf(" %d", open_it(path, O_RDWR));
    printf(" %d\n", result(openat(dir, "../self/mem", O_RDWR)));
    printf("stranger %d, group %d, all %d, self %d\n", result(kill(getppid(), 0)), result(kill(0, 0)),
           result(kill(-1, 0)), result(kill(getpid(), 0)));
    printf("packets %d\n", result(socket(AF_PACKET, SOCK_RAW, 0)));
    execl(other, other, NULL);
    printf("program of the host %d\n", errno);
    fflush(stdout);
}

static __attribute__((noinline)) void touch(volatile char *at)
{
    *at = *at;
}

int main(int argc, char **argv)
{
    char line[128];
    FILE *status = fopen("/proc/self/status", "r");

    while (status && fgets(line, sizeof(line), status)) {
        if (!strncmp(line, "Seccomp:", 8) || !strncmp(line, "NoNewPrivs:", 11))
            printf("%s", line);
    }
    if (argc > 1 && !strcmp(argv[1], "poke")) {
        /* Flat memory begins at 2^30. The function is translated by the time it is asked to go there. */
        char own = 0, *heap = (char *)(find_heap() - (1ull << 30) + 4096);

        printf("heap %d\n", heap != (char *)(4096 - (1ull << 30)));
        fflush(stdout);
        for (int n = 0; n < 100000; n++)
            touch(&own);
        touch(heap);
        printf("reached the simulator\n");
    } else if (argc > 1) {
        printf("LD_PRELOAD %s\n", getenv("LD_PRELOAD"));
    } else {
        char *env[] = {"LD_PRELOAD=/nonexistent.so", NULL}, other[4096];

        snprintf(other, sizeof(other), "%s.other", argv[0]);
        ask(other);
        execle(argv[0], "-strace", "again", NULL, env);
    }
    return 0;
}
"""

WANT = """NoNewPrivs:\t1
Seccomp:\t2
mem 13 13 13 13 13 13
stranger 1, group 1, all 1, self 0
packets 97
program of the host 13
NoNewPrivs:\t1
Seccomp:\t2
LD_PRELOAD /nonexistent.so
"""


def of_another_machine(program):
    """Makes a copy of a program that says it is for a machine that nobody has: to the simulator a program of the
    host. One that the host has could be of the guest's architecture, as all are on a host for Arm."""
    with open(program, "rb") as file:
        data = bytearray(file.read())
    data[18:20] = b"\xfe\xfe" # e_machine
    with open(program + ".other", "wb") as file:
        file.write(data)
    os.chmod(program + ".other", 0o755)


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=100,
                          stdin=subprocess.DEVNULL, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--user", required=True)
    parser.add_argument("--gcc", required=True)
    o = parser.parse_args()
    good = True
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "p.c"), os.path.join(folder, "p")
        with open(source, "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        subprocess.run([*o.gcc.split(), "-w", "-O2", "-static", source, "-o", program], check=True)
        of_another_machine(program)
        for accel in ["-accel", "interp"], ["-jit-quick-threshold", "2"]:
            seen = run([o.user, *accel, "-sandbox", program])
            if seen != (0, WANT, ""):
                print(f"{accel}: not as wanted: {seen}")
                good = False
            status, out, err = run([o.user, *accel, "-sandbox", program, "poke"])
            if status != -11 or not out.endswith("heap 1\n") or err:
                print(f"{accel}: no SIGSEGV: {status} {out} {err}")
                good = False
    print("good" if good else "wrong")
    return 0 if good else 1


sys.exit(main())
