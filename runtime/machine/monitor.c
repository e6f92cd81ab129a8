/* The monitor's commands: a table, which GDB's `monitor` and the monitor of -monitor share. */
#include "runtime/machine/monitor_internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/base/values.h"

/* ---- commands -------------------------------------------------------------------------------- */

static bool run_info(const struct monitor_call *c, struct error *err);
static bool run_help(const struct monitor_call *c, struct error *err);

static bool run_log(const struct monitor_call *c, struct error *err)
{
    if (!strcmp(c->arg, "help")) {
        log_help(c->out);
        return true;
    }
    if (!strcmp(c->arg, "none")) {
        c->m->log.mask = 0;
        return true;
    }
    return log_parse_channels(&c->m->log, c->arg, err);
}

static bool run_screendump(const struct monitor_call *c, struct error *err)
{
    return machine_dump_screen(c->m, c->arg, err);
}

static bool run_stats(const struct monitor_call *c, struct error *err)
{
    return stats_write(c->m->stats, c->arg, err);
}

static bool run_reset(const struct monitor_call *c, struct error *err)
{
    (void)err;
    machine_request_reset(c->m);
    if (c->m->options->no_reboot)
        fprintf(c->out, "a reset ends the machine (-no-reboot)\n");
    else if (!c->chosen)
        fprintf(c->out, "the machine is reset; GDB forgets what it knows of registers with "
                        "'maintenance flush register-cache'\n");
    return true;
}

static bool run_quit(const struct monitor_call *c, struct error *err)
{
    (void)err;
    machine_stop(c->m, 0);
    return true;
}

static bool run_stop(const struct monitor_call *c, struct error *err)
{
    (void)err;
    c->m->paused = true;
    return true;
}

static bool run_cont(const struct monitor_call *c, struct error *err)
{
    (void)err;
    c->m->paused = false;
    return true;
}

static bool run_cpu(const struct monitor_call *c, struct error *err)
{
    uint64_t n = 0;

    if (!c->chosen)
        return error_set(err, "GDB's 'thread' chooses the CPU");
    if (!value_number(c->arg, "cpu", 0, c->m->cpu_count - 1, &n, err))
        return false;
    *c->chosen = c->m->cpus[n];
    return true;
}

static const struct monitor_row commands[] = {
    {"help|?", NULL, "these lines", run_help, false},
    {"info", "WHAT", "tells of:", run_info, true},
    {"stop|s", NULL, "the machine stands still", run_stop, false},
    {"cont|c", NULL, "the machine runs", run_cont, false},
    {"cpu", "N", "the CPU that the following commands are about", run_cpu, true},
    {"x", "/FORMAT ADDRESS", "virtual memory: [COUNT][x|d|u|o|c|i][b|h|w|g]; $pc is a register",
     monitor_x, true},
    {"xp", "/FORMAT ADDRESS | ADDRESS [COUNT]", "the same of physical memory; bytes", monitor_xp,
     true},
    {"gva2gpa|translate", "ADDRESS", "the physical address behind a virtual one", monitor_translate,
     true},
    {"log", "CHANNEL[,CHANNEL…]|none|help", "log these too, as -d", run_log, true},
    {"screendump", "FILE.png", "write a picture of the screen", run_screendump, true},
    {"stats", "DIR", "write stats.json and stats.txt there", run_stats, true},
    {"system_reset|reset", NULL, "restart the machine", run_reset, false},
    {"quit|q", NULL, "end the simulation", run_quit, false},
};

/* ---- the tables ------------------------------------------------------------------------------ */

static void print_table(const struct monitor_row *table, size_t count, const char *indent,
                        FILE *out)
{
    for (size_t i = 0; i < count; i++) {
        const struct monitor_row *command = &table[i];

        fprintf(out, "%s%s%s%s: %s\n", indent, command->name, command->arg ? " " : "",
                command->arg ? command->arg : "", command->help);
        if (command->run == run_info)
            print_table(monitor_infos, monitor_info_count, "    ", out);
    }
}

static bool run_help(const struct monitor_call *c, struct error *err)
{
    (void)err;
    print_table(commands, ARRAY_SIZE(commands), "", c->out);
    return true;
}

/* Whether the word is one of a row's names. */
static bool is_named(const struct monitor_row *row, const char *word, size_t len)
{
    for (const char *name = row->name; *name; name += *name == '|') {
        size_t n = strcspn(name, "|");

        if (n == len && !strncmp(name, word, len))
            return true;
        name += n;
    }
    return false;
}

/* The length of a command's name, which a format may follow without a blank: "x/4xw". */
static size_t word_length(const char *line)
{
    return strcspn(line, " \t/");
}

/* Runs the command that the line begins with. The error of an unknown one is "no `what` …". */
static bool dispatch(const struct monitor_row *table, size_t count, const char *what,
                     const struct monitor_call *c, const char *line, struct error *err)
{
    size_t len = word_length(line);
    struct monitor_call call = *c;

    for (size_t i = 0; i < count; i++) {
        const struct monitor_row *command = &table[i];

        if (!is_named(command, line, len))
            continue;
        call.arg = line + len + strspn(line + len, " \t");
        if (!*call.arg && command->needs_arg)
            return error_set(err, "'%.*s' needs %s", (int)len, line, command->arg);
        if (*call.arg && !command->arg)
            return error_set(err, "'%.*s' takes nothing", (int)len, line);
        return command->run(&call, err);
    }
    return error_set(err, "no %s '%.*s' ('help' lists them)", what, (int)(len < 40 ? len : 40),
                     line);
}

static bool run_info(const struct monitor_call *c, struct error *err)
{
    return dispatch(monitor_infos, monitor_info_count, "such info as", c, c->arg, err);
}

void monitor_line(const struct monitor_call *c, const char *line)
{
    char *text = xstrdup(line + strspn(line, " \t"));
    size_t len = strlen(text);
    struct error err = {0};

    while (len && isspace((unsigned char)text[len - 1]))
        text[--len] = 0;
    if (!dispatch(commands, ARRAY_SIZE(commands), "command", c, len ? text : "help", &err))
        fprintf(c->out, "%s\n", err.text);
    free(text);
}

void monitor_command(void *machine, struct cpu *cpu, const char *line, FILE *out)
{
    const struct monitor_call call = {.m = machine, .cpu = cpu, .arg = "", .out = out};

    monitor_line(&call, line);
}
