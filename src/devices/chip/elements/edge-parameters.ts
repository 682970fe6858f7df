import * as v from 'valibot'
import { index, measured, optional, type ParameterTable, setting, value, word } from './parameter.ts'

/** Largest current of a source, A: the range of the current modules. */
const MAX_AMPS = 3.1e-3
const PHASE = [-1e6, 1e6] as const

const crosstalk = v.record(
  v.string(),
  v.pipe(v.number('expected a number from -1 to 1'), v.minValue(-1), v.maxValue(1)),
  'expected names of edges with numbers from -1 to 1',
)

/** Parameters of edges. `bias` and, on a `CompositeSquareEdge`, `clock_freqs` are optional submodules. */
export const EDGE_PARAMETERS = {
  'cz.square_amp': setting('', 0.5, 0, 10),
  'cz.square_duration': setting('s', 20e-9, 0, 1),
  'cz.parent_phase_correction': setting('deg', 0, ...PHASE),
  'cz.child_phase_correction': setting('deg', 0, ...PHASE),
  'clock_freqs.cz': measured('Hz', 0, 1e12),
  'clock_freqs.sideband_gap': measured('Hz', -1e12, 1e12),
  'bias.source': word(['spi', 'qcm'], undefined),
  'bias.spi_module': index(0, 15),
  'bias.spi_output': index(0, 3),
  'bias.qcm_module': index(1, 20),
  'bias.qcm_output': index(0, 3),
  'bias.parking_current': optional('A', -MAX_AMPS, MAX_AMPS),
  'bias.limit': setting('A', MAX_AMPS, 0, MAX_AMPS),
  'bias.ramp_rate': setting('A/s', 40e-6, 1e-9, 1),
  'bias.max_step': setting('A', 1e-6, 1e-9, MAX_AMPS),
  'bias.abort_rate': setting('A/s', 1e-3, 1e-9, 1),
  'bias.line_resistance_ohm': measured('ohm', 0, 1e6),
  'bias.crosstalk': value(crosstalk, {}),
} as const satisfies ParameterTable

/**
 * Names of the same parameters in files of other software, by path. `{parent}` and `{child}` stand for the
 * names of the qubits.
 */
export const EDGE_ALIASES: Readonly<Record<string, string>> = {
  'cz.{parent}_phase_correction': 'cz.parent_phase_correction',
  'cz.{child}_phase_correction': 'cz.child_phase_correction',
  'bias.dac': 'bias.spi_output',
  'bias.module': 'bias.qcm_module',
  'bias.output': 'bias.qcm_output',
  'bias.current': 'bias.parking_current',
  'bias.ohms': 'bias.line_resistance_ohm',
}
