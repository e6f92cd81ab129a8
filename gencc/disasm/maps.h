/*
 * Assembly maps as tables: several keys are packed into one number.
 */
#ifndef GENCC_DISASM_MAPS_H
#define GENCC_DISASM_MAPS_H

#include "gencc/model/model.h"
#include "common/asm_text.h"

enum { MAP_MAX_KEYS = 8 };

/* How the keys of a map are packed: a map of one key uses it as it is. In a stage each key becomes
 * its distance from the smallest one, in just enough bits, the first key highest; `span + 1`
 * stands for every value that no entry has. */
struct map_packing {
    unsigned arity;
    int64_t min[MAP_MAX_KEYS];
    uint64_t span[MAP_MAX_KEYS]; /* largest - smallest */
    unsigned shift[MAP_MAX_KEYS];
};

/* Finds the packing. Returns false when the map has too many keys in a stage, an entry of another
 * arity, or keys that need more than 63 bits together. */
bool map_packing_of(const struct asm_map *map, struct map_packing *p);

/* Packs `p->arity` keys into one number. */
int64_t map_pack(const struct map_packing *p, const int64_t *keys);

/* The map's printing table, in the arena: for each key the text of its first entry. NULL when it
 * cannot be packed. */
const struct asm_table *map_table(struct arena *a, const struct asm_map *map);

/* The system registers of the model, in the arena. Encoding fields whose name starts with a `c`
 * are written with it when a register has no name (s3_0_c1_c0_0), the first with an `s`. */
const struct asm_sysregs *map_sysregs(struct arena *a, const struct model *m);

#endif
