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
     "Parses the description, builds its model, checks every behaviour, and checks that the text\n"
     "of asm lines assembles to the same words. Prints errors and warnings with their places;\n"
     "exits with 1 if there were errors, with 2 if a file cannot be read.\n"
     "  -Wno-NAME        switch a warning off; -WNAME: switch it on\n"
     "  -Werror          treat all warnings as errors; -Werror=NAME: only this one\n"
     "  -Wno-error=NAME  do not treat this warning as an error\n\nwarnings, on by default except "
     "slow:\n"},
    {"build", command_build, "write the C of a simulator",
     "usage: gencc build FILE.ac -o DIR [--isa NAME] [--parts N] [--include HEADER] [--jit] [-v]\n"
     "                   [--depfile FILE] [--target NAME] [--list]\n\n"
     "Writes the C of each ISA (or the one named) to DIR: decoder, disassembler, interpreter,\n"
     "state layout, tables.\n"
     "  --parts N         spread the handlers over N files (default 4)\n"
     "  --include HEADER  header that declares the description's external functions\n"
     "  --jit             also write translators to host code (needs runtime/jit)\n"
     "  --depfile FILE    write a rule for make or Ninja with the files that were read\n"
     "  --target NAME     target of that rule (default: DIR)\n"
     "  -v                print how many handlers have a translator\n"
     "  --list            only print the names of the files to write, one per line\n"},
    {"abi", command_abi, "write the C of Linux's interface to programs",
     "usage: gencc abi FILE.ac -o FILE.c [--depfile FILE] [--target NAME]\n\n"
     "Writes the table of system calls, registers, signal frames and numbers that the description\n"
     "names with ac_abi(), for a program of user mode (add_user() of CMake).\n"
     "  --depfile FILE  write a rule for make or Ninja with the files that were read\n"
     "  --target NAME   target of that rule (default: the C file)\n"},
    {"dump", command_dump, "print a stage of the compiler",
     "usage: gencc dump --stage ast|model|ir|ir-raw|free [--isa NAME] [--only TEXT] FILE.ac\n\n"
     "  ast     the syntax tree, as parsed\n"
     "  model   registers, formats, instructions, the decision tree\n"
     "  ir      functions after optimisation; ir-raw before it\n"
     "  free    words that match no encoding, as pictures; ignores where, features and decode()\n"
     "  --only  only functions whose name contains TEXT\n"},
    {"explain", command_explain, "describe an instruction word",
     "usage: gencc explain --isa NAME [--arch FILE.ac] [--context N] (WORD | --asm TEXT)\n\n"
     "Prints the word's bit picture, fields, assembly and behaviour, with the behaviour's file "
     "and\n"
     "line. WORD is a number, such as 0x91000420, or all digits that the disassembler prints:\n"
     "91000420. TEXT is assembled at address 0: \"add x0, x1, #1\". N is the decode context\n"
     "(ac_context) of the word, 0 by default; in T32, 0x08 is the last word of an IT block for\n"
     "eq.\n"},
    {"test", command_test, "compare random programs with another simulator",
     "usage: gencc test FILE.ac (--referee COMMAND | --output DIR) [options]\n\n"
     "Makes random programs of every form of the description, with corner values. Executes them\n"
     "by the description's evaluator, and by each COMMAND, which runs a Linux program of the\n"
     "architecture: another emulator, our own simulator, or a board. Prints what differs, shrunk\n"
     "to the shortest program. Exits with 0 if all agree, with 1 if something differs, with 2 if\n"
     "it could not be run. The description needs ac_abi.\n\n"
     "  --referee COMMAND  for example \"qemu-mipsel\" or \"build/bin/mipsel-user\"; may be\n"
     "                     repeated; the path of the program is appended\n"
     "  --isa NAME         the ISA to test; default: the first\n"
     "  --count N          instructions to execute (default 20000)\n"
     "  --seconds N        stop after so long\n"
     "  --seed N           the seed that a run printed, to repeat it\n"
     "  --length N         instructions of a program at most, up to 16 (default 6)\n"
     "  --failures N       stop after so many differences (default 1)\n"
     "  --only PATTERNS    only forms or instructions of these names (*, ? and commas)\n"
     "  --skip PATTERN     leave these out; may be repeated\n"
     "  --left-out FILE    rules of what is left out, each with its reason; may be repeated\n"
     "  --undefined N      one word in N is a neighbour of a valid one, often undefined\n"
     "  --set FEATURE=N    as set_feature() of the description\n"
     "  --output DIR       write each program as an ELF file with the result that is expected\n"
     "  --show             print each program\n"
     "  --list             list all forms that were not executed, not only 20\n"},
    {"new", command_new, "make a project for a new CPU",
     "usage: gencc new NAME\n\n"
     "Makes the folder NAME with the description of the tutorial's small CPU, a program for it, a\n"
     "test, and a CMakeLists.txt that builds them with an installed gencc.\n"},
    {"disasm", command_disasm, "disassemble raw words", NULL},
    {"asm", command_asm, "assemble text", NULL},
    {"doc", command_doc, "write the reference as web pages",
     "usage: gencc doc -o DIR FILE…\n\n"
     "Writes static pages with a search: instructions with their words, fields, assembly and\n"
     "behaviour; registers, maps, unused encodings; descriptors, GPUs, machines. FILE is an\n"
     "architecture, a file of layouts or of GPUs (.ac), or a compiled device tree (.dtb). DIR is\n"
     "made if it does not exist.\n"},
    {"diff", command_diff, "print the differences of two descriptions",
     "usage: gencc diff OLD.ac NEW.ac\n\n"
     "Prints which encodings, behaviours, registers, maps and families were added, removed or\n"
     "changed, with the lines that differ, and which unchanged behaviours call a changed one. For\n"
     "files of layouts and GPUs it compares descriptors, registers, enumerations and properties "
     "of\n"
     "GPUs. Comments and layout are ignored. Exits with 0 if nothing changed, with 1 if something\n"
     "changed, with 2 if the descriptions could not be compared.\n"},
    {"export", command_export, "write a description for other programs",
     "usage: gencc export FORMAT [-o FILE] [--isa NAME] [--width N] FILE.ac [INSN]…\n\n"
     "Writes the instructions INSN of an ISA, or all, for another program. FORMAT is one of:\n"
     "  smt-lib     SMT-LIB 2: the state after each instruction, in terms of that before it\n"
     "  decodetree  patterns for QEMU's scripts/decodetree.py\n"
     "  sleigh      a specification for Ghidra; with -o FILE.slaspec also .ldefs, .pspec, .cspec\n"
     "  --width N   words of N bits, where the ISA has words of several widths (decodetree)\n"
     "Instructions that the format cannot express are listed on standard error, with the reason.\n"
     "docs/describe/export.md says what can be done with the files.\n"},
    {"fmt", command_fmt, "lay out files of descriptions",
     "usage: gencc fmt [--check] FILE…\n\n"
     "Rewrites each file: indents by braces, aligns the pictures of neighbouring instructions,\n"
     "removes blanks at the ends of lines. Nothing else changes.\n"
     "  --check  only print the names of files that would change; exit with 1 if there are any\n"},
    {"lsp", command_lsp, "serve an editor",
     "usage: gencc lsp [--stdio]\n\n"
     "Serves the Language Server Protocol on standard input and output: errors while typing,\n"
     "hover, definition, references, rename, completion, outline, formatting.\n"
     "docs/describe/editors.md says how to set up an editor.\n"},
    {"prelude", command_prelude, "print the constants that every description has",
     "usage: gencc prelude\n\n"
     "Prints, as GenC, the constants on which descriptions and the runtime agree: kinds of memory\n"
     "access and of faults, flags of pages, rings, devices of a CPU's port, places of operands.\n"},
    {"constants", command_constants, "write the C of a file of constants",
     "usage: gencc constants FILE.genc -o FILE.h\n\n"
     "Writes a C header with one enumeration per typename of the file and the constants of that\n"
     "type in it, each with the comment at the end of its line.\n"},
    {"layouts", command_layouts, "write the C of descriptors and registers",
     "usage: gencc layouts FILE.ac (-o DIR | --check)\n\n"
     "Writes NAME_layout.h and NAME_layout.c of the AC_LAYOUTS(NAME) in the file: structures,\n"
     "unpackers and printers of descriptors, enumerations, registers, constants.\n"
     "  --check  only check and report errors\n"},
    {"variants", command_variants, "write the C of a family of GPUs",
     "usage: gencc variants --layouts FILE.ac [--arch ARCH.ac]… (-o DIR | --check) GPU.ac…\n\n"
     "Writes NAME_variants.c, the table of all GPUs (AC_GPU) in the files GPU.ac. FILE.ac "
     "contains\n"
     "AC_LAYOUTS(NAME), with the registers and versions to which the GPUs refer.\n"
     "  --arch ARCH.ac  the description of a GPU's ISA, to check that it declares the GPU's "
     "features\n"
     "  --check         only check and report errors\n"},
};
enum { COMMANDS = sizeof(commands) / sizeof(*commands) };

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
