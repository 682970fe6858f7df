import { expect, test } from 'bun:test'
import { qpus } from '../../../src/db/store/qpus/index.ts'
import { recordAnswers } from '../../../src/server/drivers/record-answers.ts'
import { JobLab } from '../../support/server/job-lab.ts'
import { until } from '../../support/until.ts'

test('recordAnswers() repeats a write that failed until the driver answers in the database, too', async () => {
  await using lab = await JobLab.open()
  const qpu = await lab.qpu()
  const { driver, epoch } = await lab.attach(qpu.driver)
  const { db, clock, log } = lab.dependencies()
  let failures = 0
  const failing = new Proxy(db, {
    get(target, name, receiver) {
      if (name !== 'write' || failures === 0) return Reflect.get(target, name, receiver)
      failures -= 1
      return () => Promise.reject(new Error('the disk is full'))
    },
  })
  const answers = recordAnswers({ db: failing, clock, log }, { driver, epoch }, () => true)
  const silentSince = async () => (await db.read((tx) => tx.find(qpus, qpu.id)))?.silent_since
  answers('2026-01-01 00:00:00.000Z')
  await until('it is silent', async () => (await silentSince()) !== '')
  failures = 3
  answers('')
  await until('it answers', async () => (await silentSince()) === '', { clock })
  expect(failures).toBe(0)
})
