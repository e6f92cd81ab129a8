/*
 * The device interface: what a device model gets from the machine (struct device_env), and what it
 * gives (struct device_class). A device is one .c file and one row of classes.inc.
 *
 * The machine walks the device tree; for each node it takes the first string of `compatible` that
 * some class lists (device_class_find()), fills a device_env and calls create(), which maps the
 * device's registers on the bus itself. What env points to must stay valid as long as the device.
 *
 * A device runs on the machine's thread. Whatever registers and memory hold, the work of an access,
 * an event or an input ends soon: each file names the bounds in its head ("Bounds"). Longer work
 * continues in an event at a later virtual time, so that the CPUs, the other devices, and a request
 * to end the machine are served in between.
 *
 * A device's state is a plain struct; what must survive a snapshot is listed in `fields`
 * (runtime/base/state.h). Host pointers, events and the env are in the same struct but not listed.
 */
#ifndef RUNTIME_DEV_DEVICE_H
#define RUNTIME_DEV_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/error.h"
#include "runtime/base/log.h"
#include "runtime/base/state.h"
#include "runtime/mem/bus.h"
#include "runtime/mem/irq.h"
#include "runtime/obs/stats.h"
#include "runtime/time/clock.h"

struct chardev;
struct device_class;
struct disk;
struct display;
struct gpu_config;
struct net_backend;
struct virtio_function;

/* CPUs that interrupt controllers and timers can serve (GICv2 architecture: 8). */
#define DEVICE_MAX_CPUS 8

/* A range of physical addresses, translated through the `ranges` of all parents. */
struct device_reg {
    uint64_t base, size;
};

/* Requests of a device to the machine. */
enum device_power {
    DEVICE_POWER_OFF,   /* end the simulation */
    DEVICE_POWER_RESET, /* restart the machine */
};

/* The counts of a CPU so far, exact also in the middle of its turn. */
struct device_counts {
    uint64_t insns, ticks;
    unsigned within;      /* 1 within an instruction, which is not counted yet and takes a tick */
    uint64_t ps_per_tick; /* how long a tick takes, at least 1 */
};

/* The node a device is made from, and the machine around it. */
struct device_env {
    const char *name;       /* node name with unit address, "uart@7ff80000" */
    const char *path;       /* full path in the tree */
    const char *compatible; /* the string of the node that selected the class */

    unsigned reg_count;
    const struct device_reg *reg;

    /*
     * Interrupts, in the order of the node, connected to the controller's inputs. A line that is
     * private to each CPU (PPI) has one entry per CPU in `irq_cpu`: [index * cpu_count + cpu];
     * `irq` has CPU 0's. irq_cpu may be NULL if no interrupt is private.
     */
    unsigned irq_count;
    const struct irq_line *irq;
    const struct irq_line *irq_cpu;

    /* Frequencies of `clocks`, in the order of the node; 0: unknown. */
    unsigned clock_count;
    const uint64_t *clock_hz;

    unsigned cpu_count; /* 1..DEVICE_MAX_CPUS */
    unsigned cpu;       /* the CPU in whose node this one stands, or that has it itself, without a
                           node; cpu_count: none */

    /* Interrupt controllers: input `n` of a CPU. The CPU's description and the users of its inputs
     * agree on the numbers (arm_board.h, say). May be NULL. */
    struct irq_line (*cpu_input)(void *opaque, unsigned cpu, unsigned n);

    bool big_endian; /* byte order of the CPUs' numbers */

    struct bus *bus;
    struct clock *clock;
    struct log *log;         /* may be NULL */
    struct stats *stats;     /* may be NULL */
    struct chardev *chardev; /* serial ports: back end, NULL for none; owned by the machine */
    struct virtio_function *virtio; /* virtio slots: the function in the slot, or NULL */
    struct net_backend *net;        /* network cards: the back end, or NULL */
    uint8_t mac[6];                 /* network cards: their address */
    struct display *display;        /* the machine's screen, keyboard and mouse; may be NULL */
    struct disk *disk;              /* disk image from an option, or NULL */
    const struct gpu_config *gpu;   /* the machine's GPU (runtime/gpu/gpu.h), or NULL */
    uint64_t start_time;            /* real-time clocks: seconds since 1970 at power-on */

    /*
     * A property of the node (`inherit`: of the node or its nearest ancestor that has it), or one
     * that the platform adds, as the tree holds it: big-endian cells or strings. NULL when absent.
     * *len (may be NULL) in bytes. A name that starts with '/' is a property of the node with that
     * path ("/cpus/timebase-frequency", "/arm,hbi" of the root); a name with a '/' inside
     * ("port@0/reg") is a property of a child.
     * Use the device_prop_*() helpers. The callback itself may be NULL: no properties.
     */
    const void *(*prop)(void *opaque, const char *name, bool inherit, size_t *len);

    /*
     * The device that the node with this phandle became, and its class; NULL when it has no model.
     * The machine creates it now if it does not exist yet. May be NULL.
     */
    void *(*device_by_phandle)(void *opaque, uint32_t phandle, const struct device_class **cls);

    /* The `index`-th translated reg of the node with this phandle; false: none. May be NULL. */
    bool (*reg_by_phandle)(void *opaque, uint32_t phandle, unsigned index, struct device_reg *reg);

    /*
     * Connects to the node's interrupt parent by specifier cells, for lines that `interrupts` does
     * not list (message frames). False when it does not exist. May be NULL.
     */
    bool (*parent_irq)(void *opaque, const uint32_t *cells, unsigned count, struct irq_line *line);

    /* The device of the parent node, and its class; as device_by_phandle(). May be NULL. */
    void *(*parent_device)(void *opaque, const struct device_class **cls);

    /*
     * Connects to the pin that the first entry of a property such as cd-gpios names. Driving the
     * line sets the pin, where true is the asserted level. False: there is no such pin. May be
     * NULL.
     */
    bool (*gpio)(void *opaque, const char *name, struct irq_line *line);

    /*
     * Asks the machine to stop or restart at the end of the current turn. `status` is the process's
     * when it stops, 0 to 255; 0 unless the guest says that it failed. May be NULL.
     */
    void (*power)(void *opaque, enum device_power what, int status);

    /* What a CPU has counted. May be NULL: nothing. */
    void (*cpu_counts)(void *opaque, unsigned cpu, struct device_counts *counts);

    /* The number of the CPU whose node has this phandle; false: none. May be NULL. */
    bool (*cpu_by_phandle)(void *opaque, uint32_t phandle, unsigned *cpu);

    /* Passes a value that software left for the board's firmware. May be NULL. */
    void (*tell_firmware)(void *opaque, uint64_t value);

    void *opaque; /* argument of the callbacks above */
};

/* What a snapshot has of a device, for device_class.check(). */
struct device_saved {
    const struct state_buf *state; /* holds `fields` in the section `section` */
    const char *section;
    const struct state_field *fields; /* those of the class */
    const struct state_buf *more;     /* what save() wrote */
    struct bus *memory;               /* the RAM of the snapshot, at the machine's addresses */
};

struct device_class {
    const char *name;              /* short, as in -d dev lines and snapshots: "pl011" */
    const char *summary;           /* a line of text for `--help devices` and the board pages */
    const char *const *compatible; /* ends with NULL; "name-*": all that begin with "name-" */
    const char *child; /* reg and interrupts of child nodes of this name ("frame": frame@...) follow
                          the node's own in env; NULL: children are devices of their own */
    const struct state_field *fields; /* what a snapshot holds; NULL: nothing */
    const char *drive;                /* env.disk is a -drive with this `if=`; NULL: none */
    bool nic;                         /* a network card: env.net and env.mac are its own */

    /* Makes the device in its reset state and maps its registers. NULL on failure. */
    void *(*create)(const struct device_env *env, struct error *err);
    void (*reset)(void *dev);   /* back to power-on; outputs are driven again; NULL: stateless */
    void (*destroy)(void *dev); /* cancels events and releases memory (not bus regions) */

    /*
     * State of variable size, beside `fields`. save() appends sections to `buf`, which is the
     * device's own. load() is called after `fields` were loaded and before post_load(), when memory
     * has its content, twice in one load; `buf` may hold anything. NULL: there is none.
     */
    void (*save)(void *dev, struct state_buf *buf);
    bool (*load)(void *dev, const struct state_buf *buf, struct error *err);
    /* Whether load() would succeed after a load of fields and memory. Changes nothing of the
     * device. NULL: load() takes anything. */
    bool (*check)(const void *dev, const struct device_saved *saved, struct error *err);

    /*
     * After `fields` were loaded: make derived state, add events again, drive outputs. It must
     * cope with any values (a snapshot is a file). NULL: nothing to do.
     */
    void (*post_load)(void *dev, struct error *err);

    /*
     * Interrupt controllers: connects `*line` to the input that an interrupt specifier of `count`
     * cells names; private inputs are those of `cpu`. NULL: not a controller.
     */
    bool (*irq_input)(void *dev, const uint32_t *cells, unsigned count, unsigned cpu,
                      struct irq_line *line, struct error *err);

    /* Pins: connects `*line` to the one that a specifier of `count` cells names. NULL: none. */
    bool (*gpio_input)(void *dev, const uint32_t *cells, unsigned count, struct irq_line *line);

    /*
     * Devices on each CPU's own port: descriptions access their registers at number `port`
     * (CPU_PORT_*, common/prelude) through these functions. port_read NULL: the device has no port.
     */
    unsigned port;
    uint64_t (*port_read)(void *dev, unsigned cpu, uint32_t reg);
    void (*port_write)(void *dev, unsigned cpu, uint32_t reg, uint64_t value);
    bool (*port_cpu)(const void *dev, unsigned cpu); /* whether the CPU has it; NULL: all have */
};

/* All classes, in the order of classes.inc, ending with NULL. */
extern const struct device_class *const device_classes[];

/* The class that lists this compatible string, or NULL. */
const struct device_class *device_class_find(const char *compatible);

/* The class with this name, or NULL. */
const struct device_class *device_class_by_name(const char *name);

/* Fills err with "PATH: message", the node's path and a printf-style message. Returns NULL. */
void *device_error(const struct device_env *env, struct error *err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Maps reg[index] of the node as registers, at most `max_size` bytes of it (0: all), named after
 * the node. Accesses are counted in the statistics group devices/NAME. The registers are
 * little-endian, unless the node says `big-endian`, or `native-endian` where the CPUs are
 * big-endian (Device Tree bindings, common-properties). False when the node has no such reg or the
 * bus refuses.
 */
bool device_map(const struct device_env *env, unsigned index, uint64_t max_size,
                const struct mmio_ops *ops, void *dev, struct error *err);

/*
 * The end of most create() functions: maps reg[0], as device_map() does, resets the device (`reset`
 * may be NULL) and returns it. On failure releases it with free() and returns NULL.
 */
void *device_start(const struct device_env *env, uint64_t max_size, const struct mmio_ops *ops,
                   void *dev, void (*reset)(void *dev), struct error *err);

/* interrupts[index], or a line to nowhere; `cpu`: CPU whose private line is wanted. */
struct irq_line device_irq(const struct device_env *env, unsigned index);
struct irq_line device_irq_cpu(const struct device_env *env, unsigned index, unsigned cpu);

/* The pin that a property names, or a line to nowhere. */
struct irq_line device_gpio(const struct device_env *env, const char *name);

/* Input `n` of a CPU, or a line to nowhere. */
struct irq_line device_cpu_input(const struct device_env *env, unsigned cpu, unsigned n);

/* Frequency of clocks[index], or `fallback` if the node does not give it. Never 0. */
uint64_t device_clock_hz(const struct device_env *env, unsigned index, uint64_t fallback);

/* A property's bytes, or NULL; see device_env.prop. */
const void *device_prop(const struct device_env *env, const char *name, size_t *len);

/* The `index`-th 32-bit cell of a property (`inherit`: also of ancestors); false: none. */
bool device_prop_u32(const struct device_env *env, const char *name, unsigned index,
                     uint32_t *value);
bool device_prop_u32_inherited(const struct device_env *env, const char *name, unsigned index,
                               uint32_t *value);

/*
 * A log that mentions each register once: `seen` has one bit per 32-bit register of the first 4096
 * bytes; later offsets share the bits modulo 4096.
 */
struct device_seen {
    uint32_t bits[32]; /* register r: bit r % 32 of word r / 32 */
};

/* Logs an access to a register that is not modelled on `unimp`, the first time only. */
void device_log_unimp(const struct device_env *env, struct device_seen *seen, const char *what,
                      uint64_t offset, bool write, uint64_t value);

/* Logs a guest mistake on `guest_errors`: "PATH: ..." and a newline. */
void device_log_guest(const struct device_env *env, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * The identification registers that PrimeCell peripherals hold at the end of their 4 KB: `offset`
 * is 0xfd0..0xfff within the page. `periph_id` holds PeriphID0..3 (low byte first) and PeriphID4
 * in bits 39:32, `cell_id` CellID0..3 (0xb105f00d; CoreSight 0xb105900d).
 */
#define PRIMECELL_CELL_ID UINT32_C(0xb105f00d)
/* Reads one of these registers. */
uint32_t primecell_id(uint64_t periph_id, uint32_t cell_id, uint64_t offset);

#endif
