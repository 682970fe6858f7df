/** A routine of the graph, as tuners plan it. */
export interface GraphRoutine {
  routine: string
  depends_on: string[]
  kind: 'qubit' | 'edge'
  /** s on one target. */
  seconds: number
}

const node =
  (kind: GraphRoutine['kind']) =>
  (seconds: number, routine: string, ...depends_on: string[]) => ({
    ...{ routine, depends_on, kind, seconds },
  })
const qubit = node('qubit')
const edge = node('edge')

/** The 33 routines in the order of a full run. */
export const GRAPH: readonly GraphRoutine[] = [
  qubit(19, 'resonator_spectroscopy'),
  qubit(6, 'time_of_flight', 'resonator_spectroscopy'),
  qubit(42, 'punchout', 'time_of_flight'),
  qubit(64, 'qubit_01_spectroscopy', 'punchout'),
  qubit(28, 'rabi_oscillations', 'qubit_01_spectroscopy'),
  qubit(78, 'ramsey_correction', 'rabi_oscillations'),
  qubit(34, 'motzoi_parameter', 'ramsey_correction'),
  qubit(24, 'n_rabi_oscillations', 'motzoi_parameter'),
  qubit(33, 't1', 'rabi_oscillations'),
  qubit(48, 't2', 'ramsey_correction', 't1'),
  qubit(34, 't2_echo', 'ramsey_correction', 't1'),
  qubit(22, 'resonator_spectroscopy_1', 'rabi_oscillations'),
  qubit(80, 'ro_two_state_optimization', 'resonator_spectroscopy_1'),
  qubit(15, 'ro_duration_optimization', 'ro_two_state_optimization', 't1'),
  qubit(12, 'two_state_discrimination', 'ro_duration_optimization', 'n_rabi_oscillations'),
  qubit(12, 'readout_fidelity', 'two_state_discrimination'),
  qubit(12, 'all_xy', 'two_state_discrimination'),
  qubit(72, 'qubit_12_spectroscopy', 'rabi_oscillations'),
  qubit(36, 'rabi_oscillations_12', 'qubit_12_spectroscopy'),
  qubit(48, 'ramsey_correction_12', 'rabi_oscillations_12'),
  qubit(36, 'motzoi_12_parameter', 'ramsey_correction_12'),
  qubit(24, 'n_rabi_12_oscillations', 'motzoi_12_parameter'),
  qubit(24, 'resonator_spectroscopy_2', 'rabi_oscillations_12'),
  qubit(72, 'three_state_discrimination', 'n_rabi_12_oscillations', 'resonator_spectroscopy_2'),
  qubit(108, 'randomized_benchmarking', 'two_state_discrimination'),
  qubit(132, 'purity_benchmarking', 'randomized_benchmarking'),
  edge(240, 'coupler_anticrossing', 'ramsey_correction'),
  edge(225, 'cz_parametrization', 'coupler_anticrossing', 'two_state_discrimination'),
  edge(180, 'cz_chevron', 'cz_parametrization'),
  edge(150, 'cz_calibration', 'cz_chevron'),
  edge(90, 'cz_local_phases', 'cz_calibration'),
  edge(210, 'cz_rb', 'cz_local_phases', 'randomized_benchmarking'),
  edge(270, 'process_tomography', 'cz_local_phases'),
]
