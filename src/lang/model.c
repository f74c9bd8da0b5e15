/* Text -> Model: calls the passes in order. A model with a mistake is not returned; all its
 * mistakes are reported. */
#include "lang_impl.h"

void ritti_model_free(ritti_model *model) {
  if (!model) return;
  ritti_dag_free(model->dag);
  ritti_arena_free(model->arena); /* contains the model itself */
}

/* An empty model. NULL: no memory. */
static ritti_model *model_new(const char *file) {
  ritti_arena *arena = ritti_arena_new();
  ritti_model *m = arena ? ritti_arena_alloc(arena, 1, sizeof *m) : NULL;
  if (!m) {
    ritti_arena_free(arena);
    return NULL;
  }

  m->arena = arena;
  m->dag = ritti_dag_new();
  m->file = ritti_arena_text(arena, file, strlen(file));
  if (m->dag && m->file) return m;
  ritti_model_free(m);
  return NULL;
}

/* Checks the text, makes tokens, parses and resolves. */
static ritt_status read_passes(ritti_reader *r, ritti_syntax *syntax, ritti_resolver *s,
                               size_t length, const ritti_override *override, size_t overrides) {
  ritti_source own = {
      .file = r->file, .id = r->files ? r->files->id : NULL, .token = NO_TOKEN, .open = true};
  RITT_TRY(RITTI_PUSH(r->sources, own));
  if (!ritti_source_check(r, 0, length)) return r->status;
  if (!ritti_lex(r, 0)) return r->status;
  RITT_TRY(ritti_parse(r, syntax));
  if (r->full) return r->status;
  return ritti_resolve(s, override, overrides);
}

const char *ritti_line_text(ritti_arena *arena, const ritti_model *model,
                            const ritti_place *place) {
  bool other = place->file && model->file && strcmp(place->file, model->file);
  const char *text = other ? ritti_arena_format(arena, "line %d of %s", place->line, place->file)
                           : ritti_arena_format(arena, "line %d", place->line);
  return text ? text : "";
}

ritt_status ritti_model_read(const char *text, size_t length, const char *file,
                             const ritti_override *override, size_t overrides, ritt_error *error,
                             ritti_model **out) {
  return ritti_model_read_with(text, length, file, NULL, override, overrides, error, out);
}

ritt_status ritti_model_read_with(const char *text, size_t length, const char *file,
                                  const ritti_files *files, const ritti_override *override,
                                  size_t overrides, ritt_error *error, ritti_model **out) {
  *out = NULL;
  ritti_model *m = model_new(file ? file : "model");
  if (!m) return ritti_no_memory(error);

  /* the passes */
  ritti_reader r = {.file = m->file,
                    .text = text,
                    .keep = m->arena,
                    .scratch = ritti_arena_new(),
                    .files = files};
  ritti_syntax syntax = {0};
  ritti_resolver s = {.reader = &r, .syntax = &syntax, .model = m, .dag = m->dag};
  if (!r.scratch) r.status = RITT_NO_MEMORY;
  else if (read_passes(&r, &syntax, &s, length, override, overrides) != RITT_OK)
    r.status = RITT_NO_MEMORY;
  if (ritti_dag_status(m->dag) != RITT_OK) r.status = RITT_NO_MEMORY;

  /* the messages decide whether there is a model */
  ritt_status status = ritti_notes_tell(&r, error);
  ritti_resolver_clear(&s);
  RITTI_ARRAY_FREE(syntax.broken);
  ritti_reader_clear(&r);
  if (status == RITT_OK) *out = m;
  else ritti_model_free(m);
  return status;
}
