/* Inside of the SCMI firmware model: scmi.c (mailboxes), scmi_protocols.c (messages). */
#ifndef RUNTIME_DEV_SCMI_H
#define RUNTIME_DEV_SCMI_H

#include "runtime/dev/device.h"
#include "runtime/dev/mhu.h"
#include "runtime/dev/scp.h"

enum {
    SCMI_DOMAINS = 16, /* power domains, and performance domains */
    SCMI_CLOCKS = 8,
    SCMI_BOXES = MHU_CHANNELS,
    SCMI_MAX_DATA = 100, /* payload that a channel's shared memory of 128 bytes has room for */
};

struct scmi_box { /* a mailbox channel and its shared memory */
    struct scmi *owner;
    struct mhu *mhu;
    enum mhu_channel channel;
    uint32_t bit; /* doorbell of commands */
    struct device_reg shmem;
    struct event answer;
};

struct scmi {
    uint32_t level[SCMI_DOMAINS]; /* performance levels, in MHz */
    uint32_t power[SCMI_DOMAINS];
    uint64_t clock_hz[SCMI_CLOCKS];
    uint32_t clock_on[SCMI_CLOCKS];
    uint32_t waiting[SCMI_BOXES]; /* 1: an answer is due */

    const struct device_env *env;
    struct scp scp;
    struct scmi_box box[SCMI_BOXES];
    unsigned boxes;
};

/* A message's parameters in, the answer's status and values out. */
struct scmi_message {
    uint8_t in[SCMI_MAX_DATA], out[SCMI_MAX_DATA];
    unsigned in_len, out_len;
};

/* Runs a command; the answer, its status included, is in m->out. */
void scmi_run(struct scmi *s, unsigned protocol, unsigned id, struct scmi_message *m);

#endif
