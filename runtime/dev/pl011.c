/*
 * PL011 UART.
 *
 * Regions     reg[0], 4 KB
 * Interrupts  [0] UARTINTR, the OR of all sources
 * Clocks      [0] UARTCLK: only the receive timeout depends on it; characters take no time
 * Bounds      the receive FIFO; an access sends or takes one byte, and input waits for room
 * Manual      ARM PrimeCell UART (PL011) TRM, DDI 0183 (r1p5: 32-byte FIFOs)
 */
#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/dev/serial_port.h"

enum {
    UART_DR = 0x00,
    UART_RSR = 0x04,
    UART_FR = 0x18,
    UART_ILPR = 0x20,
    UART_IBRD = 0x24,
    UART_FBRD = 0x28,
    UART_LCR_H = 0x2c,
    UART_CR = 0x30,
    UART_IFLS = 0x34,
    UART_IMSC = 0x38,
    UART_RIS = 0x3c,
    UART_MIS = 0x40,
    UART_ICR = 0x44,
    UART_DMACR = 0x48,
    UART_ID = 0xfe0,
};

/* Flag register, section 3.3.3 */
#define FR_CTS  0x001u
#define FR_DSR  0x002u
#define FR_DCD  0x004u
#define FR_RXFE 0x010u
#define FR_RXFF 0x040u
#define FR_TXFE 0x080u

/* Error bits beside a received byte, section 3.3.1 */
#define DR_BREAK   0x400u
#define DR_OVERRUN 0x800u

#define LCR_FEN   0x10u
#define CR_UARTEN 0x001u
#define CR_LBE    0x080u
#define CR_RXE    0x200u
#define CR_RESET  0x300u

/* Interrupts, section 3.3.10 */
#define INT_RX      0x010u
#define INT_TX      0x020u
#define INT_RT      0x040u
#define INT_BREAK   0x200u
#define INT_OVERRUN 0x400u
#define INT_ALL     0x7ffu

#define FIFO_DEPTH     32u
#define PERIPH_ID      UINT64_C(0x341011) /* r1p5 */
#define DEFAULT_HZ     UINT64_C(24000000)
#define TIMEOUT_BITS   32             /* quiet bit times before the receive timeout */
#define DEFAULT_BIT_NS UINT64_C(8681) /* at 115200 baud */

struct pl011 {
    uint32_t status, ilpr, ibrd, fbrd, lcr, cr, ifls, mask, raw, dmacr;
    uint32_t overrun; /* a byte was lost behind the last byte in the FIFO */
    struct serial_port port;

    struct device_seen seen;
};

static unsigned fifo_depth(const struct pl011 *uart)
{
    return uart->lcr & LCR_FEN ? FIFO_DEPTH : 1;
}

/* Bytes in the receive FIFO that raise the interrupt, section 3.3.9. */
static unsigned rx_trigger(const struct pl011 *uart)
{
    static const uint8_t eighths[8] = {1, 2, 4, 6, 7, 7, 7, 7};

    return uart->lcr & LCR_FEN ? FIFO_DEPTH / 8 * eighths[uart->ifls >> 3 & 7] : 1;
}

static void update_irq(void *opaque)
{
    const struct pl011 *uart = opaque;
    struct irq_line line = device_irq(uart->port.env, 0);

    irq_set(&line, (uart->raw & uart->mask) != 0);
}

/* ---- receiving ------------------------------------------------------------------------------- */

static uint64_t bit_ns(const struct pl011 *uart)
{
    uint64_t divisor = (uint64_t)uart->ibrd * 64 + uart->fbrd; /* divisor of clock / 16, in 64ths */
    uint64_t hz = device_clock_hz(uart->port.env, 0, DEFAULT_HZ);

    return divisor ? clock_ticks_to_ns(divisor, 4 * hz) : DEFAULT_BIT_NS;
}

/* The receive timeout runs from the latest byte, while the FIFO has bytes. */
static void plan_timeout(struct pl011 *uart)
{
    serial_set_timeout(&uart->port, TIMEOUT_BITS * bit_ns(uart));
}

static void timed_out(void *opaque)
{
    struct pl011 *uart = opaque;

    uart->raw |= INT_RT;
}

static void put_received(void *opaque, uint8_t byte, bool is_break)
{
    struct pl011 *uart = opaque;

    if (uart->port.count >= fifo_depth(uart)) {
        uart->overrun = DR_OVERRUN;
        uart->raw |= INT_OVERRUN;
        return;
    }
    serial_push(&uart->port, (uint16_t)(byte | (is_break ? DR_BREAK : 0) | uart->overrun));
    uart->overrun = 0;
    if (uart->port.count == rx_trigger(uart))
        uart->raw |= INT_RX;
    if (is_break)
        uart->raw |= INT_BREAK;
    plan_timeout(uart);
}

static size_t fifo_room(void *opaque)
{
    struct pl011 *uart = opaque;

    if (!(uart->cr & CR_UARTEN) || !(uart->cr & CR_RXE) || uart->cr & CR_LBE)
        return 0;
    return uart->port.count < fifo_depth(uart) ? fifo_depth(uart) - uart->port.count : 0;
}

static const struct serial_class serial = {fifo_room, put_received, timed_out, update_irq};

static uint32_t get_received(struct pl011 *uart)
{
    uint32_t data = serial_get(&uart->port);

    uart->status = data >> 8 & 0xf;
    if (uart->port.count < rx_trigger(uart))
        uart->raw &= ~INT_RX;
    if (!uart->port.count)
        uart->raw &= ~INT_RT;
    plan_timeout(uart);
    serial_accept_input(&uart->port);
    update_irq(uart);
    return data;
}

/* ---- transmitting: a byte leaves at once, so the transmit FIFO is always empty --------------- */

static void send_byte(struct pl011 *uart, uint8_t byte)
{
    uart->raw |= INT_TX;
    serial_send(&uart->port, byte, uart->cr & CR_LBE);
}

/* ---- registers ------------------------------------------------------------------------------- */

static uint32_t read_flags(const struct pl011 *uart)
{
    uint32_t value = FR_TXFE | FR_CTS | FR_DSR | FR_DCD;

    if (!uart->port.count)
        value |= FR_RXFE;
    if (uart->port.count >= fifo_depth(uart))
        value |= FR_RXFF;
    return value;
}

static uint64_t read_register(void *opaque, uint64_t offset, unsigned size, unsigned cpu)
{
    struct pl011 *uart = opaque;

    (void)size, (void)cpu;
    if (offset >= UART_ID)
        return primecell_id(PERIPH_ID, PRIMECELL_CELL_ID, offset);
    switch (offset) {
    case UART_DR:
        return cpu == BUS_NO_CPU ? 0 : get_received(uart); /* a debugger must not take bytes */
    case UART_RSR:
        return uart->status;
    case UART_FR:
        return read_flags(uart);
    case UART_ILPR:
        return uart->ilpr;
    case UART_IBRD:
        return uart->ibrd;
    case UART_FBRD:
        return uart->fbrd;
    case UART_LCR_H:
        return uart->lcr;
    case UART_CR:
        return uart->cr;
    case UART_IFLS:
        return uart->ifls;
    case UART_IMSC:
        return uart->mask;
    case UART_RIS:
        return uart->raw;
    case UART_MIS:
        return uart->raw & uart->mask;
    case UART_DMACR:
        return uart->dmacr;
    }
    device_log_unimp(uart->port.env, &uart->seen, "pl011", offset, false, 0);
    return 0;
}

/* Switching the FIFOs on or off empties them: section 3.3.7. */
static void write_lcr(struct pl011 *uart, uint32_t value)
{
    if ((uart->lcr ^ value) & LCR_FEN) {
        serial_clear(&uart->port);
        uart->raw &= ~(INT_RX | INT_RT);
        plan_timeout(uart);
    }
    uart->lcr = value & 0xff;
}

static void write_register(void *opaque, uint64_t offset, uint64_t value, unsigned size,
                           unsigned cpu)
{
    struct pl011 *uart = opaque;
    uint32_t word = (uint32_t)value;

    (void)size, (void)cpu;
    switch (offset) {
    case UART_DR:
        send_byte(uart, (uint8_t)word);
        break;
    case UART_RSR:
        uart->status = 0;
        break;
    case UART_ILPR:
        uart->ilpr = word & 0xff;
        break;
    case UART_IBRD:
        uart->ibrd = word & 0xffff;
        break;
    case UART_FBRD:
        uart->fbrd = word & 0x3f;
        break;
    case UART_LCR_H:
        write_lcr(uart, word);
        break;
    case UART_CR:
        uart->cr = word & 0xff87;
        break;
    case UART_IFLS:
        uart->ifls = word & 0x3f;
        break;
    case UART_IMSC:
        uart->mask = word & INT_ALL;
        break;
    case UART_ICR:
        uart->raw &= ~word;
        break;
    case UART_DMACR:
        uart->dmacr = word & 7;
        if (word & 3)
            device_log_unimp(uart->port.env, &uart->seen, "DMA", offset, true, value);
        break;
    default:
        device_log_unimp(uart->port.env, &uart->seen, "pl011", offset, true, value);
    }
    serial_accept_input(&uart->port);
    update_irq(uart);
}

static const struct mmio_ops ops = {read_register, write_register, 4, 4};

/* ---- the device ------------------------------------------------------------------------------ */

static void reset_pl011(void *opaque)
{
    struct pl011 *uart = opaque;

    uart->status = uart->ilpr = uart->ibrd = uart->fbrd = uart->lcr = 0;
    uart->mask = uart->raw = uart->dmacr = uart->overrun = 0;
    serial_clear(&uart->port);
    uart->cr = CR_RESET;
    uart->ifls = 0x12;
    plan_timeout(uart);
    update_irq(uart);
}

static void post_load(void *opaque, struct error *err)
{
    struct pl011 *uart = opaque;

    (void)err;
    serial_post_load(&uart->port);
    update_irq(uart);
}

static void destroy_pl011(void *opaque)
{
    struct pl011 *uart = opaque;

    serial_end(&uart->port);
    free(uart);
}

static void *create_pl011(const struct device_env *env, struct error *err)
{
    struct pl011 *uart = xcalloc(1, sizeof(*uart));

    serial_init(&uart->port, env, &serial, uart);
    if (!device_start(env, 0x1000, &ops, uart, reset_pl011, err))
        return NULL;
    serial_start(&uart->port);
    return uart;
}

static const char *const compatible[] = {"arm,pl011", NULL};

static const struct state_field fields[] = {
    STATE_FIELD(struct pl011, status),
    STATE_FIELD(struct pl011, ilpr),
    STATE_FIELD(struct pl011, ibrd),
    STATE_FIELD(struct pl011, fbrd),
    STATE_FIELD(struct pl011, lcr),
    STATE_FIELD(struct pl011, cr),
    STATE_FIELD(struct pl011, ifls),
    STATE_FIELD(struct pl011, mask),
    STATE_FIELD(struct pl011, raw),
    STATE_FIELD(struct pl011, dmacr),
    STATE_FIELD(struct pl011, overrun),
    SERIAL_FIELDS(struct pl011),
    STATE_END,
};

const struct device_class pl011_class = {
    .name = "pl011",
    .summary = "PL011 serial port",
    .compatible = compatible,
    .fields = fields,
    .create = create_pl011,
    .reset = reset_pl011,
    .destroy = destroy_pl011,
    .post_load = post_load,
};
