/* The language reference holds true: its whole models are read, and its pieces put together are a model. */
#include <stdlib.h>
#include "lang_test.h"

/* Is it a keyword, alone or with something after it? */
static bool begins_section(const char *line) {
  for (int i = 0; i < S_COUNT; i++) {
    size_t n = strlen(ritti_sections[i].word);
    if (!strncmp(line, ritti_sections[i].word, n) && (line[n] == ' ' || line[n] == '\n')) return true;
  }
  return false;
}

/* Any file that the page includes holds a section. */
static ritt_status load(void *context, const char *from, const char *from_name, const char *path,
                        char why[512], char hint[512], ritti_loaded *out) {
  (void)context, (void)from, (void)from_name, (void)why, (void)hint;
  ritti_text text = {0}, name = {0}, id = {0};
  const char *points = "t, V\n0, 1\n1, 2\n2, 4\n3, 4\n4, 1\n5, 0\n";
  ritti_text_add(&text, "%s", strstr(path, ".csv") ? points : "parameter included = 1\n");
  ritti_text_add(&name, "%s", path);
  ritti_text_add(&id, "%s", path);
  *out = (ritti_loaded){.text = text.at, .length = text.count, .name = name.at, .id = id.at};
  return RITT_OK;
}

static ritti_model *read_page(const char *text) {
  ritti_files files = {.load = load, .id = "page"};
  ritt_error *error = ritt_error_new();
  ritti_model *m = NULL;
  if (ritti_model_read_with(text, strlen(text), "page", &files, NULL, 0, error, &m) != RITT_OK)
    printf("%d: %s\n", ritt_error_get(error, 0)->line, ritt_error_get(error, 0)->text);
  ritt_error_free(error);
  return m;
}

/* Reads a block: a model of its own if it has a name and equations, or what they are derived from, else a piece of the running one. */
static int take_block(ritti_text *block, ritti_text *pieces) {
  int whole = 0;
  if (block->count && begins_section(block->at)) {
    whole = !strncmp(block->at, "model ", 6) &&
            (strstr(block->at, "\nequation") || strstr(block->at, "\nlagrangian") ||
             strstr(block->at, "\nhamiltonian"));
    if (whole) {
      ritti_model *m = read_page(block->at);
      CHECK(m != NULL);
      ritti_model_free(m);
    } else ritti_text_add(pieces, "%s", block->at);
  }
  ritti_text_free(block);
  return whole;
}

int main(void) {
  FILE *page = fopen(RITT_SOURCE_DIR "/docs/language.md", "r");
  ritti_text block = {0}, pieces = {0};
  char line[1000];
  int wholes = 0;
  CHECK(page != NULL);
  while (page && fgets(line, sizeof line, page)) {
    if (!strncmp(line, "    ", 4)) ritti_text_add(&block, "%s", line + 4);
    else if (line[0] == '\n' && block.count) ritti_text_add(&block, "\n");
    else wholes += take_block(&block, &pieces);
  }
  wholes += take_block(&block, &pieces);
  ritti_model *m = pieces.at ? read_page(pieces.at) : NULL;
  CHECK(wholes == 10);
  CHECK(m && m->variables == 3 && m->equations == 3 && m->starts == 4 && m->settings == 3 && m->panels == 3);
  ritti_model_free(m);
  ritti_text_free(&pieces);
  if (page) fclose(page);
  return CHECKS_DONE();
}
