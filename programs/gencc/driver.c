/*
 * Shared by the commands: finds and loads descriptions, reads common options.
 */
#include "programs/gencc/driver.h"
#include "gencc/check/assembly.h"
#include "gencc/model/bundle.h"
#include "gencc/disasm/disasm.h"

#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- finding the architecture of an ISA ------------------------------------------------------ */

/* State of the search for a file. nftw() passes no argument to its callback, and gencc has one
 * thread. */
static struct {
    const char *isa;
    char found[4096];
} finder;

/* Whether a line of the file contains the text. */
static bool file_has(const char *path, const char *text)
{
    FILE *f = fopen(path, "r");
    char line[512];
    bool hit = false;

    while (f && !hit && fgets(line, sizeof(line), f))
        hit = strstr(line, text) != NULL;
    if (f)
        fclose(f);
    return hit;
}

/* Whether the line names the file of the ISA, which is in the folder of the architecture file. */
static bool line_names_isa(const char *path, const char *line, const char *isa)
{
    char file[128], beside[4096], want[160];
    const char *at = strstr(line, "ac_isa(\""), *slash = strrchr(path, '/');

    if (!at || sscanf(at, "ac_isa(\"%127[^\"]\")", file) != 1)
        return false;
    snprintf(beside, sizeof(beside), "%.*s%s", slash ? (int)(slash + 1 - path) : 0, path, file);
    snprintf(want, sizeof(want), "AC_ISA(%s)", isa);
    return file_has(beside, want);
}

static bool names_isa(const char *path, const char *isa)
{
    char line[512];
    bool hit = false;
    FILE *f = file_has(path, "AC_ARCH") ? fopen(path, "r") : NULL;

    while (f && !hit && fgets(line, sizeof(line), f))
        hit = line_names_isa(path, line, isa);
    if (f)
        fclose(f);
    return hit;
}

static int visit_file(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    size_t len = strlen(path);

    (void)st;
    (void)ftw;
    if (type != FTW_F || len < 3 || strcmp(path + len - 3, ".ac") || !names_isa(path, finder.isa))
        return 0;
    snprintf(finder.found, sizeof(finder.found), "%s", path);
    return 1;
}

static const char *find_arch(struct driver *d)
{
    finder.isa = d->isa;
    finder.found[0] = 0;
    nftw(folder_descriptions(&d->arena), visit_file, 16, FTW_PHYS);
    return finder.found[0] ? arena_strdup(&d->arena, finder.found) : NULL;
}

/* ---- loading --------------------------------------------------------------------------------- */

void driver_print_count(const struct diag *d)
{
    unsigned errors = d->errors - d->hidden + d->fatal, warnings = d->warnings - d->fatal;

    fprintf(stderr, "gencc: %u error%s, %u warning%s\n", errors, errors == 1 ? "" : "s", warnings,
            warnings == 1 ? "" : "s");
}

bool driver_failed(struct driver *d, int *status)
{
    if (!d->diag.errors && !d->diag.fatal)
        return false;
    *status = d->diag.unreadable ? 2 : 1;
    driver_print_count(&d->diag);
    return true;
}

static enum lower_level level_of(enum driver_stage stage)
{
    if (stage == STAGE_OPTIMISED)
        return LOWER_OPTIMISE;
    return stage == STAGE_WORDS ? LOWER_WORDS : LOWER_CHECK;
}

/* Whether the requested ISA needs this one: bundles consist of words of other ISAs. */
static bool is_needed(const struct driver *d, const struct isa *isa)
{
    const struct isa *asked = d->isa ? model_isa(d->model, d->isa) : d->model->isas.data[0];

    return asked == isa || asked->bundle;
}

bool driver_load(struct driver *d, enum driver_stage stage, int *status)
{
    const struct ast_arch *ast;

    d->diag.arena = &d->arena;
    d->diag.out = stderr;
    if (!d->arch && d->isa)
        d->arch = find_arch(d);
    if (!d->arch) {
        if (d->isa)
            fprintf(stderr,
                    "gencc: no architecture below '%s' has an ISA '%s'; name one with "
                    "--arch FILE\n",
                    folder_descriptions(&d->arena), d->isa);
        else
            fprintf(stderr, "gencc: expected the path of an architecture file (.ac)\n");
        *status = 2;
        return false;
    }
    ast = ast_parse_arch(&d->diag, d->arch);
    if (!ast) {
        *status = 2;
        return false;
    }
    if ((stage == STAGE_AST || d->diag.unreadable) && driver_failed(d, status))
        return false;
    d->model = arena_new(&d->arena, struct model);
    d->model->ast = ast;
    if (stage == STAGE_AST)
        return true;
    diag_end_stage(&d->diag);
    d->model = model_build(&d->arena, &d->diag, ast);
    if ((!d->model || stage < STAGE_CHECKED) && driver_failed(d, status))
        return false;
    if (!d->model) {
        *status = 1;
        return false;
    }
    if (d->isa && !driver_isa(d, status))
        return false;
    diag_end_stage(&d->diag);
    if (stage >= STAGE_CHECKED)
        vec_for_each (&d->model->isas, isa)
            if (stage != STAGE_WORDS || is_needed(d, *isa))
                lower_isa(*isa, level_of(stage));
    if (stage >= STAGE_CHECKED && d->diag.errors) /* finds errors in asm lines, too */
        vec_for_each (&d->model->isas, isa)
            if (lower_of(*isa))
                text_prepare(*isa);
    return !driver_failed(d, status);
}

bool driver_check_text(struct driver *d, int *status)
{
    vec_for_each (&d->model->isas, isa) {
        struct text *t = text_prepare(*isa);

        if (t && !(*isa)->bundle)
            check_assembly(*isa, t);
    }
    vec_for_each (&d->model->isas, isa)
        lower_judge_unused(*isa);
    model_judge(d->model);
    diag_report_verdicts(&d->diag);
    return !driver_failed(d, status);
}

struct isa *driver_isa(struct driver *d, int *status)
{
    struct isa *isa;

    if (!d->isa && d->model->isas.len)
        return d->model->isas.data[0];
    isa = d->isa ? model_isa(d->model, d->isa) : NULL;
    if (!isa) {
        fprintf(stderr, "gencc: '%s' has no ISA '%s'\n", d->arch, d->isa ? d->isa : "");
        *status = 2;
    }
    return isa;
}

bool driver_has_bundles(const char *command, const struct isa *isa)
{
    if (!isa->bundle)
        return false;
    fprintf(stderr, "gencc %s: the words of '%s' are bundles; expected the ISA of a unit:", command,
            isa->name);
    vec_for_each (&isa->bundle->units, u)
        fprintf(stderr, " %s", u->isa);
    fputc('\n', stderr);
    return true;
}

void driver_free(struct driver *d)
{
    arena_free(&d->arena);
}

/* ---- options --------------------------------------------------------------------------------- */

int bad_argument(const char *command, const char *arg)
{
    fprintf(stderr, "gencc %s: unexpected '%s'; see `gencc %s --help`\n", command, arg, command);
    return 2;
}

const char *option_value(int argc, char **argv, int *i, const char *name, bool *bad)
{
    const char *a = argv[*i];
    size_t len = strlen(name);

    if (a[0] != '-')
        return NULL;
    a += a[1] == '-' ? 2 : 1;
    if (strncmp(a, name, len))
        return NULL;
    if (a[len] == '=')
        return a + len + 1;
    if (a[len])
        return NULL;
    if (*i + 1 >= argc) {
        fprintf(stderr, "gencc: --%s needs a value\n", name);
        *bad = true;
        return NULL;
    }
    return argv[++*i];
}

bool option_number(const char *name, const char *text, uint64_t min, uint64_t max, uint64_t *out)
{
    char *end;

    errno = 0;
    *out = strtoull(text, &end, 0);
    if (*text && *text != '-' && !*end && !errno && *out >= min && *out <= max)
        return true;
    fprintf(stderr, "gencc: --%s is a number from %" PRIu64 " to %" PRIu64 ", not '%s'\n", name,
            min, max, text);
    return false;
}

bool driver_option(struct driver *d, int argc, char **argv, int *i, bool *bad)
{
    const char *v;

    if (!strncmp(argv[*i], "-W", 2))
        return diag_option(&d->diag, argv[*i]);
    if ((v = option_value(argc, argv, i, "arch", bad)))
        d->arch = v;
    else if (!*bad && (v = option_value(argc, argv, i, "isa", bad)))
        d->isa = v;
    return v != NULL;
}
