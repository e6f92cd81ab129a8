/*
 * Computes operators on constant integers of the syntax tree.
 */
#include "gencc/front/ast.h"

bool ast_fold(enum ast_op op, s128 a, s128 b, s128 *out)
{
    switch (op) {
    case AST_OP_ADD:
        *out = (s128)((u128)a + (u128)b);
        return true;
    case AST_OP_SUB:
        *out = (s128)((u128)a - (u128)b);
        return true;
    case AST_OP_MUL:
        *out = (s128)((u128)a * (u128)b);
        return true;
    case AST_OP_DIV:
        *out = b == 0 ? 0 : b == -1 ? (s128)(0 - (u128)a) : a / b;
        return true;
    case AST_OP_MOD:
        *out = b == 0 ? a : b == -1 ? 0 : a % b;
        return true;
    case AST_OP_AND:
        *out = a & b;
        return true;
    case AST_OP_OR:
        *out = a | b;
        return true;
    case AST_OP_XOR:
        *out = a ^ b;
        return true;
    case AST_OP_SHL:
        *out = b < 0 || b > 127 ? 0 : (s128)((u128)a << b);
        return true;
    case AST_OP_SHR:
        *out = b < 0 || b > 127 ? (a < 0 ? -1 : 0) : a >> b;
        return true;
    case AST_OP_EQ:
        *out = a == b;
        return true;
    case AST_OP_NE:
        *out = a != b;
        return true;
    case AST_OP_LT:
        *out = a < b;
        return true;
    case AST_OP_LE:
        *out = a <= b;
        return true;
    case AST_OP_GT:
        *out = a > b;
        return true;
    case AST_OP_GE:
        *out = a >= b;
        return true;
    default:
        return false;
    }
}
