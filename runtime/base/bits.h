/* Bit fields of registers, alignment, and access to the bytes of numbers. */
#ifndef RUNTIME_BASE_BITS_H
#define RUNTIME_BASE_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* The object of type `type` whose member `member` is at `ptr`. */
#define CONTAINER_OF(ptr, type, member) ((type *)((char *)(ptr)-offsetof(type, member)))

/* Bits `low` .. `low + width - 1` of `value`; width 1..64, low + width <= 64. */
static inline uint64_t bits_get(uint64_t value, unsigned low, unsigned width)
{
    return (value >> low) & (~UINT64_C(0) >> (64 - width));
}

/* `value` with its bits `low` .. `low + width - 1` replaced by the low bits of `field`. */
static inline uint64_t bits_set(uint64_t value, unsigned low, unsigned width, uint64_t field)
{
    uint64_t mask = (~UINT64_C(0) >> (64 - width)) << low;

    return (value & ~mask) | ((field << low) & mask);
}

/* `value` rounded down or up to a multiple of `align`, a power of two. */
static inline uint64_t align_down(uint64_t value, uint64_t align)
{
    return value & ~(align - 1);
}

static inline uint64_t align_up(uint64_t value, uint64_t align)
{
    return (value + align - 1) & ~(align - 1);
}

/* Whether `len` bytes, at least one, are all zero. */
static inline bool bytes_are_zero(const void *bytes, size_t len)
{
    const uint8_t *at = (const uint8_t *)bytes;

    return !at[0] && !memcmp(at, at + 1, len - 1);
}

/* The little-endian number in `size` (1..8) bytes, and back. */
static inline uint64_t le_get(const void *bytes, unsigned size)
{
    uint64_t value = 0;

    memcpy(&value, bytes, size); /* every supported host is little-endian */
    return value;
}

/* The big-endian number in `size` bytes, 1 to 8, and back. */
static inline uint64_t be_get(const void *bytes, unsigned size)
{
    return __builtin_bswap64(le_get(bytes, size)) >> (64 - 8 * size);
}

static inline void le_put(void *bytes, unsigned size, uint64_t value)
{
    memcpy(bytes, &value, size);
}

static inline void be_put(void *bytes, unsigned size, uint64_t value)
{
    le_put(bytes, size, __builtin_bswap64(value) >> (64 - 8 * size));
}

/* The big-endian 32-bit number in four bytes (cells of a device tree). */
static inline uint32_t be32_get(const void *bytes)
{
    uint32_t value;

    memcpy(&value, bytes, 4);
    return __builtin_bswap32(value);
}

#endif
