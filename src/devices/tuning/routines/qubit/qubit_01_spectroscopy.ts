import { READOUT, READOUT_PRIORS } from '../../measure/inputs.ts'
import { LINE_WAITS } from '../../measure/references.ts'
import { TRANSITION_01 } from '../../measure/transition.ts'
import { defineRoutine, type Measurement, type RoutineContext, type SweepRange } from '../../routine.ts'
import { checkLine, clearestLine, LINE_ERROR_HZ, LINE_SHOTS, type Line } from '../transition/line.ts'

/** Amplitudes of a pulse of the length in the device file, and of a short one. */
const WEAK: SweepRange = { start: 1e-3, stop: 3e-2, points: 5, scale: 'log' }
const STRONG: SweepRange = { start: 5e-3, stop: 6e-2, points: 5, scale: 'log' }
/** The line of this pulse is at least 1.6 MHz wide: a step of 1 MHz does not miss it, s. */
const SHORT_S = 0.5e-6
/** Half widths of the sweep around the present frequency, by attempt, Hz, its points and its pulse. */
const WINDOWS: readonly [Window, ...Window[]] = [
  { half: 20e6, points: 201, amplitudes: WEAK },
  { half: 300e6, points: 601, amplitudes: STRONG, duration: SHORT_S },
  { half: 500e6, points: 1_001, amplitudes: STRONG, duration: SHORT_S },
]
/** The sweep that follows a line found in a wide one. */
const NARROW: Window = { half: 15e6, points: 151, amplitudes: WEAK }

interface Window {
  readonly half: number
  readonly points: number
  readonly amplitudes: SweepRange
  readonly duration?: number
}

/** Finds the frequency of a qubit, and the amplitude at which its line is clearest. */
export const qubit01Spectroscopy = defineRoutine({
  name: 'qubit_01_spectroscopy',
  dependsOn: ['punchout'],
  reads: READOUT,
  priors: ['clock_freqs.f01', 'spec.duration', 'spec.amplitude', ...READOUT_PRIORS],
  writes: ['clock_freqs.f01'],
  optionalWrites: ['spec.amplitude'],
  suspect: 'drive',
  size: { points: 1_005, shots: LINE_SHOTS, wait: LINE_WAITS.ofDrive, firstPart: 1 / 4 },
  *measure(context) {
    const { self, attempt } = context
    const window = WINDOWS[Math.min(attempt.number, WINDOWS.length) - 1] ?? WINDOWS[0]
    const center = self.number('clock_freqs.f01')
    let best = yield* sweep(context, center, window)
    if (window.half > WINDOWS[0].half) best = yield* sweep(context, best.fit.values.center.value, NARROW)
    const { center: found, width } = best.fit.values
    return {
      parameters: {
        'clock_freqs.f01': {
          ...found,
          unit: 'Hz',
          checkLimit: width.value / 2,
          wantedError: LINE_ERROR_HZ,
        },
        ...(self.has('spec.amplitude') && { 'spec.amplitude': { value: best.amplitude } }),
      },
      trace: best.fit.fit,
      quality: best.fit.quality,
    }
  },
  check: (context) =>
    checkLine(context, TRANSITION_01, context.self.optional('spec.amplitude') ?? WEAK.stop / 3),
})

function* sweep(
  context: RoutineContext,
  center: number,
  { half, points, amplitudes, ...pulse }: Window,
): Measurement<Line> {
  const frequencies = context.axis('frequency', { start: center - half, stop: center + half, points }).values
  return yield* clearestLine(context, {
    transition: TRANSITION_01,
    frequencies,
    ...pulse,
    amplitudes: context.axis('amplitude', amplitudes).values,
  })
}
