/*
 * The only program of a guest, as its /init: counts for ever, with system calls between, so that
 * the kernel runs and is interrupted too. reverse_program.py goes back in it.
 */
#define REGISTER(name, type) register long name __asm__(type)

#if defined(__aarch64__)
enum { GETPID = 172, YIELD = 124 };
static void call(long number)
{
    REGISTER(n, "x8") = number;
    REGISTER(result, "x0");

    __asm__ volatile("svc 0" : "=r"(result) : "r"(n) : "memory");
}
#elif defined(__arm__)
enum { GETPID = 20, YIELD = 158 };
static void call(long number)
{
    REGISTER(result, "r0");

    /* Thumb code keeps its frame in r7. */
    __asm__ volatile("push {r7}\n\tmov r7, %1\n\tsvc 0\n\tpop {r7}"
                     : "=r"(result)
                     : "r"(number)
                     : "memory");
}
#elif defined(__riscv)
enum { GETPID = 172, YIELD = 124 };
static void call(long number)
{
    REGISTER(n, "a7") = number;
    REGISTER(result, "a0");

    __asm__ volatile("ecall" : "=r"(result) : "r"(n) : "memory");
}
#elif defined(__mips__)
enum { GETPID = 4020, YIELD = 4162 };
static void call(long number)
{
    REGISTER(n, "$2") = number;

    __asm__ volatile("syscall"
                     : "+r"(n)
                     :
                     : "memory", "$3", "$7", "$8", "$9", "$10", "$11", "$12", "$13", "$14", "$15",
                       "$24", "$25", "hi", "lo");
}
#endif

volatile long count, mirror;

__attribute__((noinline)) void bump(long by)
{
    count += by;
    mirror = 3 * count;
}

void _start(void)
{
    for (;;) {
        bump(1);
        call(count % 4 ? GETPID : YIELD);
    }
}
