/* Random expressions as trees of the test's own, with their value and derivative coded here a
 * second time (dual numbers going up), to hold against the DAG. */
#ifndef RANDOM_TREE_H
#define RANDOM_TREE_H

#include "check.h"
#include "expr/expr.h"

enum { TREE_LEAVES = 5, TREE_NODES = 64 }; /* leaves: x, y_0, y_0', y_1, parameter 0 */

typedef enum {
  T_LEAF,
  T_INT,
  T_ADD,
  T_SUB,
  T_MUL,
  T_DIV,
  T_POW,
  T_GENERAL_POW,
  T_CALL,
  T_CALL2
} tree_kind;
typedef struct tree_node {
  tree_kind kind;
  int a,
      b; /* earlier nodes, or a leaf, or numerator and denominator; T_POW: b = half the exponent */
  ritti_op op;
} tree_node;
typedef struct tree {
  tree_node at[TREE_NODES];
  int count;
} tree;

static int below(int n) {
  int k = (int)((check_random() + 1) / 2 * n);
  return k < n ? k : n - 1;
}

static const ritti_op tree_calls[] = {
    RITTI_EXP,   RITTI_LOG,  RITTI_SIN,  RITTI_COS,  RITTI_TAN,   RITTI_ASIN, RITTI_ACOS,
    RITTI_ATAN,  RITTI_SINH, RITTI_COSH, RITTI_TANH, RITTI_ABS,   RITTI_SIGN, RITTI_LOG2,
    RITTI_LOG10, RITTI_ERF,  RITTI_ERFC, RITTI_CBRT, RITTI_FLOOR, RITTI_CEIL, RITTI_ROUND};
static const ritti_op tree_calls2[] = {RITTI_ATAN2, RITTI_HYPOT, RITTI_MIN, RITTI_MAX};

/* kinds: how many of the kinds after T_INT may occur, in their order */
static inline tree tree_random(int count, int kinds) {
  tree t = {.count = count};
  for (int i = 0; i < count; i++) {
    tree_node *n = &t.at[i];
    n->kind = i < TREE_LEAVES    ? T_LEAF
              : i == TREE_LEAVES ? T_INT
                                 : (tree_kind)(T_INT + below(kinds + 1));
    n->a = n->kind == T_LEAF ? i : below(i), n->b = below(i);
    if (i > count - 4 && below(2)) n->a = i - 1; /* tall ones too */
    if (n->kind == T_INT) n->a = below(9) - 4, n->b = 1 + below(4);
    if (n->kind == T_POW) n->b = below(11) - 4;
    if (n->kind == T_CALL) n->op = tree_calls[below(sizeof tree_calls / sizeof *tree_calls)];
    if (n->kind == T_CALL2) n->op = tree_calls2[below(sizeof tree_calls2 / sizeof *tree_calls2)];
  }
  return t;
}

static inline ritti_expr tree_leaf(ritti_dag *dag, int i) {
  switch (i) {
  case 0: return ritti_independent(dag);
  case 1: return ritti_jet(dag, 0, 0);
  case 2: return ritti_jet(dag, 0, 1);
  case 3: return ritti_jet(dag, 1, 0);
  default: return ritti_parameter(dag, 0);
  }
}

static inline ritti_expr tree_build(ritti_dag *dag, const tree *t) {
  ritti_expr e[TREE_NODES];
  for (int i = 0; i < t->count; i++) {
    const tree_node *n = &t->at[i];
    ritti_expr a = n->kind > T_INT ? e[n->a] : 0,
               b = n->kind > T_INT && n->kind != T_POW && n->kind != T_CALL ? e[n->b] : 0;
    switch (n->kind) {
    case T_LEAF: e[i] = tree_leaf(dag, n->a); break;
    case T_INT: e[i] = ritti_number(dag, n->a, (unsigned long)n->b); break;
    case T_ADD: e[i] = ritti_add(dag, a, b); break;
    case T_SUB: e[i] = ritti_subtract(dag, a, b); break;
    case T_MUL: e[i] = ritti_multiply(dag, a, b); break;
    case T_DIV: e[i] = ritti_divide(dag, a, b); break;
    case T_POW: e[i] = ritti_power(dag, a, ritti_number(dag, n->b, 2)); break;
    case T_GENERAL_POW: e[i] = ritti_power(dag, a, b); break;
    case T_CALL: e[i] = ritti_apply(dag, n->op, &a, 1); break;
    case T_CALL2: e[i] = ritti_apply(dag, n->op, (ritti_expr[]){a, b}, 2); break;
    }
  }
  return e[t->count - 1];
}

/* value, derivative in a direction, and a bound for the size of what went into it (to judge
 * rounding) */
typedef struct dual {
  double v, d, size;
} dual;

/* a whole number near v, and no derivative; NaN next to a jump, which is at `jump` and 1 apart */
static inline dual dual_whole(double value, double v, double jump) {
  double nearest = round(v - jump) + jump;
  if (fabs(v - nearest) < 1e-6) return (dual){NAN, NAN, 0};
  return (dual){value, 0, 0};
}

static inline dual dual_call(ritti_op op, dual u) {
  double v = u.v;
  switch (op) {
  case RITTI_EXP: return (dual){exp(v), exp(v) * u.d, 0};
  case RITTI_LOG: return (dual){log(v), u.d / v, 0};
  case RITTI_SIN: return (dual){sin(v), cos(v) * u.d, 0};
  case RITTI_COS: return (dual){cos(v), -sin(v) * u.d, 0};
  case RITTI_TAN: return (dual){tan(v), u.d / (cos(v) * cos(v)), 0};
  case RITTI_ASIN: return (dual){asin(v), u.d / sqrt((1 - v) * (1 + v)), 0};
  case RITTI_ACOS: return (dual){acos(v), -u.d / sqrt((1 - v) * (1 + v)), 0};
  case RITTI_ATAN: return (dual){atan(v), u.d / (1 + v * v), 0};
  case RITTI_SINH: return (dual){sinh(v), cosh(v) * u.d, 0};
  case RITTI_COSH: return (dual){cosh(v), sinh(v) * u.d, 0};
  case RITTI_TANH: return (dual){tanh(v), u.d / (cosh(v) * cosh(v)), 0};
  case RITTI_ABS: return (dual){fabs(v), v < 0 ? -u.d : v > 0 ? u.d : 0, 0};
  case RITTI_SIGN: return (dual){v < 0 ? -1 : v > 0 ? 1 : 0, 0, 0};
  case RITTI_LOG2: return (dual){log2(v), u.d / v / 0.69314718055994530942, 0};
  case RITTI_LOG10: return (dual){log10(v), u.d / v / 2.30258509299404568402, 0};
  case RITTI_ERF: return (dual){erf(v), 1.12837916709551257390 * exp(-v * v) * u.d, 0};
  case RITTI_ERFC: return (dual){erfc(v), -1.12837916709551257390 * exp(-v * v) * u.d, 0};
  case RITTI_CBRT: return (dual){cbrt(v), cbrt(v) * u.d / (3 * v), 0};
  case RITTI_FLOOR: return dual_whole(floor(v), v, 0);
  case RITTI_CEIL: return dual_whole(ceil(v), v, 0);
  case RITTI_ROUND: return dual_whole(round(v), v, 0.5);
  default: return (dual){NAN, NAN, 0};
  }
}

static inline dual dual_node(const tree_node *n, const dual *e, const dual *leaf) {
  dual a = n->kind > T_INT ? e[n->a] : (dual){0},
       b = n->kind > T_INT && n->kind != T_POW ? e[n->b] : (dual){0};
  double p = n->b / 2.0;
  switch (n->kind) {
  case T_LEAF: return leaf[n->a];
  case T_INT: return (dual){(double)n->a / n->b, 0, 0};
  case T_ADD: return (dual){a.v + b.v, a.d + b.d, 0};
  case T_SUB: return (dual){a.v - b.v, a.d - b.d, 0};
  case T_MUL: return (dual){a.v * b.v, a.d * b.v + a.v * b.d, 0};
  case T_DIV: return (dual){a.v / b.v, (a.d - a.v / b.v * b.d) / b.v, 0};
  case T_POW: return p == 0 ? (dual){1, 0, 0} : (dual){pow(a.v, p), p * pow(a.v, p - 1) * a.d, 0};
  case T_GENERAL_POW:
    if (a.v <= 0) return (dual){NAN, NAN, 0};
    return (dual){pow(a.v, b.v),
                  (b.d != 0 ? pow(a.v, b.v) * log(a.v) * b.d : 0) +
                      (a.d != 0 ? b.v * pow(a.v, b.v - 1) * a.d : 0),
                  0};
  case T_CALL: return dual_call(n->op, a);
  default:
    if (n->op == RITTI_ATAN2 && a.v == 0)
      return (dual){NAN, NAN, 0}; /* depends on the sign of the zero */
    if (n->op == RITTI_ATAN2)
      return (dual){atan2(a.v, b.v), (b.v * a.d - a.v * b.d) / (a.v * a.v + b.v * b.v), 0};
    if (n->op == RITTI_HYPOT)
      return (dual){hypot(a.v, b.v), (a.v * a.d + b.v * b.d) / hypot(a.v, b.v), 0};
    if (a.v == b.v) return (dual){a.v, (a.d + b.d) / 2, 0};
    return (a.v < b.v) == (n->op == RITTI_MIN) ? a : b;
  }
}

/* Every value is also checked to be tame: NaN where the test would only measure rounding. */
static inline dual tree_evaluate(const tree *t, const dual *leaf) {
  dual e[TREE_NODES] = {{0}};
  double size = 1;
  for (int i = 0; i < t->count; i++) {
    e[i] = dual_node(&t->at[i], e, leaf);
    double s = fabs(e[i].v) + fabs(e[i].d);
    if (!(s < 1e3) || (e[i].v != 0 && fabs(e[i].v) < 1e-3)) return (dual){NAN, NAN, NAN};
    if (s > size) size = s;
  }
  dual result = e[t->count - 1];
  result.size = size;
  return result;
}

typedef struct tree_point {
  double x[TREE_LEAVES];
} tree_point;

static inline double tree_jet(const void *context, int variable, int order) {
  const tree_point *p = context;
  return variable == 0 ? p->x[1 + order] : p->x[3];
}

static inline ritti_values tree_values(const tree_point *p) {
  return (ritti_values){
      .independent = p->x[0], .jet = tree_jet, .context = p, .parameter = &p->x[4]};
}

#endif
