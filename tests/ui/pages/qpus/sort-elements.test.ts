import { expect, test } from 'bun:test'
import { sortElements } from '../../../../ui/pages/qpus/sort-elements.ts'
import type { Element } from '../../../../ui/plots/chip/chip.ts'

function element(name: string, t1?: number): Element {
  const reading = { error: null, at: '', routine: '', element: '', parameter: '' }
  const readings = new Map(t1 === undefined ? [] : [['t1', { value: t1, ...reading }]])
  return { name, qubits: [0], operational: true, readings }
}

const chip = [element('q10', 3), element('q2'), element('q1', 5)]
const order = (by: string) => sortElements(chip, by).map(({ name }) => name)

test('elements are sorted by a value, those without it last in both directions', () => {
  expect(order('t1')).toEqual(['q10', 'q1', 'q2'])
  expect(order('-t1')).toEqual(['q1', 'q10', 'q2'])
})

test('names are sorted by their numbers; no order keeps that of the chip', () => {
  expect(order('name')).toEqual(['q1', 'q2', 'q10'])
  expect(order('-name')).toEqual(['q10', 'q2', 'q1'])
  expect(order('')).toEqual(['q10', 'q2', 'q1'])
})
