/* The monitor's commands: a table, which GDB's `monitor` and the monitor of -monitor share. */
#include "runtime/machine/monitor_internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/base/values.h"

/* ---- commands -------------------------------------------------------------------------------- */

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
    {"help|?", "[COMMAND]", "these lines, or a command's", run_help, false, NULL},
    {"info", "WHAT", "tells of:", .words = &monitor_infos},
    {"gpu", "WHAT", "the GPU's:", .words = &monitor_gpu},
    {"stop|s", NULL, "the machine stands still", run_stop, false, NULL},
    {"cont|c", NULL, "the machine runs", run_cont, false, NULL},
    {"cpu", "N", "the CPU that the following commands are about", run_cpu, true, NULL},
    {"x", "/FORMAT ADDRESS", "virtual memory: [COUNT][x|d|u|o|c|i][b|h|w|g]; $pc is a register",
     monitor_x, true, NULL},
    {"xp", "/FORMAT ADDRESS | ADDRESS [COUNT]", "the same of physical memory; bytes", monitor_xp,
     true, NULL},
    {"print|p", "[/FORMAT] NUMBER[+-NUMBER]", "a number, or $REGISTER, in a format as x has it",
     monitor_print, true, NULL},
    {"memsave", "ADDRESS SIZE FILE", "write virtual memory to a file", monitor_memsave, true, NULL},
    {"pmemsave", "ADDRESS SIZE FILE", "the same of physical memory", monitor_pmemsave, true, NULL},
    {"gva2gpa|translate", "ADDRESS", "the physical address behind a virtual one", monitor_translate,
     true, NULL},
    {"log", "CHANNEL[,CHANNEL…]|none|help", "log these too, as -d", run_log, true, NULL},
    {"screendump", "FILE.png", "write a picture of the screen", run_screendump, true, NULL},
    {"stats", "DIR", "write stats.json and stats.txt there", run_stats, true, NULL},
    {"savevm", "NAME", "write a snapshot of the machine, as soon as no GPU job runs",
     monitor_savevm, true, NULL},
    {"loadvm", "NAME", "go back to a snapshot", monitor_loadvm, true, NULL},
    {"delvm", "NAME", "delete a snapshot", monitor_delvm, true, NULL},
    {"goto", "SECONDS", "go back to this virtual time, with -reverse", monitor_goto, true, NULL},
    {"system_reset|reset", NULL, "restart the machine", run_reset, false, NULL},
    {"quit|q", NULL, "end the simulation", run_quit, false, NULL},
};
static const struct monitor_table all = {commands, ARRAY_SIZE(commands), "command"};

/* ---- the tables ------------------------------------------------------------------------------ */

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

static const struct monitor_row *find_row(const struct monitor_table *table, const char *line)
{
    for (size_t i = 0; i < table->count; i++) {
        if (is_named(&table->rows[i], line, word_length(line)))
            return &table->rows[i];
    }
    return NULL;
}

static void print_row(const struct monitor_row *row, const char *indent, FILE *out)
{
    fprintf(out, "%s%s%s%s: %s\n", indent, row->name, row->arg ? " " : "", row->arg ? row->arg : "",
            row->help);
    for (size_t i = 0; row->words && i < row->words->count; i++)
        print_row(&row->words->rows[i], "    ", out);
}

static bool report_unknown(const struct monitor_table *table, const char *line, struct error *err)
{
    size_t len = word_length(line);

    return error_set(err, "no %s '%.*s' ('help' lists them)", table->what,
                     (int)(len < 40 ? len : 40), line);
}

/* Runs the command that the line begins with. The error of an unknown one is "no `what` …". */
static bool dispatch_line(const struct monitor_table *table, const struct monitor_call *c,
                          const char *line, struct error *err)
{
    const struct monitor_row *row = find_row(table, line);
    int len = (int)word_length(line);
    struct monitor_call call = *c;

    if (!row)
        return report_unknown(table, line, err);
    call.arg = line + len + strspn(line + len, " \t");
    if (row->words && !*call.arg) {
        print_row(row, "", c->out);
        return true;
    }
    if (row->words)
        return dispatch_line(row->words, c, call.arg, err);
    if (!*call.arg && row->needs_arg)
        return error_set(err, "'%.*s' needs %s", len, line, row->arg);
    if (*call.arg && !row->arg)
        return error_set(err, "'%.*s' takes nothing", len, line);
    return row->run(&call, err);
}

static bool run_help(const struct monitor_call *c, struct error *err)
{
    const struct monitor_row *row = *c->arg ? find_row(&all, c->arg) : NULL;

    if (*c->arg && !row)
        return report_unknown(&all, c->arg, err);
    if (row)
        print_row(row, "", c->out);
    for (size_t i = 0; !row && i < all.count; i++)
        print_row(&all.rows[i], "", c->out);
    return true;
}

void monitor_line(const struct monitor_call *c, const char *line)
{
    char *text = xstrdup(line + strspn(line, " \t"));
    size_t len = strlen(text);
    struct error err = {0};

    while (len && isspace((unsigned char)text[len - 1]))
        text[--len] = 0;
    if (!dispatch_line(&all, c, len ? text : "help", &err))
        fprintf(c->out, "%s\n", err.text);
    free(text);
}

void monitor_command(void *machine, struct cpu *cpu, const char *line, FILE *out)
{
    const struct monitor_call call = {.m = machine, .cpu = cpu, .arg = "", .out = out};

    monitor_line(&call, line);
}
