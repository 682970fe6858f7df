/** Natural logarithm of the gamma function for x > 0, by the approximation of Lanczos. */
function lnGamma(x: number): number {
  const weights = [
    676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905,
    -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
  ]
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - lnGamma(1 - x)
  let sum = 0.99999999999980993
  for (const [index, weight] of weights.entries()) sum += weight / (x + index)
  const t = x + weights.length - 1.5
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(sum)
}

/** The regularized upper incomplete gamma function Q(a, x), by series below a + 1 and by fraction above. */
function upperGamma(a: number, x: number): number {
  if (x <= 0) return 1
  const front = Math.exp(a * Math.log(x) - x - lnGamma(a))
  if (x < a + 1) {
    let term = 1 / a
    let sum = term
    for (let n = 1; n < 10_000 && term > sum * 1e-16; n++) {
      term *= x / (a + n)
      sum += term
    }
    return Math.max(0, 1 - front * sum)
  }
  let b = x + 1 - a
  let c = 1e300
  let d = 1 / b
  let fraction = d
  for (let n = 1; n < 10_000; n++) {
    const an = -n * (n - a)
    b += 2
    d = 1 / (an * d + b || 1e-300)
    c = b + an / c || 1e-300
    fraction *= d * c
    if (Math.abs(d * c - 1) < 1e-15) break
  }
  return front * fraction
}

/** Probability of a χ² at least this large with `freedom` degrees of freedom. */
export function chiSquareTail(chiSquare: number, freedom: number): number {
  return freedom <= 0 ? 1 : upperGamma(freedom / 2, chiSquare / 2)
}

/** Probability that a normal variable is at least `sigmas` standard deviations from its mean, on any side. */
export function normalTail(sigmas: number): number {
  return upperGamma(0.5, (sigmas * sigmas) / 2)
}

/** The number of standard deviations with this two-sided probability: the inverse of `normalTail`. */
export function sigmasOf(probability: number): number {
  if (probability >= 1) return 0
  let [low, high] = [0, 40]
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2
    if (normalTail(middle) > probability) low = middle
    else high = middle
  }
  return (low + high) / 2
}

/**
 * The standard deviations that remain of the largest of `tests` deviations, since among many outcomes a large
 * one is likely to occur by chance.
 */
export function correctedSigmas(sigmas: number, tests: number): number {
  const single = normalTail(sigmas)
  // 1 − (1 − p)^k, without loss of digits for small p.
  return sigmasOf(-Math.expm1(tests * Math.log1p(-single)))
}

/** Uniform random numbers from 0 to 1 that repeat for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** A Poisson variable: by products of uniform numbers below 30, by a rounded normal variable above. */
export function poisson(mean: number, random: () => number): number {
  if (mean <= 0) return 0
  if (mean >= 30) {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
    return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal))
  }
  const limit = Math.exp(-mean)
  let count = 0
  for (let product = random(); product > limit; product *= random()) count++
  return count
}
