import { sampleEnvelope } from '../../../../src/devices/pulse/envelope.ts'
import type { Envelope } from '../../../../src/devices/pulse/schedule.ts'
import { type Piece, sampleOf } from './pieces.ts'

/** A pulse without its carrier: its amplitude turns the carrier when it is negative. */
export interface Shape {
  amplitude: number
  envelope: Envelope
}

/** Largest difference of a sample from its shape, of full scale: rounding of two gains, and of samples. */
const TOLERANCE = 3 / 32_768

/**
 * The shape that the pieces of one pulse have together.
 * @throws Error when it is none of those that pulses have.
 */
export function shapeOf(pieces: readonly Piece[]): Shape {
  const [first] = pieces
  const last = pieces.at(-1)
  if (!first || !last) throw new RangeError('a pulse without pieces')
  const duration = last.to - first.from
  const top = pieces.find(({ i }) => typeof i === 'number')?.i
  const candidates = [
    () => ({ amplitude: sampleOf(first.i, 0), envelope: { shape: 'square' as const } }),
    () => gaussian(first, duration),
    () =>
      softSquare(
        first,
        duration,
        typeof top === 'number' ? top : sampleOf(first.i, Math.floor(duration / 2)),
      ),
  ]
  for (const candidate of candidates) {
    const shape = candidate()
    if (isLike(shape, pieces, duration)) return shape
  }
  throw new Error(`a pulse of ${duration} ns from ${first.from} ns has a shape that pulses do not have`)
}

function isLike({ amplitude, envelope }: Shape, pieces: readonly Piece[], duration: number): boolean {
  const start = pieces[0]?.from ?? 0
  const expected = sampleEnvelope(envelope, duration)
  return pieces.every(({ from, to, i, q }) => {
    // What is constant in the piece needs no look at every sample.
    const isConstant = typeof i === 'number' && typeof q === 'number'
    const count = isConstant && envelope.shape !== 'gaussian' ? Math.min(to - from, 1) : to - from
    for (let at = 0; at < count; at++) {
      const sample = from - start + at
      if (Math.abs(amplitude * (expected.i[sample] ?? 0) - sampleOf(i, at)) > TOLERANCE) return false
      if (Math.abs(amplitude * (expected.q[sample] ?? 0) - sampleOf(q, at)) > TOLERANCE) return false
    }
    return true
  })
}

/** The Gaussian with derivative that is nearest to the samples. */
function gaussian({ i, q, from, to }: Piece, duration: number): Shape {
  const sums = { ii: 0, gg: 0, qd: 0, dd: 0 }
  const unit = sampleEnvelope({ shape: 'gaussian', motzoi: 1 }, duration)
  for (let at = 0; at < to - from; at++) {
    const [g, d] = [unit.i[at] ?? 0, unit.q[at] ?? 0]
    sums.ii += sampleOf(i, at) * g
    sums.gg += g * g
    sums.qd += sampleOf(q, at) * d
    sums.dd += d * d
  }
  const amplitude = sums.ii / sums.gg
  const motzoi = amplitude === 0 ? 0 : sums.qd / sums.dd / amplitude
  return { amplitude, envelope: { shape: 'gaussian', motzoi } }
}

/** A flat pulse whose edges begin as the first sample says. */
function softSquare({ i }: Piece, duration: number, top: number): Shape {
  const height = Math.min(1, Math.max(1e-6, sampleOf(i, 0) / (top || 1)))
  const rise = Math.min(duration / 2, Math.round(((0.5 * Math.PI) / Math.acos(1 - 2 * height)) * 100) / 100)
  return { amplitude: top, envelope: { shape: 'soft_square', rise } }
}
