/*
 * Firmware of the system control processor with the SCPI protocol: capabilities, clocks, frequency
 * (DVFS) domains, sensors and device power. It answers a message shortly after its doorbell, in
 * shared memory, and rings back. The device tree has the data: scp.h.
 *
 * Regions     none of its own: the shared memory of each mailbox (property shmem), the first half
 *             for answers and the second for commands
 * Interrupts  the mailbox's (property mboxes: phandle and channel)
 * Clocks      none: the rates are remembered; only the machine's GPU follows its domain
 * Bounds      one message at a time and channel, MAX_DATA bytes, 20 us after its doorbell
 * Manual      SCPI Message Interface (DUI 0922), sections named below
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/dev/device.h"
#include "runtime/dev/mhu.h"
#include "runtime/dev/scp.h"

#define DOMAINS   8 /* DVFS domains and power domains answered for */
#define CLOCKS    16
#define MAX_DATA  256u /* payload of a message */
#define HEADER    8u   /* command word, status word */
#define ANSWER_NS UINT64_C(20000)

/* Commands, DUI 0922 table 3-2 */
enum {
    CMD_CAPABILITIES = 0x02,
    CMD_DVFS_CAPABILITIES = 0x08,
    CMD_GET_DVFS_INFO = 0x09,
    CMD_SET_DVFS = 0x0a,
    CMD_GET_DVFS = 0x0b,
    CMD_CLOCK_CAPABILITIES = 0x0d,
    CMD_GET_CLOCK_INFO = 0x0e,
    CMD_SET_CLOCK = 0x0f,
    CMD_GET_CLOCK = 0x10,
    CMD_SENSOR_CAPABILITIES = 0x15,
    CMD_SENSOR_INFO = 0x16,
    CMD_SENSOR_VALUE = 0x17,
    CMD_SET_DEVICE_POWER = 0x1b,
    CMD_GET_DEVICE_POWER = 0x1c,
};

/* Status, DUI 0922 table 3-1 */
enum { OK = 0, ERR_PARAM = 1, ERR_SIZE = 3, ERR_RANGE = 6, ERR_SUPPORT = 10 };

#define POWER_OFF 3

struct mailbox {
    struct scpi *owner;
    struct mhu *mhu;
    enum mhu_channel channel;
    struct device_reg shmem;
    struct event answer;
};

struct scpi {
    uint8_t point[DOMAINS];
    uint8_t power[DOMAINS];
    uint32_t clock_hz[CLOCKS];
    uint32_t waiting[MHU_CHANNELS]; /* doorbell bits whose answer is due */

    const struct device_env *env;
    struct scp scp;
    struct mailbox box[MHU_CHANNELS];
    unsigned boxes;
};

/* A message: its payload in, the answer's payload out. */
struct message {
    uint8_t in[MAX_DATA], out[MAX_DATA];
    unsigned in_len, out_len;
};

static void put_value(struct message *m, unsigned size, uint64_t value)
{
    le_put(m->out + m->out_len, size, value);
    m->out_len += size;
}

/* ---- commands; each returns its status ------------------------------------------------------- */

static unsigned list_capabilities(struct message *m)
{
    static const uint8_t answered[] = {
        CMD_CAPABILITIES,     CMD_DVFS_CAPABILITIES,   CMD_GET_DVFS_INFO,  CMD_SET_DVFS,
        CMD_GET_DVFS,         CMD_CLOCK_CAPABILITIES,  CMD_GET_CLOCK_INFO, CMD_SET_CLOCK,
        CMD_GET_CLOCK,        CMD_SENSOR_CAPABILITIES, CMD_SENSOR_INFO,    CMD_SENSOR_VALUE,
        CMD_SET_DEVICE_POWER, CMD_GET_DEVICE_POWER,
    };
    uint32_t commands[4] = {0};

    for (size_t i = 0; i < sizeof(answered); i++)
        commands[answered[i] / 32] |= UINT32_C(1) << (answered[i] % 32);
    put_value(m, 4, 0x00010000); /* protocol 1.0 */
    put_value(m, 4, 0);          /* no events; the limits below are ours */
    put_value(m, 4, 0x01000000); /* firmware 1.0.0 */
    for (unsigned i = 0; i < 4; i++)
        put_value(m, 4, commands[i]);
    return OK;
}

static unsigned dvfs_info(const struct scp *scp, struct message *m)
{
    const struct scp_points *p = scp_points(scp, m->in[0]);

    if (m->in[0] >= DOMAINS)
        return ERR_PARAM;
    put_value(m, 4, m->in[0] | p->count << 8 | scp->latency_us << 16);
    for (unsigned i = 0; i < p->count; i++) {
        put_value(m, 4, p->at[i].hz);
        put_value(m, 4, p->at[i].millivolt);
    }
    return OK;
}

static unsigned set_dvfs(struct scpi *scpi, struct message *m)
{
    if (m->in[0] >= DOMAINS)
        return ERR_PARAM;
    if (m->in[1] >= scp_points(&scpi->scp, m->in[0])->count)
        return ERR_RANGE;
    scpi->point[m->in[0]] = m->in[1];
    scp_set_point(&scpi->scp, m->in[0], m->in[1]);
    return OK;
}

static unsigned get_dvfs(struct scpi *scpi, struct message *m)
{
    if (m->in[0] >= DOMAINS)
        return ERR_PARAM;
    put_value(m, 1, scpi->point[m->in[0]]);
    return OK;
}

static unsigned clock_info(const struct scp *scp, struct message *m)
{
    unsigned id = (unsigned)le_get(m->in, 2);
    char name[20] = "clock";

    if (id >= CLOCKS)
        return ERR_PARAM;
    put_value(m, 2, id);
    put_value(m, 2, 3); /* readable, writable */
    put_value(m, 4, scp->clock_min);
    put_value(m, 4, scp->clock_max);
    memcpy(m->out + m->out_len, name, sizeof(name));
    m->out_len += sizeof(name);
    return OK;
}

static unsigned set_clock(struct scpi *scpi, struct message *m)
{
    unsigned id = (unsigned)le_get(m->in, 2);

    if (id >= CLOCKS)
        return ERR_PARAM;
    scpi->clock_hz[id] = (uint32_t)le_get(m->in + 4, 4);
    return OK;
}

static unsigned get_clock(struct scpi *scpi, struct message *m)
{
    unsigned id = (unsigned)le_get(m->in, 2);

    if (id >= CLOCKS)
        return ERR_PARAM;
    put_value(m, 4, scpi->clock_hz[id]);
    return OK;
}

static unsigned device_power(struct scpi *scpi, struct message *m, bool set)
{
    unsigned id = (unsigned)le_get(m->in, 2);

    if (id >= DOMAINS)
        return ERR_PARAM;
    if (set)
        scpi->power[id] = m->in[2];
    else
        put_value(m, 1, scpi->power[id]);
    return OK;
}

static unsigned sensor_info(const struct scp *scp, struct message *m)
{
    unsigned id = (unsigned)le_get(m->in, 2);
    char name[20] = "";

    if (id >= scp->sensors)
        return ERR_PARAM;
    put_value(m, 2, id);
    put_value(m, 1, scp->sensor[id].unit); /* SCPI has the same numbers */
    put_value(m, 1, 0);                    /* nothing triggers */
    snprintf(name, sizeof(name), "%s", scp->sensor[id].name);
    memcpy(m->out + m->out_len, name, sizeof(name));
    m->out_len += sizeof(name);
    return OK;
}

static unsigned sensor_value(const struct scpi *scpi, struct message *m)
{
    unsigned id = (unsigned)le_get(m->in, 2);

    if (id >= scpi->scp.sensors)
        return ERR_PARAM;
    put_value(m, 8, scp_sensor_value(&scpi->scp, id, clock_now(scpi->env->clock)));
    return OK;
}

static unsigned run_command(struct scpi *scpi, unsigned command, struct message *m)
{
    switch (command) {
    case CMD_CAPABILITIES:
        return list_capabilities(m);
    case CMD_DVFS_CAPABILITIES:
        put_value(m, 1, DOMAINS);
        return OK;
    case CMD_GET_DVFS_INFO:
        return dvfs_info(&scpi->scp, m);
    case CMD_SET_DVFS:
        return set_dvfs(scpi, m);
    case CMD_GET_DVFS:
        return get_dvfs(scpi, m);
    case CMD_CLOCK_CAPABILITIES:
        put_value(m, 2, CLOCKS);
        return OK;
    case CMD_GET_CLOCK_INFO:
        return clock_info(&scpi->scp, m);
    case CMD_SET_CLOCK:
        return set_clock(scpi, m);
    case CMD_GET_CLOCK:
        return get_clock(scpi, m);
    case CMD_SENSOR_CAPABILITIES:
        put_value(m, 2, scpi->scp.sensors);
        return OK;
    case CMD_SENSOR_INFO:
        return sensor_info(&scpi->scp, m);
    case CMD_SENSOR_VALUE:
        return sensor_value(scpi, m);
    case CMD_SET_DEVICE_POWER:
        return device_power(scpi, m, true);
    case CMD_GET_DEVICE_POWER:
        return device_power(scpi, m, false);
    }
    return ERR_SUPPORT;
}

/* ---- messages -------------------------------------------------------------------------------- */

/* Reads the command from shared memory, runs it, writes the answer there and rings. */
static void answer_command(void *opaque)
{
    struct mailbox *box = opaque;
    struct scpi *scpi = box->owner;
    uint32_t bits = scpi->waiting[box->channel];
    uint64_t half = box->shmem.size / 2;
    uint8_t header[HEADER];
    struct message m = {0};
    unsigned command, status;

    scpi->waiting[box->channel] = 0;
    bus_copy_from(scpi->env->bus, box->shmem.base + half, header, HEADER);
    command = (unsigned)le_get(header, 4);
    m.in_len = command >> 16 & 0x1ff;
    if (m.in_len > MAX_DATA || HEADER + m.in_len > half) {
        status = ERR_SIZE;
    } else {
        bus_copy_from(scpi->env->bus, box->shmem.base + half + HEADER, m.in, m.in_len);
        status = run_command(scpi, command & 0x7f, &m);
    }
    if (HEADER + m.out_len > half)
        m.out_len = 0;
    log_printf(scpi->env->log, LOG_FIRMWARE, "scpi: command %#x, %u bytes: status %u, %u bytes\n",
               command & 0x7f, m.in_len, status, m.out_len);
    le_put(header, 4, (command & 0xffff) | m.out_len << 16);
    le_put(header + 4, 4, status);
    bus_copy_to(scpi->env->bus, box->shmem.base, header, HEADER);
    bus_copy_to(scpi->env->bus, box->shmem.base + HEADER, m.out, m.out_len);
    mhu_clear(box->mhu, box->channel, bits);
    mhu_ring(box->mhu, box->channel, bits);
}

static void on_doorbell(void *opaque, enum mhu_channel channel, uint32_t bits)
{
    struct mailbox *box = opaque;
    struct clock *clock = box->owner->env->clock;

    box->owner->waiting[channel] = bits;
    clock_add(clock, &box->answer, clock_now(clock) + ANSWER_NS);
}

/* ---- the device ------------------------------------------------------------------------------ */

static void reset_scpi(void *opaque)
{
    struct scpi *scpi = opaque;

    for (unsigned i = 0; i < DOMAINS; i++) {
        scpi->point[i] = (uint8_t)scp_points(&scpi->scp, i)->initial;
        scpi->power[i] = POWER_OFF;
    }
    for (unsigned i = 0; i < CLOCKS; i++)
        scpi->clock_hz[i] = scpi->scp.clock_initial;
    memset(scpi->waiting, 0, sizeof(scpi->waiting));
    for (unsigned i = 0; i < scpi->boxes; i++)
        clock_cancel(scpi->env->clock, &scpi->box[i].answer);
}

static void post_load(void *opaque, struct error *err)
{
    struct scpi *scpi = opaque;

    (void)err;
    for (unsigned i = 0; i < DOMAINS; i++)
        scpi->point[i] %= (uint8_t)scp_points(&scpi->scp, i)->count;
    for (unsigned i = 0; i < scpi->boxes; i++) {
        struct mailbox *box = &scpi->box[i];

        if (scpi->waiting[box->channel])
            clock_add(scpi->env->clock, &box->answer, clock_now(scpi->env->clock) + ANSWER_NS);
    }
}

static void destroy_scpi(void *opaque)
{
    struct scpi *scpi = opaque;

    for (unsigned i = 0; i < scpi->boxes; i++) {
        clock_cancel(scpi->env->clock, &scpi->box[i].answer);
        mhu_set_doorbell(scpi->box[i].mhu, scpi->box[i].channel, NULL, NULL);
    }
    free(scpi);
}

/* Connects mailbox `i` of the node; false when the tree does not describe it. */
static bool connect_mailbox(struct scpi *scpi, unsigned i, struct error *err)
{
    const struct device_env *env = scpi->env;
    const struct device_class *cls = NULL;
    struct mailbox *box = &scpi->box[i];
    uint32_t phandle, channel, shmem;

    if (!device_prop_u32(env, "mboxes", 2 * i, &phandle) ||
        !device_prop_u32(env, "mboxes", 2 * i + 1, &channel) || channel >= MHU_CHANNELS ||
        !device_prop_u32(env, "shmem", i, &shmem))
        return device_error(env, err, "mboxes and shmem must name channel and memory") != NULL;
    box->mhu = env->device_by_phandle ? env->device_by_phandle(env->opaque, phandle, &cls) : NULL;
    if (!box->mhu || cls != &mhu_class)
        return device_error(env, err, "the mailbox is not a message handling unit") != NULL;
    if (!env->reg_by_phandle || !env->reg_by_phandle(env->opaque, shmem, 0, &box->shmem))
        return device_error(env, err, "the shared memory has no address") != NULL;
    box->owner = scpi;
    box->channel = channel;
    event_init(&box->answer, answer_command, box);
    mhu_set_doorbell(box->mhu, channel, on_doorbell, box);
    scpi->boxes++;
    return true;
}

static bool connect_all(struct scpi *scpi, struct error *err)
{
    size_t len = 0;
    unsigned count;

    device_prop(scpi->env, "mboxes", &len);
    count = len / 8 > MHU_CHANNELS ? MHU_CHANNELS : (unsigned)(len / 8);
    for (unsigned i = 0; i < count; i++) {
        if (!connect_mailbox(scpi, i, err))
            return false;
    }
    return true;
}

static void *create_scpi(const struct device_env *env, struct error *err)
{
    struct scpi *scpi = xcalloc(1, sizeof(*scpi));

    scpi->env = env;
    if (!connect_all(scpi, err) || !scp_read(&scpi->scp, env, err)) {
        destroy_scpi(scpi);
        return NULL;
    }
    reset_scpi(scpi);
    return scpi;
}

static const char *const compatible[] = {"arm,scpi", NULL};

static const struct state_field fields[] = {
    STATE_FIELD(struct scpi, point),
    STATE_FIELD(struct scpi, power),
    STATE_FIELD(struct scpi, clock_hz),
    STATE_FIELD(struct scpi, waiting),
    STATE_END,
};

const struct device_class scpi_class = {
    .name = "scpi",
    .summary = "system control processor's SCPI firmware",
    .compatible = compatible,
    .fields = fields,
    .create = create_scpi,
    .reset = reset_scpi,
    .destroy = destroy_scpi,
    .post_load = post_load,
};
