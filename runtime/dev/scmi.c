/*
 * Firmware of the system control processor with the SCMI protocol, which some device trees describe
 * in place of SCPI. The answer to a command replaces it in the shared memory.
 *
 * Regions     none of its own: the shared memory of each mailbox (property shmem)
 * Interrupts  the mailbox's (property mboxes: phandle, channel, doorbell bit)
 * Clocks      none: the rates are remembered; only the machine's GPU follows its domain
 * Bounds      one message per channel at a time, of SCMI_MAX_DATA bytes, answered 20 us after its
 *             doorbell
 * Manual      Arm System Control and Management Interface (DEN 0056), section 5.1 (shared memory)
 */
#include "runtime/dev/scmi.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"

#define ANSWER_NS  UINT64_C(20000)
#define PREPARE_NS UINT64_C(1000)

/* Shared memory of a channel */
enum { STATUS = 0x04, FLAGS = 0x10, LENGTH = 0x14, HEADER = 0x18, PAYLOAD = 0x1c };
enum { STATUS_FREE = 1, FLAG_INTERRUPT = 1 };

#define POWER_OFF (UINT32_C(1) << 30)

static uint32_t get_word(const struct scmi_box *box, unsigned offset)
{
    uint8_t bytes[4] = {0};

    bus_copy_from(box->owner->env->bus, box->shmem.base + offset, bytes, sizeof(bytes));
    return (uint32_t)le_get(bytes, 4);
}

static void set_word(const struct scmi_box *box, unsigned offset, uint32_t value)
{
    uint8_t bytes[4];

    le_put(bytes, 4, value);
    bus_copy_to(box->owner->env->bus, box->shmem.base + offset, bytes, sizeof(bytes));
}

static void serve_command(struct scmi_box *box)
{
    struct bus *bus = box->owner->env->bus;
    uint32_t header = get_word(box, HEADER), length = get_word(box, LENGTH);
    struct scmi_message m = {0};
    uint64_t room = box->shmem.size - PAYLOAD;

    m.in_len = length < 4 ? 0 : length - 4;
    if (m.in_len > SCMI_MAX_DATA || m.in_len > room)
        m.in_len = 0;
    bus_copy_from(bus, box->shmem.base + PAYLOAD, m.in, m.in_len);
    scmi_run(box->owner, header >> 10 & 0xff, header & 0xff, &m);
    if (m.out_len > room)
        m.out_len = (unsigned)room;
    log_printf(box->owner->env->log, LOG_FIRMWARE,
               "scmi: protocol %#x, command %u: status %d, %u bytes\n", header >> 10 & 0xff,
               header & 0xff, (int32_t)le_get(m.out, 4), m.out_len);
    bus_copy_to(bus, box->shmem.base + PAYLOAD, m.out, m.out_len);
    set_word(box, LENGTH, m.out_len + 4);
}

/* The first event of a channel finds nothing waiting: it declares the shared memory free. */
static void on_doorbell_event(void *opaque)
{
    struct scmi_box *box = opaque;
    uint32_t *waiting = &box->owner->waiting[box->channel];
    bool rung = *waiting;

    *waiting = 0;
    if (rung)
        serve_command(box);
    set_word(box, STATUS, STATUS_FREE);
    if (!rung)
        return;
    mhu_clear(box->mhu, box->channel, box->bit);
    if (get_word(box, FLAGS) & FLAG_INTERRUPT)
        mhu_ring(box->mhu, box->channel, box->bit);
}

static void on_doorbell(void *opaque, enum mhu_channel channel, uint32_t bits)
{
    struct scmi_box *box = opaque;
    struct clock *clock = box->owner->env->clock;

    if (!(bits & box->bit))
        return;
    box->owner->waiting[channel] = 1;
    clock_add(clock, &box->answer, clock_now(clock) + ANSWER_NS);
}

/* ---- the device ------------------------------------------------------------------------------ */

static void reset_scmi(void *opaque)
{
    struct scmi *s = opaque;
    struct clock *clock = s->env->clock;

    for (unsigned i = 0; i < SCMI_DOMAINS; i++) {
        s->level[i] = scp_initial(&s->scp, i)->hz / 1000000;
        s->power[i] = POWER_OFF;
    }
    for (unsigned i = 0; i < SCMI_CLOCKS; i++) {
        s->clock_hz[i] = s->scp.clock_initial;
        s->clock_on[i] = 0;
    }
    memset(s->waiting, 0, sizeof(s->waiting));
    for (unsigned i = 0; i < s->boxes; i++)
        clock_add(clock, &s->box[i].answer, clock_now(clock) + PREPARE_NS);
}

static void post_load(void *opaque, struct error *err)
{
    struct scmi *s = opaque;

    (void)err;
    for (unsigned i = 0; i < s->boxes; i++)
        if (s->waiting[s->box[i].channel])
            clock_add(s->env->clock, &s->box[i].answer, clock_now(s->env->clock) + ANSWER_NS);
}

static void destroy_scmi(void *opaque)
{
    struct scmi *s = opaque;

    for (unsigned i = 0; i < s->boxes; i++) {
        clock_cancel(s->env->clock, &s->box[i].answer);
        mhu_set_doorbell(s->box[i].mhu, s->box[i].channel, NULL, NULL);
    }
    free(s);
}

static bool connect_mailbox(struct scmi *s, const uint32_t mbox[3], uint32_t shmem,
                            struct error *err)
{
    const struct device_env *env = s->env;
    const struct device_class *cls = NULL;
    struct scmi_box *box = &s->box[s->boxes];

    if (mbox[1] >= MHU_CHANNELS || mbox[2] >= 32)
        return device_error(env, err, "mboxes must name channel and doorbell") != NULL;
    box->mhu = env->device_by_phandle ? env->device_by_phandle(env->opaque, mbox[0], &cls) : NULL;
    if (!box->mhu || cls != &mhu_class)
        return device_error(env, err, "the mailbox is not a message handling unit") != NULL;
    if (!env->reg_by_phandle || !env->reg_by_phandle(env->opaque, shmem, 0, &box->shmem) ||
        box->shmem.size < PAYLOAD + SCMI_MAX_DATA)
        return device_error(env, err, "the shared memory has no address, or is small") != NULL;
    box->owner = s;
    box->channel = mbox[1];
    box->bit = UINT32_C(1) << mbox[2];
    event_init(&box->answer, on_doorbell_event, box);
    mhu_set_doorbell(box->mhu, box->channel, on_doorbell, box);
    s->boxes++;
    return true;
}

/*
 * The node's own channel serves all protocols; children may have channels of their own. The first
 * mailbox of each is for commands. The second is for notifications, which are never sent.
 */
static bool connect_all(struct scmi *s, struct error *err)
{
    static const char *const names[][2] = {{"mboxes", "shmem"},
                                           {"protocol@13/mboxes", "protocol@13/shmem"}};

    for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
        uint32_t mbox[3], shmem;
        bool found = device_prop_u32(s->env, names[i][1], 0, &shmem);

        for (unsigned cell = 0; cell < 3; cell++)
            found = found && device_prop_u32(s->env, names[i][0], cell, &mbox[cell]);
        if (found && !connect_mailbox(s, mbox, shmem, err))
            return false;
    }
    return true;
}

static void *create_scmi(const struct device_env *env, struct error *err)
{
    struct scmi *s = xcalloc(1, sizeof(*s));

    s->env = env;
    if (!connect_all(s, err) || !scp_read(&s->scp, env, err)) {
        destroy_scmi(s);
        return NULL;
    }
    reset_scmi(s);
    return s;
}

static const char *const compatible[] = {"arm,scmi", NULL};

static const struct state_field fields[] = {
    STATE_FIELD(struct scmi, level),    STATE_FIELD(struct scmi, power),
    STATE_FIELD(struct scmi, clock_hz), STATE_FIELD(struct scmi, clock_on),
    STATE_FIELD(struct scmi, waiting),  STATE_END,
};

const struct device_class scmi_class = {
    .name = "scmi",
    .summary = "system control processor's SCMI firmware",
    .compatible = compatible,
    .fields = fields,
    .create = create_scmi,
    .reset = reset_scmi,
    .destroy = destroy_scmi,
    .post_load = post_load,
};
