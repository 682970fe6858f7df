import { describe, expect, spyOn, test } from 'bun:test'
import { toTimestamp } from '../../../../src/base/index.ts'
import { encodeJson, JsonText } from '../../../../src/db/index.ts'
import { timeSlots } from '../../../../src/db/store/bookings/index.ts'
import { DispatchBackoff } from '../../../../src/server/drivers/dispatch-backoff.ts'
import { Heartbeats } from '../../../../src/server/jobs/attempts/heartbeats.ts'
import { JobDispatcher } from '../../../../src/server/jobs/dispatch/dispatcher.ts'
import { StatementCounter } from '../../../support/costs/count.ts'
import { onlySqlite } from '../../../support/postgres/only-sqlite.ts'
import { BELL, EXPECTED, insertNow, JobLab, PAYLOAD } from '../../../support/server/job-lab.ts'

function openDispatcher(lab: JobLab) {
  const heartbeats = new Heartbeats(lab.clock, lab.config.jobTimeout)
  const backoff = new DispatchBackoff(lab.clock)
  return {
    dispatcher: new JobDispatcher({ ...lab.dependencies(), heartbeats, backoff }),
    heartbeats,
    backoff,
  }
}

describe('JobDispatcher.dispatchOnce()', () => {
  test('claims the next job and sends it to the attached driver', async () => {
    await using lab = await JobLab.open()
    const { dispatcher } = openDispatcher(lab)
    const qpu = await lab.qpu()
    const server = await lab.attach(qpu.driver)
    const job = await lab.submit(await lab.user())
    await dispatcher.dispatchOnce()
    expect(lab.hub.sent).toEqual([
      {
        driver: server.driver,
        command: {
          type: 'RunJob',
          job: job.id,
          attempt: 1,
          epoch: server.epoch,
          limit_ms: 0,
          payload: { ...PAYLOAD, circuits: [...PAYLOAD.circuits] },
          expected: expect.objectContaining({ text: EXPECTED }),
          knows_progress: true,
        },
      },
    ])
    await dispatcher.dispatchOnce()
    expect(lab.hub.sent).toHaveLength(1)
  })

  test('dispatches a job to each free QPU in one run, in order of submission', async () => {
    await using lab = await JobLab.open()
    const { dispatcher } = openDispatcher(lab)
    const servers = [await lab.attach((await lab.qpu()).driver), await lab.attach((await lab.qpu()).driver)]
    const user = await lab.user()
    const jobs = [await lab.submit(user), await lab.submit(user), await lab.submit(user)]
    await dispatcher.dispatchOnce()
    expect(lab.hub.commands('RunJob').map(({ job }) => job)).toEqual(jobs.slice(0, 2).map(({ id }) => id))
    expect(lab.hub.sent.map(({ driver }) => driver)).toEqual(servers.map(({ driver }) => driver))
  })

  test('a job that one QPU may not run now goes to the next one', async () => {
    await using lab = await JobLab.open()
    const { dispatcher } = openDispatcher(lab)
    const booked = await lab.qpu()
    await lab.attach(booked.driver)
    const { driver } = await lab.attach((await lab.qpu()).driver)
    const [booker, user] = [await lab.user(), await lab.user()]
    await lab.db.write('book', (tx) =>
      tx.insert(timeSlots, {
        booked_by: booker.id,
        qpu: booked.id,
        start_time: toTimestamp(lab.clock.now()),
        end_time: toTimestamp(lab.clock.now() + 3_600_000),
      }),
    )
    const job = await lab.submit(user)
    await dispatcher.dispatchOnce()
    expect(lab.hub.sent.map((sent) => sent.driver)).toEqual([driver])
    expect(lab.hub.commands('RunJob').map((command) => command.job)).toEqual([job.id])
  })

  test.skipIf(onlySqlite('its statements'))(
    'a claim costs the same among many idle QPUs as for one',
    async () => {
      using counter = new StatementCounter()
      const costs: number[] = []
      for (const qpus of [1, 2, 12]) {
        await using lab = await JobLab.open()
        const { dispatcher } = openDispatcher(lab)
        for (let at = 0; at < qpus; at += 1) await lab.attach((await lab.qpu()).driver)
        await lab.submit(await lab.user())
        const before = counter.count
        await dispatcher.dispatchOnce()
        expect(lab.hub.commands('RunJob')).toHaveLength(1)
        costs.push(counter.count - before)
      }
      expect(costs).toEqual(costs.map(() => costs[0] ?? 0))
    },
  )

  test('claims nothing while the sockets are disconnected or belong to another lease', async () => {
    await using lab = await JobLab.open()
    const { dispatcher } = openDispatcher(lab)
    const server = await lab.attach((await lab.qpu()).driver)
    const job = await lab.submit(await lab.user())
    for (const epoch of [undefined, server.epoch - 1, server.epoch + 1]) {
      if (epoch === undefined) lab.hub.epochs.delete(server.driver)
      else lab.hub.epochs.set(server.driver, epoch)
      await dispatcher.dispatchOnce()
    }
    expect(await lab.job(job.id)).toMatchObject({ status: 'pending', attempt: 0 })
  })

  test('requeues a job that could not be sent, and offers the next one after the back-off', async () => {
    await using lab = await JobLab.open()
    const { dispatcher } = openDispatcher(lab)
    await lab.attach((await lab.qpu()).driver)
    const job = await lab.submit(await lab.user())
    lab.hub.isFull = true
    await dispatcher.dispatchOnce()
    expect(await lab.job(job.id)).toMatchObject({ status: 'pending', attempt: 1 })
    expect(await lab.history(job.id)).toEqual(['submitted 0', 'claimed 1', 'undelivered 1'])
    lab.hub.isFull = false
    await dispatcher.dispatchOnce()
    expect(lab.hub.sent).toEqual([])
    await lab.clock.advance(250)
    await dispatcher.dispatchOnce()
    expect(lab.hub.commands('RunJob')).toMatchObject([{ job: job.id, attempt: 2 }])
  })

  test('fails a job whose stored payload cannot be run, and continues', async () => {
    await using lab = await JobLab.open()
    const { dispatcher } = openDispatcher(lab)
    await lab.attach((await lab.qpu()).driver)
    const user = await lab.user()
    const [bad, good] = [await lab.submit(user), await lab.submit(user)]
    await lab.db.write('spoil', (tx) =>
      tx.run(`UPDATE quantum_jobs SET payload = '{"circuits":[]}' WHERE id = $id`, { id: bad.id }),
    )
    await dispatcher.dispatchOnce()
    expect(await lab.job(bad.id)).toMatchObject({ status: 'failed', error_code: 'bad_payload' })
    await dispatcher.dispatchOnce()
    expect((await lab.job(good.id)).status).toBe('running')
  })

  test('sends a large payload as it is stored, without reading it', async () => {
    await using lab = await JobLab.open()
    const { dispatcher } = openDispatcher(lab)
    await lab.attach((await lab.qpu()).driver)
    const user = await lab.user()
    const comment = '// ä "quoted" \u2028\n'.repeat(10_000)
    const payload = { ...PAYLOAD, circuits: [{ circuit: `${comment}${BELL}`, shots: 3 }], shots: 7 }
    const text = JSON.stringify(payload)
    for (const stored of [text, new TextEncoder().encode(text)]) {
      const job = await lab.db.write('submit', (tx) =>
        insertNow(
          tx,
          { user: user.id, qpu: '', payload: new JsonText(stored), needs: { qubits: 2 } },
          { maxPending: 10 },
        ),
      )
      const parse = spyOn(JSON, 'parse')
      await dispatcher.dispatchOnce()
      const lengths = parse.mock.calls.map(([parsed]) => String(parsed).length)
      parse.mockRestore()
      expect(Math.max(0, ...lengths)).toBeLessThan(1_000)
      const command = lab.hub.commands('RunJob').at(-1)
      expect(command?.payload).toBeInstanceOf(JsonText)
      expect(encodeJson(command)).toBe(JSON.stringify({ ...command, payload }))
      await lab.complete(job.id)
    }
  })

  test('claims one large program per transaction; the others follow at once', async () => {
    await using lab = await JobLab.open()
    const { dispatcher } = openDispatcher(lab)
    for (let at = 0; at < 3; at += 1) await lab.attach((await lab.qpu()).driver)
    const user = await lab.user()
    const payload = new JsonText(
      JSON.stringify({ ...PAYLOAD, circuits: [{ circuit: `// ${'x'.repeat(1_100_000)}\n${BELL}` }] }),
    )
    const submit = () =>
      lab.db.write('submit', (tx) =>
        insertNow(tx, { user: user.id, qpu: '', payload, needs: { qubits: 2 } }, { maxPending: 10 }),
      )
    const jobs = [await submit(), await submit(), await lab.submit(user)].map(({ id }) => id)
    const sent = () => lab.hub.commands('RunJob').map(({ job }) => job)
    await dispatcher.dispatchOnce()
    expect(sent()).toEqual(jobs.slice(0, 1))
    await dispatcher.dispatchOnce()
    expect(sent()).toEqual(jobs.slice(0, 2))
    dispatcher.loop.start()
    await lab.settle()
    await dispatcher.loop.stop()
    expect(sent()).toEqual(jobs)
  })

  test('claims programs of up to 1 MiB together', async () => {
    await using lab = await JobLab.open()
    const { dispatcher } = openDispatcher(lab)
    for (let at = 0; at < 2; at += 1) await lab.attach((await lab.qpu()).driver)
    const user = await lab.user()
    const sized = (filler: string) =>
      JSON.stringify({ ...PAYLOAD, circuits: [{ circuit: `// ${filler}\n${BELL}` }] })
    const payload = new JsonText(sized('x'.repeat(2 ** 20 - sized('').length)))
    expect(payload.byteLength).toBe(2 ** 20)
    for (let at = 0; at < 2; at += 1)
      await lab.db.write('submit', (tx) =>
        insertNow(tx, { user: user.id, qpu: '', payload, needs: { qubits: 2 } }, { maxPending: 10 }),
      )
    await dispatcher.dispatchOnce()
    expect(lab.hub.commands('RunJob')).toHaveLength(2)
  })

  test('prefers the booker; others follow once the booker has been idle', async () => {
    await using lab = await JobLab.open()
    const { dispatcher } = openDispatcher(lab)
    const qpu = await lab.qpu()
    await lab.attach(qpu.driver)
    const [booker, guest] = [await lab.user(), await lab.user()]
    await lab.db.write('book', (tx) =>
      tx.insert(timeSlots, {
        booked_by: booker.id,
        start_time: toTimestamp(lab.clock.now()),
        end_time: toTimestamp(lab.clock.now() + 3_600_000),
      }),
    )
    const other = await lab.submit(guest)
    await dispatcher.dispatchOnce()
    await lab.clock.advance(4_000)
    await dispatcher.dispatchOnce()
    expect(lab.hub.sent).toEqual([])
    const own = await lab.submit(booker)
    await dispatcher.dispatchOnce()
    expect(lab.hub.commands('RunJob').map(({ job }) => job)).toEqual([own.id])
    await lab.complete(own.id)
    await lab.clock.advance(4_999)
    await dispatcher.dispatchOnce()
    expect((await lab.job(other.id)).status).toBe('pending')
    await lab.clock.advance(1)
    await dispatcher.dispatchOnce()
    expect((await lab.job(other.id)).status).toBe('running')
  })
})

describe('JobDispatcher.loop', () => {
  test('wakes when a job is submitted, when one ends and when a driver attaches', async () => {
    await using lab = await JobLab.open()
    const { dispatcher } = openDispatcher(lab)
    const started = () => lab.hub.commands('RunJob').map(({ job }) => job)
    dispatcher.loop.start()
    const user = await lab.user()
    const first = await lab.submit(user)
    const qpu = await lab.qpu()
    await lab.attach(qpu.driver)
    await lab.settle()
    expect(started()).toEqual([first.id])
    const second = await lab.submit(user)
    await lab.settle()
    expect(started()).toEqual([first.id])
    await lab.complete(first.id)
    await lab.settle()
    expect(started()).toEqual([first.id, second.id])
    await dispatcher.loop.stop()
    await lab.complete(second.id)
    await lab.submit(user)
    await lab.settle()
    expect(started()).toHaveLength(2)
  })

  test('runs at the poll interval, so that a back-off ends without a change', async () => {
    await using lab = await JobLab.open()
    const { dispatcher } = openDispatcher(lab)
    await lab.attach((await lab.qpu()).driver)
    lab.hub.isFull = true
    const job = await lab.submit(await lab.user())
    dispatcher.loop.start()
    await lab.settle()
    expect(await lab.history(job.id)).toEqual(['submitted 0', 'claimed 1', 'undelivered 1'])
    lab.hub.isFull = false
    await lab.clock.advance(1_000)
    await lab.settle()
    expect(lab.hub.commands('RunJob')).toHaveLength(1)
    await dispatcher.loop.stop()
  })
})
