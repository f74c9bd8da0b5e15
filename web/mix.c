/* Each bit is predicted from what stood behind the same last 1, 2, 3, 4 and 6 bytes, the same word,
 * the same two words, and the longest match. Weights that are learned on the way mix these
 * predictions, and a table says what such a mixture was worth before. An arithmetic coder spends
 * -log2(probability) bits. All numbers are integers, so that the page computes the same predictions
 * as the program that compressed the text (tools/web compiles this file for both). */
#include "mix.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
  CONTEXTS = 7,
  INPUTS = 2 * CONTEXTS + 2, /* of the mixture: two of each context, the match, and a constant */
  SETS = 3 * 256,            /* of weights: by the length of the match and the bits of the byte */
  SLOT_BITS = 20,            /* of the tables of contexts */
  KEY_BITS = 18,             /* of the table of the last places */
  KNOTS = 33,                /* of squash */
  JUDGES = 1024              /* contexts in which mixtures are judged */
};

typedef struct {
  /* probabilities of 22 bits, with the number of their uses in 10 bits */
  uint32_t context[CONTEXTS][1 << SLOT_BITS], matched[64], judge[2][JUDGES * KNOTS];
  int32_t weight[SETS * INPUTS], input[INPUTS];
  int32_t last[1 << KEY_BITS]; /* behind which byte the same six bytes ended last; 0: never */
  uint32_t base[CONTEXTS], *slot[CONTEXTS], *judged[2];
  int16_t stretch[4096];
  int32_t *weights; /* of this bit */
  const unsigned char *text;
  size_t at, match,
      length;            /* bytes that are known; the byte that is expected next, if length > 0 */
  uint32_t word, before; /* hashes of the current word and of the one before */
  int byte, known;       /* bits of the current byte behind a leading 1, and their number */
  int expected, state;   /* the next bit by the match, or -1, and its slot */
  int mixture, probability; /* of a bit 1, of 4096 */
} predictor;

/* 4096/(1 + exp(-x/256)) for |x| < 2048, interpolated. */
static int squash(int x) {
  static const int16_t knots[KNOTS] = {1,    2,    4,    6,    10,   17,   28,   45,   74,
                                       120,  194,  311,  488,  747,  1102, 1546, 2048, 2550,
                                       2994, 3349, 3608, 3785, 3902, 3976, 4022, 4051, 4068,
                                       4079, 4086, 4090, 4092, 4094, 4095};
  int i = (x >> 7) + 16, part = x & 127;
  return (knots[i] * (128 - part) + knots[i + 1] * part + 64) >> 7;
}

static void learn(uint32_t *slot, int bit, uint32_t limit) {
  uint32_t count = *slot & 1023;
  int32_t p = (int32_t)(*slot >> 10), goal = bit ? (1 << 22) - 1 : 0;
  p += (goal - p) * 2 / (int32_t)(2 * count + 3);
  *slot = (uint32_t)p << 10 | (count < limit ? count + 1 : count);
}

static uint32_t hash(uint32_t a, uint32_t b) {
  return ((a ^ b * 0x2C9277B5u) * 0x3D4D51CBu) ^ a >> 15;
}

/* Finds the probability of the next bit. */
static void predict(predictor *m) {
  for (int i = 0; i < CONTEXTS; i++) {
    uint32_t at = (m->base[i] + (uint32_t)m->byte * 0x2F0B4C47u) * 0x9E3779B1u >> (32 - SLOT_BITS);
    uint32_t count = (*(m->slot[i] = &m->context[i][at]) & 1023);
    int p = (int)(*m->slot[i] >> 20);
    m->input[2 * i] = count ? m->stretch[p] : 0;
    m->input[2 * i + 1] = count ? (p - 2048) * (count > 3 ? 2 : 1) / 2 : 0;
  }
  int set = 0;
  m->expected = -1;
  m->input[INPUTS - 2] = 0;
  m->input[INPUTS - 1] = 256;
  if (m->length > 0) {
    int c = m->text[m->match] | 256;
    if (c >> (8 - m->known) != m->byte) m->length = 0;
    else {
      m->expected = c >> (7 - m->known) & 1;
      m->state = (int)(m->length < 32 ? m->length : 31) * 2 + m->expected;
      m->input[INPUTS - 2] = m->stretch[m->matched[m->state] >> 20];
      set = m->length < 16 ? 1 : 2;
    }
  }
  m->weights = m->weight + (set * 256 + m->byte) * INPUTS;
  int64_t sum = 0;
  for (int i = 0; i < INPUTS; i++) sum += (int64_t)m->weights[i] * m->input[i];
  int x = sum > 2047 * 65536 ? 2047 : sum < -2047 * 65536 ? -2047 : (int)(sum >> 16);
  m->mixture = squash(x);

  int place = (x + 2048) >> 7, part = (x + 2048) & 127, p = 2 * m->mixture;
  uint32_t two = (m->base[1] ^ (uint32_t)m->byte * 0x2F0B4C47u) * 0x9E3779B1u >> 22;
  m->judged[0] = &m->judge[0][(m->byte | set << 8) * KNOTS + place];
  m->judged[1] = &m->judge[1][two * KNOTS + (uint32_t)place];
  for (int i = 0; i < 2; i++) {
    uint32_t low = m->judged[i][0] >> 17, high = m->judged[i][1] >> 17;
    p += (int)((low * (uint32_t)(128 - part) + high * (uint32_t)part) >> 10);
    m->judged[i] += part >= 64;
  }
  p /= 4;
  m->probability = p < 1 ? 1 : p > 4095 ? 4095 : p;
}

/* A byte is known: new contexts, and the match goes on or is looked for. */
static void end_byte(predictor *m) {
  const unsigned char *text = m->text;
  size_t n = ++m->at;
  uint32_t c = text[n - 1], h = 0;
  bool letter =
      (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= 'a' && c <= 'z');
  int k = 0;
  m->byte = 1;
  m->known = 0;
  if (letter) m->word = (m->word + c) * 0x2C9277B5u | 1;
  else if (m->word) m->before = m->word, m->word = 0;
  for (unsigned i = 0; i < 6; i++) {
    h = hash(h + i + 1, n > i ? text[n - 1 - i] + 1u : 0);
    if (i != 4) m->base[k++] = h;
  }
  m->base[k++] = hash(m->word, c + 77);
  m->base[k] = hash(m->word + 3 * m->before, letter ? 1 : c);
  int32_t *last = &m->last[h >> (32 - KEY_BITS)];
  if (m->length > 0) m->match++, m->length++;
  else {
    m->match = (size_t)*last;
    while (m->length < 64 && m->length < m->match &&
           text[m->match - 1 - m->length] == text[n - 1 - m->length])
      m->length++;
  }
  *last = (int32_t)n;
}

/* The next bit is known. */
static void update(predictor *m, int bit) {
  int error = bit * 4096 - m->mixture;
  for (int i = 0; i < INPUTS; i++) m->weights[i] += (m->input[i] * error * 5 + 0x8000) >> 16;
  for (int i = 0; i < CONTEXTS; i++) learn(m->slot[i], bit, i < 1 ? 250 : 24);
  for (int i = 0; i < 2; i++) learn(m->judged[i], bit, 100);
  if (m->expected >= 0) learn(&m->matched[m->state], bit, 1000);
  m->byte = m->byte << 1 | bit;
  if (++m->known == 8) end_byte(m);
  predict(m);
}

static predictor *predictor_new(const unsigned char *text) {
  predictor *m = calloc(1, sizeof *m);
  if (!m) return NULL;
  m->text = text;
  m->byte = 1;
  for (int x = -2047, next = 0; x <= 2047; x++)
    for (int p = squash(x); next <= p; next++) m->stretch[next] = (int16_t)x;
  for (int i = 0; i < CONTEXTS; i++)
    for (size_t k = 0; k < 1 << SLOT_BITS; k++) m->context[i][k] = 0x80000000u;
  for (int i = 0; i < 64; i++) m->matched[i] = 0x80000000u;
  for (int i = 0; i < SETS * INPUTS; i++) m->weight[i] = i % INPUTS % 2 ? 0 : 16000;
  for (int i = 0; i < JUDGES * KNOTS; i++)
    m->judge[0][i] = m->judge[1][i] = (uint32_t)squash(i % KNOTS * 127 - 2032) << 20;
  predict(m);
  return m;
}

/* The interval [low, high] is cut by the probability; a bit 1 takes the lower part. */
static uint32_t cut(uint32_t low, uint32_t high, int probability) {
  return low + (high - low) / 4096 * (uint32_t)probability;
}

unsigned char *ritt_mix_compress(const unsigned char *text, size_t size, size_t *packed_size) {
  predictor *m = predictor_new(text);
  unsigned char *out = malloc(2 * size + 16), *end = out;
  uint32_t low = 0, high = UINT32_MAX;
  if (m && out) {
    for (int i = 0; i < 24; i += 8) *end++ = (unsigned char)(size >> i);
    for (size_t i = 0; i < 8 * size; i++) {
      int bit = text[i / 8] >> (7 - i % 8) & 1;
      uint32_t middle = cut(low, high, m->probability);
      if (bit) high = middle;
      else low = middle + 1;
      update(m, bit);
      for (; !((low ^ high) >> 24); low <<= 8, high = high << 8 | 255)
        *end++ = (unsigned char)(high >> 24);
    }
    for (int i = 24; i >= 0; i -= 8) *end++ = (unsigned char)(high >> i);
    *packed_size = (size_t)(end - out);
    *end = 0;
  }
  free(m);
  return out;
}

unsigned char *ritt_mix_expand(const unsigned char *packed, size_t packed_size, size_t *size) {
  if (packed_size < 7) return NULL;
  *size = packed[0] | (size_t)packed[1] << 8 | (size_t)packed[2] << 16;
  unsigned char *text = calloc(*size + 1, 1);
  predictor *m = text ? predictor_new(text) : NULL;
  uint32_t low = 0, high = UINT32_MAX, code = 0;
  size_t at = 3;
  while (at < 7) code = code << 8 | packed[at++];
  for (size_t i = 0; m && i < 8 * *size; i++) {
    uint32_t middle = cut(low, high, m->probability);
    int bit = code <= middle;
    if (bit) high = middle;
    else low = middle + 1;
    if (bit) text[i / 8] |= (unsigned char)(128 >> i % 8);
    update(m, bit);
    for (; !((low ^ high) >> 24); low <<= 8, high = high << 8 | 255)
      code = code << 8 | (at < packed_size ? packed[at++] : 0);
  }
  if (!m) free(text), text = NULL;
  free(m);
  return text;
}

#ifdef RITT_MIX_PROGRAM
#include <stdio.h>

/* The program: compresses the standard input, and checks that it expands to the same text. */
int main(void) {
  static unsigned char text[1 << 23];
  size_t size = fread(text, 1, sizeof text, stdin), packed_size, back_size;
  unsigned char *packed = ritt_mix_compress(text, size, &packed_size);
  unsigned char *back = packed ? ritt_mix_expand(packed, packed_size, &back_size) : NULL;
  bool good = back && back_size == size && !memcmp(back, text, size) &&
              fwrite(packed, 1, packed_size, stdout) == packed_size;
  free(back);
  free(packed);
  return good ? 0 : 1;
}
#endif
