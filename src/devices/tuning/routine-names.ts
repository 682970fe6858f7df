import type { PlayedLine } from '../chip/hardware/bands.ts'

/** What a routine calibrates. A resonator has the name of its qubit. */
export type TargetKind = 'resonator' | 'qubit' | 'edge'

/** A swept quantity of a routine, as `calibration.yml` names it. */
export interface Axis {
  /** SI unit; empty for a number without one. */
  unit: 'Hz' | 's' | 'A' | 'deg' | ''
  /** Limits of every value of the axis. */
  min: number
  max: number
  isInteger?: true
  /** What the values multiply, for an axis in relative units. */
  relativeTo?: string
  /** The line that plays the values, for an axis of carriers. */
  line?: PlayedLine
}

/** A number that a routine takes once rather than sweeps. */
interface NumberSetting {
  min: number
  max: number
  isInteger?: true
  /** Names of the same number in files of other calibration software. */
  aliases?: readonly string[]
}

/** A routine as people and files name it; what it does is declared beside its code. */
export interface RoutineDeclaration {
  name: string
  kind: TargetKind
  /** A benchmark measures and writes nothing. */
  isBenchmark?: true
  /** Names that other calibration software uses for the same measurement. */
  aliases: readonly string[]
  /** Axes whose range `calibration.yml` may set. */
  axes: Readonly<Record<string, Axis>>
  /** Numbers that `calibration.yml` may set, apart from the axes and `shots`. */
  numbers?: Readonly<Record<string, NumberSetting>>
  /** Choices that `calibration.yml` may make, with their words. */
  choices?: Readonly<Record<string, readonly [string, ...string[]]>>
}

const FREQUENCY: Axis = { unit: 'Hz', min: 0, max: 1e12 }
const DETUNING: Axis = { unit: 'Hz', min: -1e9, max: 1e9 }
const AMPLITUDE: Axis = { unit: '', min: 0, max: 1 }
const TIME: Axis = { unit: 's', min: 0, max: 1 }
const CURRENT: Axis = { unit: 'A', min: -3.1e-3, max: 3.1e-3 }
const MOTZOI: Axis = { unit: '', min: -1, max: 1 }
const PHASE: Axis = { unit: 'deg', min: -360, max: 360 }
const COUNT: Axis = { unit: '', min: 0, max: 10_000, isInteger: true }
const OF_AMP180: Axis = { unit: '', min: 0, max: 2, relativeTo: 'rxy.amp180' }
const OF_EF_AMP180: Axis = { ...OF_AMP180, relativeTo: 'r12.ef_amp180' }
const OF_PULSE_AMP: Axis = { ...OF_AMP180, relativeTo: 'measure.pulse_amp' }
const OF_SQUARE_AMP: Axis = { ...OF_AMP180, relativeTo: 'cz.square_amp' }

const RAMSEY = { delay: TIME, detuning: DETUNING }
const carrier = (line: PlayedLine): Axis => ({ ...FREQUENCY, line })
const RESONATOR = { frequency: carrier('readout') }
const lineOf = (line: PlayedLine) => ({ frequency: carrier(line), amplitude: AMPLITUDE })
const READOUT_POINT = { frequency: carrier('readout'), amplitude: OF_PULSE_AMP }
const DRAG = { motzoi: MOTZOI, repetitions: COUNT }
const RB = {
  axes: { depths: COUNT },
  // The scatter of fewer sequences gives no standard error.
  numbers: { seeds: { min: 3, max: 1_000, isInteger: true } },
} as const

type Rest = Partial<Omit<RoutineDeclaration, 'name' | 'kind'>>
type Named<Name extends string> = RoutineDeclaration & { name: Name }

const routineOf =
  (kind: TargetKind, common: Rest = {}) =>
  <const Name extends string>(name: Name, rest: Rest = {}): Named<Name> => ({
    name,
    kind,
    aliases: [],
    axes: {},
    ...common,
    ...rest,
  })
const resonator = routineOf('resonator')
const qubit = routineOf('qubit')
const edge = routineOf('edge')
const qubitBenchmark = routineOf('qubit', { isBenchmark: true })
const edgeBenchmark = routineOf('edge', { isBenchmark: true })

/** The routines, in the order of their numbers: ties in the order of a run are broken by it. */
export const ROUTINES = [
  resonator('resonator_spectroscopy', { axes: RESONATOR }),
  resonator('time_of_flight', { axes: { duration: TIME } }),
  resonator('punchout', { aliases: ['resonator_punchout'], axes: lineOf('readout') }),
  qubit('qubit_01_spectroscopy', { aliases: ['qubit_spectroscopy'], axes: lineOf('drive') }),
  qubit('rabi_oscillations', { aliases: ['rabi'], axes: { amplitude: AMPLITUDE } }),
  qubit('ramsey_correction', { aliases: ['ramsey'], axes: RAMSEY }),
  qubit('motzoi_parameter', { aliases: ['drag'], axes: DRAG }),
  qubit('n_rabi_oscillations', {
    aliases: ['fine_amplitude'],
    axes: { amplitude: OF_AMP180, repetitions: COUNT },
  }),
  qubit('t1', { axes: { delay: TIME } }),
  qubit('t2', { axes: RAMSEY }),
  qubit('t2_echo', { axes: { delay: TIME } }),
  resonator('resonator_spectroscopy_1', { aliases: ['resonator_spectroscopy_excited'], axes: RESONATOR }),
  qubit('ro_two_state_optimization', { aliases: ['readout_operating_point'], axes: READOUT_POINT }),
  qubit('ro_duration_optimization', { aliases: ['readout_integration_time'], axes: { duration: TIME } }),
  qubit('two_state_discrimination', { aliases: ['readout_discrimination'] }),
  qubitBenchmark('readout_fidelity'),
  qubitBenchmark('all_xy', { aliases: ['allxy', 'allxy_check'] }),
  qubit('qubit_12_spectroscopy', { aliases: ['f12_spectroscopy'], axes: lineOf('drive_12') }),
  qubit('rabi_oscillations_12', { aliases: ['rabi_12'], axes: { amplitude: AMPLITUDE } }),
  qubit('ramsey_correction_12', { aliases: ['ramsey_12'], axes: RAMSEY }),
  qubit('motzoi_12_parameter', { aliases: ['drag_12'], axes: DRAG }),
  qubit('n_rabi_12_oscillations', {
    aliases: ['fine_amplitude_12'],
    axes: { amplitude: OF_EF_AMP180, repetitions: COUNT },
  }),
  resonator('resonator_spectroscopy_2', {
    aliases: ['resonator_spectroscopy_second_excited'],
    axes: RESONATOR,
  }),
  qubit('three_state_discrimination', { aliases: ['three_state_operating_point'], axes: READOUT_POINT }),
  qubitBenchmark('randomized_benchmarking', {
    ...RB,
    aliases: ['rb'],
    choices: { interleave: ['none', 'x90'] },
  }),
  qubitBenchmark('purity_benchmarking', RB),
  edge('coupler_anticrossing', {
    axes: { current: CURRENT, frequency: carrier('drive') },
    numbers: { park_fraction: { aliases: ['parking_fraction'], min: 0, max: 1 } },
  }),
  edge('cz_parametrization', { aliases: ['cz_spectroscopy'], axes: lineOf('coupling') }),
  edge('cz_chevron', { axes: { frequency: carrier('coupling'), amplitude: OF_SQUARE_AMP, duration: TIME } }),
  edge('cz_calibration', {
    aliases: ['conditional_phase'],
    axes: { phase: PHASE },
    numbers: { working_points: { min: 1, max: 100, isInteger: true } },
  }),
  edge('cz_local_phases', { axes: { phase: PHASE } }),
  edgeBenchmark('cz_rb', { aliases: ['interleaved_rb'], ...RB }),
  edgeBenchmark('process_tomography'),
] as const

/** Name of a built-in routine. */
export type RoutineName = (typeof ROUTINES)[number]['name']

/** Names of other calibration software that have no counterpart here, and what does the work instead. */
export const ABSENT_ROUTINES: Readonly<Record<string, string>> = {
  resonator_relaxation: 'resonator_spectroscopy measures the linewidth',
  flux_spectroscopy: 'coupler_anticrossing fits the curve of the coupler',
  ef_ladder: 'rabi_oscillations_12 includes it',
  fine_amplitude_90: 'n_rabi_oscillations includes it',
}

const BY_NAME = new Map<string, Named<RoutineName>>(
  ROUTINES.flatMap((routine) => [routine.name, ...routine.aliases].map((name) => [name, routine] as const)),
)

/** The routine with this name or alias. */
export function routineNamed(name: string): Named<RoutineName> | undefined {
  return BY_NAME.get(name)
}
