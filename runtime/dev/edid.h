/* EDID of a screen: what it says about itself and which modes it can show. */
#ifndef RUNTIME_DEV_EDID_H
#define RUNTIME_DEV_EDID_H

#include <stdint.h>

enum { EDID_BYTES = 128 };
#define EDID_MAX_SIDE 4095u /* pixels of a side in a detailed timing */

/* Fills the block of a screen that prefers `width` x `height`, 1..EDID_MAX_SIDE each, at 60 Hz. */
void edid_make(uint8_t edid[EDID_BYTES], uint32_t width, uint32_t height);

#endif
