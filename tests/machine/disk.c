/*
 * A program for supervisor mode of virt-riscv64 that writes to its virtio disk: sectors in turn,
 * each with words that depend on what was read before, and zeros over some. It prints a letter for
 * each. snapshots.py runs it.
 */
#include <stdint.h>

enum { SLOTS = 8, ROUNDS = 60, SECTORS = 1024, WORDS = 128, QUEUE = 8 };
enum { VIRTIO_BLK = 2, T_IN = 0, T_OUT = 1, NEXT = 1, WRITE = 2 };
enum { /* registers of virtio-mmio, in words */
       DEVICE_ID = 0x08 / 4,
       FEATURES = 0x20 / 4,
       FEATURES_SELECT = 0x24 / 4,
       QUEUE_NUM = 0x38 / 4,
       QUEUE_READY = 0x44 / 4,
       NOTIFY = 0x50 / 4,
       STATUS = 0x70 / 4,
       QUEUE_DESC = 0x80 / 4,
       QUEUE_DRIVER = 0x90 / 4,
       QUEUE_DEVICE = 0xa0 / 4,
};

static struct {
    uint64_t address;
    uint32_t length;
    uint16_t flags, next;
} desc[QUEUE] __attribute__((aligned(16)));
static volatile struct {
    uint16_t flags, index, ring[QUEUE];
} driver;
static volatile struct {
    uint16_t flags, index;
    uint32_t ring[2 * QUEUE];
} device;
static struct {
    uint32_t type, reserved;
    uint64_t sector;
} header;
static uint32_t data[WORDS];
static uint8_t status;
static volatile uint32_t *disk;

static void put(char c)
{
    *(volatile char *)0x10000000 = c;
}

static void set_address(unsigned word, volatile void *at)
{
    disk[word] = (uint32_t)(uintptr_t)at;
    disk[word + 1] = (uint32_t)((uint64_t)(uintptr_t)at >> 32);
}

static void open_disk(void)
{
    disk = (volatile uint32_t *)0x10001000;
    while (disk[DEVICE_ID] != VIRTIO_BLK)
        disk += 0x1000 / 4;
    disk[STATUS] = 3;
    disk[FEATURES_SELECT] = 1; /* VIRTIO_F_VERSION_1 */
    disk[FEATURES] = 1;
    disk[STATUS] = 11;
    disk[QUEUE_NUM] = QUEUE;
    set_address(QUEUE_DESC, desc);
    set_address(QUEUE_DRIVER, &driver);
    set_address(QUEUE_DEVICE, &device);
    disk[QUEUE_READY] = 1;
    disk[STATUS] = 15;
}

static void transfer(uint32_t type, uint64_t sector)
{
    uint16_t before = device.index;

    header.type = type;
    header.sector = sector;
    desc[0].address = (uintptr_t)&header;
    desc[0].length = sizeof(header);
    desc[0].flags = desc[1].flags = NEXT;
    desc[0].next = 1;
    desc[1].address = (uintptr_t)data;
    desc[1].length = sizeof(data);
    desc[1].flags |= type == T_IN ? WRITE : 0;
    desc[1].next = 2;
    desc[2].address = (uintptr_t)&status;
    desc[2].length = 1;
    desc[2].flags = WRITE;
    __asm__ volatile("fence" ::: "memory");
    driver.index++;
    __asm__ volatile("fence" ::: "memory");
    disk[NOTIFY] = 0;
    while (device.index == before)
        ;
    __asm__ volatile("fence" ::: "memory");
}

void run(void)
{
    uint32_t number = 12345;

    open_disk();
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint64_t sector = (number >> 8) % SECTORS;

        transfer(T_IN, sector);
        for (unsigned i = 0; i < WORDS; i++) {
            number = (number ^ data[i]) * 1103515245 + 12345;
            data[i] = round % 5 == 4 ? 0 : number;
        }
        transfer(T_OUT, sector);
        put(status ? '!' : (char)('a' + number % 26));
    }
    *(volatile uint32_t *)0x100000 = 0x5555; /* power off */
}

__asm__(".section .text.start, \"ax\"\n\t.globl _start\n"
        "_start: la sp, top\n\tj run\n\t.bss\n\t.space 4096\ntop:\n\t.text");
