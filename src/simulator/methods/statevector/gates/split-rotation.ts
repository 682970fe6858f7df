import { isReal, type KernelCall } from '../../../kernel/kernel-call.ts'

/** Smaller entries count as zero. */
const TINY = 1e-14

/**
 * Splits a single-qubit gate into phase, rotation, phase, up to a global phase: the rotation is real and
 * takes half the time, the phases merge with others. Returns other calls unchanged.
 *
 *     e^{ia} [[c, −e^{il} s], [e^{ip} s, e^{i(p+l)} c]]
 *       = e^{ia} · diag(1, e^{ip}) · [[c, −s], [s, c]] · diag(1, e^{il})
 */
export function splitRotation(call: KernelCall): KernelCall[] {
  if (call.kind !== 'one' || call.controls !== 0 || isReal(call.matrix)) return [call]
  const { target, controls, value, matrix } = call
  // Destructuring would allocate an array for every gate.
  const ar = matrix[0] as number
  const ai = matrix[1] as number
  const br = matrix[2] as number
  const bi = matrix[3] as number
  const cr = matrix[4] as number
  const ci = matrix[5] as number
  const dr = matrix[6] as number
  const di = matrix[7] as number
  const cosine = Math.sqrt(ar * ar + ai * ai)
  const sine = Math.sqrt(cr * cr + ci * ci)
  const isUnitary =
    Math.abs(cosine ** 2 + sine ** 2 - 1) < 1e-12 &&
    Math.abs(ar * br + ai * bi + cr * dr + ci * di) < 1e-12 &&
    Math.abs(ar * bi - ai * br + cr * di - ci * dr) < 1e-12
  if (!isUnitary) return [call]
  const rotation = new Float64Array(8)
  rotation[0] = cosine
  rotation[2] = -sine
  rotation[4] = sine
  rotation[6] = cosine
  const parts: KernelCall[] = []
  const hasSine = sine > TINY
  const re = cosine > TINY ? ar : 1
  const im = cosine > TINY ? ai : 0
  if (hasSine) addPhase(parts, target, re, im, -br, -bi)
  parts.push({ kind: 'one', target, controls, value, matrix: rotation })
  addPhase(parts, target, re, im, hasSine ? cr : dr, hasSine ? ci : di)
  return parts
}

/** Adds the phase between two complex numbers, unless it is zero. */
function addPhase(
  parts: KernelCall[],
  bit: number,
  fromRe: number,
  fromIm: number,
  toRe: number,
  toIm: number,
): void {
  const x = toRe * fromRe + toIm * fromIm
  const y = toIm * fromRe - toRe * fromIm
  const size = Math.sqrt(x * x + y * y)
  const re = x / size
  const im = y / size
  if (Math.abs(re - 1) < TINY && Math.abs(im) < TINY) return
  parts.push({ kind: 'scale', controls: bit, value: bit, re, im })
}
