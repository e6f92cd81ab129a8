/*
 * Lanes that access one part in two or four of what lies side by side, as those of structures and vectors do: the whole of it is
 * read at once, and what is written is written with the rest masked out, which stays as it is.
 */
#include <string.h>

#include "runtime/gpu/translate/access.h"

enum { MAX_PARTS = 4, MAX_BYTES = 4 };

/* The parts of all lanes, as a vector. */
static LLVMTypeRef parts_type(struct jit_build *j, const struct access *a, unsigned parts)
{
    return j->l->VectorType(a->lane, j->lanes * parts);
}

/* Goes on where the lanes' parts are the first of so many each, in memory that the table has; else to what is then a->apart. */
static void require(struct jit_build *j, struct access *a, unsigned parts)
{
    LLVMValueRef first;

    j->l->PositionBuilderAtEnd(j->b, a->apart);
    a->apart = lanes_new_block(j);
    first = access_require_step(j, a, a->bytes * parts, a->apart);
    access_probe(j, a, first, a->bytes * parts * j->lanes, a->apart);
}

static LLVMValueRef index32(struct jit_build *j, unsigned n)
{
    return lanes_int(j->i32, n, j);
}

static void read(struct jit_build *j, struct access *a, unsigned parts)
{
    const struct llvm *l = j->l;
    LLVMTypeRef type = parts_type(j, a, parts);
    LLVMValueRef v, which[GPU_MAX_LANES];

    require(j, a, parts);
    v = l->BuildLoad2(j->b, type, access_host(j, a, type), "");
    l->SetAlignment(v, 1);
    for (unsigned k = 0; k < j->lanes; k++)
        which[k] = index32(j, k * parts);
    v = l->BuildShuffleVector(j->b, v, l->GetUndef(type), l->ConstVector(which, j->lanes), "");
    access_count(j, a, index32(j, j->lanes));
    access_way(j, a, v);
}

/* Where all lanes read one address, though nobody could know, that is one word for all. */
static void read_same(struct jit_build *j, struct access *a)
{
    LLVMValueRef first, v;

    j->l->PositionBuilderAtEnd(j->b, a->apart);
    a->apart = lanes_new_block(j);
    first = access_require_step(j, a, 0, a->apart);
    access_probe(j, a, first, a->bytes, a->apart);
    v = j->l->BuildLoad2(j->b, a->lane, access_host(j, a, a->lane), "");
    j->l->SetAlignment(v, 1);
    access_count(j, a, index32(j, j->lanes));
    access_way(j, a, lanes_splat(j, v));
}

void access_read_strided(struct jit_build *j, struct access *a)
{
    read_same(j, a);
    if (a->bytes > MAX_BYTES)
        return;
    for (unsigned parts = MAX_PARTS; parts > 1; parts /= 2)
        read(j, a, parts);
}

/* llvm.masked.store of the first of each lane's parts. */
static void store(struct jit_build *j, const struct access *a, LLVMValueRef v, unsigned parts)
{
    const struct llvm *l = j->l;
    LLVMTypeRef type = parts_type(j, a, parts), overloads[] = {type, l->PointerType(type, 0)};
    const char *name = "llvm.masked.store";
    unsigned id = l->LookupIntrinsicID(name, strlen(name)), count = j->lanes * parts;
    LLVMValueRef which[GPU_MAX_LANES * MAX_PARTS], mask[GPU_MAX_LANES * MAX_PARTS], args[4];

    for (unsigned n = 0; n < count; n++) {
        which[n] = n % parts ? l->GetUndef(j->i32) : index32(j, n / parts);
        mask[n] = lanes_int(j->i1, n % parts == 0, j);
    }
    args[0] =
        l->BuildShuffleVector(j->b, v, l->GetUndef(l->TypeOf(v)), l->ConstVector(which, count), "");
    args[1] = access_host(j, a, type);
    args[2] = index32(j, 1);
    args[3] = l->ConstVector(mask, count);
    l->BuildCall2(j->b, l->IntrinsicGetType(j->x, id, overloads, 2),
                  l->GetIntrinsicDeclaration(j->module, id, overloads, 2), args, 4, "");
}

void access_write_strided(struct jit_build *j, struct access *a, LLVMValueRef v)
{
    if (a->bytes > MAX_BYTES)
        return;
    for (unsigned parts = MAX_PARTS; parts > 1; parts /= 2) {
        require(j, a, parts);
        store(j, a, v, parts);
        access_count(j, a, index32(j, j->lanes));
        access_way(j, a, NULL);
    }
}
