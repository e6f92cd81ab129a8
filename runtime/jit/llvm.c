/* Loading LLVM at run time. */
#include "runtime/jit/llvm.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

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

static void initialise_x86(const struct llvm *l)
{
    l->InitializeX86TargetInfo();
    l->InitializeX86Target();
    l->InitializeX86TargetMC();
    l->InitializeX86AsmPrinter();
    l->InitializeX86AsmParser();
    l->InitializeX86Disassembler();
    set_options(l);
}

bool llvm_load(struct llvm *l, struct error *err)
{
    bool ok = true;

    l->library = dlopen(LLVM_SONAME, RTLD_NOW | RTLD_LOCAL);
    if (!l->library)
        return error_set(err, "LLVM cannot be loaded: %s", dlerror());
#define F(name) ok = ok && find_function(l, "LLVM" #name, &l->name, err);
    JIT_LLVM_FUNCTIONS(F)
    JIT_LLVM_TARGET(F)
#undef F
    if (!ok)
        return false;
    pthread_mutex_lock(&one_at_a_time);
    if (!set_up)
        initialise_x86(l);
    set_up = true;
    pthread_mutex_unlock(&one_at_a_time);
    return true;
}
