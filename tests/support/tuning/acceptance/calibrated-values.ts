import type { ChipTruth } from '../../../../src/devices/bench/simulated/truth/chip-truth.ts'
import type { ChipValues } from '../../../../src/devices/tuning/walk/run-values.ts'
import { qubitOf } from '../../simulated-chip/experiments.ts'

const PI_S = 56e-9
const EF_S = 112e-9

/**
 * Values of a device file close to those that a calibration of this chip finds. An edge without a tone has no
 * frequency for one.
 */
export function calibratedValues(truth: ChipTruth): ChipValues {
  const edges = Object.keys(truth.edges).map((name) => {
    const [parent = '', child = ''] = name.split('_')
    return { name, parent, child }
  })
  const values = new Map<string, Record<string, unknown>>([
    ...Object.keys(truth.qubits).map((name) => [name, qubitValues(truth, name)] as const),
    ...edges.map(({ name, parent, child }) => [name, edgeValues(truth, name, parent, child)] as const),
  ])
  return {
    ...{ qubits: Object.keys(truth.qubits), edges },
    has: (element, path) =>
      path !== 'rxy.beta' && (path !== 'clock_freqs.cz' || truth.edges[element]?.kind === 'parametric'),
    value: (element, path) => values.get(element)?.[path],
  }
}

function qubitValues(truth: ChipTruth, name: string): Record<string, unknown> {
  const { f01, anharmonicity, rabi, t1, t2_star, t2_echo, readout } = qubitOf(truth, name)
  const halfTurn = (duration: number) => 1 / (2 * rabi * (duration / 8) * Math.sqrt(2 * Math.PI))
  const [first, second] = readout.pulls
  const amplitude = 0.3 * readout.critical_amplitude
  const assignment = [
    [0.97, 0.03],
    [0.05, 0.95],
  ]
  return {
    'reset.duration': 500e-6,
    ...{ 'clock_freqs.f01': f01, 'clock_freqs.f12': f01 + anharmonicity },
    'clock_freqs.readout': readout.frequency,
    ...{ 'rxy.amp180': halfTurn(PI_S), 'rxy.motzoi': 0.05, 'rxy.duration': PI_S },
    'fine.amp90': halfTurn(PI_S) / 2,
    ...{ 'spec.amplitude': 0.01, 'spec.amplitude_12': 0.01, 'spec.duration': 4e-6 },
    ...{ 'coherence.t1': t1, 'coherence.t2_star': t2_star, 'coherence.t2_echo': t2_echo },
    ...{ 'measure.pulse_amp': amplitude, 'measure.pulse_duration': 3e-6, 'measure.acq_delay': 300e-9 },
    'measure.integration_time': 2.5e-6,
    ...{ 'resonator.linewidth': readout.linewidth, 'resonator.readout_1': readout.frequency + first },
    'resonator.readout_2': readout.frequency + second,
    ...{ 'r12.ef_amp180': halfTurn(EF_S) / Math.SQRT2, 'r12.ef_motzoi': 0.05, 'r12.ef_duration': EF_S },
    ...{ 'measure_2state.frequency': readout.frequency + first / 2, 'measure_2state.pulse_amp': amplitude },
    'measure_2state.integration_time': 2.5e-6,
    ...{ 'measure_2state.acq_rotation': 40, 'measure_2state.acq_threshold': 0.001 },
    'measure_2state.assignment': assignment,
    ...{ 'measure_3state.frequency': readout.frequency + first, 'measure_3state.pulse_amp': amplitude },
  }
}

function edgeValues(truth: ChipTruth, name: string, parent: string, child: string) {
  const edge = truth.edges[name]
  const [high, low] = [qubitOf(truth, edge?.high ?? parent), qubitOf(truth, edge?.low ?? child)]
  return {
    'clock_freqs.cz': Math.abs(high.f01 - low.f01 + high.anharmonicity) + (edge?.shift ?? 0) * 0.25,
    ...{ 'cz.square_amp': 0.5, 'cz.square_duration': 120e-9 },
    ...{ 'cz.parent_phase_correction': 30, 'cz.child_phase_correction': -50 },
    'bias.parking_current': edge?.held_at_start,
  }
}
