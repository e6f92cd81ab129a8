/* ---- ISA files ------------------------------------------------------------------------------- */

/* Rules of GenC's grammar that the build inserts into genc.y. */

isa_blocks: isa_block | isa_blocks isa_block;

isa_block: AC_ISA_BLOCK '(' id ')' '{' { isa_begin(p, &$3); } isa_items isa_end opt_semicolon;

isa_end: '}' | error '}';

isa_items: %empty | isa_items isa_item;

isa_item:
    AC_FETCHSIZE uint ';'               { isa_fetch_size(p, @2, $2); }
  | INCLUDE '(' STRING ')' ';'          { isa_include(p, &$3); }
  | AC_PREDICATED STRING ';'            { isa_predicated(p, &$2); }
  | AC_PREDICATED call ';'              { isa_predicate(p, $2, NULL); }
  | AC_PREDICATED call BITS constraint_list ';' { $4->pos = @3; isa_predicate(p, $2, $4); }
  | AC_FIELD '<' type '>' id opt_rhs ';' {
                                            struct ast_field f = {@5, $3, $5.text, $6};

                                            vec_push_in(p->a, &p->build->isa->fields, f);
                                        }
  | AC_PICTURE id STRING ';'            { picture_define(p, &$2, &$3); }
  | attributes AC_FORMAT id '=' STRING  { format_begin(p, &$3, &$5); } format_tail
                                        { format_end(p); }
  | attributes AC_FORMAT id STRING      {
                                            p->build->isa->extended = true;
                                            format_begin(p, &$3, &$4);
                                        }
    format_tail                         { format_end(p); }
  | AC_INSTR '<' id '>' id              { p->format_name = $3; instr_declare(p, &$5, &$3); }
    instr_tail
  | AC_INSTR id STRING                  { instr_block_begin(p, &$2, NULL, &$3); }
    block_or_semicolon                  { instr_block_end(p); }
  | AC_BEHAVIOUR behaviour_names ';'
  | AC_ASM_MAP id '{' map_rows block_end opt_semicolon {
                                            $4->pos = @2;
                                            $4->name = $2.text;
                                            vec_push_in(p->a, &p->build->isa->maps, *$4);
                                        }
  | AC_FAMILY family_head '{' family_rows block_end opt_semicolon {
                                            vec_take(&$2->rows, &$4->rows);
                                            vec_push_in(p->a, &p->build->isa->families, *$2);
                                        }
  | AC_TICKS '{' tick_rows block_end opt_semicolon
  | AC_WIDTHS id                        { isa_unit_order(p, &$2); }
    '{' width_rows block_end opt_semicolon
  | AC_CONTEXT id '(' id ')' ';'        { isa_context(p, &$2, &$4); }
  | AC_OVERLAP id '{' family_names '}' opt_semicolon {
                                            struct ast_overlap group = {@2, $2.text, {0}};

                                            vec_take(&group.members, &$4->v);
                                            vec_push_in(p->a, &p->build->isa->overlaps, group);
                                        }
  | STRUCT type_id '{' record '}' ';'   {
                                            $4->pos = @2;
                                            $4->name = $2.text;
                                            vec_push_in(p->a, &p->build->isa->structs, *$4);
                                        }
  | WITH family_names ';'               {
                                            vec_for_each (&$2->v, name)
                                                vec_push_in(p->a, &p->build->isa->with, *name);
                                        }
  | bundle_isa_item
  | ISA_CTOR ctor_of_isa '{' ctor_items block_end opt_semicolon
  | error ';' { yyerrok; }
  ;

attributes:
    %empty
  | attributes '@' id   { isa_attribute(p, &$3); }
  ;

format_tail: ';' | '{' format_fields block_end opt_semicolon;

format_fields: %empty | format_fields format_line | format_fields error ';' { yyerrok; };

format_line:
    field_line
  | asm_line
  | WHERE ternary ';'           { vec_push_in(p->a, &p->format->where, $2); }
  | NEXT_CONTEXT ternary ';'    { instr_next_context(p, &$1, $2); }
  ;

field_line: FIELD type id '=' rhs ';'   { instr_field(p, $2, &$3, $5); };

asm_line: ASM STRING asm_args opt_if ';'    { instr_asm(p, &$2, $3, $4, false); };

instr_tail:
    instr_names ';'
  | '{'                 { instr_block_begin(p, NULL, &p->format_name, NULL); }
    instr_lines block_end { instr_block_end(p); }
    opt_semicolon
  ;

instr_names: %empty | instr_names ',' id    { instr_declare(p, &$3, &p->format_name); };

block_or_semicolon: ';' | '{' instr_lines block_end opt_semicolon;

block_end: '}' | error '}';

instr_lines: %empty | instr_lines instr_line | instr_lines error ';' { yyerrok; };

instr_line:
    field_line
  | asm_line
  | WHERE ternary ';'           { vec_push_in(p->a, &p->instr->where, $2); }
  | REQUIRES requirements ';'
  | WITH family_names ';'       {
                                    vec_for_each (&$2->v, name)
                                        vec_push_in(p->a, &p->instr->families, *name);
                                }
  | BITS constraint_list ';'    { $2->pos = @1; vec_push_in(p->a, &p->instr->decoders, *$2); }
  | BEHAVIOUR id ';'            { instr_behaviour(p, @1, &$2); }
  | CLASS id ';'                {
                                    check_once(p, @1, p->instr->klass);
                                    p->instr->klass = $2.text;
                                    p->instr->klass_pos = @2;
                                }
  | TICKS uint ';'              {
                                    check_once(p, @1, p->instr->ticks.pos.file);
                                    p->instr->ticks = (struct ast_ticks){@1, NULL, $2};
                                }
  | NEXT_CONTEXT ternary ';'    { instr_next_context(p, &$1, $2); }
  | END_OF_BLOCK ';'            { p->instr->end_of_block = true; }
  | READS_PC ';'                { p->instr->has_reads_pc = true; }
  | BLOCK_COND ';'              { p->instr->block_cond = true; }
  | instr_property ';'
  ;

family_names:
    id                  {
                            struct ast_param name = {@1, NULL, $1.text};

                            $$ = NEW(param_list);
                            ADD($$, name);
                        }
  | family_names ',' id {
                            struct ast_param name = {@3, NULL, $3.text};

                            $$ = $1;
                            ADD($$, name);
                        }
  ;

requirements:
    requirement
  | requirements ',' requirement
  ;

requirement: id         {
                            struct ast_param f = {@1, NULL, $1.text};

                            vec_push_in(p->a, &p->instr->features, f);
                        };

opt_if:
    %empty              { $$ = NULL; }
  | IF '(' ternary ')'  { $$ = $3; }
  ;

behaviour_names: behaviour_name | behaviour_names ',' behaviour_name;

behaviour_name: id      {
                            struct ast_param b = {@1, NULL, $1.text};

                            vec_push_in(p->a, &p->build->isa->behaviours, b);
                        };

map_rows:
    %empty              { $$ = NEW(ast_map); }
  | map_rows map_row ';' { $$ = $1; vec_push_in(p->a, &$$->rows, *$2); }
  | map_rows error ';' { $$ = $1; yyerrok; }
  ;

map_row:
    map_texts '=' key_list  { $$ = $1; vec_take(&$$->keys, &$3->v);
                              $$->key_from = p->key_from; $$->key_to = p->key_to; }
  ;

map_texts:
    STRING              {
                            $$ = NEW(ast_map_row);
                            $$->pos = @1;
                            vec_push_in(p->a, &$$->texts, string_value(p, &$1));
                        }
  | map_texts ',' STRING { $$ = $1; vec_push_in(p->a, &$$->texts, string_value(p, &$3)); }
  | STRING '[' opt_sign INT DOTDOT opt_sign INT ']' opt_suffix {
                            $$ = NEW(ast_map_row);
                            $$->pos = @1;
                            $$->is_range = true;
                            $$->text_from = signed_number(p, $3, &$4);
                            $$->text_to = signed_number(p, $6, &$7);
                            $$->suffix = $9.text ? string_value(p, &$9) : "";
                            vec_push_in(p->a, &$$->texts, string_value(p, &$1));
                        }
  ;

opt_suffix:
    %empty              { $$ = (struct token){0}; }
  | STRING
  ;

opt_sign:
    %empty              { $$ = 0; }
  | '-'                 { $$ = 1; }
  ;

/* A range is a NULL in the list. */
key_list:
    add                 { $$ = NEW(expr_list); ADD($$, $1); }
  | key_range           { $$ = NEW(expr_list); ADD($$, NULL); }
  | key_list ',' add    { $$ = $1; ADD($$, $3); }
  | key_list ',' key_range  { $$ = $1; ADD($$, NULL); }
  ;

key_range: '[' opt_sign INT DOTDOT opt_sign INT ']' {
                            p->key_from = signed_number(p, $2, &$3);
                            p->key_to = signed_number(p, $5, &$6);
                        };

tick_rows:
    %empty
  | tick_rows id '=' uint ';' {
                            struct ast_ticks t = {@2, $2.text, $4};

                            vec_push_in(p->a, &p->build->isa->ticks, t);
                        }
  | tick_rows error ';' { yyerrok; }
  ;

width_rows:
    %empty
  | width_rows uint ':' STRING ';'  { isa_width(p, @2, $2, &$4); }
  | width_rows error ';' { yyerrok; }
  ;

family_head: id '(' family_fields ')' opt_tparams {
                            $$ = p->family;
                            $$->pos = @1;
                            $$->name = $1.text;
                            p->family = NULL;
                            vec_take(&$$->tparams, &$5->v);
                        };

family_fields: family_field | family_fields ',' family_field;

family_field: id        {
                            if (!p->family)
                                p->family = NEW(ast_family);
                            vec_push_in(p->a, &p->family->fields, $1.text);
                        };

family_rows:
    %empty              { $$ = NEW(ast_family); }
  | family_rows arg_list ':' targ_list ';' {
                            struct ast_family_row r = {.pos = @2};

                            $$ = $1;
                            vec_take(&r.keys, &$2->v);
                            vec_take(&r.values, &$4->v);
                            vec_push_in(p->a, &$$->rows, r);
                        }
  | family_rows error ';' { $$ = $1; yyerrok; }
  ;

record: struct_members  { $$ = NEW(ast_struct); vec_take(&$$->members, &$1->v); };

struct_members:
    %empty              { $$ = NEW(param_list); }
  | struct_members type id ';'  { $$ = $1; ADD($$, ((struct ast_param){@3, $2, $3.text})); }
  | struct_members id id ';'    {
                            struct ast_type *t = node_type(p, AST_TYPE_NAMED, @2, $2.text, NULL);

                            $$ = $1;
                            ADD($$, ((struct ast_param){@3, t, $3.text}));
                        }
  ;

ctor_of_isa: '(' id ')'       { check_ctor(p, "ISA_CTOR", &$2, p->isa_name); };

ctor_items:
    %empty
  | ctor_items ctor_item ';'
  | ctor_items pseudo
  | ctor_items error ';'        { yyerrok; }
  ;

ctor_item:
    AC_FILE '(' STRING ')'                          { isa_behaviour_file(p, &$3); }
  | AC_MODIFIERS '(' STRING ')'                     { diag_warning(p->d, WARN_IGNORED, @1,
                                                          "ac_modifiers has no effect"); }
  | ASSEMBLER '.' SET_COMMENT '(' STRING ')'        { p->build->isa->comment =
                                                          string_value(p, &$5); }
  | ASSEMBLER '.' SET_LINE_COMMENT '(' STRING ')'   { p->build->isa->line_comment =
                                                          string_value(p, &$5); }
  | ASSEMBLER '.' SET_ELF '(' uint ',' uint ',' ternary ')'
                                                    { isa_elf(p, @5, $5, $7, literal_uint(p, $9, UINT32_MAX)); }
  | id '.'                                          { instr_select(p, &$1); }
    instr_property
  ;

pseudo: PSEUDO_INSTR '(' STRING ')' '{' pseudo_lines '}' {
                            report_unsupported(p, @1, "pseudo_instr", "another way to write an "
                                               "instruction is one more set_asm() of it");
                        };

pseudo_lines: %empty | pseudo_lines STRING ';';

instr_property:
    SET_DECODER '(' constraints ')'     {
                                            $3->pos = @1;
                                            vec_push_in(p->a, &p->instr->decoders, *$3);
                                        }
  | SET_ASM '(' STRING asm_args ')'     { instr_asm(p, &$3, $4, NULL, true); }
  | SET_BEHAVIOUR '(' id ')'            { instr_behaviour(p, @1, &$3); }
  | SET_END_OF_BLOCK '(' constraints ')' { instr_end_of_block(p, $3); }
  | SET_READS_PC '(' constraints ')'    { p->instr->has_reads_pc = true; p->instr->reads_pc = *$3; }
  | SET_BLOCK_COND '(' ')'              { p->instr->block_cond = true; }
  | SET_HAS_LIMM '(' uint ')'           { instr_long_immediate(p, @1, $3); }
  | SET_VARIABLE_JUMP '(' ')'           { instr_jump(p, AST_JUMP_VARIABLE, NULL, false, NULL); }
  | SET_FIXED_JUMP '(' id ',' jump_type ')'
                                        { instr_jump(p, AST_JUMP_FIXED, &$3, $5, NULL); }
  | SET_FIXED_JUMP '(' id ',' jump_type ',' ternary ')'
                                        { instr_jump(p, AST_JUMP_FIXED, &$3, $5, $7); }
  | SET_PREDICATED_JUMP '(' id ',' jump_type ')'
                                        { instr_jump(p, AST_JUMP_PREDICATED, &$3, $5, NULL); }
  | SET_PREDICATED_JUMP '(' id ',' jump_type ',' ternary ')'
                                        { instr_jump(p, AST_JUMP_PREDICATED, &$3, $5, $7); }
  ;

jump_type:
    FIXED               { $$ = false; }
  | RELATIVE            { $$ = true; }
  ;

cmp:
    '='                 { $$ = AST_CMP_EQ; }
  | NE                  { $$ = AST_CMP_NE; }
  | '&'                 { $$ = AST_CMP_AND; }
  | '^'                 { $$ = AST_CMP_XOR; }
  ;

constraint: id cmp ternary  { $$ = (struct ast_constraint){@1, $1.text, $2, $3}; };

constraints:
    %empty              { $$ = NEW(ast_decoder); }
  | constraint_list
  ;

constraint_list:
    constraint                      { $$ = NEW(ast_decoder); vec_push_in(p->a, &$$->all, $1); }
  | constraint_list ',' constraint  { $$ = $1; vec_push_in(p->a, &$$->all, $3); }
  ;

asm_args:
    %empty              { $$ = NEW(asm_args); }
  | asm_args ',' ternary { $$ = $1; vec_push_in(p->a, &$$->args, $3); }
  | asm_args ',' id '=' ternary {
                            struct ast_constraint c = {@3, $3.text, AST_CMP_EQ, $5};

                            $$ = $1;
                            vec_push_in(p->a, &$$->constraints, c);
                        }
  ;

