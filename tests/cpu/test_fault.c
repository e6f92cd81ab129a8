/* Faults of the host: hooks for translated code, and faults that belong to other code. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/cpu/fault.h"

#define NOT_CANONICAL ((void *)UINT64_C(0x8000000000001000))

static volatile char *volatile nowhere = (char *)8;

/*
 * Stands for translated code: an access that may fault, and the address to continue at if it does.
 */
struct code {
    uint8_t *bytes;
    unsigned asked, fixed;
    const void *address;
};

/* mov rax, [rdi]; ret; mov rax, -1; ret */
static const uint8_t access_code[] = {0x48, 0x8b, 0x07, 0xc3, 0x48, 0xc7,
                                      0xc0, 0xff, 0xff, 0xff, 0xff, 0xc3};
enum { ELSEWHERE = 4 };

static bool skip_access(void *opaque, const siginfo_t *info, ucontext_t *context)
{
    struct code *c = opaque;
    greg_t *pc = &context->uc_mcontext.gregs[REG_RIP];

    c->asked++;
    if (*pc != (greg_t)(uintptr_t)c->bytes)
        return false;
    c->fixed++;
    c->address = info->si_addr;
    *pc += ELSEWHERE;
    return true;
}

static uint64_t run_code(const struct code *c, const void *at)
{
    uint64_t (*fn)(const void *);

    memcpy(&fn, &c->bytes, sizeof(fn));
    return fn(at);
}

static struct code make_code(void)
{
    struct code c = {.bytes = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)};

    assert_ptr_not_equal(c.bytes, MAP_FAILED);
    memcpy(c.bytes, access_code, sizeof(access_code));
    return c;
}

static void goes_on_elsewhere(void **state)
{
    struct code one = make_code(), other = make_code();
    uint64_t value = 77;
    char *hole = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    (void)state;
    assert_true(fault_add(skip_access, &one));
    assert_true(fault_add(skip_access, &other));
    assert_int_equal(run_code(&one, &value), 77);
    for (unsigned n = 1; n < 1000; n++) {
        assert_int_equal(run_code(&other, hole + 8), UINT64_MAX);
        assert_int_equal(other.fixed, n);
        assert_ptr_equal(other.address, hole + 8);
    }
    assert_int_equal(one.fixed, 0);
    assert_int_equal(run_code(&one, NOT_CANONICAL), UINT64_MAX);
    assert_int_equal(one.fixed, 1);
    fault_remove(skip_access, &one);
    fault_remove(skip_access, &other);
    munmap(one.bytes, 4096);
    munmap(other.bytes, 4096);
    munmap(hole, 4096);
}

static void has_room(void **state)
{
    struct code c[FAULT_HOOKS + 1];

    (void)state;
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned n = 0; n < FAULT_HOOKS; n++)
            assert_true(fault_add(skip_access, &c[n]));
        assert_false(fault_add(skip_access, &c[FAULT_HOOKS]));
        for (unsigned n = 0; n < FAULT_HOOKS; n++)
            fault_remove(skip_access, &c[n]);
    }
}

/* Returns how a child process that runs `fn` ends. */
static int status_of(void (*fn)(void))
{
    int status = 0;
    pid_t pid = fork();

    if (!pid) {
        fn();
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

static void crash_in_hook(void)
{
    static struct code c;

    c = make_code();
    signal(SIGSEGV, SIG_DFL);
    fault_add(skip_access, &c);
    *nowhere = 1;
}

static void crash_after_removal(void)
{
    struct code c = make_code();

    signal(SIGSEGV, SIG_DFL);
    fault_add(skip_access, &c);
    fault_remove(skip_access, &c);
    run_code(&c, NULL);
}

static void be_sent_a_fault(void)
{
    static struct code c;

    c = make_code();
    signal(SIGBUS, SIG_DFL);
    fault_add(skip_access, &c);
    raise(SIGBUS);
}

static void broken_programs_die(void **state)
{
    int status;

    (void)state;
    status = status_of(crash_in_hook);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
    status = status_of(crash_after_removal);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
    status = status_of(be_sent_a_fault);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS);
}

static void exit_with_42(int signal)
{
    (void)signal;
    _exit(42);
}

static void exit_with_43(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)context;
    _exit(info->si_addr == (void *)8 ? 43 : 1);
}

/*
 * Handlers installed before the first hook are called for all other faults. Needs a process without
 * earlier hooks.
 */
static void old_handler(void)
{
    static struct code c;

    signal(SIGSEGV, exit_with_42);
    c = make_code();
    fault_add(skip_access, &c);
    if (run_code(&c, (void *)8) == UINT64_MAX)
        *nowhere = 1;
}

static void old_action(void)
{
    static struct code c;
    struct sigaction action = {.sa_sigaction = exit_with_43, .sa_flags = SA_SIGINFO};

    sigaction(SIGSEGV, &action, NULL);
    c = make_code();
    fault_add(skip_access, &c);
    if (run_code(&c, (void *)8) == UINT64_MAX)
        *nowhere = 1;
}

static void ignore_signal(void)
{
    static struct code c;

    signal(SIGSEGV, SIG_IGN);
    c = make_code();
    fault_add(skip_access, &c);
    raise(SIGSEGV);
    _exit(run_code(&c, (void *)8) == UINT64_MAX ? 44 : 1);
}

static void others_go_on(void **state)
{
    int status;

    (void)state;
    status = status_of(old_handler);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 42);
    status = status_of(old_action);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 43);
    status = status_of(ignore_signal);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 44);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        /* in child processes, as long as no hook is installed here */
        cmocka_unit_test(others_go_on),
        cmocka_unit_test(broken_programs_die),
        cmocka_unit_test(goes_on_elsewhere),
        cmocka_unit_test(has_room),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
