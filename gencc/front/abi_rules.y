/* ---- ABIs: files of ac_abi() ----------------------------------------------------------------- */

/* Rules of GenC's grammar that the build inserts into genc.y. A statement is a list of words, which
 * gencc/abi interprets. */

abi_items: %empty | abi_items abi_item;

abi_item:
    abi_words ';'
  | abi_words '{'           { abi_open(p, $1); }
    abi_items abi_close
  | INCLUDE '(' STRING ')' ';' { abi_include(p, &$3); }
  | ';'
  | error ';' { yyerrok; }
  ;

abi_close: '}'              { abi_close(p); };

abi_words:
    abi_word                { $$ = abi_statement(p, &$1); }
  | abi_words abi_word      { $$ = $1; abi_word(p, $$, &$2); }
  ;

abi_word:
    ID
  | INT
  | STRING
  | '('                     { $$ = (struct token){.kind = '(', .pos = @1, .text = "("}; }
  | ')'                     { $$ = (struct token){.kind = ')', .pos = @1, .text = ")"}; }
  | ':'                     { $$ = (struct token){.kind = ':', .pos = @1, .text = ":"}; }
  | ','                     { $$ = (struct token){.kind = ',', .pos = @1, .text = ","}; }
  | '='                     { $$ = (struct token){.kind = '=', .pos = @1, .text = "="}; }
  | '-'                     { $$ = (struct token){.kind = '-', .pos = @1, .text = "-"}; }
  | '['                     { $$ = (struct token){.kind = '[', .pos = @1, .text = "["}; }
  | ']'                     { $$ = (struct token){.kind = ']', .pos = @1, .text = "]"}; }
  | DOTDOT                  { $$ = (struct token){.kind = TOK_DOTDOT, .pos = @1, .text = ".."}; }
  ;
