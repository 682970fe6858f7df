import type { CalibrationMode } from '../../../protocol/index.ts'
import type { AxisConfig } from '../config/axis-config.ts'
import { type CalibrationConfig, routineConfigFor } from '../config/calibration-config.ts'
import type { GivenAxis } from '../walk/axis.ts'
import type { RoutineSettings } from '../walk/context.ts'

/** Benchmarks with sequences of gates, whose sizes a fidelity check reduces. */
const SEQUENCES: ReadonlySet<string> = new Set(['randomized_benchmarking', 'cz_rb'])
/** Delays of its fringes, half of those of a calibration. */
const CHECKED_DELAYS = 41

/**
 * What `calibration.yml` says of a routine on a target. A fidelity check takes the sizes of its benchmarks
 * from `monitoring`, so that it ends within minutes.
 */
export function settingsFor(
  config: CalibrationConfig,
  mode: CalibrationMode,
  routine: string,
  target: string,
): RoutineSettings {
  const { shots, timeoutS, axes, numbers, choices } = routineConfigFor(config, routine, target)
  const own: RoutineSettings = {
    shots,
    timeoutS,
    axis: (name) => givenAxis(axes[name]),
    number: (name) => numbers[name],
    choice: (name) => choices[name],
  }
  if (mode !== 'fidelity_check') return own
  const { rbDepths, rbSeeds, shots: monitoringShots } = config.monitoring
  // With few shots the angle of a discriminator is that of its noise.
  if (routine === 'two_state_discrimination') return own
  const isDelay = (name: string) => name === 'delay' && routine === 'ramsey_correction'
  if (!SEQUENCES.has(routine))
    return {
      ...own,
      shots: monitoringShots,
      axis: (name) => (isDelay(name) ? { points: CHECKED_DELAYS, ...own.axis(name) } : own.axis(name)),
    }
  return {
    ...own,
    shots: monitoringShots,
    axis: (name) => (name === 'depths' ? { values: rbDepths } : own.axis(name)),
    number: (name) => (name === 'seeds' ? rbSeeds : own.number(name)),
  }
}

/** Whether a routine runs: enabled, and in a fidelity check not left out by `monitoring`. */
export function isEnabled(config: CalibrationConfig, mode: CalibrationMode, routine: string): boolean {
  if (mode === 'fidelity_check' && routine === 'all_xy' && !config.monitoring.allXy) return false
  return config.routines.get(routine)?.enabled ?? true
}

function givenAxis(axis: AxisConfig | undefined): GivenAxis | undefined {
  if (!axis) return undefined
  const { range, points, scale } = axis
  const { kind: _, ...bounds } = range ?? { kind: undefined }
  return { ...bounds, points, scale }
}
