import { expect, test } from 'bun:test'
import * as v from 'valibot'
import { description } from '../../../../../ui/api/model/qpus/chip.ts'
import { limitsOf, tooManyQubits } from '../../../../../ui/pages/jobs/edit/qpu-state.ts'

const CHIP = { qubits: [{ name: 'q0' }, { name: 'q1' }] }

/** Problems of a program with three qubits on a QPU that describes itself so. */
function problemsOf(described: object): string[] {
  const parsed = { ...v.parse(description, described), num_qubits: 2 }
  return tooManyQubits(3, limitsOf({ name: 'kelvin', description: parsed })).map(({ text }) => text)
}

test('the form of a job refuses the qubits that the server refuses', () => {
  const refused = ['The program declares 3 qubits; kelvin has 2']
  expect(problemsOf(CHIP)).toEqual(refused)
  expect(problemsOf({ limits: { qubits: 2 } })).toEqual(refused)
  expect(problemsOf({ ...CHIP, limits: { qubits: 3 } })).toEqual([])
  expect(problemsOf({ simulator: true })).toEqual([])
})
