import { describe, expect, test } from 'bun:test'
import { ATTEMPTS } from '../../../../../src/db/store/jobs/attempts.ts'
import {
  cancelJob,
  claimable,
  claimJob,
  type DispatchTarget,
  idleQpus,
  requeueUndelivered,
} from '../../../../../src/db/store/jobs/index.ts'
import { claimNow, JobLab } from '../../../../support/server/job-lab.ts'

const claim = (lab: JobLab, job: string, server: DispatchTarget) =>
  lab.db.write('claim', (tx) => claimNow(tx, job, server))

describe('claimJob()', () => {
  test('T2: counts the attempt and opens its row before anything can be sent', async () => {
    await using lab = await JobLab.open()
    const qpu = await lab.qpu()
    const server = await lab.attach(qpu.driver)
    const job = await lab.submit(await lab.user())
    const claimed = await claim(lab, job.id, server)
    expect(claimed).toMatchObject({ job: job.id, attempt: 1, driver: qpu.driver.id, epoch: server.epoch })
    expect(await lab.job(job.id)).toMatchObject({ status: 'running', attempt: 1, driver: qpu.driver.id })
    expect(
      await lab.db.read((tx) => tx.all(`SELECT job, attempt, state FROM ${ATTEMPTS} AS attempts`)),
    ).toEqual([{ job: job.id, attempt: 1, state: 'open' }])
  })

  test('claims one job at a time for a QPU, even for jobs without a target', async () => {
    await using lab = await JobLab.open()
    const server = await lab.attach((await lab.qpu()).driver)
    const user = await lab.user()
    const [first, second] = [await lab.submit(user), await lab.submit(user)]
    expect(await claim(lab, first.id, server)).toBeDefined()
    expect(await claim(lab, second.id, server)).toBeUndefined()
    expect((await lab.job(second.id)).attempt).toBe(0)
  })

  test('rejects a lease that has changed, another target and a job that is not pending', async () => {
    await using lab = await JobLab.open()
    const qpu = await lab.qpu()
    const other = await lab.qpu()
    const old = await lab.attach(qpu.driver)
    const server = await lab.attach(qpu.driver)
    const user = await lab.user()
    const job = await lab.submit(user, qpu.id)
    const foreign = await lab.submit(user, other.id)
    expect(await claim(lab, job.id, old)).toBeUndefined()
    const unasked = lab.db.write('claim', (tx) =>
      claimJob(tx, job.id, old, { maxAttempts: 0 }, tx.read(claimable(job.id))),
    )
    await expect(unasked).rejects.toThrow('met 0')
    expect(await claim(lab, foreign.id, server)).toBeUndefined()
    await lab.db.write('cancel', (tx) => cancelJob(tx, job.id))
    expect(await claim(lab, job.id, server)).toBeUndefined()
    expect(await lab.history(job.id)).toEqual(['submitted 0', 'cancelled 0'])
  })

  test('has one winner when cancel and claim meet', async () => {
    await using lab = await JobLab.open()
    const server = await lab.attach((await lab.qpu()).driver)
    const user = await lab.user()
    for (let round = 0; round < 50; round += 1) {
      const { id } = await lab.submit(user)
      const cancel = () => lab.db.write('cancel', (tx) => cancelJob(tx, id))
      const both = [() => claim(lab, id, server), cancel]
      const results = await Promise.all((round % 2 ? both.reverse() : both).map((each) => each()))
      expect(results.filter((each) => each !== undefined)).toHaveLength(1)
      await lab.db.write('back', (tx) =>
        requeueUndelivered(tx, { job: id, attempt: 1, driver: server.driver, reason: 'test' }),
      )
      await cancel()
    }
  })
})

describe('requeueUndelivered()', () => {
  test('T9: the job keeps its position, the attempt is undelivered, only its own driver may report it', async () => {
    await using lab = await JobLab.open()
    const server = await lab.attach((await lab.qpu()).driver)
    const job = await lab.submit(await lab.user())
    await claim(lab, job.id, server)
    const requeue = (driver: string, attempt = 1) =>
      lab.db.write('back', (tx) => requeueUndelivered(tx, { job: job.id, attempt, driver, reason: 'busy' }))
    expect(await requeue('another driver')).toBe(false)
    expect(await requeue(server.driver, 2)).toBe(false)
    expect(await requeue(server.driver)).toBe(true)
    expect(await requeue(server.driver)).toBe(false)
    expect(await lab.job(job.id)).toMatchObject({ status: 'pending', attempt: 1, driver: '' })
    expect((await lab.timeline(job.id)).at(-1)).toMatchObject({ event: 'undelivered', detail: 'busy' })
    expect(await claim(lab, job.id, server)).toMatchObject({ attempt: 2 })
  })
})

describe('idleQpus()', () => {
  test('lists QPUs that are enabled, served and free', async () => {
    await using lab = await JobLab.open()
    const [free, busy, off, repair, alone] = [
      await lab.qpu(),
      await lab.qpu(),
      await lab.qpu(),
      await lab.qpu(),
      await lab.qpu(),
    ]
    const server = await lab.attach(free.driver)
    for (const qpu of [off, repair]) await lab.attach(qpu.driver)
    const taken = await lab.attach(busy.driver)
    await claim(lab, (await lab.submit(await lab.user())).id, taken)
    await lab.setQpu(off.id, { enabled: false })
    await lab.setQpu(repair.id, { maintenance: true })
    await lab.detach(await lab.attach(alone.driver))
    expect(await lab.db.read((tx) => tx.read(idleQpus()))).toEqual([server])
  })
})
