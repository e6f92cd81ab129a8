/*
 * The message handling unit between the application CPUs and the system control processor: three
 * channels of 32 doorbell bits each way. Source: Juno Arm Development Platform SoC TRM (DDI 0515),
 * section 3.6 "Message Handling Unit".
 *
 * A firmware model (SCPI, SCMI) takes the control processor's side here.
 */
#ifndef RUNTIME_DEV_MHU_H
#define RUNTIME_DEV_MHU_H

#include <stdint.h>

struct mhu;
struct device_class;

extern const struct device_class mhu_class;

enum mhu_channel { MHU_LOW, MHU_HIGH, MHU_SECURE, MHU_CHANNELS };

/*
 * `fn` is called when the CPUs set new bits of a channel towards the firmware (`bits`: all that
 * are set now). The firmware clears them with mhu_clear() when it has taken the message. One
 * client a channel; NULL removes it.
 */
void mhu_set_doorbell(struct mhu *mhu, enum mhu_channel channel,
                      void (*fn)(void *opaque, enum mhu_channel channel, uint32_t bits),
                      void *opaque);

/* Clears bits of the CPUs' register towards the firmware, which has taken the message. */
void mhu_clear(struct mhu *mhu, enum mhu_channel channel, uint32_t bits);

/* Sets bits of the register towards the CPUs and raises their interrupt. */
void mhu_ring(struct mhu *mhu, enum mhu_channel channel, uint32_t bits);

#endif
