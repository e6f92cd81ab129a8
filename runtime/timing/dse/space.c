/* Reads a space of designs and predicts kernels at its points. */
#include "runtime/timing/dse/space.h"

#include "common/hash.h"
#include "runtime/base/alloc.h"
#include "runtime/timing/reform.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LINE = 1 << 16, MAX_WORDS = 512, MAX_POINTS = 1 << 20 };

static const char blanks[] = " \t\r\n";

/* An axis as read from the file. */
struct values {
    size_t name;
    double value[MAX_WORDS];
    size_t count;
};

struct reader {
    struct dse_space *s;
    dse_find_gpu *find;
    const char *folder;
    VEC(struct values) axes;
    VEC(struct values) sweeps;
    VEC(char *) points; /* lines, kept until all names are known */
    bool has_gpu, has_cost;
};

/* ---- names and values ------------------------------------------------------------------------ */

static void hash_into(uint64_t *key, const void *data, size_t bytes)
{
    *key = hash_more(*key, data, bytes);
}

static bool baseline_value(const struct dse_space *s, const char *name, double *out)
{
    return timing_params_get(&s->baseline.params, &s->baseline.shape, name, out, NULL);
}

static bool set_value(struct dse_gpu *g, const char *name, double value, struct error *err)
{
    char text[100];

    snprintf(text, sizeof(text), "%s=%.15g", name, value);
    return timing_params_set(&g->params, &g->shape, text, err);
}

/* The index of a name, which is added if it is new. */
static bool intern_name(struct reader *r, const char *name, size_t *out, struct error *err)
{
    struct dse_space *s = r->s;
    double dummy;

    if (!baseline_value(s, name, &dummy))
        return error_set(err, "no parameter is called %.40s", name);
    for (*out = 0; *out < s->name_count; ++*out)
        if (!strcmp(s->names[*out], name))
            return true;
    if (s->name_count == DSE_NAMES)
        return error_set(err, "at most %d parameters can change", DSE_NAMES);
    snprintf(s->names[s->name_count++], sizeof(*s->names), "%s", name);
    return true;
}

/* Reads a number, or *N. Relative numbers are rounded to the resolution of the unit. */
static bool read_value(const struct dse_space *s, const char *name, const char *text, double *out,
                       struct error *err)
{
    const char *unit = NULL, *number = text + (*text == '*');
    struct dse_gpu probe = s->baseline;
    double base = 0;
    char *end;

    *out = strtod(number, &end);
    if (end == number || *end || !isfinite(*out))
        return error_set(err, "%.40s: %.40s is no number", name, text);
    if (*text == '*') {
        double grain = 1;

        baseline_value(s, name, &base);
        if (timing_params_get(&s->baseline.params, &s->baseline.shape, name, NULL, &unit) && unit &&
            !strcmp(unit, "cycles"))
            grain = TIMING_TICKS;
        *out = round(*out * base * grain) / grain;
    }
    return set_value(&probe, name, *out, err) &&
           timing_params_check(&probe.params, &probe.shape, err);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static bool read_gpu(struct reader *r, char **words, size_t n, struct error *err)
{
    if (n != 2 || r->has_gpu)
        return error_set(err, "one line says which GPU: gpu NAME");
    r->has_gpu = true;
    snprintf(r->s->gpu, sizeof(r->s->gpu), "%s", words[1]);
    return r->find(words[1], &r->s->baseline) ||
           error_set(err, "there is no GPU called %.40s", words[1]);
}

static bool read_set(struct reader *r, char **words, size_t n, struct error *err)
{
    for (size_t i = 1; i < n; i++)
        if (!timing_params_set(&r->s->baseline.params, &r->s->baseline.shape, words[i], err))
            return false;
    if (r->s->name_count)
        return error_set(err, "set comes before axis, sweep, point and cost");
    return n > 1 || error_set(err, "set what?");
}

static bool read_trace(struct reader *r, char **words, size_t n, struct error *err)
{
    struct dse_kernel k = {0};
    bool good = true;

    if (n < 3 || n > 2 + DSE_WIDTHS)
        return error_set(err, "a kernel is a name and one to %d files", DSE_WIDTHS);
    for (size_t i = 0; i < r->s->kernels.len; i++)
        if (!strcmp(r->s->kernels.data[i].name, words[1]))
            return error_set(err, "two kernels are called %.40s", words[1]);
    k.name = xstrdup(words[1]);
    for (size_t i = 2; i < n && good; i++) {
        struct tune_row *row = &k.widths[k.width_count++];
        const char *folder = *words[i] == '/' ? "" : r->folder;

        row->name = k.name;
        row->trace = xcalloc(strlen(folder) + strlen(words[i]) + 1, 1);
        sprintf(row->trace, "%s%s", folder, words[i]);
        good = tune_jobs_read(row->trace, 0, row, err);
        for (unsigned w = 0; good && w + 1 < k.width_count; w++)
            if (k.widths[w].jobs.data[0].warp_width == row->jobs.data[0].warp_width)
                good = error_set(err, "two files of %.40s have warps of %u", words[1],
                                 row->jobs.data[0].warp_width);
    }
    vec_push(&r->s->kernels, k);
    return good;
}

static bool read_values(struct reader *r, struct values *v, char **words, size_t n,
                        struct error *err)
{
    if (n < 3)
        return error_set(err, "%s is a parameter and its values", words[0]);
    if (!intern_name(r, words[1], &v->name, err))
        return false;
    for (size_t i = 2; i < n; i++)
        if (!read_value(r->s, words[1], words[i], &v->value[v->count++], err))
            return false;
    return true;
}

static bool read_cost(struct reader *r, char **words, size_t n, struct error *err)
{
    size_t name;

    r->has_cost = true;
    for (size_t i = 1; i < n; i++) {
        if (!intern_name(r, words[i], &name, err))
            return false;
        r->s->costs[name] = true;
    }
    return n > 1 || error_set(err, "cost of what?");
}

static bool check_point(struct reader *r, char **words, size_t n, struct error *err)
{
    if (n < 3)
        return error_set(err, "a point is a label and NAME=VALUE …");
    for (size_t i = 2; i < n; i++) {
        char *equal = strchr(words[i], '=');
        double value;
        size_t name;

        if (!equal)
            return error_set(err, "a point is a label and NAME=VALUE …, not %.40s", words[i]);
        *equal = 0;
        if (!intern_name(r, words[i], &name, err) ||
            !read_value(r->s, words[i], equal + 1, &value, err))
            return false;
    }
    return true;
}

static bool read_line(struct reader *r, const char *line, struct error *err)
{
    char *copy = xstrdup(line), *words[MAX_WORDS + 1], *save;
    struct values v = {0};
    size_t n = 0;
    bool good = true;

    copy[strcspn(copy, "#")] = 0;
    for (char *w = strtok_r(copy, blanks, &save); w && n <= MAX_WORDS;
         w = strtok_r(NULL, blanks, &save))
        words[n++] = w;
    if (n > MAX_WORDS)
        good = error_set(err, "more than %d words", MAX_WORDS);
    else if (!n)
        good = true;
    else if (!strcmp(words[0], "gpu"))
        good = read_gpu(r, words, n, err);
    else if (!r->has_gpu)
        good = error_set(err, "the first line is gpu NAME");
    else if (!strcmp(words[0], "timing"))
        good = timing_fidelity_read(n == 2 ? words[1] : "", &r->s->fidelity, err);
    else if (!strcmp(words[0], "set"))
        good = read_set(r, words, n, err);
    else if (!strcmp(words[0], "trace"))
        good = read_trace(r, words, n, err);
    else if (!strcmp(words[0], "cost"))
        good = read_cost(r, words, n, err);
    else if (!strcmp(words[0], "point")) {
        good = check_point(r, words, n, err);
        vec_push(&r->points, xstrdup(line));
    } else if (!strcmp(words[0], "axis")) {
        good = read_values(r, &v, words, n, err);
        vec_push(&r->axes, v);
    } else if (!strcmp(words[0], "sweep")) {
        good = read_values(r, &v, words, n, err);
        vec_push(&r->sweeps, v);
    } else {
        good = error_set(err, "no line begins with %.40s", words[0]);
    }
    free(copy);
    return good;
}

/* ---- points ---------------------------------------------------------------------------------- */

static struct dse_point *add_point(struct dse_space *s, const char *label)
{
    vec_push(&s->points, (struct dse_point){.label = xstrdup(label)});
    for (size_t i = 0; i < s->name_count; i++)
        baseline_value(s, s->names[i], &s->points.data[s->points.len - 1].at[i]);
    return &s->points.data[s->points.len - 1];
}

static bool add_axes(struct reader *r, struct error *err)
{
    size_t at[DSE_NAMES] = {0}, all = 1;

    for (size_t i = 0; i < r->axes.len; i++) {
        for (size_t k = 0; k < i; k++)
            if (r->axes.data[k].name == r->axes.data[i].name)
                return error_set(err, "two axes are called %s", r->s->names[r->axes.data[i].name]);
        all *= r->axes.data[i].count;
        if (all > MAX_POINTS)
            return error_set(err, "more than %d points", MAX_POINTS);
    }
    for (size_t n = 0; r->axes.len && n < all; n++) {
        struct dse_point *p = add_point(r->s, "axis");

        for (size_t i = 0; i < r->axes.len; i++)
            p->at[r->axes.data[i].name] = r->axes.data[i].value[at[i]];
        for (size_t i = r->axes.len; i-- && ++at[i] == r->axes.data[i].count;)
            at[i] = 0;
    }
    return true;
}

/* Adds a line that has been checked. */
static void add_line(struct reader *r, char *line)
{
    char *save, *word;
    struct dse_point *p;
    size_t name;

    line[strcspn(line, "#")] = 0;
    strtok_r(line, blanks, &save);
    p = add_point(r->s, strtok_r(NULL, blanks, &save));
    while ((word = strtok_r(NULL, blanks, &save))) {
        char *equal = strchr(word, '=');

        *equal = 0;
        intern_name(r, word, &name, NULL);
        read_value(r->s, word, equal + 1, &p->at[name], NULL);
    }
}

static bool make_points(struct reader *r, struct error *err)
{
    static const char *const costs[] = {"cores", "engines", "warp_width"};

    for (unsigned i = 0; i < 3 && !r->has_cost; i++) {
        size_t name;

        if (!intern_name(r, costs[i], &name, err))
            return false;
        r->s->costs[name] = true;
    }
    add_point(r->s, "baseline");
    if (!add_axes(r, err))
        return false;
    for (size_t i = 0; i < r->sweeps.len; i++)
        for (size_t k = 0; k < r->sweeps.data[i].count; k++)
            add_point(r->s, r->s->names[r->sweeps.data[i].name])->at[r->sweeps.data[i].name] =
                r->sweeps.data[i].value[k];
    for (size_t i = 0; i < r->points.len; i++)
        add_line(r, r->points.data[i]);
    return r->s->points.len <= MAX_POINTS || error_set(err, "more than %d points", MAX_POINTS);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static const struct tune_row *row_of(const struct dse_space *s, size_t kernel, unsigned width)
{
    const struct dse_kernel *k = &s->kernels.data[kernel];

    for (unsigned i = 0; i < k->width_count; i++)
        if (k->widths[i].jobs.data[0].warp_width == width)
            return &k->widths[i];
    return NULL;
}

static bool set_point(const struct dse_space *s, size_t point, struct dse_gpu *g, struct error *err)
{
    *g = s->baseline;
    for (size_t i = 0; i < s->name_count; i++)
        if (!set_value(g, s->names[i], s->points.data[point].at[i], err))
            return false;
    return timing_params_check(&g->params, &g->shape, err);
}

/* Adds the kernel's jobs in warps of another width. */
static bool add_width(struct dse_kernel *k, unsigned width, struct error *err)
{
    struct tune_row *row;

    if (k->width_count == DSE_WIDTHS)
        return error_set(err, "points have more than %d widths of warps", DSE_WIDTHS);
    row = &k->widths[k->width_count++];
    row->name = k->name;
    for (size_t i = 0; i < k->widths[0].jobs.len; i++) {
        struct timing_job job;

        if (!timing_job_reform(&k->widths[0].jobs.data[i], width, &job, err))
            return error_prefix(err, "%.60s: ", k->name), false;
        vec_push(&row->jobs, job);
    }
    return true;
}

/* Makes sure that the kernels have warps of each point's width. */
static bool make_widths(struct dse_space *s, struct error *err)
{
    for (size_t p = 0; p < s->points.len; p++) {
        struct dse_gpu g;

        if (!set_point(s, p, &g, err))
            return false;
        for (size_t k = 0; k < s->kernels.len; k++)
            if (!row_of(s, k, g.shape.warp_width) &&
                !add_width(&s->kernels.data[k], g.shape.warp_width, err))
                return false;
    }
    return true;
}

/* Adds the traces to the key. */
static void hash_traces(struct dse_space *s)
{
    for (size_t k = 0; k < s->kernels.len; k++)
        for (unsigned w = 0; w < s->kernels.data[k].width_count; w++)
            for (size_t j = 0; j < s->kernels.data[k].widths[w].jobs.len; j++) {
                const struct timing_job *job = &s->kernels.data[k].widths[w].jobs.data[j];

                for (size_t g = 0; g < job->groups.len; g++)
                    for (unsigned i = 0; i < job->groups.data[g].row_count; i++)
                        hash_into(&s->key, job->groups.data[g].rows[i].data,
                                  job->groups.data[g].rows[i].bytes);
                hash_into(&s->key, job->bundles.data,
                          job->bundles.len * sizeof(*job->bundles.data));
            }
}

static bool read_lines(struct reader *r, FILE *f, unsigned *number, struct error *err)
{
    char *line = xcalloc(MAX_LINE, 1);
    bool good = true;

    while (good && fgets(line, MAX_LINE, f)) {
        ++*number;
        hash_into(&r->s->key, line, strlen(line));
        good = strlen(line) + 1 < MAX_LINE || error_set(err, "the line is too long");
        good = good && read_line(r, line, err);
    }
    free(line);
    return good && (!ferror(f) || error_set(err, "cannot be read: %s", strerror(errno)));
}

static bool finish_space(struct reader *r, struct error *err)
{
    struct dse_space *s = r->s;

    if (!r->has_gpu || !s->kernels.len)
        return error_set(err, "a space needs gpu NAME and a trace");
    hash_into(&s->key, &s->baseline.params, sizeof(s->baseline.params));
    hash_into(&s->key, &s->baseline.shape, sizeof(s->baseline.shape));
    if (!make_points(r, err) || !make_widths(s, err))
        return false;
    hash_traces(s);
    return true;
}

bool dse_space_read(struct dse_space *s, const char *path, dse_find_gpu *find, struct error *err)
{
    const char *slash = strrchr(path, '/');
    size_t len = slash ? (size_t)(slash - path) + 1 : 0;
    char *folder = xcalloc(len + 1, 1);
    struct reader r = {.s = s, .find = find, .folder = folder};
    FILE *f = fopen(path, "r");
    unsigned number = 0;
    bool good = f;

    *s = (struct dse_space){.key = HASH_START};
    memcpy(folder, path, len);
    if (!f)
        error_set(err, "cannot read %.150s: %s", path, strerror(errno));
    if (f && !read_lines(&r, f, &number, err)) {
        good = false;
        error_prefix(err, "%.120s:%u: ", path, number);
    }
    if (good && !finish_space(&r, err)) {
        good = false;
        error_prefix(err, "%.120s: ", path);
    }
    if (f)
        fclose(f);
    for (size_t i = 0; i < r.points.len; i++)
        free(r.points.data[i]);
    vec_free(&r.points);
    vec_free(&r.axes);
    vec_free(&r.sweeps);
    free(folder);
    return good;
}

void dse_space_release(struct dse_space *s)
{
    for (size_t i = 0; i < s->points.len; i++)
        free(s->points.data[i].label);
    for (size_t i = 0; i < s->kernels.len; i++) {
        struct dse_kernel *k = &s->kernels.data[i];

        for (unsigned w = 0; w < k->width_count; w++) {
            for (size_t j = 0; j < k->widths[w].jobs.len; j++)
                timing_job_release(&k->widths[w].jobs.data[j]);
            vec_free(&k->widths[w].jobs);
            free(k->widths[w].trace);
        }
        free(k->name);
    }
    vec_free(&s->points);
    vec_free(&s->kernels);
}

bool dse_predict(const struct dse_space *s, size_t point, size_t kernel, uint64_t *ticks,
                 struct error *err)
{
    struct dse_gpu g;
    const struct tune_row *row;

    *ticks = 0;
    if (!set_point(s, point, &g, err))
        return false;
    row = row_of(s, kernel, g.shape.warp_width);
    for (size_t i = 0; i < row->jobs.len; i++) {
        struct timing_result r;

        if (!timing_run(&g.params, &g.shape, s->fidelity, &row->jobs.data[i], &r, err))
            return error_prefix(err, "%.60s: ", row->name), false;
        *ticks += r.ticks;
    }
    return true;
}

double dse_clock_mhz(const struct dse_space *s, size_t point)
{
    struct dse_gpu g;

    return set_point(s, point, &g, NULL) ? g.shape.clock_mhz : 1;
}

double dse_cost(const struct dse_space *s, size_t point)
{
    double cost = 1;

    for (size_t i = 0; i < s->name_count; i++)
        if (s->costs[i])
            cost *= s->points.data[point].at[i];
    return cost;
}
