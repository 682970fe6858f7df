import { expect, test } from 'bun:test'
import * as v from 'valibot'
import { jobPayload, shortfallsOf } from '../../src/protocol/index.ts'

const { require } = jobPayload.entries
const NOW = Date.parse('2026-11-27T12:00:00Z')

test.each<[object, string | undefined]>([
  [{ readout_fidelity: '>0.97', two_qubit_error: '<0.01', calibrated_within: '2h' }, undefined],
  [{ readout_fidelity: '>= .5' }, undefined],
  [{ two_qubit_error: '<=0' }, undefined],
  [{}, 'Expected at least one condition'],
  [{ readout_fidelity: '0.97' }, 'Expected > or >= and a number from 0 to 1, such as ">0.97"'],
  [{ readout_fidelity: '<0.97' }, 'Expected > or >= and a number from 0 to 1, such as ">0.97"'],
  [{ readout_fidelity: '>97' }, 'Expected > or >= and a number from 0 to 1, such as ">0.97"'],
  [{ readout_fidelity: '>1' }, 'No value is beyond that; use >= or <='],
  [{ two_qubit_error: '<0.0' }, 'No value is beyond that; use >= or <='],
  [{ two_qubit_error: '>0.01' }, 'Expected < or <= and a number from 0 to 1, such as "<0.01"'],
  [{ calibrated_within: '2 hours' }, 'Expected a duration from 1m to 365d, such as "2h"'],
  [{ calibrated_within: '59s' }, 'Expected a duration from 1m to 365d, such as "2h"'],
  [{ calibrated_within: '366d' }, 'Expected a duration from 1m to 365d, such as "2h"'],
  [{ t1: '>20us' }, 'unknown key t1'],
])('a condition %p is refused with %p', (condition, message) => {
  const { issues } = v.safeParse(require, condition)
  expect(issues?.[0].message).toBe(message)
})

test('a part lacks what misses a limit or is not known, with the value that misses', () => {
  const condition = { readout_fidelity: '>0.975', two_qubit_error: '<=0.01', calibrated_within: '2h' }
  const at = (hours: number) => new Date(NOW - hours * 3_600_000).toISOString()
  const of = (kind: 'qubit' | 'pair', part: object) => shortfallsOf(kind, part, condition, NOW)
  expect(of('qubit', { readout_error: 0.02, calibrated_at: at(2) })).toEqual([])
  expect(of('pair', { error: 0.01, calibrated_at: at(0) })).toEqual([])
  // A clock that is ahead is no reason.
  expect(of('pair', { error: 0, calibrated_at: at(-1) })).toEqual([])
  expect(of('qubit', { readout_error: 0.025, calibrated_at: at(2.51) })).toEqual([
    'readout fidelity 0.9750 is not >0.975',
    'calibrated 150m ago, not within 2h',
  ])
  // Rounding never hides a limit.
  expect(of('qubit', { readout_error: 0.0250004, calibrated_at: at(1) })).toEqual([
    'readout fidelity 0.9750 is not >0.975',
  ])
  expect(of('pair', { error: 0.01000004, calibrated_at: at(1) })).toEqual([
    'two-qubit error 0.01000004 is not <=0.01',
  ])
  expect(of('pair', { readout_error: 0 })).toEqual([
    'its two-qubit error is not known',
    'it is not known when it was calibrated',
  ])
})
