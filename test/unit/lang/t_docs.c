/* One grammar: that of the parser, in its comments that begin with "grammar:", and that of
 * docs/language.md are the same rule by rule, and closed; and every word that the parser knows is
 * in the grammar, in the page, in the grammar of editors and laid out by `ritt format`. (That the
 * examples of the page run is in cli/t_language_page.sh.) */
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include "lang_test.h"

/* ---- rules ---- */

typedef struct rule {
  char name[40];
  char body[2000]; /* one blank between words */
  char where[80];  /* file */
} rule;
typedef struct rules {
  rule at[200];
  size_t count;
} rules;

static const rule *find_rule(const rules *r, const char *name) {
  for (size_t i = 0; i < r->count; i++)
    if (!strcmp(r->at[i].name, name)) return &r->at[i];
  return NULL;
}

static void append(rule *r, const char *text) {
  char word[200];
  for (int used; sscanf(text, "%199s%n", word, &used) == 1; text += used) {
    size_t length = strlen(r->body);
    CHECK(length + strlen(word) + 2 < sizeof r->body);
    snprintf(r->body + length, sizeof r->body - length, "%s%s", length ? " " : "", word);
  }
}

/* A line of a grammar: "name = ...", or "| ..." which goes on. false: neither */
static bool take_line(rules *r, const char *line, const char *where) {
  while (*line == ' ' || *line == '*') line++;
  size_t length = 0;
  while (isalnum((unsigned char)line[length]) || line[length] == '_') length++;
  const char *equals = line + length + strspn(line + length, " ");
  if (*line == '|' && r->count > 0) append(&r->at[r->count - 1], line);
  else if (length > 0 && length < sizeof r->at->name && equals[0] == '=' && equals[1] == ' ') {
    char name[40];
    snprintf(name, sizeof name, "%.*s", (int)length, line);
    if (find_rule(r, name))
      printf("%s: the rule '%s' stands there twice, or in another file too\n", where, name);
    CHECK(!find_rule(r, name));
    CHECK(r->count < sizeof r->at / sizeof *r->at);
    rule *new = &r->at[r->count++];
    *new = (rule){0};
    snprintf(new->name, sizeof new->name, "%s", name);
    snprintf(new->where, sizeof new->where, "%s", where);
    append(new, equals + 2);
  } else return false;
  return true;
}

static char *read_whole(const char *path) {
  FILE *f = fopen(path, "r");
  ritti_text text = {0};
  char buffer[4096];
  CHECK(f != NULL);
  for (size_t n; f && (n = fread(buffer, 1, sizeof buffer, f)) > 0;)
    ritti_text_add_bytes(&text, buffer, n);
  if (f) fclose(f);
  return text.at;
}

/* Lines from `text` to before `end` as long as they are rules. */
static void take_rules(rules *r, const char *text, const char *end, const char *where) {
  while (text < end) {
    const char *stop = memchr(text, '\n', (size_t)(end - text));
    if (!stop) stop = end;
    char line[400];
    snprintf(line, sizeof line, "%.*s", (int)(stop - text), text);
    if (strspn(line, " *") < strlen(line) && !take_line(r, line, where)) return;
    text = stop + 1;
  }
}

/* The folder of the parser: rules, and the words that it looks for by their text. */
typedef struct sources {
  rules rules;
  char word[100][40];
  size_t words;
} sources;

static void take_words(sources *s, const char *text) {
  static const char *const calls[] = {"ritti_look_name(", "ritti_look_word(", "ritti_token_is("};
  for (size_t k = 0; k < 3; k++)
    for (const char *at = text; (at = strstr(at, calls[k])); at++) {
      const char *quote = at + strcspn(at, "\";");
      size_t length = *quote == '"' ? strcspn(quote + 1, "\"") : 0;
      if (length == 0) continue;
      CHECK(s->words < 100 && length < 40);
      snprintf(s->word[s->words++], 40, "%.*s", (int)length, quote + 1);
    }
}

static void read_sources(sources *s) {
  DIR *folder = opendir(RITT_SOURCE_DIR "/src/lang");
  CHECK(folder != NULL);
  for (const struct dirent *e; folder && (e = readdir(folder));) {
    const char *dot = strrchr(e->d_name, '.');
    if (!dot || strcmp(dot, ".c")) continue;
    char path[600];
    snprintf(path, sizeof path, "%s/src/lang/%s", RITT_SOURCE_DIR, e->d_name);
    char *text = read_whole(path);
    for (const char *at = text; at && (at = strstr(at, "/* grammar:")); at++)
      take_rules(&s->rules, at + strlen("/* grammar:"), strstr(at, "*/"), e->d_name);
    if (text) take_words(s, text);
    free(text);
  }
  if (folder) closedir(folder);
}

static void read_page_rules(const char *page, rules *r) {
  const char *at = strstr(page, "<!-- grammar -->\n");
  CHECK(at != NULL);
  if (!at) return;
  at += strlen("<!-- grammar -->\n");
  const char *end = at;
  while (*end == '\n' || !strncmp(end, "    ", 4)) end = strchr(end, '\n') + 1;
  take_rules(r, at, end, "docs/language.md");
}

/* Every rule of a is in b, with the same body. */
static void compare_rules(const rules *a, const rules *b, const char *other) {
  for (size_t i = 0; i < a->count; i++) {
    const rule *x = &a->at[i], *y = find_rule(b, x->name);
    if (!y) printf("%s has the rule '%s', %s has not\n", x->where, x->name, other);
    else if (strcmp(x->body, y->body))
      printf("the rule '%s' differs:\n  %s: %s\n  %s: %s\n", x->name, x->where, x->body, y->where,
             y->body);
    CHECK(y && !strcmp(x->body, y->body));
  }
}

/* ---- words ---- */

static bool is_word(const char *text) {
  return isalpha((unsigned char)text[0]) &&
         text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
}

/* Is the word, in quotes, in the body of a rule (of any, where it is NULL)? */
static bool is_terminal(const rules *r, const char *rule_name, const char *word) {
  char quoted[60];
  snprintf(quoted, sizeof quoted, "\"%s\"", word);
  for (size_t i = 0; i < r->count; i++)
    if ((!rule_name || !strcmp(rule_name, r->at[i].name)) && strstr(r->at[i].body, quoted))
      return true;
  return false;
}

/* A word by itself in a text, with `before` and `after` round it, each of one character out of
 * these. */
static bool has_word(const char *text, const char *word, const char *before, const char *after) {
  size_t length = strlen(word);
  for (const char *at = text; (at = strstr(at, word)); at++)
    if (at > text && strchr(before, at[-1]) && at[length] && strchr(after, at[length])) return true;
  return false;
}

static void expect(bool holds, const char *word, const char *where) {
  if (!holds) printf("'%s' is not in %s\n", word, where);
  CHECK(holds);
}

/* Names in a body are rules or one of the three that the lexer makes, and every rule is used. */
static void check_closed(const rules *r) {
  for (size_t i = 0; i < r->count; i++) {
    char word[200];
    bool used = !strcmp(r->at[i].name, "file");
    int n;
    for (const char *at = r->at[i].body; sscanf(at, "%199s%n", word, &n) == 1; at += n)
      if (is_word(word) && strcmp(word, "name") && strcmp(word, "number") && strcmp(word, "string"))
        expect(find_rule(r, word) != NULL, word, "the grammar as a rule");
    for (size_t k = 0; k < r->count && !used; k++) {
      char spaced[2100];
      snprintf(spaced, sizeof spaced, " %s ", r->at[k].body);
      used = has_word(spaced, r->at[i].name, " ", " ");
    }
    expect(used, r->at[i].name, "another rule of the grammar");
  }
}

/* Laid out in one way, whatever the blanks were. */
static void check_format(const char *text, const char *expected) {
  ritt_error *error = ritt_error_new();
  ritti_text out = {0};
  CHECK(ritti_model_format(text, strlen(text), "test.ritt", error, &out) == RITT_OK);
  if (!out.at || strcmp(out.at, expected)) printf("laid out as:\n%s", out.at ? out.at : "");
  CHECK(out.at && !strcmp(out.at, expected));
  ritti_text_free(&out);
  ritt_error_free(error);
}

static void check_sections(const rules *r, const char *page, const char *editor) {
  for (int i = 0; i < S_COUNT; i++) {
    const ritti_section_info *s = &ritti_sections[i];
    char heading[80], ugly[120], pretty[120];
    snprintf(heading, sizeof heading, "\n### %s\n", s->word);
    expect(is_terminal(r, s->form == LIST ? "list" : "line", s->word), s->word,
           "the rule 'list' or 'line'");
    expect(find_rule(r, s->word) != NULL, s->word, "the grammar as a rule");
    char spaced[2100];
    snprintf(spaced, sizeof spaced, " %s ",
             find_rule(r, "statement") ? find_rule(r, "statement")->body : "");
    expect(has_word(spaced, s->word, " ", " "), s->word, "the rule 'statement'");
    expect(strstr(page, heading) != NULL, s->word, "the headings of docs/language.md");
    expect(has_word(page, s->word, "`", "`"), s->word, "docs/language.md in backquotes");
    expect(has_word(editor, s->word, "(|", ")|"), s->word, "tools/editor");
    /* in the first column it is a keyword, elsewhere a name */
    snprintf(ugly, sizeof ugly, "model   m\n%s     %s=1\n     %s=2\n", s->word, s->word, s->word);
    snprintf(pretty, sizeof pretty, "model m\n%s %s = 1\n  %s = 2\n", s->word, s->word, s->word);
    check_format(ugly, pretty);
  }
}

static void check_words(const sources *s, const char *page, const char *editor) {
  static const char *const reserved[] = {
#define X(id, word, after, before) word,
      RITTI_RESERVED(X)
#undef X
  };
  const rules *r = &s->rules;
  const char *word;
  for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++) {
    expect(is_terminal(r, NULL, reserved[i]), reserved[i], "the grammar");
    expect(has_word(page, reserved[i], "`", "`"), reserved[i], "docs/language.md in backquotes");
  }
  for (size_t i = 0; (word = ritti_setting_word(i)); i++)
    expect(is_terminal(r, "setting", word), word, "the rule 'setting'");
  for (size_t i = 0; (word = ritti_function_name(i)); i++) {
    expect(has_word(page, word, "` ", "`( "), word, "docs/language.md");
    expect(has_word(editor, word, "(|", ")|"), word, "tools/editor");
  }
  for (size_t i = 0; i < s->words; i++) {
    bool function = ritti_is_function(s->word[i]);
    bool mechanical = !strcmp(s->word[i], "reaction") || !strcmp(s->word[i], "momentum");
    if (!function && !mechanical)
      expect(is_terminal(r, NULL, s->word[i]), s->word[i], "the grammar");
  }
  expect(has_word(page, "reaction", "`", "(") && has_word(page, "momentum", "`", "("), "reaction",
         "the page");
  expect(has_word(editor, "reaction", "(|", ")|") && has_word(editor, "momentum", "(|", ")|"),
         "reaction", "tools/editor");
}

/* Every word of the grammar stands in the page outside the grammar and in the grammar of editors,
 * and that one has no others. */
static void check_terminals(const rules *r, const char *page, const char *editor) {
  for (size_t i = 0; i < r->count; i++) {
    char token[200], word[200];
    int n;
    for (const char *at = r->at[i].body; sscanf(at, "%199s%n", token, &n) == 1; at += n) {
      size_t length = strlen(token);
      if (length < 3 || token[0] != '"' || token[length - 1] != '"') continue;
      snprintf(word, sizeof word, "%.*s", (int)(length - 2), token + 1);
      if (!is_word(word)) continue;
      expect(has_word(editor, word, "(|", ")|") || !strcmp(word, "h"), word, "tools/editor");
      expect(has_word(page, word, "` (", "` (),"), word, "docs/language.md in backquotes");
    }
  }
}

static void check_editor(const rules *r, const char *editor) {
  for (const char *at = editor; (at = strpbrk(at, "(|")); at++) {
    size_t length = strspn(at + 1, "abcdefghijklmnopqrstuvwxyz0123456789_");
    if (length == 0 || (at[1 + length] != '|' && at[1 + length] != ')')) continue;
    char word[100];
    snprintf(word, sizeof word, "%.*s", (int)length, at + 1);
    bool known = is_terminal(r, NULL, word) || ritti_is_function(word) ||
                 !strcmp(word, "reaction") || !strcmp(word, "momentum") || !strcmp(word, "energy");
    expect(known, word, "the language, but in tools/editor");
  }
}

static sources source;
static rules page_rules;

int main(void) {
  char *page = read_whole(RITT_SOURCE_DIR "/docs/language.md");
  char *editor = read_whole(RITT_SOURCE_DIR "/tools/editor/ritt.tmLanguage.json");
  if (page && editor) {
    read_sources(&source);
    read_page_rules(page, &page_rules);
    CHECK(source.rules.count > 60 && source.words > 20);
    compare_rules(&source.rules, &page_rules, "docs/language.md");
    compare_rules(&page_rules, &source.rules, "the parser");
    check_closed(&source.rules);
    check_sections(&source.rules, page, editor);
    check_words(&source, page, editor);
    check_terminals(&source.rules, page, editor);
    check_editor(&source.rules, editor);
    check_format(
        "model m\nequation x=if a>1   and not b<2 then   1 else 2\n   for   i in   1..3 :   x[ i ]=pi\n",
        "model m\nequation x = if a > 1 and not b < 2 then 1 else 2\n  for i in 1..3: x[i] = pi\n");
  }
  free(page);
  free(editor);
  return CHECKS_DONE();
}
