import { afterEach, expect, spyOn, test } from 'bun:test'
import * as listed from '../../../src/server/instance/services.ts'
import type { Service } from '../../../src/server/services.ts'
import { openTestServer } from '../../support/server/server.ts'

const { listServices } = listed
const spy = spyOn(listed, 'listServices')
afterEach(() => spy.mockRestore())

/** What uses what: the first of each pair starts after the second, and stops before it. */
const USES = [
  // What drivers report is counted, and their leases are free for the next server.
  ['drivers', 'job log'],
  ['drivers', 'release of leases'],
  // Nothing is claimed for drivers that cannot be reached.
  ['sessions', 'drivers'],
  ['recovery', 'drivers'],
  ['dispatch', 'drivers'],
  ['dispatch', 'job log'],
  ['calibration recovery', 'drivers'],
  ['calibration dispatch', 'drivers'],
  ['mail digests', 'mailer'],
] as const

/** Lets a service note when its start and its stop have ended. */
function noting(service: Service, steps: string[]): Service {
  for (const step of ['start', 'stop'] as const) {
    const run = service[step]?.bind(service)
    const value = async () => {
      await run?.()
      steps.push(`${step} ${service.name}`)
    }
    Object.defineProperty(service, step, { value })
  }
  return service
}

test('parts start after those that they use, and stop before them, the database as the last one', async () => {
  const steps: string[] = []
  spy.mockImplementation((...given) => listServices(...given).map((service) => noting(service, steps)))
  const server = await openTestServer()
  // The folder with its users was made by a server of its own.
  const started = steps.splice(steps.lastIndexOf('start database')).map((step) => step.replace('start ', ''))
  steps.length = 0
  await server.close()
  const stopped = steps.map((step) => step.replace('stop ', ''))
  expect(stopped).toEqual(started.toReversed())
  expect(started[0]).toBe('database')
  for (const [user, used] of USES) {
    expect(started).toContain(used)
    expect(started.indexOf(user)).toBeGreaterThan(started.indexOf(used))
  }
})
