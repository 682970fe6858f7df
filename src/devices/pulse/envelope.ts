import type { Envelope } from './schedule.ts'

/** Samples of an envelope: `i` in phase with the carrier, `q` a quarter period ahead; paired by index. */
interface EnvelopeSamples {
  i: Float64Array
  q: Float64Array
}

/** The duration of a Gaussian pulse in units of its sigma. */
export const DURATION_IN_SIGMAS = 8

/**
 * The samples of an envelope of amplitude 1: each is held for a nanosecond, in whose middle the envelope has
 * this value.
 * @param duration ns
 */
export function sampleEnvelope(envelope: Envelope, duration: number): EnvelopeSamples {
  const samples = { i: new Float64Array(duration), q: new Float64Array(duration) }
  const at = envelopeOf(envelope, duration)
  for (let index = 0; index < duration; index++) {
    const { i, q } = at(index + 0.5)
    samples.i[index] = i
    samples.q[index] = q
  }
  return samples
}

/** Both quadratures of an envelope at a time after its start, ns. */
type EnvelopeAt = (t: number) => { i: number; q: number }

/**
 * An envelope of amplitude 1.
 *
 * The Gaussian with derivative is that of Motzoi et al., Phys. Rev. Lett. 103, 110501 (2009), in the samples
 * of quantify-scheduler (`waveforms.drag`), because device files are calibrated with them: each is taken at
 * the start of its nanosecond and held, so that the top is half a nanosecond after the middle; the mean of
 * the first and the last one is subtracted from all, so that a pulse starts and ends near 0.
 * @param duration ns
 */
export function envelopeOf(envelope: Envelope, duration: number): EnvelopeAt {
  if (envelope.shape === 'square') return () => ({ i: 1, q: 0 })
  if (envelope.shape === 'soft_square') {
    return (t) => ({ i: edge(Math.min(t, duration - t), envelope.rise), q: 0 })
  }
  const { motzoi } = envelope
  const raw = (t: number) => {
    const x = ((t - 0.5 - duration / 2) * DURATION_IN_SIGMAS) / duration
    const i = Math.exp((-x * x) / 2)
    return { i, q: -motzoi * x * i }
  }
  const [first, last] = [raw(0.5), raw(duration - 0.5)]
  const pedestal = { i: (first.i + last.i) / 2, q: (first.q + last.q) / 2 }
  return (t) => {
    const { i, q } = raw(t)
    return { i: i - pedestal.i, q: q - pedestal.q }
  }
}

/** Height at distance `t` from the nearer end of a pulse with edges of half a cosine period. */
function edge(t: number, rise: number): number {
  return t >= rise ? 1 : (1 - Math.cos((Math.PI * t) / rise)) / 2
}
