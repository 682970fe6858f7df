import { expect, test } from 'bun:test'
import { chunksOf } from '../../../../src/devices/compiler/schedule/chunks.ts'
import type { Schedule } from '../../../../src/devices/pulse/schedule.ts'

function reading(...qubits: string[]): Schedule {
  const windows = qubits.map((qubit, at) => ({
    at,
    duration: 1,
    port: `${qubit}:res` as const,
    frequency: 6e9,
    qubit,
  }))
  return { duration: qubits.length, pulses: [], acquisitions: windows }
}

test('chunksOf() leaves splitting by bins to the instrument', () => {
  expect(chunksOf(300_000, reading('q0', 'q1'))).toEqual([300_000])
  expect(chunksOf(5, reading())).toEqual([5])
})

test('chunksOf() fits what an instrument keeps of one program', () => {
  const many = Array.from({ length: 100 }, (_, index) => `q${index}`)
  expect(chunksOf(100_000, reading(...many))).toEqual([80_000, 20_000])
})
