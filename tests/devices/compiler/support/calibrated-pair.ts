import type { SimulatedChip } from '../../../../src/devices/bench/simulated/simulated-chip.ts'
import type { ChipTruth } from '../../../../src/devices/bench/simulated/truth/chip-truth.ts'
import { PI_NS, piAmplitude, qubitOf, rotation } from '../../../support/simulated-chip/experiments.ts'

/** Amplitude of the CZ gate. */
const CZ_AMPLITUDE = 0.5
/** The qubits of a lossless chip keep their state for 10 ms. */
const RESET_S = 0.1

/** A device file of a row of qubits with the values that the truth of a simulated chip makes best. */
export function deviceFileOf(truth: ChipTruth, chip: SimulatedChip): string {
  const { transmons, couplings } = chip.conditions()
  const qubits = Object.keys(truth.qubits).map((name) => {
    const { readout } = qubitOf(truth, name)
    const { envelope } = rotation(truth, name, 0)
    const motzoi = envelope.shape === 'gaussian' ? envelope.motzoi : 0
    const frequency = readout.frequency + (readout.pulls[0] ?? 0) / 2
    return `${name}:
  element_type: {path: svc.elements.CalibratedTransmon, args: [${name}]}
  reset: {duration: ${RESET_S}}
  rxy: {amp180: ${piAmplitude(qubitOf(truth, name))}, motzoi: ${motzoi}, duration: ${PI_NS}.0e-9}
  measure: {pulse_amp: ${0.3 * readout.critical_amplitude}, pulse_duration: 2.8e-6, acq_delay: 3.0e-7, integration_time: 2.5e-6}
  clock_freqs: {f01: ${transmons.get(name)?.f01}, readout: ${frequency}}
`
  })
  const edges = couplings.map(({ name, high, low, gate }) => {
    const [a, b] = [transmons.get(high), transmons.get(low)]
    if (!a || !b) throw new Error(`${name} lacks a qubit`)
    const [parent = '', child = ''] = name.split('_')
    const duration = 1e-9 * Math.round(1e9 / (2 * gate.coupling * CZ_AMPLITUDE))
    const frequency = Math.abs(a.f01 - b.f01 + a.anharmonicity) + gate.shift * CZ_AMPLITUDE ** 2
    // The state 1 of either qubit turns by -2 pi times its shift, which the drive sees by its handedness.
    const correction = (qubit: string) =>
      -360 * a.hand * (qubit === high ? gate.starkA : gate.starkB) * CZ_AMPLITUDE ** 2 * duration
    return `${name}:
  element_type: {path: svc.elements.FluxTunableCoupler, kwargs: {parent_element_name: ${parent}, child_element_name: ${child}}}
  clock_freqs: {cz: ${frequency}}
  cz: {square_amp: ${CZ_AMPLITUDE}, square_duration: ${duration}, parent_phase_correction: ${correction(parent)}, child_phase_correction: ${correction(child)}}
`
  })
  return [...qubits, ...edges].join('')
}
