/*
 * 16550A UART.
 *
 * Regions     reg[0], 8 registers, property reg-shift apart
 * Interrupts  [0] INTR
 * Clocks      property clock-frequency, else 1.8432 MHz: only the receive timeout depends on it;
 *             characters take no time
 * Bounds      the receive FIFO; an access sends or takes one byte, and input waits for room
 * Manual      National Semiconductor PC16550D, "Universal Asynchronous Receiver/Transmitter with
 *             FIFOs", June 1995
 */
#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/dev/serial_port.h"

/* Registers; with LCR_DLAB the first two are the divisor latch. */
enum { UART_DATA, UART_IER, UART_IIR, UART_LCR, UART_MCR, UART_LSR, UART_MSR, UART_SCR, REGISTERS };
enum { UART_DLL = UART_DATA, UART_DLM = UART_IER, UART_FCR = UART_IIR };

#define IER_RX    0x01u
#define IER_TX    0x02u
#define IER_LINE  0x04u
#define IER_MODEM 0x08u
#define IER_MASK  0x0fu

/* Interrupt identification, table IV: what is pending, in order of priority */
#define IIR_LINE    0x06u
#define IIR_RX      0x04u
#define IIR_TIMEOUT 0x0cu
#define IIR_TX      0x02u
#define IIR_MODEM   0x00u
#define IIR_NONE    0x01u
#define IIR_FIFOS   0xc0u

#define FCR_ENABLE  0x01u
#define FCR_CLEAR   0x02u /* the receive FIFO */
#define FCR_TRIGGER 6     /* bits 7:6 */

#define LCR_DLAB 0x80u

#define MCR_DTR  0x01u
#define MCR_RTS  0x02u
#define MCR_OUT1 0x04u
#define MCR_OUT2 0x08u
#define MCR_LOOP 0x10u
#define MCR_MASK 0x1fu

#define LSR_READY   0x01u
#define LSR_OVERRUN 0x02u
#define LSR_BREAK   0x10u
#define LSR_THRE    0x20u /* the transmit FIFO is empty */
#define LSR_TEMT    0x40u /* the transmit FIFO and the shift register are empty */
#define LSR_ERRORS  (LSR_OVERRUN | LSR_BREAK)

/* Modem status: lines in bits 7:4, their changes in bits 3:0 */
#define MSR_CTS 0x10u
#define MSR_DSR 0x20u
#define MSR_RI  0x40u
#define MSR_DCD 0x80u

#define FIFO_DEPTH   16u
#define DEFAULT_HZ   1843200u
#define TIMEOUT_BITS 40 /* four characters of ten bits */

struct ns16550a {
    uint32_t ier, fcr, lcr, scr, divisor;
    uint32_t control;    /* MCR */
    uint32_t errors;     /* LSR_ERRORS not yet read */
    uint32_t modem;      /* lines at the last read of MSR */
    uint32_t tx_pending; /* the transmitter became empty, and IIR was not read since */
    uint32_t timed_out;
    struct serial_port port;

    unsigned shift;
    uint32_t hz;
};

static unsigned fifo_depth(const struct ns16550a *uart)
{
    return uart->fcr & FCR_ENABLE ? FIFO_DEPTH : 1;
}

/* Bytes in the receive FIFO that raise the interrupt. */
static unsigned rx_trigger(const struct ns16550a *uart)
{
    static const uint8_t levels[4] = {1, 4, 8, 14};

    return uart->fcr & FCR_ENABLE ? levels[uart->fcr >> FCR_TRIGGER & 3] : 1;
}

/* Lines of the modem: asserted as by a connected terminal; in loopback mode, the UART's own
 * outputs. */
static uint32_t modem_lines(const struct ns16550a *uart)
{
    uint32_t control = uart->control;

    if (!(control & MCR_LOOP))
        return MSR_CTS | MSR_DSR | MSR_DCD;
    return (control & MCR_RTS ? MSR_CTS : 0) | (control & MCR_DTR ? MSR_DSR : 0) |
           (control & MCR_OUT1 ? MSR_RI : 0) | (control & MCR_OUT2 ? MSR_DCD : 0);
}

static uint32_t modem_changes(const struct ns16550a *uart)
{
    return (uart->modem ^ modem_lines(uart)) >> 4;
}

/* The pending interrupt of the highest priority that is enabled. */
static uint32_t identify_interrupt(const struct ns16550a *uart)
{
    if (uart->ier & IER_LINE && uart->errors)
        return IIR_LINE;
    if (uart->ier & IER_RX && uart->port.count >= rx_trigger(uart))
        return IIR_RX;
    if (uart->ier & IER_RX && uart->timed_out)
        return IIR_TIMEOUT;
    if (uart->ier & IER_TX && uart->tx_pending)
        return IIR_TX;
    if (uart->ier & IER_MODEM && modem_changes(uart))
        return IIR_MODEM;
    return IIR_NONE;
}

static void update_irq(void *opaque)
{
    const struct ns16550a *uart = opaque;
    struct irq_line line = device_irq(uart->port.env, 0);

    irq_set(&line, identify_interrupt(uart) != IIR_NONE);
}

/* ---- receiving ------------------------------------------------------------------------------- */

/* The timeout runs from the latest byte into or out of the FIFO, while the FIFO has bytes. */
static void plan_timeout(struct ns16550a *uart)
{
    uint64_t clocks = (uint64_t)(uart->divisor ? uart->divisor : 1) * 16 * TIMEOUT_BITS;

    uart->timed_out = 0;
    serial_set_timeout(&uart->port,
                       uart->fcr & FCR_ENABLE ? clock_ticks_to_ns(clocks, uart->hz) : CLOCK_NEVER);
}

static void timed_out(void *opaque)
{
    struct ns16550a *uart = opaque;

    uart->timed_out = 1;
}

static void put_received(void *opaque, uint8_t byte, bool is_break)
{
    struct ns16550a *uart = opaque;

    if (uart->port.count >= fifo_depth(uart)) {
        uart->errors |= LSR_OVERRUN;
        return;
    }
    serial_push(&uart->port, byte);
    uart->errors |= is_break ? LSR_BREAK : 0;
    plan_timeout(uart);
}

static uint32_t get_received(struct ns16550a *uart)
{
    uint32_t byte = serial_get(&uart->port);

    plan_timeout(uart);
    return byte;
}

static size_t fifo_room(void *opaque)
{
    const struct ns16550a *uart = opaque;

    return uart->control & MCR_LOOP || uart->port.count >= fifo_depth(uart)
               ? 0
               : fifo_depth(uart) - uart->port.count;
}

static const struct serial_class serial = {fifo_room, put_received, timed_out, update_irq};

/* ---- transmitting: a byte leaves at once, so the transmit FIFO is always empty --------------- */

static void send_byte(struct ns16550a *uart, uint8_t byte)
{
    uart->tx_pending = 1;
    serial_send(&uart->port, byte, uart->control & MCR_LOOP);
}

/* ---- registers ------------------------------------------------------------------------------- */

/* A read of IIR that reports the transmitter's interrupt clears it. */
static uint32_t read_iir(struct ns16550a *uart)
{
    uint32_t what = identify_interrupt(uart);

    if (what == IIR_TX)
        uart->tx_pending = 0;
    return what | (uart->fcr & FCR_ENABLE ? IIR_FIFOS : 0);
}

static uint32_t read_lsr(struct ns16550a *uart)
{
    uint32_t value = LSR_THRE | LSR_TEMT | uart->errors | (uart->port.count ? LSR_READY : 0);

    uart->errors = 0;
    return value;
}

static uint32_t read_msr(struct ns16550a *uart)
{
    uint32_t value = modem_lines(uart) | modem_changes(uart);

    uart->modem = modem_lines(uart);
    return value;
}

static uint32_t read_register(struct ns16550a *uart, unsigned reg)
{
    bool latch = uart->lcr & LCR_DLAB;

    switch (reg) {
    case UART_DATA:
        return latch ? uart->divisor & 0xff : get_received(uart);
    case UART_IER:
        return latch ? uart->divisor >> 8 : uart->ier;
    case UART_IIR:
        return read_iir(uart);
    case UART_LCR:
        return uart->lcr;
    case UART_MCR:
        return uart->control;
    case UART_LSR:
        return read_lsr(uart);
    case UART_MSR:
        return read_msr(uart);
    default:
        return uart->scr;
    }
}

/* Reads a register for a debugger, without side effects. */
static uint32_t peek_register(const struct ns16550a *uart, unsigned reg)
{
    struct ns16550a copy = *uart;

    return reg == UART_DATA ? 0 : read_register(&copy, reg);
}

static uint64_t read_mmio(void *opaque, uint64_t offset, unsigned size, unsigned cpu)
{
    struct ns16550a *uart = opaque;
    unsigned reg = (unsigned)(offset >> uart->shift);
    uint32_t value;

    (void)size;
    if (reg >= REGISTERS || offset & ((UINT64_C(1) << uart->shift) - 1))
        return 0;
    if (cpu == BUS_NO_CPU)
        return peek_register(uart, reg);
    value = read_register(uart, reg);
    serial_accept_input(&uart->port);
    update_irq(uart);
    return value;
}

/* The transmitter's interrupt, enabled while the transmitter is empty, is raised at once. */
static void write_ier(struct ns16550a *uart, uint32_t value)
{
    if (value & ~uart->ier & IER_TX)
        uart->tx_pending = 1;
    uart->ier = value & IER_MASK;
}

/* Switching the FIFOs on or off empties them. */
static void write_fcr(struct ns16550a *uart, uint32_t value)
{
    if (!(value & FCR_ENABLE))
        value = 0;
    if ((uart->fcr ^ value) & FCR_ENABLE || value & FCR_CLEAR)
        serial_clear(&uart->port);
    uart->fcr = value & (FCR_ENABLE | 3u << FCR_TRIGGER);
    plan_timeout(uart);
}

static void write_register(struct ns16550a *uart, unsigned reg, uint32_t value)
{
    bool latch = uart->lcr & LCR_DLAB;

    switch (reg) {
    case UART_DATA:
        if (latch)
            uart->divisor = (uart->divisor & 0xff00) | value;
        else
            send_byte(uart, (uint8_t)value);
        break;
    case UART_IER:
        if (latch)
            uart->divisor = (uart->divisor & 0xff) | value << 8;
        else
            write_ier(uart, value);
        break;
    case UART_FCR:
        write_fcr(uart, value);
        break;
    case UART_LCR:
        uart->lcr = value;
        break;
    case UART_MCR:
        uart->control = value & MCR_MASK;
        break;
    case UART_SCR:
        uart->scr = value;
        break;
    default: /* LSR and MSR are read only */
        break;
    }
}

static void write_mmio(void *opaque, uint64_t offset, uint64_t value, unsigned size, unsigned cpu)
{
    struct ns16550a *uart = opaque;
    unsigned reg = (unsigned)(offset >> uart->shift);

    (void)size, (void)cpu;
    if (reg >= REGISTERS || offset & ((UINT64_C(1) << uart->shift) - 1))
        return;
    write_register(uart, reg, (uint8_t)value);
    serial_accept_input(&uart->port);
    update_irq(uart);
}

/* Registers one byte apart have byte accesses only, others also word accesses. */
static const struct mmio_ops byte_ops = {read_mmio, write_mmio, 1, 1};
static const struct mmio_ops word_ops = {read_mmio, write_mmio, 1, 4};

/* ---- the device ------------------------------------------------------------------------------ */

static void reset_ns16550a(void *opaque)
{
    struct ns16550a *uart = opaque;

    uart->ier = uart->fcr = uart->lcr = uart->control = uart->scr = uart->errors = 0;
    uart->tx_pending = 0;
    serial_clear(&uart->port);
    uart->divisor = 1;
    uart->modem = modem_lines(uart);
    plan_timeout(uart);
    update_irq(uart);
}

static void post_load(void *opaque, struct error *err)
{
    struct ns16550a *uart = opaque;

    (void)err;
    uart->ier &= IER_MASK;
    uart->fcr &= FCR_ENABLE | 3u << FCR_TRIGGER;
    uart->errors &= LSR_ERRORS;
    uart->divisor &= 0xffff;
    serial_post_load(&uart->port);
    update_irq(uart);
}

static void destroy_ns16550a(void *opaque)
{
    struct ns16550a *uart = opaque;

    serial_end(&uart->port);
    free(uart);
}

/* Reads registers and clock from the node; false: they are unusable. */
static bool read_node(struct ns16550a *uart, const struct device_env *env, struct error *err)
{
    uint32_t shift = 0;

    device_prop_u32(env, "reg-shift", 0, &shift);
    if (shift > 3)
        return device_error(env, err, "registers cannot be %u bits apart", shift) != NULL;
    uart->shift = shift;
    if (!device_prop_u32(env, "clock-frequency", 0, &uart->hz) || !uart->hz)
        uart->hz = DEFAULT_HZ;
    return true;
}

static void *create_ns16550a(const struct device_env *env, struct error *err)
{
    struct ns16550a *uart = xcalloc(1, sizeof(*uart));

    serial_init(&uart->port, env, &serial, uart);
    if (!read_node(uart, env, err) || !device_map(env, 0, (uint64_t)REGISTERS << uart->shift,
                                                  uart->shift ? &word_ops : &byte_ops, uart, err)) {
        free(uart);
        return NULL;
    }
    reset_ns16550a(uart);
    serial_start(&uart->port);
    return uart;
}

static const char *const compatible[] = {"ns16550a", "ns16550", NULL};

static const struct state_field fields[] = {
    STATE_FIELD(struct ns16550a, ier),        STATE_FIELD(struct ns16550a, fcr),
    STATE_FIELD(struct ns16550a, lcr),        STATE_FIELD(struct ns16550a, control),
    STATE_FIELD(struct ns16550a, scr),        STATE_FIELD(struct ns16550a, divisor),
    STATE_FIELD(struct ns16550a, errors),     STATE_FIELD(struct ns16550a, modem),
    STATE_FIELD(struct ns16550a, tx_pending), STATE_FIELD(struct ns16550a, timed_out),
    SERIAL_FIELDS(struct ns16550a),           STATE_END,
};

const struct device_class ns16550a_class = {
    .name = "ns16550a",
    .summary = "16550A serial port",
    .compatible = compatible,
    .fields = fields,
    .create = create_ns16550a,
    .reset = reset_ns16550a,
    .destroy = destroy_ns16550a,
    .post_load = post_load,
};
