/*
 * An assembled program as an ELF executable: one loadable segment, .text, and the symbols of the
 * source.
 */
#include "gencc/asm/program/program.h"
#include "gencc/disasm/text.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

enum { PAGE = 4096, TEXT_SECTION = 1 };

/* Section names, in the order of the section table. */
static const char section_names[] = "\0.text\0.symtab\0.strtab\0.shstrtab";
enum { NAME_TEXT = 1, NAME_SYMTAB = 7, NAME_STRTAB = 15, NAME_SHSTRTAB = 23 };

struct writer {
    const struct asm_program *p;
    Elf *elf;
    int class;
    char *names; /* names of symbols, one after the other */
    size_t names_size;
    unsigned char *symbols; /* array of symbols of the file's ELF class */
    unsigned count, locals;
};

/* Adds a section. Its content must stay allocated until the file is written. */
static Elf_Scn *add_section(struct writer *w, Elf_Type type, GElf_Shdr header, void *content,
                            size_t size)
{
    Elf_Scn *section = elf_newscn(w->elf);
    Elf_Data *data = section ? elf_newdata(section) : NULL;
    GElf_Shdr h;

    if (!data || !gelf_getshdr(section, &h))
        return NULL;
    data->d_buf = content;
    data->d_size = size;
    data->d_type = type;
    data->d_align = header.sh_addralign;
    data->d_version = EV_CURRENT;
    h.sh_name = header.sh_name;
    h.sh_type = header.sh_type;
    h.sh_flags = header.sh_flags;
    h.sh_addr = header.sh_addr;
    h.sh_link = header.sh_link;
    h.sh_info = header.sh_info;
    h.sh_offset = header.sh_offset;
    h.sh_size = size;
    h.sh_entsize = header.sh_entsize;
    h.sh_addralign = header.sh_addralign;
    return gelf_update_shdr(section, &h) ? section : NULL;
}

static size_t symbol_size(const struct writer *w)
{
    return w->class == ELFCLASS64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
}

static void put_symbol(struct writer *w, const struct asm_symbol *s)
{
    unsigned char info = ELF64_ST_INFO(s->is_global ? STB_GLOBAL : STB_LOCAL, STT_NOTYPE);
    unsigned short section = s->is_label ? TEXT_SECTION : SHN_ABS;
    void *at = w->symbols + symbol_size(w) * ++w->count;

    if (w->class == ELFCLASS64)
        *(Elf64_Sym *)at = (Elf64_Sym){.st_name = (Elf64_Word)w->names_size,
                                       .st_info = info,
                                       .st_shndx = section,
                                       .st_value = (Elf64_Addr)s->value};
    else
        *(Elf32_Sym *)at = (Elf32_Sym){.st_name = (Elf32_Word)w->names_size,
                                       .st_info = info,
                                       .st_shndx = section,
                                       .st_value = (Elf32_Addr)s->value};
    memcpy(w->names + w->names_size, s->name, s->length);
    w->names_size += s->length + 1;
}

/* Local symbols come first, as ELF requires; labels such as `1:` are omitted. */
static void put_symbols(struct writer *w)
{
    size_t room = 1;

    vec_for_each (&w->p->symbols, s)
        room += s->length + 1;
    w->names = arena_alloc(w->p->arena, room);
    w->symbols = arena_alloc(w->p->arena, symbol_size(w) * (w->p->symbols.len + 1));
    w->names_size = 1;
    for (int global = 0; global < 2; global++) {
        vec_for_each (&w->p->symbols, s)
            if (s->is_global == (global == 1) && (*s->name < '0' || *s->name > '9'))
                put_symbol(w, s);
        if (!global)
            w->locals = w->count + 1;
    }
}

static uint64_t entry_of(const struct asm_program *p)
{
    vec_for_each (&p->symbols, s)
        if (s->length == 6 && !memcmp(s->name, "_start", 6))
            return (uint64_t)s->value;
    return p->base;
}

static bool write_headers(struct writer *w)
{
    const struct asm_program *p = w->p;
    const struct ast_isa *ast = p->text->isa->ast;
    GElf_Phdr segment = {.p_type = PT_LOAD,
                         .p_offset = PAGE + p->base % PAGE,
                         .p_vaddr = p->base,
                         .p_paddr = p->base,
                         .p_filesz = p->size,
                         .p_memsz = p->size,
                         .p_flags = PF_R | PF_W | PF_X,
                         .p_align = PAGE};
    GElf_Ehdr h;

    if (!gelf_newehdr(w->elf, w->class) || !gelf_newphdr(w->elf, 1) || !gelf_getehdr(w->elf, &h))
        return false;
    h.e_ident[EI_DATA] = p->text->isa->model->big_endian ? ELFDATA2MSB : ELFDATA2LSB;
    h.e_type = ET_EXEC;
    h.e_machine = (GElf_Half)(ast ? ast->elf_machine : 0);
    h.e_flags = ast ? ast->elf_flags : 0;
    h.e_version = EV_CURRENT;
    h.e_entry = entry_of(p);
    h.e_shstrndx = 4;
    h.e_phoff = w->class == ELFCLASS64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
    return gelf_update_ehdr(w->elf, &h) && gelf_update_phdr(w->elf, 0, &segment);
}

/* The layout is set here, not by libelf, so that the segment has the same layout in file and
 * memory. */
static bool write_sections(struct writer *w)
{
    uint64_t at = PAGE + w->p->base % PAGE;
    GElf_Shdr text = {.sh_name = NAME_TEXT,
                      .sh_type = SHT_PROGBITS,
                      .sh_flags = SHF_ALLOC | SHF_EXECINSTR | SHF_WRITE,
                      .sh_addr = w->p->base,
                      .sh_offset = at,
                      .sh_addralign = 1};
    GElf_Shdr symbols = {.sh_name = NAME_SYMTAB,
                         .sh_type = SHT_SYMTAB,
                         .sh_link = 3,
                         .sh_info = w->locals,
                         .sh_entsize = symbol_size(w),
                         .sh_addralign = 8};
    GElf_Shdr strings = {.sh_name = NAME_STRTAB, .sh_type = SHT_STRTAB, .sh_addralign = 1};
    GElf_Shdr names = {.sh_name = NAME_SHSTRTAB, .sh_type = SHT_STRTAB, .sh_addralign = 1};
    size_t size = symbol_size(w) * (w->count + 1);
    GElf_Ehdr h;

    symbols.sh_offset = (at + w->p->size + 7) & ~(uint64_t)7;
    strings.sh_offset = symbols.sh_offset + size;
    names.sh_offset = strings.sh_offset + w->names_size;
    if (!gelf_getehdr(w->elf, &h))
        return false;
    h.e_shoff = (names.sh_offset + sizeof(section_names) + 7) & ~(uint64_t)7;
    return gelf_update_ehdr(w->elf, &h) &&
           add_section(w, ELF_T_BYTE, text, w->p->image, w->p->size) &&
           add_section(w, ELF_T_SYM, symbols, w->symbols, size) &&
           add_section(w, ELF_T_BYTE, strings, w->names, w->names_size) &&
           add_section(w, ELF_T_BYTE, names, (void *)(uintptr_t)section_names,
                       sizeof(section_names));
}

bool asm_write_elf(const struct asm_program *p, const char *path)
{
    const struct ast_isa *ast = p->text->isa->ast;
    unsigned bits = ast && ast->elf_bits ? ast->elf_bits : p->text->isa->model->word_bits;
    struct writer w = {.p = p, .class = bits == 64 ? ELFCLASS64 : ELFCLASS32};
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0777);
    bool ok = false;

    if (fd < 0) {
        fprintf(p->messages, "gencc: cannot write '%s': %s\n", path, strerror(errno));
        return false;
    }
    if (elf_version(EV_CURRENT) != EV_NONE && (w.elf = elf_begin(fd, ELF_C_WRITE, NULL))) {
        put_symbols(&w);
        elf_flagelf(w.elf, ELF_C_SET, ELF_F_LAYOUT);
        ok = write_headers(&w) && write_sections(&w) && elf_update(w.elf, ELF_C_WRITE) >= 0;
    }
    if (!ok)
        fprintf(p->messages, "gencc: cannot write '%s': %s\n", path, elf_errmsg(-1));
    if (w.elf)
        elf_end(w.elf);
    if (close(fd) && ok) {
        fprintf(p->messages, "gencc: cannot write '%s': %s\n", path, strerror(errno));
        ok = false;
    }
    return ok;
}
