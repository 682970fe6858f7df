import type { Routine } from '../routine.ts'
import { czRb } from './benchmarks/cz_rb.ts'
import { driveCrosstalk } from './benchmarks/drive_crosstalk.ts'
import { processTomography } from './benchmarks/process_tomography.ts'
import { purityBenchmarking } from './benchmarks/purity_benchmarking.ts'
import { randomizedBenchmarking } from './benchmarks/randomized_benchmarking.ts'
import { simultaneousRb } from './benchmarks/simultaneous_rb.ts'
import { couplerAnticrossing } from './edge/coupler_anticrossing.ts'
import { czCalibration } from './edge/cz_calibration.ts'
import { czChevron } from './edge/cz_chevron.ts'
import { czLocalPhases } from './edge/cz_local_phases.ts'
import { czParametrization } from './edge/cz_parametrization.ts'
import { allXy } from './qubit/all_xy.ts'
import { motzoiParameter } from './qubit/motzoi_parameter.ts'
import { nRabiOscillations } from './qubit/n_rabi_oscillations.ts'
import { qubit01Spectroscopy } from './qubit/qubit_01_spectroscopy.ts'
import { rabiOscillations } from './qubit/rabi_oscillations.ts'
import { ramseyCorrection } from './qubit/ramsey_correction.ts'
import { t1 } from './qubit/t1.ts'
import { t2 } from './qubit/t2.ts'
import { t2Echo } from './qubit/t2_echo.ts'
import { lineReadout } from './readout/line_readout.ts'
import { punchout } from './readout/punchout.ts'
import { readoutFidelity } from './readout/readout_fidelity.ts'
import { resonatorSpectroscopy } from './readout/resonator_spectroscopy.ts'
import { resonatorSpectroscopy1 } from './readout/resonator_spectroscopy_1.ts'
import { resonatorSpectroscopy2 } from './readout/resonator_spectroscopy_2.ts'
import { roDurationOptimization } from './readout/ro_duration_optimization.ts'
import { roTwoStateOptimization } from './readout/ro_two_state_optimization.ts'
import { threeStateDiscrimination } from './readout/three_state_discrimination.ts'
import { timeOfFlight } from './readout/time_of_flight.ts'
import { twoStateDiscrimination } from './readout/two_state_discrimination.ts'
import { motzoi12Parameter } from './second-excited/motzoi_12_parameter.ts'
import { nRabi12Oscillations } from './second-excited/n_rabi_12_oscillations.ts'
import { qubit12Spectroscopy } from './second-excited/qubit_12_spectroscopy.ts'
import { rabiOscillations12 } from './second-excited/rabi_oscillations_12.ts'
import { ramseyCorrection12 } from './second-excited/ramsey_correction_12.ts'

/**
 * All built-in routines in the order of a run. Couplers are parked as soon as the frequencies of their qubits
 * are known: what follows is measured where the chip is operated.
 */
export const BUILT_IN_ROUTINES: readonly Routine[] = [
  resonatorSpectroscopy,
  timeOfFlight,
  punchout,
  qubit01Spectroscopy,
  rabiOscillations,
  ramseyCorrection,
  couplerAnticrossing,
  motzoiParameter,
  nRabiOscillations,
  t1,
  t2,
  t2Echo,
  resonatorSpectroscopy1,
  roTwoStateOptimization,
  roDurationOptimization,
  twoStateDiscrimination,
  readoutFidelity,
  allXy,
  qubit12Spectroscopy,
  rabiOscillations12,
  ramseyCorrection12,
  motzoi12Parameter,
  nRabi12Oscillations,
  resonatorSpectroscopy2,
  threeStateDiscrimination,
  randomizedBenchmarking,
  purityBenchmarking,
  czParametrization,
  czChevron,
  czCalibration,
  czLocalPhases,
  czRb,
  processTomography,
]

/** Routines that are not part of a calibration: they run when a request names them. */
export const NAMED_ROUTINES: readonly Routine[] = [lineReadout, simultaneousRb, driveCrosstalk]
