import { describe, expect, test } from 'bun:test'
import { readDeviceFile } from '../../../../src/devices/chip/device-file.ts'
import { chipValuesOf } from '../../../../src/devices/tuning/chip-values.ts'
import { orderGraph } from '../../../../src/devices/tuning/plan/graph.ts'
import { planFull, planRoutine } from '../../../../src/devices/tuning/plan/planner.ts'
import { ROUTINES } from '../../../../src/devices/tuning/routine-names.ts'
import { BUILT_IN_ROUTINES } from '../../../../src/devices/tuning/routines/index.ts'

const COUPLER =
  '{element_type: {path: a.FluxTunableCoupler, args: [q0, q1]}, clock_freqs: {cz: 3.0e+8}, bias: {source: spi}}'
const BARE = '{element_type: {path: a.CompositeSquareEdge, args: [q0, q1]}}'

/** The routines that a pair of qubits declines, in the order of their numbers, and how many run. */
function declinedBy(qubit: string, edge: string, isMissing: (path: string) => boolean = () => false) {
  const qubits = ['q0', 'q1'].map((name) => `${name}: {element_type: {path: a.${qubit}, args: [${name}]}}\n`)
  const file = readDeviceFile(`${qubits.join('')}q0_q1: ${edge}\n`)
  if ('problems' in file) throw new Error(file.problems.join())
  const chip = chipValuesOf(file.chip)
  const { nodes, skipped } = planFull({
    ...{
      routines: orderGraph(BUILT_IN_ROUTINES),
      qubits: chip.qubits,
      edges: ['q0_q1'],
      isEnabled: () => true,
    },
    chip: { ...chip, has: (name, path) => !isMissing(path) && chip.has(name, path) },
  })
  const names = new Set(skipped.map(({ routine }) => routine))
  expect(skipped.every(({ reason }) => reason === 'declined')).toBe(true)
  return {
    declined: ROUTINES.map(({ name }): string => name).filter((name) => names.has(name)),
    running: nodes.length,
  }
}

const OF_SECOND_EXCITED = [
  ...['rabi_oscillations_12', 'ramsey_correction_12', 'motzoi_12_parameter', 'n_rabi_12_oscillations'],
  ...['resonator_spectroscopy_2', 'three_state_discrimination'],
]

describe('the routines that run', () => {
  test('are all 33 where the elements have everything', () => {
    expect(declinedBy('CalibratedTransmon', COUPLER)).toEqual({
      declined: [],
      running: BUILT_IN_ROUTINES.length,
    })
  })

  test('are 22 on stock qubits, which have no place for the results of some', () => {
    const withoutPlace = ['t1', 't2', 't2_echo', 'resonator_spectroscopy_1']
    expect(declinedBy('BasicTransmonElement', COUPLER)).toEqual({
      declined: [...withoutPlace, 'ro_two_state_optimization', ...OF_SECOND_EXCITED],
      running: 22,
    })
  })

  test('include one that is asked for by name', () => {
    const file = readDeviceFile('q0: {element_type: {path: a.BasicTransmonElement, args: [q0]}}\n')
    if ('problems' in file) throw new Error(file.problems.join())
    const chip = chipValuesOf(file.chip)
    const routines = orderGraph(BUILT_IN_ROUTINES)
    const input = { routines, chip, qubits: chip.qubits, edges: [], isEnabled: () => true }
    const t1 = routines.find(({ name }) => name === 't1')
    if (!t1) throw new Error('there is no t1')
    expect(planRoutine(input, t1, ['q0']).nodes).toHaveLength(1)
    const { nodes, skipped } = planFull(input)
    expect(nodes.map(({ routine }) => routine.name)).not.toContain('t1')
    expect(skipped).toContainEqual({
      routine: 't1',
      target: 'q0',
      reason: 'declined',
      detail: 'needs coherence.t1',
    })
  })

  test('are those without state 2 where there is no r12', () => {
    const { declined } = declinedBy('CalibratedTransmon', COUPLER, (path) => path.startsWith('r12'))
    expect(declined).toEqual(OF_SECOND_EXCITED)
  })

  test('leave out the current of a coupler without bias, and the gate of an edge without cz', () => {
    const withGate = COUPLER.replace(', bias: {source: spi}', '')
    expect(declinedBy('CalibratedTransmon', withGate).declined).toEqual(['coupler_anticrossing'])
    const { declined } = declinedBy('CalibratedTransmon', BARE, (path) => path.startsWith('cz'))
    expect(declined).toEqual(ROUTINES.filter(({ kind }) => kind === 'edge').map(({ name }): string => name))
  })
})
