import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  completeDescription,
  elementsOf,
  parseNames,
  targetNames,
  targetOf,
} from '../../../../ui/pages/calibrations/target-names.ts'
import { readChip } from '../../../../ui/plots/chip/chip.ts'

const NAMES = targetNames(undefined, [{ element: 'q10' }, { element: 'q2' }, { element: 'q2_q10' }])

test('targetNames() are those of the device and of earlier calibrations, in natural order', () => {
  expect(NAMES).toEqual({ qubits: ['q2', 'q10'], edges: ['q2_q10'] })
  const described = { qubits: [{ name: 'q3', operational: true }] }
  expect(targetNames(described, [{ element: 'q1' }]).qubits).toEqual(['q1', 'q3'])
})

test('a map has every qubit and edge that is known, also of a device that describes none', () => {
  const index = fc.integer({ min: 0, max: 12 })
  const pairs = fc.array(
    fc.tuple(index, index).filter(([one, other]) => one !== other),
    { maxLength: 12 },
  )
  fc.assert(
    fc.property(fc.array(index), pairs, (qubits, edges) => {
      const elements = [...qubits.map((at) => `q${at}`), ...edges.map(([one, other]) => `q${one}_q${other}`)]
      const names = targetNames(
        undefined,
        elements.map((element) => ({ element })),
      )
      const chip = readChip(completeDescription(undefined, names), [])
      const drawn = new Set([...chip.qubits, ...chip.couplers].map(({ name }) => name))
      for (const name of names.qubits) expect(drawn.has(name)).toBe(true)
      for (const name of names.edges) {
        const turned = name.split('_').toReversed().join('_')
        expect(drawn.has(name) || drawn.has(turned)).toBe(true)
      }
      const all = elementsOf([...chip.qubits, ...chip.couplers], names, [...names.qubits, ...names.edges])
      for (const name of names.qubits) expect(all.has(name)).toBe(true)
    }),
  )
})

test('an edge has the name that tuners know, whichever way it is drawn', () => {
  expect(targetOf(NAMES, 'q10_q2')).toBe('q2_q10')
  expect(targetOf(NAMES, 'q2_q10')).toBe('q2_q10')
  expect(targetOf(NAMES, 'q2')).toBe('q2')
  expect([...elementsOf([{ name: 'q10_q2' }, { name: 'q2' }], NAMES, ['q2_q10'])]).toEqual(['q10_q2'])
})

test('parseNames() reads names with commas or spaces', () => {
  expect(parseNames('q0, q1;q0\n q2_q3')).toEqual(['q0', 'q1', 'q2_q3'])
})
