import * as v from 'valibot'
import { matrix, measured, optional, type ParameterTable, setting, value, word } from './parameter.ts'

const MAX_HZ = 1e12
const MAX_SECONDS = 1
const hertz = () => measured('Hz', 0, MAX_HZ)
const coherenceTime = () => measured('s', 0, 10)
const name = v.pipe(v.string('expected the name of a port'), v.minLength(1), v.maxLength(100))
const weights = v.array(v.number('expected a list of numbers'), 'expected a list of numbers')

/** Calibrated power of a pulse; one unit at most, the others `.nan`. */
const referenceMagnitude = v.pipe(
  v.object(
    {
      dBm: v.optional(v.nullable(v.union([v.number(), v.nan()]))),
      V: v.optional(v.nullable(v.union([v.number(), v.nan()]))),
      A: v.optional(v.nullable(v.union([v.number(), v.nan()]))),
    },
    'expected a number for one of dBm, V and A',
  ),
  v.check(
    ({ dBm, V, A }) => [dBm, V, A].filter((each) => Number.isFinite(each)).length <= 1,
    'expected a number for at most one of dBm, V and A',
  ),
)

/** Pulses are played as they are; `.nan`, with which quantify-scheduler saves it, stands for none. */
const NOT_COMPENSATED = v.never('pulses are not compensated; remove it or set .nan')

/** Parameters of every qubit (`BasicTransmonElement`), with the names and defaults of quantify-scheduler. */
const BASIC = {
  'reset.duration': setting('s', 200e-6, 0, MAX_SECONDS),
  'rxy.amp180': measured('', -10, 10),
  'rxy.motzoi': setting('', 0, -1, 1),
  // The newer scheduler has the derivative in seconds instead: beta = motzoi · sigma, sigma = duration / 8.
  'rxy.beta': optional('s', -1e-6, 1e-6),
  'rxy.duration': setting('s', 20e-9, 0, MAX_SECONDS),
  'rxy.reference_magnitude': value(referenceMagnitude, undefined),
  'measure.pulse_type': word(['SquarePulse'], 'SquarePulse'),
  'measure.pulse_amp': setting('', 0.25, 0, 1),
  'measure.pulse_duration': setting('s', 300e-9, 0, MAX_SECONDS),
  'measure.acq_delay': setting('s', 0, 0, 100e-6),
  'measure.integration_time': setting('s', 1e-6, 0, 100e-6),
  'measure.acq_channel': value(v.union([v.number(), v.string()], 'expected a number or a name'), 0),
  'measure.reset_clock_phase': value(v.literal(true, 'the phase is always reset; remove it'), true),
  'measure.acq_weight_type': value(v.literal('SSB', 'weights are not used; remove it or set SSB'), 'SSB'),
  'measure.acq_weights_a': value(weights, []),
  'measure.acq_weights_b': value(weights, []),
  'measure.acq_weights_sampling_rate': setting('Hz', 1e9, 0, MAX_HZ),
  'measure.acq_rotation': setting('deg', 0, -360, 360),
  'measure.acq_threshold': setting('', 0, -1e9, 1e9),
  'measure.num_points': value(v.literal(1, 'a readout has one point; remove it'), 1),
  'measure.reference_magnitude': value(referenceMagnitude, undefined),
  'pulse_compensation.max_compensation_amp': value(NOT_COMPENSATED, undefined),
  'pulse_compensation.time_grid': value(NOT_COMPENSATED, undefined),
  'pulse_compensation.sampling_rate': value(NOT_COMPENSATED, undefined),
  'ports.microwave': value(name, undefined),
  'ports.flux': value(name, undefined),
  'ports.readout': value(name, undefined),
  'clock_freqs.f01': hertz(),
  'clock_freqs.f12': hertz(),
  'clock_freqs.readout': hertz(),
} as const satisfies ParameterTable

/** What `CalibratedTransmon` has beyond that. */
const CALIBRATED = {
  'fine.amp90': measured('', -10, 10),
  'spec.amplitude': measured('', 0, 1),
  'spec.amplitude_12': measured('', 0, 1),
  'spec.duration': setting('s', 4e-6, 0, MAX_SECONDS),
  'coherence.t1': coherenceTime(),
  'coherence.t2_star': coherenceTime(),
  'coherence.t2_echo': coherenceTime(),
  'resonator.linewidth': hertz(),
  'resonator.readout_1': hertz(),
  'resonator.readout_2': hertz(),
  'r12.ef_amp180': measured('', -10, 10),
  'r12.ef_motzoi': setting('', 0, -1, 1),
  // Without one, as long as a pulse between states 0 and 1.
  'r12.ef_duration': optional('s', 0, MAX_SECONDS),
  'measure_2state.frequency': hertz(),
  'measure_2state.pulse_amp': measured('', 0, 1),
  'measure_2state.integration_time': measured('s', 0, 100e-6),
  'measure_2state.acq_rotation': optional('deg', -360, 360),
  'measure_2state.acq_threshold': optional('', -1e9, 1e9),
  'measure_2state.assignment': matrix(2, 2, [0, 1]),
  // In the order of the qubits of the file: what the tone of each adds to the rotated signal of this one.
  'measure_2state.tone_shifts': value(weights, undefined),
  'measure_3state.frequency': hertz(),
  'measure_3state.pulse_amp': measured('', 0, 1),
  'measure_3state.centroids': matrix(3, 2, [-1e9, 1e9]),
  'measure_3state.assignment': matrix(3, 3, [0, 1]),
} as const satisfies ParameterTable

/** All parameters of qubits; a `BasicTransmonElement` has only some of them. */
export const QUBIT_PARAMETERS = { ...BASIC, ...CALIBRATED } as const

/** What the class of the same name in `qpi-driver` 0.4.2 lacks. */
export const ADDED_PARAMETERS: ReadonlySet<string> = new Set<keyof typeof CALIBRATED>([
  'spec.duration',
  'coherence.t2_star',
  'coherence.t2_echo',
  'resonator.readout_1',
  'resonator.readout_2',
  'measure_2state.integration_time',
  'measure_2state.assignment',
  'measure_2state.tone_shifts',
  'measure_3state.centroids',
  'measure_3state.assignment',
])

/** Submodules that only a `CalibratedTransmon` has. */
export const CALIBRATED_SUBMODULES: ReadonlySet<string> = new Set(
  Object.keys(CALIBRATED).map((path) => path.split('.')[0] ?? ''),
)

/** Names of the same parameters in files of other software, by path. */
export const QUBIT_ALIASES: Readonly<Record<string, string>> = {
  'measure.acq_label': 'measure.acq_channel',
  'spec.spec_amp': 'spec.amplitude',
  'spec.spec_duration': 'spec.duration',
  'extended_clock_freqs.readout_1': 'resonator.readout_1',
  'extended_clock_freqs.readout_2': 'resonator.readout_2',
  'extended_clock_freqs.readout_2state_opt': 'measure_2state.frequency',
  'extended_clock_freqs.readout_3state_opt': 'measure_3state.frequency',
  'measure_2state_opt.pulse_amp': 'measure_2state.pulse_amp',
  'measure_2state_opt.acq_rotation': 'measure_2state.acq_rotation',
  'measure_2state_opt.acq_threshold': 'measure_2state.acq_threshold',
  'measure_2state_opt.integration_time': 'measure_2state.integration_time',
  'measure_3state_opt.pulse_amp': 'measure_3state.pulse_amp',
  'discriminator_2state.rotation': 'measure_2state.acq_rotation',
  'discriminator_2state.threshold': 'measure_2state.acq_threshold',
  'discriminator_2state.assignment': 'measure_2state.assignment',
  'discriminator_3state.centroids': 'measure_3state.centroids',
  'discriminator_3state.assignment': 'measure_3state.assignment',
}
