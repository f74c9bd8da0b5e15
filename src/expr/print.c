/* Printing as the model language writes it, or as LaTeX. A stack of pieces still to be written
 * takes the place of recursion; an expression whose text would be longer than LONGEST ends in
 * "...".
 */
#include "expr_impl.h"

enum { LONGEST = 1 << 20, LAST_PRIME = 3 };

/* How tightly a text must hang together where it stands: as a whole, a term, a factor, a base. */
typedef enum level { WHOLE, TERM, FACTOR, BASE } level;

typedef struct piece {
  enum {
    TEXT,        /* `text` */
    EXPRESSION,  /* e, in parentheses where its level is lower than `level` */
    SIGNED_TERM, /* e as a term of a sum with its sign; `first`: of all */
    UNSIGNED,    /* |e| where e has a coefficient or is a number */
    NUMERATOR,   /* |numerator| of the number e */
    DENOMINATOR, /* of the number e */
    POSITIVE     /* base^|exponent| of the power e with a number as exponent, at least a factor */
  } kind;
  enum level level;
  bool first;
  ritti_expr e;
  const char *text;
} piece;

typedef struct printer {
  const ritti_dag *dag;
  const ritti_names *names;
  ritti_text *out;
  bool latex;
  RITTI_ARRAY(piece) todo;
  ritt_status status;
} printer;

/* ---- what an expression looks like ---- */
static ritti_op op_of(const printer *p, ritti_expr e) { return ritti_op_of(p->dag, e); }
static ritti_expr argument_of(const printer *p, ritti_expr e, size_t i) {
  return ritti_argument(p->dag, e, i);
}
static bool is_number(const printer *p, ritti_expr e) { return op_of(p, e) == RITTI_NUMBER; }
static bool is_integer(const printer *p, ritti_expr e) {
  return mpz_cmp_ui(mpq_denref(ritti_rational_of(p->dag, e)), 1) == 0;
}

/* The number before it: its own value or its coefficient; NIL: none. */
static ritti_expr coefficient_of(const printer *p, ritti_expr e) {
  if (is_number(p, e)) return e;
  return op_of(p, e) == RITTI_MULTIPLY && is_number(p, argument_of(p, e, 0)) ? argument_of(p, e, 0)
                                                                             : RITTI_NIL;
}

static bool is_negative(const printer *p, ritti_expr e) {
  ritti_expr c = coefficient_of(p, e);
  return c && mpq_sgn(ritti_rational_of(p->dag, c)) < 0;
}

/* sign of the exponent where it is a number, else 0 */
static int power_sign(const printer *p, ritti_expr e) {
  if (op_of(p, e) != RITTI_POWER || !is_number(p, argument_of(p, e, 1))) return 0;
  return mpq_sgn(ritti_rational_of(p->dag, argument_of(p, e, 1)));
}

static bool is_square_root(const printer *p, ritti_expr e) {
  mpq_srcptr q = ritti_rational_of(p->dag, argument_of(p, e, 1));
  return mpz_cmpabs_ui(mpq_numref(q), 1) == 0 && mpz_cmp_ui(mpq_denref(q), 2) == 0;
}

static level level_of(const printer *p, ritti_expr e) {
  if (is_negative(p, e)) return WHOLE;
  switch (op_of(p, e)) {
  case RITTI_NUMBER: return is_integer(p, e) ? BASE : TERM;
  case RITTI_ADD: return WHOLE;
  case RITTI_MULTIPLY:
  case RITTI_STEP: return TERM;
  case RITTI_POWER:
    if (power_sign(p, e) < 0) return TERM;
    return power_sign(p, e) > 0 && is_square_root(p, e) ? BASE : FACTOR;
  default: return BASE;
  }
}

/* ---- the stack: pieces are pushed last first ---- */
static void push_piece(printer *p, piece item) {
  if (p->status == RITT_OK) p->status = RITTI_PUSH(p->todo, item);
}
static void push_text(printer *p, const char *text) {
  push_piece(p, (piece){.kind = TEXT, .text = text});
}
static void push_open(printer *p) { push_text(p, p->latex ? "\\left(" : "("); }
static void push_close(printer *p) { push_text(p, p->latex ? "\\right)" : ")"); }
static void push_expression(printer *p, ritti_expr e, level l) {
  push_piece(p, (piece){.kind = EXPRESSION, .e = e, .level = l});
}

/* The terms in order, but a positive one goes before leading negative ones: y - x, not -x + y. */
static void push_sum(printer *p, ritti_expr e, bool first) {
  size_t count = ritti_argument_count(p->dag, e), head = 0;
  while (first && head < count && is_negative(p, argument_of(p, e, head))) head++;
  if (head == count) head = 0;
  for (size_t i = count; i-- > 0;)
    if (i != head) push_piece(p, (piece){.kind = SIGNED_TERM, .e = argument_of(p, e, i)});
  push_piece(p, (piece){.kind = SIGNED_TERM, .e = argument_of(p, e, head), .first = first});
}

/* The factors of |e| above or below the fraction bar, with "*" between them. Returns their number.
 */
static size_t push_factors(printer *p, ritti_expr e, bool below) {
  size_t pushed = 0;
  ritti_expr c = coefficient_of(p, e), u = c ? argument_of(p, e, 1) : e;
  bool product = op_of(p, u) == RITTI_MULTIPLY && !coefficient_of(p, u);
  for (size_t n = product ? ritti_argument_count(p->dag, u) : 1, i = n; i-- > 0;) {
    ritti_expr f = product ? argument_of(p, u, i) : u;
    if ((power_sign(p, f) < 0) != below) continue;
    if (pushed++) push_text(p, p->latex ? "\\, " : "*");
    if (below) push_piece(p, (piece){.kind = POSITIVE, .e = f});
    else push_expression(p, f, FACTOR);
  }
  mpq_srcptr q = c ? ritti_rational_of(p->dag, c) : NULL;
  bool number = q && mpz_cmpabs_ui(below ? mpq_denref(q) : mpq_numref(q), 1) != 0;
  if (number) {
    if (pushed++) push_text(p, p->latex ? "\\, " : "*");
    push_piece(p, (piece){.kind = below ? DENOMINATOR : NUMERATOR, .e = c});
  }
  return pushed;
}

/* Puts a piece under all that was pushed since `start`: it is written after them. */
static void push_under(printer *p, size_t start, piece item) {
  push_piece(p, (piece){0});
  if (p->status != RITT_OK) return;
  memmove(p->todo.at + start + 1, p->todo.at + start,
          (p->todo.count - 1 - start) * sizeof *p->todo.at);
  p->todo.at[start] = item;
}

/* |e| as a fraction: numerators / denominators */
static void push_product(printer *p, ritti_expr e) {
  size_t start = p->todo.count;
  size_t below = push_factors(p, e, true);
  if (below && p->latex) {
    push_under(p, start, (piece){.kind = TEXT, .text = "}"});
    push_text(p, "}{");
  } else if (below > 1) {
    push_text(p, "(");
    push_under(p, start, (piece){.kind = TEXT, .text = ")"});
  }
  if (below && !p->latex) push_text(p, "/");
  if (!push_factors(p, e, false)) push_text(p, "1");
  if (below && p->latex) push_text(p, "\\frac{");
}

static void push_call(printer *p, const char *name, ritti_expr e, size_t arguments) {
  push_close(p);
  for (size_t i = arguments; i-- > 0;) {
    push_expression(p, argument_of(p, e, i), WHOLE);
    if (i) push_text(p, ", ");
    else push_open(p);
  }
  if (p->latex) push_text(p, "}");
  push_text(p, name);
  if (p->latex) push_text(p, "\\operatorname{");
}

/* floor and ceil have brackets of their own */
static void push_whole_part(printer *p, ritti_expr e) {
  bool floor = op_of(p, e) == RITTI_FLOOR;
  if (!p->latex) {
    push_call(p, ritti_op_text[op_of(p, e)], e, 1);
    return;
  }
  push_text(p, floor ? "\\right\\rfloor" : "\\right\\rceil");
  push_expression(p, argument_of(p, e, 0), WHOLE);
  push_text(p, floor ? "\\left\\lfloor " : "\\left\\lceil ");
}

/* V(u), V'(u): the derivative of the function by its argument */
static void push_table(printer *p, ritti_expr e) {
  double code = ritti_table_code_of(p->dag, e);
  const ritti_table *t = ritti_dag_tables(p->dag)[ritti_table_of_code(code)];
  int order = ritti_table_order(code);
  push_close(p);
  push_expression(p, argument_of(p, e, 0), WHOLE);
  push_open(p);
  for (int i = 0; order < RITTI_TABLE_SLOPE && i < order; i++) push_text(p, "'");
  if (p->latex) push_text(p, "}");
  push_text(p, t->name);
  if (p->latex) push_text(p, "\\operatorname{");
  if (order >= RITTI_TABLE_SLOPE)
    push_text(p, order == RITTI_TABLE_KNOT ? "knot of " : "slope of the knots of ");
}

/* in LaTeX a base with primes needs braces of its own */
static void push_base(printer *p, ritti_expr base) {
  if (p->latex) push_text(p, "}");
  push_expression(p, base, BASE);
  if (p->latex) push_text(p, "{");
}

/* base^|exponent| for a number as exponent */
static void push_positive_power(printer *p, ritti_expr e) {
  ritti_expr base = argument_of(p, e, 0), exponent = argument_of(p, e, 1);
  if (is_square_root(p, e) && p->latex) {
    push_text(p, "}");
    push_expression(p, base, WHOLE);
    push_text(p, "\\sqrt{");
    return;
  }
  if (is_square_root(p, e)) {
    push_call(p, "sqrt", e, 1);
    return;
  }
  mpq_srcptr q = ritti_rational_of(p->dag, exponent);
  if (mpq_sgn(q) < 0 && mpz_cmpabs_ui(mpq_numref(q), 1) == 0 && is_integer(p, exponent)) {
    push_expression(p, base, FACTOR);
    return;
  }
  bool whole = is_integer(p, exponent);
  if (p->latex || !whole) push_text(p, p->latex ? "}" : ")");
  push_piece(p, (piece){.kind = whole ? NUMERATOR : UNSIGNED, .e = exponent});
  if (p->latex || !whole) push_text(p, p->latex ? "{" : "(");
  push_text(p, "^");
  push_base(p, base);
}

static void push_power(printer *p, ritti_expr e) {
  int sign = power_sign(p, e);
  if (sign > 0) push_positive_power(p, e);
  else if (sign < 0) push_product(p, e);
  else {
    if (p->latex) push_text(p, "}");
    push_expression(p, argument_of(p, e, 1), p->latex ? WHOLE : BASE);
    push_text(p, p->latex ? "^{" : "^");
    push_base(p, argument_of(p, e, 0));
  }
}

/* ---- writing ---- */
static void write_integer(printer *p, mpz_srcptr z) {
  char *text = ritti_malloc(mpz_sizeinbase(z, 10) + 2);
  if (!text) {
    p->status = RITT_NO_MEMORY;
    return;
  }
  mpz_get_str(text, 10, z);
  const char *digits = *text == '-' ? text + 1 : text;
  ritti_text_add_bytes(p->out, digits, strlen(digits));
  ritti_free(text);
}

static const char *const GREEK[] = {
    "alpha",  "beta",  "gamma", "delta", "epsilon", "zeta",   "eta",   "theta", "kappa",
    "lambda", "mu",    "nu",    "xi",    "rho",     "sigma",  "tau",   "phi",   "chi",
    "psi",    "omega", "Gamma", "Delta", "Theta",   "Lambda", "Sigma", "Phi",   "Omega"};

/* lambda2 becomes \lambda_{2}, a word of several letters stands upright */
static void write_latex_name(printer *p, const char *name) {
  size_t length = strlen(name), letters = length;
  while (letters > 1 && name[letters - 1] >= '0' && name[letters - 1] <= '9') letters--;
  size_t word = letters > 1 && name[letters - 1] == '_' ? letters - 1 : letters;
  bool greek = false;
  for (size_t i = 0; i < sizeof GREEK / sizeof *GREEK; i++)
    greek = greek || (strlen(GREEK[i]) == word && !strncmp(GREEK[i], name, word));
  ritti_text_add(p->out, "%s", greek ? "\\" : word > 1 ? "\\mathrm{" : "");
  for (size_t i = 0; i < word; i++)
    ritti_text_add(p->out, "%s%c", name[i] == '_' ? "\\" : "", name[i]);
  if (!greek && word > 1) ritti_text_add(p->out, "}");
  if (letters < length) ritti_text_add(p->out, "_{%s}", name + letters);
}

static void write_name(printer *p, const char *const *names, const char *otherwise, int index) {
  if (names && names[index] && p->latex) write_latex_name(p, names[index]);
  else if (names && names[index]) ritti_text_add(p->out, "%s", names[index]);
  else ritti_text_add(p->out, p->latex ? "%s_{%d}" : "%s_%d", otherwise, index + 1);
}

static void write_jet(printer *p, ritti_expr e) {
  int order = ritti_order_of(p->dag, e);
  if (order > LAST_PRIME && !p->latex) ritti_text_add(p->out, "der(");
  write_name(p, p->names ? p->names->variable : NULL, "y", ritti_index_of(p->dag, e));
  if (order > LAST_PRIME) ritti_text_add(p->out, p->latex ? "^{(%d)}" : ", %d)", order);
  else ritti_text_add_bytes(p->out, "'''", (size_t)order);
}

static void write_unsigned_number(printer *p, ritti_expr e) {
  mpq_srcptr q = ritti_rational_of(p->dag, e);
  write_integer(p, mpq_numref(q));
  if (is_integer(p, e)) return;
  ritti_text_add_bytes(p->out, "/", 1);
  write_integer(p, mpq_denref(q));
}

static void write_leaf(printer *p, ritti_expr e) {
  static const ritti_names none;
  const ritti_names *names = p->names ? p->names : &none;
  switch (op_of(p, e)) {
  case RITTI_PI: ritti_text_add(p->out, p->latex ? "\\pi" : "pi"); break;
  case RITTI_INDEPENDENT:
    ritti_text_add(p->out, "%s", names->independent ? names->independent : "t");
    break;
  case RITTI_JET: write_jet(p, e); break;
  case RITTI_PARAMETER:
    write_name(p, names->parameter, "parameter", ritti_index_of(p->dag, e));
    break;
  case RITTI_LEVEL: write_name(p, names->level, "level", ritti_index_of(p->dag, e)); break;
  case RITTI_SIDE: write_name(p, NULL, "side", ritti_index_of(p->dag, e)); break;
  case RITTI_MULTIPLIER: write_name(p, NULL, "mu", ritti_index_of(p->dag, e)); break;
  default: ritti_text_add(p->out, "?"); break;
  }
}

static void expand_piece(printer *p, ritti_expr e, level wanted) {
  if (level_of(p, e) < wanted) {
    push_close(p);
    push_expression(p, e, WHOLE);
    push_open(p);
    return;
  }
  if (coefficient_of(p, e)) {
    push_piece(p, (piece){.kind = UNSIGNED, .e = e});
    if (is_negative(p, e)) push_text(p, "-");
    return;
  }
  switch (op_of(p, e)) {
  case RITTI_ADD: push_sum(p, e, true); break;
  case RITTI_MULTIPLY: push_product(p, e); break;
  case RITTI_POWER: push_power(p, e); break;
  case RITTI_STEP: /* the language has no step */
    push_text(p, "))/2");
    push_expression(p, argument_of(p, e, 0), WHOLE);
    push_text(p, "(1 + sign(");
    break;
  case RITTI_FLOOR:
  case RITTI_CEIL: push_whole_part(p, e); break;
  case RITTI_TABLE: push_table(p, e); break;
  case RITTI_WHEN:
  case RITTI_UNLESS:
    push_text(p, p->latex ? "\\text{ else } 0)" : " else 0)");
    push_expression(p, argument_of(p, e, 1), WHOLE);
    push_text(p, op_of(p, e) == RITTI_WHEN ? p->latex ? " > 0\\text{ then }" : " > 0 then "
                 : p->latex                ? " \\le 0\\text{ then }"
                                           : " <= 0 then ");
    push_expression(p, argument_of(p, e, 0), WHOLE);
    push_text(p, p->latex ? "(\\text{if }" : "(if ");
    break;
  default:
    if (ritti_is_leaf(p->dag, e)) write_leaf(p, e);
    else push_call(p, ritti_op_text[op_of(p, e)], e, ritti_argument_count(p->dag, e));
  }
}

static void write_signed_term(printer *p, ritti_expr e, bool first) {
  if (op_of(p, e) == RITTI_ADD) {
    push_sum(p, e, first);
    return;
  }
  bool negative = is_negative(p, e);
  ritti_text_add(p->out, "%s", first ? negative ? "-" : "" : negative ? " - " : " + ");
  if (negative) push_piece(p, (piece){.kind = UNSIGNED, .e = e});
  else push_expression(p, e, TERM);
}

static void write_piece(printer *p, piece item) {
  switch (item.kind) {
  case TEXT: ritti_text_add_bytes(p->out, item.text, strlen(item.text)); break;
  case EXPRESSION: expand_piece(p, item.e, item.level); break;
  case SIGNED_TERM: write_signed_term(p, item.e, item.first); break;
  case UNSIGNED:
    if (is_number(p, item.e)) write_unsigned_number(p, item.e);
    else push_product(p, item.e);
    break;
  case NUMERATOR: write_integer(p, mpq_numref(ritti_rational_of(p->dag, item.e))); break;
  case DENOMINATOR: write_integer(p, mpq_denref(ritti_rational_of(p->dag, item.e))); break;
  case POSITIVE: push_positive_power(p, item.e); break;
  }
}

static void print_expr(const ritti_dag *dag, ritti_expr root, const ritti_names *names, bool latex,
                       ritti_text *out) {
  printer p = {.dag = dag, .names = names, .out = out, .latex = latex};
  size_t start = out->count;
  if (root == RITTI_NIL) return;
  push_expression(&p, root, WHOLE);
  while (p.todo.count && p.status == RITT_OK && out->count - start <= LONGEST)
    write_piece(&p, p.todo.at[--p.todo.count]);
  if (p.todo.count) ritti_text_add(out, "...");
  if (p.status != RITT_OK) out->status = p.status;
  RITTI_ARRAY_FREE(p.todo);
}

void ritti_dag_print(const ritti_dag *dag, ritti_expr root, const ritti_names *names,
                     ritti_text *out) {
  print_expr(dag, root, names, false, out);
}

void ritti_dag_print_latex(const ritti_dag *dag, ritti_expr root, const ritti_names *names,
                           ritti_text *out) {
  print_expr(dag, root, names, true, out);
}
