/* Arithmetic modulo primes below 2^62. Residues are kept in Montgomery's form, a 2^64 mod p, so
 * that a product needs no division. The primes are 4 q + 1 with q prime: powers of a random residue
 * are then as random as itself, and -1 has a square root. */
#ifndef RITTI_RESIDUE_H
#define RITTI_RESIDUE_H

#include <gmp.h>
#include "base/base.h"

typedef uint64_t ritti_residue;
__extension__ typedef unsigned __int128 ritti_twice;

typedef struct ritti_prime {
  uint64_t p;
  uint64_t minus_inverse; /* -1/p mod 2^64 */
  ritti_residue one;      /* 2^64 mod p */
  ritti_residue square;   /* 2^128 mod p */
} ritti_prime;

/* 2^62 minus the largest primes 4 q + 1. Two of them decide; rational numbers are reconstructed
 * modulo a product of as many as their length needs, and all of them together are enough for every
 * number that a double can hold. */
enum { RITTI_PRIMES = 40 };
static const uint64_t ritti_prime_below[RITTI_PRIMES] = {
    1595,   2675,   6827,   15611,  19571,  28595,  43715,  50195,  67067,  78491,
    81395,  85667,  93491,  104651, 106475, 118091, 129515, 132635, 138731, 149435,
    151475, 151691, 154667, 165731, 170507, 173195, 190211, 209747, 214571, 222131,
    225707, 232787, 234275, 237011, 243755, 248387, 249731, 257627, 265067, 267155};

static inline ritti_residue ritti_residue_reduce(const ritti_prime *P, ritti_twice a) {
  uint64_t m = (uint64_t)a * P->minus_inverse;
  uint64_t r = (uint64_t)((a + (ritti_twice)m * P->p) >> 64);
  return r >= P->p ? r - P->p : r;
}

static inline ritti_residue ritti_residue_multiply(const ritti_prime *P, ritti_residue a,
                                                   ritti_residue b) {
  return ritti_residue_reduce(P, (ritti_twice)a * b);
}

static inline ritti_residue ritti_residue_add(const ritti_prime *P, ritti_residue a,
                                              ritti_residue b) {
  uint64_t sum = a + b;
  return sum >= P->p ? sum - P->p : sum;
}

static inline ritti_residue ritti_residue_negate(const ritti_prime *P, ritti_residue a) {
  return a ? P->p - a : 0;
}

static inline ritti_prime ritti_prime_make(int number) {
  uint64_t p = ((uint64_t)1 << 62) - ritti_prime_below[number];
  uint64_t inverse = p; /* correct modulo 2^3; each step doubles the number of bits */
  for (int i = 0; i < 5; i++) inverse *= 2 - p * inverse;
  ritti_twice one = ((ritti_twice)1 << 64) % p;
  return (ritti_prime){.p = p,
                       .minus_inverse = (uint64_t)0 - inverse,
                       .one = (uint64_t)one,
                       .square = (uint64_t)(one * one % p)};
}

/* The residue of a whole number below p, and the number of a residue. */
static inline ritti_residue ritti_residue_from(const ritti_prime *P, uint64_t a) {
  return ritti_residue_multiply(P, a, P->square);
}
static inline uint64_t ritti_residue_number(const ritti_prime *P, ritti_residue a) {
  return ritti_residue_reduce(P, a);
}

static inline ritti_residue ritti_residue_power(const ritti_prime *P, ritti_residue a,
                                                uint64_t exponent) {
  ritti_residue r = P->one;
  for (; exponent; exponent >>= 1) {
    if (exponent & 1) r = ritti_residue_multiply(P, r, a);
    a = ritti_residue_multiply(P, a, a);
  }
  return r;
}

/* a is not 0 */
static inline ritti_residue ritti_residue_inverse(const ritti_prime *P, ritti_residue a) {
  return ritti_residue_power(P, a, P->p - 2);
}

/* false: p divides the denominator */
static inline bool ritti_residue_rational(const ritti_prime *P, mpq_srcptr a, ritti_residue *out) {
  ritti_residue top = ritti_residue_from(P, mpz_fdiv_ui(mpq_numref(a), P->p));
  ritti_residue bottom = ritti_residue_from(P, mpz_fdiv_ui(mpq_denref(a), P->p));
  if (!bottom) return false;
  *out = ritti_residue_multiply(P, top, ritti_residue_inverse(P, bottom));
  return true;
}

/* A residue that belongs to a key and is otherwise random; never 0. */
static inline ritti_residue ritti_residue_random(const ritti_prime *P, uint64_t key) {
  uint64_t z = (key + P->p) * 0x9e3779b97f4a7c15u + 0x2545f4914f6cdd1du;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return 1 + (z ^ (z >> 31)) % (P->p - 1);
}

#endif
