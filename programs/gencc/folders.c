/*
 * Finds the files that come with gencc: next to the installed program, or in the source tree.
 */
#include "programs/gencc/driver.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The folder NAME in share/gencc of the installation, or NULL. */
static const char *installed_folder(struct arena *a, const char *name)
{
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    char *slash;
    const char *path;

    if (n <= 0)
        return NULL;
    self[n] = '\0';
    slash = strrchr(self, '/');
    if (!slash)
        return NULL;
    *slash = '\0';
    path = arena_printf(a, "%s/../share/gencc/%s", self, name);
    return access(path, R_OK) ? NULL : path;
}

const char *folder_descriptions(struct arena *a)
{
    const char *named = getenv("GENCC_DESCRIPTIONS");
    const char *found = named ? named : installed_folder(a, "descriptions");

    return found ? found : GENCC_SOURCE "/descriptions";
}

const char *folder_project(struct arena *a)
{
    const char *found = installed_folder(a, "project");

    return found ? found : GENCC_SOURCE "/examples/project";
}
