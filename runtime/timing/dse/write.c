/* Writes results as CSV and to SQLite: the numbers and speedup of each point, and the time of each
 * prediction. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/alloc.h"
#include "runtime/timing/dse/explore.h"
#include "runtime/timing/dse/journal.h"

enum { MAX_PATH = 4096, MAX_SQL = 8192 };

struct results {
    const struct dse_space *space;
    uint64_t *ticks; /* ticks + 1, by task */
    double *clock, *cost, *speedup;
    bool *pareto;
};

static double point_microseconds(const struct results *r, size_t point, size_t kernel)
{
    return (double)(r->ticks[point * r->space->kernels.len + kernel] - 1) / TIMING_TICKS /
           r->clock[point];
}

/* ---- what follows from the times ------------------------------------------------------------- */

/* The geometric mean of the speedups of all kernels. */
static double mean_speedup(const struct results *r, size_t point)
{
    double sum = 0;

    for (size_t k = 0; k < r->space->kernels.len; k++)
        sum += log(point_microseconds(r, 0, k) / point_microseconds(r, point, k));
    return exp(sum / (double)r->space->kernels.len);
}

struct place {
    double cost, speedup;
    size_t point;
};

static int by_cost(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    if (x->cost != y->cost)
        return x->cost < y->cost ? -1 : 1;
    if (x->speedup != y->speedup)
        return x->speedup > y->speedup ? -1 : 1;
    return x->point < y->point ? -1 : 1;
}

/* Finds the Pareto front: points for which no other is faster at the same or a lower cost. */
static void find_front(struct results *r)
{
    size_t n = r->space->points.len;
    struct place *p = xcalloc(n + 1, sizeof(*p));
    double best = 0;

    for (size_t i = 0; i < n; i++)
        p[i] = (struct place){r->cost[i], r->speedup[i], i};
    qsort(p, n, sizeof(*p), by_cost);
    for (size_t i = 0; i < n; i++)
        if (p[i].speedup > best) {
            r->pareto[p[i].point] = true;
            best = p[i].speedup;
        }
    free(p);
}

/* ---- CSV ------------------------------------------------------------------------------------- */

static bool close_file(FILE *f, const char *path, struct error *err)
{
    bool good = f && !ferror(f);

    if (f)
        good = !fclose(f) && good;
    return good || error_set(err, "cannot write %.150s: %s", path, strerror(errno));
}

static bool write_points(const struct results *r, const char *folder, struct error *err)
{
    const struct dse_space *s = r->space;
    char path[MAX_PATH];
    FILE *f;

    snprintf(path, sizeof(path), "%s/points.csv", folder);
    f = fopen(path, "w");
    if (f)
        fputs("point,label", f);
    for (size_t i = 0; f && i < s->name_count; i++)
        fprintf(f, ",%s", s->names[i]);
    if (f)
        fputs(",cost,speedup,pareto\n", f);
    for (size_t p = 0; f && p < s->points.len; p++) {
        fprintf(f, "%zu,%s", p, s->points.data[p].label);
        for (size_t i = 0; i < s->name_count; i++)
            fprintf(f, ",%.10g", s->points.data[p].at[i]);
        fprintf(f, ",%.10g,%.6f,%d\n", r->cost[p], r->speedup[p], r->pareto[p]);
    }
    return close_file(f, path, err);
}

static bool write_results(const struct results *r, const char *folder, struct error *err)
{
    const struct dse_space *s = r->space;
    char path[MAX_PATH];
    FILE *f;

    snprintf(path, sizeof(path), "%s/results.csv", folder);
    f = fopen(path, "w");
    if (f)
        fputs("point,kernel,cycles,us,speedup\n", f);
    for (size_t p = 0; f && p < s->points.len; p++)
        for (size_t k = 0; k < s->kernels.len; k++)
            fprintf(f, "%zu,%s,%.3f,%.6f,%.6f\n", p, s->kernels.data[k].name,
                    (double)(r->ticks[p * s->kernels.len + k] - 1) / TIMING_TICKS,
                    point_microseconds(r, p, k),
                    point_microseconds(r, 0, k) / point_microseconds(r, p, k));
    return close_file(f, path, err);
}

/* ---- SQLite ---------------------------------------------------------------------------------- */

static bool add_points(const struct results *r, sqlite3 *db)
{
    const struct dse_space *s = r->space;
    char sql[MAX_SQL] = "CREATE TABLE points (point INTEGER PRIMARY KEY, label TEXT",
         values[MAX_SQL];
    sqlite3_stmt *add = NULL;
    bool good;

    snprintf(values, sizeof(values), "INSERT INTO points VALUES (?, ?");
    for (size_t i = 0; i < s->name_count; i++) {
        snprintf(sql + strlen(sql), sizeof(sql) - strlen(sql), ", \"%s\" REAL", s->names[i]);
        strcat(values, ", ?");
    }
    strcat(sql, ", cost REAL, speedup REAL, pareto INTEGER)");
    strcat(values, ", ?, ?, ?)");
    good = sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK &&
           sqlite3_prepare_v2(db, values, -1, &add, NULL) == SQLITE_OK;
    for (size_t p = 0; good && p < s->points.len; p++) {
        int at = 1;

        sqlite3_bind_int64(add, at++, (sqlite3_int64)p);
        sqlite3_bind_text(add, at++, s->points.data[p].label, -1, SQLITE_STATIC);
        for (size_t i = 0; i < s->name_count; i++)
            sqlite3_bind_double(add, at++, s->points.data[p].at[i]);
        sqlite3_bind_double(add, at++, r->cost[p]);
        sqlite3_bind_double(add, at++, r->speedup[p]);
        sqlite3_bind_int(add, at++, r->pareto[p]);
        good = sqlite3_step(add) == SQLITE_DONE && sqlite3_reset(add) == SQLITE_OK;
    }
    return sqlite3_finalize(add) == SQLITE_OK && good;
}

static bool add_results(const struct results *r, sqlite3 *db)
{
    const struct dse_space *s = r->space;
    sqlite3_stmt *add = NULL;
    bool good = sqlite3_exec(db,
                             "CREATE TABLE results (point INTEGER, kernel TEXT, cycles REAL, "
                             "us REAL, speedup REAL, PRIMARY KEY (point, kernel)) WITHOUT ROWID",
                             NULL, NULL, NULL) == SQLITE_OK &&
                sqlite3_prepare_v2(db, "INSERT INTO results VALUES (?, ?, ?, ?, ?)", -1, &add,
                                   NULL) == SQLITE_OK;

    for (size_t t = 0; good && t < s->points.len * s->kernels.len; t++) {
        size_t p = t / s->kernels.len, k = t % s->kernels.len;

        sqlite3_bind_int64(add, 1, (sqlite3_int64)p);
        sqlite3_bind_text(add, 2, s->kernels.data[k].name, -1, SQLITE_STATIC);
        sqlite3_bind_double(add, 3, (double)(r->ticks[t] - 1) / TIMING_TICKS);
        sqlite3_bind_double(add, 4, point_microseconds(r, p, k));
        sqlite3_bind_double(add, 5, point_microseconds(r, 0, k) / point_microseconds(r, p, k));
        good = sqlite3_step(add) == SQLITE_DONE && sqlite3_reset(add) == SQLITE_OK;
    }
    return sqlite3_finalize(add) == SQLITE_OK && good;
}

/* Writes to a temporary file and renames it, so that an existing file is always complete. */
static bool write_sqlite(const struct results *r, const char *folder, struct error *err)
{
    char path[MAX_PATH], beside[MAX_PATH];
    sqlite3 *db = NULL;
    bool good;

    snprintf(path, sizeof(path), "%s/results.sqlite", folder);
    snprintf(beside, sizeof(beside), "%s/results.new", folder);
    unlink(beside);
    good = sqlite3_open(beside, &db) == SQLITE_OK &&
           sqlite3_exec(db, "PRAGMA journal_mode=OFF; BEGIN", NULL, NULL, NULL) == SQLITE_OK &&
           add_points(r, db) && add_results(r, db) &&
           sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK;
    if (!good)
        error_set(err, "cannot write %.120s: %.60s", path, sqlite3_errmsg(db));
    sqlite3_close(db);
    return good && (!rename(beside, path) ||
                    error_set(err, "cannot write %.120s: %s", path, strerror(errno)));
}

/* ---- all of it ------------------------------------------------------------------------------- */

static bool load_results(struct results *r, const char *folder, struct error *err)
{
    const struct dse_space *s = r->space;
    size_t all = s->points.len * s->kernels.len, twice;

    if (!dse_folder_read(folder, r->ticks, all, &twice, err))
        return false;
    for (size_t i = 0; i < all; i++)
        if (r->ticks[i] == DSE_UNKNOWN || r->ticks[i] == 1)
            return error_set(err, "point %zu takes no time, or is not known: %.60s",
                             i / s->kernels.len, s->kernels.data[i % s->kernels.len].name);
    for (size_t p = 0; p < s->points.len; p++) {
        r->clock[p] = dse_clock_mhz(s, p);
        r->cost[p] = dse_cost(s, p);
        r->speedup[p] = mean_speedup(r, p);
    }
    find_front(r);
    return true;
}

bool dse_write(const struct dse_space *s, const char *folder, struct error *err)
{
    size_t n = s->points.len + 1;
    struct results r = {.space = s};
    bool good;

    r.ticks = xcalloc(n * s->kernels.len, sizeof(*r.ticks));
    r.clock = xcalloc(3 * n, sizeof(double));
    r.cost = r.clock + n;
    r.speedup = r.cost + n;
    r.pareto = xcalloc(n, sizeof(bool));
    good = load_results(&r, folder, err) && write_points(&r, folder, err) &&
           write_results(&r, folder, err) && write_sqlite(&r, folder, err);
    free(r.ticks);
    free(r.clock);
    free(r.pareto);
    return good;
}
