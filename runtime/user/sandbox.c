/*
 * -sandbox: for programs that are not trusted. The address space checks every access (no flat
 * memory), and a seccomp filter allows the host's calls that this room makes. Ways around both are
 * refused here: files of processes' memory, programs of the host, signals to other processes.
 */
#include "runtime/user/user.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/magic.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/bits.h"

/* ---- the filter ------------------------------------------------------------------------------ */

/* Numbers of the host's allowed calls, in the order of sandbox.inc. */
static const uint32_t allowed[] = {
#define HOST_CALL(name) SYS_##name,
#include "runtime/user/sandbox.inc"
#undef HOST_CALL
};

/* Flags of clone() that make namespaces. */
#define NAMESPACES                                                                             \
    (CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | \
     CLONE_NEWCGROUP)

#define DATA(member)   ((uint32_t)offsetof(struct seccomp_data, member))
#define ARGUMENT(n)    ((uint32_t)offsetof(struct seccomp_data, args) + 8 * (n)) /* low half */
#define LOAD(offset)   BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset)
#define RETURN(action) BPF_STMT(BPF_RET | BPF_K, action)
#define REFUSE(error)  RETURN(SECCOMP_RET_ERRNO | (error))
/* The statement of `head` that compares the architecture. */
enum { AT_ARCH = 1 };
/* Skip `skip` statements unless the loaded value is equal, has any of the bits, or is above. */
#define UNLESS(value, skip)       BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skip)
#define UNLESS_ANY(bits, skip)    BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, skip)
#define UNLESS_ABOVE(limit, skip) BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, limit, 0, skip)

/* In front of the list: numbers of other architectures, and calls with refused arguments. */
static const struct sock_filter head[] = {
    LOAD(DATA(arch)),
    [AT_ARCH] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0), /* host_architecture() */
    RETURN(SECCOMP_RET_KILL_PROCESS),
    LOAD(DATA(nr)),
    UNLESS_ABOVE(0x3fffffff, 1), /* x32 */
    REFUSE(ENOSYS),
    UNLESS(SYS_clone3, 1), /* flags are in memory; the C library falls back to clone() */
    REFUSE(ENOSYS),
    UNLESS(SYS_clone, 4),
    LOAD(ARGUMENT(0)),
    UNLESS_ANY(NAMESPACES, 1),
    REFUSE(EPERM),
    RETURN(SECCOMP_RET_ALLOW),
    UNLESS(SYS_ioctl, 4),
    LOAD(ARGUMENT(1)),
    UNLESS(TIOCSTI, 1), /* injects terminal input */
    REFUSE(EPERM),
    RETURN(SECCOMP_RET_ALLOW),
    UNLESS(SYS_socket, 6),
    LOAD(ARGUMENT(0)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 3, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET, 2, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET6, 1, 0),
    REFUSE(EAFNOSUPPORT),
    RETURN(SECCOMP_RET_ALLOW),
};

/* The kernel's number of this host's architecture, which is made of that in the program's own file;
 * 0: a host whose calls are not known, since the filter reads the low halves of arguments. */
static uint32_t host_architecture(void)
{
    extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));
    const unsigned char *ident = __ehdr_start.e_ident;

    if (ident[EI_CLASS] != ELFCLASS64 || ident[EI_DATA] != ELFDATA2LSB)
        return 0;
    return __ehdr_start.e_machine | __AUDIT_ARCH_64BIT | __AUDIT_ARCH_LE;
}

size_t sandbox_filter(struct sock_filter *code)
{
    size_t n = ARRAY_SIZE(head);

    _Static_assert(ARRAY_SIZE(head) + 2 * ARRAY_SIZE(allowed) < SANDBOX_FILTER, "it has room");
    memcpy(code, head, sizeof(head));
    code[AT_ARCH].k = host_architecture();
    if (!code[AT_ARCH].k)
        return 0;
    for (size_t k = 0; k < ARRAY_SIZE(allowed); k++) {
        code[n++] = (struct sock_filter)UNLESS(allowed[k], 1);
        code[n++] = (struct sock_filter)RETURN(SECCOMP_RET_ALLOW);
    }
    code[n++] = (struct sock_filter)REFUSE(EPERM);
    return n;
}

bool sandbox_enter(struct error *err)
{
    struct sock_filter code[SANDBOX_FILTER];
    struct sock_fprog program = {.filter = code};

    program.len = (unsigned short)sandbox_filter(code);
    if (!program.len)
        return error_set(err, "-sandbox knows no system calls of this host");
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program))
        return error_set(err, "-sandbox: the host takes no seccomp filter: %s", strerror(errno));
    return true;
}

/* ---- what the filter cannot see -------------------------------------------------------------- */

/* In /proc, files that are open for writing change processes, and `mem` is a process's memory. The
 * check is of the opened file and not of its path, since a path may have links. */
bool sandbox_may_open(const struct process *p, int fd)
{
    char link[32], name[PATH_BYTES];
    struct statfs fs;
    ssize_t len;
    int flags;

    if (!p->options->sandbox)
        return true;
    if (fstatfs(fd, &fs))
        return false;
    if (fs.f_type != PROC_SUPER_MAGIC)
        return true;
    flags = fcntl(fd, F_GETFL);
    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    len = readlink(link, name, sizeof(name) - 1);
    if (len < 4 || flags < 0 || (!(flags & O_PATH) && (flags & O_ACCMODE) != O_RDONLY))
        return false;
    name[len] = 0;
    return strcmp(name + len - 4, "/mem") != 0;
}

static bool is_child(pid_t pid)
{
    siginfo_t info;

    return !waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT);
}

/* Whether kill()'s argument is a process of the program; other processes get no signals. */
bool sandbox_may_signal(const struct process *p, int pid)
{
    pid_t group = getpgrp();

    if (!p->options->sandbox || pid == p->pid)
        return true;
    if (pid > 0)
        return is_child(pid) || (!p->original && pid == getppid());
    if (pid == 0 || pid == -group) /* leader: the program, or its first process */
        return group == p->pid || group == p->first_pid;
    return pid != -1 && is_child(-pid);
}
