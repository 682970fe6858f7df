import { expect, spyOn, test } from 'bun:test'
import { timeSlots } from '../../../../../src/db/store/bookings/index.ts'
import { cancelJob, moveJobToFront, readQueueHead } from '../../../../../src/db/store/jobs/index.ts'
import { OrderReading, queueReads } from '../../../../../src/db/store/jobs/queue/qpu-queue.ts'
import { deleteJob } from '../../../../../src/db/store/jobs/transitions/delete.ts'
import { JobLab } from '../../../../support/server/job-lab.ts'

const ANY = { key: 'any', fits: () => true }
const LATER = '2999-01-01 00:00:00.000Z'

test('QPUs with the same limits share a count of the jobs for any QPU', async () => {
  await using lab = await JobLab.open()
  const [user, other] = [await lab.user(), await lab.user()]
  for (const owner of [user, user, other]) await lab.submit(owner)
  await lab.db.read((tx) => {
    const reading = new OrderReading(lab.order, tx, tx.read(queueReads()))
    const looked = spyOn(lab.order, 'queueFor')
    const count = (owner?: string, seq = 99, key = 'any') => reading.countForAny(owner, seq, { ...ANY, key })
    expect([count(), count(), looked.mock.calls.length]).toEqual([3, 3, 1])
    // Another user, another place or other limits are counted anew; only the last count is kept.
    expect([count(user.id), count(user.id), looked.mock.calls.length]).toEqual([2, 2, 2])
    expect([count(user.id, 2), count(user.id, 2), looked.mock.calls.length]).toEqual([1, 1, 3])
    expect([count(other.id, 99, 'small'), count(user.id, 2), looked.mock.calls.length]).toEqual([1, 1, 4])
    looked.mockRestore()
  })
})

test('a list has as many jobs as asked for, although moved and booked ones are first', async () => {
  await using lab = await JobLab.open()
  const qpu = await lab.qpu()
  const [user, booker] = [await lab.user(), await lab.user()]
  const [first, second, third] = [await lab.submit(user), await lab.submit(booker), await lab.submit(user)]
  const listed = async (limit: number) => {
    const options = { limit, idleMs: 0, order: lab.order }
    const head = await lab.db.read((tx) => readQueueHead(tx, qpu.id, options))
    return head?.jobs.map(({ id }) => id)
  }
  await lab.db.write('front', (tx) => moveJobToFront(tx, { job: first.id, actor: 'test', reason: '' }))
  expect(await listed(3)).toEqual([first.id, second.id, third.id])
  await lab.db.write('book', (tx) =>
    tx.insert(timeSlots, { booked_by: booker.id, start_time: tx.at, end_time: LATER }),
  )
  expect(await listed(3)).toEqual([first.id, second.id, third.id])
  await lab.db.write('cancel', (tx) => cancelJob(tx, first.id))
  expect([await listed(2), await listed(1)]).toEqual([[second.id, third.id], [second.id]])
})

test('the order has neither deleted nor ended jobs', async () => {
  await using lab = await JobLab.open()
  const user = await lab.user()
  const [deleted, cancelled, kept] = [await lab.submit(user), await lab.submit(user), await lab.submit(user)]
  const known = () =>
    lab.db.write('look', (tx) => {
      lab.order.refresh(tx)
      return [1, 2, 3].map((seq) => lab.order.job(seq)?.id)
    })
  expect(await known()).toEqual([deleted.id, cancelled.id, kept.id])
  await lab.db.write('delete', (tx) => deleteJob(tx, deleted.id))
  await lab.db.write('cancel', (tx) => cancelJob(tx, cancelled.id))
  expect(await known()).toEqual([undefined, undefined, kept.id])
})

test('the forecast of a QPU learns from the end of a job, without reading the others again', async () => {
  await using lab = await JobLab.open()
  const user = await lab.user()
  const { job } = await lab.running(user)
  const qpu = (await lab.job(job)).qpu
  const forecast = await lab.db.read((tx) => lab.order.forecasts.of(tx, qpu))
  await lab.submit(user)
  const before = forecast.recentMs
  await lab.clock.advance(5_000)
  await lab.complete(job)
  expect([before, forecast.recentMs]).toEqual([[], [5_000]])
  expect(await lab.db.read((tx) => lab.order.forecasts.of(tx, qpu))).toBe(forecast)
})
