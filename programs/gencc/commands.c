/*
 * The commands check, prelude, build, dump, disasm and asm.
 */
#include "gencc/abi/abi.h"
#include "gencc/emit/emit.h"
#include "programs/gencc/driver.h"
#include "gencc/model/free.h"
#include "common/prelude/text.h"
#include "gencc/asm/words/asm.h"
#include "gencc/asm/command.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether C can be generated for the whole description: reports what `gencc build` would refuse. */
static bool can_be_built(struct driver *d, int *status)
{
    const struct emit_options opt = {.parts = 1, .jit = true};

    if (!emit_model(d->model, &opt))
        *status = 1;
    abi_write(d->model, d->model->name, NULL);
    return !driver_failed(d, status);
}

int command_check(int argc, char **argv)
{
    struct driver d = {0};
    bool bad = false;
    int status = 0;

    for (int i = 1; i < argc; i++) {
        if (driver_option(&d, argc, argv, &i, &bad))
            continue;
        if (bad || argv[i][0] == '-' || d.arch)
            return bad ? 2 : bad_argument("check", argv[i]);
        d.arch = argv[i];
    }
    if (driver_load(&d, STAGE_OPTIMISED, &status) && driver_check_text(&d, &status) &&
        can_be_built(&d, &status)) {
        unsigned instrs = 0;

        vec_for_each (&d.model->isas, isa)
            instrs += (*isa)->instrs.len;
        printf("%s: %u ISA%s, %u instruction%s, no errors\n", d.arch, d.model->isas.len,
               d.model->isas.len == 1 ? "" : "s", instrs, instrs == 1 ? "" : "s");
    }
    driver_free(&d);
    return status;
}

int command_prelude(int argc, char **argv)
{
    if (argc > 1)
        return bad_argument("prelude", argv[1]);
    fputs(prelude_text, stdout);
    return 0;
}

static bool make_folder(const char *dir)
{
    if ((!mkdir(dir, 0777) || errno == EEXIST) && !access(dir, W_OK | X_OK))
        return true;
    fprintf(stderr, "gencc build: %s: %s\n", dir, strerror(errno));
    return false;
}

/* Options of `gencc build` */
struct build_options {
    struct emit_options emit;
    const char *depfile, *target; /* depfile NULL: none is written; target NULL: the folder */
    bool list;
};

static bool write_depfile(const struct driver *d, const struct build_options *opt)
{
    return !opt->depfile ||
           depfile_write(&d->diag, opt->depfile, opt->target ? opt->target : opt->emit.dir);
}

static int build_description(struct driver *d, const struct build_options *opt)
{
    const char *const *names;
    int status = 0;
    unsigned n;

    if (!driver_load(d, opt->list ? STAGE_MODEL : STAGE_OPTIMISED, &status))
        return status;
    diag_report_verdicts(&d->diag);
    if (driver_failed(d, &status))
        return status;
    if (!opt->list && !make_folder(opt->emit.dir))
        return 2;
    if (!opt->list)
        return emit_model(d->model, &opt->emit) ? (write_depfile(d, opt) ? 0 : 2) : 1;
    names = emit_file_names(d->model, &opt->emit, &n);
    for (unsigned k = 0; k < n; k++)
        puts(names[k]);
    return 0;
}

int command_build(int argc, char **argv)
{
    struct driver d = {0};
    struct build_options opt = {.emit = {.parts = 4}};
    bool bad = false;
    uint64_t parts;
    int status;
    const char *v;

    for (int i = 1; i < argc && !bad; i++) {
        if (!strcmp(argv[i], "--list"))
            opt.list = true;
        else if (!strcmp(argv[i], "--jit"))
            opt.emit.jit = true;
        else if (!strcmp(argv[i], "-v"))
            opt.emit.verbose = true;
        else if ((v = option_value(argc, argv, &i, "o", &bad)))
            opt.emit.dir = v;
        else if (!bad && (v = option_value(argc, argv, &i, "parts", &bad)))
            opt.emit.parts = option_number("parts", v, 1, 64, &parts) ? (unsigned)parts : 0;
        else if (!bad && (v = option_value(argc, argv, &i, "include", &bad)))
            opt.emit.include = v;
        else if (!bad && (v = option_value(argc, argv, &i, "depfile", &bad)))
            opt.depfile = v;
        else if (!bad && (v = option_value(argc, argv, &i, "target", &bad)))
            opt.target = v;
        else if (!bad && !driver_option(&d, argc, argv, &i, &bad)) {
            if (bad || argv[i][0] == '-' || d.arch)
                return bad ? 2 : bad_argument("build", argv[i]);
            d.arch = argv[i];
        }
    }
    if (bad)
        return 2;
    if (!opt.list && !opt.emit.dir) {
        fputs("gencc build: -o DIR is missing\n", stderr);
        return 2;
    }
    if (!opt.emit.parts)
        return 2;
    opt.emit.isa = d.isa;
    status = build_description(&d, &opt);
    driver_free(&d);
    return status;
}

static int dump_ir(struct isa *isa, const char *only)
{
    bool found = false;

    vec_for_each (&isa->funcs, f) {
        if (only && !strstr((*f)->name, only))
            continue;
        ir_print(stdout, *f);
        found = true;
    }
    if (found || !only)
        return 0;
    fprintf(stderr, "gencc dump: no function of '%s' has '%s' in its name\n", isa->name, only);
    return 2;
}

int command_dump(int argc, char **argv)
{
    struct driver d = {0};
    const char *stage = NULL, *only = NULL, *v;
    bool bad = false;
    int status = 0;
    struct isa *isa;

    for (int i = 1; i < argc && !bad; i++) {
        if ((v = option_value(argc, argv, &i, "stage", &bad)))
            stage = v;
        else if (!bad && (v = option_value(argc, argv, &i, "only", &bad)))
            only = v;
        else if (!bad && !driver_option(&d, argc, argv, &i, &bad)) {
            if (bad || argv[i][0] == '-' || d.arch)
                return bad ? 2 : bad_argument("dump", argv[i]);
            d.arch = argv[i];
        }
    }
    if (bad)
        return 2;
    if (stage && !strcmp(stage, "ast")) {
        if (driver_load(&d, STAGE_AST, &status))
            ast_print(stdout, d.model->ast);
    } else if (stage && !strcmp(stage, "model")) {
        if (driver_load(&d, STAGE_MODEL, &status))
            model_print(stdout, d.model);
    } else if (stage && (!strcmp(stage, "ir") || !strcmp(stage, "ir-raw"))) {
        if (driver_load(&d, stage[2] ? STAGE_CHECKED : STAGE_OPTIMISED, &status) &&
            (isa = driver_isa(&d, &status)))
            status = dump_ir(isa, only);
    } else if (stage && !strcmp(stage, "free")) {
        if (driver_load(&d, STAGE_MODEL, &status))
            vec_for_each (&d.model->isas, it)
                if (!d.isa || !strcmp(d.isa, (*it)->name))
                    free_print(stdout, &d.arena, *it);
    } else {
        fputs("gencc dump: --stage is one of ast, model, ir, ir-raw, free\n", stderr);
        status = 2;
    }
    driver_free(&d);
    return status;
}

/* ---- text ------------------------------------------------------------------------------------ */

/* Reports that --bytes is for bundles only. Returns the exit status. */
static int report_no_bundles(const struct isa *isa)
{
    fprintf(stderr,
            "gencc disasm: --bytes is for ISAs of bundles; each line of '%s' has its word\n",
            isa->name);
    return 2;
}

/* Reads the command line of `gencc asm` or disasm. false: it is wrong, and a message was
 * printed. */
static bool read_text_options(int argc, char **argv, bool assemble, struct driver *d,
                              struct text_options *o)
{
    bool bad = false;
    const char *v;

    for (int i = 1; i < argc && !bad; i++) {
        if ((v = option_value(argc, argv, &i, "address", &bad)))
            bad = !option_number("address", v, 0, UINT64_MAX, &o->address);
        else if (!bad && assemble && !strcmp(argv[i], "--hex"))
            o->hex = true;
        else if (!bad && !assemble && !strcmp(argv[i], "--bytes"))
            o->bytes = true;
        else if (!bad && assemble && (v = option_value(argc, argv, &i, "o", &bad)))
            o->output = v;
        else if (!bad && !driver_option(d, argc, argv, &i, &bad)) {
            if (bad)
                return false;
            if ((argv[i][0] == '-' && argv[i][1]) || o->file) {
                bad_argument(argv[0], argv[i]);
                return false;
            }
            o->file = argv[i];
        }
    }
    if (!bad && !o->file)
        fprintf(stderr, "gencc %s: expected a file, or - for standard input\n", argv[0]);
    return !bad && o->file;
}

/* Returns the program's status. */
static int run_text_command(struct isa *isa, struct text_options *o, bool assemble)
{
    struct text *t = text_prepare(isa);

    if (o->bytes && !isa->bundle)
        return report_no_bundles(isa);
    if (!t)
        return 1;
    if (o->output && isa->bundle)
        return bad_argument("asm", "-o");
    if (assemble)
        return isa->bundle ? text_command_asm_bundles(t, o, stdout)
                           : text_command_asm(t, o, stdout);
    return isa->bundle ? text_command_bundles(t, o, stdout) : text_command_disasm(t, o, stdout);
}

static int text_command(int argc, char **argv, bool assemble)
{
    struct driver d = {0};
    struct text_options o = {0};
    int status = 0;
    struct isa *isa;

    if (!read_text_options(argc, argv, assemble, &d, &o))
        return 2;
    if (driver_load(&d, STAGE_WORDS, &status) && (isa = driver_isa(&d, &status))) {
        status = run_text_command(isa, &o, assemble);
        if (!status) /* a form that was lowered for this text may have errors */
            driver_failed(&d, &status);
    }
    driver_free(&d);
    return status;
}

int command_disasm(int argc, char **argv)
{
    return text_command(argc, argv, false);
}

int command_asm(int argc, char **argv)
{
    return text_command(argc, argv, true);
}
