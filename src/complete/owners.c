/* Dependent equations of a model made of parts, by the part or connection to which they belong.
 *
 * A joint of a mechanism has several equations, which mean nothing to the reader of a report one by
 * one: "H2: all 5 conditions follow from H1".
 */
#include "complete/decide.h"

const ritti_part_def *ritti_owner_of(const ritti_model *model, const char *name) {
  const ritti_part_def *owner = NULL;
  for (int i = 0; i < model->parts; i++) {
    const ritti_part_def *p = &model->part[i];
    size_t length = strlen(p->path);
    if (!strncmp(name, p->path, length) && name[length] == '.' &&
        (!owner || length > strlen(owner->path)))
      owner = p;
  }
  return owner;
}

/* Does the part have unknowns of its own, as a body has and a joint has not? */
static bool has_unknowns(const ritti_model *model, const char *owner) {
  for (int i = 0; i < model->parts; i++)
    if (!strcmp(model->part[i].path, owner)) return model->part[i].unknowns > 0;
  return false;
}

static bool is_dead_of(const ritti_completion *C, const ritti_dead *dead, const char *owner) {
  const char *own = C->model->equation[dead->equation].owner;
  return dead->order == 0 && own && !strcmp(own, owner);
}

/* Marks the equations from which those of the owner follow. */
static int mark_support(const ritti_completion *C, const ritti_selection *S, const char *owner,
                        bool *from) {
  int count = 0;
  memset(from, 0, (size_t)C->model->equations * sizeof *from);
  for (int i = 0; i < S->deads; i++) {
    if (!is_dead_of(C, &S->dead[i], owner)) continue;
    count++;
    for (int k = 0; k < S->dead[i].supports; k++) from[S->dead[i].support[k].equation] = true;
  }
  return count;
}

/* The owners of the marked equations. A joint follows from joints: bodies are left out, whose own
 * equations are those of their orientation. */
static size_t list_owners(const ritti_completion *C, const bool *from, const char *owner,
                          bool bodies, const char **name) {
  const ritti_model *model = C->model;
  size_t count = 0;
  for (int i = 0; i < model->equations; i++) {
    const char *other = model->equation[i].owner;
    if (!from[i] || !other || !strcmp(other, owner)) continue;
    if (!bodies && has_unknowns(model, other)) continue;
    bool listed = false;
    for (size_t k = 0; k < count && !listed; k++) listed = !strcmp(name[k], other);
    if (!listed) name[count++] = other;
  }
  return count;
}

/* "H2: all 5 conditions follow from H1". NULL: no memory. */
static const char *describe_owner(ritti_completion *C, const ritti_selection *S, const char *owner,
                                  bool *from, const char **name) {
  enum { WIDEST = 70 };
  ritti_text text = {0};
  int all = 0, some = mark_support(C, S, owner, from);
  for (int i = 0; i < C->model->equations; i++) {
    const char *own = C->model->equation[i].owner;
    all += own && !strcmp(own, owner);
  }
  size_t names = list_owners(C, from, owner, has_unknowns(C->model, owner), name);
  if (names == 0) names = list_owners(C, from, owner, true, name);

  ritti_text_add(&text, "%s: ", owner);
  if (all == 1)
    ritti_text_add(&text, strncmp(owner, "node (", 6) ? "its condition follows"
                                                      : "the sum of its flows follows");
  else if (some == all) ritti_text_add(&text, "all %d conditions follow", all);
  else ritti_text_add(&text, "%d of %d conditions %s", some, all, some == 1 ? "follows" : "follow");
  ritti_text_add(&text, " from ");
  if (names > 0) ritti_text_add_names(&text, name, names, WIDEST);
  else ritti_text_add(&text, "the other equations");

  const char *copy =
      text.status == RITT_OK ? ritti_arena_text(C->arena, text.at, text.count) : NULL;
  ritti_text_free(&text);
  return copy;
}

ritt_status ritti_name_dependent_parts(ritti_completion *C, const ritti_selection *S) {
  bool *from;
  const char **name;
  RITTI_NEW(from, C->arena, C->model->equations + 1);
  RITTI_NEW(name, C->arena, C->model->equations + 1);
  for (int i = 0; i < S->deads; i++) {
    const char *owner = C->model->equation[S->dead[i].equation].owner;
    if (S->dead[i].order > 0 || !owner) continue;
    bool done = false;
    for (int k = 0; k < i && !done; k++) done = is_dead_of(C, &S->dead[k], owner);
    if (done) continue;
    const char *text = describe_owner(C, S, owner, from, name);
    if (!text) return RITT_NO_MEMORY;
    RITT_TRY(ritti_add_name(C, &C->check->dependent_equations, &C->check->dependent_count, text));
  }
  return RITT_OK;
}
