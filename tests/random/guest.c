/*
 * The referee's guest: a static Linux program that executes sequences of instructions, on an
 * independent emulator or a processor. See protocol.h. The architecture's guest_context.h has the
 * registers of a signal's context, and enters and leaves sequences.
 */
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "protocol.h"
#include "guest_context.h"
#include "tests/referee/pipes.h"

static struct reply *current; /* the signal handler appends to its events */
static uint32_t current_bytes;

static void on_signal(int signal, siginfo_t *info, void *opaque)
{
    ucontext_t *context = opaque;
    uint64_t at = context_pc(context) - CODE;
    bool inside = at < current_bytes && at % ALIGNMENT == 0;

    (void)info;
    if (!current)
        _exit(3);
    if (exchange_context(signal, context))
        return;
    current->event[current->events].index = inside ? (uint16_t)(at / 2) : NO_INDEX;
    current->event[current->events].signal = (uint16_t)signal;
    current->events++;
    if (inside && current->events < MAX_EVENTS)
        context_skip(context, instruction_bytes(*(const uint16_t *)(uintptr_t)(CODE + at)));
    else
        context_leave(context);
}

/*
 * Uses a signal stack of its own: a sequence may set SP to any small number, and with a stack among
 * the program's data SP could look as if it were on that stack.
 */
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
    return mmap((void *)(uintptr_t)address, size, protection,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == (void *)(uintptr_t)address;
}

static void execute_request(const struct request *request, struct reply *reply)
{
    char *code = (char *)(uintptr_t)CODE;

    memcpy(code, request->code, sizeof(request->code));
    __builtin___clear_cache(code, code + sizeof(request->code));
    memcpy((void *)(uintptr_t)MEMORY, request->memory, MEMORY_BYTES);
    guest_state = request->state;
    reply->events = 0;
    memset(reply->event, 0, sizeof(reply->event));
    current_bytes = 2 * request->halves;
    current = reply;
    run_sequence();
    current = NULL;
    reply->state = guest_state;
    memcpy(reply->memory, (const void *)(uintptr_t)MEMORY, MEMORY_BYTES);
}

int main(void)
{
    static struct request requests[BATCH];
    static struct reply replies[BATCH];
    uint32_t count;

    if (!catch_signals() || !map_at(CODE_PAGE, CODE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC) ||
        !map_at(MEMORY, MEMORY_BYTES, PROT_READ | PROT_WRITE))
        return 2;
    write_stub((void *)(uintptr_t)(CODE + STUB));
    __builtin___clear_cache((char *)(uintptr_t)(CODE + STUB), (char *)(uintptr_t)(CODE + STUB + 8));
    while (read_all(STDIN_FILENO, &count, sizeof(count))) {
        if (count > BATCH || !read_all(STDIN_FILENO, requests, count * sizeof(*requests)))
            return 1;
        for (uint32_t i = 0; i < count; i++)
            execute_request(&requests[i], &replies[i]);
        if (!write_all(STDOUT_FILENO, replies, count * sizeof(*replies)))
            return 1;
    }
    return 0;
}
