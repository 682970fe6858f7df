import { describe, expect, test } from 'bun:test'
import {
  ABSENT_ROUTINES,
  ROUTINES,
  type RoutineDeclaration,
  type RoutineName,
  routineNamed,
  type TargetKind,
} from '../../../src/devices/tuning/routine-names.ts'

const ALL: readonly RoutineDeclaration[] = ROUTINES

describe('the names of routines', () => {
  test('are 33, of which 6 are benchmarks', () => {
    expect(ALL).toHaveLength(33)
    expect(ALL.filter(({ isBenchmark }) => isBenchmark)).toHaveLength(6)
    const count = (wanted: TargetKind) => ALL.filter(({ kind }) => kind === wanted).length
    expect([count('resonator'), count('qubit'), count('edge')]).toEqual([5, 21, 7])
    const first: RoutineName = 'resonator_spectroscopy'
    expect(ALL[0]?.name).toBe(first)
  })

  test('and their aliases name one routine each', () => {
    const names = ALL.flatMap(({ name, aliases }) => [name, ...aliases])
    expect(new Set(names).size).toBe(names.length)
    for (const name of names)
      expect(routineNamed(name)?.aliases.concat(routineNamed(name)?.name ?? '')).toContain(name)
    for (const name of Object.keys(ABSENT_ROUTINES)) expect(routineNamed(name)).toBeUndefined()
  })

  test('include those of the predecessor', () => {
    const pairs = `resonator_punchout punchout, qubit_spectroscopy qubit_01_spectroscopy, rabi rabi_oscillations,
      ramsey ramsey_correction, drag motzoi_parameter, fine_amplitude n_rabi_oscillations, allxy all_xy,
      allxy_check all_xy, rb randomized_benchmarking, resonator_spectroscopy_excited resonator_spectroscopy_1,
      resonator_spectroscopy_second_excited resonator_spectroscopy_2,
      readout_operating_point ro_two_state_optimization, readout_integration_time ro_duration_optimization,
      readout_discrimination two_state_discrimination, f12_spectroscopy qubit_12_spectroscopy,
      rabi_12 rabi_oscillations_12, ramsey_12 ramsey_correction_12, drag_12 motzoi_12_parameter,
      fine_amplitude_12 n_rabi_12_oscillations, three_state_operating_point three_state_discrimination,
      three_state_discrimination three_state_discrimination, cz_spectroscopy cz_parametrization,
      conditional_phase cz_calibration, interleaved_rb cz_rb, time_of_flight time_of_flight,
      resonator_spectroscopy resonator_spectroscopy, t1 t1, t2_echo t2_echo,
      readout_fidelity readout_fidelity, cz_chevron cz_chevron, cz_parametrization cz_parametrization,
      coupler_anticrossing coupler_anticrossing`
    for (const pair of pairs.split(',')) {
      const [alias = '', name = ''] = pair.trim().split(' ')
      expect(`${alias} ${routineNamed(alias)?.name}`).toBe(`${alias} ${name}`)
    }
  })
})
