import { expect, test } from 'bun:test'
import { checkProgram, parseProgram } from '../../../src/qasm/index.ts'

test.each([
  ['QPY', 'QISKIT\u000e\u0002\u0001'],
  ['QPY', 'UUlTS0lUDgIDAAAAAAAAAAFk'],
  ['QIR', '%Qubit = type opaque\ndefine void @main() #0 {\n  ret void\n}\n'],
  ['QIR', '; ModuleID = \'bell\'\nsource_filename = "bell"\n\n%Qubit = type opaque\n'],
  ['QIR', 'define i64 @bell() #0 {\nentry:\n  call void @__quantum__qis__h__body(ptr null)\n'],
  ['HUGR', 'HUGRiHJv?@{"modules":[{"version":"live","nodes":[]}]}'],
  ['HUGR', '{"modules": [{"version": "live", "nodes": [{"parent": 0, "op": "Module"}]}]}'],
  ['Quil', 'DECLARE ro BIT[1]\nX 0\nMEASURE 0 ro[0]\n'],
  ['Quil', '# a Bell pair\nH 0\nCNOT 0 1\n'],
  ['Quil', 'RX(pi/2) 0\nMEASURE 0\n'],
  ['cQASM', 'version 1.0\nqubits 2\nH q[0]\n'],
  ['cQASM', '// cQASM\nversion 3;\n\nqubit[2] q\nH q[0]\n'],
  ['Jupyter notebook', '{\n "cells": [\n  {"cell_type": "code", "source": ["x = 1"]}], "nbformat": 4\n}'],
  ['Python', 'from qiskit import QuantumCircuit\nqc = QuantumCircuit(2)\n'],
  ['Python', '#!/usr/bin/env python3\n"""Bell."""\nimport cirq\n'],
  ['Python', 'import pennylane as qml\n'],
  ['Python', 'def bell():\n    return 1\n'],
  ['JSON', '{"cirq_type": "Circuit", "moments": []}'],
])('names %s: %j', (name, text) => {
  const [problem] = checkProgram(text).problems
  expect(problem).toMatchObject({ code: 'syntax_error', line: 1 })
  expect(problem?.message).toMatch(
    new RegExp(`^This is (a )?${name}, not OpenQASM: export the circuit as OpenQASM`),
  )
  expect(() => parseProgram(text)).toThrow(`${name}, not OpenQASM`)
})

test.each([
  'OPENQASM 3.0;\nqubit q;\nX 0\n',
  'OPENQASM 2.0;\ninclude "qelib1.inc";\nqreg q[2]\nh q[0];\n',
  'include "stdgates.inc";\nqubit q;\nh q\n',
  '#pragma braket noise\nqubit q;\nh q\n',
  'def bell(qubit a) {\n h a\n}\n',
])('says of a program with an error what the error is: %j', (text) => {
  const [problem] = checkProgram(text).problems
  expect(problem?.code).toBe('syntax_error')
  expect(problem?.message).not.toContain('not OpenQASM')
})
