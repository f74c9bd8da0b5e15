/* The points of a run that its view needs, and the view as data: the columns that the scene and the
 * plots use, as numbers of single precision in base64. */
#include "view_impl.h"

enum {
  MOST_VALUES = 1000000, /* numbers of a view, about */
  LEAST_ROWS = 250,
  MOST_ROWS = 20000,
  CURVES_PER_PANEL = 4,
  MOST_PANELS = 6 /* panels of a model that has no plots */
};

/* ---- the columns ---- */

/* Finds or adds the kept column for a column of the rows. */
static ritt_status keep_column(ritti_view *v, size_t column, size_t *out) {
  for (*out = 0; *out < v->column.count; ++*out)
    if (v->column.at[*out] == column) return RITT_OK;
  return RITTI_PUSH(v->column, column);
}

static ritt_status copy_word(ritti_view *v, const char *text, const char **out) {
  *out = text ? ritti_arena_text(v->arena, text, strlen(text)) : NULL;
  return text && !*out ? RITT_NO_MEMORY : RITT_OK;
}

/* Takes the shapes. Their columns are new, one after the other, so they need no search. */
static ritt_status take_figures(ritti_view *v, const ritt_figure *figure, size_t count) {
  size_t first = SIZE_MAX, base = v->column.count;
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < figure[i].looks; k++)
      for (size_t c = 0; c < figure[i].look[k].columns; c++)
        if (figure[i].look[k].column[c] < first) first = figure[i].look[k].column[c];

  RITTI_NEW(v->figure, v->arena, count + 1);
  for (size_t i = 0; i < count; i++) {
    ritti_view_figure *f = &v->figure[v->figures++];
    RITT_TRY(copy_word(v, figure[i].word, &f->word));
    RITTI_NEW(f->look, v->arena, figure[i].looks);
    for (size_t k = 0; k < figure[i].looks; k++) {
      const ritt_look *from = &figure[i].look[k];
      ritti_view_look *look = &f->look[f->looks++];
      RITT_TRY(copy_word(v, from->word, &look->word));
      RITT_TRY(copy_word(v, from->text, &look->text));
      look->columns = from->columns;
      RITTI_NEW(look->column, v->arena, from->columns + 1);
      for (size_t c = 0; c < from->columns; c++) {
        look->column[c] = base + from->column[c] - first;
        while (v->column.count <= look->column[c]) {
          size_t next = first + v->column.count - base;
          RITT_TRY(RITTI_PUSH(v->column, next));
        }
      }
    }
  }
  return RITT_OK;
}

static ritt_status take_curve(ritti_view *v, const ritt_curve *from, const char *const *unit) {
  const size_t column[3] = {from->x, from->y, from->z};
  const char *const name[3] = {from->x_name, from->y_name, from->z_name};
  ritti_view_curve *c = &v->curve[v->curves++];
  *c = (ritti_view_curve){.panel = from->panel, .dimensions = from->z_name ? 3 : 2};
  RITT_TRY(copy_word(v, from->event, &c->event));
  for (int i = 0; i < c->dimensions; i++) {
    RITT_TRY(keep_column(v, column[i], &c->column[i]));
    RITT_TRY(copy_word(v, name[i], &c->name[i]));
    RITT_TRY(copy_word(v, unit ? unit[column[i]] : "", &c->unit[i]));
  }
  for (int i = 0; i < 2; i++) {
    c->axis[i] = from->axis[i];
    RITT_TRY(copy_word(v, from->axis[i].label, &c->axis[i].label));
  }
  return RITT_OK;
}

/* Takes the curves of the plots; if there are none, the columns over the first one. */
static ritt_status take_curves(ritti_view *v, const ritt_curve *curve, size_t count,
                               const char *const *name, const char *const *unit, size_t columns) {
  size_t own =
      columns - 1 < CURVES_PER_PANEL * MOST_PANELS ? columns - 1 : CURVES_PER_PANEL * MOST_PANELS;
  RITTI_NEW(v->curve, v->arena, count ? count : own);
  for (size_t i = 0; i < count; i++) RITT_TRY(take_curve(v, &curve[i], unit));
  for (size_t i = 1; i <= own && !count; i++) {
    ritt_curve c = {.panel = (int)((i - 1) / CURVES_PER_PANEL),
                    .x = 0,
                    .y = i,
                    .x_name = name[0],
                    .y_name = name[i]};
    RITT_TRY(take_curve(v, &c, unit));
  }
  return RITT_OK;
}

static ritt_status fill_view(ritti_view *v, ritt_model *model, ritt_error *error) {
  const ritt_figure *figure;
  const ritt_curve *curve;
  const char *const *name, *const *unit;
  size_t figures, curves, columns, all;
  RITT_TRY(ritt_model_scene(model, error, &figure, &figures));
  RITT_TRY(ritt_model_curves(model, error, &curve, &curves));
  RITT_TRY(ritt_model_columns(model, error, &name, &columns));
  RITT_TRY(ritt_model_units(model, error, &unit, &all));

  /* names, then columns; the run's variable is the first of them */
  size_t first;
  RITT_TRY(copy_word(v, ritt_model_name(model), &v->name));
  RITT_TRY(copy_word(v, ritt_model_title(model), &v->title));
  RITT_TRY(copy_word(v, name[0], &v->variable));
  RITT_TRY(copy_word(v, unit ? unit[0] : "", &v->unit));
  RITT_TRY(keep_column(v, 0, &first));
  RITT_TRY(take_curves(v, curve, curves, name, unit, columns));
  RITT_TRY(take_figures(v, figure, figures));

  /* room */
  RITTI_NEW(v->last, v->arena, v->column.count);
  v->most = MOST_VALUES / v->column.count;
  if (v->most < LEAST_ROWS) v->most = LEAST_ROWS;
  if (v->most > MOST_ROWS) v->most = MOST_ROWS;
  return RITT_OK;
}

ritt_status ritti_view_new(ritt_model *model, ritt_error *error, ritti_view **out) {
  ritti_arena *arena = ritti_arena_new();
  ritti_view *v = arena ? ritti_arena_alloc(arena, 1, sizeof *v) : NULL;
  *out = NULL;
  if (!v) {
    ritti_arena_free(arena);
    return ritti_no_memory(error);
  }
  *v = (ritti_view){.arena = arena, .stride = 1};
  ritt_status status = fill_view(v, model, error);
  if (status == RITT_OK) *out = v;
  else ritti_view_free(v);
  return status == RITT_NO_MEMORY ? ritti_no_memory(error) : status;
}

void ritti_view_free(ritti_view *v) {
  if (!v) return;
  for (size_t i = 0; i < v->curves; i++) RITTI_ARRAY_FREE(v->curve[i].points);
  RITTI_ARRAY_FREE(v->column);
  RITTI_ARRAY_FREE(v->rows);
  ritti_arena_free(v->arena);
}

long ritti_view_fine_points(const ritti_view *v) { return (long)(v->most < 5000 ? v->most : 5000); }

bool ritti_view_has_scene(const ritti_view *v) { return v->figures > 0; }

/* ---- the points ---- */

/* Adds the last point to the rows. */
static ritt_status add_row(ritti_view *v) {
  for (size_t i = 0; i < v->column.count; i++) RITT_TRY(RITTI_PUSH(v->rows, v->last[i]));
  v->pending = false;
  return RITT_OK;
}

/* Drops every second row. */
static void thin_rows(ritti_view *v) {
  size_t n = v->column.count, rows = ritti_view_rows(v), kept = 0;
  for (size_t i = 0; i < rows; i += 2, kept++)
    memmove(v->rows.at + kept * n, v->rows.at + i * n, n * sizeof *v->rows.at);
  v->rows.count = kept * n;
  v->stride *= 2;
}

ritt_status ritti_view_add(ritti_view *v, const double *values) {
  for (size_t i = 0; i < v->column.count; i++) v->last[i] = values[v->column.at[i]];
  v->pending = true;
  if (v->skipped++ % v->stride != 0) return RITT_OK;
  if (ritti_view_rows(v) >= 2 * v->most) thin_rows(v);
  return add_row(v);
}

ritt_status ritti_view_add_event(ritti_view *v, const char *event, const double *values) {
  for (size_t i = 0; i < v->curves; i++) {
    ritti_view_curve *c = &v->curve[i];
    if (!c->event || strcmp(c->event, event) || c->points.count > MOST_ROWS * 3) continue;
    for (int k = 0; k < c->dimensions; k++)
      RITT_TRY(RITTI_PUSH(c->points, values[v->column.at[c->column[k]]]));
  }
  return RITT_OK;
}

ritt_status ritti_view_finish(ritti_view *v) { return v->pending ? add_row(v) : RITT_OK; }

/* ---- the data ---- */

/* Adds bytes in base64. */
static void add_base64(ritti_text *out, const void *bytes, size_t count) {
  static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const unsigned char *at = bytes;
  for (size_t i = 0; i < count; i += 3) {
    size_t left = count - i;
    uint32_t group = (uint32_t)at[i] << 16;
    if (left > 1) group |= (uint32_t)at[i + 1] << 8;
    if (left > 2) group |= at[i + 2];
    char four[4] = {digit[group >> 18], digit[group >> 12 & 63], digit[group >> 6 & 63],
                    digit[group & 63]};
    if (left < 3) four[3] = '=';
    if (left < 2) four[2] = '=';
    ritti_text_add_bytes(out, four, 4);
  }
}

/* Adds a number; what is not finite becomes null. */
static void add_number(ritti_text *out, double value) {
  char text[32];
  if (isfinite(value)) ritti_text_add(out, "%s", ritti_shortest(value, text));
  else ritti_text_add(out, "null");
}

/* Adds a text as JSON that may also stand in a script of a page. */
static void add_string(ritti_text *out, const char *text) {
  ritti_text json = {0};
  ritti_text_add_json(&json, text ? text : "");
  for (const char *c = json.at ? json.at : "\"\""; *c; c++) {
    if (*c == '<') ritti_text_add(out, "\\u003c");
    else ritti_text_add_bytes(out, c, 1);
  }
  if (json.status != RITT_OK) out->status = json.status;
  ritti_text_free(&json);
}

/* Adds the kept columns: a number if it is constant, else single precision in base64. */
static ritt_status add_columns(const ritti_view *v, ritti_text *out) {
  size_t n = v->column.count, rows = ritti_view_rows(v);
  float *single = ritti_malloc((rows + 1) * sizeof *single);
  if (!single) return RITT_NO_MEMORY;
  ritti_text_add(out, "\"columns\":[");
  for (size_t c = 0; c < n; c++) {
    bool constant = true;
    for (size_t i = 0; i < rows; i++) {
      double value = v->rows.at[i * n + c];
      single[i] = (float)value;
      constant = constant && value == v->rows.at[c];
    }
    if (c) ritti_text_add(out, ",");
    if (constant && rows) {
      add_number(out, v->rows.at[c]);
      continue;
    }
    ritti_text_add(out, "\"");
    add_base64(out, single, rows * sizeof *single);
    ritti_text_add(out, "\"");
  }
  ritti_text_add(out, "],\n");
  ritti_free(single);
  return RITT_OK;
}

/* Adds the shapes. */
static void add_figures(const ritti_view *v, ritti_text *out) {
  ritti_text_add(out, "\"figures\":[");
  for (size_t i = 0; i < v->figures; i++) {
    const ritti_view_figure *f = &v->figure[i];
    ritti_text_add(out, "%s{\"word\":\"%s\",\"at\":[", i ? ",\n" : "", f->word);
    const char *comma = "";
    for (size_t k = 0; k < f->looks; k++) {
      if (strcmp(f->look[k].word, "at")) continue;
      ritti_text_add(out, "%s[", comma);
      for (size_t c = 0; c < f->look[k].columns; c++)
        ritti_text_add(out, "%s%zu", c ? "," : "", f->look[k].column[c]);
      ritti_text_add(out, "]");
      comma = ",";
    }
    ritti_text_add(out, "]");
    for (size_t k = 0; k < f->looks; k++) {
      if (!strcmp(f->look[k].word, "at")) continue;
      ritti_text_add(out, ",\"%s\":", f->look[k].word);
      if (f->look[k].text) {
        add_string(out, f->look[k].text);
        continue;
      }
      ritti_text_add(out, "[");
      for (size_t c = 0; c < f->look[k].columns; c++)
        ritti_text_add(out, "%s%zu", c ? "," : "", f->look[k].column[c]);
      ritti_text_add(out, "]");
    }
    ritti_text_add(out, "}");
  }
  ritti_text_add(out, "],\n");
}

/* Adds how the axes of a curve are drawn, if the model says it. */
static void add_axes(const ritti_view_curve *c, ritti_text *out) {
  ritti_text_add(out, ",\"axis\":[");
  for (int i = 0; i < 2; i++) {
    const ritt_axis *axis = &c->axis[i];
    ritti_text_add(out, "%s{\"log\":%d", i ? "," : "", axis->logarithmic);
    if (axis->ranged) {
      ritti_text_add(out, ",\"low\":");
      add_number(out, axis->low);
      ritti_text_add(out, ",\"high\":");
      add_number(out, axis->high);
    }
    if (axis->label) {
      ritti_text_add(out, ",\"label\":");
      add_string(out, axis->label);
    }
    ritti_text_add(out, "}");
  }
  ritti_text_add(out, "]");
}

/* Adds the curves. */
static void add_curves(const ritti_view *v, ritti_text *out) {
  ritti_text_add(out, "\"curves\":[");
  for (size_t i = 0; i < v->curves; i++) {
    const ritti_view_curve *c = &v->curve[i];
    ritti_text_add(out, "%s{\"panel\":%d,\"column\":[", i ? ",\n" : "", c->panel);
    for (int k = 0; k < c->dimensions; k++)
      ritti_text_add(out, "%s%zu", k ? "," : "", c->column[k]);
    ritti_text_add(out, "],\"name\":[");
    for (int k = 0; k < c->dimensions; k++) {
      if (k) ritti_text_add(out, ",");
      add_string(out, c->name[k]);
    }
    ritti_text_add(out, "],\"unit\":[");
    for (int k = 0; k < c->dimensions; k++) {
      if (k) ritti_text_add(out, ",");
      add_string(out, c->unit[k]);
    }
    ritti_text_add(out, "]");
    add_axes(c, out);
    if (c->event) {
      ritti_text_add(out, ",\"event\":");
      add_string(out, c->event);
      ritti_text_add(out, ",\"points\":[");
      for (size_t k = 0; k < c->points.count; k++) {
        if (k) ritti_text_add(out, ",");
        add_number(out, c->points.at[k]);
      }
      ritti_text_add(out, "]");
    }
    ritti_text_add(out, "}");
  }
  ritti_text_add(out, "],\n");
}

ritt_status ritti_view_write_data(ritti_view *v, const char *summary, ritti_text *out) {
  RITT_TRY(ritti_view_finish(v));
  size_t n = v->column.count, rows = ritti_view_rows(v);

  /* names and the values of the run's variable, which need all their digits */
  ritti_text_add(out, "{\"name\":");
  add_string(out, v->name);
  ritti_text_add(out, ",\"title\":");
  add_string(out, v->title);
  ritti_text_add(out, ",\"variable\":");
  add_string(out, v->variable);
  ritti_text_add(out, ",\"unit\":");
  add_string(out, v->unit);
  ritti_text_add(out, ",\"rows\":%zu,\n\"x\":\"", rows);
  double *x = ritti_malloc((rows + 1) * sizeof *x);
  if (!x) return RITT_NO_MEMORY;
  for (size_t i = 0; i < rows; i++) x[i] = v->rows.at[i * n];
  add_base64(out, x, rows * sizeof *x);
  ritti_free(x);
  ritti_text_add(out, "\",\n");

  /* everything else */
  RITT_TRY(add_columns(v, out));
  add_figures(v, out);
  add_curves(v, out);
  ritti_text_add(out, "\"summary\":");
  add_string(out, summary);
  ritti_text_add(out, "}");
  return out->status;
}

/* ---- the page ---- */

/* Adds a text with its marks as characters. */
static void add_escaped(ritti_text *out, const char *text) {
  for (const char *c = text; *c; c++) {
    if (*c == '<') ritti_text_add(out, "&lt;");
    else if (*c == '&') ritti_text_add(out, "&amp;");
    else ritti_text_add_bytes(out, c, 1);
  }
}

static void add_lines(ritti_text *out, const char *const *line) {
  for (; *line; line++) ritti_text_add_bytes(out, *line, strlen(*line));
}

ritt_status ritti_view_write_page(ritti_view *v, const char *summary, ritti_text *out) {
  ritti_text_add(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                      "<link rel=\"icon\" href=\"data:,\">\n<title>");
  add_escaped(out, v->title);
  ritti_text_add(out, "</title>\n<style>\n");
  add_lines(out, ritti_view_style);
  ritti_text_add(out, "</style>\n</head>\n<body>\n<main id=\"view\"></main>\n"
                      "<script type=\"application/json\" id=\"data\">\n");
  RITT_TRY(ritti_view_write_data(v, summary, out));
  ritti_text_add(out, "\n</script>\n<script>\n");
  add_lines(out, ritti_view_script);
  ritti_text_add(out, "rittView(document.getElementById('view'), "
                      "JSON.parse(document.getElementById('data').textContent));\n"
                      "</script>\n</body>\n</html>\n");
  return out->status;
}

/* The text in the place of {{NAME}} in the page; NULL: none. The engine, the models and the worker are
 * those of a browser, which a server does not need. */
static const char *const *find_part(const char *name, size_t length) {
  static const char *const connect[] = {"; connect-src 'self'", NULL};
  static const struct {
    const char *name;
    const char *const *text;
  } parts[] = {{"STYLE", ritti_page_style},
               {"VIEW", ritti_view_script},
               {"PAGE", ritti_page_script},
               {"CONNECT", connect}};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (strlen(parts[i].name) == length && !strncmp(parts[i].name, name, length))
      return parts[i].text;
  return NULL;
}

void ritti_page_write(ritti_text *out) {
  for (const char *const *line = ritti_page_text; *line; line++) {
    const char *rest = *line, *mark, *end;
    while ((mark = strstr(rest, "{{")) && (end = strstr(mark, "}}"))) {
      const char *const *part = find_part(mark + 2, (size_t)(end - mark - 2));
      ritti_text_add_bytes(out, rest, (size_t)(mark - rest));
      if (part) add_lines(out, part);
      rest = end + 2;
    }
    ritti_text_add_bytes(out, rest, strlen(rest));
  }
}
