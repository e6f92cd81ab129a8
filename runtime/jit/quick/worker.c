/* The thread that translates traces, and its queue. */
#include "runtime/jit/quick/worker.h"

#include <fenv.h>
#include <sched.h>

#include "runtime/base/alloc.h"
#include "runtime/jit/quick/job.h"
#include "runtime/jit/quick/tier.h"

struct q_worker {
    struct jit *jit;
    pthread_mutex_t lock;
    pthread_cond_t work, idle;
    struct region *queue, **queue_end;
    unsigned waiting; /* number of traces in the queue */
    bool is_running;  /* there is a thread */
    bool is_busy, is_paused, stop;
    pthread_t thread;
};

/* ---- the thread ------------------------------------------------------------------------------ */

/* Removes the trace that *link leads to from the queue. */
static struct region *remove_at(struct q_worker *w, struct region **link)
{
    struct region *r = *link;

    *link = r->queue_next;
    if (!*link)
        w->queue_end = link;
    r->queue_next = NULL;
    w->waiting--;
    return r;
}

static void *translate_thread(void *arg)
{
    struct q_worker *w = arg;

    fesetenv(FE_DFL_ENV); /* not that of the guest's floating point */
    pthread_mutex_lock(&w->lock);
    while (!w->stop) {
        struct region *r;

        if (w->is_paused || !w->queue) {
            pthread_cond_wait(&w->work, &w->lock);
            continue;
        }
        r = remove_at(w, &w->queue);
        w->is_busy = true;
        pthread_mutex_unlock(&w->lock);
        if (!atomic_load_explicit(&r->killed, memory_order_relaxed))
            quick_translate(w->jit, r, ARENA_TRACES);
        queue_return(w->jit, r);
        arena_enlarge(&w->jit->arena);
        pthread_mutex_lock(&w->lock);
        w->is_busy = false;
        pthread_cond_signal(&w->idle);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

/* ---- the guest's thread ---------------------------------------------------------------------- */

static bool has_second_processor(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof(set), &set) || CPU_COUNT(&set) > 1;
}

struct q_worker *worker_new(struct jit *jit)
{
    const struct jit_options *o = &jit->options;
    struct q_worker *w;

    if (o->sync || o->dump || !has_second_processor())
        return NULL;
    w = xcalloc(1, sizeof(*w));
    w->jit = jit;
    w->queue_end = &w->queue;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->work, NULL);
    pthread_cond_init(&w->idle, NULL);
    return w;
}

/* Starts the thread with the lock held. Signals are for the guest's thread. */
static void start_thread(struct q_worker *w)
{
    sigset_t all, old;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    w->is_running = !pthread_create(&w->thread, NULL, translate_thread, w);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

bool worker_has_room(struct q_worker *w, unsigned most)
{
    bool room;

    pthread_mutex_lock(&w->lock);
    room = w->waiting < most;
    pthread_mutex_unlock(&w->lock);
    return room;
}

bool worker_add(struct q_worker *w, struct region *r)
{
    bool ok;

    pthread_mutex_lock(&w->lock);
    if (!w->is_running)
        start_thread(w);
    ok = w->is_running;
    if (ok) {
        r->queue_next = NULL;
        *w->queue_end = r;
        w->queue_end = &r->queue_next;
        w->waiting++;
        pthread_cond_signal(&w->work);
    }
    pthread_mutex_unlock(&w->lock);
    return ok;
}

bool worker_take(struct q_worker *w, struct region *r)
{
    struct region **link = &w->queue;
    bool found;

    pthread_mutex_lock(&w->lock);
    while (*link && *link != r)
        link = &(*link)->queue_next;
    found = *link != NULL;
    if (found)
        remove_at(w, link);
    pthread_mutex_unlock(&w->lock);
    return found;
}

void worker_free(struct q_worker *w)
{
    if (!w)
        return;
    pthread_mutex_lock(&w->lock);
    w->stop = true;
    pthread_cond_signal(&w->work);
    pthread_mutex_unlock(&w->lock);
    if (w->is_running)
        pthread_join(w->thread, NULL);
    pthread_mutex_destroy(&w->lock);
    pthread_cond_destroy(&w->work);
    pthread_cond_destroy(&w->idle);
    free(w);
}

/* ---- fork ------------------------------------------------------------------------------------ */

void worker_before_fork(struct q_worker *w)
{
    if (!w)
        return;
    pthread_mutex_lock(&w->lock);
    w->is_paused = true;
    while (w->is_busy)
        pthread_cond_wait(&w->idle, &w->lock);
}

void worker_after_fork(struct q_worker *w, bool child)
{
    if (!w)
        return;
    w->is_paused = false;
    if (child) { /* fork() does not copy threads */
        w->is_running = false;
        pthread_cond_init(&w->work, NULL);
        pthread_cond_init(&w->idle, NULL);
        if (w->queue)
            start_thread(w);
    }
    pthread_cond_signal(&w->work);
    pthread_mutex_unlock(&w->lock);
}
