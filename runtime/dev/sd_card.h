/*
 * An SD memory card of high capacity (SDHC, SDXC) on a disk, as a host controller has it at the other
 * end of its wires: commands with their responses, and bytes of data.
 *
 * Source: SD Specifications, Part 1, Physical Layer Simplified Specification, version 3.01.
 */
#ifndef RUNTIME_DEV_SD_CARD_H
#define RUNTIME_DEV_SD_CARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/dev/disk.h"

#define SD_BLOCK 512u

/* The part that a snapshot holds. */
struct sd_state {
    uint32_t state;       /* section 4.1: idle, ready, … */
    uint32_t status;      /* error bits that the next response tells of */
    uint32_t rca;         /* address on the bus */
    uint32_t application; /* the next command is an ACMD */
    uint32_t wide;        /* four data lines */
    uint32_t high_speed;
    uint32_t erase_first, erase_last; /* blocks; while it erases, those that are left */
    uint32_t written;                 /* blocks, since the last write command */
    uint32_t many;                    /* blocks follow until CMD12 */
    uint64_t next;                    /* block after the one in `data` */
    uint32_t len, at;                 /* bytes in `data`, and how many have been taken or filled */
    uint8_t data[SD_BLOCK];
};

struct sd_card {
    struct sd_state s;
    struct disk *disk; /* borrowed; NULL: the slot is empty */
};

/* Whether an image can be a card: whole units of 512 KB, as many as a card can tell of. */
bool sd_card_fits(const struct disk *disk, struct error *err);

/* As after power-on. */
void sd_card_reset(struct sd_card *card);

/*
 * A command of the host. Returns the words of the response, 0, 1 or 4, in `response`, most significant
 * first and without start bits and checksum.
 */
unsigned sd_card_command(struct sd_card *card, unsigned index, uint32_t argument,
                         uint32_t response[4]);

/* Moves up to `len` bytes of data; returns how many the card had, or took. */
size_t sd_card_read(struct sd_card *card, uint8_t *bytes, size_t len);
size_t sd_card_write(struct sd_card *card, const uint8_t *bytes, size_t len);

/* An erase goes on, until sd_card_work() has been called often enough: 4 MB each time. */
bool sd_card_busy(const struct sd_card *card);
void sd_card_work(struct sd_card *card);

/* Makes the state sound after it was loaded. */
void sd_card_check(struct sd_card *card);

#endif
