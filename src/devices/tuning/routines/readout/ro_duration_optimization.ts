import type { Estimate } from '../../../fitting/fit.ts'
import { discriminate } from '../../../fitting/models/clouds.ts'
import { chooseDuration } from '../../../fitting/models/readout-optimum.ts'
import { accepted, onGrid } from '../../measure/accept.ts'
import { statesAt, TWO_STATE_PRIORS } from '../../measure/discrimination.ts'
import { DRIVE_PRIORS, DRIVEN } from '../../measure/inputs.ts'
import { linewidthOf } from '../../measure/resonator-lines.ts'
import { defineRoutine } from '../../routine.ts'

const SHOTS = 2_000
const SHORTEST_S = 0.2e-6
const POINTS = 21
/** Ring-down of the resonator that a window may include, in its time constants. */
const RING_DOWN = 2

/**
 * Finds the integration time with the best assignment of states 0 and 1: longer windows have less noise, but
 * the qubit decays in them. The window ends with the ring-down of the resonator at the latest.
 */
export const roDurationOptimization = defineRoutine({
  name: 'ro_duration_optimization',
  dependsOn: ['ro_two_state_optimization', 't1'],
  reads: DRIVEN,
  priors: [...DRIVE_PRIORS, ...TWO_STATE_PRIORS, 'resonator.linewidth'],
  writes: ['measure.integration_time'],
  optionalWrites: ['measure_2state.integration_time'],
  refiner: true,
  isReadAlone: true,
  size: { points: 42, shots: SHOTS },
  *measure(context) {
    const { self } = context
    const ringDown = RING_DOWN / (2 * Math.PI * linewidthOf(context))
    const longest = self.number('measure.pulse_duration') + ringDown
    const range = { start: SHORTEST_S, stop: longest, points: POINTS, scale: 'log' as const }
    const windows = Array.from(context.axis('duration', range).values, onGrid)
    const choices = windows.map((window) => ({ window }))
    const found = yield* statesAt(context, choices, { states: 2, shots: SHOTS })
    const read: { window: number; fidelity: Estimate }[] = []
    for (const [at, [zero, one]] of found.entries()) {
      const fit = zero && one && (yield* discriminate(zero, one))
      if (fit?.ok) read.push({ window: windows[at] ?? 0, fidelity: fit.values.fidelity })
    }
    const fit = chooseDuration(
      read.map(({ window }) => window),
      read.map(({ fidelity }) => fidelity),
    )
    if (!fit.ok && fit.code === 'no_signal') return { unresolved: true, ...(fit.fit && { trace: fit.fit }) }
    const { values, fit: trace, quality } = accepted(fit)
    const duration = { ...values.duration, unit: 's', checkLimit: values.duration.value / 2 }
    return {
      parameters: {
        'measure.integration_time': duration,
        ...(self.has('measure_2state.integration_time') && { 'measure_2state.integration_time': duration }),
      },
      trace,
      quality: { ...quality, fidelity: values.fidelity.value },
    }
  },
})
