import { describe, expect, test } from 'bun:test'
import {
  attachLease,
  createDriver,
  createQpu,
  type Driver,
  drivers,
  grantLease,
  listOfflineDrivers,
  qpus,
  resetLeases,
} from '../../../../src/db/store/qpus/index.ts'
import { JobLab } from '../../../support/server/job-lab.ts'

const grant = (lab: JobLab, driver: Driver, range: { firstPort: number; lastPort: number }) =>
  grantLease(lab.db, {
    tokenHash: driver.token,
    ...range,
    takenPorts: new Set(),
    isHeldByAnotherProcess: () => false,
    host: '127.0.0.1',
    version: 'test',
    device: 'mock',
  })

describe('grantLease()', () => {
  test('grants the last two ports of the range, and no port beyond it', async () => {
    await using lab = await JobLab.open()
    const [north, south] = [await lab.qpu(), await lab.qpu()]
    const range = { firstPort: 6_000, lastPort: 6_001 }
    expect(await grant(lab, north.driver, range)).toMatchObject({ commandPort: 6_000, resultPort: 6_001 })
    const refused = grant(lab, south.driver, { firstPort: 6_000, lastPort: 6_002 })
    await expect(refused).rejects.toMatchObject({ reason: 'no_ports_available' })
    // Its own ports are free for a driver that connects again.
    expect(await grant(lab, north.driver, range)).toMatchObject({ commandPort: 6_000, resultPort: 6_001 })
  })
})

describe('attachLease()', () => {
  test('a QPU has the status and the ports of its process driver only', async () => {
    await using lab = await JobLab.open()
    const { qpu } = await createQpu(lab.db, 'test', {
      ...{ name: 'north', executorType: 'mock', numQubits: 1, enabled: true },
      tokenHash: 'process',
    })
    const monitor = await createDriver(lab.db, 'test', {
      ...{ name: 'fridge', qpu: qpu.id, operation: 'monitor', device: 'cryostat_gen1', enabled: true },
      tokenHash: 'monitor',
    })
    const { epoch } = await grant(lab, monitor, { firstPort: 6_000, lastPort: 6_999 })
    expect(await attachLease(lab.db, { driver: monitor.id, epoch })).toBe(true)
    const stored = await lab.db.read((tx) => ({
      qpu: tx.find(qpus, qpu.id),
      driver: tx.find(drivers, monitor.id),
    }))
    expect(stored.driver).toMatchObject({ status: 'online', command_port: 6_000 })
    expect(stored.qpu).toMatchObject({ status: 'offline', command_port: 0 })
  })
})

describe('listOfflineDrivers()', () => {
  test('names drivers that are offline, and process drivers of a QPU that is', async () => {
    await using lab = await JobLab.open()
    const [north, south] = [await lab.qpu(), await lab.qpu()]
    const offline = () =>
      lab.db.read((tx) => listOfflineDrivers(tx, [north.driver.id, south.driver.id, 'gone00000000000']))
    expect(await offline()).toEqual([north.driver.name, south.driver.name])
    await lab.attach(north.driver)
    expect(await offline()).toEqual([south.driver.name])
    const target = await lab.attach(south.driver)
    expect(await offline()).toEqual([])
    await lab.db.write('status', (tx) => tx.update(qpus, north.id, { status: 'offline' }))
    await lab.detach(target)
    expect(await offline()).toEqual([north.driver.name, south.driver.name])
  })
})

test('resetLeases() sets connected QPUs offline and leaves the others as they are', async () => {
  await using lab = await JobLab.open()
  const [north, south] = [await lab.qpu(), await lab.qpu()]
  await lab.db.write('ports', (tx) => {
    tx.update(qpus, north.id, { status: 'online', command_port: 6_000, result_port: 6_001 })
    tx.update(qpus, south.id, { status: 'offline', command_port: 0, result_port: 0 })
    tx.run("UPDATE qpus SET updated = '2020-01-01 00:00:00.000Z'")
  })
  await resetLeases(lab.db)
  const [first, second] = await lab.db.read((tx) => [tx.find(qpus, north.id), tx.find(qpus, south.id)])
  expect(first).toMatchObject({ status: 'offline', command_port: 0, result_port: 0 })
  expect(first?.updated).not.toBe('2020-01-01 00:00:00.000Z')
  expect(second?.updated).toBe('2020-01-01 00:00:00.000Z')
})
