/*
 * Which memory is executable if the program's header requests an executable stack, a non-executable
 * one, or does not say: the program runs copies of itself with a changed PT_GNU_STACK header. QEMU
 * does not have READ_IMPLIES_EXEC, so Linux's results are given here.
 */
//= RWE as Linux
//= RW as Linux
//= none as Linux
//= mprotect: runs
//= growing down: 0, runs
//= growing down elsewhere: -1 22
//= personality: runs
//= flush: as Linux
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__aarch64__)
#define RETURN 0xd65f03c0u
#define NONE   "-----"
#elif defined(__arm__)
#define RETURN 0xe12fff1eu
#define NONE   "sdbma" /* the stack, data, the heap, mappings, protections */
#else
#define RETURN 0x00008067u
#define NONE   "-----"
#endif

static sigjmp_buf back;

static void on_fault(int signal, siginfo_t *info, void *context)
{
    siglongjmp(back, info->si_code);
}

/* Calls the code. Returns 0 if it runs, or the code of its signal. */
static __attribute__((noinline)) int call_code(volatile void *code)
{
    int fault = sigsetjmp(back, 1);

    if (!fault)
        ((void (*)(void))code)();
    return fault;
}

static uint32_t data = RETURN;

/* Writes one letter per kind of memory in which code runs. */
static void show_executable(char *out)
{
    volatile uint32_t stack = RETURN;
    uint32_t *heap = sbrk(8192), *map;

    heap = (uint32_t *)(((uintptr_t)heap + 4095) & ~(uintptr_t)4095);
    *heap = RETURN;
    out[0] = call_code(&stack) ? '-' : 's';
    out[1] = call_code(&data) ? '-' : 'd';
    out[2] = call_code(heap) ? '-' : 'b';
    map = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    map[0] = map[1024] = RETURN;
    out[3] = call_code(map) ? '-' : 'm';
    mprotect(map + 1024, 4096, PROT_READ);
    out[4] = call_code(map + 1024) ? '-' : 'a';
    out[5] = 0;
}

static void run_copy(const char *name, uint32_t type, uint32_t flags)
{
    static char image[8 << 20];
    int in = open("/proc/self/exe", O_RDONLY), out = open(name, O_CREAT | O_WRONLY | O_TRUNC, 0755);
    long len = read(in, image, sizeof(image));
    ElfW(Ehdr) *header = (void *)image;
    ElfW(Phdr) *ph = (void *)(image + header->e_phoff);

    for (int n = 0; n < header->e_phnum; n++) {
        if (ph[n].p_type == PT_GNU_STACK)
            ph[n].p_type = type, ph[n].p_flags = flags;
    }
    write(out, image, len);
    close(in);
    close(out);
    if (!fork()) {
        char path[64];

        snprintf(path, sizeof(path), "./%s", name);
        execl(path, name, "copy", NULL);
        _exit(1);
    }
    wait(NULL);
}

static int compare_with_linux(const char *name)
{
    const char *want = !strcmp(name, "RWE") ? "s----" : !strcmp(name, "RW") ? "-----" : NONE;
    char seen[8];

    show_executable(seen);
    printf("%s %s\n", name, strcmp(seen, want) ? seen : "as Linux");
    return 0;
}

/* Code on the stack of a program whose header denies it. */
static void by_hand(void)
{
    uint32_t *page = (uint32_t *)((uintptr_t)__builtin_frame_address(0) & ~(uintptr_t)4095);
    uint32_t *low = (uint32_t *)((char *)page - 65536),
             *lower = (uint32_t *)((char *)page - 131072);
    volatile uint32_t code = RETURN;
    int result;

    *lower = RETURN;
    mprotect((void *)((uintptr_t)&code & ~(uintptr_t)4095), 4096,
             PROT_READ | PROT_WRITE | PROT_EXEC);
    printf("mprotect: %s\n", call_code(&code) ? "faults" : "runs");
    result = mprotect(low, 4096, PROT_READ | PROT_WRITE | PROT_EXEC | PROT_GROWSDOWN);
    printf("growing down: %d, %s\n", result, call_code(lower) ? "faults" : "runs");
    page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    result = mprotect(page, 4096, PROT_READ | PROT_GROWSDOWN);
    printf("growing down elsewhere: %d %d\n", result, errno);
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    uint32_t *map;
    const char *flush = "as Linux";

    setbuf(stdout, NULL);
    sigaction(SIGSEGV, &action, NULL);
    if (argc > 1)
        return compare_with_linux(argv[0]);
    run_copy("RWE", PT_GNU_STACK, PF_R | PF_W | PF_X);
    run_copy("RW", PT_GNU_STACK, PF_R | PF_W);
    run_copy("none", PT_NULL, 0);
    by_hand();
    personality(personality(0xffffffff) | READ_IMPLIES_EXEC);
    map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *map = RETURN;
    printf("personality: %s\n", call_code(map) ? "faults" : "runs");
    __builtin___clear_cache((char *)map, (char *)map + 4096);
#if defined(__arm__)
    if (syscall(0xf0002, map + 4, map, 0) != -1 || errno != EINVAL ||
        syscall(0xf0002, map, map + 4, 1) != -1 || syscall(0xf0002, map, map + 4, 0))
        flush = "wrong";
#elif defined(__riscv)
    if (syscall(259, map, map + 4, 2) != -1 || errno != EINVAL || syscall(259, map, map + 4, 1))
        flush = "wrong";
#endif
    printf("flush: %s\n", flush);
    return 0;
}
