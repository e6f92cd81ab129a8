/* The grammar of GenC: architecture and ISA files, behaviour files, and single expressions within
 * assembly strings. feed.c puts the start token of the language in front of each. */
%code requires {
#include "gencc/front/bundle_parser.h"
#include "gencc/front/layout_parser.h"
}

%define api.pure full
%define api.prefix {genc_}
%define api.token.prefix {TOK_}
%define api.location.type {struct src_pos}
%define parse.error custom
%define parse.lac full
%param {struct parser *p}
%locations
%expect 0

%union {
    struct token tok;
    enum ast_op op;
    enum ast_cmp cmp;
    unsigned number;
    bool flag;
    struct ast_expr *expr;
    struct ast_type *type;
    struct ast_stmt *stmt;
    struct ast_def *def;
    struct ast_param param;
    struct ast_tparam tparam;
    struct ast_targ targ;
    struct ast_constraint constraint;
    struct ast_decoder *decoder;
    struct ast_property property;
    struct ast_regspace *regspace;
    struct ast_map *map;
    struct ast_map_row *row;
    struct ast_family *family;
    struct ast_struct *record;
    struct expr_list *exprs;
    struct stmt_list *stmts;
    struct targ_list *targs;
    struct param_list *params;
    struct tparam_list *tparams;
    struct property_list *properties;
    struct asm_args *asm_args;
    struct ast_versions *versions;
    struct ast_range range;
    struct ast_repeat repeat;
    struct abi_node *abi;
}

%code {
#include <ctype.h>
#include <string.h>

static int genc_lex(YYSTYPE *value, struct src_pos *pos, struct parser *p)
{
    value->tok = feed_next(p);
    *pos = value->tok.pos;
    return value->tok.kind;
}

static void genc_error(struct src_pos *pos, struct parser *p, const char *message)
{
    /* Bison calls this itself only when its stack is exhausted. */
    (void)message;
    diag_error(p->d, *pos, "this is nested too deeply");
}

#define YYLLOC_DEFAULT(current, rhs, n)                                                            \
    ((current) = (n) ? pos_join(YYRHSLOC(rhs, 1), YYRHSLOC(rhs, n)) : YYRHSLOC(rhs, 0))

#define NEW(type)           arena_new(p->a, struct type)
#define ADD(list, value)    vec_push_in(p->a, &(list)->v, value)
}

%token START_ARCH "an architecture" START_GENC "behaviours" START_EXPR "an expression"
%token START_LAYOUT "layouts" START_ABI "an ABI"
%token <tok> ID "a name" TYPE_NAME "a type name" BASETYPE "a type"
%token <tok> INT "a number" FLOAT "a floating-point number" STRING "a string"

%token <tok> SIGNED "'signed'" UNSIGNED "'unsigned'"
%token IF "'if'" CONST "'const'" TYPENAME "'typename'" STRUCT "'struct'" WIDE "'wide'"
%token NARROW "'narrow'" BITSOF "'bitsof'" LANESOF "'lanesof'"
%token ELSE "'else'" WHILE "'while'" DO "'do'" FOR "'for'" SWITCH "'switch'" CASE "'case'"
%token DEFAULT "'default'" BREAK "'break'" CONTINUE "'continue'" RETURN "'return'" RAISE "'raise'"
%token <tok> HELPER "'helper'" EXECUTE "'execute'" HOOK "'hook'" BEHAVIOUR "'behaviour'" DECODE "'decode'"
%token <tok> SYSTEM "'system'" EXTERNAL "'external'" SYSREG "'sysreg'"
%token <tok> PRIVATE "'private'" PUBLIC "'public'" INTERNAL "'internal'"

%token SHL_ASSIGN "'<<='" SHR_ASSIGN "'>>='" ADD_ASSIGN "'+='" SUB_ASSIGN "'-='" MUL_ASSIGN "'*='"
%token DIV_ASSIGN "'/='" MOD_ASSIGN "'%='" AND_ASSIGN "'&='" OR_ASSIGN "'|='" XOR_ASSIGN "'^='"
%token ROL "'<<<'" ROR "'>>>'" SHL "'<<'" SHR "'>>'" LE "'<='" GE "'>='" EQ "'=='" NE "'!='"
%token LAND "'&&'" LOR "'||'" CONCAT "'::'" INC "'++'" DEC "'--'" ARROW "'->'" DOT_LT "'.<'"
%token DOTDOT "'..'"

%token AC_ARCH "'AC_ARCH'" AC_ISA_BLOCK "'AC_ISA'" ARCH_CTOR "'ARCH_CTOR'" ISA_CTOR "'ISA_CTOR'"
%token AC_ASM_MAP "'ac_asm_map'" AC_BEHAVIOUR "'ac_behaviour'" AC_FAMILY "'ac_family'"
%token AC_FEATURES "'ac_features'" AC_FETCHSIZE "'ac_fetchsize'" AC_FIELD "'ac_field'"
%token AC_FORMAT "'ac_format'" AC_INSTR "'ac_instr'" AC_INTR_PORT "'ac_intr_port'"
%token AC_ISA "'ac_isa'" AC_MEM "'ac_mem'" AC_MODIFIERS "'ac_modifiers'" AC_PC "'ac_pc'"
%token AC_PIPE "'ac_pipe'" AC_PREDICATED "'ac_predicated'" AC_REGSPACE "'ac_regspace'"
%token AC_SYSREG_SPACE "'ac_sysreg_space'" AC_TLM_PORT "'ac_tlm_port'" AC_UARCH "'ac_uarch'"
%token AC_PICTURE "'ac_picture'" AC_LANE_REGSPACE "'ac_lane_regspace'" AC_TICKS "'ac_ticks'"
%token AC_WIDTHS "'ac_widths'" AC_CONTEXT "'ac_context'" AC_OVERLAP "'ac_overlap'"
%token AC_ABI "'ac_abi'" AC_TIMING "'ac_timing'" AC_WORDSIZE "'ac_wordsize'" SET_ENDIAN "'set_endian'" SET_FEATURE "'set_feature'"
%token SET_CONSTANT "'set_constant'" SET_TYPENAME "'set_typename'" SET_COMMENT "'set_comment'"
%token SET_ELF "'set_elf'" SET_LINE_COMMENT "'set_line_comment'" ASSEMBLER "'assembler'"
%token <tok> AC_FILE "'ac_execute', 'ac_behaviours' or 'ac_decode'"
%token SET_ASM "'set_asm'" SET_BEHAVIOUR "'set_behaviour'" SET_BLOCK_COND "'set_block_cond'"
%token SET_DECODER "'set_decoder'" SET_END_OF_BLOCK "'set_end_of_block'"
%token SET_FIXED_JUMP "'set_fixed_jump'" SET_PREDICATED_JUMP "'set_fixed_predicated_jump'"
%token SET_HAS_LIMM "'set_has_limm'" SET_READS_PC "'set_reads_pc'"
%token SET_VARIABLE_JUMP "'set_variable_jump'"
%token <tok> ASM "'asm'" BANK "'bank'" BITS "'bits'" BLOCK_COND "'block_cond'" CLASS "'class'"
%token <tok> END_OF_BLOCK "'end_of_block'" FEATURE "'feature'" FIELD "'field'" FIXED "'FIXED'"
%token <tok> INCLUDE "'include'" PSEUDO_INSTR "'pseudo_instr'" READS_PC "'reads_pc'"
%token <tok> RELATIVE "'RELATIVE'" REQUIRES "'requires'" RING "'ring'" SLOT "'slot'"
%token <tok> TICKS "'ticks'" WHERE "'where'" WITH "'with'" NEXT_CONTEXT "'next_context'"

%token AC_LAYOUTS "'AC_LAYOUTS'" AC_GPU "'AC_GPU'" AC_VERSIONS "'ac_versions'" ENUM "'enum'"
%token <tok> LAYOUT "'layout'" LOG2 "'log2'" MUST "'must'" OVERLAY "'overlay'"
%token <tok> REGISTER "'register'" REGISTERS "'registers'" STRIDE "'stride'"

%token AC_BUNDLE "'ac_bundle'" AC_TABLE "'ac_table'"
%token <tok> AFTER "'after'" BLOCK "'block'" CONSTANTS "'constants'" HEADER "'header'"
%token <tok> MODIFIER "'modifier'" OF "'of'" GRAIN "'grain'" TEXT "'text'"
%token <tok> ALIGN "'align'" BYTES "'bytes'" CLOSE "'close'" DECIDE "'decide'" FOLLOW "'follow'" GRAINS "'grains'" NAMES "'names'"
%token <tok> OPEN "'open'" PARTS "'parts'" RESULTS "'results'" SEQUENCE "'sequence'" TAKE "'take'"
%token <tok> STAGES "'stages'" UNIT "'unit'"

%type <tok> id type_id
%type <expr> expr assignment rhs opt_rhs ternary lor land bor bxor band equality comparison shift
%type <expr> add mul concat cast unary postfix primary call vector opt_expr constant opt_if condition
%type <op> assign_op
%type <type> type base param_type
%type <exprs> args arg_list label_list key_list case_labels
%type <targs> targ_list
%type <targ> targ
%type <stmt> stmt block switch_case
%type <stmts> stmts cases statement_list
%type <def> definition helper_head
%type <params> params param_list struct_members family_names
%type <param> param
%type <tparams> opt_tparams tparam_list
%type <tparam> tparam
%type <number> opt_scope attrs uint opt_ring
%type <properties> properties
%type <property> property
%type <tok> property_name opt_tag opt_about opt_suffix context
%type <cmp> cmp
%type <constraint> constraint
%type <decoder> constraints constraint_list
%type <regspace> views
%type <map> map_rows
%type <row> map_texts map_row
%type <family> family_head family_rows
%type <record> record
%type <asm_args> asm_args
%type <flag> jump_type
%type <number> opt_sign opt_base
%type <versions> version_list opt_versions
%type <range> version_range
%type <repeat> opt_repeat
%type <tok> field_type
%type <flag> opt_overlay
%type <expr> modifier_value gpu_number
%type <abi> abi_words
%type <tok> abi_word

%precedence THEN
%precedence ELSE

%%

start:
    START_ARCH arch_file
  | START_GENC definitions
  | START_EXPR ternary                      { p->result = $2; }
  | START_LAYOUT layout_file
  | START_ABI abi_items
  ;

id:
    ID
  | HELPER | EXECUTE | HOOK | BEHAVIOUR | DECODE | SYSTEM | EXTERNAL | SYSREG
  | PRIVATE | PUBLIC | INTERNAL
  | ASM | BANK | BITS | BLOCK_COND | CLASS | END_OF_BLOCK | FEATURE | FIELD | FIXED | INCLUDE
  | PSEUDO_INSTR | READS_PC | RELATIVE | REQUIRES | RING | SLOT | TICKS | WHERE | WITH
  | NEXT_CONTEXT
  | LAYOUT | LOG2 | MUST | OVERLAY | REGISTER | REGISTERS | STRIDE
  | AFTER | BLOCK | CONSTANTS | HEADER | MODIFIER | OF | GRAIN | NAMES | TEXT | STAGES | UNIT
  | ALIGN | BYTES | CLOSE | DECIDE | FOLLOW | GRAINS | OPEN | PARTS | RESULTS | SEQUENCE | TAKE
  ;

type_id: id | TYPE_NAME;

/* ---- types ----------------------------------------------------------------------------------- */

base:
    BASETYPE            { $$ = node_type(p, AST_TYPE_NAMED, @1, $1.text, NULL); }
  | TYPE_NAME           { $$ = node_type(p, AST_TYPE_NAMED, @1, $1.text, NULL); }
  | STRUCT type_id      {
                            $$ = node_type(p, AST_TYPE_NAMED, @2, $2.text, NULL);
                            $$->is_struct = true;
                        }
  | TYPENAME type_id    { $$ = node_type(p, AST_TYPE_NAMED, @2, $2.text, NULL); }
  | SIGNED base         { $$ = node_type(p, AST_TYPE_SIGNED, @$, NULL, $2); }
  | UNSIGNED base       { $$ = node_type(p, AST_TYPE_UNSIGNED, @$, NULL, $2); }
  | WIDE base           { $$ = node_type(p, AST_TYPE_WIDE, @$, NULL, $2); }
  | NARROW base         { $$ = node_type(p, AST_TYPE_NARROW, @$, NULL, $2); }
  ;

type:
    base
  | base '[' ternary ']' {
                            $$ = node_type(p, AST_TYPE_VECTOR, @$, NULL, $1);
                            $$->lanes = $3;
                        }
  ;

/* ---- expressions ----------------------------------------------------------------------------- */

expr: assignment;

opt_expr:
    %empty              { $$ = NULL; }
  | expr
  ;

assignment:
    ternary
  | unary assign_op rhs { $$ = node_op(p, AST_ASSIGN, $2, @2, $1, $3); }
  | type id opt_rhs     { $$ = node_decl(p, $1, &$2, $3); }
  ;

opt_rhs:
    %empty              { $$ = NULL; }
  | '=' rhs             { $$ = $2; }
  ;

rhs: ternary | vector;

assign_op:
    '='                 { $$ = AST_OP_NONE; }
  | ADD_ASSIGN          { $$ = AST_OP_ADD; }
  | SUB_ASSIGN          { $$ = AST_OP_SUB; }
  | MUL_ASSIGN          { $$ = AST_OP_MUL; }
  | DIV_ASSIGN          { $$ = AST_OP_DIV; }
  | MOD_ASSIGN          { $$ = AST_OP_MOD; }
  | AND_ASSIGN          { $$ = AST_OP_AND; }
  | OR_ASSIGN           { $$ = AST_OP_OR; }
  | XOR_ASSIGN          { $$ = AST_OP_XOR; }
  | SHL_ASSIGN          { $$ = AST_OP_SHL; }
  | SHR_ASSIGN          { $$ = AST_OP_SHR; }
  ;

vector: '{' arg_list '}'    { $$ = node_vector(p, @1, $2); };

ternary:
    lor
  | lor '?' ternary ':' ternary { $$ = node_ternary(p, @2, $1, $3, $5); }
  ;

lor:
    land
  | lor LOR land        { $$ = node_op(p, AST_BINARY, AST_OP_LOR, @2, $1, $3); }
  ;

land:
    bor
  | land LAND bor       { $$ = node_op(p, AST_BINARY, AST_OP_LAND, @2, $1, $3); }
  ;

bor:
    bxor
  | bor '|' bxor        { $$ = node_op(p, AST_BINARY, AST_OP_OR, @2, $1, $3); }
  ;

bxor:
    band
  | bxor '^' band       { $$ = node_op(p, AST_BINARY, AST_OP_XOR, @2, $1, $3); }
  ;

band:
    equality
  | band '&' equality   { $$ = node_op(p, AST_BINARY, AST_OP_AND, @2, $1, $3); }
  ;

equality:
    comparison
  | equality EQ comparison  { $$ = node_op(p, AST_BINARY, AST_OP_EQ, @2, $1, $3); }
  | equality NE comparison  { $$ = node_op(p, AST_BINARY, AST_OP_NE, @2, $1, $3); }
  ;

comparison:
    shift
  | comparison '<' shift    { $$ = node_op(p, AST_BINARY, AST_OP_LT, @2, $1, $3); }
  | comparison '>' shift    { $$ = node_op(p, AST_BINARY, AST_OP_GT, @2, $1, $3); }
  | comparison LE shift     { $$ = node_op(p, AST_BINARY, AST_OP_LE, @2, $1, $3); }
  | comparison GE shift     { $$ = node_op(p, AST_BINARY, AST_OP_GE, @2, $1, $3); }
  ;

shift:
    add
  | shift SHL add       { $$ = node_op(p, AST_BINARY, AST_OP_SHL, @2, $1, $3); }
  | shift SHR add       { $$ = node_op(p, AST_BINARY, AST_OP_SHR, @2, $1, $3); }
  | shift ROL add       { $$ = node_op(p, AST_BINARY, AST_OP_ROL, @2, $1, $3); }
  | shift ROR add       { $$ = node_op(p, AST_BINARY, AST_OP_ROR, @2, $1, $3); }
  ;

add:
    mul
  | add '+' mul         { $$ = node_op(p, AST_BINARY, AST_OP_ADD, @2, $1, $3); }
  | add '-' mul         { $$ = node_op(p, AST_BINARY, AST_OP_SUB, @2, $1, $3); }
  ;

mul:
    concat
  | mul '*' concat      { $$ = node_op(p, AST_BINARY, AST_OP_MUL, @2, $1, $3); }
  | mul '/' concat      { $$ = node_op(p, AST_BINARY, AST_OP_DIV, @2, $1, $3); }
  | mul '%' concat      { $$ = node_op(p, AST_BINARY, AST_OP_MOD, @2, $1, $3); }
  ;

concat:
    cast
  | concat CONCAT cast  { $$ = node_op(p, AST_BINARY, AST_OP_CONCAT, @2, $1, $3); }
  ;

cast:
    unary
  | '(' type ')' cast   { $$ = node_typed(p, AST_CAST, @1, $2, $4); }
  | '(' type ')' vector { $$ = node_typed(p, AST_CAST, @1, $2, $4); }
  | '<' type '>' cast   { $$ = node_typed(p, AST_BITCAST, @1, $2, $4); }
  ;

unary:
    postfix
  | INC unary           { $$ = node_op(p, AST_PREFIX, AST_OP_INC, @1, $2, NULL); }
  | DEC unary           { $$ = node_op(p, AST_PREFIX, AST_OP_DEC, @1, $2, NULL); }
  | '+' cast            { $$ = node_op(p, AST_UNARY, AST_OP_PLUS, @1, $2, NULL); }
  | '-' cast            { $$ = node_op(p, AST_UNARY, AST_OP_NEG, @1, $2, NULL); }
  | '~' cast            { $$ = node_op(p, AST_UNARY, AST_OP_NOT, @1, $2, NULL); }
  | '!' cast            { $$ = node_op(p, AST_UNARY, AST_OP_LNOT, @1, $2, NULL); }
  ;

postfix:
    primary
  | postfix '[' ternary ']' { $$ = node_op(p, AST_INDEX, AST_OP_NONE, @2, $1, $3); }
  | postfix '[' lor ':' lor ']' {
                            $$ = node_ternary(p, @2, $1, $3, $5);
                            $$->kind = AST_SLICE;
                        }
  | postfix '.' type_id {
                            $$ = node_op(p, AST_MEMBER, AST_OP_NONE, @3, $1, NULL);
                            $$->name = $3.text;
                        }
  | postfix '.' type_id '(' args ')' {
                            if (!p->in_behaviour)
                                diag_error(p->d, @3, "'.%s(…)' calls a C++ member function; "
                                           "GenC has helpers and intrinsics only", $3.text);
                            $$ = $1;
                        }
  | postfix ARROW type_id {
                            if (!p->in_behaviour)
                                diag_error(p->d, @2, "'->' is C++; GenC has no pointers");
                            $$ = $1;
                        }
  | postfix ARROW type_id '(' args ')' {
                            if (!p->in_behaviour)
                                diag_error(p->d, @2, "'->' is C++; GenC has no pointers");
                            $$ = $1;
                        }
  | postfix INC         { $$ = node_op(p, AST_POSTFIX, AST_OP_INC, @2, $1, NULL); }
  | postfix DEC         { $$ = node_op(p, AST_POSTFIX, AST_OP_DEC, @2, $1, NULL); }
  ;

/* Parentheses: after an error between them, parsing resumes behind them. */
condition:
    ternary
  | error               { $$ = node_expr(p, AST_INT, @1); }
  ;

constant:
    INT                 { $$ = node_number(p, &$1); }
  | FLOAT               { $$ = node_float(p, &$1); }
  ;

primary:
    id                  { $$ = node_name(p, &$1); }
  | constant
  | STRING              {
                            $$ = node_expr(p, AST_STRING, @1);
                            $$->name = string_value(p, &$1);
                        }
  | '(' condition ')'   { $$ = $2; }
  | call
  | BITSOF '(' type ')' { $$ = node_typed(p, AST_BITSOF, @1, $3, NULL); }
  | LANESOF '(' type ')' { $$ = node_typed(p, AST_LANESOF, @1, $3, NULL); }
  ;

call:
    id '(' args ')'     { $$ = node_call(p, &$1, NULL, $3); }
  | id '(' type ')'     {
                            struct targ_list *one = NEW(targ_list);

                            ADD(one, ((struct ast_targ){.type = $3}));
                            $$ = node_call(p, &$1, one, NEW(expr_list));
                        }
  | id DOT_LT targ_list '>' '(' args ')' { $$ = node_call(p, &$1, $3, $6); }
  ;

args:
    %empty              { $$ = NEW(expr_list); }
  | error               { $$ = NEW(expr_list); }
  | arg_list
  ;

arg_list:
    rhs                 { $$ = NEW(expr_list); ADD($$, $1); }
  | arg_list ',' rhs    { $$ = $1; ADD($$, $3); }
  ;

targ_list:
    targ                { $$ = NEW(targ_list); ADD($$, $1); }
  | targ_list ',' targ  { $$ = $1; ADD($$, $3); }
  ;

targ:
    type                { $$ = (struct ast_targ){.type = $1}; }
  | add                 { $$ = (struct ast_targ){.expr = $1}; }
  ;

/* ---- statements ------------------------------------------------------------------------------ */

block:
    '{' stmts '}'       { $$ = node_block(p, AST_BLOCK, @1, $2); }
  | '{' stmts error '}' { $$ = node_block(p, AST_BLOCK, @1, $2); }
  ;

stmts:
    %empty              { $$ = NEW(stmt_list); }
  | stmts stmt          { $$ = $1; ADD($$, $2); }
  ;

stmt:
    block
  | ';'                 { $$ = node_stmt(p, AST_BLOCK, @1, NULL); }
  | expr ';'            { $$ = node_stmt(p, AST_EXPR, $1->pos, $1); }
  | error ';'           { $$ = node_stmt(p, AST_BLOCK, @1, NULL); yyerrok; }
  | IF '(' condition ')' stmt %prec THEN  { $$ = node_flow(p, AST_IF, @1, $3, $5, NULL); }
  | IF '(' condition ')' stmt ELSE stmt { $$ = node_flow(p, AST_IF, @1, $3, $5, $7); }
  | WHILE '(' condition ')' stmt        { $$ = node_flow(p, AST_WHILE, @1, $3, $5, NULL); }
  | DO stmt WHILE '(' condition ')' ';' { $$ = node_flow(p, AST_DO, @1, $5, $2, NULL); }
  | FOR '(' opt_expr ';' opt_expr ';' opt_expr ')' stmt {
                            $$ = node_flow(p, AST_FOR, @1, $5, $9, NULL);
                            $$->init = $3;
                            $$->step = $7;
                        }
  | FOR '(' error ')' stmt              { $$ = $5; }
  | SWITCH '(' ternary ')' '{' cases '}' {
                            $$ = node_block(p, AST_SWITCH, @1, $6);
                            $$->expr = $3;
                        }
  | BREAK ';'           { $$ = node_stmt(p, AST_BREAK, @1, NULL); }
  | CONTINUE ';'        { $$ = node_stmt(p, AST_CONTINUE, @1, NULL); }
  | RETURN ';'          { $$ = node_stmt(p, AST_RETURN, @1, NULL); }
  | RETURN rhs ';'      { $$ = node_stmt(p, AST_RETURN, @1, $2); }
  | RAISE ';'           { $$ = node_stmt(p, AST_RAISE, @1, NULL); }
  ;

cases:
    %empty              { $$ = NEW(stmt_list); }
  | cases switch_case   { $$ = $1; check_case_end(p, $2); ADD($$, $2); }
  ;

switch_case:
    case_labels statement_list {
                            $$ = node_block(p, AST_CASE, @1, $2);
                            vec_for_each(&$1->v, l)
                                if (*l)
                                    vec_push_in(p->a, &$$->labels, *l);
                                else
                                    $$->kind = AST_DEFAULT;
                        }
  ;

/* `default` is a NULL in the list of labels. */
case_labels:
    CASE label_list ':'     { $$ = $2; }
  | DEFAULT ':'             { $$ = NEW(expr_list); ADD($$, NULL); }
  | case_labels CASE label_list ':' {
                                $$ = $1;
                                vec_for_each(&$3->v, l)
                                    ADD($$, *l);
                            }
  | case_labels DEFAULT ':' { $$ = $1; ADD($$, NULL); }
  ;

label_list:
    lor                 { $$ = NEW(expr_list); ADD($$, $1); }
  | label_list ',' lor  { $$ = $1; ADD($$, $3); }
  ;

statement_list:
    stmt                { $$ = NEW(stmt_list); ADD($$, $1); }
  | statement_list stmt { $$ = $1; ADD($$, $2); }
  ;

/* ---- behaviour files ------------------------------------------------------------------------- */

definitions:
    %empty
  | definitions definition  { if ($2) vec_push_in(p->a, &p->build->isa->defs, $2); }
  | definitions ';'
  ;

definition:
    helper_head '(' params ')' attrs block {
                            $$ = $1;
                            $$->attrs |= $5;
                            $$->body = $6;
                            vec_take(&$$->params, &$3->v);
                        }
  | EXTERNAL type id '(' params ')' attrs ';' {
                            $$ = node_def(p, AST_EXTERNAL, &$3, NULL);
                            $$->type = $2;
                            $$->attrs = $7;
                            check_attrs(p, $$, AST_ATTR_PURE | AST_ATTR_NORETURN);
                            vec_take(&$$->params, &$5->v);
                        }
  | EXECUTE '(' id ')' attrs block      { $$ = plain_def(p, AST_EXECUTE, &$3, $5, $6); }
  | HOOK '(' id ')' attrs block         { $$ = plain_def(p, AST_HOOK, &$3, $5, $6); }
  | BEHAVIOUR '(' id ')' attrs   { p->in_behaviour = true; }
    block                   {
                            p->in_behaviour = false;
                            $$ = plain_def(p, AST_BEHAVIOUR, &$3, $5, $7);
                        }
  | DECODE '(' id ')' attrs block       { $$ = plain_def(p, AST_DECODE, &$3, $5, $6); }
  | SYSTEM '(' id ')' attrs   { p->in_behaviour = true; }
    block                   {
                            p->in_behaviour = false;
                            $$ = plain_def(p, AST_SYSTEM, &$3, $5, $7);
                        }
  | CONST type id '=' ternary ';'       {
                            $$ = node_def(p, AST_CONST, &$3, NULL);
                            $$->type = $2;
                            $$->value = $5;
                        }
  | TYPENAME type_id '=' type ';'       {
                            $$ = node_def(p, AST_TYPEDEF, &$2, NULL);
                            $$->type = $4;
                        }
  | SYSREG id '(' args ')' '{' properties '}' {
                            $$ = node_def(p, AST_SYSREG, &$2, NULL);
                            vec_take(&$$->encoding, &$4->v);
                            vec_take(&$$->properties, &$7->v);
                        }
  | error ';'           { $$ = NULL; yyerrok; }
  ;

helper_head:
    opt_scope HELPER type id opt_tparams {
                            $$ = node_def(p, AST_HELPER, &$4, NULL);
                            $$->type = $3;
                            $$->attrs = $1;
                            vec_take(&$$->tparams, &$5->v);
                        }
  | type id             { $$ = node_def(p, AST_HELPER, &$2, NULL); $$->type = $1; }
  | PRIVATE type id     { $$ = node_def(p, AST_HELPER, &$3, NULL); $$->type = $2;
                          $$->attrs = AST_ATTR_PRIVATE; }
  | PUBLIC type id      { $$ = node_def(p, AST_HELPER, &$3, NULL); $$->type = $2;
                          $$->attrs = AST_ATTR_PUBLIC; }
  | INTERNAL type id    { $$ = node_def(p, AST_HELPER, &$3, NULL); $$->type = $2;
                          $$->attrs = AST_ATTR_INTERNAL; }
  ;

opt_scope:
    %empty              { $$ = 0; }
  | PRIVATE             { $$ = AST_ATTR_PRIVATE; }
  | PUBLIC              { $$ = AST_ATTR_PUBLIC; }
  | INTERNAL            { $$ = AST_ATTR_INTERNAL; }
  ;

attrs:
    %empty              { $$ = 0; }
  | attrs id            { $$ = $1 | helper_attr(p, &$2); }
  ;

opt_tparams:
    %empty              { $$ = NEW(tparam_list); }
  | '<' tparam_list '>' { $$ = $2; }
  ;

tparam_list:
    tparam                  { $$ = NEW(tparam_list); ADD($$, $1); }
  | tparam_list ',' tparam  { $$ = $1; ADD($$, $3); }
  ;

tparam:
    TYPENAME type_id    { $$ = (struct ast_tparam){@2, $2.text, true}; }
  | CONST id            { $$ = (struct ast_tparam){@2, $2.text, false}; }
  ;

params:
    %empty              { $$ = NEW(param_list); }
  | param_list
  ;

param_list:
    param                   { $$ = NEW(param_list); ADD($$, $1); }
  | param_list ',' param    { $$ = $1; ADD($$, $3); }
  ;

param: param_type id    { $$ = (struct ast_param){@2, $1, $2.text}; };

param_type:
    type
  | type '&'            { $$ = $1; $$->is_ref = true; }
  ;

properties:
    %empty              { $$ = NEW(property_list); }
  | properties property { $$ = $1; ADD($$, $2); }
  | properties error ';' { $$ = $1; yyerrok; }
  ;

property:
    property_name '=' ternary ';'   { $$ = (struct ast_property){@1, $1.text, $3, NULL, NULL}; }
  | property_name '=' type ';'      { $$ = (struct ast_property){@1, $1.text, NULL, $3, NULL}; }
  | property_name block             { $$ = (struct ast_property){@1, $1.text, NULL, NULL, $2}; }
  ;

property_name:
    id
  | CONST               { $$ = (struct token){.pos = @1, .text = "const"}; }
  ;

/* ---- architecture files ---------------------------------------------------------------------- */

arch_file:
    arch
  | isa_blocks
  ;

opt_semicolon: %empty | ';';

arch: AC_ARCH '(' id ')' '{' { arch_begin(p, &$3); } arch_items arch_close opt_semicolon
                            { arch_end(p); };

arch_close: '}' | error '}';

arch_items: %empty | arch_items arch_item;

arch_item:
    AC_WORDSIZE uint ';'        { arch_word_size(p, @1, $2); }
  | AC_MEM id '(' uint ',' uint ',' id ',' uint opt_ring ')' ';' {
                                    struct ast_mem m = {@2, @6, @8, @10, $2.text, $8.text,
                                                        $4, $6, $10, $11};

                                    vec_push_in(p->a, &p->front->arch->mems, m);
                                }
  | AC_REGSPACE '(' uint ')' '{' views block_end {
                                    $6->pos = @1;
                                    $6->bytes = $3;
                                    vec_push_in(p->a, &p->front->arch->spaces, *$6);
                                }
  | AC_LANE_REGSPACE '(' uint ')' '{' views block_end {
                                    $6->pos = @1;
                                    $6->bytes = $3;
                                    $6->is_lane = true;
                                    vec_push_in(p->a, &p->front->arch->spaces, *$6);
                                }
  | INCLUDE '(' STRING ')' ';'  { arch_include(p, &$3); }
  | AC_FEATURES '{' features block_end
  | AC_TIMING id opt_about '{'  { cpu_timing_begin(p, &$2, &$3); }
    timing_rows block_end opt_semicolon
  | AC_SYSREG_SPACE id '('      {
                                    check_once(p, @1, p->front->arch->sysregs.name);
                                    p->front->arch->sysregs.pos = @2;
                                    p->front->arch->sysregs.name = $2.text;
                                }
    sysreg_fields ')' ';'
  | AC_TLM_PORT id ':' INT ';'
  | AC_INTR_PORT id ';'
  | AC_PC id '[' uint ']' ';'
  | AC_PIPE id '=' '{' ids '}' opt_semicolon
  | ARCH_CTOR '(' id ')'        { check_ctor(p, "ARCH_CTOR", &$3, p->front->arch->name); }
    '{' arch_settings block_end opt_semicolon
  | error ';' { yyerrok; }
  ;

opt_ring:
    %empty              { $$ = AST_CURRENT_RING; }
  | ',' RING ternary    { $$ = literal_uint(p, $3, AST_MAX_RING); }
  ;

ids: id | ids ',' id;

uint: ternary           { $$ = literal_uint(p, $1, 1u << 30); };

views:
    %empty              { $$ = NEW(ast_regspace); }
  | views BANK id '(' type ',' arg_list ')' opt_tag ';' {
                            $$ = $1;
                            regspace_view(p, $$, (struct ast_view){.pos = $3.pos, .name = $3.text, .type = $5,
                                          .is_bank = true}, $7, $9.text ? &$9 : NULL);
                        }
  | views SLOT id '(' type ',' arg_list ')' opt_tag ';' {
                            $$ = $1;
                            regspace_view(p, $$, (struct ast_view){.pos = $3.pos, .name = $3.text, .type = $5,
                                          .is_bank = false}, $7, $9.text ? &$9 : NULL);
                        }
  | views error ';' { $$ = $1; yyerrok; }
  ;

opt_tag:
    %empty              { $$ = (struct token){0}; }
  | id
  ;

features:
    %empty
  | features FEATURE id opt_about ';' {
                            struct ast_feature f = {@3, $3.text, $4.text};

                            vec_push_in(p->a, &p->front->arch->features, f);
                        }
  | features error ';' { yyerrok; }
  ;

opt_about:
    %empty              { $$ = (struct token){0}; }
  | STRING
  ;

timing_rows:
    %empty
  | timing_rows id INT ';'      { cpu_timing_word(p, &$2, &$3); }
  | timing_rows CLASS id        { cpu_timing_class(p, &$3); }
    class_words ';'
  | timing_rows error ';' { yyerrok; }
  ;

class_words:
    id INT              { class_word(p, &$1, &$2); }
  | class_words id INT  { class_word(p, &$2, &$3); }
  ;

sysreg_fields: sysreg_field | sysreg_fields ',' sysreg_field;

sysreg_field: id ':' uint {
                            struct ast_bits b = {.pos = @1, .name = $1.text, .width = $3};

                            vec_push_in(p->a, &p->front->arch->sysregs.fields, b);
                        };

arch_settings: %empty | arch_settings arch_setting ';' | arch_settings error ';' { yyerrok; };

arch_setting:
    AC_ISA '(' STRING ')'       { arch_isa(p, &$3); }
  | AC_ABI '(' STRING ')'       { arch_abi(p, &$3); }
  | AC_UARCH '(' STRING ')'
  | SET_ENDIAN '(' STRING ')'   { arch_endian(p, @1, &$3); }
  | SET_FEATURE '(' id ',' ternary ')' {
                                    struct ast_setting s = {@3, $3.text, NULL, $5};

                                    vec_push_in(p->a, &p->front->arch->feature_values, s);
                                }
  | SET_CONSTANT '(' id ',' type ',' ternary ')' {
                                    struct ast_setting s = {@3, $3.text, $5, $7};

                                    vec_push_in(p->a, &p->front->arch->constants, s);
                                }
  | SET_TYPENAME '(' type_id ',' type ')' {
                                    struct ast_setting s = {@3, $3.text, $5, NULL};

                                    vec_push_in(p->a, &p->front->arch->typenames, s);
                                    name_map_put(p->a, &p->front->types, $3.text, s.type);
                                }
  ;

/* abi_rules.y stands here */

/* isa_rules.y stands here */

/* layout_rules.y stands here */

/* bundle_rules.y stands here */

%%

#include "gencc/front/expected.inc"

void parse_text(struct parser *p, const char *text, size_t length, unsigned line, unsigned column)
{
    scan_text(p, p->file, text, length, line, column);
    genc_parse(p);
    vec_free(&p->tokens);
}
