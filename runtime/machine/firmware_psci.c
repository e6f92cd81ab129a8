/*
 * PSCI: power of CPUs and of the machine, by SMC or HVC as the node's `method` says.
 *
 * Source: Arm Power State Coordination Interface, DEN 0022D; SMC Calling Convention, DEN 0028.
 */
#include "runtime/machine/firmware.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arm_board.h"
#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/cpu/cpu.h"

/* Function identifiers, DEN 0022 section 5.1; bit 30 is the 64-bit calling convention. */
enum {
    PSCI_VERSION = 0x84000000,
    PSCI_CPU_SUSPEND,
    PSCI_CPU_OFF,
    PSCI_CPU_ON,
    PSCI_AFFINITY_INFO,
    PSCI_MIGRATE,
    PSCI_MIGRATE_INFO_TYPE,
    PSCI_MIGRATE_INFO_UP_CPU,
    PSCI_SYSTEM_OFF,
    PSCI_SYSTEM_RESET,
    PSCI_FEATURES,
};
#define SMC64       UINT32_C(0x40000000)
#define VERSION_1_0 0x00010000

/* Return codes, section 5.2.2 */
enum {
    SUCCESS = 0,
    NOT_SUPPORTED = -1,
    INVALID_PARAMETERS = -2,
    ALREADY_ON = -4,
    INVALID_ADDRESS = -9,
};

#define NO_TRUSTED_OS 2                      /* MIGRATE_INFO_TYPE: nothing needs migrating */
#define AFFINITY_MASK UINT64_C(0xff00ffffff) /* Aff3, Aff2..Aff0 of MPIDR */
#define AFF_ON        0
#define AFF_OFF       1

struct psci {
    struct machine *m;
    bool served; /* the tree's `method` is known */
    enum arm_conduit conduit;
    uint64_t affinity[DEVICE_MAX_CPUS];
    /* Function identifiers of version 0.1, from the tree; 0: the standard identifiers. */
    uint32_t suspend, off, on;
};

struct call {
    struct psci *psci;
    struct cpu *cpu;
    bool wide; /* 64-bit arguments */
    uint64_t arg[PLATFORM_ARGS - 1];
};

static struct cpu *cpu_by_affinity(const struct psci *psci, uint64_t affinity)
{
    for (unsigned i = 0; i < psci->m->cpu_count; i++) {
        if (psci->affinity[i] == (affinity & AFFINITY_MASK))
            return psci->m->cpus[i];
    }
    return NULL;
}

/* ---- the functions --------------------------------------------------------------------------- */

static int64_t cpu_on(const struct call *c)
{
    struct machine *m = c->psci->m;
    struct cpu *target = cpu_by_affinity(c->psci, c->arg[0]);

    if (!target)
        return INVALID_PARAMETERS;
    if (cpu_is_powered(target))
        return ALREADY_ON;
    if (c->arg[1] & 3)
        return INVALID_ADDRESS;
    cpu_reset(target);
    platform_set_args(&m->info, target, &c->arg[2], 1);
    cpu_set_pc(target, c->arg[1]);
    cpu_set_power(target, true);
    return SUCCESS;
}

static int64_t cpu_off(const struct call *c)
{
    cpu_set_power(c->cpu, false);
    return SUCCESS; /* not seen: the CPU is off */
}

/*
 * Every state is entered as standby: section 5.4.4 lets an implementation return to the caller
 * from a power-down state too, as if a wake-up had come just before.
 */
static int64_t cpu_suspend(const struct call *c)
{
    cpu_halt(c->cpu);
    return SUCCESS;
}

static int64_t affinity_info(const struct call *c)
{
    const struct cpu *target = cpu_by_affinity(c->psci, c->arg[0]);

    if (!target || c->arg[1]) /* only affinity level 0 is served, section 5.7.1 */
        return INVALID_PARAMETERS;
    return cpu_is_powered(target) ? AFF_ON : AFF_OFF;
}

static int64_t system_off(const struct call *c)
{
    machine_stop(c->psci->m, 0);
    cpu_set_power(c->cpu, false);
    return SUCCESS;
}

static int64_t system_reset(const struct call *c)
{
    machine_request_reset(c->psci->m);
    cpu_set_power(c->cpu, false);
    return SUCCESS;
}

static int64_t psci_version(const struct call *c)
{
    (void)c;
    return VERSION_1_0;
}

static int64_t migrate_info(const struct call *c)
{
    (void)c;
    return NO_TRUSTED_OS;
}

static int64_t psci_features(const struct call *c);

static const struct {
    uint32_t id;
    bool both; /* also a function of the 64-bit convention */
    const char *name;
    int64_t (*fn)(const struct call *c);
} functions[] = {
    {PSCI_VERSION, false, "PSCI_VERSION", psci_version},
    {PSCI_CPU_SUSPEND, true, "CPU_SUSPEND", cpu_suspend},
    {PSCI_CPU_OFF, false, "CPU_OFF", cpu_off},
    {PSCI_CPU_ON, true, "CPU_ON", cpu_on},
    {PSCI_AFFINITY_INFO, true, "AFFINITY_INFO", affinity_info},
    {PSCI_MIGRATE_INFO_TYPE, false, "MIGRATE_INFO_TYPE", migrate_info},
    {PSCI_SYSTEM_OFF, false, "SYSTEM_OFF", system_off},
    {PSCI_SYSTEM_RESET, false, "SYSTEM_RESET", system_reset},
    {PSCI_FEATURES, false, "PSCI_FEATURES", psci_features},
};

/* Index of the row of a function identifier, or -1. */
static int find_row(uint32_t id)
{
    for (unsigned i = 0; i < ARRAY_SIZE(functions); i++) {
        if (functions[i].id == id || (functions[i].both && (functions[i].id | SMC64) == id))
            return (int)i;
    }
    return -1;
}

static int64_t psci_features(const struct call *c)
{
    return find_row((uint32_t)c->arg[0]) >= 0 ? 0 : NOT_SUPPORTED;
}

/* ---- the call -------------------------------------------------------------------------------- */

/* Replaces an identifier of PSCI 0.1 by that of 0.2. */
static uint32_t standard_id(const struct psci *psci, uint32_t id)
{
    if (psci->on && id == psci->on)
        return PSCI_CPU_ON | SMC64;
    if (psci->off && id == psci->off)
        return PSCI_CPU_OFF;
    if (psci->suspend && id == psci->suspend)
        return PSCI_CPU_SUSPEND | SMC64;
    return id;
}

static bool serve_call(void *fw, struct cpu *cpu, uint32_t conduit, uint32_t imm)
{
    struct psci *psci = fw;
    uint64_t args[PLATFORM_ARGS], result;
    struct call call = {.psci = psci, .cpu = cpu};
    uint32_t id;
    int row;

    if (!psci->served || conduit != psci->conduit)
        return false;
    platform_get_args(&psci->m->info, cpu, args);
    id = standard_id(psci, (uint32_t)args[0]);
    row = imm ? -1 : find_row(id);
    call.wide = id & SMC64;
    for (unsigned i = 0; i < PLATFORM_ARGS - 1; i++)
        call.arg[i] = call.wide ? args[i + 1] : (uint32_t)args[i + 1];
    result = (uint64_t)(row < 0 ? NOT_SUPPORTED : functions[row].fn(&call));
    log_printf(&psci->m->log, LOG_FIRMWARE,
               "firmware: cpu %u: %s (%#" PRIx32 ", %#" PRIx64 ", %#" PRIx64 ") = %" PRId64 "\n",
               cpu_number(cpu), row < 0 ? "unknown function" : functions[row].name, id, call.arg[0],
               call.arg[1], (int64_t)result);
    platform_set_results(&psci->m->info, cpu, &result, 1);
    return true;
}

/* ---- life ------------------------------------------------------------------------------------ */

static void read_node(struct psci *psci, const struct dt_node *node)
{
    const struct dt *dt = psci->m->dt;
    const char *method = dt_string(dt, node, "method", 0);

    psci->served = method;
    psci->conduit = method && !strcmp(method, "hvc") ? ARM_CONDUIT_HVC : ARM_CONDUIT_SMC;
    if (dt_compatible(dt, node, "arm,psci-0.2") || dt_compatible(dt, node, "arm,psci-1.0"))
        return;
    dt_cell(dt, node, "cpu_suspend", 0, &psci->suspend);
    dt_cell(dt, node, "cpu_off", 0, &psci->off);
    dt_cell(dt, node, "cpu_on", 0, &psci->on);
}

static void *create_psci(struct machine *m, const struct dt_node *node, struct error *err)
{
    struct psci *psci = xcalloc(1, sizeof(*psci));

    psci->m = m;
    read_node(psci, node);
    for (unsigned i = 0; i < m->cpu_count; i++) {
        if (!dt_raw_address(m->dt, m->cpu_nodes[i], 0, &psci->affinity[i])) {
            free(psci);
            return error_null(err, "%s: the CPU has no reg", m->cpu_nodes[i]->path);
        }
        psci->affinity[i] &= AFFINITY_MASK;
    }
    return psci;
}

static const char *describe_psci(const void *fw)
{
    const struct psci *psci = fw;

    if (!psci->served)
        return "PSCI without a method";
    return psci->conduit == ARM_CONDUIT_HVC ? "PSCI 1.0 by HVC" : "PSCI 1.0 by SMC";
}

static const char *const compatible[] = {"arm,psci-1.0", "arm,psci-0.2", "arm,psci", NULL};

const struct firmware_class firmware_psci = {
    .compatible = compatible,
    .create = create_psci,
    .destroy = free,
    .call = serve_call,
    .describe = describe_psci,
};
