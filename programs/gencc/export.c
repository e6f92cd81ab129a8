/*
 * `gencc export`: a description for other programs.
 */
#include "gencc/export/export.h"
#include "programs/gencc/driver.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum export_format { SMT_LIB, DECODETREE, SLEIGH, FORMATS };

static const char *const format_names[FORMATS] = {"smt-lib", "decodetree", "sleigh"};

struct options {
    enum export_format format; /* FORMATS: none was given */
    uint64_t width;            /* of words; 0: not given */
    const char *out;           /* NULL: standard output */
    VEC(const char *) names;
};

/* The width of words to export: the one asked for, else the ISA's only one; 0 after reporting. */
static unsigned choose_width(const struct isa *isa, unsigned asked)
{
    if (!asked && isa->widths.len == 1)
        return isa->widths.data[0];
    vec_for_each (&isa->widths, w)
        if (*w == asked)
            return asked;
    fprintf(stderr, "gencc export: '%s' has words of", isa->name);
    vec_for_each (&isa->widths, w)
        fprintf(stderr, " %u", *w);
    fputs(" bits; --width says which to export\n", stderr);
    return 0;
}

/* Whether the format can express the ISA; reports why not. */
static bool can_express(const struct driver *d, const struct isa *isa,
                        const struct export_choice *c, const struct options *opt, unsigned *width)
{
    if (driver_has_bundles("export", isa))
        return false;
    if (d->model->is_lane) {
        fprintf(stderr, "gencc export: '%s' is an ISA of lanes, which no format can express\n",
                isa->name);
        return false;
    }
    if (!export_check_names("export", isa, c))
        return false;
    if (opt->format == SLEIGH && (isa->high_first || isa->widths.data[isa->widths.len - 1] > 64)) {
        fprintf(stderr, "gencc export: SLEIGH has no words as those of '%s'\n", isa->name);
        return false;
    }
    if (opt->format != DECODETREE)
        return true;
    *width = choose_width(isa, (unsigned)opt->width);
    if (*width && *width != 16 && *width != 32 && *width != 64) {
        fprintf(stderr, "gencc export: decodetree has no words of %u bits\n", *width);
        *width = 0;
    }
    return *width != 0;
}

/* Exports from a loaded description. Returns the exit status. */
static int export_isa(struct driver *d, const struct options *opt)
{
    int status = 0;
    struct isa *isa = driver_isa(d, &status);
    struct export_choice c = {opt->names.data, opt->names.len};
    unsigned left_out, width = 0;
    FILE *o = stdout;
    bool written;

    if (!isa)
        return status;
    if (!can_express(d, isa, &c, opt, &width))
        return 2;
    if (opt->out && !(o = fopen(opt->out, "w"))) {
        fprintf(stderr, "gencc export: %s: %s\n", opt->out, strerror(errno));
        return 2;
    }
    left_out = opt->format == SMT_LIB  ? export_smt(o, stderr, isa, &c)
               : opt->format == SLEIGH ? export_sleigh(o, stderr, isa, &c)
                                       : export_decodetree(o, stderr, isa, width, &c);
    if (left_out)
        fprintf(stderr, "gencc export: %u form%s left out\n", left_out, left_out == 1 ? "" : "s");
    written = !fflush(o) && !ferror(o);
    if (opt->out)
        written &= !fclose(o);
    if (!written)
        fprintf(stderr, "gencc export: %s: cannot be written\n", opt->out ? opt->out : "output");
    if (written && opt->format == SLEIGH && opt->out)
        written = export_sleigh_specs(opt->out, isa);
    return written ? 0 : 2;
}

static bool is_description(const char *name)
{
    size_t n = strlen(name);

    return n > 3 && !strcmp(name + n - 3, ".ac");
}

/* An argument that is not an option: format, description, instructions. */
static bool take_name(struct driver *d, struct options *opt, const char *name)
{
    if (opt->format == FORMATS) {
        opt->format = 0;
        while (opt->format < FORMATS && strcmp(format_names[opt->format], name))
            opt->format++;
        if (opt->format == FORMATS)
            fprintf(stderr,
                    "gencc export: '%s' is no format; there are smt-lib, decodetree and sleigh\n",
                    name);
        return opt->format < FORMATS;
    }
    if (!d->arch && is_description(name))
        d->arch = name;
    else
        vec_push(&opt->names, name);
    return true;
}

static bool read_options(struct driver *d, struct options *opt, int argc, char **argv)
{
    bool bad = false;
    const char *v;

    for (int i = 1; i < argc && !bad; i++) {
        if ((v = option_value(argc, argv, &i, "o", &bad)))
            opt->out = v;
        else if (!bad && (v = option_value(argc, argv, &i, "width", &bad)))
            bad = !option_number("width", v, 8, 128, &opt->width);
        else if (bad || driver_option(d, argc, argv, &i, &bad))
            continue;
        else if (!bad && argv[i][0] == '-')
            bad = bad_argument("export", argv[i]) != 0;
        else if (!bad)
            bad = !take_name(d, opt, argv[i]);
    }
    if (!bad && (opt->format == FORMATS || (!d->arch && !d->isa))) {
        fputs("gencc export: which format of which description? See gencc export --help.\n",
              stderr);
        bad = true;
    }
    return !bad;
}

int command_export(int argc, char **argv)
{
    struct driver d = {0};
    struct options opt = {.format = FORMATS};
    int status = 2;

    if (read_options(&d, &opt, argc, argv) && driver_load(&d, STAGE_OPTIMISED, &status))
        status = export_isa(&d, &opt);
    driver_free(&d);
    vec_free(&opt.names);
    return status;
}
