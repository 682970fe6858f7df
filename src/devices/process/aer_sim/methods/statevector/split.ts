import { isReal, type KernelCall } from './compile.ts'

/** Smaller entries are taken for zero. */
const TINY = 1e-14

/** A complex number. */
type Phase = readonly [re: number, im: number]

const ONE: Phase = [1, 0]

/**
 * A gate on one qubit as phase, rotation, phase, up to a global phase: the rotation is real and takes half the time,
 * the phases merge with others. Other calls come back unchanged.
 *
 *     e^{ia} [[c, −e^{il} s], [e^{ip} s, e^{i(p+l)} c]] = e^{ia} · diag(1, e^{ip}) · [[c, −s], [s, c]] · diag(1, e^{il})
 */
export function splitRotation(call: KernelCall): KernelCall[] {
  if (call.kind !== 'one' || call.controls !== 0 || isReal(call.matrix)) return [call]
  const { matrix } = call
  const a: Phase = [matrix[0] as number, matrix[1] as number]
  const b: Phase = [matrix[2] as number, matrix[3] as number]
  const c: Phase = [matrix[4] as number, matrix[5] as number]
  const d: Phase = [matrix[6] as number, matrix[7] as number]
  const cosine = Math.sqrt(a[0] ** 2 + a[1] ** 2)
  const sine = Math.sqrt(c[0] ** 2 + c[1] ** 2)
  const isUnitary =
    Math.abs(cosine ** 2 + sine ** 2 - 1) < 1e-12 &&
    Math.abs(a[0] * b[0] + a[1] * b[1] + c[0] * d[0] + c[1] * d[1]) < 1e-12 &&
    Math.abs(a[0] * b[1] - a[1] * b[0] + c[0] * d[1] - c[1] * d[0]) < 1e-12
  if (!isUnitary) return [call]
  const global = cosine > TINY ? a : ONE
  const after = phaseFrom(global, sine > TINY ? c : d)
  const before = sine > TINY ? phaseFrom(global, [-b[0], -b[1]]) : ONE
  const { target, controls, value } = call
  const rotation = new Float64Array(8)
  rotation[0] = cosine
  rotation[2] = -sine
  rotation[4] = sine
  rotation[6] = cosine
  const parts: KernelCall[] = []
  if (!isOne(before)) parts.push(phaseOn(target, before))
  parts.push({ kind: 'one', target, controls, value, matrix: rotation })
  if (!isOne(after)) parts.push(phaseOn(target, after))
  return parts
}

/** The phase by which `to` is ahead of `from`. */
function phaseFrom(from: Phase, to: Phase): Phase {
  const re = to[0] * from[0] + to[1] * from[1]
  const im = to[1] * from[0] - to[0] * from[1]
  const size = Math.sqrt(re * re + im * im)
  return [re / size, im / size]
}

function isOne([re, im]: Phase): boolean {
  return Math.abs(re - 1) < TINY && Math.abs(im) < TINY
}

function phaseOn(bit: number, [re, im]: Phase): KernelCall {
  return { kind: 'scale', controls: bit, value: bit, re, im }
}
