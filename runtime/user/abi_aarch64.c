/*
 * Linux/arm64: registers, exceptions, layouts of structures.
 * Sources: Linux arch/arm64/include/uapi/asm, include/uapi/asm-generic; Arm ARM DDI 0487.
 */
#include "runtime/user/abi_aarch64.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/bits.h"
#include "runtime/user/user.h"

extern const struct cpu_isa a64_isa;

/* Found once by init(), the same in all processes. */
struct aarch64_registers aarch64_registers;

static bool find(const char *name, unsigned *offset, struct error *err)
{
    struct cpu_view v;

    if (!cpu_register_find(&a64_isa, name, &v) || v.reg->offset == CPU_NO_STORAGE)
        return error_set(err, "the description has no register %s", name);
    *offset = v.reg->offset + v.index * v.reg->stride;
    return true;
}

static bool init(struct error *err)
{
    struct aarch64_registers *r = &aarch64_registers;
    char name[8];

    for (unsigned n = 0; n < 32; n++) {
        snprintf(name, sizeof(name), "V%u", n);
        if (!find(name, &r->v[n], err))
            return false;
        snprintf(name, sizeof(name), "X%u", n);
        if (n < 31 && !find(name, &r->x[n], err))
            return false;
    }
    return find("SP", &r->sp, err);
}

/* ---- the CPU --------------------------------------------------------------------------------- */

/* D17.2.118 SCTLR_EL1 as Linux sets it, as far as EL0 feels it: SA0, DZE, UCT, nTWI, nTWE, UCI. */
#define SCTLR   (1u << 4 | 1u << 14 | 1u << 15 | 1u << 16 | 1u << 18 | 1u << 26)
#define CPACR   (3u << 20) /* FPEN: FP and SIMD are not trapped */
#define CNTKCTL 2u         /* EL0VCTEN */

/* MIDR_EL1 of a Cortex-A57 r1p0. */
#define MIDR 0x411fd070u

/* The generic timer: the device on a CPU's port, its registers, its frequency. */
enum { TIMER_DEVICE = 0, TIMER_FREQUENCY = 0, TIMER_VIRTUAL_COUNT = 2 };
#define TIMER_HZ UINT64_C(62500000)

static uint64_t read_timer(void *opaque, unsigned cpu, uint32_t reg)
{
    const struct cpu *owner = opaque;

    (void)cpu;
    switch (reg) {
    case TIMER_FREQUENCY:
        return TIMER_HZ;
    case TIMER_VIRTUAL_COUNT:
        return clock_ns_to_ticks(clock_now(owner->clock), TIMER_HZ);
    default:
        return 0;
    }
}

/* EL0, with what Linux lets it do. */
static void start(struct cpu *cpu)
{
    cpu->config[0] = MIDR;
    cpu->devices[TIMER_DEVICE] = (struct cpu_device){.opaque = cpu, .read = read_timer};
    cpu_register_set(cpu, "EL", 0);
    cpu_register_set(cpu, "SPSEL", 0);
    cpu_register_set(cpu, "DAIF", 0);
    cpu_register_set(cpu, "CPACR_EL1", CPACR);
    cpu_register_set(cpu, "SCTLR_EL1", SCTLR);
    cpu_register_set(cpu, "CNTKCTL_EL1", CNTKCTL);
    cpu->ring = 0;
    cpu_state_changed(cpu);
}

static void set_entry(struct cpu *cpu, uint64_t pc, uint64_t sp)
{
    cpu->pc = pc;
    *aarch64_sp(cpu) = sp;
}

static uint64_t stack_pointer(struct cpu *cpu)
{
    return *aarch64_sp(cpu);
}

/* D17.2.61 ID_AA64ISAR0_EL1's fields become bits of AT_HWCAP. */
static uint64_t hwcap(struct cpu *cpu)
{
    enum { FP = 1, ASIMD = 2, AES = 8, PMULL = 16, SHA1 = 32, SHA2 = 64, CRC32 = 128 };
    uint64_t isar0 = cpu_register_get(cpu, "ID_AA64ISAR0_EL1"), caps = FP | ASIMD;

    caps |= (isar0 >> 4 & 15) >= 1 ? AES : 0;
    caps |= (isar0 >> 4 & 15) >= 2 ? PMULL : 0;
    caps |= isar0 >> 8 & 15 ? SHA1 : 0;
    caps |= isar0 >> 12 & 15 ? SHA2 : 0;
    caps |= isar0 >> 16 & 15 ? CRC32 : 0;
    return caps;
}

/* ---- system calls ---------------------------------------------------------------------------- */

enum { INSTRUCTION_BYTES = 4, NUMBER_REGISTER = 8 };

static void get_call(struct cpu *cpu, uint64_t *number, uint64_t arg[6])
{
    *number = *aarch64_x(cpu, NUMBER_REGISTER);
    for (unsigned n = 0; n < 6; n++)
        arg[n] = *aarch64_x(cpu, n);
}

static void set_result(struct cpu *cpu, int64_t result)
{
    *aarch64_x(cpu, 0) = (uint64_t)result;
}

static void skip_call(struct cpu *cpu)
{
    cpu->pc += INSTRUCTION_BYTES;
}

static void repeat_call(struct cpu *cpu, uint64_t number, const uint64_t arg[6])
{
    (void)number;
    *aarch64_x(cpu, 0) = arg[0];
    cpu->pc -= INSTRUCTION_BYTES;
}

static void clone_registers(struct cpu *cpu, struct cpu *parent, uint64_t stack, uint64_t tls,
                            unsigned flags)
{
    if (cpu != parent) {
        memcpy(cpu->state, parent->state, cpu->isa->state_bytes);
        cpu->pc = parent->pc;
        cpu_state_changed(cpu);
    }
    set_result(cpu, 0);
    if (flags & USER_CLONE_STACK)
        *aarch64_sp(cpu) = stack;
    if (flags & USER_CLONE_TLS)
        cpu_register_set(cpu, "TPIDR_EL0", tls);
}

static void clone_args(const uint64_t *arg, uint64_t out[5])
{
    memcpy(out, arg, 5 * sizeof(*out));
}

/* ---- exceptions ------------------------------------------------------------------------------ */

static bool exception(struct cpu *cpu, uint32_t klass, uint64_t code, siginfo_t *info)
{
    /* D17.2.37: exception classes. */
    enum { ILLEGAL_STATE = 0x0e, SVC = 0x15, PC_ALIGN = 0x22, SP_ALIGN = 0x26, BRK = 0x3c };

    (void)code;
    *info = (siginfo_t){.si_signo = SIGILL, .si_code = ILL_ILLOPC};
    info->si_addr = (void *)cpu->pc;
    switch (klass) {
    case SVC:
        return true;
    case BRK:
        info->si_signo = SIGTRAP;
        info->si_code = TRAP_BRKPT;
        break;
    case PC_ALIGN:
    case SP_ALIGN:
        info->si_signo = SIGBUS;
        info->si_code = BUS_ADRALN;
        break;
    default:
        break;
    }
    return false;
}

/* ---- structures ------------------------------------------------------------------------------ */

/* Flags of open() that differ from most other ABIs'. */
static const struct {
    unsigned guest;
    int host;
} open_flags[] = {
    {0100, O_CREAT},       {0200, O_EXCL},        {0400, O_NOCTTY},    {01000, O_TRUNC},
    {02000, O_APPEND},     {04000, O_NONBLOCK},   {010000, O_DSYNC},   {020000, O_ASYNC},
    {040000, O_DIRECTORY}, {0100000, O_NOFOLLOW}, {0200000, O_DIRECT}, {01000000, O_NOATIME},
    {02000000, O_CLOEXEC}, {04010000, O_SYNC},    {010000000, O_PATH}, {020040000, O_TMPFILE},
};

static int to_host_flags(uint64_t guest)
{
    int host = (int)guest & O_ACCMODE;

    for (size_t n = 0; n < ARRAY_SIZE(open_flags); n++) {
        if ((guest & open_flags[n].guest) == open_flags[n].guest)
            host |= open_flags[n].host;
    }
    return host;
}

static uint64_t from_host_flags(int host)
{
    enum { LARGEFILE = 0400000 }; /* always set on 64-bit kernels */
    uint64_t guest = ((unsigned)host & O_ACCMODE) | (host & O_PATH ? 0 : LARGEFILE);

    for (size_t n = 0; n < ARRAY_SIZE(open_flags); n++) {
        if ((host & open_flags[n].host) == open_flags[n].host)
            guest |= open_flags[n].guest;
    }
    return guest;
}

struct aarch64_stat {
    uint64_t dev, ino;
    uint32_t mode, nlink, uid, gid;
    uint64_t rdev, pad0;
    int64_t size;
    int32_t blksize, pad1;
    int64_t blocks;
    int64_t atime, atime_ns, mtime, mtime_ns, ctime, ctime_ns;
    uint32_t unused[2];
};
_Static_assert(sizeof(struct aarch64_stat) == 128, "struct stat of Linux/arm64");

static void put_stat(void *guest, const struct stat *st)
{
    const struct aarch64_stat g = {
        .dev = st->st_dev,
        .ino = st->st_ino,
        .mode = st->st_mode,
        .nlink = (uint32_t)st->st_nlink,
        .uid = st->st_uid,
        .gid = st->st_gid,
        .rdev = st->st_rdev,
        .size = st->st_size,
        .blksize = (int32_t)st->st_blksize,
        .blocks = st->st_blocks,
        .atime = st->st_atim.tv_sec,
        .atime_ns = st->st_atim.tv_nsec,
        .mtime = st->st_mtim.tv_sec,
        .mtime_ns = st->st_mtim.tv_nsec,
        .ctime = st->st_ctim.tv_sec,
        .ctime_ns = st->st_ctim.tv_nsec,
    };

    memcpy(guest, &g, sizeof(g));
}

struct aarch64_epoll {
    uint32_t events, pad;
    uint64_t data;
};

static void put_epoll(void *guest, unsigned n, const struct epoll_event *event)
{
    const struct aarch64_epoll g = {.events = event->events, .data = event->data.u64};

    memcpy((uint8_t *)guest + n * sizeof(g), &g, sizeof(g));
}

static struct epoll_event get_epoll(const void *guest, unsigned n)
{
    struct epoll_event event = {0};
    struct aarch64_epoll g;

    memcpy(&g, (const uint8_t *)guest + n * sizeof(g), sizeof(g));
    event.events = g.events;
    event.data.u64 = g.data;
    return event;
}

const struct user_abi user_abi = {
    .program = "aarch64-user",
    .machine = "aarch64",
    .platform = "aarch64",
    .elf_machine = EM_AARCH64,
    .isa = &a64_isa,
    .sigpage = aarch64_sigpage,
    .sigpage_bytes = sizeof(aarch64_sigpage),
    .init = init,
    .start = start,
    .set_entry = set_entry,
    .hwcap = hwcap,
    .stack_pointer = stack_pointer,
    .call = aarch64_call,
    .get_call = get_call,
    .set_result = set_result,
    .skip_call = skip_call,
    .repeat_call = repeat_call,
    .clone = clone_registers,
    .clone_args = clone_args,
    .exception = exception,
    .push_frame = aarch64_push_frame,
    .pop_frame = aarch64_pop_frame,
    .open_flags = to_host_flags,
    .guest_open_flags = from_host_flags,
    .stat_bytes = sizeof(struct aarch64_stat),
    .put_stat = put_stat,
    .epoll_bytes = sizeof(struct aarch64_epoll),
    .put_epoll = put_epoll,
    .get_epoll = get_epoll,
};
