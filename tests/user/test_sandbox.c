/*
 * What the filter of -sandbox says of system calls of this host. Its program runs here, not in the
 * kernel: emulators of hosts take no filters.
 *
 * Sources: Linux Documentation/userspace-api/seccomp_filter.rst, and networking/filter.rst for the
 * machine.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "runtime/base/bits.h"
#include "runtime/user/user.h"

#if defined(__x86_64__)
#define OWN   AUDIT_ARCH_X86_64
#define OTHER AUDIT_ARCH_I386
#elif defined(__aarch64__)
#define OWN   AUDIT_ARCH_AARCH64
#define OTHER AUDIT_ARCH_ARM
#else
#define OWN   0
#define OTHER 0
#endif

/* Whether a jump of the machine is taken. */
static bool is_taken(const struct sock_filter *f, uint32_t a)
{
    switch (BPF_OP(f->code)) {
    case BPF_JEQ:
        return a == f->k;
    case BPF_JGT:
        return a > f->k;
    case BPF_JSET:
        return a & f->k;
    default:
        fail_msg("no jump: %#x", f->code);
        return false;
    }
}

/* What the program returns for a call. */
static uint32_t run_filter(const struct sock_filter *code, size_t n,
                           const struct seccomp_data *data)
{
    uint32_t a = 0;

    for (size_t pc = 0; pc < n; pc++) {
        const struct sock_filter *f = &code[pc];

        switch (BPF_CLASS(f->code)) {
        case BPF_LD:
            assert_int_equal(f->code, BPF_LD | BPF_W | BPF_ABS);
            assert_true(f->k % 4 == 0 && f->k < sizeof(*data));
            memcpy(&a, (const char *)data + f->k, sizeof(a));
            break;
        case BPF_JMP:
            pc += is_taken(f, a) ? f->jt : f->jf;
            break;
        case BPF_RET:
            assert_int_equal(f->code, BPF_RET | BPF_K);
            return f->k;
        default:
            fail_msg("no instruction of these programs: %#x", f->code);
        }
    }
    fail_msg("the program runs over its end");
    return 0;
}

enum { ALLOWED = 0, KILLED = -1 }; /* others: the error */

static const struct {
    uint32_t arch;
    int call;
    uint64_t first, second; /* arguments */
    int want;
} cases[] = {
    {OWN, SYS_read, 0, 0, ALLOWED},
    {OWN, SYS_openat, 0, 0, ALLOWED},
    {OWN, SYS_writev, 0, 0, ALLOWED},
    {OWN, SYS_rt_sigreturn, 0, 0, ALLOWED},
    {OWN, SYS_execve, 0, 0, ALLOWED},
    {OWN, SYS_ptrace, 0, 0, EPERM},
    {OWN, SYS_process_vm_readv, 0, 0, EPERM},
    {OWN, SYS_process_vm_writev, 0, 0, EPERM},
    {OWN, SYS_mount, 0, 0, EPERM},
    {OWN, SYS_unshare, 0, 0, EPERM},
    {OWN, SYS_setns, 0, 0, EPERM},
    {OWN, SYS_init_module, 0, 0, EPERM},
    {OWN, SYS_bpf, 0, 0, EPERM},
    {OWN, SYS_perf_event_open, 0, 0, EPERM},
    {OWN, SYS_keyctl, 0, 0, EPERM},
    {OWN, SYS_io_uring_setup, 0, 0, EPERM},
    {OWN, SYS_userfaultfd, 0, 0, EPERM},
    {OWN, SYS_clone3, 0, 0, ENOSYS},
    {OWN, SYS_clone, CLONE_VM | CLONE_THREAD, 0, ALLOWED},
    {OWN, SYS_clone, CLONE_NEWUSER, 0, EPERM},
    {OWN, SYS_clone, CLONE_NEWPID, 0, EPERM},
    {OWN, SYS_ioctl, 0, TIOCGWINSZ, ALLOWED},
    {OWN, SYS_ioctl, 0, TIOCSTI, EPERM},
    {OWN, SYS_ioctl, 0, UINT64_C(1) << 32 | TIOCSTI, EPERM}, /* the kernel reads 32 bits */
    {OWN, SYS_socket, AF_INET6, 0, ALLOWED},
    {OWN, SYS_socket, AF_UNIX, 0, ALLOWED},
    {OWN, SYS_socket, AF_PACKET, 0, EAFNOSUPPORT},
    {OWN, 0x40000000 | SYS_read, 0, 0, ENOSYS}, /* x32's numbers */
    {OTHER, SYS_read, 0, 0, KILLED},
};

static uint32_t action_for(int want)
{
    switch (want) {
    case ALLOWED:
        return SECCOMP_RET_ALLOW;
    case KILLED:
        return SECCOMP_RET_KILL_PROCESS;
    default:
        return SECCOMP_RET_ERRNO | (uint32_t)want;
    }
}

static void test_filter(void **state)
{
    struct sock_filter code[SANDBOX_FILTER];
    size_t n = sandbox_filter(code);

    (void)state;
    if (!OWN)
        return assert_int_equal(n, 0);
    for (size_t k = 0; k < ARRAY_SIZE(cases); k++) {
        const struct seccomp_data data = {
            .nr = cases[k].call, .arch = cases[k].arch, .args = {cases[k].first, cases[k].second}};
        uint32_t action = run_filter(code, n, &data);

        if (action != action_for(cases[k].want))
            fail_msg("call %d (%#llx, %#llx): %#x", data.nr, (unsigned long long)data.args[0],
                     (unsigned long long)data.args[1], action);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_filter)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
