/*
 * gencc: compiles architecture descriptions into simulators.
 */
#include "programs/gencc/driver.h"
#include "gencc/emit/emit.h"
#include "gencc/asm/command.h"

#include <stdlib.h>
#include <string.h>

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary, *help;
} commands[] = {
    {"check", command_check, "check a description",
     "usage: gencc check [-Wno-NAME] [-Werror[=NAME]] FILE.ac\n\n"
     "Parses the description, builds its model, checks every behaviour, and assembles again what\n"
     "the asm lines write. Prints what is wrong with its place, and exits with 1 if there was an\n"
     "error.\n"
     "  -Wno-NAME        without this warning; -WNAME takes it back\n"
     "  -Werror          warnings fail as errors do; -Werror=NAME: those of that name\n"
     "  -Wno-error=NAME  not those of that name\n\nwarnings, all on by default:\n"},
    {"build", command_build, "write the C of a simulator",
     "usage: gencc build FILE.ac -o DIR [--isa NAME] [--parts N] [--include HEADER] [--jit] [-v]\n"
     "                   [--depfile FILE] [--target NAME] [--list]\n\n"
     "Writes the C of each ISA (or the one named) to DIR: decoder, disassembler, interpreter,\n"
     "state layout, tables.\n"
     "  --parts N         spread the handlers over N files (default 4)\n"
     "  --include HEADER  header that declares the description's external functions\n"
     "  --jit             translators to the host's code too (needs runtime/jit)\n"
     "  --depfile FILE    write there, as a rule for make or Ninja, which files were read\n"
     "  --target NAME     what depends on them (default: DIR)\n"
     "  -v                say how many handlers have a translator\n"
     "  --list            only print the names of the files, one a line\n"},
    {"dump", command_dump, "print a stage of the compiler",
     "usage: gencc dump --stage ast|model|ir|ir-raw|free [--isa NAME] [--only TEXT] FILE.ac\n\n"
     "  ast     the syntax tree, as parsed\n"
     "  model   registers, formats, instructions, the decision tree\n"
     "  ir      functions after optimisation; ir-raw before it\n"
     "  free    words that match no encoding, as pictures; where, features and decode() not asked\n"
     "  --only  only functions whose name contains TEXT\n"},
    {"explain", command_explain, "say what an instruction word is",
     "usage: gencc explain --isa NAME [--arch FILE.ac] [--context N] (WORD | --asm TEXT)\n\n"
     "Prints the word's bit picture, fields, assembly, and the text of its semantics with file\n"
     "and line. WORD is a number, 0x91000420 for instance, or the digits that disassembly prints,\n"
     "all of them: 91000420. TEXT is assembled at address 0: \"add x0, x1, #1\". N is the decode\n"
     "context (ac_context) that the word stands in, 0 if not given: 0x08 in T32 is an IT block's\n"
     "last word, for eq.\n"},
    {"new", command_new, "make a project of one's own",
     "usage: gencc new NAME\n\n"
     "Makes the folder NAME: the description of a small CPU, the tutorial's, a program for it, a\n"
     "test, and a CMakeLists.txt that builds them with an installed gencc.\n"},
    {"disasm", command_disasm, "disassemble raw words", NULL},
    {"asm", command_asm, "assemble text", NULL},
    {"doc", command_doc, "write the reference as web pages",
     "usage: gencc doc -o DIR FILE…\n\n"
     "Writes a folder of static pages, to be read from there or put online: instructions with "
     "their\n"
     "words, fields, assembly and behaviour; registers, maps, unused encodings; descriptors, "
     "GPUs,\n"
     "machines; with a search. FILE is an architecture, a file of layouts or of GPUs (.ac), or a\n"
     "compiled device tree (.dtb). DIR is made when it is not there.\n"},
    {"diff", command_diff, "say what changed between two descriptions",
     "usage: gencc diff OLD.ac NEW.ac\n\n"
     "Prints which encodings, behaviours, registers, maps and families were added, removed or\n"
     "changed, with the lines that differ; and which behaviours are as before but call one that\n"
     "changed. Of files of layouts and GPUs it compares descriptors, registers, enumerations and\n"
     "GPUs' properties. Comments and layout do not count. Exits with 0 when nothing changed, 1 "
     "when\n"
     "something did, 2 when they could not be compared.\n"},
    {"fmt", command_fmt, "lay out files of descriptions",
     "usage: gencc fmt [--check] FILE…\n\n"
     "Rewrites each file: indentation by braces, pictures of neighbouring instructions under each\n"
     "other, no blanks at the ends of lines. Nothing else changes.\n"
     "  --check  only print the names of files that would change, and exit with 1 if there are "
     "any\n"},
    {"lsp", command_lsp, "serve an editor",
     "usage: gencc lsp [--stdio]\n\n"
     "Speaks the Language Server Protocol on standard input and output: messages while one types,\n"
     "hover, definition, references, rename, completion, outline, layout.\n"
     "docs/describe/editors.md says how to set up an editor.\n"},
    {"prelude", command_prelude, "print the constants that every description has",
     "usage: gencc prelude\n\n"
     "Prints, as GenC, what descriptions and the runtime agree on: kinds of memory access and of\n"
     "faults, flags of pages, rings, devices of a CPU's port.\n"},
    {"constants", command_constants, "write the C of a file of constants",
     "usage: gencc constants FILE.genc -o FILE.h\n\n"
     "Writes a C header of the constants in the file: an enumeration a typename, with the comment\n"
     "that ends its line, and in it the constants of that type with theirs.\n"},
    {"layouts", command_layouts, "write the C of descriptors and registers",
     "usage: gencc layouts FILE.ac (-o DIR | --check)\n\n"
     "Writes NAME_layout.h and NAME_layout.c of the AC_LAYOUTS(NAME) in the file: structures,\n"
     "unpackers and printers of descriptors, enumerations, registers, constants.\n"
     "  --check  only report what is wrong\n"},
    {"variants", command_variants, "write the C of a family of GPUs",
     "usage: gencc variants --layouts FILE.ac [--arch ARCH.ac]… (-o DIR | --check) GPU.ac…\n\n"
     "Writes NAME_variants.c, the table of all GPUs (AC_GPU) of the files named last. FILE.ac\n"
     "holds AC_LAYOUTS(NAME), with the registers and versions that the GPUs speak of.\n"
     "  --arch ARCH.ac  the description of an ISA: its GPUs have features that it declares\n"
     "  --check  only report what is wrong\n"},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void print_usage(FILE *o)
{
    fputs(
        "usage: gencc COMMAND [options] …\n\ngencc compiles architecture descriptions (GenC) into "
        "simulators.\n\ncommands:\n",
        o);
    for (unsigned i = 0; i < COMMANDS; i++)
        fprintf(o, "  %-9s  %s\n", commands[i].name, commands[i].summary);
    fputs("\n`gencc COMMAND --help` says more. The language is in docs/describe/genc.md.\n", o);
}

static void print_help(const struct command *c)
{
    if (!strcmp(c->name, "disasm"))
        fputs(text_disasm_help, stdout);
    else
        fputs(!strcmp(c->name, "asm") ? text_asm_help : c->help, stdout);
    for (unsigned w = 0; w < WARN_COUNT && c->run == command_check; w++)
        printf("  %-15s  %s\n", warnings_known[w].name, warnings_known[w].meaning);
}

int main(int argc, char **argv)
{
    if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") ||
        !strcmp(argv[1], "help")) {
        print_usage(argc < 2 ? stderr : stdout);
        return argc < 2 ? 2 : 0;
    }
    if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-version")) {
        puts("gencc (gencc) " GENCC_VERSION);
        return 0;
    }
    for (unsigned i = 0; i < COMMANDS; i++) {
        if (strcmp(argv[1], commands[i].name))
            continue;
        for (int k = 2; k < argc; k++) {
            if (!strcmp(argv[k], "--help") || !strcmp(argv[k], "-h")) {
                print_help(&commands[i]);
                return 0;
            }
        }
        return commands[i].run(argc - 1, argv + 1);
    }
    fprintf(stderr, "gencc: there is no command '%s'; `gencc --help` lists them\n", argv[1]);
    return 2;
}
