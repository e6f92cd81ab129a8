/*
 * Mailboxes between the CPUs of a mesh. A CPU sends messages of two words to the queue of another
 * CPU, where they arrive after a delay of hop-ns per hop. No real chip has this device; it models
 * message passing on a network on a chip.
 *
 * Regions     reg[0], 4 KB: each CPU sees its own registers there
 * Interrupts  [n] a message has arrived for CPU n; may be missing
 * Clocks      none
 * Properties  mesh-width (1): CPU n is in column n % width, row n / width; hop-ns (0): time of a
 *             message from a CPU to its neighbour; depth (8): most messages in transit to a CPU or
 *             in its queue, up to MAX_DEPTH
 * Bounds      memory: MAX_DEPTH messages per CPU; a message plans one event
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/dev/device.h"

enum { MAX_DEPTH = 64 };

/* Offsets of registers of 8 bytes. */
enum {
    TX_WORD0 = 0x00,
    TX_WORD1 = 0x08,
    TX_SEND = 0x10,   /* write: number of the CPU that TX_WORD0 and TX_WORD1 are sent to */
    TX_STATUS = 0x18, /* read: 1 if the last message was accepted, 0 if the queue was full */
    RX_COUNT = 0x20,  /* read: number of messages that have arrived */
    RX_SOURCE = 0x28, /* read: number of the CPU that sent the first of them */
    RX_WORD0 = 0x30,
    RX_WORD1 = 0x38, /* read: the message is taken out of the queue */
};

struct message {
    uint64_t word[2];
    uint64_t arrives; /* virtual time in ns */
    uint64_t source;  /* number of the sending CPU */
};

/* A CPU's queue, in the order of arrival, and its registers for sending. */
struct box {
    struct message queue[MAX_DEPTH];
    uint64_t count;  /* messages in the queue, arrived or in transit */
    uint64_t out[2]; /* TX_WORD0, TX_WORD1 */
    uint64_t taken;  /* TX_STATUS */
};

struct mailbox {
    struct box box[DEVICE_MAX_CPUS];

    const struct device_env *env;
    struct device_seen seen;
    uint32_t width, hop_ns, depth;
    struct event arrival[DEVICE_MAX_CPUS];
    struct receiver {
        struct mailbox *mailbox;
        unsigned cpu;
    } receiver[DEVICE_MAX_CPUS];
    uint64_t sent, refused;
};

/* Number of messages of the queue that have arrived. */
static unsigned count_arrived(const struct mailbox *m, unsigned cpu)
{
    const struct box *b = &m->box[cpu];
    uint64_t now = clock_now(m->env->clock);
    unsigned n = 0;

    while (n < b->count && b->queue[n].arrives <= now)
        n++;
    return n;
}

static void update_irq(struct mailbox *m, unsigned cpu)
{
    struct box *b = &m->box[cpu];
    unsigned n = count_arrived(m, cpu);

    struct irq_line line = device_irq(m->env, cpu);

    irq_set(&line, n > 0);
    if (n < b->count && cpu < m->env->irq_count)
        clock_add(m->env->clock, &m->arrival[cpu], b->queue[n].arrives);
    else
        clock_cancel(m->env->clock, &m->arrival[cpu]);
}

static void on_arrival(void *opaque)
{
    struct receiver *r = opaque;

    update_irq(r->mailbox, r->cpu);
}

static unsigned axis_distance(unsigned a, unsigned b)
{
    return a > b ? a - b : b - a;
}

static uint64_t way_ns(const struct mailbox *m, unsigned from, unsigned to)
{
    unsigned w = m->width;

    return (uint64_t)(axis_distance(from % w, to % w) + axis_distance(from / w, to / w)) *
           m->hop_ns;
}

/* Inserts a message behind all that arrive earlier or at the same time, so that messages of one
 * sender stay in order. */
static void enqueue_message(struct box *b, const struct message *message)
{
    uint64_t at = b->count++;

    for (; at && b->queue[at - 1].arrives > message->arrives; at--)
        b->queue[at] = b->queue[at - 1];
    b->queue[at] = *message;
}

static void send_message(struct mailbox *m, unsigned from, uint64_t to)
{
    struct box *b = &m->box[from];

    b->taken = 0;
    if (to >= m->env->cpu_count) {
        device_log_guest(m->env, "a message to CPU %llu, which does not exist",
                         (unsigned long long)to);
        return;
    }
    if (m->box[to].count >= m->depth) {
        m->refused++;
        return;
    }
    b->taken = 1;
    m->sent++;
    enqueue_message(&m->box[to], &(struct message){.word = {b->out[0], b->out[1]},
                                                   .arrives = clock_now(m->env->clock) +
                                                              way_ns(m, from, (unsigned)to),
                                                   .source = from});
    update_irq(m, (unsigned)to);
}

/* Removes the first message, which must have arrived. */
static uint64_t take_message(struct mailbox *m, unsigned cpu)
{
    struct box *b = &m->box[cpu];
    uint64_t word = b->queue[0].word[1];

    b->count--;
    memmove(b->queue, b->queue + 1, b->count * sizeof(b->queue[0]));
    update_irq(m, cpu);
    return word;
}

static uint64_t read_register(void *opaque, uint64_t offset, unsigned size, unsigned cpu)
{
    struct mailbox *m = opaque;
    const struct message *first;
    bool any;

    (void)size;
    if (cpu >= m->env->cpu_count)
        return 0; /* a bus master that is no CPU has no mailbox */
    first = &m->box[cpu].queue[0];
    any = count_arrived(m, cpu) > 0;
    switch (offset) {
    case TX_STATUS:
        return m->box[cpu].taken;
    case RX_COUNT:
        return count_arrived(m, cpu);
    case RX_SOURCE:
        return any ? first->source : 0;
    case RX_WORD0:
        return any ? first->word[0] : 0;
    case RX_WORD1:
        return any ? take_message(m, cpu) : 0;
    default:
        device_log_unimp(m->env, &m->seen, "mailbox", offset, false, 0);
        return 0;
    }
}

static void write_register(void *opaque, uint64_t offset, uint64_t value, unsigned size,
                           unsigned cpu)
{
    struct mailbox *m = opaque;

    (void)size;
    if (cpu >= m->env->cpu_count)
        return;
    if (offset == TX_WORD0 || offset == TX_WORD1)
        m->box[cpu].out[offset == TX_WORD1] = value;
    else if (offset == TX_SEND)
        send_message(m, cpu, value);
    else
        device_log_unimp(m->env, &m->seen, "mailbox", offset, true, value);
}

static const struct mmio_ops ops = {read_register, write_register, 8, 8};

static void reset_mailbox(void *opaque)
{
    struct mailbox *m = opaque;

    memset(m->box, 0, sizeof(m->box));
    for (unsigned cpu = 0; cpu < m->env->cpu_count; cpu++)
        update_irq(m, cpu);
}

static void post_load(void *opaque, struct error *err)
{
    struct mailbox *m = opaque;

    (void)err;
    for (unsigned cpu = 0; cpu < m->env->cpu_count; cpu++) {
        if (m->box[cpu].count > m->depth)
            m->box[cpu].count = 0;
        update_irq(m, cpu);
    }
}

static void destroy_mailbox(void *opaque)
{
    struct mailbox *m = opaque;

    for (unsigned cpu = 0; cpu < DEVICE_MAX_CPUS; cpu++)
        clock_cancel(m->env->clock, &m->arrival[cpu]);
    free(m);
}

static uint32_t number_property(const struct device_env *env, const char *name, uint32_t usual)
{
    uint32_t n;

    return device_prop_u32(env, name, 0, &n) ? n : usual;
}

static void *create_mailbox(const struct device_env *env, struct error *err)
{
    struct mailbox *m;
    uint32_t width = number_property(env, "mesh-width", 1),
             depth = number_property(env, "depth", 8);

    if (!width || !depth || depth > MAX_DEPTH)
        return device_error(env, err, "mesh-width must be at least 1, depth 1 to %d", MAX_DEPTH);
    m = xcalloc(1, sizeof(*m));
    m->env = env;
    m->width = width;
    m->depth = depth;
    m->hop_ns = number_property(env, "hop-ns", 0);
    for (unsigned cpu = 0; cpu < DEVICE_MAX_CPUS; cpu++) {
        m->receiver[cpu] = (struct receiver){m, cpu};
        event_init(&m->arrival[cpu], on_arrival, &m->receiver[cpu]);
    }
    m = device_start(env, 0x1000, &ops, m, reset_mailbox, err);
    if (m && env->stats) {
        stats_add(env->stats, env->name, "sent", &m->sent);
        stats_add(env->stats, env->name, "refused", &m->refused);
    }
    return m;
}

static const char *const compatible[] = {"gencc,mailbox", NULL};

static const struct state_field fields[] = {
    STATE_FIELD(struct mailbox, box),
    STATE_END,
};

const struct device_class mailbox_class = {
    .name = "mailbox",
    .summary = "mailboxes between the CPUs of a mesh",
    .compatible = compatible,
    .fields = fields,
    .create = create_mailbox,
    .reset = reset_mailbox,
    .destroy = destroy_mailbox,
    .post_load = post_load,
};
