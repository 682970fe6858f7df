import { expect, test } from 'bun:test'
import { lowerProgram, parseProgram } from '../../../src/qasm/index.ts'
import { parsedProgram } from '../../../src/simulator/circuits/parsed-programs.ts'
import { drawnSeeds } from '../../support/random/drawn-seeds.ts'
import { randomProgram } from '../random-programs/generate.ts'
import { textOf } from '../random-programs/program.ts'

const SCAN = `OPENQASM 3.0; include "stdgates.inc"; input float a; qubit[3] q; bit[3] c;
gate turn(t) x { rz(t / 2) x; }
for int i in [0:2] { turn(a * i) q[i]; }
if (a > 1) { x q[0]; }
c = measure q;`

test('parsedProgram() parses a text once, and its tree gives the same circuits each time', () => {
  const [first, again] = [parsedProgram(SCAN), parsedProgram(SCAN)]
  expect(again).toBe(first)
  const other = parsedProgram(`${SCAN}\n`)
  expect(other).not.toBe(first)
  for (const value of [0.5, 2, 0.5, -7]) {
    expect(lowerProgram(first, [value])).toEqual(lowerProgram(other, [value]))
  }
})

test('parsedProgram() keeps neither a program that is wrong nor a long one', () => {
  for (let round = 0; round < 2; round++) expect(() => parsedProgram('OPENQASM 3.0; h q[0];')).toThrow('q')
  const long = `${SCAN}\n//${'x'.repeat(300_000)}`
  expect(parsedProgram(long)).not.toBe(parsedProgram(long))
})

test('a tree that was used, among others, is that of its text', () => {
  const programs = drawnSeeds(60).map(randomProgram)
  for (let round = 0; round < 2; round++) {
    for (const program of programs) {
      const text = textOf(program)
      for (const { real, whole } of program.inputs) lowerProgram(parsedProgram(text), [real, whole])
      expect([program.seed, parsedProgram(text)]).toEqual([program.seed, parseProgram(text)])
    }
  }
})
