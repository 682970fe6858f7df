import { DURATION_IN_SIGMAS } from '../../../pulse/envelope.ts'
import { DRIVE_PRIORS, DRIVEN } from '../../measure/inputs.ts'
import { LINE_WAITS } from '../../measure/references.ts'
import { TRANSITION_12 } from '../../measure/transition.ts'
import { defineRoutine, type ElementReader, RoutineError } from '../../routine.ts'
import { checkLine, clearestLine, LINE_ERROR_HZ, LINE_SHOTS } from '../transition/line.ts'

/** Where the line may be, from that of the qubit, Hz. */
const ANHARMONICITIES = { start: -400e6, stop: -100e6, points: 301 }
/** Pulse of the coarse sweep, s: as short as its steps need, whose line is 0.8 over its length wide. */
const COARSE_DURATION_S = 400e-9
/** Its amplitudes in units of that of half a turn. */
const COARSE_AMPLITUDES = [0.7, 1, 1.3]
/** Half width of the sweep that follows, Hz, and its points. */
const NARROW = { half: 10e6, points: 101 }
/** Its amplitudes in units of that at which the line of the qubit is clearest, and factors by attempt. */
const NARROW_AMPLITUDES = [0.5, 1, 2, 4]
const ATTEMPTS = [1, 3, 1 / 3]
const DEFAULT_AMPLITUDE = 5e-3

/**
 * Finds the frequency between states 1 and 2 of a qubit: after a pi pulse, in a coarse sweep over all usual
 * anharmonicities by a pulse of about half a turn, then in a narrow one by a long and weak pulse.
 */
export const qubit12Spectroscopy = defineRoutine({
  name: 'qubit_12_spectroscopy',
  dependsOn: ['rabi_oscillations'],
  reads: DRIVEN,
  priors: [...DRIVE_PRIORS, 'clock_freqs.f12', 'spec.duration', 'spec.amplitude', 'spec.amplitude_12'],
  writes: ['clock_freqs.f12'],
  optionalWrites: ['spec.amplitude_12'],
  size: {
    points: COARSE_AMPLITUDES.length * ANHARMONICITIES.points + NARROW_AMPLITUDES.length * NARROW.points,
    shots: LINE_SHOTS,
    wait: LINE_WAITS.ofDrive,
    firstPart: 1 / 4,
  },
  *measure(context) {
    const { self, attempt } = context
    const f01 = self.number('clock_freqs.f01')
    const { start, stop, points } = ANHARMONICITIES
    const coarse = yield* clearestLine(context, {
      transition: TRANSITION_12,
      frequencies: context.axis('frequency', {
        start: f01 + start,
        stop: f01 + stop,
        points: attempt.number === 1 ? points : 2 * points - 1,
      }).values,
      amplitudes: COARSE_AMPLITUDES.map((factor) => factor * halfTurn(self)),
      duration: COARSE_DURATION_S,
    })
    const near = coarse.fit.values.center.value
    const step = (2 * NARROW.half) / (NARROW.points - 1)
    const scale = (ATTEMPTS[attempt.number - 1] ?? 1) * (self.optional('spec.amplitude') ?? DEFAULT_AMPLITUDE)
    const weak = NARROW_AMPLITUDES.map((factor) => Math.min(1, scale * factor))
    const fine = yield* clearestLine(context, {
      transition: TRANSITION_12,
      frequencies: Float64Array.from({ length: NARROW.points }, (_, at) => near - NARROW.half + at * step),
      amplitudes: context.axis('amplitude', weak).values,
    })
    const { values, fit: trace, quality } = fine.fit
    const anharmonicity = values.center.value - f01
    if (!(anharmonicity >= start && anharmonicity <= stop)) {
      const message = `The anharmonicity of ${Math.round(anharmonicity / 1e6)} MHz is outside -400…-100 MHz`
      throw new RoutineError('implausible', message, { trace, quality })
    }
    return {
      parameters: {
        'clock_freqs.f12': {
          ...values.center,
          unit: 'Hz',
          checkLimit: values.width.value / 2,
          wantedError: LINE_ERROR_HZ,
        },
        ...(self.has('spec.amplitude_12') && { 'spec.amplitude_12': { value: fine.amplitude } }),
      },
      trace,
      quality: { ...quality, anharmonicity },
    }
  },
  check(context) {
    const { self } = context
    const amplitude =
      self.optional('spec.amplitude_12') ?? self.optional('spec.amplitude') ?? DEFAULT_AMPLITUDE
    return checkLine(context, TRANSITION_12, amplitude)
  },
})

/**
 * Amplitude of a square pulse that turns state 1 into 2: its area is that of the known pi pulse, a Gaussian,
 * over the larger dipole of this transition.
 */
function halfTurn({ number }: ElementReader): number {
  const area = number('rxy.amp180') * (number('rxy.duration') / DURATION_IN_SIGMAS) * Math.sqrt(2 * Math.PI)
  return Math.min(1, area / (Math.SQRT2 * COARSE_DURATION_S))
}
