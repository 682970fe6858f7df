import { propagateDrive } from '../../../src/devices/bench/simulated/dynamics/drive.ts'
import type { ChipTruth } from '../../../src/devices/bench/simulated/truth/chip-truth.ts'
import { type Matrix, multiplyInto } from '../../../src/qasm/index.ts'
import { PI_NS, piAmplitude, qubitOf } from './experiments.ts'

const LEVELS = 3
/** Pairs of a pulse and its opposite whose rest says how good the derivative is. */
const PAIRS = 5
const ROUNDS = 3

interface BestPulse {
  amp180: number
  motzoi: number
}

/**
 * The pulse on resonance that turns a state into the next one best, and cancels with its opposite, by the
 * dynamics of a qubit without damping.
 */
export function bestPulse(truth: ChipTruth, name: string, from: 0 | 1): BestPulse {
  const qubit = qubitOf(truth, name)
  const unitary = (amplitude: number, motzoi: number): Matrix => {
    const [chunk] = propagateDrive({
      detuning: -from * qubit.anharmonicity,
      anharmonicity: qubit.anharmonicity,
      rabi: qubit.rabi * amplitude * (1 - qubit.compression * amplitude ** 2),
      envelope: { shape: 'gaussian', motzoi },
      quadrature: truth.hand * qubit.quadrature,
      duration: PI_NS,
    })
    if (!chunk) throw new Error('a pulse of one part was expected')
    return chunk.unitary
  }
  const turned = (matrix: Matrix) => {
    const at = 2 * (LEVELS * (from + 1) + from)
    return (matrix[at] as number) ** 2 + (matrix[at + 1] as number) ** 2
  }
  let best: BestPulse = { amp180: piAmplitude(qubit) / (from === 1 ? Math.SQRT2 : 1), motzoi: 0 }
  for (let round = 0; round < ROUNDS; round++) {
    const { amp180, motzoi } = best
    best = {
      amp180: minimum((amplitude) => -turned(unitary(amplitude, motzoi)), 0.8 * amp180, 1.2 * amp180),
      motzoi: minimum((each) => turned(pairsOf(unitary(amp180, each), unitary(-amp180, each))), -0.15, 0.15),
    }
  }
  return best
}

function pairsOf(forth: Matrix, back: Matrix): Matrix {
  const [pair, product, other] = [1, 2, 3].map(() => new Float64Array(2 * LEVELS * LEVELS))
  if (!pair || !product || !other) throw new Error('three matrices were expected')
  multiplyInto(LEVELS, back, forth, pair)
  product.set(pair)
  for (let count = 1; count < PAIRS; count++) {
    multiplyInto(LEVELS, pair, product, other)
    product.set(other)
  }
  return product
}

/** Where a function is least: on a grid, then by halving its steps. */
function minimum(of: (x: number) => number, low: number, high: number): number {
  const points = 41
  let step = (high - low) / (points - 1)
  let best = low
  for (let at = 0; at < points; at++) if (of(low + at * step) < of(best)) best = low + at * step
  for (; step > 1e-6; step /= 2) {
    for (const next of [best - step, best + step]) if (of(next) < of(best)) best = next
  }
  return best
}
