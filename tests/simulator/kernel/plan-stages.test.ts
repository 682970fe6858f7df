import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type KernelCall, targetsOf } from '../../../src/simulator/kernel/kernel-call.ts'
import { planStages } from '../../../src/simulator/kernel/plan-stages.ts'
import { scheduleStage } from '../../../src/simulator/kernel/schedule-stage.ts'
import { bitCount } from '../../../src/simulator/numeric/bits.ts'

const QUBITS = 18
const BLOCK = 10

const qubit = fc.integer({ min: 0, max: QUBITS - 1 })
const call: fc.Arbitrary<KernelCall> = fc
  .tuple(fc.constantFrom('scale', 'flip', 'one'), qubit, qubit, fc.boolean())
  .filter(([, a, b]) => a !== b)
  .map(([kind, a, b, isControlled]) => {
    const controls = isControlled ? 1 << b : 0
    if (kind === 'scale') {
      const mask = controls | (1 << a)
      return { kind, controls: mask, value: mask, re: -1, im: 0 }
    }
    if (kind === 'flip') return { kind, target: 1 << a, controls, value: controls }
    return { kind: 'one', target: 1 << a, controls, value: controls, matrix: new Float64Array(8) }
  })
const circuit = fc.array(call, { maxLength: 60 })

/** Whether two calls commute: on every shared qubit, both are diagonal. */
function commute(a: KernelCall, b: KernelCall): boolean {
  const [ta, tb] = [targetsOf(a), targetsOf(b)]
  return (ta & (tb | b.controls)) === 0 && (tb & a.controls) === 0
}

/** Asserts that `after` has the calls of `before` and exchanges only those that commute. */
function expectReordering(before: readonly KernelCall[], after: readonly KernelCall[]): void {
  expect(new Set(after)).toEqual(new Set(before))
  expect(after.length).toBe(before.length)
  const place = new Map(after.map((each, index) => [each, index]))
  before.forEach((a, i) => {
    for (const b of before.slice(i + 1)) {
      if ((place.get(a) ?? 0) > (place.get(b) ?? 0)) expect(commute(a, b)).toBe(true)
    }
  })
}

test('planStages() keeps every call, its targets within the set, and the order of calls that do not commute', () => {
  fc.assert(
    fc.property(circuit, (calls) => {
      const stages = planStages(calls, QUBITS, BLOCK)
      for (const stage of stages) {
        expect(bitCount(stage.set)).toBe(BLOCK)
        expect(stage.set & 0b111111).toBe(0b111111)
        expect(stage.calls.every((each) => (targetsOf(each) & ~stage.set) === 0)).toBe(true)
      }
      expectReordering(
        calls,
        stages.flatMap((stage) => stage.calls),
      )
    }),
  )
})

test('scheduleStage() keeps the order of calls that do not commute', () => {
  fc.assert(
    fc.property(circuit, (calls) => {
      // Terms on the same qubits are merged: without such terms every call is returned unchanged.
      const distinct = calls.filter(({ kind }) => kind !== 'scale')
      const passes = scheduleStage(distinct, 2 ** QUBITS - 1)
      expectReordering(
        distinct,
        passes.flatMap((pass): KernelCall[] => {
          if (pass.kind === 'pair') return [...pass.gates]
          return pass.kind === 'diagonal' || pass.kind === 'rotations' ? [] : [pass]
        }),
      )
    }),
  )
})

test('planStages() includes a layer of controlled phases wherever their qubits are', () => {
  const phases: KernelCall[] = Array.from({ length: QUBITS - 1 }, (_, q) => {
    const mask = 3 << q
    return { kind: 'scale', controls: mask, value: mask, re: -1, im: 0 }
  })
  expect(planStages(phases, QUBITS, BLOCK).length).toBe(1)
})

test('scheduleStage() merges phases across gates on other qubits, and those on the same qubits', () => {
  const term = (mask: number): KernelCall => ({ kind: 'scale', controls: mask, value: mask, re: 0, im: 1 })
  const flip: KernelCall = { kind: 'flip', target: 1, controls: 0, value: 0 }
  const single = [2, 4, 8, 16, 32, 64].map(term)
  const passes = scheduleStage([...single, flip, ...single, term(2)], 0xff)
  expect(passes.map(({ kind }) => kind)).toEqual(['diagonal', 'flip'])
  const [merged] = passes
  expect(merged?.kind === 'diagonal' && merged.terms.map(({ re }) => Math.abs(re))).toEqual([
    0, 1, 1, 1, 1, 1,
  ])
})

describe('scheduleStage() and rotations', () => {
  const rotation = (target: number, angle: number): KernelCall => {
    const [cosine, sine] = [Math.cos(angle), Math.sin(angle)]
    const matrix = Float64Array.of(cosine, 0, -sine, 0, sine, 0, cosine, 0)
    return { kind: 'one', target, controls: 0, value: 0, matrix }
  }
  const phase = (mask: number): KernelCall => ({ kind: 'scale', controls: mask, value: mask, re: 0, im: 1 })
  const singles = Array.from({ length: 8 }, (_, q) => 1 << q)
  const layer = (angle: number) => singles.map((target) => rotation(target, angle))
  const phases = singles.map(phase)

  test('defers cosines to the next diagonal pass, and none when there is no such pass', () => {
    const passes = scheduleStage([...layer(0.5), ...phases, ...layer(0.7)], 0xff)
    expect(passes.map(({ kind }) => kind)).toEqual([
      ...Array(4).fill('rotations'),
      'diagonal',
      ...Array(4).fill('pair'),
    ])
    const merged = passes.find((pass) => pass.kind === 'diagonal')
    expect(merged?.factor).toBeCloseTo(Math.cos(0.5) ** 8, 14)
    const [first] = passes
    expect(first?.kind === 'rotations' && first.tangents.map((tangent) => tangent.toFixed(12))).toEqual(
      Array(2).fill(Math.tan(0.5).toFixed(12)),
    )
  })

  test('defers none to a pass that does not visit every amplitude', () => {
    const onPivot = singles.slice(1).map((mask) => phase(mask | 1))
    const passes = scheduleStage([...layer(0.5), ...onPivot], 0xff)
    expect(passes.map(({ kind }) => kind)).toEqual([...Array(4).fill('pair'), 'diagonal'])
  })

  test('limits the growth of amplitudes to the range of a number', () => {
    const right = scheduleStage([...layer(Math.PI / 2), ...phases], 0xff)
    const merged = right.find((pass) => pass.kind === 'diagonal')
    expect(Math.abs(merged?.factor ?? 0)).toBeGreaterThan(1e-100)
    expect(right.filter(({ kind }) => kind === 'pair').length).toBeGreaterThan(0)
  })
})
