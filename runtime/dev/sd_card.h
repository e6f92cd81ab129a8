/*
 * An SD memory card of high capacity (SDHC, SDXC) on a disk, as its host controller uses it:
 * commands with their responses, and bytes of data.
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
    uint32_t status;      /* error bits for the next response */
    uint32_t rca;         /* address on the bus */
    uint32_t application; /* the next command is an ACMD */
    uint32_t wide;        /* four data lines */
    uint32_t high_speed;
    uint32_t erase_first, erase_last; /* blocks; during an erase, those that remain */
    uint32_t written;                 /* blocks written since the last write command */
    uint32_t many;                    /* blocks follow until CMD12 */
    uint64_t next;                    /* block after the one in `data` */
    uint32_t len, at;                 /* bytes in `data`, and the number taken or filled */
    uint8_t data[SD_BLOCK];
};

struct sd_card {
    struct sd_state s;
    struct disk *disk; /* borrowed; NULL: the slot is empty */
};

/* Whether an image can be a card: a multiple of 512 KB, at most the largest capacity of a card. */
bool sd_card_fits(const struct disk *disk, struct error *err);

/* Power-on state. */
void sd_card_reset(struct sd_card *card);

/*
 * Runs a command of the host. Returns the number of words of the response (0, 1 or 4), which are in
 * `response`, most significant first and without start bits and checksum.
 */
unsigned sd_card_command(struct sd_card *card, unsigned index, uint32_t argument,
                         uint32_t response[4]);

/* Moves up to `len` bytes of data; returns the number that the card had, or took. */
size_t sd_card_read(struct sd_card *card, uint8_t *bytes, size_t len);
size_t sd_card_write(struct sd_card *card, const uint8_t *bytes, size_t len);

/* Whether an erase is running; then sd_card_work() erases up to 4 MB per call. */
bool sd_card_busy(const struct sd_card *card);
void sd_card_work(struct sd_card *card);

/* Makes the state sound after it was loaded. */
void sd_card_check(struct sd_card *card);

#endif
