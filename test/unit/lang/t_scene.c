/* The section `scene`: shapes with their places and looks, in families and components, and the
 * messages about mistakes. */
#include "lang_test.h"

#define HEAD                                                                                       \
  "model m\nvariable x, y, p[1..3]\nequation\n  x' = y\n  y' = -x\n  p' = [0, 0, 0]\n"             \
  "start x = 1, y = 0, p = 0\nsolve t = 0 .. 1\noutput E = x^2 + y^2\n"

/* The expression of a number of a look. */
static const char *shown(const ritti_model *m, int figure, int look, int number, char buffer[512]) {
  int column = m->figure[figure].look[look].column[number];
  return printed(m, m->plot_column[m->plot_columns + column].expr, buffer);
}

static void check_shapes(void) {
  char buffer[512];
  ritti_model *m = read_text(
      HEAD "plot (x, y)\n"
           "scene\n"
           "  bar (0, 0), (x, y) width 3\n"
           "  point (x, E) colour blue\n"
           "  sphere p radius y'\n"
           "  arrow [x, y] along -2*[y, x] colour \"#12aB9f\"\n"
           "  label (x, y) \"the mass\"\n"
           "  box p + [0, 0, 1] size (1, 2, x) turned [[1, 0, 0], [0, 1, 0], [0, 0, 1]]\n",
      true);
  CHECK(m && m->figures == 6);
  if (!m || m->figures != 6) return;

  /* places and looks in their order; named columns are known */
  CHECK(!strcmp(m->figure[0].word, "bar") && m->figure[0].looks == 3);
  CHECK(!strcmp(m->figure[0].look[0].word, "at") && m->figure[0].look[0].columns == 2);
  CHECK(!strcmp(shown(m, 0, 1, 0, buffer), "x") && !strcmp(shown(m, 0, 1, 1, buffer), "y"));
  CHECK(!strcmp(m->figure[0].look[2].word, "width"));
  CHECK(!strcmp(shown(m, 1, 0, 1, buffer), "x^2 + y^2"));
  CHECK(!strcmp(m->figure[1].look[1].text, "blue"));
  CHECK(m->figure[2].look[0].columns == 3 && !strcmp(shown(m, 2, 1, 0, buffer), "y'"));
  CHECK(!strcmp(shown(m, 3, 1, 0, buffer), "-2*y") &&
        !strcmp(m->figure[3].look[2].text, "#12aB9f"));
  CHECK(!strcmp(m->figure[4].look[1].word, "text") &&
        !strcmp(m->figure[4].look[1].text, "the mass"));
  CHECK(m->figure[5].look[2].columns == 9);

  /* equal expressions share a column; the plots have theirs before them, and count alone */
  CHECK(m->figure[0].look[1].column[0] == m->figure[3].look[0].column[0]);
  CHECK(m->plot_columns == 2 && m->scene_columns > 10 && !m->scene_shown);
  ritti_model_free(m);
}

static void check_families(void) {
  char buffer[512];
  ritti_model *m = read_text(HEAD "scene\n"
                                  "  for i in 1..3:\n"
                                  "    point (i, p[i])\n"
                                  "    for k in 1..i: circle (p[k], 0) radius k\n",
                             true);
  CHECK(m && m->figures == 9);
  if (m && m->figures == 9) CHECK(!strcmp(shown(m, 8, 0, 0, buffer), "p[3]"));
  ritti_model_free(m);

  /* each part draws its component, also what it extends */
  m = read_text("model m\n"
                "component dot\n"
                "  parameter r = 1\n"
                "  variable x\n"
                "  equation x' = -x\n"
                "  start x ~ 1\n"
                "  scene circle (x, 0) radius r\n"
                "component ring\n"
                "  extend dot\n"
                "  scene point (x, r)\n"
                "part a: dot(r = 2), b[i in 1..2]: ring(r = i)\n"
                "solve t = 0 .. 1\n"
                "scene bar (a.x, 0), (b[2].x, 0)\n",
                true);
  CHECK(m && m->figures == 6);
  if (m && m->figures == 6) {
    CHECK(!strcmp(shown(m, 0, 0, 1, buffer), "0") && !strcmp(shown(m, 0, 0, 0, buffer), "a.x"));
    CHECK(!strcmp(shown(m, 1, 0, 0, buffer), "a.x") && !strcmp(shown(m, 1, 1, 0, buffer), "a.r"));
    CHECK(!strcmp(shown(m, 5, 0, 0, buffer), "b[2].x"));
  }
  ritti_model_free(m);
}

static void check_mistakes(void) {
  static const struct {
    const char *line, *message;
  } mistakes[] = {
      {"pont (x, y)", "11:3: 'pont' is not a shape of a scene"},
      {"= (x, y)", "11:3: '=' is not a shape of a scene"},
      {"point", "11:3: a place is missing after 'point'"},
      {"point (x, y),", "11:15: a place is missing after ','"},
      {"point (x, y), (y, x)", "11:3: the shape 'point' has 1 place, not 2"},
      {"bar (x, y)", "11:3: the shape 'bar' has 2 places or more, not 1"},
      {"circle (x, y)", "11:3: the shape 'circle' needs a radius"},
      {"arrow (x, y)", "11:3: the shape 'arrow' needs a direction"},
      {"label (x, y)", "11:3: the shape 'label' needs a text"},
      {"point (x, y) \"a\"", "11:16: the shape 'point' has no text"},
      {"point (x, y) size (1, 1)", "11:16: the shape 'point' has no size"},
      {"point (x, y) raduis 1", "11:16: 'raduis' cannot stand here"},
      {"point (x, y) radius 1 radius 2", "11:25: 'radius' is given twice"},
      {"point (x, y) radius", "11:16: nothing follows 'radius'"},
      {"point (x, y) colour bleu", "11:23: bleu is not a colour"},
      {"point (x, y) colour \"red\"", "11:23: \"red\" is not a colour"},
      {"point (x, z)", "11:13: 'z' is not defined"},
      {"point x", "11:9: the place of a shape is a vector of 2 or 3, such as (x, y), not a number"},
      {"point (x, y, x, y)",
       "11:9: the place of a shape is a vector of 2 or 3, such as (x, y), not a vector of 4"},
      {"point (x, y) radius p", "11:23: the radius of a shape is a number, not a vector of 3"},
      {"bar (x, y), p", "11:15: this place has 3 numbers, the one before it 2"},
      {"arrow (x, y) along p", "11:22: the direction has 3 numbers, the place 2"},
      {"box (x, y) size (1, 1) turned p",
       "11:33: the turn of a shape is an angle or a rotation matrix, not a vector of 3"},
  };
  char text[600], buffer[256];
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
    snprintf(text, sizeof text, HEAD "scene\n  %s\n", mistakes[i].line);
    const char *said = first_message(text, buffer);
    if (strcmp(said, mistakes[i].message)) printf("%s\n  told: %s\n", mistakes[i].line, said);
    CHECK(!strcmp(said, mistakes[i].message));
    CHECK(message_count(text) == 1);
  }

  /* an empty section, and a name that is used in a wrong way once */
  CHECK(!strcmp(first_message(HEAD "scene\n", buffer), "10:1: the section 'scene' is empty"));
}

static void check_format(const char *line, const char *expected) {
  char text[300], wanted[300];
  ritti_text out = {0};
  ritt_error *error = ritt_error_new();
  snprintf(text, sizeof text, "model m\nscene\n %s\n", line);
  snprintf(wanted, sizeof wanted, "model m\nscene\n  %s\n", expected);
  CHECK(ritti_model_format(text, strlen(text), "test.ritt", error, &out) == RITT_OK);
  if (out.at && strcmp(out.at, wanted)) printf("laid out as:\n%s", out.at);
  CHECK(out.at && !strcmp(out.at, wanted));
  ritti_text_free(&out);
  ritt_error_free(error);
}

int main(void) {
  check_shapes();
  check_families();
  check_mistakes();
  check_format("bar(0,0),( x,y )width 3", "bar (0, 0), (x, y) width 3");
  check_format("arrow (x,y)   along   -0.1*[x,y]", "arrow (x, y) along -0.1*[x, y]");
  check_format("arrow p along [ x,y ]", "arrow p along [x, y]");
  check_format("circle(sin (x),y-1) radius  r+1", "circle (sin(x), y-1) radius r+1");
  check_format("bar p[1],p[2]  colour   \"#000000\"", "bar p[1], p[2] colour \"#000000\"");
  return CHECKS_DONE();
}
