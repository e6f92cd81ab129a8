/*
 * The host's processor, as LLVM names it.
 *
 * For AArch64, LLVM 14 reads /proc/cpuinfo, which under an emulator may be that of another machine,
 * and the processor's name brings features that the kernel may not allow. What programs may use,
 * the kernel tells each of them (HWCAP).
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/jit/llvm.h"

#if defined(__aarch64__)

#include <asm/hwcap.h>
#include <sys/auxv.h>

char *llvm_host_cpu(const struct llvm *l)
{
    (void)l;
    return xstrdup("generic");
}

char *llvm_host_features(const struct llvm *l)
{
    /* What code of shaders can have a use for; AdvSIMD is always there. */
    static const struct {
        unsigned long bit;
        const char *feature;
    } known[] = {{HWCAP_ASIMD, "+neon"},
                 {HWCAP_ATOMICS, ",+lse"},
                 {HWCAP_ASIMDRDM, ",+rdm"},
                 {HWCAP_ASIMDDP, ",+dotprod"}};
    unsigned long has = getauxval(AT_HWCAP);
    char features[64] = "";

    (void)l;
    for (size_t n = 0; n < ARRAY_SIZE(known); n++) {
        if (has & known[n].bit)
            strcat(features, known[n].feature);
    }
    return xstrdup(features);
}

#else

/* A text of LLVM as one of this program. */
static char *own_text(const struct llvm *l, char *text)
{
    char *own = xstrdup(text);

    l->DisposeMessage(text);
    return own;
}

char *llvm_host_cpu(const struct llvm *l)
{
    return own_text(l, l->GetHostCPUName());
}

char *llvm_host_features(const struct llvm *l)
{
    return own_text(l, l->GetHostCPUFeatures());
}

#endif
