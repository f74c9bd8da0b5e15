/* amalgamate [-o OUT] --name NAME -I FOLDER... --root NAME... FILE.c...: C sources put together into one, for
 * `ritt emit`.
 *
 * In: source files, the folders of their headers, the functions that are requested. Out: a C file that
 * holds the text of the amalgamation as an array of lines, named by --name. In that text every
 * header stands once,
 * *.def files where they are included, and of all functions, variables, types and macros only those
 * that the wanted functions reach; functions are static, and file-local names that several files
 * use carry the name of their file. (With --plain the text itself comes out, to look at.)
 *
 * This reads the C that src/ is written in, not all of C: one declaration or definition at a time,
 * conditional groups outside of functions whole.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum { SPACE, COMMENT, DIRECTIVE, NAME, OTHER } sort;
typedef struct token {
  sort sort;
  const char *at;
  size_t length;
} token;

typedef enum { MACRO, KEPT, TYPE, PROTOTYPE, FUNCTION, VARIABLE } role;
typedef struct item {
  role role;
  int file;
  bool local; /* its names belong to its file */
  bool wanted;
  size_t first, count; /* tokens */
  size_t name, names;  /* in the list of names */
} item;

typedef struct file {
  char *path, *stem;
  bool header;
  size_t head, heads; /* tokens of its first comment */
} file;

#define LIST(type)                                                                                 \
  struct {                                                                                         \
    type *at;                                                                                      \
    size_t count, room;                                                                            \
  }
#define PUSH(list, ...)                                                                            \
  (((list).count == (list).room                                                                    \
        ? (void)((list).at = grow_array((list).at, sizeof *(list).at, &(list).room))               \
        : (void)0),                                                                                \
   (list).at[(list).count++] = (__VA_ARGS__))

/* all that was read stays reachable until the end */
static LIST(token) tokens;
static LIST(item) items;
static LIST(token) names; /* of the items */
static LIST(file) files;
static LIST(const char *) folders;
static LIST(const char *) roots;
static LIST(const char *) systems; /* <headers> */

static _Noreturn void stop_program(const char *format, ...) {
  va_list args;
  va_start(args, format);
  fputs("amalgamate: ", stderr);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
  exit(1);
}

static void *grow_array(void *old, size_t element, size_t *room) {
  *room = *room ? 2 * *room : 64;
  void *at = realloc(old, *room * element);
  if (!at) stop_program("out of memory");
  return at;
}

static char *copy_text(const char *text, size_t length) {
  char *c = malloc(length + 1);
  if (!c) stop_program("out of memory");
  memcpy(c, text, length);
  c[length] = '\0';
  return c;
}

static bool token_is(const token *t, const char *text) {
  return t->length == strlen(text) && !memcmp(t->at, text, t->length);
}
static bool same_token(const token *a, const token *b) {
  return a->length == b->length && !memcmp(a->at, b->at, a->length);
}

/* ---- tokens ---- */

static bool letter(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* The end of a directive: of its last line that is not continued, before a comment that goes on. */
static const char *directive_end(const char *c) {
  while (*c && *c != '\n') {
    if (*c == '\\' && c[1] == '\n') c++;
    else if (c[0] == '/' && c[1] == '*') {
      const char *close = strstr(c + 2, "*/");
      if (close) c = close + 1;
    }
    c++;
  }
  return c;
}

static const char *quoted_end(const char *c) {
  char quote = *c++;
  while (*c && *c != quote) c += *c == '\\' ? 2 : 1;
  return c + 1;
}

/* The token at c; `fresh`: nothing but blanks before it on its line. */
static token next_token(const char *c, bool fresh) {
  const char *end = c + 1;
  sort s = OTHER;
  if (isspace((unsigned char)*c)) {
    s = SPACE;
    while (*end && isspace((unsigned char)*end)) end++;
  } else if (c[0] == '/' && c[1] == '*') {
    s = COMMENT;
    end = strstr(c + 2, "*/");
    if (!end) stop_program("a comment does not end");
    end += 2;
  } else if (c[0] == '/' && c[1] == '/') {
    s = COMMENT;
    while (*end && *end != '\n') end++;
  } else if (*c == '#' && fresh) {
    s = DIRECTIVE;
    end = directive_end(c);
  } else if (letter(*c)) {
    s = isdigit((unsigned char)*c) ? OTHER : NAME;
    while (letter(*end) || (s == OTHER && (*end == '.' || ((*end == '+' || *end == '-') &&
                                                           strchr("eEpP", end[-1])))))
      end++;
  } else if (*c == '"' || *c == '\'') end = quoted_end(c);
  else if (c[0] == '-' && c[1] == '>') end = c + 2;
  return (token){s, c, (size_t)(end - c)};
}

static char *read_file(const char *path) {
  FILE *in = fopen(path, "rb");
  if (!in) return NULL;
  char *text = NULL;
  size_t count = 0, room = 0;
  for (int c; (c = fgetc(in)) != EOF;) {
    if (count + 2 > room) text = grow_array(text, 1, &room);
    text[count++] = (char)c;
  }
  fclose(in);
  if (!text) text = copy_text("", 0);
  text[count] = '\0';
  return text;
}

/* the word after # */
static bool directive_is(const token *t, const char *word) {
  const char *c = t->at + 1;
  while (*c == ' ') c++;
  return !strncmp(c, word, strlen(word)) && !letter(c[strlen(word)]);
}

/* `"x/y.h"` or `<x.h>` of an #include, else NULL */
static char *included_name(const token *t, char *bracket) {
  if (t->sort != DIRECTIVE || !directive_is(t, "include")) return NULL;
  const char *c = t->at, *end = t->at + t->length;
  while (c < end && *c != '"' && *c != '<') c++;
  const char *close = c + 1;
  while (close < end && *close != '"' && *close != '>') close++;
  if (close >= end) stop_program("cannot read '%.*s'", (int)t->length, t->at);
  *bracket = *c;
  return copy_text(c + 1, (size_t)(close - c - 1));
}

static bool ends_in(const char *text, const char *end) {
  return strlen(text) >= strlen(end) && !strcmp(text + strlen(text) - strlen(end), end);
}

/* The file of an include: beside the one that includes it, or in a folder. */
static char *find_header(const char *from, const char *name) {
  for (size_t i = 0; i <= folders.count; i++) {
    const char *folder = i ? folders.at[i - 1] : from, *slash = strrchr(from, '/');
    int length = i ? (int)strlen(folder) : slash ? (int)(slash - from) : 0;
    char path[1024];
    snprintf(path, sizeof path, "%.*s/%s", length, folder, name);
    FILE *in = fopen(path, "rb");
    if (in) {
      fclose(in);
      return copy_text(path, strlen(path));
    }
  }
  stop_program("%s includes \"%s\", which is nowhere", from, name);
}

typedef LIST(token) token_list;

static void split_tokens(const char *path, token_list *out) {
  bool fresh = true;
  char *text = read_file(path);
  if (!text) stop_program("cannot read %s", path);
  for (const char *c = text; *c;) {
    token t = next_token(c, fresh);
    char bracket, *name = included_name(&t, &bracket);
    if (name && bracket == '"' && ends_in(name, ".def")) {
      char *table = find_header(path, name);
      split_tokens(table, out);
      free(table);
    } else PUSH(*out, t);
    free(name);
    if (t.sort == SPACE && memchr(t.at, '\n', t.length)) fresh = true;
    else if (t.sort != SPACE && t.sort != COMMENT) fresh = t.sort == DIRECTIVE;
    c += t.length;
  }
}

/* ---- items ---- */

static bool significant(const token *t) { return t->sort == NAME || t->sort == OTHER; }

static void add_name(item *it, token t) {
  it->names++;
  PUSH(names, t);
}

/* The names that a declaration outside functions declares; `end`: past its last token. */
static void find_names(item *it, size_t begin, size_t end, bool is_typedef, bool is_type) {
  int depth = 0, paren = 0;
  const token *before = NULL;
  bool pointer = false, called = false, value = false, is_enum = false;
  for (size_t i = begin; i < end; i++) {
    const token *t = &tokens.at[i];
    if (!significant(t)) continue;
    bool opens = token_is(t, "{"), closes = token_is(t, "}"),
         stops = token_is(t, ";") || token_is(t, ",") || token_is(t, "[") || token_is(t, "=");
    /* tags and enumerators */
    if (is_type && t->sort == NAME && before && depth == 0 &&
        (token_is(before, "struct") || token_is(before, "enum") || token_is(before, "union")))
      add_name(it, *t);
    if (token_is(t, "enum") && depth == 0) is_enum = true;
    if (is_enum && t->sort == NAME && depth == 1 &&
        (token_is(before, "{") || token_is(before, ",")))
      add_name(it, *t);
    if (depth == 0 && paren == 0 && stops && before && before->sort == NAME && !called && !value)
      add_name(it, *before);
    if (depth == 0 && token_is(t, "=")) value = true;
    if (depth == 0 && paren == 0 && token_is(t, ",")) value = false;
    if (depth == 0 && token_is(t, "(")) {
      if (paren == 0 && !called && before && before->sort == NAME && !value) add_name(it, *before);
      if (paren == 0) called = true;
      paren++;
    } else if (depth == 0 && token_is(t, ")")) paren--;
    else if (is_typedef && depth == 0 && paren == 1 && before && token_is(before, "(") &&
             token_is(t, "*"))
      pointer = true;
    else if (pointer && depth == 0 && t->sort == NAME) add_name(it, *t), pointer = false;
    depth += opens ? 1 : closes ? -1 : 0;
    before = t;
  }
}

static void add_item(item it, size_t significant_first, size_t end) {
  it.name = names.count;
  const token *first = &tokens.at[significant_first];
  bool is_typedef = token_is(first, "typedef");
  bool is_type = is_typedef;
  if (it.role == TYPE) {
    /* a type, a variable or a prototype? */
    const token *last = NULL;
    bool braces = false, call = false, value = false, tail = false;
    int depth = 0;
    for (size_t i = significant_first; i < end; i++) {
      const token *t = &tokens.at[i];
      if (!significant(t)) continue;
      if (token_is(t, "{")) depth++, braces = true;
      if (depth == 0 && token_is(t, "=")) value = true;
      if (depth == 0 && token_is(t, "(") && !braces) call = true;
      if (depth == 0 && braces && t->sort == NAME) tail = true;
      if (token_is(t, "}")) depth--;
      last = t;
    }
    bool named = token_is(first, "struct") || token_is(first, "enum") || token_is(first, "union");
    is_type = is_typedef || (named && !value && !call && !tail);
    it.role = is_type ? TYPE : call && !value ? PROTOTYPE : VARIABLE;
    (void)last;
  }
  find_names(&it, significant_first, end, is_typedef, is_type || it.role == VARIABLE);
  bool is_static = token_is(first, "static");
  it.local = !files.at[it.file].header && (it.role == TYPE || is_static);
  PUSH(items, it);
}

static void add_macro(int file_number, size_t first, size_t at) {
  const token *t = &tokens.at[at];
  const char *c = strstr(t->at, "define") + 6;
  while (*c == ' ') c++;
  size_t length = 0;
  while (letter(c[length])) length++;
  item it = {.role = MACRO,
             .file = file_number,
             .first = first,
             .count = at + 1 - first,
             .name = names.count};
  it.local = !files.at[file_number].header;
  add_name(&it, (token){NAME, c, length});
  PUSH(items, it);
}

/* a conditional group outside functions, from its #if at `at`: kept whole where one of its macros
 * is used */
static size_t add_group(int file_number, size_t first, size_t at) {
  int depth = 0;
  item it = {.role = MACRO, .file = file_number, .first = first, .name = names.count};
  it.local = false;
  for (; at < tokens.count; at++) {
    const token *t = &tokens.at[at];
    if (t->sort != DIRECTIVE) continue;
    depth += directive_is(t, "if") || directive_is(t, "ifdef") || directive_is(t, "ifndef");
    depth -= directive_is(t, "endif");
    if (directive_is(t, "define")) {
      const char *c = strstr(t->at, "define") + 6;
      while (*c == ' ') c++;
      size_t length = 0;
      while (letter(c[length])) length++;
      add_name(&it, (token){NAME, c, length});
    }
    if (depth == 0) break;
  }
  it.count = at + 1 - first;
  PUSH(items, it);
  return at + 1;
}

static char *stem_of(const char *path) {
  const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
  return copy_text(base, strcspn(base, "."));
}

static bool know_system(const char *name) {
  for (size_t i = 0; i < systems.count; i++)
    if (!strcmp(systems.at[i], name)) return true;
  return false;
}

/* skips a group that is for C++ only */
static size_t skip_group(size_t at) {
  for (int depth = 0; at < tokens.count; at++) {
    const token *t = &tokens.at[at];
    if (t->sort != DIRECTIVE) continue;
    depth += directive_is(t, "if") || directive_is(t, "ifdef") || directive_is(t, "ifndef");
    depth -= directive_is(t, "endif");
    if (depth == 0) return at + 1;
  }
  stop_program("a group of #if does not end");
}

static void read_source(const char *path);

static void take_include(const char *path, const token *t) {
  char bracket, *name = included_name(t, &bracket);
  if (bracket == '"') {
    char *header = find_header(path, name);
    read_source(header);
    free(header);
    free(name);
  } else if (!know_system(name)) PUSH(systems, name);
  else free(name);
}

/* One declaration or definition from `at` on; where it ends. */
static size_t take_declaration(int number, size_t first, size_t at, size_t end) {
  item it = {.role = TYPE, .file = number, .first = first};
  int depth = 0, paren = 0;
  size_t begin = at;
  const token *before = NULL;
  bool value = false;
  for (; at < end; at++) {
    const token *t = &tokens.at[at];
    if (!significant(t)) continue;
    if (token_is(t, "(")) paren++;
    if (token_is(t, ")")) paren--;
    if (depth == 0 && paren == 0 && token_is(t, "=")) value = true;
    if (token_is(t, "{")) {
      if (depth == 0 && before && token_is(before, ")") && !value) it.role = FUNCTION;
      depth++;
    }
    if (token_is(t, "}")) depth--;
    if (depth == 0 && paren == 0 && (token_is(t, ";") || (token_is(t, "}") && it.role == FUNCTION)))
      break;
    before = t;
  }
  if (at >= end) stop_program("%s: a declaration does not end", files.at[number].path);
  it.count = at + 1 - first;
  add_item(it, begin, at + 1);
  return at + 1;
}

/* Reads a file into items, its headers first, once each. */
static void read_source(const char *path) {
  for (size_t i = 0; i < files.count; i++)
    if (!strcmp(files.at[i].path, path)) return;
  PUSH(files, (file){copy_text(path, strlen(path)), stem_of(path), ends_in(path, ".h"), 0, 0});
  int number = (int)files.count - 1;
  token_list read = {0};
  split_tokens(path, &read);
  for (size_t i = 0; i < read.count; i++)
    if (read.at[i].sort == DIRECTIVE && directive_is(&read.at[i], "include"))
      take_include(path, &read.at[i]);
  size_t begin = tokens.count;
  for (size_t i = 0; i < read.count; i++) PUSH(tokens, read.at[i]);
  free(read.at);

  /* a header's guard is its first #ifndef with its #define, and its last #endif */
  size_t end = tokens.count, guard = end, define = end;
  if (files.at[number].header) {
    for (guard = begin; guard < end && tokens.at[guard].sort != DIRECTIVE; guard++) {}
    if (guard == end || !directive_is(&tokens.at[guard], "ifndef"))
      stop_program("%s has no guard", path);
    for (define = guard + 1; tokens.at[define].sort != DIRECTIVE; define++) {}
    while (tokens.at[end - 1].sort != DIRECTIVE) end--;
    end--;
  }
  bool headed = false;
  for (size_t first = begin, at = begin; at < end;) {
    const token *t = &tokens.at[at];
    if (t->sort == COMMENT && !headed) {
      files.at[number].head = first, files.at[number].heads = at + 1 - first;
      headed = true;
      first = ++at;
    } else if (t->sort == SPACE || t->sort == COMMENT) at++;
    else if (t->sort == DIRECTIVE) {
      headed = true;
      if (at == guard || at == define || directive_is(t, "include")) at++;
      else if (directive_is(t, "ifdef") && strstr(t->at, "__cplusplus") &&
               strstr(t->at, "__cplusplus") < t->at + t->length)
        at = skip_group(at);
      else if (directive_is(t, "if") || directive_is(t, "ifdef") || directive_is(t, "ifndef"))
        at = add_group(number, first, at);
      else if (directive_is(t, "define")) add_macro(number, first, at), at++;
      else
        PUSH(items, (item){.role = KEPT, .file = number, .first = first, .count = at + 1 - first}),
            at++;
      first = at;
    } else first = at = take_declaration(number, first, at, end);
  }
}

/* ---- what is needed ---- */

static bool has_name(const item *it, const token *t) {
  for (size_t i = 0; i < it->names; i++)
    if (same_token(&names.at[it->name + i], t)) return true;
  return false;
}

static void want_declaration(size_t number);

static void want_name(const token *t, int from) {
  for (size_t i = 0; i < items.count; i++)
    if (!items.at[i].wanted && (!items.at[i].local || items.at[i].file == from) &&
        has_name(&items.at[i], t))
      want_declaration(i);
}

static void want_names_in(const char *text, size_t length, int from) {
  for (size_t i = 0; i < length;) {
    token t = next_token(text + i, false);
    if (t.sort == NAME) want_name(&t, from);
    i += t.length;
  }
}

static void want_declaration(size_t number) {
  items.at[number].wanted = true;
  for (size_t i = 0; i < items.at[number].count; i++) {
    token t = tokens.at[items.at[number].first + i];
    int from = items.at[number].file;
    if (t.sort == NAME) want_name(&t, from);
    if (t.sort == DIRECTIVE) want_names_in(t.at + 1, t.length - 1, from);
  }
}

/* Every function that is needed must be defined. */
static void check_defined(void) {
  bool bad = false;
  for (size_t i = 0; i < items.count; i++) {
    if (!items.at[i].wanted || items.at[i].role != PROTOTYPE) continue;
    bool defined = false;
    for (size_t k = 0; k < items.count; k++)
      defined |=
          items.at[k].role == FUNCTION && has_name(&items.at[k], &names.at[items.at[i].name]);
    const token *t = &names.at[items.at[i].name];
    if (!defined)
      fprintf(stderr, "amalgamate: %.*s is declared but not defined\n", (int)t->length, t->at),
          bad = true;
  }
  if (bad) exit(1);
}

/* ---- writing ---- */

static bool plain;
static bool line_open;

/* Text, or text as lines of string literals. */
static void write_bytes(const char *text, size_t length) {
  if (plain) {
    fwrite(text, 1, length, stdout);
    return;
  }
  for (size_t i = 0; i < length; i++) {
    unsigned char c = (unsigned char)text[i];
    if (!line_open) fputs("    \"", stdout), line_open = true;
    if (c == '\n') fputs("\\n\",\n", stdout), line_open = false;
    else if (c == '"' || c == '\\') printf("\\%c", c);
    else if (c == '?' || c < 0x20 || c > 0x7e) printf("\\%03o", c);
    else putchar(c);
  }
}
static void write_text(const char *text) { write_bytes(text, strlen(text)); }

/* Is the name a local one of the file that another file has for itself, too? */
static bool is_shared(const token *t, int number) {
  bool own = false, other = false;
  for (size_t i = 0; i < items.count; i++) {
    const item *it = &items.at[i];
    if (!it->wanted || it->role == MACRO || !has_name(it, t)) continue;
    if (!it->local) return false;
    if (it->file == number) own = true;
    else other = true;
  }
  return own && other;
}

static void write_name(const token *t, int number, bool member) {
  if (!member && !files.at[number].header && is_shared(t, number)) {
    write_text(files.at[number].stem);
    write_text("_");
  }
  write_bytes(t->at, t->length);
}

static void write_directive(const token *d, int number) {
  bool member = false;
  for (size_t i = 0; i < d->length;) {
    token t = next_token(d->at + i, false);
    if (t.length > d->length - i) t.length = d->length - i;
    if (t.sort == NAME) write_name(&t, number, member);
    else write_bytes(t.at, t.length);
    if (t.sort != SPACE) member = token_is(&t, ".") || token_is(&t, "->");
    i += t.length;
  }
}

static void write_item(const item *it) {
  bool make_static = it->role == PROTOTYPE || it->role == FUNCTION || it->role == VARIABLE,
       begun = false;
  bool member = false;
  for (size_t i = 0; i < it->count; i++) {
    const token *t = &tokens.at[it->first + i];
    if (token_is(t, "RITT_API")) {
      i++; /* and the blank after it */
      continue;
    }
    if (significant(t) && !begun) {
      begun = true;
      if (make_static && !token_is(t, "static")) write_text("static ");
    }
    if (t->sort == NAME) write_name(t, it->file, member);
    else if (t->sort == DIRECTIVE) write_directive(t, it->file);
    else write_bytes(t->at, t->length);
    if (significant(t)) member = token_is(t, ".") || token_is(t, "->");
  }
}

/* Macros of a source file end with it. */
static void write_undefs(int number) {
  for (size_t i = 0; i < items.count; i++) {
    const item *it = &items.at[i];
    if (!it->wanted || it->role != MACRO || it->file != number || !it->local) continue;
    write_text("\n#undef ");
    write_bytes(names.at[it->name].at, names.at[it->name].length);
  }
}

static bool file_wanted(int number) {
  for (size_t i = 0; i < items.count; i++)
    if (items.at[i].file == number && items.at[i].wanted) return true;
  return false;
}

static void write_all(void) {
  for (size_t i = 0; i < systems.count; i++)
    write_text("#include <"), write_text(systems.at[i]), write_text(">\n");
  int now = -1;
  for (size_t i = 0; i <= items.count; i++) {
    bool last = i == items.count;
    if (!last && !file_wanted(items.at[i].file)) continue;
    if (!last && !items.at[i].wanted && items.at[i].role != KEPT) continue;
    if (last || items.at[i].file != now) {
      if (now >= 0 && !files.at[now].header) write_undefs(now);
      if (last) break;
      now = items.at[i].file;
      write_text("\n\n");
      for (size_t k = 0; k < files.at[now].heads; k++)
        write_bytes(tokens.at[files.at[now].head + k].at, tokens.at[files.at[now].head + k].length);
    }
    write_item(&items.at[i]);
  }
  write_text("\n");
}

int main(int count, char **arguments) {
  LIST(const char *) sources = {0};
  const char *name = "ritti_amalgamation";
  for (int i = 1; i < count; i++) {
    bool more = i + 1 < count;
    if (!strcmp(arguments[i], "-I") && more) PUSH(folders, arguments[++i]);
    else if (!strcmp(arguments[i], "--root") && more) PUSH(roots, arguments[++i]);
    else if (!strcmp(arguments[i], "--name") && more) name = arguments[++i];
    else if (!strcmp(arguments[i], "--plain")) plain = true;
    else if (!strcmp(arguments[i], "-o") && more) {
      if (!freopen(arguments[++i], "wb", stdout)) stop_program("cannot write %s", arguments[i]);
    } else PUSH(sources, arguments[i]);
  }
  for (size_t i = 0; i < sources.count; i++) read_source(sources.at[i]);
  for (size_t i = 0; i < roots.count; i++) {
    token t = {NAME, roots.at[i], strlen(roots.at[i])};
    want_name(&t, -1);
  }
  check_defined();
  if (!plain)
    printf("/* Made by tools/amalgamate.c. */\n#include <stddef.h>\n"
           "extern const char *const %s[];\nconst char *const %s[] = {\n",
           name, name);
  write_all();
  if (!plain) puts("    NULL};");
  free(sources.at);
  return fflush(stdout) || ferror(stdout);
}
