/* Private to parts.c and connect.c: parts, ports, and copies of statements. */
#ifndef RITTI_PARTS_IMPL_H
#define RITTI_PARTS_IMPL_H

#include "lang/lang_impl.h"

/* A port of a part. Connections join its outside, among the parts around it, or its inside, among
 * the parts of its own part. */
typedef struct ritti_port {
  ritti_instance *owner;
  const char *path;            /* "s[2].left" */
  const ritti_statement *line; /* its declaration */
  const ritti_statement *kind; /* its kind, with the members */
  int64_t index[RITTI_RANK_LIMIT];
  uint32_t place;  /* token of a connection of the port; NO_TOKEN: it is not connected */
  bool defined[2]; /* its flows are connected outside; they are defined by the connection inside */
} ritti_port;

/* Parts, ports and connections of a model. */
typedef struct ritti_parts_state {
  RITTI_ARRAY(ritti_instance *) instance; /* those that contain others come first */
  size_t expanded;                        /* the parts of these instances are made */
  RITTI_ARRAY(ritti_port) port;
  ritti_symbols texts; /* texts of tokens that were made; token: the first token of each */
  /* connected ports: each points to one of its set, which points to itself. `level`: sides of
   * ports (2*port + inside) that meet in one part; `whole`: ports that meet through all levels */
  uint32_t *level, *whole;
} ritti_parts_state;

/* How the nodes of a statement are copied. */
typedef struct ritti_copier {
  ritti_resolver *resolver;
  ritti_instance *in; /* the part whose names the statement uses; NULL: those of the model */
  /* indices that are replaced by numbers: names of ranges, and their values */
  const ritti_node *ranges;
  const int64_t *index;
  RITTI_ARRAY(uint32_t) hidden; /* names of indices of the statement itself */
} ritti_copier;

/* Where a name of a component or of a kind of port is defined; the highest one is meant. */
typedef enum ritti_match {
  NO_MATCH,
  MATCH_ELSEWHERE, /* in a text that is included by others */
  MATCH_INCLUDED,  /* in a text that the text with the name includes */
  MATCH_HERE       /* in the same text, or in the library that is named before it */
} ritti_match;

/* What is known of a name after some definitions: the best match, and whether several have it. */
typedef struct ritti_choice {
  ritti_match match;
  bool several;
} ritti_choice;

/* Does the name at the token `used`, such as `ground` or `planar.ground`, mean the definition at the token
 * `defined` rather than the definitions before? */
bool ritti_is_nearer(ritti_reader *reader, uint32_t defined, uint32_t used, ritti_choice *choice);
/* The name of the text that contains a token, without folder, brackets and ending: "planar" for <planar>,
 * "parts" for lib/parts.ritt. In scratch memory. */
const char *ritti_name_text(ritti_reader *reader, uint32_t token);
/* Reports a name that has no definition, or several; `defined` are the tokens of all definitions, `what`
 * says what is defined. */
void ritti_tell_undefined(ritti_resolver *resolver, uint32_t token, const char *what,
                          const char *hint, const uint32_t *defined, size_t count);

ritti_node *ritti_copy_node(ritti_copier *copier, const ritti_node *node);
/* Copies the nodes of a list. */
ritti_node *ritti_copy_nodes(ritti_copier *copier, const ritti_node *first);
/* Appends a statement to a section of the model. */
void ritti_append_statement(ritti_resolver *resolver, int section, ritti_statement *statement);
/* The token of a name of a part: "s[2].Q" and "b" give "s[2].Q.b". */
uint32_t ritti_member_token(ritti_resolver *resolver, const char *path, uint32_t name);
/* "[2]", "[1,2]": the indices of an element; "" without ranges. In scratch memory. */
const char *ritti_index_words(ritti_resolver *resolver, const ritti_node *ranges,
                              const int64_t *index);
/* Calls `visit` for every element of a declaration, with its indices; the declaration may be an
 * array. `path` is that of the owner. */
typedef ritt_status ritti_visit_element(ritti_resolver *resolver, const ritti_statement *line,
                                        ritti_instance *owner, const int64_t *index);
ritt_status ritti_each_element(ritti_resolver *resolver, const ritti_statement *line,
                               ritti_instance *owner, const char *path, ritti_symbol_kind kind,
                               ritti_visit_element *visit) RITT_USE;
/* Makes the ports of all parts, and joins those that are connected. */
ritt_status ritti_connect_ports(ritti_resolver *resolver) RITT_USE;

#endif
