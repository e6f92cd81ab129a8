/* -strace: system calls and signals as lines on the simulator's copy of standard error. */
#include "runtime/user/user.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Characters of a string that are shown. */
#define MAX_SHOWN 64

/* A line, written by one write() so that lines of several processes do not mix. */
struct line {
    char text[1024];
    size_t len;
};

__attribute__((format(printf, 2, 3))) static void append_format(struct line *l, const char *fmt,
                                                                ...)
{
    va_list args;
    int n;

    va_start(args, fmt);
    n = vsnprintf(l->text + l->len, sizeof(l->text) - l->len, fmt, args);
    va_end(args);
    l->len += n > 0 ? (size_t)n : 0;
    l->len = l->len < sizeof(l->text) ? l->len : sizeof(l->text) - 1;
}

static void write_line(const struct thread *t, const struct line *l)
{
    ssize_t wrote = write(t->process->strace_fd, l->text, l->len);

    (void)wrote; /* errors of the trace are not the program's */
}

static void put_string(struct thread *t, struct line *l, uint64_t va)
{
    const char *text = va ? guest_string(t, va) : NULL;

    if (!text) {
        append_format(l, va ? "%#" PRIx64 : "NULL", va);
        return;
    }
    append_format(l, "\"");
    for (unsigned n = 0; text[n] && n < MAX_SHOWN; n++)
        append_format(l, isprint((unsigned char)text[n]) ? "%c" : "\\%03o", (unsigned char)text[n]);
    append_format(l, strlen(text) > MAX_SHOWN ? "\"..." : "\"");
}

static void put_arg(struct thread *t, struct line *l, char format, uint64_t value)
{
    switch (format) {
    case 'd':
    case 'n':
    case 'g':
    case 'h':
    case 'c':
    case 'k':
    case 'l':
        append_format(l, "%" PRId64, value >> 32 ? (int64_t)value : (int32_t)value);
        break;
    case 'u':
        append_format(l, "%" PRIu64, value);
        break;
    case 'o':
        append_format(l, "%#" PRIo64, value);
        break;
    case 's':
        put_string(t, l, value);
        break;
    case 'f':
        append_format(l, "%#" PRIo64, value & 0xffffffff);
        break;
    default:
        append_format(l, value || format != 'p' ? "%#" PRIx64 : "NULL", value);
        break;
    }
}

static void put_call(struct thread *t, struct line *l, const struct user_call *call,
                     const uint64_t *arg)
{
    append_format(l, "%d %s(", t->tid, call->name);
    for (unsigned n = 0; call->format[n]; n++) {
        append_format(l, n ? ", " : "");
        put_arg(t, l, call->format[n], arg[n]);
    }
    append_format(l, ")");
}

/* Prints calls that do not return; strace_result() prints all others. */
void strace_call(struct thread *t, const struct user_call *call, const uint64_t *arg)
{
    struct line l = {.len = 0};

    if (call != &call_exit && call != &call_exit_group && call != &call_execve)
        return;
    put_call(t, &l, call, arg);
    append_format(&l, "\n");
    write_line(t, &l);
}

void strace_result(struct thread *t, const struct user_call *call, int64_t result)
{
    struct line l = {.len = 0};

    if (call == &call_exit || call == &call_exit_group)
        return;
    put_call(t, &l, call, t->wait.arg);
    if (result == CALL_RESTART || result == CALL_REPEAT || result == CALL_AGAIN)
        append_format(&l, " = ? (interrupted)\n");
    else if (result == CALL_LEAVES)
        append_format(&l, " = ?\n");
    else if (result < 0)
        append_format(&l, " = -1 %s (%s)\n", strerrorname_np((int)-result), strerror((int)-result));
    else
        append_format(&l, result > 0xffff ? " = %#" PRIx64 "\n" : " = %" PRId64 "\n", result);
    write_line(t, &l);
}

void strace_unknown(struct thread *t, uint64_t number, const uint64_t *arg)
{
    struct line l = {.len = 0};

    append_format(&l, "%d call_%" PRIu64 "(%#" PRIx64 ", %#" PRIx64 ", %#" PRIx64 ") = -1 ENOSYS\n",
                  t->tid, number, arg[0], arg[1], arg[2]);
    write_line(t, &l);
}

void strace_signal(struct thread *t, const siginfo_t *info)
{
    const char *name = sigabbrev_np(info->si_signo);
    struct line l = {.len = 0};

    append_format(&l, "%d --- SIG%s {si_code=%d, si_addr=%#" PRIx64 "} ---\n", t->tid,
                  name ? name : "RT", info->si_code, (uint64_t)(uintptr_t)info->si_addr);
    write_line(t, &l);
}
