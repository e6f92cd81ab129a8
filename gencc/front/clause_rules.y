/* ---- clauses and tables ---------------------------------------------------------------------- */

/* Rules of GenC's grammar that the build inserts into genc.y. */

clause_isa_item:
    AC_CLAUSE '{'           { clause_begin(p, @1); }
    clause_items block_end opt_semicolon
  | AC_TABLE id '(' id ')' ':' { table_begin(p, &$2, &$4); }
    table_columns '{' table_rows '}' opt_semicolon { table_end(p); }
  ;

clause_items: %empty | clause_items clause_item | clause_items error ';' { yyerrok; };

clause_item:
    HEADER id ';'           { clause_header(p, &$2); }
  | BLOCK id ';'            { clause_block(p, &$2); }
  | UNIT id ':' id STRING ';' { clause_unit(p, &$2, &$4, &$5); }
  | TUPLES INT ';'          { clause_tuples(p, &$2); }
  | CONSTANTS INT '[' INT DOTDOT INT ']' ';' { clause_constants(p, &$2, &$4, &$6); }
  | QUADWORD id             { quadword_begin(p, &$2); }
    quadword_order STRING   { quadword_picture(p, &$5); }
    quadword_body
  | TEXT HEADER '{'         { clause_text(p, &$2, NULL, NULL); }
    text_lines '}' opt_semicolon
  | TEXT id '(' id ')' OF context '{' { clause_text(p, &$2, &$4, &$7); }
    text_lines '}' opt_semicolon
  ;

quadword_order:
    ID                      { quadword_order(p, &$1); }
  | CONSTANTS               { quadword_order(p, &$1); }
  | AFTER quadword_names
  ;

quadword_names: quadword_name | quadword_names ',' quadword_name;

quadword_name: id           { quadword_after(p, &$1); };

quadword_body: ';' | '{' quadword_lines '}' opt_semicolon;

quadword_lines: %empty | quadword_lines quadword_line | quadword_lines error ';' { yyerrok; };

quadword_line:
    MODIFIER INT '=' ternary ';' { quadword_modifier(p, @1, &$2, $4); }
  | id '{'                  { quadword_positions(p, &$1); }
    position_rows '}'
  ;

position_rows: %empty | position_rows position_row | position_rows error ';' { yyerrok; };

position_row: INT ':' INT ',' INT ';' { quadword_position(p, @1, &$1, &$3, &$5); };

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

