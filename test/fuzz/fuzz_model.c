/* Fuzz target: any bytes are either read as a model or refused with at least one message. */
#include "choices.h"
#include "lang/lang.h"

/* Messages have a text, and their place lies in the text. */
static void look_at_messages(const ritt_error *error) {
  for (size_t i = 0; i < ritt_error_count(error); i++) {
    const ritt_message *m = ritt_error_get(error, i);
    must(m->text && *m->text && m->line >= 0 && (m->line == 0 || m->column >= 1));
    size_t characters = 0;
    for (const char *c = m->source; c && *c; c++) characters += ((unsigned char)*c & 0xc0) != 0x80;
    must(!m->source || (size_t)m->column <= characters + 1);
    if (i > 0) must(ritt_error_get(error, i - 1)->line <= m->line || m->line == 0);
  }
}

/* What a model must keep whatever its text was. */
static void look_at_model(const ritti_model *m) {
  must(m->name && m->independent && m->variables > 0 && m->equations > 0);
  for (int i = 0; i < m->parameters; i++)
    must(m->parameter[i].value && isfinite(m->parameter[i].number));
  for (int i = 0; i < m->equations; i++) must(m->equation[i].residual != RITTI_NIL);
  for (int i = 0; i < m->starts; i++) must(isfinite(m->start[i].number) && m->start[i].text);
  for (int i = 0; i < m->outputs; i++) must(m->output[i].name && m->output[i].expr != RITTI_NIL);
  for (int i = 0; i < m->panels; i++)
    for (int k = 0; k < m->panel[i].curves; k++) {
      const ritti_curve_def *c = &m->panel[i].curve[k];
      must(c->x < m->plot_columns && c->y < m->plot_columns && c->z < m->plot_columns &&
           c->event < m->events);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ritt_error *error = ritt_error_new();
  ritti_model *model = NULL;
  if (!error) return 0;
  ritti_override override = {"a", "1/3"};
  size_t overrides = size > 0 && data[size - 1] == 'a';
  ritt_status status =
      ritti_model_read((const char *)data, size, "fuzz.ritt", &override, overrides, error, &model);
  must((status == RITT_OK) == (model != NULL) &&
       (status == RITT_OK) == (ritt_error_count(error) == 0));
  look_at_messages(error);
  if (model) look_at_model(model);
  ritti_model_free(model);
  ritt_error_free(error);
  return 0;
}
