import { expect, test } from 'bun:test'
import { deliverEach } from '../../src/server/driver-hub.ts'
import { TestHub } from '../support/server/job-lab.ts'

test('deliverEach() delivers the other claims, and disconnects the driver of one that could not be put back', async () => {
  const hub = new TestHub()
  const delivered: string[] = []
  const deliver = async ({ driver }: { driver: string }) => {
    if (driver === 'b') throw new Error('the disk is full')
    delivered.push(driver)
  }
  const claims = ['a', 'b', 'c'].map((driver) => ({ driver }))
  await expect(deliverEach(hub, claims, deliver)).rejects.toThrow('the disk is full')
  expect(delivered).toEqual(['a', 'c'])
  expect(hub.disconnected.map(({ driver }) => driver)).toEqual(['b'])
})
