import { identity, type Matrix, multiplyInto } from '../../../../qasm/index.ts'
import { envelopeOf } from '../../../pulse/envelope.ts'
import type { Envelope } from '../../../pulse/schedule.ts'
import { LEVELS, propagator } from './matrix.ts'

/** A pulse as the transmon feels it, in the frame of its carrier. */
export interface Drive {
  /** Frequency of the transition 0–1 above the carrier, Hz. */
  detuning: number
  /** f12 − f01, Hz. */
  anharmonicity: number
  /** Rabi frequency of the transition 0–1 at the top of the envelope, Hz. */
  rabi: number
  envelope: Envelope
  /** Factor of the second quadrature: imbalance of the line, negative where its sign is reversed. */
  quadrature: number
  /** ns */
  duration: number
}

/** A stretch of a pulse short against damping. */
export interface DriveChunk {
  /** Start after the start of the pulse, ns. */
  at: number
  /** ns */
  duration: number
  unitary: Matrix
}

/** Longest stretch without damping in between, ns. */
const MAX_CHUNK_NS = 250
/** Steps in which a long shaped pulse is cut. */
export const MAX_STEPS = 128
/** Longest step in which the anharmonicity turns little enough for the fourth order. */
const MAX_MAGNUS_STEP_NS = 1

/**
 * Propagators of a pulse: H/h = detuning · n + anharmonicity/2 · n(n−1) + (z a + z* a†)/2, z = rabi ·
 * envelope, in steps of 1 ns (of 1/128 of longer pulses).
 */
export function propagateDrive(drive: Drive): DriveChunk[] {
  const chunks = Math.ceil(drive.duration / MAX_CHUNK_NS)
  const duration = drive.duration / chunks
  if (drive.envelope.shape === 'square') {
    const unitary = propagator(LEVELS, hamiltonian(drive, 1, 0), duration * 1e-9)
    return Array.from({ length: chunks }, (_, index) => ({ at: index * duration, duration, unitary }))
  }
  const steps = Math.ceil(Math.min(drive.duration, MAX_STEPS) / chunks)
  return Array.from({ length: chunks }, (_, index) => {
    const at = index * duration
    return { at, duration, unitary: propagateShape(drive, at, duration, steps) }
  })
}

/** Propagator over part of a shaped pulse, in equal steps. */
function propagateShape(drive: Drive, at: number, duration: number, steps: number): Matrix {
  const step = duration / steps
  const envelope = envelopeOf(drive.envelope, drive.duration)
  const hamiltonianAt = (t: number) => {
    const { i, q } = envelope(t)
    return hamiltonian(drive, i, q)
  }
  let total = identity(LEVELS)
  let other = identity(LEVELS)
  for (let index = 0; index < steps; index++) {
    const h = meanHamiltonian(hamiltonianAt, at + index * step, step)
    multiplyInto(LEVELS, propagator(LEVELS, h, step * 1e-9), total, other)
    const swap = total
    total = other
    other = swap
  }
  return total
}

/**
 * The Hamiltonian that has the effect of a changing one over a step: the fourth order of Magnus (Blanes et
 * al., Physics Reports 470, 151, 2009, eq. 254); the middle of the step where that is long.
 */
function meanHamiltonian(hamiltonianAt: (t: number) => Matrix, at: number, step: number): Matrix {
  const valueAt = (share: number) => hamiltonianAt(at + share * step)
  if (step > MAX_MAGNUS_STEP_NS) return valueAt(0.5)
  const early = valueAt(0.5 - Math.sqrt(3) / 6)
  const late = valueAt(0.5 + Math.sqrt(3) / 6)
  const product = new Float64Array(early.length)
  const reversed = new Float64Array(early.length)
  multiplyInto(LEVELS, early, late, product)
  multiplyInto(LEVELS, late, early, reversed)
  const factor = (Math.sqrt(3) / 12) * 2 * Math.PI * step * 1e-9
  const mean = new Float64Array(early.length)
  for (let k = 0; k < mean.length; k += 2) {
    const re = (product[k] as number) - (reversed[k] as number)
    const im = (product[k + 1] as number) - (reversed[k + 1] as number)
    mean[k] = ((early[k] as number) + (late[k] as number)) / 2 - factor * im
    mean[k + 1] = ((early[k + 1] as number) + (late[k + 1] as number)) / 2 + factor * re
  }
  return mean
}

function hamiltonian(drive: Drive, i: number, q: number): Matrix {
  const re = (drive.rabi * i) / 2
  const im = (drive.rabi * drive.quadrature * q) / 2
  const h = new Float64Array(2 * LEVELS * LEVELS)
  h[8] = drive.detuning
  h[16] = 2 * drive.detuning + drive.anharmonicity
  const root = Math.SQRT2
  h.set([re, im], 2)
  h.set([re, -im], 6)
  h.set([root * re, root * im], 10)
  h.set([root * re, -root * im], 14)
  return h
}
