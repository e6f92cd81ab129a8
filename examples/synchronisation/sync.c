/*
 * Five ways to share a queue, a stack, a deque or a heap between the cores of a machine without
 * compare-and-swap, as seed 004's chapter 3 compares them. METHOD and STRUCTURE choose at compile
 * time; H is the number of requests that a core serves in a row (DSM_SYNC), PAIRS how many
 * insertions and extractions all clients make together, THINK how long a client works between two
 * requests. With HISTORY the program prints every request, for the check of linearity in
 * synchronisation.py.
 */
#include "machine.h"

enum { LOCK, DELEGATION, CLUSTERED, DSM_SYNC, MESSAGE };
enum { QUEUE, STACK, DEQUE, HEAP };
enum { NOTHING, INSERT, EXTRACT, FINISH };
enum { CAPACITY = 2048, LOCK_AT = 0, SLOT_AT = 0x40, TOKEN_AT = 0x80, STORE_AT = 0x1000 };

/* An odd number, so that products are distinct: priorities in no order. */
#define SPREAD UINT64_C(0x9e3779b97f4a7c15)

#ifndef H
#define H 1
#endif

/* What a core measured. Cores write their own only. */
struct account {
    uint64_t requests, waited, insert_cycles, extract_cycles, inserted, extracted, end;
    uint64_t space[9];
};

extern volatile uint64_t core_count;

static struct account accounts[CORES] __attribute__((aligned(128)));
static volatile uint64_t ready, finished;
static uint64_t private_store[3 + CAPACITY];

#ifdef HISTORY
struct executed {
    uint64_t core, kind, value;
};
struct request {
    uint64_t start, end;
};
static struct executed order[2 * PAIRS + 1];
static struct request requests[CORES][2 * PAIRS + 1];
static uint64_t executions;
#endif

/* ---- the structure --------------------------------------------------------------------------- */

/* Word 0 is the head, or the top; word 1 the tail; elements follow. Extraction gives 0 when it is
 * empty. */
static uint64_t apply_queue(volatile uint64_t *store, uint64_t kind, uint64_t value)
{
    uint64_t head, tail = store[1];

    if (kind == INSERT) {
        store[2 + tail % CAPACITY] = value;
        store[1] = tail + 1;
        return 0;
    }
    head = store[0];
    if (head == tail)
        return 0;
    value = store[2 + head % CAPACITY];
    store[0] = head + 1;
    return value;
}

static uint64_t apply_stack(volatile uint64_t *store, uint64_t kind, uint64_t value)
{
    uint64_t top = store[0];

    if (kind == INSERT) {
        store[2 + top] = value;
        store[0] = top + 1;
        return 0;
    }
    if (!top)
        return 0;
    value = store[2 + top - 1];
    store[0] = top - 1;
    return value;
}

/* Cores with an even number use the head, the others the tail; CAPACITY divides 2^64, so that
 * places may run below 0. */
static uint64_t apply_deque(volatile uint64_t *store, unsigned core, uint64_t kind, uint64_t value)
{
    uint64_t head = store[0], tail = store[1];

    if (kind == INSERT && core % 2) {
        store[2 + tail % CAPACITY] = value;
        store[1] = tail + 1;
    } else if (kind == INSERT) {
        store[2 + (head - 1) % CAPACITY] = value;
        store[0] = head - 1;
    } else if (head == tail) {
        return 0;
    } else if (core % 2) {
        value = store[2 + (tail - 1) % CAPACITY];
        store[1] = tail - 1;
    } else {
        value = store[2 + head % CAPACITY];
        store[0] = head + 1;
    }
    return value;
}

/* Moves an element of a binary heap up from place n (from 1 on) while it exceeds its parent. */
static void sift_up(volatile uint64_t *heap, uint64_t n, uint64_t value)
{
    for (uint64_t parent; n > 1 && (parent = heap[n / 2]) < value; n /= 2)
        heap[n] = parent;
    heap[n] = value;
}

/* Moves an element down from place 1 of `count` while a child exceeds it. */
static void sift_down(volatile uint64_t *heap, uint64_t count, uint64_t value)
{
    uint64_t n = 1;

    for (uint64_t child; (child = 2 * n) <= count; n = child) {
        uint64_t largest = heap[child], other = child < count ? heap[child + 1] : 0;

        if (other > largest) {
            largest = other;
            child++;
        }
        if (largest <= value)
            break;
        heap[n] = largest;
    }
    heap[n] = value;
}

/* A binary heap: extraction gives the largest element. */
static uint64_t apply_heap(volatile uint64_t *store, uint64_t kind, uint64_t value)
{
    volatile uint64_t *heap = store + 1;
    uint64_t count = store[0];

    if (kind == INSERT) {
        store[0] = count + 1;
        sift_up(heap, count + 1, value);
        return 0;
    }
    if (!count)
        return 0;
    value = heap[1];
    store[0] = count - 1;
    if (count > 1)
        sift_down(heap, count - 1, heap[count]);
    return value;
}

static uint64_t apply_to(volatile uint64_t *store, unsigned core, uint64_t kind, uint64_t value)
{
    switch (STRUCTURE) {
    case QUEUE:
        return apply_queue(store, kind, value);
    case STACK:
        return apply_stack(store, kind, value);
    case DEQUE:
        return apply_deque(store, core, kind, value);
    default:
        return apply_heap(store, kind, value);
    }
}

/* Executes a request of a core. The caller guarantees exclusive access to the structure. */
static uint64_t apply_request(volatile uint64_t *store, unsigned core, uint64_t kind,
                              uint64_t value)
{
    uint64_t result = apply_to(store, core, kind, value);

#ifdef HISTORY
    order[executions++] = (struct executed){core, kind, kind == INSERT ? value : result};
#else
    (void)core;
#endif
    return result;
}

/* ---- one lock -------------------------------------------------------------------------------- */

static void acquire_lock(void)
{
    volatile uint64_t *lock = shared_words(0, LOCK_AT);
    uint64_t taken;

    do {
        while (*lock)
            ;
        __asm__ volatile("amoswap.d.aq %0, %1, (%2)" : "=r"(taken) : "r"(1), "r"(lock) : "memory");
    } while (taken);
}

static void release_lock(void)
{
    __asm__ volatile("fence rw, w" ::: "memory");
    *shared_words(0, LOCK_AT) = 0;
}

static uint64_t apply_locked(struct account *a, unsigned core, uint64_t kind, uint64_t value)
{
    uint64_t before = cycle_count(), result;

    acquire_lock();
    if (a)
        a->waited += cycle_count() - before;
    result = apply_request(shared_words(0, STORE_AT), core, kind, value);
    release_lock();
    return result;
}

/* ---- slots: a client's request is in its own node -------------------------------------------- */

/* Serves the request in a core's slot; false: there is none. The structure is in the server's
 * private memory, or in the shared one. */
static uint64_t serve_slot(unsigned core)
{
    volatile uint64_t *slot = shared_words(core, SLOT_AT);
    uint64_t kind = slot[0], value = 0;

    if (kind == NOTHING)
        return NOTHING;
    if (kind != FINISH) {
        if (kind == INSERT)
            value = slot[1];
        if (METHOD == DELEGATION)
            value = apply_request(private_store, core, kind, value);
        else if (METHOD == CLUSTERED)
            value = apply_locked(0, core, kind, value);
        else
            value = apply_request(shared_words(0, STORE_AT), core, kind, value);
        if (kind == EXTRACT)
            slot[1] = value;
    }
    slot[0] = NOTHING;
    return kind;
}

/* Serves the cores from `first` to before `end` until each has finished. */
static void serve_slots(unsigned first, unsigned end)
{
    unsigned active = end - first;

    while (active)
        for (unsigned core = first; core < end; core++)
            active -= serve_slot(core) == FINISH;
}

/* ---- DSM-sync: the cores are servers in turn --------------------------------------------------
 *
 * The token is 1 plus the number of requests that were served; a core passes the last one on and
 * stops. */

static uint64_t all_requests(void)
{
    return PAIRS / core_count * core_count * 2;
}

/* Serves up to H requests if the token is here. True: all requests of all cores are served. */
static uint64_t serve_turn(unsigned me)
{
    volatile uint64_t *token = shared_words(me, TOKEN_AT);
    unsigned cores = (unsigned)core_count;
    uint64_t served = *token, done = 0, any = 1;

    if (!served)
        return 0;
    *token = 0;
    while (any && done < H && served - 1 + done < all_requests()) {
        any = 0;
        for (unsigned i = 0; i < cores && done < H; i++)
            if (serve_slot((me + i) % cores)) {
                done++;
                any = 1;
            }
    }
    served += done;
    *shared_words((me + 1) % cores, TOKEN_AT) = served;
    return served - 1 == all_requests();
}

/* ---- clients --------------------------------------------------------------------------------- */

static uint64_t request_by_slot(struct account *a, unsigned me, uint64_t kind, uint64_t value)
{
    volatile uint64_t *slot = shared_words(me, SLOT_AT);
    uint64_t before;

    slot[1] = value;
    slot[0] = kind;
    before = cycle_count();
    while (slot[0] != NOTHING)
        if (METHOD == DSM_SYNC)
            serve_turn(me);
    a->waited += cycle_count() - before;
    return kind == EXTRACT ? slot[1] : 0;
}

static uint64_t request_by_message(struct account *a, uint64_t kind, uint64_t value)
{
    uint64_t before;

    send_mail(0, kind, value);
    if (kind != EXTRACT)
        return 0;
    before = cycle_count();
    while (!mailbox[RX_COUNT])
        ;
    a->waited += cycle_count() - before;
    return mailbox[RX_WORD1];
}

static uint64_t make_request(struct account *a, unsigned me, uint64_t kind, uint64_t value)
{
    uint64_t start = cycle_count(), result, end;

    if (METHOD == LOCK)
        result = apply_locked(a, me, kind, value);
    else if (METHOD == MESSAGE)
        result = request_by_message(a, kind, value);
    else
        result = request_by_slot(a, me, kind, value);
    end = cycle_count();
    if (kind == FINISH)
        return 0;
#ifdef HISTORY
    requests[me][a->requests] = (struct request){start, end};
#endif
    a->requests++;
    *(kind == INSERT ? &a->insert_cycles : &a->extract_cycles) += end - start;
    return result;
}

static void think_between(void)
{
    for (volatile unsigned n = THINK / 6; n; n--)
        ;
}

static void run_client(unsigned me, unsigned clients)
{
    struct account *a = &accounts[me];

    for (unsigned n = 0; n < PAIRS / clients; n++) {
        uint64_t value = (uint64_t)(me + 1) << 32 | (n + 1);

        if (STRUCTURE == HEAP)
            value *= SPREAD;
        make_request(a, me, INSERT, value);
        a->inserted += value;
        think_between();
        a->extracted += make_request(a, me, EXTRACT, 0);
        think_between();
    }
    a->end = cycle_count();
    if (METHOD == DSM_SYNC)
        while (!serve_turn(me))
            ;
    else if (METHOD != LOCK)
        make_request(a, me, FINISH, 0);
}

/* ---- servers --------------------------------------------------------------------------------- */

static void serve_messages(unsigned clients)
{
    while (clients) {
        uint64_t source, kind, value;

        while (!mailbox[RX_COUNT])
            ;
        source = mailbox[RX_SOURCE];
        kind = mailbox[RX_WORD0];
        value = mailbox[RX_WORD1];
        if (kind == FINISH) {
            clients--;
            continue;
        }
        value = apply_request(private_store, (unsigned)source, kind, value);
        if (kind == EXTRACT)
            send_mail((unsigned)source, 0, value);
    }
}

/* The cores that only serve are the first one, and of a clustered method with at least four cores
 * the one in the middle. */
static unsigned second_server(unsigned cores)
{
    return METHOD == CLUSTERED && cores >= 4 ? cores / 2 : cores;
}

static void run_core(unsigned me, unsigned cores)
{
    unsigned second = second_server(cores), servers = second < cores ? 2 : 1;

    if (METHOD == LOCK || METHOD == DSM_SYNC)
        run_client(me, cores);
    else if (me && me != second)
        run_client(me, cores - servers);
    else if (METHOD == MESSAGE)
        serve_messages(cores - 1);
    else
        serve_slots(me + 1, me ? cores : second);
}

/* ---- results --------------------------------------------------------------------------------- */

static void print_sum(const char *name, uint64_t number)
{
    print_text(name);
    print_text(" ");
    print_number(number);
    print_text("\n");
}

static uint64_t drain_store(void)
{
    volatile uint64_t *store =
        METHOD == DELEGATION || METHOD == MESSAGE ? private_store : shared_words(0, STORE_AT);
    uint64_t sum = 0, value;

    while ((value = apply_to(store, 0, EXTRACT, 0)))
        sum += value;
    return sum;
}

#ifdef HISTORY
static void print_history(void)
{
    static uint64_t next[CORES];

    for (uint64_t n = 0; n < executions; n++) {
        const struct executed *e = &order[n];
        const struct request *r = &requests[e->core][next[e->core]++];
        const uint64_t row[] = {e->core, e->kind, e->value, r->start, r->end};

        print_text("request");
        for (unsigned i = 0; i < 5; i++) {
            print_text(" ");
            print_number(row[i]);
        }
        print_text("\n");
    }
}
#endif

static void print_report(unsigned cores, uint64_t start)
{
    static struct account sum;

    for (unsigned n = 0; n < cores; n++) {
        sum.requests += accounts[n].requests;
        sum.waited += accounts[n].waited;
        sum.insert_cycles += accounts[n].insert_cycles;
        sum.extract_cycles += accounts[n].extract_cycles;
        sum.inserted += accounts[n].inserted;
        sum.extracted += accounts[n].extracted;
        sum.end = accounts[n].end > sum.end ? accounts[n].end : sum.end;
    }
#ifdef HISTORY
    print_history();
#endif
    print_sum("cycles", sum.end - start);
    print_sum("requests", sum.requests);
    print_sum("waited", sum.waited);
    print_sum("insert_cycles", sum.insert_cycles);
    print_sum("extract_cycles", sum.extract_cycles);
    print_sum("inserted", sum.inserted);
    print_sum("extracted", sum.extracted + drain_store());
}

void run(uint64_t me)
{
    unsigned cores;
    uint64_t start;

    __atomic_fetch_add(&ready, 1, __ATOMIC_SEQ_CST);
    while (!core_count || ready < core_count)
        ;
    cores = (unsigned)core_count;
    start = cycle_count();
    if (me == 0)
        *shared_words(0, TOKEN_AT) = 1;
    run_core((unsigned)me, cores);
    __atomic_fetch_add(&finished, 1, __ATOMIC_SEQ_CST);
    if (me)
        return;
    while (finished < cores)
        ;
    print_report(cores, start);
    power_off();
}
