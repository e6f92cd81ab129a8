/* Predicts one worker's share of the missing results of a space. */
#include "runtime/timing/dse/explore.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "runtime/base/alloc.h"
#include "runtime/timing/dse/journal.h"

enum { MAX_THREADS = 256, POLL_NS = 20000000 };

struct share {
    const struct dse_space *space;
    struct dse_journal journal;
    VEC(size_t) tasks; /* point * kernels + kernel */
    pthread_mutex_t lock;
    size_t next, done;
    bool failed;
    struct error err;
};

static void fail_share(struct share *s, const struct error *err)
{
    if (!s->failed)
        s->err = *err;
    s->failed = true;
}

static void *take_tasks(void *opaque)
{
    struct share *s = opaque;
    size_t kernels = s->space->kernels.len;

    pthread_mutex_lock(&s->lock);
    while (!s->failed && s->next < s->tasks.len) {
        size_t task = s->tasks.data[s->next++];
        struct error err = {""};
        uint64_t ticks;
        bool good;

        pthread_mutex_unlock(&s->lock);
        good = dse_predict(s->space, task / kernels, task % kernels, &ticks, &err);
        pthread_mutex_lock(&s->lock);
        if (!good || !dse_journal_add(&s->journal, task, ticks, &err))
            fail_share(s, &err);
        s->done++;
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* ---- progress -------------------------------------------------------------------------------- */

static double seconds_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Prints progress until this worker's share is done; that of other workers is read off the sizes of
 * their files. */
static void print_progress(struct share *s, const char *folder, const struct dse_worker *w,
                           size_t before)
{
    size_t all = s->space->points.len * s->space->kernels.len, mine = s->tasks.len, done = 0;
    double begin = seconds_now(), told = begin;

    while (done < mine) {
        struct timespec pause = {0, POLL_NS};

        nanosleep(&pause, NULL);
        pthread_mutex_lock(&s->lock);
        done = s->failed ? mine : s->done;
        pthread_mutex_unlock(&s->lock);
        if (seconds_now() - told >= w->progress) {
            size_t known = dse_folder_count(folder);
            double each = known > before ? (seconds_now() - begin) / (double)(known - before) : 0;

            told = seconds_now();
            fprintf(stderr, "%zu of %zu predictions, %.0f s, %.0f s to go\n", known, all,
                    told - begin, each * (double)(all > known ? all - known : 0));
        }
    }
}

/* ---- the share ------------------------------------------------------------------------------- */

/* Selects every count-th of the missing tasks. */
static bool find_tasks(struct share *s, const char *folder, const struct dse_worker *w,
                       size_t *known, struct error *err)
{
    size_t all = s->space->points.len * s->space->kernels.len, missing = 0, twice;
    uint64_t *ticks = xcalloc(all + 1, sizeof(*ticks));
    bool good = dse_folder_read(folder, ticks, all, &twice, err);

    for (size_t i = 0; good && i < all; i++)
        if (ticks[i] == DSE_UNKNOWN && missing++ % w->count == w->number)
            vec_push(&s->tasks, i);
    *known = all - missing;
    free(ticks);
    return good;
}

/* Waits for all workers. Returns whether all succeeded so far. */
static bool await_workers(const struct dse_worker *w, bool good, struct error *err)
{
    bool all = w->meet(w->opaque, good);

    return all || (good && error_set(err, "another process gave up"));
}

bool dse_explore(const struct dse_space *s, const char *folder, const struct dse_worker *w,
                 struct error *err)
{
    size_t all = s->points.len * s->kernels.len, known = 0;
    struct share it = {.space = s, .lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_t thread[MAX_THREADS];
    unsigned started = 0;
    bool good = dse_journal_open(&it.journal, folder, w->number, all, err);

    /*
     * Another run may still work in the folder. So all workers must have opened their files before
     * the first reads the results, and have read the same results before the first adds to them.
     */
    good = await_workers(w, good, err) && find_tasks(&it, folder, w, &known, err);
    good = await_workers(w, good, err);
    while (good && started < w->threads && started < MAX_THREADS &&
           !pthread_create(&thread[started], NULL, take_tasks, &it))
        started++;
    if (good && !started)
        take_tasks(&it);
    if (good && started && w->number == 0 && w->progress > 0)
        print_progress(&it, folder, w, known);
    while (started)
        pthread_join(thread[--started], NULL);
    if (it.failed)
        *err = it.err;
    dse_journal_close(&it.journal);
    vec_free(&it.tasks);
    return good && !it.failed;
}
