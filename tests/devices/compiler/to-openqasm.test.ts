import { expect, test } from 'bun:test'
import { decompose } from '../../../src/devices/compiler/decompose/decompose.ts'
import { toNative } from '../../../src/devices/compiler/decompose/native.ts'
import { place } from '../../../src/devices/compiler/levels.ts'
import { toOpenQasm } from '../../../src/devices/compiler/to-openqasm.ts'
import { lowerProgram, parseProgram } from '../../../src/qasm/index.ts'
import { line } from './support/couplings.ts'
import { outcomeProbabilities, totalVariation } from './support/exact.ts'
import { randomCircuit } from './support/random-circuit.ts'

const read = (text: string) => lowerProgram(parseProgram(text), []).ops ?? []

test('toOpenQasm() writes a program with the same outcomes', () => {
  for (const level of [0, 1, 2] as const) {
    const { qubits, ops } = randomCircuit(11 + level, 5)
    const { steps } = place({ steps: decompose(ops), qubits, fixed: new Map(), coupling: line(6) }, level)
    const text = toOpenQasm(toNative(steps), qubits)
    expect(totalVariation(outcomeProbabilities(read(text)), outcomeProbabilities(ops))).toBeLessThan(1e-9)
  }
})

test('toOpenQasm() writes every other operation', () => {
  const text = 'delay[20ns] $1; reset $0; barrier $0, $1; c[1] = measure $0;'
  const ops = read(`OPENQASM 3.0; bit[2] c; ${text}`)
  const written = toOpenQasm(toNative(decompose(ops)), 2)
  expect(written.split('\n').slice(2)).toEqual([
    'bit[2] c;',
    'delay[20ns] $1;',
    'reset $0;',
    'barrier $0, $1;',
    'c[1] = measure $0;',
    '',
  ])
  expect(toOpenQasm(toNative(decompose(read(written))), 2)).toBe(written)
})
