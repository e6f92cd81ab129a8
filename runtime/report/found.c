/*
 * Sources that were found in the guest's memory, and the choice among their kernels. Code does not
 * have its kernel's name. So a kernel has a source if exactly one of the program's kernels has its
 * buffers and barriers; if several have them, their names are listed.
 *
 * Bounds      MOST_TEXTS texts; TRIES searches per kernel, MOST_SEARCHES in all
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/report/internal.h"

enum { MOST_TEXTS = 1024, MOST_KERNELS = 64, TRIES = 2, MOST_SEARCHES = 256 };

struct taking {
    struct report *r;
    struct report_found *found;
};

/* The index of an equal text, or that of a new one; MOST_TEXTS: there are too many. */
static unsigned keep_text(struct report *r, const char *text)
{
    unsigned i = 0;

    while (i < r->texts.len && strcmp(r->texts.data[i], text) != 0)
        i++;
    if (i == r->texts.len && i < MOST_TEXTS)
        vec_push(&r->texts, xstrdup(text));
    return i;
}

static void take_text(void *to, const char *text)
{
    struct taking *t = to;
    report_kernel_name name;
    unsigned index;

    if (!report_kernels(text, &name, 1))
        return;
    index = keep_text(t->r, text);
    for (unsigned i = 0; i < t->found->texts.len; i++)
        if (t->found->texts.data[i] == index)
            return;
    if (index < MOST_TEXTS)
        vec_push(&t->found->texts, index);
}

void report_found_search(struct report *r, struct report_kernel *k, const struct gpu_account *job)
{
    struct taking t = {r, &k->found};

    if (!r->find_texts || r->sources.len || k->found.texts.len || k->found.tries == TRIES ||
        r->searches == MOST_SEARCHES)
        return;
    k->found.tries++;
    r->searches++;
    r->find_texts(r->find_opaque, job, take_text, &t);
}

/* ---- the choice ------------------------------------------------------------------------------ */

static void add_name(struct report_names *names, const char *name)
{
    for (unsigned i = 0; i < names->len; i++)
        if (!strcmp(names->data[i], name))
            return;
    vec_push(names, xstrdup(name));
}

/* Notes the kernels of a text. Of two texts with a kernel of one name, the longer one counts: the
 * other is a part of it. */
static void note_text(struct report_kernel *k, const char *text)
{
    report_kernel_name names[MOST_KERNELS];
    unsigned count = report_kernels(text, names, MOST_KERNELS);

    for (unsigned i = 0; i < count; i++) {
        add_name(&k->found.kernels, names[i]);
        if (k->name ? strcmp(k->name, names[i]) != 0 : !report_source_fits(k, text, names[i]))
            continue;
        add_name(&k->found.fitting, names[i]);
        if (!k->source || strlen(text) > strlen(k->source))
            k->source = text;
    }
}

void report_found_choose(const struct report *r, struct report_kernel *k)
{
    if (k->source)
        return;
    for (unsigned i = 0; i < k->found.texts.len; i++)
        note_text(k, r->texts.data[k->found.texts.data[i]]);
    if (k->found.fitting.len != 1) {
        k->source = NULL;
        return;
    }
    k->source_name = "found in the guest's memory";
    if (!k->name)
        k->name = xstrdup(k->found.fitting.data[0]);
}

static void release_names(struct report_names *names)
{
    for (unsigned i = 0; i < names->len; i++)
        free(names->data[i]);
    vec_free(names);
}

void report_found_release(struct report_found *f)
{
    release_names(&f->kernels);
    release_names(&f->fitting);
    vec_free(&f->texts);
}
