/*
 * Intrinsics in C: $0 … are the arguments, $o the variable that receives the output.
 */
#include "gencc/emit/lane.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *c;
} table[] = {
    /* sorted by name */
    {"__branch_not_taken", "(void)0"},
    {"__branch_taken", "(void)0"},
    {"__builtin_abs32", "(uint32_t)abs($0)"},
    {"__builtin_abs64", "(uint64_t)llabs($0)"},
    {"__builtin_bitrev32", "cpu_bitrev32($0)"},
    {"__builtin_bitrev64", "cpu_bitrev64($0)"},
    {"__builtin_bswap32", "__builtin_bswap32($0)"},
    {"__builtin_bswap64", "__builtin_bswap64($0)"},
    {"__builtin_cast_double_to_u64_truncate", "(uint64_t)cpu_to_uint($0, 64)"},
    {"__builtin_cast_float_to_u32_truncate", "(uint32_t)cpu_to_uint($0, 32)"},
    {"__builtin_clz32", "cpu_clz32($0)"},
    {"__builtin_clz64", "cpu_clz64($0)"},
    {"__builtin_ctz32", "cpu_ctz32($0)"},
    {"__builtin_ctz64", "cpu_ctz64($0)"},
    {"__builtin_fma32", "fmaf($0, $1, $2)"},
    {"__builtin_fma32x2", "(f32x2){fmaf($0[0], $1[0], $2[0]), fmaf($0[1], $1[1], $2[1])}"},
    {"__builtin_fma32x4", "(f32x4){fmaf($0[0], $1[0], $2[0]), fmaf($0[1], $1[1], $2[1]), "
                          "fmaf($0[2], $1[2], $2[2]), fmaf($0[3], $1[3], $2[3])}"},
    {"__builtin_fma64", "fma($0, $1, $2)"},
    {"__builtin_fma64x2", "(f64x2){fma($0[0], $1[0], $2[0]), fma($0[1], $1[1], $2[1])}"},
    {"__builtin_get_feature", "cpu->features[$0]"},
    {"__builtin_jit_invalidate_txln", "(void)0"},
    {"__builtin_jit_invalidate_txln_all", "(void)0"},
    {"__builtin_polymul64", "cpu_polymul64($0, $1)"},
    {"__builtin_polymul8", "cpu_polymul8($0, $1)"},
    {"__builtin_popcount32", "(uint32_t)__builtin_popcount($0)"},
    {"__builtin_popcount64", "(uint64_t)__builtin_popcountll($0)"},
    {"__builtin_set_execution_ring", "cpu_set_ring(cpu, $0)"},
    {"__builtin_set_feature", "cpu_set_feature(cpu, $0, $1)"},
    {"__builtin_smulh", "cpu_smulh($0, $1)"},
    {"__builtin_smull", "($0 * $1)"},
    {"__builtin_translated", "(uint8_t)0"},
    {"__builtin_umulh", "cpu_umulh($0, $1)"},
    {"__builtin_umull", "($0 * $1)"},
    {"asm_has", NULL},
    {"cpu_config", "cpu->config[$0 & 7]"},
    {"cpu_number", "cpu->number"},
    {"double_abs", "fabs($0)"},
    {"double_sqrt", "sqrt($0)"},
    {"enter_kernel_mode", "cpu_set_ring(cpu, 1)"},
    {"enter_user_mode", "cpu_set_ring(cpu, 0)"},
    {"firmware_call", "cpu_firmware(cpu, i, $0, $1)"},
    {"float_abs", "fabsf($0)"},
    {"float_sqrt", "sqrtf($0)"},
    {"flush_dtlb", "cpu_flush_all(cpu, 0)"},
    {"flush_dtlb_entry", "cpu_flush_va(cpu, $0, 0)"},
    {"flush_itlb", "cpu_flush_all(cpu, 0)"},
    {"flush_itlb_entry", "cpu_flush_va(cpu, $0, 0)"},
    {"flush_tlbs", "cpu_flush_all(cpu, 0)"},
    {"get_cpu_mode", "(uint8_t)cpu->mode"},
    {"halt_cpu", "cpu_halt(cpu)"},
    {"mem_probe_write", "cpu_probe_write(cpu, i, $0, $1, $2)"},
    {"mem_read_128", "$o = cpu_read128(cpu, i, $0, $1)"},
    {"mem_read_16", "$o = cpu_read16(cpu, i, $0, $1)"},
    {"mem_read_32", "$o = cpu_read32(cpu, i, $0, $1)"},
    {"mem_read_64", "$o = cpu_read64(cpu, i, $0, $1)"},
    {"mem_read_8", "$o = cpu_read8(cpu, i, $0, $1)"},
    {"mem_write_128", "cpu_write128(cpu, i, $0, $1, $2)"},
    {"mem_write_16", "cpu_write16(cpu, i, $0, $1, $2)"},
    {"mem_write_32", "cpu_write32(cpu, i, $0, $1, $2)"},
    {"mem_write_64", "cpu_write64(cpu, i, $0, $1, $2)"},
    {"mem_write_8", "cpu_write8(cpu, i, $0, $1, $2)"},
    {"mmu_flush_all", "cpu_flush_all(cpu, 0)"},
    {"mmu_flush_va", "cpu_flush_va(cpu, $0, 0)"},
    {"mmu_notify_asid_change", "cpu_flush_asid(cpu, $0, 0)"},
    {"mmu_notify_pgt_change", "cpu_flush_all(cpu, 0)"},
    {"pend_interrupt", "cpu_pend_interrupt(cpu)"},
    {"phys_read_32", "cpu_phys_read32(cpu, $0, &$o)"},
    {"phys_read_64", "cpu_phys_read(cpu, $0, 8, &$o)"},
    {"read_device32", "$o = (uint32_t)cpu_device_read(cpu, i, $0, $1)"},
    {"read_device64", "$o = cpu_device_read(cpu, i, $0, $1)"},
    {"read_irq_lines", "cpu->lines"},
    {"read_pc", "CPU_PC(cpu, i)"},
    {"send_event", "cpu_broadcast_event(cpu, $0)"},
    {"set_cpu_mode", "cpu_set_mode(cpu, $0)"},
    {"set_single_step", "cpu_set_single_step(cpu, $0)"},
    {"synchronise_context", "(void)0"},
    {"take_exception", "cpu_take_exception(cpu, i, $0, $1)"},
    {"take_memory_fault", "cpu_memory_fault(cpu, i, $0, $1, $2)"},
    {"tlb_flush_all", "cpu_flush_all(cpu, $0)"},
    {"tlb_flush_asid", "cpu_flush_asid(cpu, $0, $1)"},
    {"tlb_flush_va", "cpu_flush_va(cpu, $0, $1)"},
    {"trap", "cpu_undefined(cpu, i)"},
    {"undefined_instruction", "cpu_undefined(cpu, i)"},
    {"wait_event", "cpu_wait_event(cpu)"},
    {"write_device32", "cpu_device_write(cpu, i, $0, $1, $2)"},
    {"write_device64", "cpu_device_write(cpu, i, $0, $1, $2)"},
    {"write_pc", "cpu->pc = $0"},
    {"yield_cpu", "cpu_yield(cpu)"},
};

/* What lanes have instead. The lane is l, of warp w, in operation op. */
static const struct {
    const char *name, *c;
} lane_table[] = {
    {"active_lanes", "w->active"},
    {"attribute_address", "gpu_attribute_address(w, $0, $1, $2)"},
    {"attribute_format", "gpu_attribute_format(w, $0)"},
    {"barrier", "gpu_barrier(w)"},
    {"branch", "gpu_branch(w, l, $0)"},
    {"clause_address", "gpu_decode_address(d)"},
    {"clause_header", "gpu_decode_header(d)"},
    {"end_lane", "gpu_end_lane(w, l)"},
    {"image_address", "gpu_image_address(w, $0, $1, $2)"},
    {"lane_count", "w->lanes"},
    {"lane_id", "(uint32_t)l"},
    {"local_base", "gpu_local_base(w)"},
    {"mem_atomic_32", "gpu_atomic32(w, op, l, $0, $1, $2)"},
    {"mem_atomic_64", "gpu_atomic64(w, op, l, $0, $1, $2)"},
    {"mem_cmpxchg_32", "gpu_cmpxchg32(w, op, l, $0, $1, $2)"},
    {"mem_cmpxchg_64", "gpu_cmpxchg64(w, op, l, $0, $1, $2)"},
    {"mem_read_16", "$o = gpu_read16(w, op, l, $1)"},
    {"mem_read_32", "$o = gpu_read32(w, op, l, $1)"},
    {"mem_read_64", "$o = gpu_read64(w, op, l, $1)"},
    {"mem_read_8", "$o = gpu_read8(w, op, l, $1)"},
    {"mem_write_16", "gpu_write16(w, op, l, $1, $2)"},
    {"mem_write_32", "gpu_write32(w, op, l, $1, $2)"},
    {"mem_write_64", "gpu_write64(w, op, l, $1, $2)"},
    {"mem_write_8", "gpu_write8(w, op, l, $1, $2)"},
    {"old_result", "r[l]"},
    {"pixel_load", "gpu_pixel_load(w, op, l, $0, $1, $2, $3)"},
    {"pixel_store", "gpu_pixel_store(w, op, l, $0, $1, $2, $3, $4, $5, $6, $7)"},
    {"read_source_lane", "gpu_lane_value(w, $x, $1)"},
    {"read_staging", "gpu_staging_read(w, op, REGISTERS, $0, l)"},
    {"thread_base", "w->tls[l]"},
    {"undefined_instruction", "gpu_fault(w, GPU_FAULT_UNIMPLEMENTED)"},
    {"uniform_buffer", "gpu_uniform_buffer(w, $0, $1, $2)"},
    {"write_result", "r[l] = $0"},
    {"write_staging", "gpu_staging_write(w, op, REGISTERS, $0, l, $1)"},
};

static int by_name(const void *key, const void *entry)
{
    return strcmp(key, *(const char *const *)entry);
}

const char *intrinsic_c(const char *name)
{
    const void *hit = bsearch(name, table, sizeof table / sizeof *table, sizeof *table, by_name);

    return hit ? table[((const char *)hit - (const char *)table) / sizeof *table].c : NULL;
}

const char *lane_intrinsic_c(const char *name)
{
    for (size_t i = 0; i < sizeof(lane_table) / sizeof(*lane_table); i++)
        if (!strcmp(lane_table[i].name, name))
            return lane_table[i].c;
    return NULL;
}
