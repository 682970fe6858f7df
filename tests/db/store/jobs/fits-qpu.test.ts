import { expect, test } from 'bun:test'
import { cancelJob, readQueue } from '../../../../src/db/index.ts'
import { fitsQpu, qubitLimit } from '../../../../src/db/store/jobs/fits-qpu.ts'
import { JobLab } from '../../../support/server/job-lab.ts'

test('a program exactly as wide as the QPU fits, one qubit more does not', () => {
  expect([4, 5, 6].map((qubits) => fitsQpu(qubits, { num_qubits: 5 }))).toEqual([true, true, false])
  expect([1, 2, 3].map((qubits) => fitsQpu(qubits, { num_qubits: 2 }))).toEqual([true, true, false])
  expect(qubitLimit({ num_qubits: 2 })).toBe(2)
})

test('a QPU registered with 1 qubit or less is not described and fits every program', () => {
  for (const num_qubits of [1, 0, -1]) {
    expect([0, 1, 2, 1_000_000].every((qubits) => fitsQpu(qubits, { num_qubits }))).toBe(true)
    expect(qubitLimit({ num_qubits })).toBeUndefined()
  }
})

test('the statements of the queue have the same boundary', async () => {
  await using lab = await JobLab.open()
  const user = await lab.user()
  const widths = [0, 1, 2, 3, 5]
  const qpus = await Promise.all(widths.map((numQubits) => lab.qpu({ numQubits })))
  for (const qubits of [0, 1, 2, 3, 4, 5, 6]) {
    const job = await lab.submit(user, '', qubits)
    for (const qpu of qpus) {
      const state = await lab.db.read((tx) => readQueue(tx, qpu.id, 0))
      expect([qubits, qpu.num_qubits, state?.job]).toEqual([
        qubits,
        qpu.num_qubits,
        fitsQpu(qubits, qpu) ? job.id : '',
      ])
    }
    await lab.db.write('cancel', (tx) => cancelJob(tx, job.id))
  }
})
