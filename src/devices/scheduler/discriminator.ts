import type { JobPayload } from '../../protocol/index.ts'
import type { IqArrays } from '../bench/instrument.ts'
import type { CalibratedChip } from '../compiler/schedule/calibrated-chip.ts'
import { readoutPointOf } from '../compiler/schedule/schedule-circuit.ts'

/** How the signal of a shot becomes a bit: 1 where its real part, once rotated, is above the threshold. */
export interface Discriminator {
  /** Degrees. */
  rotation: number
  /** V. */
  threshold: number
}

/**
 * The discriminator of a qubit where its bits are read; numbers of the job come first.
 * @param beside qubits that are read at the same time, whose tones move the threshold
 */
export function discriminatorOf(
  qubit: string,
  { values, toneShift }: CalibratedChip,
  { acq_rotation, acq_threshold }: Pick<JobPayload, 'acq_rotation' | 'acq_threshold'>,
  beside: readonly string[] = [],
): Discriminator {
  const point = readoutPointOf(qubit, 'measure_2state', values)
  const shift =
    point === 'measure_2state' ? beside.reduce((sum, other) => sum + toneShift(qubit, other), 0) : 0
  return {
    rotation: acq_rotation ?? values.number(qubit, `${point}.acq_rotation`) ?? 0,
    threshold: acq_threshold ?? (values.number(qubit, `${point}.acq_threshold`) ?? 0) + shift,
  }
}

/** The bit of one shot. */
export function bitOf({ rotation, threshold }: Discriminator, { i, q }: IqArrays, shot: number): 0 | 1 {
  const angle = (rotation * Math.PI) / 180
  const real = Math.cos(angle) * (i[shot] ?? 0) - Math.sin(angle) * (q[shot] ?? 0)
  return real > threshold ? 1 : 0
}
