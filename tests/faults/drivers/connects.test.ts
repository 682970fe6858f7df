import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { ConnectResponse } from '../../../src/protocol/index.ts'
import { type DriverAccess, FaultLab, ROW_TIMEOUT_MS } from '../../support/faults/fault-lab.ts'

// F14: many connects at once for one role of one QPU.
setDefaultTimeout(ROW_TIMEOUT_MS)

const CONNECTS = 100
let lab: FaultLab
let first: DriverAccess
let second: DriverAccess

beforeAll(async () => {
  lab = await FaultLab.open()
  first = { id: '', name: 'target', token: lab.qpu.token }
  second = await lab.addDriver('second')
})
afterAll(() => lab.close())

/**
 * Requests the lease `CONNECTS` times at once, with each token in turn. Returns the statuses and the granted
 * leases.
 */
async function connectAll(tokens: string[], instance?: string) {
  const asked = Array.from({ length: CONNECTS }, (_, n) =>
    lab.service.call<ConnectResponse>('POST', '/api/op/drivers/connect', {
      body: { token: tokens[n % tokens.length], ...(instance !== undefined && { instance }) },
    }),
  )
  const answers = await Promise.all(asked)
  const granted = answers.filter(({ status }) => status === 200).map(({ body }) => body)
  return { statuses: new Set(answers.map(({ status }) => status)), granted }
}

/** Granted leases that are not the newest of their driver. */
function epochOfLease(): number {
  return lab.count(`SELECT epoch FROM leases WHERE qpu = $qpu AND operation = 'process'`, { qpu: lab.qpu.id })
}

test('two drivers at once: one of them has the lease, the other gets the name of the holder', () =>
  lab.row('F14 two drivers', async ({ note }) => {
    // Frees all leases.
    await lab.restart()
    const { statuses, granted } = await connectAll([first.token, second.token])
    expect([...statuses].sort()).toEqual([200, 409])
    note('duplicated', new Set(granted.map(({ id }) => id)).size - 1)
    const epochs = granted.map(({ epoch }) => epoch)
    expect(new Set(epochs).size).toBe(epochs.length)
    expect(Math.max(...epochs)).toBe(epochOfLease())
  }))

test('a driver at work is not disturbed by another one', () =>
  lab.row('F14 beside a driver at work', async ({ submit }) => {
    await lab.restart()
    await using driver = await lab.startDriver()
    const job = submit('// svc-mock: latency=0.3')
    const { statuses } = await connectAll([second.token])
    expect([...statuses]).toEqual([409])
    expect((await lab.untilCompleted(await job)).attempt).toBe(1)
    expect(driver.log).not.toContain('not connected')
  }))

test('one token used by many processes: the one at work keeps its lease', () =>
  lab.row('F14 one token', async ({ submit }) => {
    await lab.restart()
    await using driver = await lab.startDriver()
    const { statuses } = await connectAll([first.token])
    expect([...statuses]).toEqual([409])
    expect((await lab.untilCompleted(await submit())).attempt).toBe(1)
    expect(driver.log).not.toContain('not connected')
  }))

test('one process that requests its lease many times: each connect replaces the one before', () =>
  lab.row('F14 one process', async ({ note }) => {
    await lab.restart()
    const { statuses, granted } = await connectAll([first.token], 'one process')
    expect([...statuses]).toEqual([200])
    note('duplicated', CONNECTS - new Set(granted.map(({ epoch }) => epoch)).size)
  }))
