/*
 * Descriptors, registers and GPUs of Mali against bytes and numbers written by hand from the public
 * drivers (Mesa's genxml v4 … v7, Linux' panfrost_regs.h).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mali_layout.h"
#include "runtime/gpu/variant.h"

#include <stdlib.h>
#include <string.h>

/* Writes 32-bit words as the GPU's memory holds them. */
static void put_words(uint8_t *bytes, const uint32_t *w, unsigned count)
{
    for (unsigned i = 0; i < 4 * count; i++)
        bytes[i] = (uint8_t)(w[i / 4] >> i % 4 * 8);
}

static void job_header(void **state)
{
    static const uint32_t w[8] = {0x58, 7, 0xdeadb000, 0xab, 0x00050109, 0x00040003, 0x3000, 0x1};
    uint8_t bytes[MALI_JOB_HEADER_BYTES];
    struct mali_job_header h;

    (void)state;
    put_words(bytes, w, 8);
    for (unsigned version = 4; version <= 7; version++) {
        assert_int_equal(mali_job_header_bytes(version), 32);
        assert_null(mali_job_header_unpack(version, bytes, &h));
        assert_int_equal(h.exception_status, MALI_EXCEPTION_DATA_INVALID_FAULT);
        assert_int_equal(h.first_incomplete_task, 7);
        assert_int_equal(h.fault_pointer, 0xabdeadb000);
        assert_true(h.is_64b && h.barrier && !h.invalidate_cache);
        assert_int_equal(h.type, MALI_JOB_TYPE_COMPUTE);
        assert_int_equal(h.index, 5);
        assert_int_equal(h.dependency_1, 3);
        assert_int_equal(h.dependency_2, 4);
        assert_int_equal(h.next, 0x100003000);
    }
    assert_int_equal(mali_job_header_bytes(3), 0);
    assert_int_equal(mali_job_header_bytes(8), 0);
    assert_string_equal(mali_job_header_unpack(8, bytes, &h), "version");
    bytes[16] = 11 << 1; /* a job type that does not exist */
    assert_string_equal(mali_job_header_unpack(7, bytes, &h), "type");
    assert_int_equal(h.next, 0x100003000); /* the other fields are unpacked all the same */
    bytes[16] = 10 << 1;                   /* indexed vertex: Bifrost only */
    assert_null(mali_job_header_unpack(6, bytes, &h));
    assert_string_equal(mali_job_header_unpack(5, bytes, &h), "type");
    assert_int_equal(MALI_JOB_HEADER_EXCEPTION_STATUS_OFFSET, 0);
    assert_int_equal(MALI_JOB_HEADER_FAULT_POINTER_OFFSET, 8);
    assert_int_equal(MALI_JOB_HEADER_TYPE_BIT, 129);
    assert_int_equal(MALI_JOB_HEADER_TYPE_WIDTH, 7);
}

static void payload_members(void **state)
{
    static const uint32_t w[8] = {0x1000, 2, 7, 0, 0x89abcdef, 0x1234567};
    uint8_t bytes[32] = {0};
    struct mali_write_value_payload v;
    struct mali_cache_flush_payload c;
    struct mali_fragment_payload f;

    (void)state;
    put_words(bytes, w, 6);
    assert_null(mali_write_value_payload_unpack(7, bytes, &v));
    assert_int_equal(v.address, 0x200001000);
    assert_int_equal(v.type, MALI_WRITE_VALUE_TYPE_IMMEDIATE_64);
    assert_int_equal(v.immediate_value, 0x123456789abcdef);
    assert_string_equal(mali_write_value_payload_unpack(5, bytes, &v), "type");
    assert_int_equal(mali_write_value_payload_bytes(4), 16);
    assert_int_equal(mali_write_value_payload_bytes(6), 24);

    put_words(bytes, (const uint32_t[]){0x02030005, 0x2}, 2);
    assert_null(mali_cache_flush_payload_unpack(6, bytes, &c));
    assert_true(c.clean_shader_core_ls && !c.invalidate_shader_core_ls &&
                c.invalidate_shader_core_other && c.job_manager_clean && c.job_manager_invalidate);
    assert_true(!c.tiler_clean && c.tiler_invalidate && !c.l2_clean && c.l2_invalidate);

    put_words(bytes, (const uint32_t[]){0x00020001, 0x80040003, 0x5003, 6, 0x7000, 8, 9}, 7);
    assert_int_equal(mali_fragment_payload_bytes(4), 16);
    assert_null(mali_fragment_payload_unpack(4, bytes, &f));
    assert_int_equal(f.bound_max_y, 4);
    assert_int_equal(f.framebuffer, 0x600005003);
    assert_int_equal(f.tile_enable_map, 0);
    assert_null(mali_fragment_payload_unpack(5, bytes, &f));
    assert_true(f.has_tile_enable_map);
    assert_int_equal(f.tile_enable_map, 0x800007000);
    assert_int_equal(f.tile_enable_map_row_stride, 9);
}

static void compute_payload(void **state)
{
    uint32_t w[40] = {0};
    uint8_t bytes[MALI_COMPUTE_PAYLOAD_BYTES];
    struct mali_compute_payload p;

    (void)state;
    w[0] = 0x0001037f;                                             /* packed sizes */
    w[1] = 4 | 7 << 5 | 8 << 10 | 16 << 16 | 32u << 22 | 2u << 28; /* shifts of the packed sizes */
    w[2] = 5u << 26;                                               /* task split */
    w[8] = 3 | 0x23u << 16 | 0x61u << 24;                          /* draw: instance sizes */
    w[8 + 6] = 0x10000;
    w[8 + 12] = 0x20000;
    w[8 + 14] = 0x30000;
    w[8 + 28] = 0x40000;
    w[8 + 29] = 5;
    put_words(bytes, w, 40);
    assert_int_equal(mali_compute_payload_bytes(4), 152);
    assert_int_equal(mali_compute_payload_bytes(7), 160);
    for (unsigned version = 4; version <= 7; version++) {
        assert_null(mali_compute_payload_unpack(version, bytes, &p));
        assert_int_equal(p.invocation.packed, 0x1037f);
        assert_int_equal(p.invocation.size_y_shift, 4);
        assert_int_equal(p.invocation.size_z_shift, 7);
        assert_int_equal(p.invocation.groups_x_shift, 8);
        assert_int_equal(p.invocation.groups_y_shift, 16);
        assert_int_equal(p.invocation.groups_z_shift, 32);
        assert_int_equal(p.invocation.split, 2);
        assert_int_equal(p.task_split, 5);
        assert_int_equal(p.draw.instance_size, 3 << 3);
        assert_int_equal(p.draw.instance_primitive_size, 7 << 1);
        assert_int_equal(p.draw.uniform_buffers, 0x10000);
        assert_int_equal(p.draw.push_uniforms, 0x20000);
        assert_int_equal(p.draw.state, 0x30000);
        assert_int_equal(p.draw.thread_storage, 0x500040000);
    }
}

static void tiler_payload(void **state)
{
    uint32_t w[56] = {0};
    uint8_t bytes[MALI_TILER_PAYLOAD_BYTES];
    struct mali_tiler_payload p;

    (void)state;
    w[2] = 8 | 2 << 8;  /* triangles, 16-bit indices */
    w[5] = 35;          /* indices, less one */
    w[8] = 0x3f800000;  /* Bifrost: size 1.0 */
    w[10] = 0x77000;    /* Bifrost: tiler */
    w[8 + 14] = 0x1000; /* Midgard: draw.state */
    w[38] = 0x40000000; /* Midgard: size 2.0, Bifrost: draw.state */
    put_words(bytes, w, 56);
    assert_int_equal(mali_tiler_payload_bytes(5), 160);
    assert_int_equal(mali_tiler_payload_bytes(6), 224);
    assert_null(mali_tiler_payload_unpack(7, bytes, &p));
    assert_int_equal(p.primitive.index_count, 36);
    assert_int_equal(p.primitive.index_type, MALI_INDEX_TYPE_U16);
    assert_true(p.primitive_size == 1.0f);
    assert_int_equal(p.tiler, 0x77000);
    assert_int_equal(p.draw.state, 0x40000000);
    assert_null(mali_tiler_payload_unpack(5, bytes, &p));
    assert_true(p.primitive_size == 2.0f);
    assert_int_equal(p.tiler, 0);
    assert_int_equal(p.draw.state, 0x1000);
}

static void shader_state(void **state)
{
    uint32_t w[16] = {0x8000, 1, 0x00020001, 0x00040003};
    uint8_t bytes[MALI_RENDERER_STATE_BYTES];
    struct mali_renderer_state r;

    (void)state;
    w[4] = 5 | 1 << 11 | 2 << 12 | 1u << 31;
    w[12] = 1 << 7 | 1 << 9 | 1 << 12 | 33 << 15;
    w[14] = 0x9000;
    put_words(bytes, w, 16);
    assert_null(mali_renderer_state_unpack(7, bytes, &r));
    assert_int_equal(r.shader, 0x100008000);
    assert_int_equal(r.sampler_count, 1);
    assert_int_equal(r.texture_count, 2);
    assert_int_equal(r.attribute_count, 3);
    assert_int_equal(r.varying_count, 4);
    assert_int_equal(r.uniform_buffer_count, 5);
    assert_true(r.contains_barrier && r.wait_dependency_7 && !r.wait_dependency_6);
    assert_int_equal(r.register_allocation, MALI_REGISTER_ALLOCATION_REGISTERS_32);
    assert_true(r.preload.local_id_xy && !r.preload.local_id_z && r.preload.group_id_x &&
                r.preload.global_id_x);
    assert_int_equal(r.preload.uniform_count, 33);
    assert_int_equal(r.secondary_shader, 0x9000);
    assert_null(mali_renderer_state_unpack(6, bytes, &r));
    assert_int_equal(r.register_allocation, 0);
    /* Midgard: other properties, and a float in place of the preload word */
    w[4] = 5 | 12u << 16 | 3u << 21 | 2u << 29;
    w[12] = 0x3f000000;
    put_words(bytes, w, 16);
    assert_null(mali_renderer_state_unpack(4, bytes, &r));
    assert_int_equal(r.work_register_count, 12);
    assert_int_equal(r.uniform_count, 3);
    assert_int_equal(r.fp_mode, MALI_FP_MODE_CL);
    assert_true(r.alpha_reference == 0.5f);
    assert_int_equal(r.preload.uniform_count, 0);
}

static void memory_descriptors(void **state)
{
    uint8_t bytes[32] = {0};
    struct mali_uniform_buffer u;
    struct mali_attribute_buffer b;
    struct mali_attribute a;
    struct mali_attribute_image i;
    struct mali_local_storage l;

    (void)state;
    /* The address, shifted right by 4, from bit 12 */
    put_words(bytes, (const uint32_t[]){0x0000f000 | 15, 0x12}, 2);
    assert_null(mali_uniform_buffer_unpack(6, bytes, &u));
    assert_int_equal(u.entries, 16);
    assert_int_equal(u.pointer, 0x120000f0);
    put_words(bytes, (const uint32_t[]){0x12345640 | 1, 0x450000ab, 16, 256}, 4);
    assert_null(mali_attribute_buffer_unpack(7, bytes, &b));
    assert_int_equal(b.type, MALI_ATTRIBUTE_TYPE_LINEAR);
    assert_int_equal(b.pointer, 0xab12345640);
    assert_int_equal(b.divisor_r, 5);
    assert_int_equal(b.divisor_p, 2);
    assert_int_equal(b.divisor, 5 << 5);
    assert_int_equal(b.stride, 16);
    assert_int_equal(b.bytes, 256);
    put_words(bytes, (const uint32_t[]){3 | 1 << 9 | 0x2bc688u << 10, 0xfffffff0}, 2);
    assert_null(mali_attribute_unpack(7, bytes, &a));
    assert_int_equal(a.buffer_index, 3);
    assert_true(a.offset_enable);
    assert_int_equal(a.format, 0x2bc688);
    assert_int_equal(a.offset, -16);
    put_words(bytes, (const uint32_t[]){32 | 639u << 16, 479 | 2u << 16, 2560, 1228800}, 4);
    assert_null(mali_attribute_image_unpack(6, bytes, &i));
    assert_int_equal(i.width, 640);
    assert_int_equal(i.height, 480);
    assert_int_equal(i.depth, 3);
    assert_int_equal(i.slice_stride, 1228800);
    put_words(bytes, (const uint32_t[]){4, 31 | 9 << 8, 0x1000, 1, 0x2000, 2}, 6);
    assert_null(mali_local_storage_unpack(7, bytes, &l));
    assert_int_equal(l.tls_size, 4);
    assert_int_equal(l.wls_instances, MALI_WLS_NONE);
    assert_int_equal(l.wls_size_scale, 9);
    assert_int_equal(l.tls_base, 0x100001000);
    assert_int_equal(l.wls_base, 0x200002000);
}

static void image_descriptors(void **state)
{
    uint8_t bytes[32] = {0};
    struct mali_texture t;
    struct mali_sampler s;

    (void)state;
    put_words(bytes,
              (const uint32_t[]){2 | 2 << 4 | 0xbcu << 22, 63 | 31u << 16,
                                 0x688 | 2 << 12 | 6 << 16, 2 << 13 | 0x600u << 16, 0x5000, 0, 0,
                                 0},
              8);
    assert_null(mali_texture_unpack(7, bytes, &t));
    assert_int_equal(t.dimension, MALI_TEXTURE_DIMENSION_FLAT);
    assert_int_equal(t.width, 64);
    assert_int_equal(t.height, 32);
    assert_int_equal(t.layout, MALI_TEXTURE_LAYOUT_LINEAR);
    assert_int_equal(t.levels, 7);
    assert_int_equal(t.sample_count, 4);
    assert_int_equal(t.maximum_lod, 0x600);
    assert_int_equal(t.surfaces, 0x5000);
    put_words(bytes, (const uint32_t[]){63 | 31u << 16, 0, 2u << 22 | 1u << 24, 2u << 24, 0x688},
              5);
    assert_null(mali_texture_unpack(5, bytes, &t));
    assert_int_equal(t.width, 64);
    assert_int_equal(t.layout, MALI_TEXTURE_LAYOUT_TILED);
    assert_int_equal(t.levels, 3);
    put_words(bytes,
              (const uint32_t[]){1 | 8 << 8 | 9 << 12 | 11 << 16 | 1 << 25 | 3u << 30, 3 << 13,
                                 0xffff, 0, 1, 2, 3, 4},
              8);
    assert_null(mali_sampler_unpack(6, bytes, &s));
    assert_int_equal(s.wrap_mode_r, MALI_WRAP_MODE_REPEAT);
    assert_int_equal(s.wrap_mode_s, MALI_WRAP_MODE_CLAMP_TO_BORDER);
    assert_true(s.normalized_coordinates);
    assert_int_equal(s.compare_function, MALI_COMPARE_FUNCTION_LESS_EQUAL);
    assert_int_equal(s.lod_bias, -1);
    assert_int_equal(s.border_color[3], 4);
}

static void page_tables(void **state)
{
    /* A 2 MB leaf as Linux writes it: read and write, not executable */
    const uint64_t entry = 1ull << 54 | 3ull << 6 | 0x1234600000 | 1;
    uint8_t bytes[8];
    struct mali_page_entry e;

    (void)state;
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(entry >> 8 * i);
    assert_null(mali_page_entry_unpack(6, bytes, &e));
    assert_int_equal(e.type, MALI_PAGE_ENTRY_TYPE_LEAF);
    assert_int_equal(e.address, 0x1234600000);
    assert_true(e.read && e.write && e.no_execute);
    assert_int_equal(MALI_PAGE_SHIFT, 12);
}

/* ---- text ------------------------------------------------------------------------------------ */

static void descriptors_are_printed(void **state)
{
    static const uint32_t w[8] = {1, 0, 0, 0, 77u << 1 | 1 << 16, 0, 0x8000, 0};
    uint8_t bytes[32];
    struct mali_job_header h;
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);

    (void)state;
    assert_non_null(f);
    put_words(bytes, w, 8);
    assert_string_equal(mali_job_header_unpack(7, bytes, &h), "type");
    mali_job_header_print(7, f, 2, &h);
    fclose(f);
    assert_string_equal(text, "  exception_status: 1\n"
                              "  first_incomplete_task: 0\n"
                              "  fault_pointer: 0x0\n"
                              "  is_64b: no\n"
                              "  type: ? (77) (bad)\n"
                              "  barrier: no\n"
                              "  invalidate_cache: no\n"
                              "  suppress_prefetch: no\n"
                              "  enable_texture_mapper: no\n"
                              "  relax_dependency_1: no\n"
                              "  relax_dependency_2: no\n"
                              "  index: 1\n"
                              "  dependency_1: 0\n"
                              "  dependency_2: 0\n"
                              "  next: 0x8000\n");
    free(text);
}

static void expect_register(uint32_t offset, uint32_t value, const char *want)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);

    assert_non_null(f);
    mali_register_print(f, offset, value);
    fclose(f);
    assert_string_equal(text, want);
    free(text);
}

static void registers_and_fields(void **state)
{
    const struct mali_register *r;
    unsigned n = 99;

    (void)state;
    assert_int_equal(MALI_GPU_IRQ_RAWSTAT, 0x20);
    assert_int_equal(MALI_GPU_IRQ_RAWSTAT_RESET_COMPLETED, 1 << 8);
    assert_int_equal(MALI_GPU_ID_PRODUCT_SHIFT, 16);
    assert_int_equal(MALI_JS_COMMAND_NEXT(1), 0x1800 + 0x80 + 0x60);
    assert_int_equal(MALI_JOB_SLOT_COUNT, 16);
    assert_int_equal(MALI_JOB_SLOT_STRIDE, 0x80);
    assert_int_equal(MALI_AS_FAULTSTATUS(2), 0x2400 + 2 * 0x40 + 0x1c);
    assert_int_equal(MALI_TEXTURE_FEATURES(3), 0xbc);
    r = mali_register_at(0x18e0, &n);
    assert_string_equal(r->name, "JS_COMMAND_NEXT");
    assert_int_equal(n, 1);
    assert_int_equal(r->access, MALI_REGISTER_READ | MALI_REGISTER_WRITE);
    assert_null(mali_register_at(0x18e1, &n));
    assert_null(mali_register_at(0xfffffffc, &n));
    for (unsigned i = 1; i < MALI_REGISTERS_COUNT; i++)
        assert_true(mali_registers[i - 1].offset < mali_registers[i].offset);
    assert_null(mali_registers[MALI_REGISTERS_COUNT].name);
    expect_register(MALI_GPU_ID, 0x62210030, "GPU_ID = 0x62210030 (product 0x6221, revision 0x30)");
    expect_register(MALI_AS_FAULTSTATUS(1), 0x03000 | 0x2c1,
                    "AS_FAULTSTATUS[1] = 0x32c1 (exception translation_fault_1, access read)");
    expect_register(MALI_GPU_IRQ_RAWSTAT, 0x101,
                    "GPU_IRQ_RAWSTAT = 0x101 (fault, reset_completed)");
    expect_register(MALI_GPU_COMMAND, 1, "GPU_COMMAND = 0x1 (command soft_reset)");
    expect_register(MALI_AS_PRESENT, 0, "AS_PRESENT = 0x0");
    expect_register(0x3ff0, 5, "0x3ff0 = 0x5");
}

/* ---- GPUs ------------------------------------------------------------------------------------ */

static uint32_t value_of(const struct gpu_variant *v, uint32_t offset)
{
    for (unsigned i = 0; i < v->value_count; i++)
        if (v->values[i].offset == offset)
            return v->values[i].value;
    fail_msg("%s has no value at %#x", v->name, offset);
    return 0;
}

static void operating_points(void **state)
{
    const struct gpu_variant *t624 = gpu_variant_by_name("t624"), *g71 = gpu_variant_by_name("g71");

    (void)state;
    assert_int_equal(t624->point_count, 2);
    assert_int_equal(t624->points[0].mhz, 450);
    assert_int_equal(t624->points[0].millivolt, 820);
    assert_int_equal(t624->points[1].mhz, t624->clock_mhz);
    assert_non_null(strstr(t624->point_source, "gpu_r2"));
    assert_int_equal(g71->point_count, 1); /* none in the description */
    assert_int_equal(g71->points[0].mhz, g71->clock_mhz);
    assert_int_equal(g71->points[0].millivolt, g71->power.voltage);
    assert_string_equal(g71->point_source, "");
    for (const struct gpu_variant *v = gpu_variants; v->name; v++) {
        bool found = false;

        for (unsigned i = 0; i < v->point_count; i++)
            found |= v->points[i].mhz == v->clock_mhz;
        assert_true(found);
    }
}

static void variants_by_name(void **state)
{
    static const struct {
        const char *name;
        uint32_t product;
        unsigned architecture, cores, warp_width;
    } want[] = {
        {"g71", 0x6000, 6, 20, 4}, {"G72", 0x6221, 6, 12, 4},  {"g51", 0x7090, 7, 4, 8},
        {"g31", 0x7093, 7, 2, 4},  {"g52", 0x7212, 7, 6, 8},   {"g76", 0x7211, 7, 10, 8},
        {"t604", 0x6956, 4, 4, 1}, {"t620", 0x0620, 4, 4, 1},  {"t720", 0x0720, 4, 2, 1},
        {"t760", 0x0750, 5, 4, 1}, {"t820", 0x0820, 5, 3, 1},  {"t830", 0x0830, 5, 2, 1},
        {"t860", 0x0860, 5, 4, 1}, {"t880", 0x0880, 5, 12, 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++) {
        const struct gpu_variant *v = gpu_variant_by_name(want[i].name);

        assert_non_null(v);
        assert_int_equal(v->product, want[i].product);
        assert_int_equal(v->architecture, want[i].architecture);
        assert_int_equal(v->cores, want[i].cores);
        assert_int_equal(v->warp_width, want[i].warp_width);
        assert_ptr_equal(gpu_variant_by_product(want[i].product), v);
        assert_int_equal(value_of(v, MALI_JS_PRESENT), 7);
        /* Bifrost has jobs of indexed vertices. */
        assert_int_equal(value_of(v, MALI_JS_FEATURES(1)),
                         want[i].architecture < 6 ? 0x1fe : 0x5fe);
    }
    assert_int_equal(gpu_variant_by_name("g71mp1")->shader_present, 1);
    assert_int_equal(gpu_variant_by_name("g71mp8")->shader_present, 0xff);
    assert_null(gpu_variant_by_name("g77"));
    /* Seed 002, table 5.9; thousandths of a cycle. */
    assert_int_equal(gpu_variant_by_name("g71")->timing.l2_miss_latency, 123000);
    assert_int_equal(gpu_variant_by_name("g72")->timing.l1_miss_latency, 42000);
    assert_int_equal(gpu_variant_by_name("g72")->timing.l1_hit_latency, 1000); /* as the G71's */
    assert_int_equal(gpu_variant_by_name("g31")->timing.l2_miss_latency, 54120);
    /* Seed 002, 5.3.4.1 and table 5.1. */
    assert_int_equal(gpu_variant_by_name("g31")->engines, 2);
    assert_int_equal(gpu_variant_by_name("g31")->max_group, 512);
    assert_int_equal(gpu_variant_by_name("g31")->timing.l1_bytes, 4096);
    assert_int_equal(gpu_variant_by_name("t624")->timing.l2_miss_latency, 100000);
    assert_string_equal(gpu_variant_by_name("t624")->timing_source.l2_miss_latency, "");
    assert_int_equal(gpu_variant_by_name("t624")->power.core_active, 40000);
    assert_string_equal(gpu_variant_by_name("g71")->power_source.core_active, "");
    assert_null(gpu_variant_by_product(0x9091));
    assert_string_equal(gpu_variant_by_compatible("arm,mali-t624")->name, "t624");
    assert_string_equal(gpu_variant_by_compatible("arm,mali-t628")->name, "t620");
    assert_null(gpu_variant_by_compatible("arm,mali-bifrost")); /* names several products */
    assert_null(gpu_variant_by_compatible("arm,mali-t678"));
    for (const struct gpu_variant *v = gpu_variants; v->name; v++) {
        assert_int_equal(__builtin_popcountll(v->shader_present), v->cores);
        assert_ptr_equal(gpu_variant_by_name(v->name), v);
        assert_string_equal(v->isa, v->architecture < 6 ? "midgard" : "bifrost");
    }
}

/*
 * Numbers that panfrost prints on boards: Exynos 5250, Allwinner H6, RK3288, RK3399 (logs on kernel
 * mailing lists: "mali-t860 id 0x860 major 0x2 minor 0x0 status 0x0", "Features: L2:0x07120206 …").
 */
static void on_boards(void **state)
{
    static const struct {
        const char *name;
        uint32_t revision, l2, mmu, spaces;
        uint64_t cores;
    } board[] = {
        {"t604", 0x0001, 0x07110206, 0x2830, 0x0f, 0xf},
        {"t720", 0x1010, 0x07110206, 0x2821, 0x0f, 0x3},
        {"t760", 0x0001, 0x07120206, 0x2830, 0xff, 0xf},
        {"t860", 0x2000, 0x07120206, 0x2830, 0xff, 0xf},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(board) / sizeof(*board); i++) {
        const struct gpu_variant *v = gpu_variant_by_name(board[i].name);

        assert_int_equal(v->revision, board[i].revision);
        assert_int_equal(v->shader_present, board[i].cores);
        assert_int_equal(value_of(v, MALI_L2_FEATURES), board[i].l2);
        assert_int_equal(value_of(v, MALI_CORE_FEATURES), 0);
        assert_int_equal(value_of(v, MALI_TILER_FEATURES), 0x809);
        assert_int_equal(value_of(v, MALI_MEM_FEATURES), 1);
        assert_int_equal(value_of(v, MALI_MMU_FEATURES), board[i].mmu);
        assert_int_equal(value_of(v, MALI_AS_PRESENT), board[i].spaces);
        assert_int_equal(value_of(v, MALI_JS_PRESENT), 7);
        assert_int_equal(value_of(v, MALI_L2_PRESENT_LO), 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(job_header),
        cmocka_unit_test(payload_members),
        cmocka_unit_test(compute_payload),
        cmocka_unit_test(tiler_payload),
        cmocka_unit_test(shader_state),
        cmocka_unit_test(memory_descriptors),
        cmocka_unit_test(image_descriptors),
        cmocka_unit_test(page_tables),
        cmocka_unit_test(descriptors_are_printed),
        cmocka_unit_test(registers_and_fields),
        cmocka_unit_test(variants_by_name),
        cmocka_unit_test(operating_points),
        cmocka_unit_test(on_boards),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
