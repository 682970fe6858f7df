import { bitCount, bitsOf } from '../numeric/bits.ts'
import { isReal, type KernelCall, type Scale, targetsOf } from './kernel-call.ts'

/** Phase terms that one pass over a block applies together, and a real factor for every amplitude. */
export interface DiagonalPass {
  kind: 'diagonal'
  terms: Scale[]
  factor: number
}

/** Real gates on two qubits, the lower first, in one pass: half the loads and stores of two passes. */
export interface RealGatePair {
  kind: 'pair'
  gates: readonly [SingleQubitCall, SingleQubitCall]
}

/** Two rotations without their cosines, the lower qubit first: half the multiplications of a pair. */
export interface RotationPair {
  kind: 'rotations'
  /** As masks. */
  targets: readonly [number, number]
  tangents: readonly [number, number]
}

type SingleQubitCall = Extract<KernelCall, { kind: 'one' }>

export type Pass = KernelCall | DiagonalPass | RealGatePair | RotationPair

/**
 * Time of a diagonal pass, relative to a pass that scales every amplitude, measured in the level 2 cache.
 * Separate phase terms each take the fraction of the amplitudes that they touch.
 */
const DIAGONAL_PASS_COST = 2.7

/**
 * Smallest product of cosines deferred to one pass: until then amplitudes grow by its inverse, which stays in
 * the range of single precision.
 */
const MIN_FACTOR = 1e-18

/**
 * Orders the calls of a stage so that phases can be merged: it takes in turn all phases that may come next,
 * merged, and all other calls that may, real ones in pairs. Calls may be exchanged where both are diagonal on
 * every shared qubit.
 */
export function scheduleStage(calls: readonly KernelCall[], set: number): Pass[] {
  const passes: Pass[] = []
  // The next call is last: only one layer of gates is taken out and put back, however many follow.
  const remaining = calls.toReversed()
  while (remaining.length > 0) {
    passes.push(...mergeTerms(takeTerms(remaining, set), set))
    takeOthers(remaining, set, passes)
  }
  return deferCosines(pairUp(passes))
}

/** Combines consecutive real gates on different qubits into pairs. */
function pairUp(passes: readonly Pass[]): Pass[] {
  const paired: Pass[] = []
  for (const pass of passes) {
    const before = paired.at(-1)
    if (before && isRealGate(before) && isRealGate(pass) && before.target !== pass.target) {
      const gates: [SingleQubitCall, SingleQubitCall] =
        before.target < pass.target ? [before, pass] : [pass, before]
      paired[paired.length - 1] = { kind: 'pair', gates }
    } else paired.push(pass)
  }
  return paired
}

/**
 * Defers the cosines of rotations to the next diagonal pass over all amplitudes, where they cost nothing:
 * `[c, −s, s, c] = c · [1, −t, t, 1]`.
 */
function deferCosines(passes: readonly Pass[]): Pass[] {
  const changed: Pass[] = []
  let next: DiagonalPass | undefined
  for (const pass of passes.toReversed()) {
    const rotations = pass.kind === 'pair' ? rotationPairOf(pass) : undefined
    if (rotations && next && Math.abs(next.factor * rotations.cosines) > MIN_FACTOR) {
      next.factor *= rotations.cosines
      changed.push(rotations.pass)
    } else {
      if (pass.kind === 'diagonal' && shareOf(pass.terms) === 1) next = pass
      changed.push(pass)
    }
  }
  return changed.reverse()
}

/** A pair as a rotation pair with the product of the omitted cosines, if both gates are rotations. */
function rotationPairOf({ gates }: RealGatePair): { pass: RotationPair; cosines: number } | undefined {
  const [low, high] = gates
  if (!isRotation(low.matrix) || !isRotation(high.matrix)) return undefined
  const cosineA = low.matrix[0] as number
  const cosineB = high.matrix[0] as number
  const cosines = cosineA * cosineB
  if (Math.abs(cosines) <= MIN_FACTOR) return undefined
  const tangents = [(low.matrix[4] as number) / cosineA, (high.matrix[4] as number) / cosineB] as const
  return { pass: { kind: 'rotations', targets: [low.target, high.target], tangents }, cosines }
}

/** Whether a real matrix is `[c, -s, s, c]`. */
function isRotation(matrix: Float64Array): boolean {
  return matrix[6] === matrix[0] && matrix[2] === -(matrix[4] as number)
}

function isRealGate(pass: Pass): pass is SingleQubitCall {
  return pass.kind === 'one' && pass.controls === 0 && isReal(pass.matrix)
}

/**
 * Takes out the phases that may come next; stops when every qubit of the set is blocked, as `takeOthers`
 * does.
 */
function takeTerms(remaining: KernelCall[], set: number): Scale[] {
  const terms: Scale[] = []
  const kept: KernelCall[] = []
  let dense = 0
  while (remaining.length > 0 && (dense & set) !== set) {
    const call = remaining.pop() as KernelCall
    if (call.kind === 'scale' && (call.controls & dense) === 0) terms.push(call)
    else {
      dense |= targetsOf(call)
      kept.push(call)
    }
  }
  putBack(kept, remaining)
  return terms
}

/** Takes out the other calls that may come next. */
function takeOthers(remaining: KernelCall[], set: number, passes: Pass[]): void {
  const kept: KernelCall[] = []
  let dense = 0
  let diagonal = 0
  while (remaining.length > 0 && ((dense | diagonal) & set) !== set) {
    const call = remaining.pop() as KernelCall
    const targets = targetsOf(call)
    const mayPass = (targets & (dense | diagonal)) === 0 && (call.controls & dense) === 0
    if (mayPass && call.kind !== 'scale') passes.push(call)
    else {
      dense |= targets
      diagonal |= call.controls
      kept.push(call)
    }
  }
  putBack(kept, remaining)
}

function putBack(kept: KernelCall[], remaining: KernelCall[]): void {
  for (let call = kept.pop(); call; call = kept.pop()) remaining.push(call)
}

/** Multiplies terms on the same qubits, then combines them into one pass if that takes less time. */
function mergeTerms(terms: readonly Scale[], set: number): Pass[] {
  const merged = new Map<string | number, Scale>()
  for (const term of terms) {
    const { controls, value } = term
    const key = value === controls ? controls : `${controls} ${value}`
    const before = merged.get(key)
    if (!before) merged.set(key, term)
    else {
      const re = before.re * term.re - before.im * term.im
      const im = before.re * term.im + before.im * term.re
      merged.set(key, { kind: 'scale', controls, value, re, im })
    }
  }
  const fitting: Scale[] = []
  const others: Scale[] = []
  let alone = 0
  for (const term of merged.values()) {
    const fits = fitsDiagonalPass(term, set)
    if (fits) alone += 1 / (1 << bitCount(term.controls))
    ;(fits ? fitting : others).push(term)
  }
  const isWorthIt = alone > DIAGONAL_PASS_COST * shareOf(fitting)
  return isWorthIt ? [{ kind: 'diagonal', terms: fitting, factor: 1 }, ...others] : [...merged.values()]
}

/**
 * Whether a diagonal pass can contain the term: on two qubits at most, unless all are outside of the block.
 */
function fitsDiagonalPass({ controls, value }: Scale, set: number): boolean {
  return value === controls && (bitCount(controls) <= 2 || (controls & set) === 0)
}

/** The fraction of amplitudes that a diagonal pass visits: those where qubits of all terms are 1. */
function shareOf(terms: readonly Scale[]): number {
  return 2 ** -bitsOf(terms.reduce((mask, { controls }) => mask & controls, -1)).length
}
