/*
 * SD memory card: the card's side of the protocol. Written data is on the disk before the next
 * command; only an erase takes time.
 *
 * Bounds      a command is one step, data goes block by block, an erase by 4 MB per call of
 *             sd_card_work(), which the controller calls at later virtual times
 */
#include "runtime/dev/sd_card.h"

#include <string.h>

#include "runtime/base/bits.h"

/* States, section 4.1, as CURRENT_STATE has them. */
enum { IDLE, READY, IDENT, STBY, TRAN, DATA, RCV, PRG, DIS, INACTIVE };

/* Card status, section 4.10.1 */
#define OUT_OF_RANGE   (1u << 31)
#define BLOCK_LEN_BAD  (1u << 29)
#define ERASE_SEQUENCE (1u << 28)
#define ERASE_PARAM    (1u << 27)
#define WP_VIOLATION   (1u << 26)
#define ILLEGAL        (1u << 22)
#define ERROR          (1u << 19)
#define READY_FOR_DATA (1u << 8)
#define APP_CMD        (1u << 5)

#define RCA       0x4567u
#define VOLTAGES  0x00ff8000u /* 2.7 to 3.6 V */
#define OCR_READY (1u << 31)
#define OCR_HIGH  (1u << 30)
#define UNIT      UINT64_C(0x80000) /* unit of the capacity in a CSD */
#define MAX_UNITS 0x400000u

#define ERASE_BLOCKS 8192u /* per call: an allocation unit, as in the status */
#define NO_BLOCK     UINT32_MAX

struct command {
    struct sd_card *card;
    uint32_t argument;
    uint32_t *response;
    unsigned words; /* words of the response */
};

/* ---- registers ------------------------------------------------------------------------------- */

/* The checksum of section 4.5 at the end of a register of 16 bytes. */
static void append_checksum(uint8_t reg[16])
{
    uint8_t crc = 0;

    for (unsigned i = 0; i < 15; i++) {
        for (unsigned bit = 8; bit--;)
            crc = (uint8_t)(crc << 1 ^ ((crc >> 6 ^ (reg[i] >> bit)) & 1 ? 0x09 : 0));
    }
    reg[15] = (uint8_t)(crc << 1 | 1);
}

static void make_cid(uint8_t reg[16])
{
    /* Manufacturer, OEM, name, revision, serial number, January 2027: section 5.2 */
    static const uint8_t cid[16] = {0x47, 'S', 'D', 'G', 'E', 'N',  'C', 'C',
                                    0x10, 0,   0,   0,   1,   0x01, 0xb1};

    memcpy(reg, cid, 16);
    append_checksum(reg);
}

static void make_csd(const struct sd_card *card, uint8_t reg[16])
{
    uint64_t units = disk_size(card->disk) / UNIT - 1;
    /* Version 2, 25 MHz, command classes, blocks of 512 bytes: section 5.3.3 */
    static const uint8_t csd[16] = {0x40, 0x0e, 0x00, 0x32, 0x5b, 0x59, 0, 0,
                                    0,    0,    0x7f, 0x80, 0x0a, 0x40, 0};

    memcpy(reg, csd, 16);
    for (unsigned i = 0; i < 3; i++)
        reg[7 + i] = (uint8_t)(units >> (16 - 8 * i));
    append_checksum(reg);
}

/* ---- responses ------------------------------------------------------------------------------- */

/* R1: the status as it was before the command, and errors not yet reported. */
static void answer_status(struct command *c)
{
    struct sd_state *s = &c->card->s;

    c->response[0] = s->status | s->state << 9 | (sd_card_busy(c->card) ? 0 : READY_FOR_DATA);
    c->words = 1;
    s->status = 0;
}

static void answer_register(struct command *c, const uint8_t reg[16])
{
    for (unsigned i = 0; i < 4; i++)
        c->response[i] = be32_get(reg + 4 * i);
    c->words = 4;
}

static void answer_word(struct command *c, uint32_t word)
{
    c->response[0] = word;
    c->words = 1;
}

/* ---- data ------------------------------------------------------------------------------------ */

static uint64_t block_count(const struct sd_card *card)
{
    return disk_size(card->disk) / SD_BLOCK;
}

static void end_data(struct sd_state *s)
{
    s->state = TRAN;
    s->many = s->len = s->at = 0;
}

/* Fills `data` with the next block; false: there is none. */
static bool load_block(struct sd_card *card)
{
    struct sd_state *s = &card->s;

    s->len = s->at = 0;
    if (s->next >= block_count(card))
        s->status |= OUT_OF_RANGE;
    else if (!disk_read(card->disk, s->data, SD_BLOCK, s->next * SD_BLOCK))
        s->status |= ERROR;
    else
        s->len = SD_BLOCK;
    s->next++;
    return s->len;
}

size_t sd_card_read(struct sd_card *card, uint8_t *bytes, size_t len)
{
    struct sd_state *s = &card->s;
    size_t done = 0;

    while (card->disk && s->state == DATA && done < len) {
        size_t n = s->len - s->at;

        if (!n)
            break; /* after an error */
        n = n < len - done ? n : len - done;
        memcpy(bytes + done, s->data + s->at, n);
        done += n;
        s->at += (uint32_t)n;
        if (s->at < s->len)
            continue;
        if (s->many)
            load_block(card);
        else
            end_data(s);
    }
    return done;
}

static void store_block(struct sd_card *card)
{
    struct sd_state *s = &card->s;

    s->at = 0;
    if (s->next >= block_count(card))
        s->status |= OUT_OF_RANGE;
    else if (!disk_write(card->disk, s->data, SD_BLOCK, s->next * SD_BLOCK))
        s->status |= ERROR;
    else
        s->written++;
    s->next++;
    if (!s->many)
        end_data(s);
}

size_t sd_card_write(struct sd_card *card, const uint8_t *bytes, size_t len)
{
    struct sd_state *s = &card->s;
    size_t done = 0;

    while (card->disk && s->state == RCV && done < len) {
        size_t n = SD_BLOCK - s->at;

        n = n < len - done ? n : len - done;
        memcpy(s->data + s->at, bytes + done, n);
        done += n;
        s->at += (uint32_t)n;
        if (s->at == SD_BLOCK)
            store_block(card);
    }
    return done;
}

/* Sends a register, whose bytes are in `data`, as data. */
static void send_data(struct command *c, uint32_t len)
{
    answer_status(c);
    c->card->s.state = DATA;
    c->card->s.len = len;
    c->card->s.at = c->card->s.many = 0;
}

static void start_read(struct command *c, bool many)
{
    struct sd_state *s = &c->card->s;

    s->next = c->argument;
    if (!load_block(c->card)) {
        answer_status(c);
        return;
    }
    answer_status(c);
    s->many = many;
    s->state = DATA;
}

static void start_write(struct command *c, bool many)
{
    struct sd_state *s = &c->card->s;
    bool protected = disk_read_only(c->card->disk);

    if (protected)
        s->status |= WP_VIOLATION;
    if (c->argument >= block_count(c->card))
        s->status |= OUT_OF_RANGE;
    if (s->status & (WP_VIOLATION | OUT_OF_RANGE)) {
        answer_status(c);
        return;
    }
    answer_status(c);
    s->next = c->argument;
    s->many = many;
    s->at = s->written = 0;
    s->state = RCV;
}

/* ---- erasing, section 4.3.5 ------------------------------------------------------------------ */

static void end_erase(struct sd_state *s)
{
    s->state = s->state == DIS ? STBY : TRAN;
    s->erase_first = s->erase_last = NO_BLOCK;
}

bool sd_card_busy(const struct sd_card *card)
{
    return card->s.state == PRG || card->s.state == DIS;
}

/* Erased blocks read as zero. */
void sd_card_work(struct sd_card *card)
{
    struct sd_state *s = &card->s;
    uint64_t left = (uint64_t)s->erase_last - s->erase_first + 1;
    uint64_t count = left < ERASE_BLOCKS ? left : ERASE_BLOCKS;

    if (!sd_card_busy(card))
        return;
    if (!disk_zero(card->disk, count * SD_BLOCK, (uint64_t)s->erase_first * SD_BLOCK)) {
        s->status |= ERROR;
        count = left;
    }
    s->erase_first += (uint32_t)count;
    if (count == left)
        end_erase(s);
}

static void erase_blocks(struct command *c)
{
    struct sd_state *s = &c->card->s;

    if (s->erase_first == NO_BLOCK || s->erase_last == NO_BLOCK)
        s->status |= ERASE_SEQUENCE;
    else if (s->erase_first > s->erase_last || s->erase_last >= block_count(c->card))
        s->status |= ERASE_PARAM;
    else if (disk_read_only(c->card->disk))
        s->status |= WP_VIOLATION;
    if (s->status & (ERASE_SEQUENCE | ERASE_PARAM | WP_VIOLATION)) {
        answer_status(c);
        end_erase(s);
        return;
    }
    answer_status(c);
    s->state = PRG;
}

/* ---- switching functions, section 4.3.10 ----------------------------------------------------- */

static void switch_function(struct command *c)
{
    struct sd_state *s = &c->card->s;
    uint32_t wanted = c->argument & 15;

    memset(s->data, 0, 64);
    s->data[1] = 1; /* mA */
    for (unsigned group = 0; group < 6; group++) {
        s->data[2 + 2 * group] = 0x80;
        s->data[3 + 2 * group] = group == 5 ? 0x03 : 0x01; /* group 1 comes last */
    }
    if (wanted == 15)
        wanted = s->high_speed;
    else if (wanted > 1)
        wanted = 15; /* not supported */
    else if (c->argument >> 31)
        s->high_speed = wanted;
    s->data[16] = (uint8_t)wanted;
    send_data(c, 64);
}

/* ---- commands -------------------------------------------------------------------------------- */

static bool is_addressed(const struct command *c)
{
    return c->argument >> 16 == c->card->s.rca;
}

/* Section 4.2.3: reports the voltages, and becomes ready if the host supports high capacity. */
static void op_cond(struct command *c)
{
    struct sd_state *s = &c->card->s;

    if (c->argument & VOLTAGES && c->argument & OCR_HIGH)
        s->state = READY;
    answer_word(c, VOLTAGES | (s->state == READY ? OCR_READY | OCR_HIGH : 0));
}

static void send_status(struct command *c)
{
    struct sd_state *s = &c->card->s;

    memset(s->data, 0, 64);
    s->data[0] = s->wide ? 0x80 : 0;
    s->data[8] = 4;     /* speed class 10 */
    s->data[10] = 0x90; /* allocation units of 4 MB */
    send_data(c, 64);
}

static void send_scr(struct command *c)
{
    static const uint8_t scr[8] = {0x02, 0x35}; /* version 2.00, one and four lines */

    memcpy(c->card->s.data, scr, sizeof(scr));
    send_data(c, sizeof(scr));
}

static void send_written(struct command *c)
{
    struct sd_state *s = &c->card->s;

    for (unsigned i = 0; i < 4; i++)
        s->data[i] = (uint8_t)(s->written >> (24 - 8 * i));
    send_data(c, 4);
}

/* ACMDs, table 4-27; false: there is no such command in this state. */
static bool application_command(struct command *c, unsigned index)
{
    struct sd_state *s = &c->card->s;

    if (index == 41 && s->state == IDLE) {
        op_cond(c);
        return true;
    }
    if (s->state != TRAN)
        return false;
    switch (index) {
    case 6:
        s->wide = (c->argument & 3) == 2;
        answer_status(c);
        break;
    case 13:
        send_status(c);
        break;
    case 22:
        send_written(c);
        break;
    case 23: /* number of blocks to write: they need not be erased first */
    case 42: /* the pull-up on the card-detect line */
        answer_status(c);
        break;
    case 51:
        send_scr(c);
        break;
    default:
        return false;
    }
    c->response[0] |= APP_CMD;
    return true;
}

/* Commands before the card has an address. */
static bool identification_command(struct command *c, unsigned index)
{
    struct sd_state *s = &c->card->s;
    uint8_t reg[16];

    if (index == 8 && s->state == IDLE) {
        if ((c->argument >> 8 & 15) == 1) /* 2.7 to 3.6 V */
            answer_word(c, c->argument & 0xfff);
    } else if (index == 2 && s->state == READY) {
        make_cid(reg);
        answer_register(c, reg);
        s->state = IDENT;
    } else if (index == 3 && (s->state == IDENT || s->state == STBY)) {
        answer_status(c);
        s->rca = RCA;
        c->response[0] = s->rca << 16 | (c->response[0] >> 8 & 0xc000) |
                         (c->response[0] >> 6 & 0x2000) | (c->response[0] & 0x1fff);
        s->state = STBY;
    } else {
        return false;
    }
    return true;
}

/* A card that erases continues whether selected or not. */
static void select_card(struct command *c)
{
    struct sd_state *s = &c->card->s;

    if (is_addressed(c)) {
        answer_status(c);
        s->state = sd_card_busy(c->card) ? PRG : TRAN;
    } else if (sd_card_busy(c->card)) {
        s->state = DIS;
    } else {
        end_data(s);
        s->state = STBY;
    }
}

/* Commands with an address: sections 4.3 and 4.7.4. */
static bool addressed_command(struct command *c, unsigned index)
{
    struct sd_state *s = &c->card->s;
    uint8_t reg[16];

    if (s->state < STBY)
        return false;
    if (index == 7) {
        select_card(c);
        return true;
    }
    if (index != 9 && index != 10 && index != 13 && index != 15)
        return false;
    if (!is_addressed(c))
        return true;
    if (index == 13) {
        answer_status(c);
    } else if (index == 15) {
        s->state = INACTIVE;
    } else if (s->state == STBY) {
        if (index == 9)
            make_csd(c->card, reg);
        else
            make_cid(reg);
        answer_register(c, reg);
    } else {
        return false;
    }
    return true;
}

static bool erase_command(struct command *c, unsigned index)
{
    struct sd_state *s = &c->card->s;

    if (index == 38) {
        erase_blocks(c);
        return true;
    }
    if (index != 32 && index != 33)
        return false;
    *(index == 32 ? &s->erase_first : &s->erase_last) = c->argument;
    answer_status(c);
    return true;
}

/* Commands of a selected card. */
static bool transfer_command(struct command *c, unsigned index)
{
    struct sd_state *s = &c->card->s;

    if (index == 12 && (s->state == DATA || s->state == RCV)) {
        answer_status(c);
        end_data(s);
        return true;
    }
    if (s->state != TRAN)
        return false;
    switch (index) {
    case 6:
        switch_function(c);
        return true;
    case 16:
        s->status |= c->argument > SD_BLOCK ? BLOCK_LEN_BAD : 0;
        answer_status(c);
        return true;
    case 17:
    case 18:
        start_read(c, index == 18);
        return true;
    case 24:
    case 25:
        start_write(c, index == 25);
        return true;
    }
    return erase_command(c, index);
}

static bool run_command(struct command *c, unsigned index)
{
    struct sd_state *s = &c->card->s;
    bool application = s->application;

    s->application = false;
    if (application && application_command(c, index))
        return true;
    if (index == 0) {
        sd_card_reset(c->card);
        return true;
    }
    if (index == 55 && (s->state == IDLE || s->state >= STBY)) {
        if (is_addressed(c)) {
            s->application = true;
            answer_status(c);
            c->response[0] |= APP_CMD;
        }
        return true;
    }
    return identification_command(c, index) || addressed_command(c, index) ||
           transfer_command(c, index);
}

unsigned sd_card_command(struct sd_card *card, unsigned index, uint32_t argument,
                         uint32_t response[4])
{
    struct command c = {.card = card, .argument = argument, .response = response};

    if (!card->disk || card->s.state == INACTIVE)
        return 0;
    if (!run_command(&c, index))
        card->s.status |= ILLEGAL;
    return c.words;
}

/* ---- life ------------------------------------------------------------------------------------ */

bool sd_card_fits(const struct disk *disk, struct error *err)
{
    uint64_t size = disk_size(disk);

    if (size % UNIT || size / UNIT > MAX_UNITS)
        return error_set(err,
                         "an SD card has whole units of 512 KB, up to 2 TB; this image has %llu "
                         "bytes",
                         (unsigned long long)size);
    return true;
}

void sd_card_reset(struct sd_card *card)
{
    card->s = (struct sd_state){.erase_first = NO_BLOCK, .erase_last = NO_BLOCK};
}

void sd_card_check(struct sd_card *card)
{
    struct sd_state *s = &card->s;

    if (sd_card_busy(card) &&
        (!card->disk || s->erase_first > s->erase_last || s->erase_last >= block_count(card)))
        sd_card_reset(card);
    if (s->state > INACTIVE || s->len > SD_BLOCK || s->at > s->len + (s->state == RCV) * SD_BLOCK ||
        s->at > SD_BLOCK || (s->state == RCV && s->at == SD_BLOCK))
        sd_card_reset(card);
}
