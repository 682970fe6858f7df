import type { IqArrays } from '../../../../src/devices/bench/instrument.ts'
import type { SimulatedChip } from '../../../../src/devices/bench/simulated/simulated-chip.ts'
import type { Hardware } from '../../../../src/devices/chip/hardware/hardware-file.ts'
import type { Program } from '../../../../src/devices/pulse/schedule.ts'
import type { AcquisitionSource, PlayedRun, PlayedSequencer, Recording } from '../run/played-run.ts'
import { type Points, pointsOf } from './points.ts'
import { lineOf } from './wiring.ts'

/**
 * A simulated chip at the end of the cables: it feels the pulses that the outputs play, and the inputs record
 * its response. Cables are as the hardware file says; attenuation is part of the amplitudes of the chip.
 */
export function chipSource(chip: SimulatedChip, hardware: Hardware): AcquisitionSource {
  return {
    async record(run) {
      const conditions = chip.conditions()
      const points = pointsOf(run, (played) => lineOf(played, hardware, conditions))
      const recordings = new Map(run.sequencers.map((each) => [each, silence(each)]))
      if (points.places.flat().length > 0) await fill(chip, run, points, recordings)
      return recordings
    },
  }
}

const never = new AbortController().signal

/** Plays the points on the chip, and puts what it answers where it belongs. */
async function fill(
  chip: SimulatedChip,
  { sequencers }: PlayedRun,
  { program, places }: Points,
  recordings: ReadonlyMap<PlayedSequencer, Recording[]>,
): Promise<void> {
  const shots = Math.max(...sequencers.map(({ repetitions }) => repetitions))
  const isCounted = places.flat().some(({ played, index }) => played.binSteps[index] !== 0)
  const results = isCounted
    ? await chip.run<'shots'>({ ...program, kind: 'shots', shots }, never)
    : await chip.run<'average'>({ ...program, kind: 'average', shots }, never)
  for (const [point, all] of results.entries()) {
    for (const [at, result] of all.entries()) {
      const { played, index } = places[point]?.[at] ?? {}
      const target = played && recordings.get(played)
      if (!target || index === undefined) continue
      const signal =
        're' in result ? { i: Float64Array.of(result.re), q: Float64Array.of(result.im) } : result
      const traced = { ...program, shots, points: program.points.slice(point, point + 1) }
      target[index] = { ...signal, trace: (length) => traceOf(chip, traced, at, length) }
    }
  }
}

/** The mean signal of one window of a point, ns by ns. */
async function traceOf(
  chip: SimulatedChip,
  { points: [schedule], ...program }: Omit<Program, 'kind'>,
  at: number,
  length: number,
): Promise<IqArrays> {
  const window = schedule?.acquisitions[at]
  if (!schedule || !window) return emptyTrace(length)
  const point = { ...schedule, acquisitions: [{ ...window, duration: length }] }
  const [[recorded] = []] = await chip.run<'trace'>({ ...program, kind: 'trace', points: [point] }, never)
  return recorded ?? emptyTrace(length)
}

function emptyTrace(length: number): IqArrays {
  return { i: new Float64Array(length), q: new Float64Array(length) }
}

/** What an input without a signal records. */
function silence({ binSteps, repetitions }: PlayedSequencer): Recording[] {
  return binSteps.map((step) => ({
    ...emptyTrace(step === 0 ? 1 : repetitions),
    trace: async (length) => emptyTrace(length),
  }))
}
