import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { readDeviceFile } from '../../../../src/devices/chip/device-file.ts'
import { Provenance, provenancePathOf } from '../../../../src/devices/chip/provenance/provenance.ts'
import { qualityOf } from '../../../../src/devices/chip/quality.ts'
import { staleValuesOf } from '../../../../src/devices/chip/uncalibrated.ts'
import type { Routine } from '../../../../src/devices/tuning/routine.ts'
import { BUILT_IN_ROUTINES } from '../../../../src/devices/tuning/routines/index.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'
import { coldQubit, coldTruth, only } from '../../../support/tuning/cold-qubit.ts'
import { failing } from '../../../support/tuning/failing-routine.ts'
import { combinations, RUNS_WHOLE } from '../../../support/whole.ts'

const SEED = 5
const HAND = -1
/** Largest difference of the fidelity of a readout from what its device file says. */
const TOLERANCE = 0.02
const READOUT = ['ro_two_state_optimization', 'ro_duration_optimization', 'two_state_discrimination']
/** What the gate leaves out takes half of the time of a calibration. */
const ONLY_WHOLE = /12|_2$|three_state/
const OF_QUBITS = BUILT_IN_ROUTINES.filter(
  ({ kind, isBenchmark, name }) => kind !== 'edge' && !isBenchmark && (RUNS_WHOLE || !ONLY_WHOLE.test(name)),
)
/** The gate runs those of the readout on a calibrated qubit. */
const chosen = OF_QUBITS.filter(({ name }) => RUNS_WHOLE || READOUT.includes(name))

const WAYS: Record<string, (routine: Routine) => { config?: string; routine?: Routine }> = {
  fails: (routine) => ({ routine: failing(routine, 'no_signal') }),
  'times out': (routine) => ({ routine: failing(routine, 'timeout') }),
  'is disabled': ({ name }) => ({ config: `routines: {${name}: {enabled: false}}\n` }),
  'is pinned': ({ writes, optionalWrites }) => ({
    // The other form of the derivative, which this element does not have.
    config: `pin: {q0: [${[...writes, ...optionalWrites].filter((path) => path !== 'rxy.beta').join(', ')}]}\n`,
  }),
}

/** A calibrated qubit, and its chip as its resonator has shifted since by a quarter of its line. */
const calibrated = (async () => {
  using folder = temporaryFolder()
  const truth = coldTruth(SEED, HAND)
  const qubit = coldQubit(folder.path, truth)
  const routines = RUNS_WHOLE ? BUILT_IN_ROUTINES : only(OF_QUBITS)
  const { status, errors, notes } = await qubit.calibrate('full', '', routines)
  expect([status, errors]).toEqual(['success', []])
  // Neither of what the run only assumes, nor of a discriminator beside the one in use.
  expect(notes?.filter((note) => /conflict|measure\.acq_rotation/.test(note))).toEqual([])
  const { q0 } = truth.qubits
  if (!q0) throw new Error('the chip has no q0')
  q0.readout.frequency += q0.readout.linewidth / 4
  const [text, provenance] = [qubit.devicePath, provenancePathOf(qubit.devicePath)].map((path) =>
    readFileSync(path, 'utf8'),
  )
  return { truth, text: text ?? '', provenance: provenance ?? '' }
})()

/** What a device file promises of a readout and what it does. */
async function readoutOf(qubit: ReturnType<typeof coldQubit>) {
  const file = readDeviceFile(readFileSync(qubit.devicePath, 'utf8'))
  if ('problems' in file) throw new Error(file.problems.join('\n'))
  const [element] = file.chip.qubits
  if (!element) throw new Error('no q0')
  const provenance = Provenance.read(qubit.devicePath)
  const reader = only(BUILT_IN_ROUTINES.filter(({ name }) => name === 'readout_fidelity'))
  const { benchmarks } = await qubit.calibrate('fidelity_check', '', reader)
  return {
    error: benchmarks?.[0]?.error ?? 0.5,
    promised: qualityOf(element, provenance).readout_error,
    warnings: staleValuesOf(element, provenance).length,
  }
}

test.each(combinations(chosen, Object.keys(WAYS)).map(([routine, way]) => [routine.name, way] as const))(
  'a qubit reads as its device file says, or warns, when %s %s',
  async (name, way) => {
    const { truth, text } = await calibrated
    using folder = temporaryFolder()
    const qubit = coldQubit(folder.path, truth, text)
    const routines = RUNS_WHOLE ? OF_QUBITS : chosen
    const broken = routines.find((each) => each.name === name)
    if (!broken) throw new Error(`no routine ${name}`)
    const { config = '', routine = broken } = WAYS[way]?.(broken) ?? {}
    await qubit.calibrate('full', config, only(routines.map((each) => (each === broken ? routine : each))))
    const { error, promised = Number.NaN, warnings } = await readoutOf(qubit)
    if (warnings === 0) expect(Math.abs(error - promised)).toBeLessThan(TOLERANCE)
    // A readout that warns promises nothing.
    if (name === 'two_state_discrimination') expect([warnings > 0, promised]).toEqual([true, Number.NaN])
  },
  60_000,
)

/** Values, by how much they are off, and the routine whose check says so. */
const OFF: [string, number, string][] = [
  ['fine.amp90', 1.15, 'n_rabi_oscillations'],
  ['measure.acq_delay', 1.3, 'time_of_flight'],
  ['clock_freqs.readout', 1.001, 'resonator_spectroscopy'],
]
const ALL_OFF: typeof OFF = [
  ...[0.7, 0.9, 0.97, 0.99, 1.01, 1.03, 1.1, 1.3].flatMap((factor): typeof OFF => [
    ['fine.amp90', factor, 'n_rabi_oscillations'],
    ['rxy.amp180', factor, Math.abs(factor - 1) < 0.05 ? 'n_rabi_oscillations' : 'rabi_oscillations'],
    [
      'r12.ef_amp180',
      factor,
      Math.abs(factor - 1) < 0.05 ? 'n_rabi_12_oscillations' : 'rabi_oscillations_12',
    ],
  ]),
  ['rxy.motzoi', 1.3, 'motzoi_parameter'],
  ['measure.acq_delay', 0.7, 'time_of_flight'],
  ['measure_2state.acq_rotation', 1.3, 'two_state_discrimination'],
  ...[1.00001, 1.0001].map((factor): (typeof OFF)[number] => [
    'clock_freqs.f01',
    factor,
    'ramsey_correction',
  ]),
]

/** The calibrated qubit with a value of its file times a factor. */
async function qubitWith(folder: string, path: string, factor: number) {
  const { text, provenance } = await calibrated
  const [submodule = '', key = ''] = path.split('.')
  const place = new RegExp(`(^  ${submodule}: .*?\\b${key}: )([^,}]+)`, 'm')
  const before = Number(place.exec(text)?.[2])
  const off = text.replace(place, (_, start) => `${start}${(before * factor).toPrecision(12)}`)
  const qubit = coldQubit(folder, coldTruth(SEED, HAND), off)
  writeFileSync(provenancePathOf(qubit.devicePath), provenance)
  return { qubit, before }
}

/**
 * Values that somebody changes, and what measures them again. No check sees windows, whose best is flat, nor
 * small changes of the amplitudes of readout.
 */
const BY_HAND: [string, number, string][] = [
  ['measure_2state.integration_time', 0.7, 'ro_duration_optimization'],
  ['measure_2state.integration_time', 1.3, 'ro_duration_optimization'],
  ['measure.integration_time', 0.7, 'ro_duration_optimization'],
  ['measure.integration_time', 1.3, 'ro_duration_optimization'],
  ...[0.7, 0.9, 0.97, 0.99, 1.01, 1.03, 1.1, 1.3].flatMap((factor): [string, number, string][] => [
    ['measure.pulse_amp', factor, 'punchout'],
    ['measure_2state.pulse_amp', factor, 'ro_two_state_optimization'],
    ['measure_3state.pulse_amp', factor, 'three_state_discrimination'],
  ]),
]

test.each(BY_HAND.slice(0, RUNS_WHOLE ? BY_HAND.length : 1))(
  'a partial calibration names and measures %s again that somebody has changed, times %p, by %s',
  async (path, factor, name) => {
    using folder = temporaryFolder()
    const { qubit, before } = await qubitWith(folder.path, path, factor)
    const { status, notes, routines } = await qubit.calibrate('partial', '', only(OF_QUBITS))
    expect(notes?.filter((note) => note.includes(`${path} (changed by hand)`))).toHaveLength(1)
    const ran = routines?.map(({ routine }) => routine) ?? []
    expect([status, ran.includes(name)]).toEqual(['success', true])
    // What assigns shots follows the readout of two states.
    if (path !== 'measure.pulse_amp' && !path.startsWith('measure_3state'))
      expect(ran).toContain('two_state_discrimination')
    expect(Math.abs((await qubit.value(path)) / before - 1)).toBeLessThan(0.2)
    const { error, promised = Number.NaN, warnings } = await readoutOf(qubit)
    expect([Math.abs(error - promised) < TOLERANCE, warnings]).toEqual([true, 0])
  },
  60_000,
)

test.each(RUNS_WHOLE ? [...OFF, ...ALL_OFF] : OFF.slice(0, 1))(
  'a partial calibration sees and mends %s times %p, by %s',
  async (path, factor, name) => {
    using folder = temporaryFolder()
    const { qubit, before } = await qubitWith(folder.path, path, factor)
    const { notes } = await qubit.calibrate('partial', '', only(OF_QUBITS))
    expect(notes?.filter((note) => note.startsWith(`q0: check of ${name} out by`))).toHaveLength(1)
    expect(Math.abs((await qubit.value(path)) / before - 1)).toBeLessThan(Math.abs(factor - 1) / 4)
  },
  60_000,
)

test.each([2, -2, 6, -6, 1, -1].slice(0, RUNS_WHOLE ? 6 : 1))(
  'a full calibration finds the pulses of a drive line that has changed by %p dB',
  async (dB) => {
    const { text } = await calibrated
    using folder = temporaryFolder()
    const truth = coldTruth(SEED, HAND)
    const { q0 } = truth.qubits
    if (!q0) throw new Error('the chip has no q0')
    q0.rabi *= 10 ** (dB / 20)
    const qubit = coldQubit(folder.path, truth, text)
    const pulses = ['rabi_oscillations', 'n_rabi_oscillations', 'randomized_benchmarking']
    const routines = RUNS_WHOLE
      ? BUILT_IN_ROUTINES
      : BUILT_IN_ROUTINES.filter(({ name }) => pulses.includes(name))
    const { status, errors, benchmarks } = await qubit.calibrate('full', '', only(routines))
    expect([status, errors]).toEqual(['success', []])
    const rb = benchmarks?.find(({ protocol }) => protocol === 'randomized_benchmarking')
    expect(rb?.fidelity).toBeGreaterThan(0.999)
  },
  60_000,
)
