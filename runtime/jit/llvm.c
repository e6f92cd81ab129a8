/* Loading LLVM at run time. */
#include "runtime/jit/llvm.h"

#include <dlfcn.h>
#include <pthread.h>
#include <llvm/Config/llvm-config.h>
#include <string.h>

#include "runtime/base/bits.h"

/* Looks up one function of the library; false with *err when it is missing. */
static bool find_function(const struct llvm *l, const char *name, void *member, struct error *err)
{
    void *at = dlsym(l->library, name);

    if (!at)
        return error_set(err, "%s has no %s", LLVM_SONAME, name);
    memcpy(member, &at, sizeof(at));
    return true;
}

/* Guards the set-up of the library, which is one per process. */
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
static bool set_up;

/* Turns off loop strength reduction, which optimises the many addresses on slow paths. */
static void set_options(const struct llvm *l)
{
    static const char *const options[] = {"gencc", "-disable-lsr"};

    l->ParseCommandLineOptions(2, options, "");
}

#define TEXT(name)     #name
#define NAME_BY(macro) TEXT(macro)

/* Initialises what the library has for the host that this program was compiled for. */
static bool initialise_host(const struct llvm *l, struct error *err)
{
    static const char *const names[] = {
        NAME_BY(LLVM_NATIVE_TARGETINFO), NAME_BY(LLVM_NATIVE_TARGET),
        NAME_BY(LLVM_NATIVE_TARGETMC),   NAME_BY(LLVM_NATIVE_ASMPRINTER),
        NAME_BY(LLVM_NATIVE_ASMPARSER),  NAME_BY(LLVM_NATIVE_DISASSEMBLER)};
    void (*initialise)(void) = NULL;

    for (size_t n = 0; n < ARRAY_SIZE(names); n++) {
        if (!find_function(l, names[n], &initialise, err))
            return false;
        initialise();
    }
    set_options(l);
    return true;
}

bool llvm_load(struct llvm *l, struct error *err)
{
    bool ok = true;

    l->library = dlopen(LLVM_SONAME, RTLD_NOW | RTLD_LOCAL);
    if (!l->library)
        return error_set(err, "LLVM cannot be loaded: %s", dlerror());
#define F(name) ok = ok && find_function(l, "LLVM" #name, &l->name, err);
    JIT_LLVM_FUNCTIONS(F)
#undef F
    if (!ok)
        return false;
    pthread_mutex_lock(&one_at_a_time);
    ok = set_up = set_up || initialise_host(l, err);
    pthread_mutex_unlock(&one_at_a_time);
    return ok;
}
