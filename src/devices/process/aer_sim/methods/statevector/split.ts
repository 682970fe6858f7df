import { isReal, type KernelCall } from './compile.ts'

/** Smaller entries are taken for zero. */
const TINY = 1e-14

/**
 * A gate on one qubit as phase, rotation, phase, up to a global phase: the rotation is real and takes half the time,
 * the phases merge with others. Other calls come back unchanged.
 *
 *     e^{ia} [[c, −e^{il} s], [e^{ip} s, e^{i(p+l)} c]] = e^{ia} · diag(1, e^{ip}) · [[c, −s], [s, c]] · diag(1, e^{il})
 */
export function splitRotation(call: KernelCall): KernelCall[] {
  if (call.kind !== 'one' || call.controls !== 0 || isReal(call.matrix)) return [call]
  const [ar = 0, ai = 0, br = 0, bi = 0, cr = 0, ci = 0, dr = 0, di = 0] = call.matrix
  const cosine = Math.hypot(ar, ai)
  const sine = Math.hypot(cr, ci)
  const isUnitary =
    Math.abs(cosine ** 2 + sine ** 2 - 1) < 1e-12 &&
    Math.abs(ar * br + ai * bi + cr * dr + ci * di) < 1e-12 &&
    Math.abs(ar * bi - ai * br + cr * di - ci * dr) < 1e-12
  if (!isUnitary) return [call]
  const global = cosine > TINY ? Math.atan2(ai, ar) : 0
  const after = sine > TINY ? Math.atan2(ci, cr) - global : Math.atan2(di, dr) - global
  const before = sine > TINY ? Math.atan2(-bi, -br) - global : 0
  const matrix = Float64Array.of(cosine, 0, -sine, 0, sine, 0, cosine, 0)
  return [...phaseOn(call.target, before), { ...call, matrix }, ...phaseOn(call.target, after)]
}

function phaseOn(bit: number, angle: number): KernelCall[] {
  if (Math.abs(angle) < TINY) return []
  return [{ kind: 'scale', controls: bit, value: bit, re: Math.cos(angle), im: Math.sin(angle) }]
}
