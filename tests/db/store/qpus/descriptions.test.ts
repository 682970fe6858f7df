import { expect, test } from 'bun:test'
import { describeQpu, descriptionOf, removeDescription } from '../../../../src/db/store/qpus/index.ts'
import { JobLab } from '../../../support/server/job-lab.ts'

const limits = { num_qubits: 3, max_qubits: 3, max_shots: 0, max_executions: 0, missing_features: 0 }

test('only the driver with the current lease describes its QPU or removes the description', async () => {
  await using lab = await JobLab.open()
  const { id: qpu, driver } = await lab.qpu()
  const describe = (target: { qpu: string; driver: string; epoch: number }, qubits: number) =>
    lab.db.write('describe', (tx) =>
      describeQpu(tx, target, {
        described: `{"schema":1,"num_qubits":${qubits}}`,
        limits: { ...limits, num_qubits: qubits },
      }),
    )
  const described = () => lab.db.read((tx) => tx.read(descriptionOf(qpu))?.value)
  const older = await lab.attach(driver)
  expect(await describe(older, 3)).toBe(true)
  await lab.detach(older)
  expect(await describe(older, 4)).toBe(false)
  const current = await lab.attach(driver)
  expect(await describe(older, 5)).toBe(false)
  expect(await lab.db.write('remove', (tx) => removeDescription(tx, older))).toBe(false)
  expect(await described()).toMatchObject({ num_qubits: 3 })
  expect(await describe(current, 6)).toBe(true)
  expect(await described()).toMatchObject({ num_qubits: 6 })
  expect(await lab.db.write('remove', (tx) => removeDescription(tx, current))).toBe(true)
  expect(await described()).toBeUndefined()
})
