/*
 * NOR flash with the common flash interface and Intel's command set: banks of chips side by side,
 * each 16 bits of the bus. The bus reads the contents as memory; commands, and reads of status and
 * identification, go through registers.
 *
 * Regions     each reg: a bank; each chip is 16 bits wide (bank-width 4: two chips)
 * Interrupts  none
 * Clocks      none: programming and erasing take no time
 * Contents    env->disk, bank after bank, erased (0xff) behind its end; without one, all erased.
 *             Data is written to the disk at once, as far as the disk reaches. A snapshot has what
 *             is on a disk that can be written, and what software has written elsewhere
 * Bounds      an access is one step; the longest, an erase or a buffer write, is one block
 * Manual      Intel StrataFlash Embedded Memory (P30) datasheet, order number 306666; Common Flash
 *             Interface, JEDEC JESD68
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/dev/device.h"
#include "runtime/dev/disk.h"

#define BANKS        4u
#define LANE         2u /* bytes of one chip's word */
#define MAX_LANES    2u
#define MAX_BLOCK    (UINT64_C(128) << 10) /* bytes per block of one chip */
#define BUFFER_WORDS 32u
#define MIN_BANK     UINT64_C(4096)
#define MAX_BANK     (UINT64_C(256) << 20)
#define PIECE        (UINT64_C(64) << 10) /* of a bank in a snapshot */

/* Commands, table 22 */
enum {
    READ_ARRAY = 0xff,
    READ_ID = 0x90,
    READ_QUERY = 0x98,
    READ_STATUS = 0x70,
    CLEAR_STATUS = 0x50,
    PROGRAM = 0x40,
    PROGRAM_OLD = 0x10,
    ERASE = 0x20,
    BUFFER = 0xe8,
    CONFIRM = 0xd0,
    LOCKING = 0x60,
    LOCK = 0x01,
    UNLOCK = 0xd0,
};

/* Status register, table 28 */
#define STATUS_READY    0x80u
#define STATUS_ERASE    0x20u
#define STATUS_PROGRAM  0x10u
#define STATUS_SEQUENCE (STATUS_ERASE | STATUS_PROGRAM)

#define MANUFACTURER 0x0089u /* Intel */
#define DEVICE       0x8919u /* 28F256P30 */

/* Progress of a command on one chip. */
struct chip {
    uint32_t mode; /* result of reads: READ_ARRAY, … */
    uint32_t step; /* command whose next cycle is expected; 0: none */
    uint32_t status;
    uint32_t count; /* BUFFER: remaining words; 0: the number comes next */
    uint32_t filled;
    uint32_t at[BUFFER_WORDS]; /* word addresses in the chip */
    uint16_t words[BUFFER_WORDS];
};

struct bank {
    struct cfi_flash *owner;
    uint64_t size, disk_at;
    uint64_t block;     /* bytes per erase of one chip */
    uint8_t *inverted;  /* contents with all bits inverted, so that erased pages take no memory */
    struct chip *chips; /* MAX_LANES of them, in the owner */
    bool written[MAX_BANK / PIECE];
};

struct cfi_flash {
    struct chip chips[BANKS * MAX_LANES];

    const struct device_env *env;
    unsigned lanes, bank_count;
    struct bank banks[BANKS];
};

/* ---- the query, JESD68 section 2 ------------------------------------------------------------- */

static unsigned log2_of(uint64_t size)
{
    return 63 - (unsigned)__builtin_clzll(size);
}

/* A byte of one chip's query data, by its word address. */
static uint16_t query_data(const struct bank *bank, uint32_t word)
{
    uint64_t size = bank->size / bank->owner->lanes, blocks = size / bank->block - 1;
    static const uint8_t table[0x40] = {
        [0x10] = 'Q',  'R',  'Y',  0x01, 0x00, /* Intel's extended command set */
        [0x15] = 0x31,                         /* address of Intel's table */
        [0x1b] = 0x17, 0x20, 0x85, 0x95,       /* volts */
        [0x1f] = 0x08, 0x09, 0x0a, 0x00,       /* typical times, powers of two */
        [0x23] = 0x01, 0x01, 0x02, 0x00,       /* longest times, powers of two */
        [0x28] = 0x01, 0x00, 0x06, 0x00, 0x01, /* 16 bits, buffer of 64 bytes, one kind of block */
        [0x31] = 'P',  'R',  'I',  '1',  '0',  [0x3a] = 0x01, /* programs while an erase waits */
        [0x3d] = 0x18, 0x00,
    };

    switch (word) {
    case 0x27:
        return (uint16_t)log2_of(size);
    case 0x2d:
        return blocks & 0xff;
    case 0x2e:
        return blocks >> 8 & 0xff;
    case 0x2f: /* in units of 256 bytes */
        return bank->block / 256 & 0xff;
    case 0x30:
        return bank->block / 256 >> 8 & 0xff;
    }
    return word < ARRAY_SIZE(table) ? table[word] : 0;
}

static uint16_t device_identity(uint32_t word)
{
    switch (word & 0xff) {
    case 0:
        return MANUFACTURER;
    case 1:
        return DEVICE;
    }
    return 0; /* block n + 2: not locked */
}

/* ---- contents -------------------------------------------------------------------------------- */

/* Loads the bank's part of the disk. */
static bool load_bank(struct bank *bank, struct disk *disk)
{
    uint64_t size = disk ? disk_size(disk) : 0, len;

    if (bank->disk_at >= size)
        return true;
    len = size - bank->disk_at;
    len = len < bank->size ? len : bank->size;
    if (!disk_read(disk, bank->inverted, len, bank->disk_at))
        return false;
    for (uint64_t i = 0; i < len; i++)
        bank->inverted[i] = (uint8_t)~bank->inverted[i];
    return true;
}

/* Notes for snapshots what has changed, and puts it on the disk, as far as that reaches; false: the
 * host cannot. */
static bool write_back(struct bank *bank, uint64_t offset, uint64_t len)
{
    struct disk *disk = bank->owner->env->disk;
    uint64_t at = bank->disk_at + offset, end = disk ? disk_size(disk) : 0;
    uint8_t bytes[DISK_SECTOR];

    for (uint64_t n = offset / PIECE; n <= (offset + len - 1) / PIECE; n++)
        bank->written[n] = true;
    while (len && at < end && !disk_read_only(disk)) {
        uint64_t n = len < sizeof(bytes) ? len : sizeof(bytes);

        n = n < end - at ? n : end - at;
        for (uint64_t i = 0; i < n; i++)
            bytes[i] = (uint8_t)~bank->inverted[offset + i];
        if (!disk_write(disk, bytes, n, at))
            return false;
        at += n;
        offset += n;
        len -= n;
    }
    return true;
}

/* Programming changes bits from one to zero only. */
static void program_word(struct bank *bank, struct chip *chip, unsigned lane, uint32_t word,
                         uint16_t value)
{
    uint64_t offset = (uint64_t)word * LANE * bank->owner->lanes + lane * LANE;

    if (offset + LANE > bank->size)
        return;
    bank->inverted[offset] |= (uint8_t)~value;
    bank->inverted[offset + 1] |= (uint8_t)(~value >> 8);
    if (!write_back(bank, offset, LANE))
        chip->status |= STATUS_PROGRAM;
}

static void erase_block(struct bank *bank, struct chip *chip, unsigned lane, uint32_t word)
{
    uint64_t stride = (uint64_t)LANE * bank->owner->lanes;
    uint64_t block = align_down((uint64_t)word * LANE, bank->block) / LANE * stride;
    uint64_t len = bank->block / LANE * stride;

    if (block + len > bank->size)
        return;
    for (uint64_t at = block + lane * LANE; at < block + len; at += stride)
        memset(bank->inverted + at, 0, LANE);
    if (!write_back(bank, block, len))
        chip->status |= STATUS_ERASE;
}

/* ---- commands -------------------------------------------------------------------------------- */

static void start_command(struct chip *chip, uint32_t step)
{
    chip->step = step;
    chip->mode = READ_STATUS;
    chip->count = chip->filled = 0;
}

static void begin_command(struct bank *bank, struct chip *chip, uint8_t command)
{
    switch (command) {
    case READ_ARRAY:
    case READ_ID:
    case READ_QUERY:
    case READ_STATUS:
        chip->mode = command;
        break;
    case CLEAR_STATUS:
        chip->status = 0;
        break;
    case PROGRAM:
    case PROGRAM_OLD:
    case ERASE:
    case BUFFER:
    case LOCKING:
        start_command(chip, command);
        break;
    default:
        device_log_guest(bank->owner->env, "command %#x", command);
        chip->mode = READ_ARRAY;
    }
}

/* Cycles of a buffer write: the number of words - 1, the words, and the confirmation. */
static void fill_buffer(struct bank *bank, struct chip *chip, unsigned lane, uint32_t word,
                        uint16_t value)
{
    if (!chip->count) {
        chip->count = (value & 0xffu) + 1;
        if (chip->count > BUFFER_WORDS) {
            chip->status |= STATUS_SEQUENCE;
            chip->step = 0;
        }
        return;
    }
    if (chip->filled < chip->count) {
        chip->at[chip->filled] = word;
        chip->words[chip->filled++] = value;
        return;
    }
    chip->step = 0;
    if ((value & 0xff) != CONFIRM) {
        chip->status |= STATUS_SEQUENCE;
        return;
    }
    for (uint32_t i = 0; i < chip->filled; i++)
        program_word(bank, chip, lane, chip->at[i], chip->words[i]);
}

static void next_cycle(struct bank *bank, struct chip *chip, unsigned lane, uint32_t word,
                       uint16_t value)
{
    uint32_t step = chip->step;

    if (step == BUFFER) {
        fill_buffer(bank, chip, lane, word, value);
        return;
    }
    chip->step = 0;
    if (step == PROGRAM || step == PROGRAM_OLD)
        program_word(bank, chip, lane, word, value);
    else if (step == ERASE && (value & 0xff) == CONFIRM)
        erase_block(bank, chip, lane, word);
    else if (step == ERASE || ((value & 0xff) != LOCK && (value & 0xff) != UNLOCK))
        chip->status |= STATUS_SEQUENCE;
}

static uint16_t read_chip(const struct bank *bank, const struct chip *chip, unsigned lane,
                          uint32_t word)
{
    const uint8_t *word_at;

    switch (chip->mode) {
    case READ_STATUS:
        return STATUS_READY | (uint16_t)chip->status;
    case READ_QUERY:
        return query_data(bank, word);
    case READ_ID:
        return device_identity(word);
    }
    word_at = bank->inverted + (uint64_t)word * LANE * bank->owner->lanes + lane * LANE;
    return (uint16_t)~le_get(word_at, LANE);
}

/* ---- the bus --------------------------------------------------------------------------------- */

/* A read of a part of a word returns the bytes that it addresses. */
static uint64_t read_flash(void *opaque, uint64_t offset, unsigned size, unsigned cpu)
{
    const struct bank *bank = opaque;
    unsigned lanes = bank->owner->lanes;
    uint64_t value = 0;

    (void)cpu;
    for (unsigned i = 0; i < size; i++) {
        uint64_t at = offset + i;
        unsigned lane = (unsigned)(at / LANE % lanes);
        uint16_t word = read_chip(bank, &bank->chips[lane], lane, (uint32_t)(at / LANE / lanes));

        value |= (uint64_t)(word >> 8 * (at % LANE) & 0xff) << 8 * i;
    }
    return value;
}

/* Chips are written in whole words; a byte is extended with zeros. */
static void write_flash(void *opaque, uint64_t offset, uint64_t value, unsigned size, unsigned cpu)
{
    struct bank *bank = opaque;
    unsigned lanes = bank->owner->lanes;

    (void)cpu;
    for (uint64_t at = align_down(offset, LANE); at < offset + size; at += LANE) {
        unsigned lane = (unsigned)(at / LANE % lanes);
        uint16_t word =
            at < offset ? (uint16_t)(value << 8) : (uint16_t)(value >> 8 * (at - offset));
        struct chip *chip = &bank->chips[lane];
        uint32_t address = (uint32_t)(at / LANE / lanes);

        if (chip->step)
            next_cycle(bank, chip, lane, address, word);
        else
            begin_command(bank, chip, (uint8_t)word);
    }
}

static const struct mmio_ops ops = {read_flash, write_flash, 1, 4};

/* ---- snapshots ------------------------------------------------------------------------------- */

/* The section and the length of a bank's piece; 0: behind its end. */
static uint64_t piece_of(const struct bank *bank, uint64_t n, char name[64])
{
    uint64_t left = n * PIECE < bank->size ? bank->size - n * PIECE : 0;

    snprintf(name, 64, "bank %u, piece %u", (unsigned)(bank - bank->owner->banks), (unsigned)n);
    return left < PIECE ? left : PIECE;
}

static void save_pieces(void *opaque, struct state_buf *buf)
{
    struct cfi_flash *dev = opaque;
    char name[64];

    for (const struct bank *bank = dev->banks; bank < dev->banks + dev->bank_count; bank++)
        for (uint64_t n = 0, len; (len = piece_of(bank, n, name)) > 0; n++)
            if (bank->written[n])
                state_save_bytes(buf, name, bank->inverted + n * PIECE, len);
}

/* Gives a bank what it begins with, and then what a snapshot has of it. */
static bool load_pieces_of(struct bank *bank, const struct state_buf *buf)
{
    char name[64];
    bool ok;

    for (uint64_t n = 0, len; (len = piece_of(bank, n, name)) > 0; n++)
        if (bank->written[n])
            memset(bank->inverted + n * PIECE, 0, len);
    ok = load_bank(bank, bank->owner->env->disk);
    for (uint64_t n = 0, len; (len = piece_of(bank, n, name)) > 0; n++) {
        size_t saved = 0;
        const uint8_t *bytes = state_bytes(buf, name, &saved);

        bank->written[n] = bytes && saved == len;
        if (bank->written[n])
            memcpy(bank->inverted + n * PIECE, bytes, len);
    }
    return ok;
}

static bool load_pieces(void *opaque, const struct state_buf *buf, struct error *err)
{
    struct cfi_flash *dev = opaque;

    for (struct bank *bank = dev->banks; bank < dev->banks + dev->bank_count; bank++)
        if (!load_pieces_of(bank, buf))
            return device_error(dev->env, err, "the flash memory's file cannot be read");
    return true;
}

/* ---- life ------------------------------------------------------------------------------------ */

static void reset_cfi_flash(void *opaque)
{
    struct cfi_flash *dev = opaque;

    for (unsigned i = 0; i < ARRAY_SIZE(dev->chips); i++)
        dev->chips[i] = (struct chip){.mode = READ_ARRAY};
}

static void post_load(void *opaque, struct error *err)
{
    struct cfi_flash *dev = opaque;

    /* A snapshot may have set what is on the disk. */
    for (unsigned i = 0; i < dev->bank_count; i++) {
        if (dev->env->disk && !disk_read_only(dev->env->disk) &&
            !load_bank(&dev->banks[i], dev->env->disk))
            device_error(dev->env, err, "the flash memory's file cannot be read");
    }
    for (unsigned i = 0; i < ARRAY_SIZE(dev->chips); i++) {
        struct chip *chip = &dev->chips[i];

        if (chip->count > BUFFER_WORDS || chip->filled > chip->count)
            *chip = (struct chip){.mode = READ_ARRAY};
    }
}

static void destroy_cfi_flash(void *opaque)
{
    struct cfi_flash *dev = opaque;

    for (unsigned i = 0; i < dev->bank_count; i++)
        free(dev->banks[i].inverted);
    free(dev);
}

static bool add_bank(struct cfi_flash *dev, unsigned n, uint64_t disk_at, struct error *err)
{
    const struct device_env *env = dev->env;
    struct bank *bank = &dev->banks[n];
    uint64_t size = env->reg[n].size;

    if (size & (size - 1) || size < MIN_BANK || size > MAX_BANK)
        return device_error(env, err, "a bank of flash of %llu bytes", (unsigned long long)size);
    *bank = (struct bank){.owner = dev, .size = size, .disk_at = disk_at};
    bank->chips = &dev->chips[n * MAX_LANES];
    bank->block = size / dev->lanes < MAX_BLOCK ? size / dev->lanes : MAX_BLOCK;
    bank->inverted = xcalloc(size, 1);
    dev->bank_count = n + 1;
    if (!load_bank(bank, env->disk))
        return device_error(env, err, "the flash memory's file cannot be read");
    return device_map(env, n, 0, &ops, bank, err);
}

static void *create_cfi_flash(const struct device_env *env, struct error *err)
{
    struct cfi_flash *dev = xcalloc(1, sizeof(*dev));
    uint64_t disk_at = 0;
    uint32_t width = 4;
    bool ok = env->reg_count > 0 || device_error(env, err, "the node has no reg[0]");

    dev->env = env;
    device_prop_u32(env, "bank-width", 0, &width);
    dev->lanes = width == 2 ? 1 : MAX_LANES;
    for (unsigned i = 0; ok && i < env->reg_count && i < BANKS; i++) {
        ok = add_bank(dev, i, disk_at, err);
        disk_at += env->reg[i].size;
    }
    if (!ok) {
        destroy_cfi_flash(dev);
        return NULL;
    }
    reset_cfi_flash(dev);
    return dev;
}

static const char *const compatible[] = {"arm,vexpress-flash", "cfi-flash", NULL};

static const struct state_field fields[] = {
    STATE_FIELD(struct cfi_flash, chips),
    STATE_END,
};

const struct device_class cfi_flash_class = {
    .name = "cfi_flash",
    .summary = "NOR flash memory with Intel's command set",
    .compatible = compatible,
    .fields = fields,
    .drive = "pflash",
    .create = create_cfi_flash,
    .reset = reset_cfi_flash,
    .destroy = destroy_cfi_flash,
    .save = save_pieces,
    .load = load_pieces,
    .post_load = post_load,
};
