import { expect, test } from 'bun:test'
import { type DrawnStep, drawProgram, parseProgram } from '../../src/qasm/index.ts'

const draw = (lines: string[], values: number[] = [], maxSteps = 1_000) =>
  drawProgram(
    parseProgram(['OPENQASM 3.0;', 'include "stdgates.inc";', ...lines].join('\n')),
    values,
    maxSteps,
  )

/** A step as one word per fact. */
function brief(step: DrawnStep): string {
  const place = `${step.line}${step.conditional ? '?' : ''}`
  switch (step.kind) {
    case 'gate': {
      const controls = step.controls.map(({ qubit, value }) => `${value ? 'c' : 'n'}${qubit} `).join('')
      const changes = `${step.isInverse ? "'" : ''}${step.power === 1 ? '' : `^${step.power}`}`
      return `${place} ${controls}${step.name}${changes}(${step.parameters}) ${step.targets}`
    }
    case 'measure':
      return `${place} measure ${step.qubit}>${step.clbit}`
    case 'reset':
      return `${place} reset ${step.qubit}`
    default:
      return `${place} ${step.kind} ${step.qubits}`
  }
}

test('loops, subroutines and registers are expanded, gates are not; each step has its line', () => {
  const { qregs, cregs, steps, missing } = draw(
    [
      'gate pair(a) x, y { h x; cp(a) x, y; }',
      'def flip(qubit q) { x q; }',
      'input float theta;',
      'qubit[3] q; qubit r; bit[3] c;',
      'h q;',
      'for int i in [0:1] pair(theta) q[i], q[i + 1];',
      'flip(r);',
      'barrier q[0], r;',
      'reset r;',
      'c = measure q;',
    ],
    [0.5],
  )
  expect([qregs, cregs, missing]).toEqual([
    [
      ['q', 3],
      ['r', 1],
    ],
    [['c', 3]],
    undefined,
  ])
  expect(steps.map(brief)).toEqual([
    ...['7 h() 0', '7 h() 1', '7 h() 2'],
    ...['8 pair(0.5) 0,1', '8 pair(0.5) 1,2'],
    ...['4 x() 3', '10 barrier 0,3', '11 reset 3'],
    ...['12 measure 0>0', '12 measure 1>1', '12 measure 2>2'],
  ])
})

test('modifiers become controls, an inverse and an exponent', () => {
  const { steps } = draw([
    'qubit[4] q;',
    'ctrl @ negctrl @ x q[0], q[1], q[2];',
    'inv @ s q[0];',
    'inv @ pow(2) @ inv @ pow(0.5) @ ctrl(2) @ rx(1) q[3], q[2], q[0];',
  ])
  expect(steps.map(brief)).toEqual(['4 c0 n1 x() 2', "5 s'() 0", '6 c3 c2 rx(1) 0'])
})

test('both branches of a decision by an outcome are drawn; a loop that one decides ends the diagram', () => {
  const program = ['qubit[2] q; bit c;', 'c = measure q[0];', 'if (c) { x q[1]; } else z q[1];', 'h q[0];']
  expect(draw(program)).toMatchObject({ missing: undefined })
  expect(draw(program).steps.map(brief)).toEqual(['4 measure 0>0', '5? x() 1', '5? z() 1', '6 h() 0'])
  const repeated = draw([...program, 'while (c) { h q[0]; }', 'x q[0];'])
  expect([repeated.steps.length, repeated.missing]).toEqual([4, 'undecided'])
})

test('a long program is drawn up to the limit, without running the rest', () => {
  const { steps, missing } = draw(['qubit q;', 'for int i in [0:900000] h q;'], [], 50)
  expect([steps.length, missing]).toEqual([50, 'too_many'])
  const idle = draw(['qubit q;', 'int n = 0;', 'for int i in [0:900000] n = n + 1;'])
  expect([idle.steps.length, idle.missing]).toEqual([0, 'too_many'])
})

test('hardware qubits follow the declared ones', () => {
  const { qregs, steps } = draw(['qubit q;', 'cx q, $1;'])
  expect(qregs).toEqual([
    ['q', 1],
    ['$', 2],
  ])
  expect(steps.map(brief)).toEqual(['4 cx() 0,2'])
})
