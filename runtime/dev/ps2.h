/*
 * A keyboard or mouse at a PS/2 port: bytes from the host controller are commands, bytes to it are
 * answers, scan codes and movements.
 *
 * Source: IBM Personal System/2 Hardware Interface Technical Reference, Keyboard and Auxiliary
 * Device Controller; the wheel is that of Microsoft's IntelliMouse.
 */
#ifndef RUNTIME_DEV_PS2_H
#define RUNTIME_DEV_PS2_H

#include <stdbool.h>
#include <stdint.h>

#define PS2_QUEUE 64u /* bytes waiting for the host; a power of two */

/* A snapshot holds all members. */
struct ps2 {
    uint32_t mouse;   /* 1: mouse, 0: keyboard */
    uint32_t command; /* command that waits for its argument; 0: none */
    uint32_t enabled; /* reports keys or movements */
    uint32_t leds, rate, resolution, scaling, remote;
    uint32_t rates[2]; /* the last two sample rates, which switch the wheel on */
    uint32_t wheel;
    uint32_t buttons;
    uint32_t first, count;
    uint64_t begins; /* bit p: a packet begins at queue[p] */
    uint8_t queue[PS2_QUEUE];
    uint32_t sent_count; /* bytes of the last packet that the host has read */
    uint8_t sent[4];
};

/* Power-on state, with nothing to send. */
void ps2_reset(struct ps2 *dev, bool mouse);

/* Whether a byte waits for the host; the byte, which is removed from the queue, 0 without one. */
bool ps2_has_byte(const struct ps2 *dev);
uint8_t ps2_read(struct ps2 *dev);

/* A byte from the host. */
void ps2_write(struct ps2 *dev, uint8_t byte);

/* Reports a key, by its keysym of X, or a movement: see display.h. Packets that do not fit into the
 * queue are lost. */
void ps2_key(struct ps2 *dev, uint32_t key, bool down);
void ps2_move(struct ps2 *dev, int dx, int dy, int wheel, unsigned buttons);

/* Makes the state sound after it was loaded. */
void ps2_check(struct ps2 *dev);

/* The code of a key in scan code set 2, 0xe0xx for an extended one; 0: no such key (ps2_keys.c). */
unsigned ps2_scan_code(uint32_t key);

#endif
