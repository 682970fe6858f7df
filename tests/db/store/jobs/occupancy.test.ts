import { expect, test } from 'bun:test'
import { toTimestamp } from '../../../../src/base/index.ts'
import { timeSlots } from '../../../../src/db/store/bookings/index.ts'
import { OrderReading, queueReads, readOccupancy } from '../../../../src/db/store/jobs/index.ts'
import { qpus } from '../../../../src/db/store/qpus/index.ts'
import { JobLab } from '../../../support/server/job-lab.ts'

test('a QPU is held by the booking of itself or of all, and its queue has jobs for it or for any', async () => {
  await using lab = await JobLab.open()
  const [north, south, user] = [await lab.qpu(), await lab.qpu(), await lab.user()]
  const slot = (qpu: string, from: number, to: number) => {
    const at = (hours: number) => toTimestamp(lab.clock.now() + hours * 3_600_000)
    return lab.db.write('book', (tx) =>
      tx.insert(timeSlots, { booked_by: user.id, qpu, start_time: at(from), end_time: at(to) }),
    )
  }
  const now = toTimestamp(lab.clock.now())
  const own = await slot(north.id, -1, 1)
  const all = await slot('', 1, 2)
  await lab.submit(user)
  await lab.submit(user, north.id)
  const read = () =>
    lab.db.read((tx) => readOccupancy(new OrderReading(lab.order, tx, tx.read(queueReads())), [north, south]))
  const seen = await read()
  expect(seen.get(north.id)).toMatchObject({
    queueLength: 2,
    holder: { user: user.id, until: own.end_time },
    nextFree: all.end_time,
    running: undefined,
  })
  expect(seen.get(south.id)).toMatchObject({ queueLength: 1, holder: undefined, nextFree: now })
  const { job } = await lab.running(user)
  expect([...(await read()).values()].map(({ running }) => running)).toEqual([undefined, undefined])
  const { qpu } = await lab.job(job)
  const busy = await lab.db.read((tx) =>
    readOccupancy(new OrderReading(lab.order, tx, tx.read(queueReads())), tx.list(qpus, { ids: [qpu] })),
  )
  expect(busy.get(qpu)?.running).toMatchObject({ job, user: user.id })
})
