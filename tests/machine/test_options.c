/* The command line: what is accepted, and one clear sentence for each mistake. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/machine/options.h"
#include "runtime/machine/seeds.h"
#include "runtime/time/clock.h"

#define MAX_ARGS 96

/* Parses a line of words; "~" stands for a space within a word. */
static enum options_result parse_line(struct options *o, const char *line, struct error *err)
{
    static char copy[1024];
    char *argv[MAX_ARGS] = {copy}, *save = NULL;
    int argc = 1;

    strcpy(copy, line);
    for (char *word = strtok_r(copy, " ", &save); word && argc < MAX_ARGS;
         word = strtok_r(NULL, " ", &save)) {
        for (char *c = word; *c; c++)
            *c = *c == '~' ? ' ' : *c;
        argv[argc++] = word;
    }
    *err = (struct error){""};
    return options_parse(o, "test", "test board", argv, err);
}

static void parse_ok(struct options *o, const char *line)
{
    struct error err;

    if (parse_line(o, line, &err) != OPTIONS_RUN)
        fail_msg("%s: %s", line, err.text);
}

static void test_defaults(void **state)
{
    struct options o;

    (void)state;
    parse_ok(&o, "");
    assert_int_equal(o.cpus, 1);
    assert_int_equal(o.memory, 1u << 30);
    assert_int_equal(o.ps_per_tick, 0);
    assert_int_equal(o.clock, CLOCK_AUTO);
    assert_true(o.limit_ns == CLOCK_NEVER);
    assert_false(o.host_random);
    options_free(&o);
}

/* -snapshot applies to drives before and after it; another program's board is refused. */
static void test_of_all(void **state)
{
    struct error err;
    struct options o;

    (void)state;
    parse_ok(&o, "-drive a -snapshot -drive b,format=raw");
    assert_true(o.drives.data[0].snapshot && o.drives.data[1].snapshot);
    assert_true(!o.drives.data[0].raw && o.drives.data[1].raw);
    options_free(&o);
    assert_int_equal(parse_line(&o, "-M other", &err), OPTIONS_WRONG);
    assert_non_null(strstr(err.text, "this program is the test"));
    options_free(&o);
    assert_int_equal(parse_line(&o, "-drive file=a,format=vmdk", &err), OPTIONS_WRONG);
    assert_non_null(strstr(err.text, "qemu-img convert"));
    options_free(&o);
}

/* Each -device has the backend that it names; an unnamed one is attached as if it had no ID. */
static void test_devices(void **state)
{
    static const uint8_t mac[6] = {0x52, 0x54, 0, 1, 2, 0xff};
    struct options o;

    (void)state;
    parse_ok(&o,
             "-device virtio-blk-device,drive=two,id=x -device virtio-9p,fsdev=f,mount_tag=t "
             "-device virtio-net-device,netdev=n,mac=52:54:00:01:02:FF -device virtio-rng-device "
             "-device virtio-gpu-device,xres=64,yres=4095,id=y -device virtio-gpu "
             "-drive file=a,id=one -drive if=none,file=b,id=two,snapshot=on "
             "-fsdev local,id=f,path=p,readonly=on,security_model=none "
             "-netdev user,id=m -netdev user,id=n,restrict=on -nic user,mac=52:54:00:01:02:ff");
    assert_int_equal(o.devices.len, 6);
    assert_int_equal(o.devices.data[0].kind, VIRTIO_DEVICE_BLK);
    assert_int_equal(o.devices.data[0].index, 1);
    assert_int_equal(o.devices.data[1].kind, VIRTIO_DEVICE_9P);
    assert_int_equal(o.devices.data[2].index, 1);
    assert_int_equal(o.devices.data[3].kind, VIRTIO_DEVICE_RNG);
    assert_int_equal(o.devices.data[4].kind, VIRTIO_DEVICE_GPU);
    assert_int_equal(o.devices.data[4].width, 64);
    assert_int_equal(o.devices.data[4].height, 4095);
    assert_int_equal(o.devices.data[5].width, 1024);
    assert_int_equal(o.devices.data[5].height, 768);
    assert_true(!o.drives.data[0].taken && o.drives.data[1].taken && o.drives.data[1].apart);
    assert_string_equal(o.folders.data[0].tag, "t");
    assert_true(o.folders.data[0].taken && o.folders.data[0].read_only);
    assert_true(!o.nets.data[0].taken && o.nets.data[1].taken && o.nets.data[1].restricted);
    assert_false(o.nets.data[0].has_mac);
    assert_true(o.nets.data[1].has_mac && o.nets.data[2].has_mac);
    assert_memory_equal(o.nets.data[1].mac, mac, sizeof(mac));
    assert_memory_equal(o.nets.data[2].mac, mac, sizeof(mac));
    options_free(&o);
}

static void test_values(void **state)
{
    struct options o;

    (void)state;
    parse_ok(&o,
             "-kernel K --initrd I -append console=ttyAMA0~quiet --dtb=D -smp 6 -m 2G "
             "-drive file=a,,b,format=raw,readonly=on -drive c,snapshot=on,if=virtio -drive "
             "if=sd,file=d "
             "-nic user,hostfwd=tcp::2222-:22,hostfwd=udp::1-:2 -netdev user,id=n0 -nic none "
             "-nic user,model=lan9118 -nic user,model=virtio-net "
             "-virtfs local,path=p,mount_tag=t,readonly=on,security_model=none "
             "-virtfs local,path=q,mount_tag=u,security_model=mapped-xattr,id=f "
             "-serial null -script S -icount shift=2 -rtc base=2026-11-20T12:00:00 -clock host "
             "-s -S -d int,mmu -D log -stats st -no-reboot -seed 7 -limit 5 -nographic "
             "-machine test "
             "-accel interp -no-kaslr -display vnc=:3 -screendump a@b.png -screendump c.png@1.5");
    assert_string_equal(o.vnc, ":3");
    assert_int_equal(o.screendumps.len, 2);
    assert_string_equal(o.screendumps.data[0].file, "a@b.png");
    assert_true(o.screendumps.data[0].when == CLOCK_NEVER);
    assert_string_equal(o.screendumps.data[1].file, "c.png");
    assert_true(o.screendumps.data[1].when == 1500000000);
    assert_string_equal(o.kernel, "K");
    assert_string_equal(o.initrd, "I");
    assert_string_equal(o.append, "console=ttyAMA0 quiet");
    assert_string_equal(o.dtb, "D");
    assert_int_equal(o.cpus, 6);
    assert_true(o.memory == UINT64_C(2) << 30);
    assert_int_equal(o.drives.len, 3);
    assert_string_equal(o.drives.data[0].file, "a,b");
    assert_true(o.drives.data[0].read_only);
    assert_string_equal(o.drives.data[1].file, "c");
    assert_true(o.drives.data[1].snapshot);
    assert_null(o.drives.data[1].socket);
    assert_string_equal(o.drives.data[2].socket, "sd");
    assert_int_equal(o.nets.len, 4);
    assert_null(o.nets.data[1].model);
    assert_string_equal(o.nets.data[2].model, "lan9118");
    assert_null(o.nets.data[3].model);
    assert_int_equal(o.nets.data[0].host_forward.len, 2);
    assert_string_equal(o.nets.data[0].host_forward.data[0], "tcp::2222-:22");
    assert_int_equal(o.folders.len, 2);
    assert_string_equal(o.folders.data[0].path, "p");
    assert_string_equal(o.folders.data[0].tag, "t");
    assert_int_equal(o.folders.data[0].model, NINEP_NONE);
    assert_true(o.folders.data[0].read_only);
    assert_int_equal(o.folders.data[1].model, NINEP_MAPPED_XATTR);
    assert_false(o.folders.data[1].read_only);
    assert_int_equal(o.serials.len, 2);
    assert_string_equal(o.serials.data[1], "script:S");
    assert_int_equal(o.ps_per_tick, 4000);
    assert_int_equal(o.start_time, 1795176000);
    assert_int_equal(o.clock, CLOCK_HOST);
    assert_string_equal(o.gdb, "tcp:127.0.0.1:1234");
    assert_true(o.wait_gdb && o.no_reboot && o.no_kaslr);
    assert_int_equal(o.seed, 7);
    assert_true(o.limit_ns == 5 * NS_PER_SEC);
    options_free(&o);
    parse_ok(&o,
             "-m 4096 -icount ps=250 -rtc base=@1000 -seed host -gdb tcp:0.0.0.0:99 -smp cpus=2");
    assert_true(o.memory == UINT64_C(4) << 30);
    assert_int_equal(o.ps_per_tick, 250);
    assert_int_equal(o.start_time, 1000);
    assert_true(o.host_random);
    assert_int_equal(o.cpus, 2);
    assert_string_equal(o.gdb, "tcp:0.0.0.0:99");
    options_free(&o);
}

static void test_mistakes(void **state)
{
    static const struct {
        const char *line, *message;
    } wrong[] = {
        {"-nonsense", "unknown option '-nonsense'"},
        {"file", "unexpected argument 'file'"},
        {"-", "unexpected argument"},
        {"--", "unexpected argument"},
        {"-kernel", "-kernel needs a value"},
        {"--nographic=1", "takes no value"},
        {"-smp 0", "from 1 to 8"},
        {"-smp 9", "from 1 to 8"},
        {"-smp six", "from 1 to 8"},
        {"-smp -1", "from 1 to 8"},
        {"-smp threads=2", "number of CPUs"},
        {"-m 1X", "-m takes a size"},
        {"-m 99999999999999999999G", "-m takes a size"},
        {"-m 18446744073709551615G", "-m takes a size"},
        {"-m 8M", "at least 16M"},
        {"-m 1048577K", "whole megabytes"},
        {"-drive format=raw", "needs file="},
        {"-drive file=a,format=vmdk", "format=raw"},
        {"-drive file=a,cache=none", "no 'cache'"},
        {"-drive file=a,readonly=maybe", "on"},
        {"-drive file=a,if=scsi", "if=virtio"},
        {"-drive file=a,if=none", "needs id=ID"},
        {"-drive file=a,if=none,id=b", "is on no device: -device virtio-blk-device,drive=b"},
        {"-fsdev local,path=p", "needs path=DIR and id=ID"},
        {"-fsdev local,path=p,id=f", "is on no device: -device virtio-9p-device,fsdev=f"},
        {"-fsdev local,path=p,id=f,mount_tag=t", "-fsdev has no 'mount_tag'"},
        {"-device virtio-blk-pci,drive=b", "no PCI; it has virtio-blk-device"},
        {"-device virtio-net-pci-non-transitional,netdev=b", "no PCI; it has virtio-net-device"},
        {"-device virtio-rng-mmio", "on this board it is virtio-rng-device"},
        {"-device virtio-serial-device", "knows no 'virtio-serial-device' (virtio-blk-device,"},
        {"-device drive=b", "begins with a device's name"},
        {"-device virtio-blk-device", "needs drive=ID, of a -drive"},
        {"-device virtio-blk-device,drive=b", "no -drive has id=b"},
        {"-device virtio-blk-device,netdev=b", "has no 'netdev' (drive, id)"},
        {"-device virtio-rng-device,max-bytes=1", "has no 'max-bytes' (id)"},
        {"-device virtio-9p-device,fsdev=f", "needs mount_tag="},
        {"-device virtio-gpu-pci", "no PCI; it has virtio-gpu-device"},
        {"-device virtio-gpu,max_outputs=2", "has no 'max_outputs' (xres, yres, id)"},
        {"-device virtio-gpu,xres=63", "-device virtio-gpu xres"},
        {"-device virtio-gpu,yres=4096", "-device virtio-gpu yres"},
        {"-device virtio-blk-device,drive=b -drive file=a,id=b", "needs if=none"},
        {"-device virtio-blk-device,drive=b -device virtio-blk-device,drive=b "
         "-drive file=a,if=none,id=b",
         "'b' has a device already"},
        {"-device virtio-net-device,netdev=n -nic user,id=n,model=lan9118", "plugged in already"},
        {"-drive file=a,id=b -drive file=a,id=b", "-drive: id=b is there twice"},
        {"-nic user,mac=1:2:3:4:5:6", "address such as"},
        {"-nic user,mac=53:54:00:12:34:56", "address of a group"},
        {"-serial stdio -serial mon:stdio", "-serial stdio: the terminal can be one"},
        {"-virtfs path=p", "needs path=DIR and mount_tag=TAG"},
        {"-virtfs proxy,path=p,mount_tag=t", "knows local"},
        {"-virtfs local,path=p,mount_tag=t,security_model=mapped-file",
         "security_model is none, passthrough or mapped-xattr, not 'mapped-file'"},
        {"-virtfs local,path=p,mount_tag=t,writeout=immediate", "no 'writeout'"},
        {"-nic tap", "knows 'user'"},
        {"-display sdl", "knows none"},
        {"-screendump @5", "FILE"},
        {"-screendump a@1.2.3", "SECONDS"},
        {"-nic user,what=1", "no 'what'"},
        {"-nic user,word", "needs a value"},
        {"-gdb 1234x", "tcp:"},
        {"-gdb tcp:host:", "tcp:"},
        {"-icount shift=99", "0 to 10"},
        {"-icount auto", "0 to 10"},
        {"-icount rate=1", "shift=N"},
        {"-icount ps=0", "1 to"},
        {"-rtc now", "base="},
        {"-rtc base=yesterday", "base="},
        {"-clock slow", "virtual or host"},
        {"-seed x", "-seed"},
        {"-limit 0", "-limit"},
        {"-accel kvm", "interp"},
        {"-S", "-S needs a debugger"},
        {"-m 15M", "at least 16M"},
        {"-m 17409K", "whole megabytes"},
        {"-smp cpus=", "from 1 to 8"},
        {"-icount shift=11", "0 to 10"},
        {"-icount ps=1000001", "1 to"},
        {"-icount shift=1,ps=2", "shift=N"},
        {"-icount shift=auto", "shift=N"},
        {"-icount rr=record", "rrfile=FILE"},
        {"-icount rrfile=F", "rrfile=FILE"},
        {"-icount rr=other,rrfile=F", "rrfile=FILE"},
        {"-limit 1000000001", "-limit"},
        {"-gpu G999", "-gpu knows no 'G999'"},
        {"-gpu-timing fast", "fast"},
        {"-gpu-clock 0", "a clock is MHZ or MHZ:MILLIVOLT"},
        {"-gpu-clock slow", "slow"},
        {"-gpu-power maybe", "-gpu-power is on or off, not maybe"},
        {"-gpu-snapshot-limit much", "-gpu-snapshot-limit"},
        {"-gdb tcp:host", "tcp:[HOST]:PORT"},
        {"-rtc base=@1,clock=vm", "base="},
        {"-screendump a@1000000001", "SECONDS"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct options o;
        struct error err;

        assert_int_equal(parse_line(&o, wrong[i].line, &err), OPTIONS_WRONG);
        if (!strstr(err.text, wrong[i].message))
            fail_msg("'%s' gave: %s", wrong[i].line, err.text);
        options_free(&o);
    }
}

/* The limits of ranges, and each value of the options that name one of a list. */
static void test_ends(void **state)
{
    static const struct {
        const char *line;
        enum clock_mode clock;
    } clocks[] = {{"-clock host -clock auto", CLOCK_AUTO},
                  {"-clock virtual", CLOCK_VIRTUAL},
                  {"-clock auto -clock host", CLOCK_HOST}};
    struct options o;

    (void)state;
    for (size_t n = 0; n < 3; n++) {
        parse_ok(&o, clocks[n].line);
        assert_int_equal(o.clock, clocks[n].clock);
        options_free(&o);
    }
    parse_ok(&o, "");
    assert_true(o.gpu_snapshot_bytes == UINT64_C(16) << 30);
    assert_int_equal(o.gpu_threads, 1);
    assert_int_equal(o.start_time, 1798761600);
    assert_int_equal(o.seed, 1);
    assert_true(!o.gpu && !o.no_gpu && !o.gpu_timed && !o.vnc && !o.gdb);
    options_free(&o);
    parse_ok(&o, "-smp 8 -m 16M -icount shift=0 -limit 1000000000 -seed 18446744073709551615 "
                 "-gpu-snapshot-limit 3M -screendump a@ -screendump @1@2 -screendump b@1000000000 "
                 "-screendump c@0.");
    assert_int_equal(o.cpus, 8);
    assert_int_equal(o.memory, 16 << 20);
    assert_int_equal(o.ps_per_tick, 1000);
    assert_true(o.limit_ns == UINT64_C(1000000000) * NS_PER_SEC);
    assert_true(o.seed == UINT64_MAX);
    assert_int_equal(o.gpu_snapshot_bytes, 3 << 20);
    assert_string_equal(o.screendumps.data[0].file, "a@");
    assert_true(o.screendumps.data[0].when == CLOCK_NEVER);
    assert_string_equal(o.screendumps.data[1].file, "@1");
    assert_true(o.screendumps.data[1].when == 2 * NS_PER_SEC);
    assert_true(o.screendumps.data[2].when == UINT64_C(1000000000) * NS_PER_SEC);
    assert_true(o.screendumps.data[3].when == 0);
    options_free(&o);
    parse_ok(&o, "-m size=17M -icount shift=10 -icount ps=1000000 -smp 1 -limit 1");
    assert_int_equal(o.memory, 17 << 20);
    assert_int_equal(o.ps_per_tick, 1000000);
    assert_true(o.limit_ns == NS_PER_SEC);
    options_free(&o);
    parse_ok(&o, "-icount shift=auto,rr=record,rrfile=F");
    assert_string_equal(o.record, "F");
    options_free(&o);
    parse_ok(&o, "-icount rr=replay,rrfile=F,ps=500");
    assert_string_equal(o.replay, "F");
    assert_int_equal(o.ps_per_tick, 500);
    options_free(&o);
    parse_ok(&o, "-icount 10");
    assert_int_equal(o.ps_per_tick, 1024000);
    options_free(&o);
}

/* The last of several values counts, also if it is "none". */
static void test_last_one_counts(void **state)
{
    struct options o;

    (void)state;
    parse_ok(&o, "-gpu none");
    assert_true(o.no_gpu && !o.gpu);
    options_free(&o);
    parse_ok(&o, "-gpu none -gpu G72 -gpu-timing detailed");
    assert_true(!o.no_gpu && o.gpu && o.gpu_timed);
    assert_int_equal(o.gpu_fidelity, TIMING_DETAILED);
    options_free(&o);
    parse_ok(&o, "-gpu-clock guest -gpu-clock 432:900 -gpu-power off -gpu-power on");
    assert_true(!o.gpu_guest_clock && o.gpu_power);
    assert_int_equal(o.gpu_clock.mhz, 432);
    assert_int_equal(o.gpu_clock.millivolt, 900);
    options_free(&o);
    parse_ok(&o, "-gpu-clock 432 -gpu-clock guest");
    assert_true(o.gpu_guest_clock && !o.gpu_clock.mhz && !o.gpu_power);
    options_free(&o);
    parse_ok(&o, "-gpu G72 -gpu none -gpu-timing reassemble -gpu-timing off");
    assert_true(o.no_gpu && !o.gpu && !o.gpu_timed);
    options_free(&o);
    parse_ok(&o, "-display vnc=:1 -display none -s -gdb :99 -serial mon:stdio -serial mon:null");
    assert_null(o.vnc);
    assert_string_equal(o.gdb, "tcp:127.0.0.1:99");
    assert_int_equal(o.serials.len, 2);
    assert_string_equal(o.serials.data[0], "stdio");
    assert_string_equal(o.serials.data[1], "null");
    options_free(&o);
    parse_ok(&o, "-display vnc=:1 -display vnc=h:2 -gdb host:7");
    assert_string_equal(o.vnc, "h:2");
    assert_string_equal(o.gdb, "tcp:host:7");
    options_free(&o);
}

/* Options that print something instead of a run. */
static void test_prints(void **state)
{
    static const struct {
        const char *line, *text;
    } rows[] = {
        {"-help", "test: simulates the test board."},
        {"-help", "    test -kernel FILE"},
        {"-h", "-gpu-snapshot-limit"},
        {"-version", "test (gencc)"},
        {"-M help", "test       test board"},
        {"-gpu help", "none       the board has none"},
        {"-gpu help", "G72"},
        {"-d help", "in_asm"},
        {"-device help", "virtio-blk-device"},
    };

    (void)state;
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        FILE *file = tmpfile();
        int old = dup(STDOUT_FILENO);
        static char said[20000];
        enum options_result result;
        struct options o;
        struct error err;

        fflush(stdout);
        dup2(fileno(file), STDOUT_FILENO);
        result = parse_line(&o, rows[n].line, &err);
        fflush(stdout);
        dup2(old, STDOUT_FILENO);
        close(old);
        rewind(file);
        said[fread(said, 1, sizeof(said) - 1, file)] = 0;
        fclose(file);
        options_free(&o);
        assert_int_equal(result, OPTIONS_DONE);
        if (!strstr(said, rows[n].text))
            fail_msg("%s printed: %s", rows[n].line, said);
    }
}

static void test_seeds(void **state)
{
    struct options o, p;
    uint8_t a[20], b[20];

    (void)state;
    parse_ok(&o, "-seed 1");
    parse_ok(&p, "-seed 2");
    assert_true(seed_bytes(&o, SEED_RNG, a, sizeof(a), NULL));
    assert_true(seed_bytes(&o, SEED_RNG, b, sizeof(b), NULL));
    assert_memory_equal(a, b, sizeof(a));
    assert_true(seed_bytes(&o, SEED_KASLR, b, sizeof(b), NULL));
    assert_memory_not_equal(a, b, sizeof(a));
    assert_true(seed_bytes(&p, SEED_RNG, b, sizeof(b), NULL));
    assert_memory_not_equal(a, b, sizeof(a));
    options_free(&o);
    options_free(&p);
    parse_ok(&o, "-seed host");
    assert_true(seed_bytes(&o, SEED_RNG, a, sizeof(a), NULL));
    assert_true(seed_bytes(&o, SEED_RNG, b, sizeof(b), NULL));
    assert_memory_not_equal(a, b, sizeof(a));
    options_free(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults), cmocka_unit_test(test_values),
        cmocka_unit_test(test_devices),  cmocka_unit_test(test_of_all),
        cmocka_unit_test(test_mistakes), cmocka_unit_test(test_seeds),
        cmocka_unit_test(test_ends),     cmocka_unit_test(test_last_one_counts),
        cmocka_unit_test(test_prints),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
