/*
 * A keyboard or mouse at a PS/2 port: bytes from the host controller are commands, bytes to it are
 * answers, scan codes and movements.
 *
 * Source: IBM Personal System/2 Hardware Interface Technical Reference, Keyboard and Auxiliary Device
 * Controller; the wheel is as Microsoft's IntelliMouse has it.
 */
#ifndef RUNTIME_DEV_PS2_H
#define RUNTIME_DEV_PS2_H

#include <stdbool.h>
#include <stdint.h>

#define PS2_QUEUE 64u /* bytes that wait for the host; a power of two */

/* All of it is state that a snapshot holds. */
struct ps2 {
    uint32_t mouse;   /* else a keyboard */
    uint32_t command; /* whose argument comes next, 0: none */
    uint32_t enabled; /* it tells of keys or movements */
    uint32_t leds, rate, resolution, scaling, remote;
    uint32_t rates[2]; /* the last two sample rates, which switch the wheel on */
    uint32_t wheel;
    uint32_t buttons;
    uint32_t first, count;
    uint64_t begins; /* one bit per place of the queue: a packet begins there */
    uint8_t queue[PS2_QUEUE];
    uint32_t sent_count; /* bytes that the host has taken of the last packet */
    uint8_t sent[4];
};

/* As after power-on, with nothing to say. */
void ps2_reset(struct ps2 *dev, bool mouse);

/* Whether a byte waits for the host, and the byte, which is taken out; 0 when there is none. */
bool ps2_has_byte(const struct ps2 *dev);
uint8_t ps2_read(struct ps2 *dev);

/* A byte from the host. */
void ps2_write(struct ps2 *dev, uint8_t byte);

/* A key, by its keysym of X, or a movement: see display.h. What does not fit into the queue is lost. */
void ps2_key(struct ps2 *dev, uint32_t key, bool down);
void ps2_move(struct ps2 *dev, int dx, int dy, int wheel, unsigned buttons);

/* Makes the state sound after it was loaded. */
void ps2_check(struct ps2 *dev);

/* The code of a key in scan code set 2, 0xe0xx for an extended one; 0: no such key (ps2_keys.c). */
unsigned ps2_scan_code(uint32_t key);

#endif
