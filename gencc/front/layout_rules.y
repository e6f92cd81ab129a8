/* ---- layouts, registers and GPUs ------------------------------------------------------------- */

/* Rules of GenC's grammar that the build inserts into genc.y. */

layout_file:
    layouts_blocks
  | gpu_blocks
  ;

layouts_blocks: layouts_block | layouts_blocks layouts_block;

layouts_block: AC_LAYOUTS '(' id ')' '{' { layouts_begin(p, &$3); } layout_items arch_close
               opt_semicolon;

layout_items: %empty | layout_items layout_item;

layout_item:
    AC_VERSIONS version_list ';'            { layouts_versions(p, @1, $2); }
  | INCLUDE '(' STRING ')' ';'              { layouts_include(p, &$3); }
  | ENUM id '{'                             { enum_begin(p, &$2); }
    enum_values '}'
  | LAYOUT id '('                           { layout_begin(p, &$2); }
    layout_sizes ')' '{' layout_fields '}'
  | REGISTERS id opt_repeat opt_base '{'    { registers_begin(p, &$2, &$3, $4); }
    register_lines '}'
  | CONST type id '=' ternary ';'           { layouts_const(p, $2, &$3, $5); }
  | ';'
  | error ';' { yyerrok; }
  ;

version_list:
    version_range       {
                            $$ = NEW(ast_versions);
                            vec_push_in(p->a, &$$->ranges, $1);
                        }
  | version_list ',' version_range { $$ = $1; vec_push_in(p->a, &$$->ranges, $3); }
  ;

version_range:
    INT                 {
                            $$ = (struct ast_range){.pos = @1, .from = layout_number(p, &$1)};
                            $$.to = $$.from;
                        }
  | INT DOTDOT INT      {
                            $$ = (struct ast_range){@$, layout_number(p, &$1),
                                                    layout_number(p, &$3)};
                        }
  ;

opt_versions:
    %empty              { $$ = NEW(ast_versions); }
  | IF version_list     { $$ = $2; }
  ;

opt_repeat:
    %empty              { $$ = (struct ast_repeat){.pos = @$}; }
  | '[' uint ']'        { $$ = (struct ast_repeat){@$, true, $2, 0, false}; }
  | '[' uint STRIDE uint ']' { $$ = (struct ast_repeat){@$, true, $2, $4, true}; }
  ;

opt_base:
    %empty              { $$ = 0; }
  | '@' uint            { $$ = $2; }
  ;

enum_values:
    %empty
  | enum_values id '=' ternary opt_versions ';' { enum_value(p, &$2, $4, $5); }
  | enum_values error ';' { yyerrok; }
  ;

layout_sizes: layout_size | layout_sizes ';' layout_size;

layout_size: uint opt_versions              { layout_size(p, @1, $1, $2); };

layout_fields: %empty | layout_fields layout_field | layout_fields error ';' { yyerrok; };

layout_field:
    id ':'                                  { layout_field_begin(p, &$1); }
    layout_field_is '@' layout_place opt_versions ';' { layout_field_end(p, $7); }
  ;

layout_field_is:
    opt_overlay field_type                  { layout_field_type(p, &$2, $1); }
    opt_width opt_repeat                    { p->lay_field.repeat = $5; }
    modifiers
  | MUST modifier_value                     { layout_modifier(p, @1, AST_MOD_MUST, $2); }
    ',' layout_width
  ;

opt_overlay:
    %empty              { $$ = false; }
  | OVERLAY             { $$ = true; }
  ;

field_type: ID | BASETYPE;

opt_width: %empty | layout_width;

layout_width: INT                           { layout_field_width(p, &$1); };

modifiers: %empty | modifiers modifier;

modifier:
    '+' INT             { layout_modifier(p, @1, AST_MOD_PLUS, node_number(p, &$2)); }
  | SHL INT             { layout_modifier(p, @1, AST_MOD_SHIFT, node_number(p, &$2)); }
  | LOG2                { layout_modifier(p, @1, AST_MOD_LOG2, NULL); }
  | '=' modifier_value  { layout_modifier(p, @1, AST_MOD_DEFAULT, $2); }
  | MUST '=' modifier_value { layout_modifier(p, @1, AST_MOD_MUST, $3); }
  ;

modifier_value:
    constant
  | '-' constant        { $$ = node_op(p, AST_UNARY, AST_OP_NEG, @1, $2, NULL); }
  | id                  { $$ = node_name(p, &$1); }
  ;

layout_place:
    INT                 { layout_field_place(p, @1, &$1, NULL); }
  | INT ':' INT         { layout_field_place(p, @$, &$1, &$3); }
  ;

register_lines:
    %empty
  | register_lines register_line
  | register_lines ';'
  | register_lines error ';' { yyerrok; }
  ;

register_line:
    id opt_repeat ':' id '@' uint           { register_begin(p, &$1, &$2, &$4, @6, $6); }
    register_body
  ;

register_body: ';' | '{' register_fields '}';

register_fields: %empty | register_fields register_field | register_fields error ';' { yyerrok; };

register_field:
    id '@' INT ';'                          { register_field(p, &$1, NULL, NULL, &$3); }
  | id ':' INT '@' INT ';'                  { register_field(p, &$1, NULL, &$3, &$5); }
  | id ':' ID INT '@' INT ';'               { register_field(p, &$1, &$3, &$4, &$6); }
  ;

gpu_blocks: gpu_block | gpu_blocks gpu_block;

gpu_block: AC_GPU '(' id ')' '{' { gpu_begin(p, &$3); } gpu_items arch_close opt_semicolon;

gpu_items: %empty | gpu_items gpu_item;

gpu_item:
    ID ternary ';'                          { gpu_property(p, &$1, $2); }
  | ID id '=' gpu_number ID STRING ';'      { gpu_number(p, &$1, &$2, $4, &$5, &$6); }
  | ID INT ID '=' gpu_number ID STRING ';'  { gpu_point(p, (struct token[]){$1, $3, $6}, node_number(p, &$2), $5, &$7); }
  | REGISTER id '=' ternary ';'             { gpu_register(p, &$2, NULL, $4); }
  | REGISTER id '[' uint ']' '=' ternary ';' { gpu_register(p, &$2, &$4, $7); }
  | error ';' { yyerrok; }
  ;

gpu_number:
    INT                 { $$ = node_number(p, &$1); }
  | FLOAT               { $$ = node_float(p, &$1); }
  ;
