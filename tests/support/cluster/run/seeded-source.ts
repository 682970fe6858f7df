import { createRng } from '../../../../src/simulator/index.ts'
import type { AcquisitionSource, PlayedSequencer, Recording } from './played-run.ts'

/**
 * Random signals, the same for the same seed: acquisition `n` of sequencer `m` in slot `s` has a mean of its
 * own, around which its repetitions scatter.
 */
export function seededSource(seed: number): AcquisitionSource {
  return {
    async record({ sequencers }) {
      return new Map(sequencers.map((sequencer) => [sequencer, recordingsOf(sequencer, seed)]))
    },
  }
}

/** Largest part of full scale of a mean, and of the scatter around it. */
const MEAN = 0.5
const SCATTER = 0.05

function recordingsOf(played: PlayedSequencer, seed: number): Recording[] {
  const random = createRng(seed + 1_000 * played.slot + played.sequencer)
  const around = (center: number, width: number) => center + width * (2 * random.next() - 1)
  return played.binSteps.map((step) => {
    const [meanI, meanQ] = [around(0, MEAN), around(0, MEAN)]
    const values = (mean: number) =>
      Float64Array.from({ length: step === 0 ? 1 : played.repetitions }, () => around(mean, SCATTER))
    const constant = (length: number, mean: number) => new Float64Array(length).fill(mean)
    return {
      ...{ i: values(meanI), q: values(meanQ) },
      trace: async (length: number) => ({ i: constant(length, meanI), q: constant(length, meanQ) }),
    }
  })
}
