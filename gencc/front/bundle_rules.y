/* ---- bundles and tables ---------------------------------------------------------------------- */

/* Rules of GenC's grammar that the build inserts into genc.y. */

bundle_isa_item:
    AC_BUNDLE '{'           { bundle_begin(p, @1); }
    bundle_items block_end opt_semicolon
  | AC_TABLE id '(' id ')' ':' { table_begin(p, &$2, &$4); }
    table_columns '{' table_rows block_end opt_semicolon { table_end(p); }
  ;

bundle_items: %empty | bundle_items bundle_item | bundle_items error ';' { yyerrok; };

bundle_item:
    HEADER id ';'           { bundle_header(p, &$2); }
  | BLOCK id ';'            { bundle_block(p, &$2); }
  | UNIT id ':' id STRING ';' { bundle_unit(p, &$2, &$4, &$5); }
  | NAMES STRING STRING ';' { bundle_names(p, &$2, &$3); }
  | GRAINS INT ';'          { bundle_grains(p, &$2); }
  | PARTS INT ';'           { bundle_parts(p, &$2); }
  | RESULTS AFTER INT ';'   { bundle_results(p, &$3); }
  | REGISTERS INT OF INT ';' { bundle_registers(p, &$2, &$4); }
  | OPEN STRING ';'         { bundle_open(p, &$2); }
  | CLOSE STRING ';'        { bundle_close(p, &$2); }
  | STAGES INT ';'          { bundle_stages(p, &$2); }
  | CONSTANTS INT '[' INT DOTDOT INT ']' ';' { bundle_constants(p, &$2, &$4, &$6); }
  | DECIDE decided_names ';'
  | FOLLOW id '=' id ',' INT ';' { bundle_follow(p, &$2, &$4, &$6); }
  | GRAIN id             { grain_begin(p, &$2); }
    grain_order STRING      { grain_picture(p, &$5); }
    opt_grain_where grain_body
  | SEQUENCE id             { sequence_begin(p, &$2); }
    opt_grain_where '{' sequence_lines '}' opt_semicolon
  | TEXT id '{'             { bundle_text(p, &$2, NULL, NULL); }
    text_lines '}' opt_semicolon
  | TEXT id '(' id ')' OF context '{' { bundle_text(p, &$2, &$4, &$7); }
    text_lines '}' opt_semicolon
  ;

decided_names: decided_name | decided_names ',' decided_name;

decided_name: id         { bundle_decide(p, &$1); };

grain_order:
    ID                      { grain_order(p, &$1); }
  | CONSTANTS               { grain_order(p, &$1); }
  | AFTER grain_names
  ;

opt_grain_where: %empty | WHERE ternary { grain_where(p, $2); };

sequence_lines: %empty | sequence_lines sequence_line | sequence_lines error ';' { yyerrok; };

sequence_line:
    BYTES ternary ';'       { sequence_bytes(p, $2); }
  | ALIGN INT ';'           { sequence_align(p, &$2); }
  | TAKE STRING opt_if ';'  { sequence_take(p, &$2, $3); }
  ;

grain_names: grain_name | grain_names ',' grain_name;

grain_name: id           { grain_after(p, &$1); };

grain_body: ';' | '{' grain_lines block_end opt_semicolon;

grain_lines: %empty | grain_lines grain_line | grain_lines error ';' { yyerrok; };

grain_line:
    MODIFIER INT '=' ternary ';' { grain_modifier(p, @1, &$2, $4); }
  | id '{'                  { grain_positions(p, &$1); }
    position_rows '}'
  ;

position_rows: %empty | position_rows position_row | position_rows error ';' { yyerrok; };

position_row: INT ':' INT ',' INT ';' { grain_position(p, @1, &$1, &$3, &$5); };

context:
    HEADER | BLOCK
  | ID
  ;

text_lines: %empty | text_lines text_line | text_lines error ';' { yyerrok; };

text_line: ASM STRING asm_args opt_if ';' { instr_asm(p, &$2, $3, $4, false); };

table_columns: table_column | table_columns ',' table_column;

table_column: id            { table_column(p, &$1); };

table_rows: %empty | table_rows table_row | table_rows error ';' { yyerrok; };

table_row: label_list ':' label_list ';' { table_row(p, @1, $1, $3); };

