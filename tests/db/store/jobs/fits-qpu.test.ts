import { expect, test } from 'bun:test'
import { excessOf, fitsQpu, type JobNeeds, qubitLimit } from '../../../../src/db/store/jobs/fits-qpu.ts'
import { cancelJob } from '../../../../src/db/store/jobs/index.ts'
import { type Qpu, qpus } from '../../../../src/db/store/qpus/index.ts'
import { JobLab } from '../../../support/server/job-lab.ts'
import { readQueue } from '../../../support/server/queue-state.ts'

const NOT_DESCRIBED = {
  described_at: '',
  max_qubits: 0,
  max_shots: 0,
  max_executions: 0,
  missing_features: 0,
}
const wide = (qubits: number): JobNeeds => ({ qubits, shots: 0, executions: 0, features: 0 })
const ofWidth = (num_qubits: number) => ({ ...NOT_DESCRIBED, num_qubits })
const described = { described_at: '2026-11-22', num_qubits: 5, max_qubits: 5 }
const CHIP = { ...described, max_shots: 100, max_executions: 3, missing_features: 0b110 }

test('a program exactly as wide as the QPU fits, one qubit more does not', () => {
  expect([4, 5, 6].map((qubits) => fitsQpu(wide(qubits), ofWidth(5)))).toEqual([true, true, false])
  expect([1, 2, 3].map((qubits) => fitsQpu(wide(qubits), ofWidth(2)))).toEqual([true, true, false])
  expect(qubitLimit(ofWidth(2))).toBe(2)
})

test('a QPU registered with 1 qubit or less is not described and fits every program', () => {
  for (const num_qubits of [1, 0, -1]) {
    expect([0, 1, 2, 1_000_000].every((qubits) => fitsQpu(wide(qubits), ofWidth(num_qubits)))).toBe(true)
    expect(qubitLimit(ofWidth(num_qubits))).toBeUndefined()
  }
})

test('the limits of a description count, also 1 qubit, and none where it states none', () => {
  expect(qubitLimit({ ...CHIP, num_qubits: 1, max_qubits: 1 })).toBe(1)
  expect(qubitLimit({ ...CHIP, max_qubits: 0 })).toBeUndefined()
  const needs = { qubits: 6, shots: 101, executions: 4, features: 0b011 }
  expect(excessOf(needs, CHIP)).toEqual([
    { kind: 'qubits', needed: 6, max: 5 },
    { kind: 'shots', needed: 101, max: 100 },
    { kind: 'executions', needed: 4, max: 3 },
    { kind: 'features', missing: 0b010 },
  ])
  expect(fitsQpu({ qubits: 5, shots: 100, executions: 3, features: 0b001 }, CHIP)).toBe(true)
  expect(excessOf(needs, { ...NOT_DESCRIBED, num_qubits: 1, described_at: 'now' })).toEqual([])
})

/** Around each limit of the chip. */
const NEEDS: JobNeeds[] = [
  ...[0, 1, 2, 3, 4, 5, 6].map(wide),
  ...[100, 101].map((shots) => ({ ...wide(5), shots })),
  ...[3, 4].map((executions) => ({ ...wide(5), executions })),
  ...[0b001, 0b010, 0b100, 0b111].map((features) => ({ ...wide(5), features })),
]

test('the order has the same boundary, with and without target', async () => {
  await using lab = await JobLab.open()
  const user = await lab.user()
  const all: Qpu[] = await Promise.all([0, 1, 2, 3, 5].map((numQubits) => lab.qpu({ numQubits })))
  const chip = await lab.qpu()
  await lab.db.write('describe', (tx) => tx.update(qpus, chip.id, CHIP))
  all.push({ ...chip, ...CHIP })
  for (const needs of NEEDS) {
    for (const qpu of all) {
      for (const target of ['', qpu.id]) {
        const job = await lab.submit(user, target, needs)
        const state = await lab.db.read((tx) => readQueue(tx, qpu.id, 0, lab.order))
        expect([needs, qpu.num_qubits, state?.job]).toEqual([
          ...[needs, qpu.num_qubits, fitsQpu(needs, qpu) ? job.id : ''],
        ])
        await lab.db.write('cancel', (tx) => cancelJob(tx, job.id))
      }
    }
  }
})
