/* Independent columns of a sparse matrix by elimination, in groups of preference.
 *
 * In: a matrix by rows, equilibrated, and for every column a group. Out: which columns are
 * independent of those taken before them. Group by group the active rows are eliminated with pivots
 * from that group's columns only: the shortest column first, and in it the shortest row whose entry
 * is not small against the others (Markowitz 1957, with threshold pivoting). Entries in columns of
 * later groups are not carried along, which would fill the matrix; a row that is left over when a
 * group is done gets them from the combination of rows it has become. Rows that were not touched,
 * the usual case, stay as they are.
 */
#include "linalg/sparse_impl.h"

enum {
  MOST_COMBINED = 64, /* rows left over whose combination is followed */
  LONG = 256,         /* rows from here on are kept spread out, too, */
  MOST_LONG = 32      /* upper limit of the number of long rows */
};
static const ritt_real THRESHOLD = (ritt_real)0.1;

typedef struct entry {
  int at; /* column */
  ritt_real value;
} entry;

/* row `from`, multiplied by a number, was subtracted from row `to` */
typedef struct update {
  int from, to;
  ritt_real factor;
} update;

typedef struct elimination {
  const ritti_pattern *p;
  const ritt_real *a;
  const int *group;
  bool *taken, *used; /* columns; rows that are pivot rows */
  entry **row;        /* of the current group */
  int *length, *room; /* of each row */
  ritt_real *
      *full;    /* long rows: their values by columns, those of the entries do not count; NULL */
  bool **holds; /* long rows: which columns have an entry */
  int longs;
  int **rows_of, *count, *most;     /* column: rows that (may) hold it, how many, room */
  int *head, *next, *before, heads; /* columns by how many rows they have; -1: in none */
  ritt_real *spread;                /* of each column: the pivot row */
  int *mark;                        /* of each column */
  int stamp;
  ritti_arena *arena;
  RITTI_ARRAY(update) updates;
  entry **extra; /* rows left over: what their combinations hold, all columns */
  int *extras;
} elimination;

/* ---- columns by length ---- */

/* Takes column j out of the list of columns with its number of rows; before[j] = -2 marks a
   column that is in no list. */
static void take_out(elimination *E, int j) {
  if (E->before[j] == -2) return;
  if (E->before[j] >= 0) E->next[E->before[j]] = E->next[j];
  else E->head[-E->before[j] - 3] = E->next[j];
  if (E->next[j] >= 0) E->before[E->next[j]] = E->before[j];
  E->before[j] = -2;
}

/* A column without a predecessor remembers its list as -3 - list. */
static void put_in(elimination *E, int j) {
  int list = E->count[j] < E->heads ? E->count[j] : E->heads - 1;
  E->next[j] = E->head[list];
  if (E->next[j] >= 0) E->before[E->next[j]] = j;
  E->head[list] = j;
  E->before[j] = -3 - list;
}

/* Removes row i from the list of rows that column j has entries in; the order is not kept. */
static void drop_from_column(elimination *E, int j, int i) {
  int *rows = E->rows_of[j];
  for (int k = 0; k < E->count[j]; k++)
    if (rows[k] == i) {
      rows[k] = rows[--E->count[j]];
      return;
    }
}

/* Adds an entry to active row i, and row i to the list of its column. */
static ritt_status add_to_row(elimination *E, int i, int j, ritt_real value) {
  if (E->full[i]) E->full[i][j] = value, E->holds[i][j] = true;
  if (E->length[i] == E->room[i]) {
    entry *longer;
    int room = E->room[i] ? 2 * E->room[i] : 8;
    RITTI_NEW(longer, E->arena, room);
    if (E->length[i]) memcpy(longer, E->row[i], (size_t)E->length[i] * sizeof *longer);
    E->row[i] = longer;
    E->room[i] = room;
  }
  E->row[i][E->length[i]++] = (entry){j, value};

  /* the list of column j */
  if (E->count[j] == E->most[j]) {
    int *longer, most = E->most[j] ? 2 * E->most[j] : 4;
    RITTI_NEW(longer, E->arena, most);
    if (E->count[j]) memcpy(longer, E->rows_of[j], (size_t)E->count[j] * sizeof *longer);
    E->rows_of[j] = longer;
    E->most[j] = most;
  }
  E->rows_of[j][E->count[j]++] = i;
  return RITT_OK;
}

/* ---- one group ---- */

/* The entries of a row: as given, or as they have become. */
static int entries_of(const elimination *E, int i) {
  return E->extra[i] ? E->extras[i] : E->p->start[i + 1] - E->p->start[i];
}
/* Entry k of row i as it was at the beginning of the group: the matrix's, or that of a
   combination. */
static entry entry_of(const elimination *E, int i, int k) {
  if (E->extra[i]) return E->extra[i][k];
  int e = E->p->start[i] + k;
  return (entry){E->p->col[e], E->a[e]};
}

/* The entry of active row i in column j; 0 if it has none. */
static ritt_real value_at(const elimination *E, int i, int j) {
  if (E->full[i]) return E->full[i][j];
  for (int k = 0; k < E->length[i]; k++)
    if (E->row[i][k].at == j) return E->row[i][k].value;
  return 0;
}

/* The pivot row of a column: the shortest with an entry that is not small in the column; -1: all
 * are tiny. */
static int pivot_row(const elimination *E, int j, ritt_real small) {
  ritt_real most = 0;
  int best = -1;
  for (int k = 0; k < E->count[j]; k++)
    most = RITTI_MATH(fmax)(most, RITTI_MATH(fabs)(value_at(E, E->rows_of[j][k], j)));
  if (!(most > small)) return -1;
  for (int k = 0; k < E->count[j]; k++) {
    int i = E->rows_of[j][k];
    if (RITTI_MATH(fabs)(value_at(E, i, j)) < THRESHOLD * most) continue;
    // cppcheck-suppress arrayIndexThenCheck ; the last comparison is no check of limits
    if (best < 0 || E->length[i] < E->length[best] || (E->length[i] == E->length[best] && i < best))
      best = i;
  }
  return best;
}

/* Row i -= factor * pivot row; entries where row i had none come last. */
static ritt_status subtract_row(elimination *E, int pivot, int i, int j) {
  ritt_real factor = value_at(E, i, j) / E->spread[j], *full = E->full[i];
  int stamp = ++E->stamp;
  if (full) full[j] = 0;
  else {
    /* A short row i -= factor * pivot row, which is spread out; column j goes out of it. */
    int kept = 0;
    for (int k = 0; k < E->length[i]; k++) {
      entry x = E->row[i][k];
      if (x.at == j) continue;
      E->mark[x.at] = stamp;
      x.value -= factor * E->spread[x.at];
      E->row[i][kept++] = x;
    }
    E->length[i] = kept;
  }
  /* the entries of the pivot row in all other columns */
  for (int k = 0; k < E->length[pivot]; k++) {
    int c = E->row[pivot][k].at;
    ritt_real value = E->spread[c];
    if (c == j || value == 0) continue;
    if (full && E->holds[i][c]) full[c] -= factor * value;
    else if (full || E->mark[c] != stamp) {
      take_out(E, c);
      RITT_TRY(add_to_row(E, i, c, -factor * value));
      put_in(E, c);
    }
  }
  return RITTI_PUSH(E->updates, (update){.from = pivot, .to = i, .factor = factor});
}

/* Eliminates column j from all active rows with pivot row i. */
static ritt_status eliminate_pivot(elimination *E, int i, int j) {
  ritt_status status = RITT_OK;
  E->taken[j] = E->used[i] = true;
  /* spread out the pivot row */
  for (int k = 0; k < E->length[i]; k++) {
    int c = E->row[i][k].at;
    E->spread[c] = E->full[i] ? E->full[i][c] : E->row[i][k].value;
  }
  for (int k = 0; k < E->count[j] && status == RITT_OK; k++)
    if (E->rows_of[j][k] != i) status = subtract_row(E, i, E->rows_of[j][k], j);
  // the pivot row and column are no longer active
  for (int k = 0; k < E->length[i]; k++) {
    int c = E->row[i][k].at;
    E->spread[c] = 0;
    if (c == j) continue;
    take_out(E, c);
    drop_from_column(E, c, i);
    if (E->count[c]) put_in(E, c);
  }
  E->count[j] = 0;
  return status;
}

/* ---- rows left over ---- */

/* The combination of rows that row i has become, in all columns of later groups. weight: rows, all
 * 0. */
static ritt_status combine_rows(elimination *E, int i, int group, ritt_real *weight) {
  const ritti_pattern *p = E->p;
  int count = 0, stamp = ++E->stamp;
  /* the weights of the original rows, from the last update to the first */
  weight[i] = 1;
  for (size_t u = E->updates.count; u-- > 0;) {
    const update *x = &E->updates.at[u];
    weight[x->from] -= x->factor * weight[x->to];
  }
  /* their sum, over the columns of later groups */
  for (int r = 0; r < p->rows; r++) {
    if (weight[r] == 0) continue;
    for (int k = 0; k < entries_of(E, r); k++) {
      entry x = entry_of(E, r, k);
      if (E->group[x.at] <= group) continue;
      if (E->mark[x.at] != stamp) E->mark[x.at] = stamp, E->spread[x.at] = 0, count++;
      E->spread[x.at] += weight[r] * x.value;
    }
  }
  /* keep the entries that were touched */
  entry *out;
  RITTI_NEW(out, E->arena, count + 1);
  count = 0;
  for (int j = 0; j < p->cols; j++)
    if (E->mark[j] == stamp) out[count++] = (entry){j, E->spread[j]}, E->spread[j] = 0;
  for (int r = 0; r < p->rows; r++) weight[r] = 0;
  E->row[i] = out; // kept until all rows are combined
  E->length[i] = count;
  return RITT_OK;
}

/* Replaces the rows that this group has changed by their combinations, for the later groups.
   *sure becomes false if there are too many. */
static ritt_status follow_weights(elimination *E, int group, ritt_real *weight, bool *sure) {
  bool *changed;
  int combined = 0, rows = E->p->rows;
  RITTI_NEW(changed, E->arena, rows + 1);
  /* combine all of them from the old rows before any is replaced */
  for (size_t u = 0; u < E->updates.count; u++) changed[E->updates.at[u].to] = true;
  for (int i = 0; i < rows && *sure; i++)
    if (changed[i] && !E->used[i]) {
      *sure = ++combined <= MOST_COMBINED;
      if (*sure) RITT_TRY(combine_rows(E, i, group, weight));
    }
  /* now replace them */
  for (int i = 0; i < rows && *sure; i++)
    if (changed[i] && !E->used[i]) {
      E->extra[i] = E->row[i], E->extras[i] = E->length[i];
      E->row[i] = NULL, E->room[i] = 0;
    }
  E->updates.count = 0;
  return RITT_OK;
}

/* Allocates the rows, columns and lists of an elimination. */
static ritt_status set_up(elimination *E) {
  int rows = E->p->rows, cols = E->p->cols;
  RITTI_NEW_ARRAYS(E->arena, rows + 1, E->used, E->row, E->length, E->room, E->full, E->holds,
                   E->extra, E->extras);
  RITTI_NEW_ARRAYS(E->arena, cols + 1, E->rows_of, E->count, E->most, E->next, E->before, E->spread,
                   E->mark);
  E->heads = 64;
  RITTI_NEW(E->head, E->arena, E->heads);
  return RITT_OK;
}

/* Chooses columns group by group, with the column of fewest rows as the next pivot. */
static ritt_status run_elimination(elimination *E, int groups, ritt_real small, bool *sure) {
  ritt_real *weight;
  RITT_TRY(set_up(E));
  RITTI_NEW(weight, E->arena, E->p->rows + 1);
  *sure = true;
  for (int group = 0; group < groups && *sure; group++) {
    /* The active rows in the columns of a group. */
    const ritti_pattern *p = E->p;
    for (int j = 0; j < p->cols; j++) E->count[j] = 0, E->before[j] = -2;
    for (int k = 0; k < E->heads; k++) E->head[k] = -1;
    for (int i = 0; i < p->rows; i++) {
      /* Makes room for a long row spread out. */
      size_t cols = (size_t)E->p->cols;
      E->length[i] = 0;
      if (E->full[i]) {
        memset(E->full[i], 0, cols * sizeof *E->full[i]);
        memset(E->holds[i], 0, cols * sizeof *E->holds[i]);
      } else if (entries_of(E, i) >= LONG && E->longs < MOST_LONG) {
        RITTI_NEW_ARRAYS(E->arena, cols + 1, E->full[i], E->holds[i]);
        E->longs++;
      }

      for (int k = 0; !E->used[i] && k < entries_of(E, i); k++) {
        entry x = entry_of(E, i, k);
        if (E->group[x.at] == group && x.value != 0) RITT_TRY(add_to_row(E, i, x.at, x.value));
      }
    }
    for (int j = 0; j < p->cols; j++)
      if (E->group[j] == group && E->count[j]) put_in(E, j);

    /* shortest columns first; after each pivot from the beginning, since counts change */
    for (int list = 1; list < E->heads;) {
      int j = E->head[list];
      if (j < 0) {
        list++;
        continue;
      }
      take_out(E, j);
      int i = pivot_row(E, j, small);
      if (i < 0) continue; // it depends on those taken, and stays so
      RITT_TRY(eliminate_pivot(E, i, j));
      list = 1;
    }

    if (group + 1 < groups) RITT_TRY(follow_weights(E, group, weight, sure));
  }
  return RITT_OK;
}

/* Marks in `taken` a maximal set of independent columns, those of earlier groups first. *sure is
   false if the elimination was given up. */
ritt_status ritti_independent_columns(const ritti_pattern *p, const ritt_real *a, const int *group,
                                      int groups, ritt_real small, bool *taken, bool *sure) {
  elimination E = {.p = p, .a = a, .group = group, .taken = taken, .arena = ritti_arena_new()};
  memset(taken, 0, (size_t)p->cols * sizeof *taken);
  ritt_status status = E.arena ? run_elimination(&E, groups, small, sure) : RITT_NO_MEMORY;
  ritti_arena_free(E.arena);
  RITTI_ARRAY_FREE(E.updates);
  return status;
}
