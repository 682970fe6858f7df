import { type Drive, propagateDrive } from '../../../../src/devices/bench/simulated/dynamics/drive.ts'
import { LEVELS } from '../../../../src/devices/bench/simulated/dynamics/matrix.ts'
import type { Transmon } from '../../../../src/devices/bench/simulated/dynamics/transmon.ts'
import { identity, type Matrix, multiplyInto } from '../../../../src/qasm/index.ts'

/** A Gaussian pulse on a drive line. */
export interface DrivePulse {
  amplitude: number
  motzoi: number
  /** s */
  duration: number
  /** Carrier, Hz. */
  frequency: number
  /** True for the same pulse backward. */
  isReversed?: boolean
}

/** What a pulse does to a transmon without damping, in the frame of its carrier. */
export function pulseUnitary(transmon: Transmon, pulse: DrivePulse): Matrix {
  const { amplitude, motzoi, duration, frequency } = pulse
  const drive: Drive = {
    detuning: transmon.f01 - frequency,
    anharmonicity: transmon.anharmonicity,
    rabi: transmon.rabi * amplitude * (1 - transmon.compression * amplitude ** 2),
    envelope: { shape: 'gaussian', motzoi },
    quadrature: transmon.quadrature * transmon.hand,
    duration: Math.round(duration * 1e9),
  }
  let total = identity(LEVELS)
  for (const { unitary } of propagateDrive(drive)) total = product(unitary, total)
  return pulse.isReversed ? reversed(total) : total
}

/** The amplitude at which a pulse moves all from `from` to the level above. */
export function bestAmplitude(transmon: Transmon, pulse: Omit<DrivePulse, 'amplitude'>, from: 0 | 1): number {
  const left = (amplitude: number) =>
    populationOf(pulseUnitary(transmon, { ...pulse, amplitude }), from, from)
  // A Gaussian has the area of sigma √(2π); the upper transition feels √2 times as much.
  const first = 1 / (2 * transmon.rabi * Math.sqrt(2 * Math.PI) * (pulse.duration / 8) * Math.sqrt(1 + from))
  return minimum(left, 0.8 * first, 1.25 * first)
}

/** The amplitude at which a pulse leaves one half in 0. */
export function quarterAmplitude(transmon: Transmon, pulse: Omit<DrivePulse, 'amplitude'>): number {
  const half = bestAmplitude(transmon, pulse, 0) / 2
  const distance = (amplitude: number) =>
    (populationOf(pulseUnitary(transmon, { ...pulse, amplitude }), 0, 0) - 0.5) ** 2
  return minimum(distance, 0.8 * half, 1.25 * half)
}

const MOTZOI_STEP = 0.01
const FEW_PAIRS = 1
const MANY_PAIRS = 6

/** The weight of the derivative at which a pulse and its opposite cancel best, from level `from`. */
export function bestMotzoi(transmon: Transmon, pulse: Omit<DrivePulse, 'motzoi'>, from: 0 | 1): number {
  const left = (motzoi: number, pairs: number) => {
    const there = pulseUnitary(transmon, { ...pulse, motzoi })
    const pair = product(reversed(there), there)
    const all = Array.from({ length: pairs }).reduce<Matrix>((sum) => product(pair, sum), identity(LEVELS))
    return 1 - populationOf(all, from, from)
  }
  const grid = Array.from({ length: 121 }, (_, index) => -0.6 + MOTZOI_STEP * index)
  const near = grid.reduce((best, each) => (left(each, FEW_PAIRS) < left(best, FEW_PAIRS) ? each : best))
  return minimum((motzoi) => left(motzoi, MANY_PAIRS), near - 2 * MOTZOI_STEP, near + 2 * MOTZOI_STEP)
}

/** Mean infidelity of the pulses of the Clifford gates, without damping and with it. */
export function pulseErrors(
  transmon: Transmon,
  pulse: Omit<DrivePulse, 'amplitude'>,
  { amp180, amp90 }: { amp180: number; amp90: number },
): { coherent: number; limit: number } {
  const half = infidelityOf(pulseUnitary(transmon, { ...pulse, amplitude: amp180 }), Math.PI)
  const quarter = infidelityOf(pulseUnitary(transmon, { ...pulse, amplitude: amp90 }), Math.PI / 2)
  // Of the 44 pulses of the 24 Clifford gates, 12 are half turns.
  return { coherent: (12 * half + 32 * quarter) / 44, limit: coherenceLimit(transmon, pulse.duration) }
}

/** Average infidelity that relaxation and dephasing alone cause in a time, s. */
export function coherenceLimit({ rates }: Transmon, duration: number): number {
  const relaxed = Math.exp(-(rates.up + rates.down) * duration)
  const dephased = Math.exp(-rates.dephasing * duration)
  return 1 / 2 - relaxed / 6 - dephased / 3
}

/** Average infidelity of a rotation about x in the two lowest levels (Pedersen et al., 2007, eq. 3). */
function infidelityOf(unitary: Matrix, angle: number): number {
  const at = (row: number, column: number) => {
    const place = 2 * (row * LEVELS + column)
    return { re: unitary[place] ?? 0, im: unitary[place + 1] ?? 0 }
  }
  const [cos, sin] = [Math.cos(angle / 2), Math.sin(angle / 2)]
  const [m00, m01, m10, m11] = [at(0, 0), at(0, 1), at(1, 0), at(1, 1)]
  // Trace of the product with the adjoint of cos − i sin σx.
  const re = cos * (m00.re + m11.re) - sin * (m01.im + m10.im)
  const im = cos * (m00.im + m11.im) + sin * (m01.re + m10.re)
  const norm = [m00, m01, m10, m11].reduce((sum, each) => sum + each.re ** 2 + each.im ** 2, 0)
  return 1 - (re ** 2 + im ** 2 + norm) / 6
}

function populationOf(unitary: Matrix, from: number, to: number): number {
  const place = 2 * (to * LEVELS + from)
  return (unitary[place] ?? 0) ** 2 + (unitary[place + 1] ?? 0) ** 2
}

/** The same pulse with a phase of π: each step between levels changes its sign. */
function reversed(unitary: Matrix): Matrix {
  return unitary.map((value, place) => {
    const entry = place >> 1
    return (Math.floor(entry / LEVELS) + (entry % LEVELS)) % 2 === 0 ? value : -value
  })
}

function product(a: Matrix, b: Matrix): Matrix {
  const out = new Float64Array(a.length)
  multiplyInto(LEVELS, a, b, out)
  return out
}

const GOLDEN = (Math.sqrt(5) - 1) / 2

/** Where a function with one minimum between two places has it, by golden section. */
export function minimum(f: (x: number) => number, from: number, to: number): number {
  let [low, high] = [from, to]
  for (let round = 0; round < 40; round++) {
    const width = GOLDEN * (high - low)
    if (f(high - width) < f(low + width)) high = low + width
    else low = high - width
  }
  return (low + high) / 2
}
