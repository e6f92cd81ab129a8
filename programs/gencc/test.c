/*
 * `gencc test`: random programs of a description against other simulators.
 */
#include "gencc/test/test.h"

#include <stdlib.h>
#include <string.h>

#include "gencc/referee/seed.h"
#include "programs/gencc/driver.h"

enum { MANY = 1000000000 };

struct arguments {
    struct driver d;
    struct test_options o;
    bool bad;
};

/* Reads an option with a number; returns false if the argument is another one. */
static bool read_number(struct arguments *a, int argc, char **argv, int *i)
{
    uint64_t value = 0;
    const char *v;

    if ((v = option_value(argc, argv, i, "count", &a->bad))) {
        a->bad |= !option_number("count", v, 1, UINT64_MAX, &a->o.count);
    } else if ((v = option_value(argc, argv, i, "seed", &a->bad))) {
        a->bad |= !option_number("seed", v, 0, UINT64_MAX, &a->o.seed);
    } else if ((v = option_value(argc, argv, i, "seconds", &a->bad))) {
        a->bad |= !option_number("seconds", v, 1, MANY, &value);
        a->o.seconds = (unsigned)value;
    } else if ((v = option_value(argc, argv, i, "length", &a->bad))) {
        a->bad |= !option_number("length", v, 1, 16, &value);
        a->o.length = (unsigned)value;
    } else if ((v = option_value(argc, argv, i, "undefined", &a->bad))) {
        a->bad |= !option_number("undefined", v, 1, MANY, &value);
        a->o.undefined = (unsigned)value;
    } else if ((v = option_value(argc, argv, i, "failures", &a->bad))) {
        a->bad |= !option_number("failures", v, 1, MANY, &value);
        a->o.failures = (unsigned)value;
    } else {
        return false;
    }
    return true;
}

static bool add(const char **list, unsigned *count, unsigned most, const char *v)
{
    if (*count == most) {
        fprintf(stderr, "gencc test: at most %u of an option\n", most);
        return false;
    }
    list[(*count)++] = v;
    return true;
}

/* Reads an option with a text; returns false if the argument is another one. */
static bool read_text(struct arguments *a, int argc, char **argv, int *i)
{
    struct test_options *o = &a->o;
    const char *v;

    if ((v = option_value(argc, argv, i, "referee", &a->bad)))
        a->bad |= !add(o->peer, &o->peer_count, TEST_PEERS, v);
    else if ((v = option_value(argc, argv, i, "skip", &a->bad)))
        a->bad |= !add(o->skip, &o->skip_count, sizeof(o->skip) / sizeof(*o->skip), v);
    else if ((v = option_value(argc, argv, i, "left-out", &a->bad)))
        a->bad |=
            !add(o->left_out, &o->left_out_count, sizeof(o->left_out) / sizeof(*o->left_out), v);
    else if ((v = option_value(argc, argv, i, "set", &a->bad)))
        a->bad |= !add(o->set, &o->set_count, sizeof(o->set) / sizeof(*o->set), v);
    else if ((v = option_value(argc, argv, i, "output", &a->bad)))
        o->output = v;
    else if (!strcmp(argv[*i], "--show"))
        o->show = true;
    else if ((v = option_value(argc, argv, i, "only", &a->bad)))
        o->only = v;
    else if (!strcmp(argv[*i], "--list"))
        o->list = true;
    else
        return false;
    return true;
}

static int test_description(struct arguments *a)
{
    int status = 0;

    a->o.isa = a->d.isa;
    if (!driver_load(&a->d, STAGE_OPTIMISED, &status))
        return status;
    printf("seed %llu\n", (unsigned long long)a->o.seed);
    fflush(stdout);
    return test_run(a->d.model, &a->o);
}

/* The command, quoted for a shell, without the seed. */
static char *command_line(int argc, char **argv)
{
    char *line = NULL;
    size_t size;
    FILE *o = open_memstream(&line, &size);

    if (!o)
        return NULL;
    fputs("gencc test", o);
    for (int i = 1; i < argc; i++) {
        bool plain = argv[i][strcspn(argv[i], " '\"*?[]$&;|<>()\\")] == 0;

        if (!strncmp(argv[i], "--seed", 6)) {
            i += argv[i][6] == 0;
            continue;
        }
        fprintf(o, plain ? " %s" : " '%s'", argv[i]);
    }
    fclose(o);
    return line;
}

int command_test(int argc, char **argv)
{
    static struct arguments a;
    char *again;
    int status;

    a.o = (struct test_options){.seed = seed_default(), .count = 20000, .length = 6, .failures = 1};
    for (int i = 1; i < argc && !a.bad; i++) {
        if (read_number(&a, argc, argv, &i) || a.bad || read_text(&a, argc, argv, &i) || a.bad ||
            driver_option(&a.d, argc, argv, &i, &a.bad) || a.bad)
            continue;
        if (argv[i][0] == '-' || a.d.arch)
            return bad_argument("test", argv[i]);
        a.d.arch = argv[i];
    }
    if (a.bad)
        return 2;
    if (!a.d.arch || (!a.o.peer_count && !a.o.output)) {
        fprintf(stderr, "gencc test: %s is missing\n",
                a.d.arch ? "--referee COMMAND or --output DIR" : "FILE.ac");
        return 2;
    }
    a.o.again = again = command_line(argc, argv);
    status = test_description(&a);
    free(again);
    driver_free(&a.d);
    return status;
}
