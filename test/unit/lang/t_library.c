/* The libraries that come with Ritt: every component has a title, a paragraph, a unit for every
 * parameter, something that it says, and an example in test/law/t_library_NAME.c. */
#include <ctype.h>
#include <stdlib.h>
#include "lang_test.h"

static char *read_whole(const char *path) {
  FILE *f = fopen(path, "rb");
  if (!f) return NULL;
  fseek(f, 0, SEEK_END);
  size_t length = (size_t)ftell(f);
  rewind(f);
  char *text = calloc(length + 1, 1);
  CHECK(text && fread(text, 1, length, f) == length);
  fclose(f);
  return text;
}

static void complain(const char *library, const char *component, const char *what,
                     const char *name) {
  printf("%s.%s: %s %s\n", library, component, what, name);
  CHECK(false);
}

/* Do all parameters have a unit? Numbers have the unit "1". */
static void check_units(ritti_reader *r, const char *library, const ritti_component *c) {
  for (const ritti_statement *l = c->syntax.list[S_PARAMETER].first; l; l = l->next) {
    bool found = false;
    for (const ritti_statement *u = c->syntax.list[S_UNIT].first; u; u = u->next)
      found = found || ritti_same_word(r, u->name, l->name);
    if (!found) complain(library, ritti_quote(r, c->name), "no unit of", ritti_quote(r, l->name));
  }
}

/* Does a part of the component occur in a text: ": resistor" and no letter after it? */
static bool is_used(const char *text, const char *library, const char *name) {
  char bare[80], full[80];
  snprintf(bare, sizeof bare, ": %s", name);
  snprintf(full, sizeof full, ": %s.%s", library, name);
  for (int k = 0; k < 2; k++) {
    const char *word = k ? full : bare;
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) {
      unsigned char after = (unsigned char)at[strlen(word)];
      if (!isalnum(after) && after != '_' && after != '.') return true;
    }
  }
  return false;
}

static void check_component(ritti_reader *r, const ritti_syntax *all, const char *library,
                            const ritti_component *c, const char *examples) {
  static const ritti_section says[] = {S_EQUATION, S_LAGRANGIAN,  S_CONSTRAINT, S_NONHOLONOMIC,
                                       S_FORCE,    S_DISSIPATION, S_PORT};
  const char *name = ritti_quote(r, c->name);
  if (c->title == NO_TOKEN) complain(library, name, "no", "title");

  /* a paragraph of at least two words */
  const ritti_statement *doc = c->syntax.list[S_DOC].first;
  bool paragraph = doc && memchr(r->text + ritti_token_at(r, doc->word)->start, ' ',
                                 ritti_token_at(r, doc->word)->length);
  if (!paragraph) complain(library, name, "no", "paragraph");
  check_units(r, library, c);

  /* its law */
  bool law = false;
  for (size_t i = 0; i < sizeof says / sizeof *says; i++)
    law = law || c->syntax.list[says[i]].count > 0;
  if (!law) complain(library, name, "says", "nothing");

  /* an example; the base of other components has theirs */
  bool base = false;
  for (const ritti_component *d = all->component; d; d = d->next)
    for (const ritti_statement *e = d->syntax.list[S_EXTEND].first; e; e = e->next)
      base = base || ritti_same_word(r, e->name, c->name);
  if (!base && !is_used(examples, library, name)) complain(library, name, "no", "tested example");
}

static void check_library(const char *library) {
  char path[1000], text[100];
  snprintf(path, sizeof path, "%s/test/law/t_library_%s.c", RITT_SOURCE_DIR, library);
  char *examples = read_whole(path);
  if (!examples) complain(library, "*", "no tests in", path);

  /* read the library and what it includes */
  snprintf(text, sizeof text, "model m\ninclude <%s>\n", library);
  ritti_arena *keep = ritti_arena_new();
  ritti_reader r = {.file = "m", .text = text, .keep = keep, .scratch = ritti_arena_new()};
  ritti_syntax syntax = {0};
  ritti_source own = {.file = "m", .token = NO_TOKEN, .open = true};
  CHECK(RITTI_PUSH(r.sources, own) == RITT_OK);
  CHECK(ritti_source_check(&r, 0, strlen(text)) && ritti_lex(&r, 0));
  CHECK(ritti_parse(&r, &syntax) == RITT_OK && r.notes.count == 0);

  /* its own components */
  int count = 0;
  for (const ritti_component *c = syntax.component; examples && c; c = c->next) {
    const ritti_source *from = ritti_source_of(&r, ritti_token_at(&r, c->name)->line);
    if (strncmp(from->file + 1, library, strlen(library))) continue;
    check_component(&r, &syntax, library, c, examples);
    count++;
  }
  CHECK(count > 3);
  RITTI_ARRAY_FREE(syntax.broken);
  ritti_reader_clear(&r);
  ritti_arena_free(keep);
  free(examples);
}

int main(void) {
  int count = 0;
  for (const ritti_library *l = ritti_libraries; l->name; l++, count++) check_library(l->name);
  CHECK(count >= 8);
  return CHECKS_DONE();
}
