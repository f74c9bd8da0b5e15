/* Assemblies of library parts (models/parts) against closed forms and against the same motion in few coordinates,
 * integrated by another program. */
#include "run.h"

static void expect(const run *r, const char *name, double value, double tolerance) {
  double got = run_last(r, name);
  bool near = fabs(got - value) <= tolerance * fmax(1, fabs(value));
  if (!near) printf("%s = %.16g, not %.16g\n", name, got, value);
  CHECK(near);
}

static run *run_model(const char *name) {
  run *r = run_file(name, NULL);
  run_go(r, NULL);
  return r;
}

/* Willis: with the radii 6, 4 and 14 of sun, planets and ring the carrier turns 0.3 times as fast as the sun, the
 * planets -0.75 times. The moments of inertia, reduced to the sun, are 0.018685. */
static void test_planetary(void) {
  run *r = run_model("parts/planetary");
  double sun = 2 * 2 / 0.018685;
  expect(r, "sun.phi'", sun, 1e-9);
  expect(r, "carrier.phi'", 0.3 * sun, 1e-9);
  expect(r, "planet[1].phi'", -0.75 * sun, 1e-9);
  run_free(r);
}

/* One angle describes the lift: integrated with it by another program; h = 3*L*sin(phi). */
static void test_scissor_lift(void) {
  run *r = run_model("parts/scissor_lift");
  expect(r, "phi", 0.46377672326, 1e-9);
  expect(r, "h", 3 * sin(0.46377672326), 1e-9);
  expect(r, "top.phi", 0, 1e-9);
  run_free(r);
}

/* Two angles describe the arm. */
static void test_excavator(void) {
  run *r = run_model("parts/excavator");
  expect(r, "boom.phi", 0.03358711, 2e-8);
  expect(r, "stick.phi", -1.28193391, 2e-8);
  run_free(r);
}

/* A Cardan joint at the angle beta: tan(b) = tan(a)/cos(beta). */
static void test_cardan(void) {
  run *r = run_model("parts/cardan");
  double c = cos(acos(-1.0) / 6), a = 3;
  expect(r, "b.angle", atan2(sin(a) / c, cos(a)), 1e-8);
  expect(r, "s2.w[1]", 3 * c / (c * c * cos(a) * cos(a) + sin(a) * sin(a)), 1e-8);
  run_free(r);
}

/* Steady precession. */
static void test_gyroscope(void) {
  run *r = run_model("parts/gyroscope");
  double angle = run_last(r, "angle");
  expect(r, "disc.r[1]", 0.3 * sin(0.5) * sin(angle), 1e-8);
  expect(r, "disc.r[2]", -0.3 * sin(0.5) * cos(angle), 1e-8);
  expect(r, "disc.r[3]", 0.3 * cos(0.5), 1e-8);
  run_free(r);
}

/* The voltage of the capacitor as the only state, the currents of the diodes by iteration, in another program. */
static void test_bridge_rectifier(void) {
  run *r = run_model("parts/bridge_rectifier");
  expect(r, "load.v", 8.921247014, 1e-7);
  run_free(r);
}

/* The four states of oven and controller as they are, in another program. */
static void test_oven(void) {
  run *r = run_model("parts/oven");
  expect(r, "oven.T", 377.425391779, 1e-9);
  run_free(r);
}

int main(void) {
  test_planetary();
  test_scissor_lift();
  test_excavator();
  test_cardan();
  test_gyroscope();
  test_bridge_rectifier();
  test_oven();
  return CHECKS_DONE();
}
