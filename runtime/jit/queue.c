/* Compile threads of LLVM, and the queues of regions to and from them. */
#include "runtime/base/alloc.h"
#include "runtime/jit/internal.h"

enum { MAX_WAITING = 64, BATCH_INSNS = 100 };

/* Translates regions with the thread's compiler, which is made at the first call. */
static void translate_list(struct jit *jit, struct compiler **c, struct region *list)
{
    struct error err = {""};

    if (!*c)
        *c = compiler_new(jit, &err);
    if (*c) {
        compiler_translate(*c, list);
        return;
    }
    for (struct region *r = list; r; r = r->queue_next)
        snprintf(r->failure, sizeof(r->failure), "%.90s", err.text);
}

static void add_finished(struct jit *jit, struct region *list)
{
    struct region **end = &jit->finished;

    while (*end)
        end = &(*end)->queue_next;
    *end = list;
    atomic_store_explicit(&jit->has_finished, true, memory_order_release);
}

/* Takes the first waiting regions. An object of LLVM costs the time of some hundred instructions,
 * so small regions share one. */
static struct region *take_batch(struct jit *jit)
{
    struct region *list = jit->queue, *last = list;
    unsigned insns = last->insn_count;

    jit->waiting--;
    while (last->queue_next && insns + last->queue_next->insn_count <= BATCH_INSNS) {
        last = last->queue_next;
        insns += last->insn_count;
        jit->waiting--;
    }
    jit->queue = last->queue_next;
    if (!jit->queue)
        jit->queue_end = &jit->queue;
    last->queue_next = NULL;
    return list;
}

void queue_return(struct jit *jit, struct region *list)
{
    pthread_mutex_lock(&jit->lock);
    add_finished(jit, list);
    pthread_mutex_unlock(&jit->lock);
}

static void *compile_thread(void *arg)
{
    struct jit *jit = arg;
    struct compiler *c = NULL;

    pthread_mutex_lock(&jit->lock);
    while (!jit->stop) {
        struct region *r;

        if (jit->is_paused || !jit->queue) {
            pthread_cond_wait(&jit->work, &jit->lock);
            continue;
        }
        r = take_batch(jit);
        jit->busy++;
        pthread_mutex_unlock(&jit->lock);
        translate_list(jit, &c, r);
        pthread_mutex_lock(&jit->lock);
        add_finished(jit, r);
        jit->busy--;
        pthread_cond_broadcast(&jit->idle);
    }
    pthread_mutex_unlock(&jit->lock);
    compiler_free(c);
    return NULL;
}

/* ---- the guest's thread ---------------------------------------------------------------------- */

void queue_start(struct jit *jit)
{
    pthread_mutex_init(&jit->lock, NULL);
    jit->llvm = llvm_library_new();
    pthread_cond_init(&jit->work, NULL);
    pthread_cond_init(&jit->idle, NULL);
    jit->queue_end = &jit->queue;
}

/* Starts the threads at the first work, since many guests never have any. */
static void start_threads(struct jit *jit)
{
    unsigned n = jit->options.threads;
    sigset_t all, old;

    if (jit->threads)
        return;
    jit->threads = xcalloc(n, sizeof(*jit->threads));
    sigfillset(&all); /* so that signals interrupt the thread that runs the guest */
    pthread_sigmask(SIG_SETMASK, &all, &old);
    while (jit->thread_count < n &&
           !pthread_create(&jit->threads[jit->thread_count], NULL, compile_thread, jit))
        jit->thread_count++;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

bool queue_has_room(struct jit *jit)
{
    bool room;

    pthread_mutex_lock(&jit->lock);
    room = jit->options.sync || jit->waiting < MAX_WAITING;
    pthread_mutex_unlock(&jit->lock);
    return room;
}

void queue_add(struct jit *jit, struct region *r)
{
    r->flat = r->flat && llvm_catch_faults(jit);
    if (jit->options.sync) {
        translate_list(jit, &jit->own, r);
        add_finished(jit, r);
        return;
    }
    start_threads(jit);
    pthread_mutex_lock(&jit->lock);
    r->queue_next = NULL;
    *jit->queue_end = r;
    jit->queue_end = &r->queue_next;
    jit->waiting++;
    pthread_cond_signal(&jit->work);
    pthread_mutex_unlock(&jit->lock);
}

void queue_hurry(struct jit *jit, struct region *r)
{
    struct region **link = &jit->queue;

    pthread_mutex_lock(&jit->lock);
    while (*link && *link != r)
        link = &(*link)->queue_next;
    if (*link) {
        *link = r->queue_next;
        if (!*link)
            jit->queue_end = link;
        r->queue_next = jit->queue;
        jit->queue = r;
        if (!r->queue_next)
            jit->queue_end = &r->queue_next;
    }
    pthread_mutex_unlock(&jit->lock);
}

struct region *queue_finished(struct jit *jit)
{
    struct region *r;

    pthread_mutex_lock(&jit->lock);
    r = jit->finished;
    jit->finished = NULL;
    atomic_store_explicit(&jit->has_finished, false, memory_order_relaxed);
    pthread_mutex_unlock(&jit->lock);
    return r;
}

void queue_stop(struct jit *jit)
{
    pthread_mutex_lock(&jit->lock);
    jit->stop = true;
    pthread_cond_broadcast(&jit->work);
    pthread_mutex_unlock(&jit->lock);
    for (unsigned n = 0; n < jit->thread_count; n++)
        pthread_join(jit->threads[n], NULL);
    free(jit->threads);
    compiler_free(jit->own);
    llvm_release_faults(jit);
    pthread_mutex_destroy(&jit->lock);
    llvm_library_free(jit->llvm);
    pthread_cond_destroy(&jit->work);
    pthread_cond_destroy(&jit->idle);
}

/* ---- fork ------------------------------------------------------------------------------------ */

void queue_before_fork(struct jit *jit)
{
    pthread_mutex_lock(&jit->lock);
    jit->is_paused = true;
    while (jit->busy)
        pthread_cond_wait(&jit->idle, &jit->lock);
}

void queue_after_fork(struct jit *jit, bool child)
{
    jit->is_paused = false;
    if (child) { /* fork() does not copy threads */
        free(jit->threads);
        jit->threads = NULL;
        jit->thread_count = 0;
        pthread_cond_init(&jit->work, NULL);
        pthread_cond_init(&jit->idle, NULL);
        if (jit->queue)
            start_threads(jit);
    }
    pthread_cond_broadcast(&jit->work);
    pthread_mutex_unlock(&jit->lock);
}
