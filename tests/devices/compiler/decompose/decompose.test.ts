import { describe, expect, test } from 'bun:test'
import { decompose } from '../../../../src/devices/compiler/decompose/decompose.ts'
import { onBoth, product } from '../../../../src/devices/compiler/decompose/matrix.ts'
import { toNative } from '../../../../src/devices/compiler/decompose/native.ts'
import { QELIB1, STDGATES } from '../../../../src/qasm/gates/library.ts'
import { lowerProgram, type Op, parseProgram, ryMatrix } from '../../../../src/qasm/index.ts'
import { createRng, type Rng } from '../../../../src/simulator/index.ts'
import { distance, unitaryOf } from '../support/unitary.ts'

/** The operations of statements on a register q. */
function opsOf(version: 2 | 3, qubits: number, ...statements: string[]): Op[] {
  const head =
    version === 2
      ? `OPENQASM 2.0; include "qelib1.inc"; qreg q[${qubits}];`
      : `OPENQASM 3.0; include "stdgates.inc"; qubit[${qubits}] q;`
  return lowerProgram(parseProgram([head, ...statements].join('\n')), []).ops ?? []
}

function czsOf(ops: readonly Op[]): number {
  return toNative(decompose(ops)).filter(({ kind }) => kind === 'cz').length
}

function error(qubits: number, ops: readonly Op[]): number {
  return distance(unitaryOf(qubits, toNative(decompose(ops))), unitaryOf(qubits, ops))
}

function shuffled(count: number, rng: Rng): number[] {
  const order = Array.from({ length: count }, (_, index) => index)
  for (let at = count - 1; at > 0; at--) {
    const other = Math.floor(rng.next() * (at + 1))
    ;[order[at], order[other]] = [order[other] ?? 0, order[at] ?? 0]
  }
  return order
}

/** A call of a gate on shuffled qubits, with random angles. */
function callOf(name: string, parameters: number, operands: readonly number[], rng: Rng): string {
  const angles = Array.from({ length: parameters }, () => (rng.next() - 0.5) * 13)
  const list = parameters === 0 ? '' : `(${angles.join(', ')})`
  return `${name}${list} ${operands.map((qubit) => `q[${qubit}]`).join(', ')};`
}

/** A unitary that no gate has a name for, from rotations of random angles. */
function randomUnitary(targets: number[], rng: Rng): Op {
  const size = 2 ** targets.length
  const columns = Array.from({ length: size }, () =>
    Float64Array.from({ length: 2 * size }, () => rng.normal()),
  )
  for (const [index, column] of columns.entries()) {
    for (const earlier of columns.slice(0, index)) removePart(column, earlier)
    const norm = Math.hypot(...column)
    for (const at of column.keys()) column[at] = (column[at] ?? 0) / norm
  }
  const matrix = new Float64Array(2 * size * size)
  for (const [column, values] of columns.entries()) {
    for (let row = 0; row < size; row++) {
      matrix.set(values.subarray(2 * row, 2 * row + 2), 2 * (row * size + column))
    }
  }
  return { kind: 'unitary', targets, controls: [], controlValues: 0, matrix, name: 'random' }
}

function removePart(column: Float64Array, unit: Float64Array): void {
  let [re, im] = [0, 0]
  for (let at = 0; at < column.length; at += 2) {
    const [a = 0, b = 0, c = 0, d = 0] = [unit[at], unit[at + 1], column[at], column[at + 1]]
    re += a * c + b * d
    im += a * d - b * c
  }
  for (let at = 0; at < column.length; at += 2) {
    const [a = 0, b = 0] = [unit[at], unit[at + 1]]
    column[at] = (column[at] ?? 0) - (re * a - im * b)
    column[at + 1] = (column[at + 1] ?? 0) - (re * b + im * a)
  }
}

describe('decompose() keeps the unitary up to a global phase', () => {
  const libraries = [
    { version: 2, gates: QELIB1 },
    { version: 3, gates: STDGATES },
  ] as const
  for (const { version, gates } of libraries) {
    test(`every gate of OpenQASM ${version}, in every order of qubits`, () => {
      const rng = createRng(20 + version)
      for (const { name, parameters, qubits } of gates.values()) {
        for (let round = 0; round < 4; round++) {
          const call = callOf(name, parameters, shuffled(qubits, rng), rng)
          expect({ call, isEqual: error(qubits, opsOf(version, qubits, call)) <= 1e-9 }).toEqual({
            call,
            isEqual: true,
          })
        }
      }
    })
  }

  test('every gate under modifiers', () => {
    const rng = createRng(5)
    const modifiers = [
      'ctrl @',
      'negctrl @',
      'inv @',
      'pow(0.37) @',
      'pow(-3) @',
      'ctrl @ pow(0.5) @',
      'ctrl @ negctrl @',
    ]
    for (const { name, parameters, qubits } of STDGATES.values()) {
      for (const modifier of modifiers) {
        const operands = qubits + modifier.split('ctrl').length - 1
        const call = `${modifier} ${callOf(name, parameters, shuffled(operands, rng), rng)}`
        const isEqual = error(operands, opsOf(3, operands, call)) <= 1e-9
        expect({ call, isEqual }).toEqual({ call, isEqual: true })
      }
    }
  })

  test('random unitaries on one and two qubits, alone, under a control and in a row', () => {
    const rng = createRng(8)
    for (let round = 0; round < 150; round++) {
      const [one = 0, other = 0] = shuffled(3, rng)
      const single = randomUnitary([one], rng)
      const double = randomUnitary([one, other], rng)
      const control = 3 - one - other
      const controlled: Op = { ...double, controls: [control], controlValues: round % 2 } as Op
      for (const ops of [
        [single],
        [double],
        [controlled],
        [single, double, randomUnitary([control, one], rng)],
      ]) {
        expect(error(3, ops)).toBeLessThanOrEqual(1e-9)
      }
    }
  })
})

test('products of exchanges, CZ and rotations, whose interactions are of equal size', () => {
  const swap = new Float64Array(32)
  for (const at of [0, 12, 18, 30]) swap[at] = 1
  const cz = Float64Array.from({ length: 32 }, (_, at) => (at % 10 !== 0 ? 0 : at === 30 ? -1 : 1))
  const rng = createRng(5)
  const turn = () => ryMatrix((Math.PI / 4) * Math.floor(8 * rng.next()) + 0.3 * Math.floor(2 * rng.next()))
  for (let round = 0; round < 200; round++) {
    const factors = Array.from({ length: 1 + (round % 5) }, (_, at) =>
      at % 2 === 0 ? (rng.next() < 0.5 ? swap : cz) : onBoth(turn(), turn()),
    )
    const matrix = product(cz, ...factors)
    const op: Op = { kind: 'unitary', targets: [0, 1], controls: [], controlValues: 0, matrix, name: 'g' }
    expect(error(2, [op])).toBeLessThanOrEqual(1e-9)
  }
})

describe('decompose() uses few CZ', () => {
  const counts: readonly [czs: number, qubits: number, ...statements: string[]][] = [
    [0, 1, 'h q[0]; rz(0.3) q[0]; gphase(1);'],
    [1, 2, 'cz q[0], q[1];'],
    [1, 2, 'cx q[1], q[0];'],
    [1, 2, 'cy q[0], q[1];'],
    [1, 2, 'ch q[0], q[1];'],
    [1, 2, 'cp(pi) q[0], q[1];'],
    [1, 2, 'crx(pi) q[0], q[1];'],
    [1, 2, 'crz(-pi) q[0], q[1];'],
    [1, 2, 'negctrl @ x q[0], q[1];'],
    [1, 2, 'ctrl @ gphase(0.4) q[0]; cx q[0], q[1];'],
    [2, 2, 'cp(0.3) q[0], q[1];'],
    [2, 2, 'crz(0.3) q[0], q[1];'],
    [2, 2, 'cu(0.1, 0.2, 0.3, 0.4) q[0], q[1];'],
    [0, 2, 'cp(0) q[0], q[1];'],
    [0, 2, 'ctrl @ id q[0], q[1];'],
    [0, 2, 'crx(4*pi) q[0], q[1];'],
    [0, 2, 'crz(2*pi) q[0], q[1];'],
    [3, 2, 'swap q[0], q[1];'],
    [2, 2, 'pow(0.3) @ cx q[0], q[1];'],
    [3, 2, 'pow(0.5) @ swap q[0], q[1];'],
    [6, 3, 'ccx q[2], q[0], q[1];'],
    [6, 3, 'ctrl @ cz q[2], q[0], q[1];'],
    [4, 3, 'ctrl @ ctrl @ rz(0.3) q[2], q[0], q[1];'],
    [14, 4, 'ctrl @ ccx q[2], q[0], q[1], q[3];'],
  ]
  for (const [czs, qubits, ...statements] of counts) {
    test(`${czs} for ${statements.join(' ')}`, () => {
      const ops = opsOf(3, qubits, ...statements)
      expect(czsOf(ops)).toBe(czs)
      expect(error(qubits, ops)).toBeLessThanOrEqual(1e-9)
    })
  }

  test('3 at most for random two-qubit unitaries, 2 for those of real interactions along two axes', () => {
    const rng = createRng(3)
    for (let round = 0; round < 50; round++)
      expect(czsOf([randomUnitary([0, 1], rng)])).toBeLessThanOrEqual(3)
    expect(czsOf(opsOf(2, 2, 'rzz(0.4) q[0], q[1];'))).toBe(2)
    expect(czsOf(opsOf(2, 2, 'rxx(0.4) q[0], q[1];'))).toBe(2)
  })
})

test('decompose() names a gate on too many qubits', () => {
  const call = 'pow(0.5) @ g q[0], q[1], q[2];'
  const ops = opsOf(3, 3, 'gate g a, b, c { cx a, b; h b; cx b, c; h a; }', call)
  expect(() => decompose(ops)).toThrow('the gate pow acts on 3 qubits by one matrix; at most 2 are supported')
})
