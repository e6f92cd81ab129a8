/* The board's firmware: the kinds that the tree names, and the CPUs' calls to them. */
#include "runtime/machine/firmware.h"

#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "common/vec.h"
#include "runtime/machine/semihosting.h"

#define FIRMWARE_CLASS(x) extern const struct firmware_class firmware_##x;
#include "runtime/machine/firmware.inc"
#undef FIRMWARE_CLASS

const struct firmware_class *const firmware_classes[] = {
#define FIRMWARE_CLASS(x) &firmware_##x,
#include "runtime/machine/firmware.inc"
#undef FIRMWARE_CLASS
    NULL,
};

struct bound {
    const struct firmware_class *cls;
    void *fw;
};

struct firmware {
    VEC(struct bound) bound;
    struct semihosting *semihosting; /* NULL without -semihosting */
};

static bool call_firmware(struct cpu *cpu, uint32_t conduit, uint32_t imm)
{
    const struct firmware *firmware = cpu_hooks(cpu)->opaque;

    if (firmware->semihosting && semihosting_call(firmware->semihosting, cpu, conduit))
        return true;
    vec_for_each (&firmware->bound, b) {
        if (b->cls->call && b->cls->call(b->fw, cpu, conduit, imm))
            return true;
    }
    return false;
}

static const struct dt_node *node_for(const struct dt *dt, const struct firmware_class *cls)
{
    for (const char *const *name = cls->compatible; *name; name++) {
        const struct dt_node *node = dt_next_compatible(dt, NULL, *name);

        if (node)
            return node;
    }
    return NULL;
}

static bool bind_all(struct firmware *firmware, struct machine *m, struct error *err)
{
    for (const struct firmware_class *const *cls = firmware_classes; *cls; cls++) {
        const struct dt_node *node = node_for(m->dt, *cls);
        struct bound b = {.cls = *cls};

        if (!node)
            continue;
        b.fw = b.cls->create(m, node, err);
        if (!b.fw)
            return false;
        vec_push(&firmware->bound, b);
    }
    return true;
}

struct firmware *firmware_new(struct machine *m, struct error *err)
{
    struct firmware *firmware = xcalloc(1, sizeof(*firmware));

    if (m->options->semihosting)
        firmware->semihosting = semihosting_new(m, err);
    if (m->options->semihosting != (firmware->semihosting != NULL) || !bind_all(firmware, m, err)) {
        firmware_free(firmware);
        return NULL;
    }
    for (unsigned i = 0; i < m->cpu_count; i++) {
        struct cpu_hooks *hooks = cpu_hooks(m->cpus[i]);

        hooks->opaque = firmware;
        hooks->firmware = call_firmware;
    }
    return firmware;
}

void firmware_free(struct firmware *firmware)
{
    if (!firmware)
        return;
    vec_for_each (&firmware->bound, b)
        b->cls->destroy(b->fw);
    semihosting_free(firmware->semihosting);
    vec_free(&firmware->bound);
    free(firmware);
}

void firmware_tell(struct firmware *firmware, uint64_t value)
{
    vec_for_each (&firmware->bound, b) {
        if (b->cls->receive_value)
            b->cls->receive_value(b->fw, value);
    }
}

void firmware_save(const struct firmware *firmware, struct state_buf *buf)
{
    vec_for_each (&firmware->bound, b) {
        if (b->cls->fields)
            state_save(buf, *b->cls->compatible, b->cls->fields, b->fw);
    }
    if (firmware->semihosting)
        semihosting_save(firmware->semihosting, buf);
}

bool firmware_load(struct firmware *firmware, const struct state_buf *buf, struct error *err)
{
    vec_for_each (&firmware->bound, b) {
        if (b->cls->fields && !state_load(buf, *b->cls->compatible, b->cls->fields, b->fw, err))
            return false;
    }
    return !firmware->semihosting || semihosting_load(firmware->semihosting, buf, true, err);
}

bool firmware_check(const struct firmware *firmware, const struct state_buf *buf, struct error *err)
{
    bool ok = true;

    vec_for_each (&firmware->bound, b) {
        const struct state_field *f = b->cls->fields;
        size_t room = 1;
        void *scratch;

        for (; f && f->name; f++)
            room = f->offset + f->size > room ? f->offset + f->size : room;
        scratch = xcalloc(1, room);
        ok = ok && (!b->cls->fields ||
                    state_load(buf, *b->cls->compatible, b->cls->fields, scratch, err));
        free(scratch);
    }
    return ok &&
           (!firmware->semihosting || semihosting_load(firmware->semihosting, buf, false, err));
}

const char *firmware_describe(const struct firmware *firmware, unsigned index)
{
    const struct bound *b = firmware->bound.data + index;

    return index < firmware->bound.len ? b->cls->describe(b->fw) : NULL;
}
