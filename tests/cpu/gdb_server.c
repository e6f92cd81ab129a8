/*
 * Two toy CPUs behind the GDB server, presented as AArch64 so that a real GDB accepts them. Prints
 * its port; exits with the virtual time when GDB kills it.
 *
 *     gdb_server run|stop|plain [ADDRESS]
 *
 * stop: waits for GDB at once; plain: does so too, and shows the registers under their own names.
 */
#include "runtime/cpu/gdb.h"
#include "tests/cpu/bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct gdb_register core[34], fpu[34];
static char names[64][8], sources[32][8];

static const struct gdb_feature features[] = {
    {"org.gnu.gdb.aarch64.core", NULL, core, 34},
    {"org.gnu.gdb.aarch64.fpu", NULL, fpu, 34},
};
static const struct gdb_target target = {"aarch64", features, 2};

static void fill_target(void)
{
    for (unsigned n = 0; n < 31; n++) {
        snprintf(names[n], sizeof(names[n]), "x%u", n);
        snprintf(sources[n], sizeof(sources[n]), n < 16 ? "X%u" : "", n);
        core[n] = (struct gdb_register){names[n], 64, "int", sources[n]};
    }
    core[31] = (struct gdb_register){"sp", 64, "data_ptr", "X14"};
    core[32] = (struct gdb_register){"pc", 64, "code_ptr", "PC"};
    core[33] = (struct gdb_register){"cpsr", 32, "int", "MASK@7:1 X15@28:4"};
    for (unsigned n = 0; n < 32; n++) {
        snprintf(names[32 + n], sizeof(names[0]), "v%u", n);
        fpu[n] = (struct gdb_register){names[32 + n], 128, "uint128", ""};
    }
    fpu[32] = (struct gdb_register){"fpsr", 32, "int", ""};
    fpu[33] = (struct gdb_register){"fpcr", 32, "int", ""};
}

/* CPU 0 calls a routine that adds, and stores the sum; CPU 1 counts in its own loop. */
static void load_programs(struct bench *b)
{
    CODE(b, RAM, toy_word(TOY_ADDI, 1, 1, 1), toy_word(TOY_JR, 0, 3, 0),
         toy_word(TOY_ST64, 2, 5, 0x20), toy_word(TOY_B, 0, 0, -3));
    CODE(b, RAM + 0x1000, toy_word(TOY_ADD, 2, 1, 0), toy_word(TOY_JR, 0, 4, 0));
    CODE(b, RAM + 0x2000, toy_word(TOY_ADDI, 1, 1, 1), toy_word(TOY_LD64, 7, 5, 0x28),
         toy_word(TOY_B, 0, 0, -2));
    X(b, 3) = RAM + 0x1000;
    X(b, 4) = RAM + 8;
    X(b, 5) = DATA;
    X(b, 15) = 9;
    b->cpu[1]->pc = RAM + 0x2000;
    toy_state(b->cpu[1])->x[5] = DATA;
    cpu_set_power(b->cpu[1], true);
}

/* Monitor command: prints its own line; "much" 20,000 times. */
static void run_monitor_command(void *opaque, struct cpu *cpu, const char *line, FILE *out)
{
    (void)opaque;
    for (unsigned n = 0; n < (strcmp(line, "much") ? 1 : 20000); n++)
        fprintf(out, "%u%s\n", cpu->number, line);
}

int main(int argc, char **argv)
{
    struct bench *b = bench_new(2);
    struct gdb_config config = {.group = &b->group, .target = &target, .address = "tcp::0"};
    struct error err = {0};
    enum gdb_verdict verdict;
    struct gdb *gdb;

    config.monitor = run_monitor_command;
    fill_target();
    load_programs(b);
    config.log = &b->log;
    config.stopped = argc > 1 && strcmp(argv[1], "run");
    if (argc > 1 && !strcmp(argv[1], "plain"))
        config.target = NULL;
    if (argc > 2)
        config.address = argv[2];
    gdb = gdb_new(&config, &err);
    if (!gdb) {
        fprintf(stderr, "%s\n", err.text);
        bench_free(b);
        return 2;
    }
    printf("%u\n", gdb_port(gdb));
    fflush(stdout);
    while ((verdict = gdb_serve(gdb)) != GDB_END) {
        if (verdict == GDB_RUN)
            cpu_group_turn(&b->group);
        else if (verdict == GDB_WAIT)
            clock_wait_posted(&b->clock, CLOCK_NEVER);
        clock_run_posted(&b->clock);
    }
    printf("%" PRIu64 "\n", b->clock.now);
    gdb_free(gdb);
    bench_free(b);
    return 0;
}
