import { describe, expect, spyOn, test } from 'bun:test'
import { createSimulatedChip } from '../../../../src/devices/bench/simulated/simulated-chip.ts'
import type { ChipTruth } from '../../../../src/devices/bench/simulated/truth/chip-truth.ts'
import type { CalibrationRequest } from '../../../../src/devices/define-device.ts'
import { BUILT_IN_ROUTINES } from '../../../../src/devices/tuning/routines/index.ts'
import { FakeClock } from '../../../support/fake-clock.ts'
import { EPOCH, quietTruth } from '../../../support/simulated-chip/chips.ts'
import { piAmplitude, qubitOf } from '../../../support/simulated-chip/experiments.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'
import { calibrationRuns } from '../../../support/tuning/calibration-runs.ts'
import { LONG_LIVED, RESET_S } from '../../../support/tuning/long-lived-qubit.ts'

/** The device file of a calibrated row of qubits, each coupled to the next. */
function deviceFileOf(truth: ChipTruth, reset: number): string {
  const qubits = Object.keys(truth.qubits).map((name) => {
    const qubit = qubitOf(truth, name)
    const { readout, f01 } = qubit
    return `${name}:
  element_type: {path: svc.CalibratedTransmon, args: [${name}], kwargs: {}}
  reset: {duration: ${reset}}
  rxy: {amp180: ${piAmplitude(qubit)}, duration: 56.0e-9}
  measure: {pulse_amp: ${0.3 * readout.critical_amplitude}, pulse_duration: 3.0e-6, acq_delay: 3.0e-7, integration_time: 2.5e-6}
  clock_freqs: {f01: ${f01.toExponential(12)}, readout: ${(readout.frequency + readout.pulls[0] / 2).toExponential(12)}}
`
  })
  const edges = Object.keys(truth.edges).map(
    (name) =>
      `${name}:\n  element_type: {path: svc.CompositeSquareEdge, args: [${name.split('_').join(', ')}], kwargs: {}}\n`,
  )
  return [...qubits, ...edges].join('')
}

async function runOn(
  truth: ChipTruth,
  routines: readonly string[],
  config: string,
  mode: CalibrationRequest['mode'] = 'full',
  reset = 5e-4,
) {
  using folder = temporaryFolder()
  const { run, text } = calibrationRuns(folder.path, deviceFileOf(truth, reset))
  const instrument = createSimulatedChip({ truth, clock: new FakeClock(Date.parse(EPOCH)) })
  const play = spyOn(instrument, 'run')
  const chosen = BUILT_IN_ROUTINES.filter(({ name }) => routines.includes(name))
  const findings = await run({
    ...{ config, mode },
    routines: chosen.map((routine) => ({
      ...routine,
      dependsOn: routine.dependsOn.filter((name) => routines.includes(name)),
    })),
    setup: { instrument },
  })
  return { findings, text: text(), programs: play.mock.calls.map(([program]) => program) }
}

test('a fidelity check of the default sizes ends with fidelities', async () => {
  const truth = { ...quietTruth(1, 21), shots_noise: true }
  const { findings } = await runOn(truth, ['randomized_benchmarking'], '', 'fidelity_check')
  expect(findings.errors).toEqual([])
  expect(findings.benchmarks?.[0]?.fidelity).toBeGreaterThan(0.9)
})

describe('targets that are calibrated together on a chip', () => {
  test('have the results of those calibrated one by one, bit for bit, when nothing couples them', async () => {
    const truth = { ...quietTruth(3, 21), shots_noise: true }
    // A discriminator is found with the tones of the whole line: those of a line never run together.
    const routines = ['rabi_oscillations', 'ramsey_correction', 't1', 'ro_duration_optimization']
    const together = 'parallel: {enabled: true}\n'
    const [alone, grouped] = [await runOn(truth, routines, ''), await runOn(truth, routines, together)]
    const numbers = ({ findings }: typeof alone) =>
      findings.routines
        ?.map(({ routine, target, status, parameters, quality, fit, error }) => {
          return { key: `${routine} ${target}`, status, parameters, quality, fit, error }
        })
        .sort((one, other) => one.key.localeCompare(other.key))
    expect(numbers(grouped)).toEqual(numbers(alone) as never)
    expect(grouped.text).toBe(alone.text)
    expect(alone.findings.errors).toEqual([])
  }, 30_000)

  test('run as one program, however long their analyses take and their shots wait', async () => {
    const truth = quietTruth(3, 21)
    // Both wait longer than their file says, one a little more than the other.
    for (const [name, t1] of [
      ['q0', 140e-6],
      ['q2', 150e-6],
    ] as const)
      qubitOf(truth, name).t1 = t1
    const routines = ['rabi_oscillations', 'ramsey_correction', 't1', 't2_echo']
    const { findings, programs } = await runOn(truth, routines, 'parallel: {enabled: true}\n')
    const apart = programs.filter(({ labels, points }) => {
      const read = new Set(points.flatMap(({ acquisitions }) => acquisitions.map(({ qubit }) => qubit)))
      return [labels?.['targets']].flat().length === 2 && read.size < 2
    })
    expect(findings.errors).toEqual([])
    expect(apart.map(({ labels }) => labels?.['routine'])).toEqual([])
  })

  test('are read at the same time in each point, however long each waits before', async () => {
    const truth = quietTruth(3, 21)
    for (const line of Object.values(truth.readout_lines)) line.crosstalk = 0.05
    // Nearly equal windows: the readouts of their first points would overlap, those of the last ones not.
    const coherence = { q0: { t1: 54e-6, t2_echo: 20e-6 }, q2: { t1: 57e-6, t2_echo: 21e-6 } }
    for (const [name, times] of Object.entries(coherence)) Object.assign(qubitOf(truth, name), times)
    const routines = ['rabi_oscillations', 'ramsey_correction', 't1', 't2_echo']
    const { findings } = await runOn(truth, routines, 'parallel: {enabled: true}\n')
    expect(findings.errors).toEqual([])
    for (const [name, times] of Object.entries(coherence)) {
      for (const [routine, truly] of Object.entries(times)) {
        const found = findings.routines?.find((each) => each.routine === routine && each.target === name)
        const value = Number(found?.parameters?.[`coherence.${routine}`]?.value)
        expect(Math.abs(value / truly - 1)).toBeLessThan(0.1)
      }
    }
  })

  test('begin their shots with a reading that no tone of another qubit shifts', async () => {
    const truth = { ...quietTruth(3, 21), shots_noise: true }
    for (const line of Object.values(truth.readout_lines)) line.crosstalk = 0.05
    for (const name of ['q0', 'q2']) Object.assign(qubitOf(truth, name), LONG_LIVED)
    const routines = ['rabi_oscillations', 'ramsey_correction', 't2']
    const config = 'parallel: {enabled: true}\n'
    const { findings, programs } = await runOn(truth, routines, config, 'full', RESET_S)
    expect(findings.errors).toEqual([])
    const read = programs
      .filter(({ kind }) => kind === 'shots')
      .flatMap(({ points }) =>
        points.map(({ acquisitions }) => new Set(acquisitions.map(({ qubit }) => qubit))),
      )
    expect(Math.max(...read.map(({ size }) => size))).toBe(1)
    const began = findings.notes?.filter((note) => note.includes('began with a reading in 0'))
    expect(began?.map((note) => note.slice(0, 2))).toEqual(expect.arrayContaining(['q0', 'q2']))
    for (const name of ['q0', 'q2']) {
      const found = (routine: string) =>
        findings.routines?.find((each) => each.routine === routine && each.target === name)?.parameters
      const t2 = Number(found('t2')?.['coherence.t2_star']?.value)
      expect(Math.abs(t2 / LONG_LIVED.t2_star - 1)).toBeLessThan(0.25)
      const f01 = found('ramsey_correction')?.['clock_freqs.f01']
      expect(Math.abs(Number(f01?.value) - qubitOf(truth, name).f01)).toBeLessThan(5 * Number(f01?.error))
    }
  })

  test('pay for the leak of each other’s drive, which the report shows', async () => {
    const truth = quietTruth(2, 21)
    // Near enough for the drive of one to turn the other.
    qubitOf(truth, 'q1').f01 = qubitOf(truth, 'q0').f01 + 15e6
    for (const edge of Object.values(truth.edges)) edge.drive_leak = [0.1, 0.1]
    const config = `routines: {randomized_benchmarking: {depths: [1, 8, 32, 96], seeds: 6}}
parallel: {enabled: true, qubit_spacing: 1, measure_penalty: true}
`
    const { findings } = await runOn(truth, ['randomized_benchmarking'], config)
    // The end of the run says so, too, of each of them.
    for (const error of findings.errors ?? [])
      expect(error).toMatch(/^q[01] (simultaneous_rb: simultaneous_error|drive_crosstalk: drive_crosstalk) /)
    expect(findings.benchmarks).toHaveLength(2)
    for (const { parallel_penalty: penalty } of findings.benchmarks ?? [])
      expect(penalty).toBeGreaterThan(1e-3)
  }, 30_000)
})

test('two coupled qubits that no pulse tells apart are not a success, and both are named', async () => {
  const truth = { ...quietTruth(2, 21), shots_noise: true }
  qubitOf(truth, 'q1').f01 = qubitOf(truth, 'q0').f01 + 0.4e6
  for (const edge of Object.values(truth.edges)) edge.drive_leak = [0.05, 0.05]
  const { findings } = await runOn(truth, ['ramsey_correction', 'randomized_benchmarking'], '')
  expect(findings.status).toBe('partial_failure')
  const text = /collision f01 of q0 and f01 of q1 are 0\.[34]\d* MHz apart, less than 10 MHz/
  const collisions = findings.errors?.filter((error) => text.test(error))
  expect(collisions?.map((error) => error.slice(0, 2))).toEqual(['q0', 'q1'])
  for (const code of ['drive_crosstalk: drive_crosstalk', 'simultaneous_rb: simultaneous_error'])
    expect(
      findings.errors?.filter((error) => error.includes(` ${code} `)).map(([q, at]) => `${q}${at}`),
    ).toEqual(['q0', 'q1'])
  expect(
    findings.notes?.filter((note) => /^as (found|the device file had it), f01 of q0/.test(note)),
  ).toHaveLength(2)
}, 30_000)
