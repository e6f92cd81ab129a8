/* The o32 interface to the kernel: arguments on the stack, errors in a register, numbers, frames of
 * signals, threads. */
// run: one
// run: one two
#include "bare.h"

#ifdef __MIPSEB__
enum { BIG = 1 };
#else
enum { BIG = 0 };
#endif
enum { O_RDWR_CREAT = 0x302, MAP_PRIVATE_ANONYMOUS = 0x802, SA_SIGINFO = 8, SIGUSR1 = 16 };
enum { SIGTRAP = 5, SIGBUS = 10, SIGSEGV = 11 };

struct action {
    uint32_t flags, handler, mask[4];
};

static volatile int rung, order[3];

static void on_signal(int signal)
{
    rung = signal;
}

/* Words of siginfo, and of ucontext: the PC is 64 bits. */
static void on_fault(int signal, const int *info, uint32_t *context)
{
    const uint32_t *sc = context + 6;

    put_number("fault", signal);
    put_number("code", info[1]);
    order[0] = info[0] == signal && !info[2];
    order[1] = info[3] != 0;
    ((uint64_t *)(void *)sc)[1] += 4; /* behind the instruction */
}

static void act(int signal, void *handler, uint32_t flags)
{
    struct action a = {.flags = flags, .handler = P(handler)};

    put_number("sigaction", CALL(4194, (uint32_t)signal, P(&a), 0, 16));
}

static void signals(void)
{
    uint32_t set[4] = {1u << (SIGUSR1 - 1)}, old[4] = {0};
    int pid = CALL(4020, 0);

    act(SIGUSR1, on_signal, 0);
    put_number("kill", CALL(4037, (uint32_t)pid, SIGUSR1));
    put_number("rung", rung);
    rung = 0;
    put_number("block", CALL(4195, 1, P(set), 0, 16));
    CALL(4037, (uint32_t)pid, SIGUSR1);
    put_number("blocked", rung);
    put_number("pending", CALL(4196, P(old), 16));
    put_number("is it", old[0] == set[0] && !old[1]);
    put_number("set mask", CALL(4195, 3, P(old + 2), 0, 16));
    put_number("then", rung);
    put_number("small set", CALL(4195, 1, P(set), 0, 8));
}

static void faults(void)
{
    static const uint32_t words[2] = {1, 2};
    uint32_t value;

    act(SIGSEGV, on_fault, SA_SIGINFO);
    act(SIGBUS, on_fault, SA_SIGINFO);
    act(SIGTRAP, on_fault, SA_SIGINFO);
    __asm__ volatile("lw %0, 16($0)" : "=r"(value));
    __asm__ volatile("lw %0, 1(%1)" : "=r"(value) : "r"(words));
    put_number("at an address", order[0] && order[1]);
    __asm__ volatile("break");
}

static void files(void)
{
    static const char name[] = "made";
    uint32_t stat[26] = {0}, offset[2] = {0};
    char text[8] = {0};
    int fd = CALL(4005, P(name), O_RDWR_CREAT, 0640);

    put_number("write", CALL(4004, (uint32_t)fd, P("0123456789"), 10));
    put_number("pwrite64", CALL(4201, (uint32_t)fd, P("ab"), 2, 0, BIG ? 0 : 3, BIG ? 3 : 0));
    put_number("pread64", CALL(4200, (uint32_t)fd, P(text), 7, 0, BIG ? 0 : 2, BIG ? 2 : 0));
    put_text(text);
    put_number(" llseek", CALL(4140, (uint32_t)fd, 1, 5, P(offset), 0));
    put_number("high", (int)offset[BIG ? 0 : 1]);
    put_number("fstat64", CALL(4215, (uint32_t)fd, P(stat)));
    put_number("mode", (int)stat[6]);
    put_number("size", (int)stat[BIG ? 15 : 14]);
    put_number("flags", CALL(4055, (uint32_t)fd, 3) & 3);
    put_number("again", CALL(4005, P(name), O_RDWR_CREAT | 0x400, 0640));
    put_number("directory", CALL(4005, P("."), 1));
    put_number("close", CALL(4006, (uint32_t)fd));
    put_number("close", CALL(4006, (uint32_t)fd));
    put_number("unlink", CALL(4010, P(name)));
    put_number("no such call", CALL(4999, 0));
}

static void pipes(void)
{
    int fd = CALL(4042, 0), other = second;
    int pair[2] = {0};
    char c = 0;

    put_number("pipe", CALL(4004, (uint32_t)other, P("x"), 1));
    put_number("read", CALL(4003, (uint32_t)fd, P(&c), 1));
    put_number("byte", c);
    put_number("socketpair", CALL(4184, 1, 2, 0, P(pair))); /* AF_UNIX, SOCK_STREAM */
    put_number("send", CALL(4178, (uint32_t)pair[0], P("y"), 1, 0));
    put_number("read", CALL(4003, (uint32_t)pair[1], P(&c), 1));
    put_number("byte", c);
}

static void memory(void)
{
    uint32_t *at = (uint32_t *)(uintptr_t)CALL(4090, 0, 8192, 3, MAP_PRIVATE_ANONYMOUS, -1u, 0);

    at[1024] = 5;
    put_number("mapped", (int)at[1024] + (int)at[0]);
    put_number("protect", CALL(4125, P(at), 4096, 1));
    put_number("unmap", CALL(4091, P(at), 8192));
    put_number("bad", CALL(4090, 0, 8192, 3, 0, -1u, 0));
}

static uint32_t stack[1024];
static volatile int started, word;

/* A thread that shares memory: its stack and its TLS pointer are its own. */
static void threads(void)
{
    register uint32_t v0 __asm__("$2") = 4120;
    register uint32_t a3 __asm__("$7") = 0x12345678;
    register uint32_t a0 __asm__("$4") = 0x002d0f00; /* as pthread_create() */
    register uint32_t a1 __asm__("$5") = P(&stack[1000]);
    register uint32_t a2 __asm__("$6") = 0;

    __asm__ volatile("addiu $29, $29, -24\n"
                     "sw %5, 16($29)\n" /* the fifth argument: the word that becomes 0 */
                     "syscall\n"
                     "bnez $2, 1f\n"
                     "rdhwr $3, $29\n"
                     "sw $3, %2\n"
                     "li $2, 4001\n"
                     "li $4, 0\n"
                     "syscall\n"
                     "1: addiu $29, $29, 24"
                     : "+r"(v0), "+r"(a3), "=m"(started)
                     : "r"(a0), "r"(a1), "r"(P(&word)), "r"(a2)
                     : "memory", "$1", "$3", "$8", "$9", "$10", "$11", "$12", "$13", "$14", "$15",
                       "$24", "$25");
    put_number("thread", a3 == 0 && v0 > 1);
    while (word)
        CALL(4238, P(&word), 0, (uint32_t)word, 0);
    put_number("its pointer", started);
}

int main(int argc, char **argv)
{
    put_number("arguments", argc);
    put_text(argv[argc - 1]);
    put_text("\n");
    signals();
    faults();
    files();
    pipes();
    memory();
    word = 1;
    threads();
    return 40 + argc;
}
