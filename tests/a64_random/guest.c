/*
 * The referee's guest: a static Linux program that executes sequences of instructions, on an
 * emulator or a processor that nobody here wrote. See protocol.h.
 */
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ucontext.h>
#include <unistd.h>

#include "protocol.h"
#include "tests/referee/pipes.h"

/* guest_run.S */
extern struct state guest_state;
void run_sequence(void);
void sequence_end(void);

static struct reply *current; /* its events are what the signal handler adds to */
static uint32_t current_words;

static void on_signal(int signal, siginfo_t *info, void *context)
{
    mcontext_t *m = &((ucontext_t *)context)->uc_mcontext;
    bool inside = m->pc >= CODE && m->pc < CODE + 4 * current_words && !(m->pc & 3);

    (void)info;
    if (!current)
        _exit(3);
    current->event[current->events].index = inside ? (uint16_t)((m->pc - CODE) / 4) : NO_INDEX;
    current->event[current->events].signal = (uint16_t)signal;
    current->events++;
    m->pc = inside && current->events < MAX_EVENTS ? m->pc + 4 : CODE + STUB;
}

/* A sequence may set SP to any small number: a signal stack among the program's own data could be
 * taken for the one that is in use. */
static bool catch_signals(void)
{
    static const int signals[] = {SIGILL, SIGSEGV, SIGBUS, SIGTRAP, SIGFPE};
    stack_t alternate = {.ss_size = 65536};
    struct sigaction action = {.sa_sigaction = on_signal,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};

    alternate.ss_sp =
        mmap(NULL, alternate.ss_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (alternate.ss_sp == MAP_FAILED || sigaltstack(&alternate, NULL) != 0)
        return false;
    for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
        if (sigaction(signals[i], &action, NULL) != 0)
            return false;
    }
    return true;
}

static bool map_at(uint64_t address, size_t size, int protection)
{
    return mmap((void *)address, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
                0) == (void *)address;
}

/* The word that jumps from the end of a sequence to sequence_end. */
static void write_stub(void)
{
    uint32_t *stub = (uint32_t *)(CODE + STUB);

    *stub = 0x14000000 | (((uint32_t)(((uint64_t)sequence_end - (CODE + STUB)) >> 2)) & 0x3ffffff);
}

static void execute(const struct request *request, struct reply *reply)
{
    char *code = (char *)CODE;

    memcpy(code, request->code, sizeof(request->code));
    __builtin___clear_cache(code, code + CODE_BYTES);
    memcpy((void *)MEMORY, request->memory, MEMORY_BYTES);
    guest_state = request->state;
    reply->events = 0;
    memset(reply->event, 0, sizeof(reply->event));
    current_words = request->words;
    current = reply;
    run_sequence();
    current = NULL;
    reply->state = guest_state;
    memcpy(reply->memory, (const void *)MEMORY, MEMORY_BYTES);
}

int main(void)
{
    static struct request requests[BATCH];
    static struct reply replies[BATCH];
    uint32_t count;

    if (!catch_signals() || !map_at(CODE, CODE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC) ||
        !map_at(MEMORY, MEMORY_BYTES, PROT_READ | PROT_WRITE))
        return 2;
    write_stub();
    while (read_all(STDIN_FILENO, &count, sizeof(count))) {
        if (count > BATCH || !read_all(STDIN_FILENO, requests, count * sizeof(*requests)))
            return 1;
        for (uint32_t i = 0; i < count; i++)
            execute(&requests[i], &replies[i]);
        if (!write_all(STDOUT_FILENO, replies, count * sizeof(*replies)))
            return 1;
    }
    return 0;
}
