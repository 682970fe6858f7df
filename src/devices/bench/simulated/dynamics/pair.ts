import type { Matrix } from '../../../../qasm/index.ts'
import type { DampingStep } from './damping.ts'
import type { ExchangeKick } from './exchange.ts'
import { LEVELS, mix, turn } from './matrix.ts'

/** Levels of a pair: `3a + b`. */
export const PAIR_LEVELS = 9
const LEVEL_11 = 4
const LEVEL_20 = 6

/** Distance of the levels of one transmon in a pair, and the first level of each group of three. */
const PLACES = [
  { stride: 3, bases: [0, 1, 2] },
  { stride: 1, bases: [0, 3, 6] },
] as const

/** rho ← U rho U† with U on one transmon: 0 is `a`, 1 is `b`. */
export function applyToOne(rho: Matrix, unitary: Matrix, which: 0 | 1): void {
  const { stride, bases } = PLACES[which]
  // All of U rho before U†: a row that has both cannot be mixed with one that has not.
  for (const base of bases) {
    for (let other = 0; other < PAIR_LEVELS; other++)
      transform(rho, unitary, 2 * (base * PAIR_LEVELS + other), 2 * stride * PAIR_LEVELS, 1)
  }
  for (const base of bases) {
    for (let other = 0; other < PAIR_LEVELS; other++)
      transform(rho, unitary, 2 * (other * PAIR_LEVELS + base), 2 * stride, -1)
  }
}

/** Multiplies three elements of rho by U, or by its complex conjugate where `sign` is −1. */
function transform(rho: Matrix, unitary: Matrix, start: number, step: number, sign: 1 | -1): void {
  const r0 = rho[start] as number
  const i0 = rho[start + 1] as number
  const r1 = rho[start + step] as number
  const i1 = rho[start + step + 1] as number
  const r2 = rho[start + 2 * step] as number
  const i2 = rho[start + 2 * step + 1] as number
  for (let row = 0; row < LEVELS; row++) {
    const k = 2 * row * LEVELS
    const a0 = unitary[k] as number
    const b0 = sign * (unitary[k + 1] as number)
    const a1 = unitary[k + 2] as number
    const b1 = sign * (unitary[k + 3] as number)
    const a2 = unitary[k + 4] as number
    const b2 = sign * (unitary[k + 5] as number)
    rho[start + row * step] = a0 * r0 - b0 * i0 + a1 * r1 - b1 * i1 + a2 * r2 - b2 * i2
    rho[start + row * step + 1] = a0 * i0 + b0 * r0 + a1 * i1 + b1 * r1 + a2 * i2 + b2 * r2
  }
}

/** rho ← K rho K† of a coupler pulse. */
export function applyExchange(rho: Matrix, { factors, block }: ExchangeKick): void {
  for (let row = 0; row < PAIR_LEVELS; row++) {
    const ar = factors[2 * row] as number
    const ai = factors[2 * row + 1] as number
    for (let column = 0; column < PAIR_LEVELS; column++) {
      const br = factors[2 * column] as number
      const bi = factors[2 * column + 1] as number
      turn(rho, 2 * (row * PAIR_LEVELS + column), ar * br + ai * bi, ai * br - ar * bi)
    }
  }
  for (let other = 0; other < PAIR_LEVELS; other++) {
    mix(rho, block, 2 * (LEVEL_11 * PAIR_LEVELS + other), 2 * (LEVEL_20 * PAIR_LEVELS + other), 1)
  }
  for (let other = 0; other < PAIR_LEVELS; other++) {
    mix(rho, block, 2 * (other * PAIR_LEVELS + LEVEL_11), 2 * (other * PAIR_LEVELS + LEVEL_20), -1)
  }
}

/** Ends the coherence between the levels of one transmon: it was measured, and its outcome not looked at. */
export function measurePair(rho: Matrix, which: 0 | 1): void {
  const { stride } = PLACES[which]
  const levelOf = (level: number) => Math.floor(level / stride) % LEVELS
  for (let row = 0; row < PAIR_LEVELS; row++) {
    for (let column = 0; column < PAIR_LEVELS; column++) {
      const place = 2 * (row * PAIR_LEVELS + column)
      if (levelOf(row) !== levelOf(column)) rho.fill(0, place, place + 2)
    }
  }
}

/** Damps both transmons, and turns the levels by their always-on interaction (rad over this time). */
export function dampPair(rho: Matrix, a: DampingStep, b: DampingStep, conditional: number): void {
  dampOne(rho, a, 0)
  dampOne(rho, b, 1)
  if (conditional === 0) return
  for (let level = LEVELS + 1; level < PAIR_LEVELS; level++) {
    const product = Math.floor(level / LEVELS) * (level % LEVELS)
    if (product > 0) turnLevel(rho, level, -conditional * product)
  }
}

/** Damping of one transmon of a pair: its populations flow, its coherences shrink. */
function dampOne(rho: Matrix, { populations, coherences }: DampingStep, which: 0 | 1): void {
  const { stride, bases } = PLACES[which]
  const next = 2 * stride * (PAIR_LEVELS + 1)
  for (const base of bases) {
    for (const other of bases) {
      const start = 2 * (base * PAIR_LEVELS + other)
      for (let part = start; part < start + 2; part++) {
        const p0 = rho[part] as number
        const p1 = rho[part + next] as number
        const p2 = rho[part + 2 * next] as number
        for (let level = 0; level < LEVELS; level++) {
          const share = LEVELS * level
          rho[part + level * next] =
            (populations[share] as number) * p0 +
            (populations[share + 1] as number) * p1 +
            (populations[share + 2] as number) * p2
        }
      }
      shrink(rho, coherences, start, stride)
    }
  }
}

function shrink(rho: Matrix, coherences: Float64Array, start: number, stride: number): void {
  for (let row = 0; row < LEVELS; row++) {
    for (let column = 0; column < LEVELS; column++) {
      if (row === column) continue
      const place = start + 2 * stride * (row * PAIR_LEVELS + column)
      const factor = coherences[LEVELS * row + column] as number
      rho[place] = (rho[place] as number) * factor
      rho[place + 1] = (rho[place + 1] as number) * factor
    }
  }
}

/** Multiplies the amplitude of a level by exp(i · angle). */
function turnLevel(rho: Matrix, level: number, angle: number): void {
  if (angle === 0) return
  const cos = Math.cos(angle)
  const sin = Math.sin(angle)
  for (let other = 0; other < PAIR_LEVELS; other++) {
    turn(rho, 2 * (level * PAIR_LEVELS + other), cos, sin)
    turn(rho, 2 * (other * PAIR_LEVELS + level), cos, -sin)
  }
}
