/*
 * Statements about registers: which hold a system call's number, arguments and results, and which
 * values registers have when a program starts.
 */
#include "gencc/abi/internal.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Whether the name is a bank's name with a number behind it, as cpu_register_find() of the runtime
 * reads it, and the bank has `count` registers from this number on. */
static bool is_in_bank(const struct reg_view *v, const char *name, unsigned count)
{
    size_t length = strlen(v->name);
    char *end;
    unsigned long first;

    if (strncasecmp(v->name, name, length) != 0 || !isdigit((unsigned char)name[length]))
        return false;
    first = strtoul(name + length, &end, 10);
    return !*end && first < v->count && count <= v->count - first;
}

bool has_registers(const struct abi *abi, const char *name, unsigned count)
{
    if (count == 1) {
        vec_for_each (&abi->m->views, v)
            if (!(*v)->is_bank && strcasecmp((*v)->name, name) == 0)
                return true;
        vec_for_each (&abi->m->sysregs, r)
            if (strcasecmp((*r)->name, name) == 0)
                return true;
    }
    vec_for_each (&abi->m->views, v)
        if ((*v)->is_bank && is_in_bank(*v, name, count))
            return true;
    return false;
}

const char *words_register(struct words *w)
{
    const struct abi_word *name = words_name(w);

    if (!w->failed && !has_registers(w->abi, name->text, 1)) {
        w->failed = true;
        diag_error(w->abi->d, name->pos, "the description has no register '%s'", name->text);
    }
    return name->text;
}

static void one_register(struct words *w, const char *member)
{
    fprintf(w->abi->members, "    .registers.%s = \"%s\",\n", member, words_register(w));
    words_finish(w, false);
}

static void read_argument_registers(struct words *w)
{
    enum { MOST = 6 };
    unsigned count = 0;

    fputs("    .registers.arg = {", w->abi->members);
    do {
        fprintf(w->abi->members, "\"%s\", ", words_register(w));
        count++;
    } while (words_accept(w, ",") && count < MOST);
    fprintf(w->abi->members, "},\n    .registers.arg_count = %u,\n", count);
    words_finish(w, false);
}

void read_registers(struct words *w)
{
    const char *what = w->node->words.data[0].text;

    if (!strcmp(what, "arguments")) {
        read_argument_registers(w);
    } else if (!strcmp(what, "stack_arguments")) {
        fprintf(w->abi->members, "    .registers.stack_args = %" PRId64 ",\n",
                words_number(w, 1, 4096));
        words_finish(w, false);
    } else {
        one_register(w, what);
    }
}

static void read_setting(struct words *w, void *opaque)
{
    unsigned *count = opaque;
    const char *name = words_register(w);

    words_expect(w, "=");
    fprintf(w->abi->arrays, "    {\"%s\", %#" PRIx64 "},\n", name, words_value(w));
    words_finish(w, false);
    ++*count;
}

void read_start(struct words *w)
{
    unsigned count = 0;

    fputs("static const struct user_setting settings[] = {\n", w->abi->arrays);
    words_block(w, read_setting, &count);
    fputs("    {0},\n};\n\n", w->abi->arrays);
    fprintf(w->abi->members, "    .setting_count = %u,\n    .settings = settings,\n", count);
}
