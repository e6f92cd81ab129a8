/* A process: loading its program, running it, and releasing it. */
#include "runtime/user/user.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/user/event_fd.h"
#include "runtime/user/hand_over.h"

/* CLOCK_REALTIME at the start, equal in all runs: 2024-01-01T00:00:00Z. It is earlier than the
 * host's times of new files and segments, which a program compares with its clock. */
#define START_SECONDS UINT64_C(1704067200)

/* ---- loading --------------------------------------------------------------------------------- */

static void fill_part(uint8_t *page, const struct user_part *part)
{
    for (unsigned n = 0; n < part->count; n++) {
        uint32_t word = part->word[n];

        guest_order(&word, sizeof(word));
        memcpy(page + part->at + n * sizeof(word), &word, sizeof(word));
    }
}

static bool map_sigpage(struct process *p, struct error *err)
{
    uint64_t where = user_abi.page_address;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | (where ? MAP_FIXED : 0);
    int64_t at = space_map(&p->space, where, CPU_PAGE_SIZE, PROT_READ | PROT_WRITE, flags,
                           &(struct space_source){.name = "[sigpage]"});
    uint8_t *code = at < 0 ? NULL : space_write(&p->space, (uint64_t)at, CPU_PAGE_SIZE);

    if (!code)
        return error_set(err, "no room for the signal page");
    for (unsigned n = 0; n < user_abi.part_count; n++)
        fill_part(code, &user_abi.part[n]);
    p->sigpage = (uint64_t)at;
    if (space_protect(&p->space, p->sigpage, CPU_PAGE_SIZE, PROT_READ | PROT_EXEC))
        return error_set(err, "the signal page cannot be protected");
    return true;
}

static bool load_program(struct process *p, char **env, struct error *err)
{
    struct image image;
    struct thread *t;
    uint64_t sp;

    host_signal_watch(&p->space);
    p->exe = realpath(p->options->program, NULL);
    if (!p->exe)
        return error_set(err, "%s: %s", p->options->program, strerror(errno));
    if (!elf_load(p, p->exe, &image, err))
        return false;
    p->space.brk_start = p->space.brk = image.end;
    p->space.brk_limit = p->space.map_top;
    t = thread_new(p, err);
    if (!t)
        return false;
    t->tid = p->pid;
    t->mask = host_signal_start_mask();
    snprintf(t->name, sizeof(t->name), "%s",
             strrchr(p->exe, '/') ? strrchr(p->exe, '/') + 1 : p->exe);
    sp = map_sigpage(p, err) ? stack_build(p, t, &image, env, err) : 0;
    if (!sp)
        return false;
    user_set_stack_pointer(t->cpu, sp);
    user_branch(t->cpu, image.start);
    return true;
}

/* Makes the device of -gpu, which is of the kind that is linked with the program. */
static bool make_device(struct process *p, const struct user_device *kind, struct error *err)
{
    if (!p->options->gpu)
        return true;
    p->served = kind->create(kind, p, err);
    return p->served;
}

struct process *process_new(const struct user_options *o, const struct user_device *device,
                            struct log *log, char **env, struct error *err)
{
    const struct space_shape shape = {user_abi.address_bits, user_abi.stack_top, user_abi.tagged,
                                      o->sandbox};
    struct process *p = xcalloc(1, sizeof(*p));

    p->options = o;
    p->log = log;
    p->pid = (int)getpid();
    p->first_pid = p->pid;
    p->next_tid = p->pid + 1;
    p->original = true;
    p->related = o->clock == USER_CLOCK_SHARED;
    p->random = o->seed;
    clock_init(&p->clock);
    p->host_start_ns = host_now(CLOCK_MONOTONIC);
    p->start_ns =
        o->clock == USER_CLOCK_HOST ? host_now(CLOCK_REALTIME) : START_SECONDS * NS_PER_SEC;
    nofile_init(p);
    nofile_lift(p);
    fd_keep_log(p);
    fd_keep_strace(p);
    p->bus = bus_new(log);
    host_signal_init(p);
    if (!user_find_registers(err) || !frame_find(err) ||
        !cpu_choice_read(&p->choice, user_abi.isa, user_abi.cpus, o->cpu, err) ||
        !cpu_group_init(&p->group, NULL, 0, p->bus, &p->clock, err) ||
        !space_init(&p->space, p->bus, &p->group, &shape, err) || !load_program(p, env, err) ||
        (o->hand_over_fd && !take_over(p, (int)o->hand_over_fd, err))) {
        process_free(p);
        return NULL;
    }
    p->group.ps_per_tick = o->ps_per_tick;
    p->group.lone_quantum = 1000000;
    cpu_group_count(&p->group, o->stats_dir != NULL);
    if (!jit_open(&p->jit, p->group.code, log, &o->jit, err) || !make_device(p, device, err) ||
        (o->sandbox && !sandbox_enter(err))) {
        process_free(p);
        return NULL;
    }
    return p;
}

static void thread_free(struct thread *t)
{
    cpu_free(t->cpu);
    vec_free(&t->wait.fds);
    vec_free(&t->pending.queue);
    free(t);
}

void process_free(struct process *p)
{
    if (p->group.code)
        cpu_group_free(&p->group);
    for (size_t n = 0; n < p->threads.len; n++)
        thread_free(p->threads.data[n]);
    for (size_t n = 0; n < p->new_threads.len; n++)
        thread_free(p->new_threads.data[n]);
    for (size_t n = 0; n < p->free_cpus.len; n++)
        cpu_free(p->free_cpus.data[n]);
    for (size_t n = 0; n < p->timers.len; n++)
        free(p->timers.data[n]);
    vec_free(&p->threads);
    vec_free(&p->new_threads);
    vec_free(&p->free_cpus);
    vec_free(&p->timers);
    event_fd_free_all(p);
    served_free(p);
    vec_free(&p->own);
    vec_free(&p->pending.queue);
    host_signal_watch(NULL);
    space_free(&p->space);
    bus_free(p->bus);
    clock_free(&p->clock);
    free(p->exe);
    free(p);
}

/* ---- running --------------------------------------------------------------------------------- */

/* Advances virtual time to the host's clock, if the options choose that clock. */
static void follow_host(struct process *p)
{
    if (p->options->clock == USER_CLOCK_HOST)
        clock_advance_to(&p->clock, process_now(p));
}

void process_run(struct process *p)
{
    nofile_drop(p);
    while (!p->ended) {
        follow_host(p);
        if (process_now(p) >= p->options->limit_ns) { /* perhaps before the first turn: execve() */
            process_end(p, 124, 0);
            break;
        }
        host_signal_collect(p);
        thread_settle(p);
        thread_attend(p);
        if (p->ended)
            break;
        if (thread_any_runs(p))
            cpu_group_turn(&p->group);
        else
            thread_idle(p);
    }
    for (size_t n = 0; n < p->threads.len; n++) {
        if (!p->threads.data[n]->dead)
            futex_release_all(p->threads.data[n]);
    }
    nofile_lift(p); /* files are written at the end */
}
