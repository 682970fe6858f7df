import type { ChipTruth } from '../../../src/devices/bench/simulated/truth/chip-truth.ts'
import type { Heralds } from '../../../src/devices/tuning/herald.ts'
import { quietTruth } from '../simulated-chip/chips.ts'
import { PI_NS, qubitOf } from '../simulated-chip/experiments.ts'
import { bestAmplitude, bestMotzoi, pulseErrors, quarterAmplitude } from './acceptance/drive-truth.ts'
import { calibratedValues } from './simulated-pair.ts'
import { simulatedQubits } from './simulated-qubit.ts'

/** Coherence of a qubit, s. */
interface Coherence {
  t1: number
  t2_echo: number
  t2_star: number
}

/**
 * A simulated qubit with these coherence times and noise of shots, whose device file has its best pulses and
 * knows nothing of its coherence; and the true error of its pulses.
 */
export function calibratedQubit(
  seed: number,
  coherence: Coherence,
  {
    hand = 1,
    axes = {},
    absent,
    heralds,
  }: {
    hand?: ChipTruth['hand']
    axes?: Readonly<Record<string, readonly number[]>>
    /** Paths for which the element has no place. */
    absent?: readonly string[]
    /** Takes how well shots begin with a reading; without it, all wait. */
    heralds?: Heralds
  } = {},
) {
  const truth: ChipTruth = { ...quietTruth(1, seed), shots_noise: true, hand }
  Object.assign(qubitOf(truth, 'q0'), coherence)
  const chip = simulatedQubits(truth, {}, axes, absent, heralds)
  const transmon = chip.chip.conditions().transmons.get('q0')
  if (!transmon) throw new Error('the chip has no q0')
  const { 'coherence.t2_star': _, ...known } = calibratedValues(truth, 'q0')
  const drive = { duration: PI_NS * 1e-9, frequency: transmon.f01, amplitude: known['rxy.amp180'] ?? 0 }
  const motzoi = bestMotzoi(transmon, drive, 0)
  const pulse = { ...drive, motzoi }
  const amp180 = bestAmplitude(transmon, pulse, 0)
  const amp90 = quarterAmplitude(transmon, pulse)
  const values = { ...known, 'rxy.amp180': amp180, 'rxy.motzoi': motzoi, 'fine.amp90': amp90 }
  for (const [path, value] of Object.entries(values)) chip.values.set('q0', path, value)
  const amplitudes = { amp180, amp90 }
  const { limit } = pulseErrors(transmon, pulse, amplitudes)
  // The error grows with the square of the distance of both frequencies: two of them stand for slow noise.
  const coherent = [1, -1].map((side) => {
    const f01 = transmon.f01 + side * transmon.slowNoise
    return pulseErrors({ ...transmon, f01 }, pulse, amplitudes).coherent / 2
  })
  return {
    ...chip,
    truth,
    gateError: coherent.reduce((sum, each) => sum + each, limit),
    coherenceLimit: limit,
  }
}
