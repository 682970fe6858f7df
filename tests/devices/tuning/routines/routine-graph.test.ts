import { describe, expect, test } from 'bun:test'
import { silentLog } from '../../../../src/base/index.ts'
import { createDummyInstrument } from '../../../../src/devices/bench/dummy.ts'
import type { Instrument } from '../../../../src/devices/bench/instrument.ts'
import { readDeviceFile } from '../../../../src/devices/chip/device-file.ts'
import { describedChipOf } from '../../../../src/devices/noise/noise-of-device-file.ts'
import { ScheduleBuilder } from '../../../../src/devices/pulse/builder.ts'
import type { Program } from '../../../../src/devices/pulse/schedule.ts'
import { chipValuesOf } from '../../../../src/devices/tuning/chip-values.ts'
import { orderGraph } from '../../../../src/devices/tuning/plan/graph.ts'
import { type Instance, keyOf } from '../../../../src/devices/tuning/plan/instances.ts'
import { scopeOfPartial } from '../../../../src/devices/tuning/plan/planner.ts'
import { BUILT_IN_ROUTINES } from '../../../../src/devices/tuning/routines/index.ts'
import { runChecks } from '../../../../src/devices/tuning/walk/checks.ts'
import { RunCurrents } from '../../../../src/devices/tuning/walk/run-currents.ts'
import { RunValues } from '../../../../src/devices/tuning/walk/run-values.ts'
import { FakeClock } from '../../../support/fake-clock.ts'
import { RecordingMover } from '../../../support/tuning/scripted.ts'

const BASIC = `  reset: {duration: 3.0e-4}
  rxy: {amp180: 0.4, motzoi: 0.1, duration: 5.6e-8}
  measure: {pulse_amp: 0.1, pulse_duration: 2.0e-6, acq_delay: 2.0e-7, integration_time: 1.8e-6, acq_rotation: 10.0, acq_threshold: 0.01}
  clock_freqs: {f01: 4.4e+9, f12: 4.2e+9, readout: 6.5e+9}
`
const REST = `  fine: {amp90: 0.2}
  spec: {amplitude: 0.01, amplitude_12: 0.01, duration: 4.0e-6}
  coherence: {t1: 5.0e-5, t2_star: 2.0e-5, t2_echo: 4.0e-5}
  resonator: {linewidth: 4.0e+5, readout_1: 6.4999e+9, readout_2: 6.4998e+9}
  r12: {ef_amp180: 0.3, ef_motzoi: 0.1, ef_duration: 5.6e-8}
  measure_2state: {frequency: 6.4999e+9, pulse_amp: 0.1, integration_time: 1.8e-6, acq_rotation: 10.0, acq_threshold: 0.01, assignment: [[0.98, 0.02], [0.04, 0.96]]}
  measure_3state: {frequency: 6.4999e+9, pulse_amp: 0.1, centroids: [[0, 0], [1, 0], [0, 1]], assignment: [[0.9, 0.05, 0.05], [0.05, 0.9, 0.05], [0.05, 0.05, 0.9]]}
`
const qubit = (name: string, type: string, rest: string) =>
  `${name}:\n  element_type: {path: svc.elements.${type}, args: [${name}], kwargs: {}}\n${rest}`
const STOCK = `${['q0', 'q1'].map((name) => qubit(name, 'BasicTransmonElement', BASIC)).join('')}q0_q1:
  element_type: {path: svc.elements.CompositeSquareEdge, args: [q0, q1], kwargs: {}}
  cz: {square_amp: 0.4, square_duration: 1.2e-7}
`
const FULL = `${['q0', 'q1'].map((name) => qubit(name, 'CalibratedTransmon', BASIC + REST)).join('')}q0_q1:
  element_type: {path: svc.elements.FluxTunableCoupler, kwargs: {parent_element_name: q0, child_element_name: q1}}
  clock_freqs: {cz: 3.1e+8}
  cz: {square_amp: 0.4, square_duration: 1.2e-7, parent_phase_correction: 10.0, child_phase_correction: -20.0}
  bias: {source: spi, spi_module: 2, spi_output: 0, parking_current: 1.0e-3, limit: 2.5e-3}
`
const ROUTINES = orderGraph(BUILT_IN_ROUTINES)
/** `end:` says on which element a path is read, not which one. */
const pathOf = (read: string) => read.replace(/^end:/, '')

function chipOf(text: string) {
  const file = readDeviceFile(text)
  if ('problems' in file) throw new Error(file.problems.join('\n'))
  return file.chip
}

/** The checks of a partial run, on the first qubit and the edge of a chip. */
function checkedOn(text: string): readonly Instance[] {
  const chip = chipValuesOf(chipOf(text))
  const edges = chip.edges.map(({ name }) => name)
  const input = { routines: ROUTINES, chip, qubits: chip.qubits, edges, isEnabled: () => true }
  return scopeOfPartial(input, ['q0']).checked.filter(({ target }) => target !== 'q1')
}

/** Runs checks on an instrument, and counts the programs that each of them played. */
async function runOn(text: string, nodes: readonly Instance[], instrument: Instrument) {
  const { signal } = new AbortController()
  const programs = new Map<string, number>()
  let at = ''
  const counting = {
    ...instrument,
    run: (program: Program, until: AbortSignal) => {
      programs.set(at, (programs.get(at) ?? 0) + 1)
      return instrument.run(program, until)
    },
  } as Instrument
  const results = await runChecks(
    nodes,
    {
      ...{ instrument: counting, values: new RunValues(chipValuesOf(chipOf(text))), clock: new FakeClock() },
      ...{ currents: new RunCurrents(new RecordingMover(['q0_q1']), 'run', signal), log: silentLog, signal },
      ...{ maxAttempts: 3, timeoutS: 900 },
      settingsOf: () => ({ axis: () => undefined, number: () => undefined }),
    },
    ({ routine, target }) => {
      at = keyOf(routine.name, target)
    },
  )
  return { results, programs }
}

/** An instrument whose every number is not one. */
function brokenInstrument(): Instrument {
  const zeros = createDummyInstrument()
  return {
    ...zeros,
    run: async (program, signal) => {
      const all = await zeros.run(program, signal)
      return all.map((point) =>
        point.map((one) =>
          'i' in one
            ? { i: one.i.fill(Number.NaN), q: one.q.fill(Number.NaN) }
            : { re: Number.NaN, im: Number.NaN },
        ),
      ) as never
    },
  }
}

describe('the check of', () => {
  const cases = [
    ...checkedOn(STOCK).map((node) => ['a stock element', STOCK, node] as const),
    ...checkedOn(FULL).map((node) => ['a full element', FULL, node] as const),
  ].map(([kind, text, node]) => [node.routine.name, kind, text, node] as const)

  test.each(cases)('%s plays programs that an instrument accepts on %s', async (_name, _kind, text, node) => {
    const key = keyOf(node.routine.name, node.target)
    const { results, programs } = await runOn(text, [node], createDummyInstrument())
    expect(programs.get(key)).toBeGreaterThan(0)
    const result = results.get(key)
    expect(JSON.stringify(result)).not.toMatch(/not_set|not_playable|Error|undefined/)
  })

  test.each(cases)('%s decides nothing without a signal on %s', async (_name, _kind, text, node) => {
    for (const instrument of [createDummyInstrument(), brokenInstrument()]) {
      const { results } = await runOn(text, [node], instrument)
      expect([...results.values()]).toEqual([{ state: 'unknown', reason: expect.stringMatching(/^\w+: /) }])
    }
  })
})

describe('a parameter that a routine writes', () => {
  /** What jobs read of a full chip: their pulses, and the noise model of a simulator. */
  function readByJobs(): Set<string> {
    const chip = chipOf(FULL)
    const values = new RunValues(chipValuesOf(chip))
    const paths = new Set<string>()
    const number = (element: string, path: string) => {
      paths.add(path)
      return values.number(element, path)
    }
    const builder = new ScheduleBuilder({ number, ends: (edge) => values.ends(edge) })
    builder
      .rotate('q0', Math.PI)
      .rotate('q0', Math.PI / 2)
      .rotate12('q0', Math.PI)
      .cz('q0_q1')
    for (const point of ['measure', 'measure_2state', 'measure_3state'] as const)
      builder.measure('q0', { point })
    // Of values that stand in for each other, the second is read where the first is absent.
    for (const hasValues of [true, false]) {
      const recorded = <Element extends { get(path: never): unknown }>(element: Element): Element => ({
        ...element,
        get: (path: never) => {
          paths.add(path)
          return hasValues ? element.get(path) : undefined
        },
      })
      describedChipOf({ ...chip, qubits: chip.qubits.map(recorded), edges: chip.edges.map(recorded) })
    }
    // Drivers hold this current while jobs run.
    return paths.add('bias.parking_current')
  }

  const jobs = readByJobs()
  const written = ROUTINES.flatMap((routine, at) =>
    [...routine.writes, ...routine.optionalWrites].map((path) => [path, routine.name, at] as const),
  )

  test.each(written)('%s by %s is read by a later routine, a job or a check', (path, name, at) => {
    const later = ROUTINES.filter((routine, index) => index > at || (routine.name === name && routine.check))
    const readers = later.filter(({ reads, priors }) => [...reads, ...priors].map(pathOf).includes(path))
    expect(readers.length > 0 || jobs.has(path)).toBe(true)
  })
})
