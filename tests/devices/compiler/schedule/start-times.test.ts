import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createRng } from '../../../../src/simulator/index.ts'
import { CZ_NS, onRowOfFour, PULSE_NS, READOUT_NS } from '../support/row-of-four.ts'

/** One operation of a program. */
interface Written {
  kind: 'x' | 'cz' | 'delay' | 'barrier' | 'measure'
  qubits: readonly number[]
  ns: number
  text: string
}

const HEADER = 'OPENQASM 3.0; include "stdgates.inc"; qubit[4] q; bit[4] c;'
const compiled = (text: string, scheduling?: 'asap' | 'alap') =>
  onRowOfFour(`${HEADER} ${text}`, { level: 0, scheduling })
const timesOf = ({ schedule }: ReturnType<typeof compiled>) =>
  schedule.pulses.map(({ at, port }) => `${port} ${at}`).sort()

function randomOperations(seed: number): Written[] {
  const rng = createRng(seed)
  const pick = <T>(list: readonly T[]) => list[Math.floor(rng.next() * list.length)] as T
  const one = (kind: Written['kind'], qubit: number, ns: number, text: string): Written => ({
    ...{ kind, qubits: [qubit], ns, text: text.replace('_', `q[${qubit}]`) },
  })
  const measure = (qubit: number) => one('measure', qubit, READOUT_NS[qubit] ?? 0, `c[${qubit}] = measure _;`)
  const body = Array.from({ length: 14 }, (): Written => {
    const qubit = pick([0, 1, 2, 3])
    const other = pick([0, 1, 2])
    const kind = pick(['x', 'x', 'x', 'cz', 'cz', 'delay', 'delay', 'barrier', 'measure'] as const)
    if (kind === 'x') return one(kind, qubit, PULSE_NS[qubit] ?? 0, 'x _;')
    if (kind === 'measure') return measure(qubit)
    if (kind === 'cz')
      return { kind, qubits: [other, other + 1], ns: CZ_NS, text: `cz q[${other}], q[${other + 1}];` }
    if (kind === 'barrier')
      return { kind, qubits: [other, other + 1], ns: 0, text: `barrier q[${other}], q[${other + 1}];` }
    const ns = pick([7, 100, 5_000])
    return one('delay', qubit, ns, `delay[${ns}ns] _;`)
  })
  const last = [0, 1, 2, 3].filter(() => rng.next() < 0.8).map(measure)
  return rng.next() < 0.5
    ? [...body, ...last]
    : [...body, { kind: 'barrier', qubits: [0, 1, 2, 3], ns: 0, text: 'barrier q;' }, ...last]
}

/**
 * The starts by the definition: each operation ends where the next one on a qubit of it starts, or where the
 * final measurements do, which nothing follows, itself or through barriers.
 */
function expectedTimes(ops: readonly Written[], scheduling: 'asap' | 'alap'): string[] {
  const shares = (one: Written, other: Written) => one.qubits.some((qubit) => other.qubits.includes(qubit))
  const behind = (at: number) =>
    ops.flatMap((op, index) => (index > at && shares(op, ops[at] as Written) ? [index] : []))
  const holds = (at: number): boolean =>
    behind(at).some((next) => ops[next]?.kind !== 'barrier' || holds(next))
  const isFinal = ops.map(({ kind }, at) => kind === 'measure' && !holds(at))
  const rest = ops.flatMap((_, at) => (isFinal[at] ? [] : [at]))
  const starts = new Map<number, number>()
  for (const at of scheduling === 'asap' ? rest : rest.toReversed()) {
    const { ns, qubits } = ops[at] as Written
    const neighbors = [...starts].filter(([other]) =>
      qubits.some((qubit) => ops[other]?.qubits.includes(qubit)),
    )
    const times = neighbors.map(([other, start]) =>
      scheduling === 'asap' ? start + (ops[other]?.ns ?? 0) : start,
    )
    starts.set(at, scheduling === 'asap' ? Math.max(0, ...times) : Math.min(0, ...times) - ns)
  }
  const all = [...starts]
  const origin = scheduling === 'asap' ? 0 : Math.min(0, ...all.map(([, start]) => start))
  const readout =
    scheduling === 'asap' ? Math.max(0, ...all.map(([at, start]) => start + (ops[at]?.ns ?? 0))) : 0
  return ops
    .flatMap(({ kind, qubits }, at) => {
      const start = (isFinal[at] ? readout : (starts.get(at) ?? 0)) - origin
      if (kind === 'x' || kind === 'measure') return [`q${qubits[0]}:${kind === 'x' ? 'mw' : 'res'} ${start}`]
      return kind === 'cz' ? [`q${qubits[0]}_q${qubits[1]}:fl ${start}`] : []
    })
    .sort()
}

describe('when operations start', () => {
  test.each(['alap', 'asap'] as const)('%s: as the definition says', (scheduling) => {
    const starts = fc.property(fc.nat(), (seed) => {
      const ops = randomOperations(seed)
      const text = ops.map((op) => op.text).join(' ')
      expect({ text, times: timesOf(compiled(text, scheduling)) }).toEqual({
        text,
        times: expectedTimes(ops, scheduling),
      })
    })
    fc.assert(starts, { numRuns: 60, endOnFailure: true, includeErrorInReport: true })
  })

  test('no qubit waits where nobody wrote a wait: T1 of two qubits in parallel', () => {
    const t1 = 'x q[0]; delay[100us] q[0]; x q[1]; delay[2us] q[1]; barrier q; c = measure q;'
    const startOf = (scheduling?: 'asap') =>
      compiled(t1, scheduling).schedule.pulses.map(({ at, port }) => `${port} ${at}`)
    expect(startOf().slice(0, 2)).toEqual(['q0:mw 0', `q1:mw ${100_020 - 2_024}`])
    expect(startOf('asap').slice(0, 2)).toEqual(['q0:mw 0', 'q1:mw 0'])
  })

  test('a barrier behind a measurement holds it where it is', () => {
    const times = (text: string) => timesOf(compiled(text)).filter((each) => each.includes('res'))
    const held = 'c[0] = measure q[0]; barrier q[0], q[1]; x q[1]; c[1] = measure q[1];'
    expect(times(held)).toEqual(['q0:res 0', `q1:res ${READOUT_NS[0] + PULSE_NS[1]}`])
    const together = 'c[0] = measure q[0]; x q[1]; c[1] = measure q[1]; barrier q;'
    expect(times(together)).toEqual([`q0:res ${PULSE_NS[1]}`, `q1:res ${PULSE_NS[1]}`])
  })
})
