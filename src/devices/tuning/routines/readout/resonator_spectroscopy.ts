import { fitLorentzian } from '../../../fitting/models/lorentzian.ts'
import { fitResonator } from '../../../fitting/models/resonator.ts'
import { accepted, checkOf } from '../../measure/accept.ts'
import { READOUT_PRIORS } from '../../measure/inputs.ts'
import { LINE_WAITS } from '../../measure/references.ts'
import { linewidthOf, magnitudesOf, transmissionOf } from '../../measure/resonator-lines.ts'
import { defineRoutine } from '../../routine.ts'

/** Half widths of the sweep by attempt, Hz, and its points. */
const WINDOWS = [
  { half: 5e6, points: 101 },
  { half: 20e6, points: 401 },
  { half: 100e6, points: 1_001 },
] as const
const NARROW = WINDOWS[0]
const SHOTS = 1_000
/** Offset of the line from its stored frequency at which the check is out, in line widths. */
const CHECK_LIMIT = 0.35
/** Least curvature within one line width, in units of the signal: without a dip, the line is elsewhere. */
const MIN_CURVATURE = 0.05

/**
 * Finds the frequency and the width of a readout resonator in the transmission past it. A wide sweep only
 * looks for the line, which a narrow one around it then resolves.
 */
export const resonatorSpectroscopy = defineRoutine({
  name: 'resonator_spectroscopy',
  reads: ['measure.pulse_amp', 'measure.integration_time'],
  priors: ['clock_freqs.readout', 'resonator.linewidth', ...READOUT_PRIORS],
  writes: ['clock_freqs.readout'],
  optionalWrites: ['resonator.linewidth'],
  suspect: 'resonator',
  size: { points: 101, shots: SHOTS, wait: LINE_WAITS.ofReadout },
  *measure(context) {
    const { self, attempt } = context
    const around = (center: number, { half, points }: { half: number; points: number }) =>
      context.axis('frequency', { start: center - half, stop: center + half, points }).values
    const window = WINDOWS[Math.min(attempt.number, WINDOWS.length) - 1] ?? NARROW
    let frequencies = around(self.number('clock_freqs.readout'), window)
    let series = yield* transmissionOf(context, frequencies, { shots: SHOTS })
    if (window !== NARROW) {
      const label = { name: '|S21|', unit: 'V' }
      const { values } = accepted(yield* fitLorentzian(frequencies, magnitudesOf(series), label))
      frequencies = around(values.center.value, NARROW)
      series = yield* transmissionOf(context, frequencies, { shots: SHOTS })
    }
    const { values, fit, quality } = accepted(yield* fitResonator(frequencies, series))
    const { center, linewidth } = values
    return {
      parameters: {
        'clock_freqs.readout': { ...center, unit: 'Hz', checkLimit: CHECK_LIMIT * linewidth.value },
        ...(self.has('resonator.linewidth') && { 'resonator.linewidth': { ...linewidth, unit: 'Hz' } }),
      },
      trace: fit,
      quality,
    }
  },
  *check(context) {
    const center = context.self.number('clock_freqs.readout')
    const step = linewidthOf(context) / 2
    const frequencies = [center - step, center, center + step]
    const series = yield* transmissionOf(context, frequencies, { shots: SHOTS })
    const [below = 0, at = 0, above = 0] = magnitudesOf(series)
    const curvature = below - 2 * at + above
    const hasSignal = below !== at || at !== above
    const isFlat = curvature <= MIN_CURVATURE * Math.max(below, above)
    const offset = isFlat ? 10 * step : (step * (below - above)) / (2 * curvature)
    return checkOf(
      hasSignal ? Math.min(Math.abs(offset), 10 * step) : Number.NaN,
      CHECK_LIMIT * linewidthOf(context),
    )
  },
})
