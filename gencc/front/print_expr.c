#include "gencc/front/ast.h"
