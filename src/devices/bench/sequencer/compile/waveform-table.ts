import { sampleEnvelope } from '../../../pulse/envelope.ts'
import type { Sequence } from '../sequence.ts'

/** The waveforms of a sequence: equal ones are stored once. */
export class WaveformTable {
  readonly #entries = new Map<string, { index: number; data: readonly number[] }>()
  /** Both quadratures of Gaussians by duration: nearly every pulse of a circuit has the same. */
  readonly #gaussians = new Map<number, GaussianPulse>()
  #samples = 0

  /** Samples of all waveforms. */
  get samples(): number {
    return this.#samples
  }

  /** Number of waveforms. */
  get size(): number {
    return this.#entries.size
  }

  get waveforms(): Sequence['waveforms'] {
    return Object.fromEntries(this.#entries)
  }

  /** The number of a waveform, whose samples are calculated when it is new. */
  index(name: string, samples: () => readonly number[]): number {
    const known = this.#entries.get(name)
    if (known) return known.index
    const data = samples()
    const index = this.#entries.size
    this.#entries.set(name, { index, data })
    this.#samples += data.length
    return index
  }

  /** Drops all waveforms but the first `size`. */
  truncate(size: number): void {
    for (const [name, { index, data }] of this.#entries) {
      if (index < size) continue
      this.#entries.delete(name)
      this.#samples -= data.length
    }
  }

  /** Zero, for a path that plays nothing. */
  silence(): number {
    return this.index('silence', () => Array(4).fill(0))
  }

  /** All samples of a pulse with edges of half a cosine period; `rise` 0 is a constant pulse. */
  flat(duration: number, rise: number): number {
    return this.index(`flat_${duration}_${rise}`, () => flatOf(duration, rise))
  }

  /** The first or last `length` samples of such a pulse. */
  end(length: number, rise: number, which: 'first' | 'last'): number {
    const samples = () => {
      const first = flatOf(2 * length, rise).slice(0, length)
      return which === 'first' ? first : first.reverse()
    }
    return this.index(`${which}_${length}_${rise}`, samples)
  }

  /** The Gaussian of a whole pulse. */
  gaussian(duration: number): Quadrature {
    return this.#stored(`gaussian_${duration}`, this.#gaussianOf(duration).gaussian)
  }

  /** The derivative of the Gaussian of a whole pulse, whose weight is that of motzoi 1. */
  derivative(duration: number): Quadrature {
    return this.#stored(`derivative_${duration}`, this.#gaussianOf(duration).derivative)
  }

  #stored(name: string, { weight, data }: ScaledSamples): Quadrature {
    return { index: this.index(name, () => data), weight }
  }

  #gaussianOf(duration: number): GaussianPulse {
    const known = this.#gaussians.get(duration)
    if (known) return known
    const { i, q } = sampleEnvelope({ shape: 'gaussian', motzoi: 1 }, duration)
    const pulse = { gaussian: upToOne(i), derivative: upToOne(q) }
    this.#gaussians.set(duration, pulse)
    return pulse
  }
}

/** A waveform whose largest sample is 1, and what multiplies it: that sample, with its sign. */
interface Quadrature {
  index: number
  weight: number
}

function flatOf(duration: number, rise: number): number[] {
  return Array.from(sampleEnvelope({ shape: 'soft_square', rise }, duration).i)
}

/** Samples divided by the largest of them, and that one with its sign. */
interface ScaledSamples {
  data: readonly number[]
  weight: number
}

interface GaussianPulse {
  gaussian: ScaledSamples
  derivative: ScaledSamples
}

function upToOne(samples: Float64Array): ScaledSamples {
  const weight = samples.reduce((most, each) => (Math.abs(each) > Math.abs(most) ? each : most), 0)
  return { data: Array.from(samples, (each) => (weight === 0 ? 0 : each / weight)), weight }
}
