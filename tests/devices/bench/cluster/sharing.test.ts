import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readHardwareFile } from '../../../../src/devices/chip/hardware/hardware-file.ts'
import { FakeCluster } from '../../../support/cluster/fake-cluster.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'
import { until } from '../../../support/until.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

const EXAMPLES = join(import.meta.dir, '../../../../examples')
const USER = join(import.meta.dir, 'support/cluster-user.process.ts')

/** A fake cluster, and a folder with the files of a chip on it. */
async function setUp(scpiVersion: string, reset: string) {
  const text = readFileSync(join(EXAMPLES, 'scheduler.hardware.json'), 'utf8')
  const hardware = readHardwareFile(text)
  if ('problems' in hardware) throw new Error(hardware.problems.join('\n'))
  const modules = hardware.clusters[0]?.modules ?? new Map()
  const cluster = await FakeCluster.start({ modules, scpiVersion })
  const { host, port, moduleBase } = cluster.address
  const path = join(folder.path, String(port))
  mkdirSync(path)
  const content = JSON.parse(text)
  Object.assign(content.hardware_description.cluster0, {
    ip: `${host}:${port}`,
    module_base_port: moduleBase,
  })
  writeFileSync(join(path, 'hardware.json'), JSON.stringify(content))
  const device = readFileSync(join(EXAMPLES, 'scheduler.device.yml'), 'utf8')
  writeFileSync(
    join(path, 'device.yml'),
    device.replaceAll('reset: {duration: 3.0e-4}', `reset: {duration: ${reset}}`),
  )
  writeFileSync(
    join(path, 'calibration.yml'),
    'version: 1\nroutines:\n  resonator_spectroscopy: {shots: 20}\n',
  )
  return { cluster, path }
}

function start(role: 'process' | 'tuner', path: string, count: number, shots = 20) {
  return Bun.spawn([process.execPath, USER, role, path, String(count), String(shots)], {
    ...{ stdout: 'pipe', stderr: 'inherit', env: { ...process.env, TMPDIR: path } },
  })
}

async function linesOf(child: ReturnType<typeof start>): Promise<unknown[]> {
  const text = await new Response(child.stdout).text()
  expect(await child.exited).toBe(0)
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

const sum = (counts: unknown) => Object.values(counts as Record<string, number>).reduce((a, b) => a + b, 0)

describe('a cluster that several processes use', () => {
  test('serves the next driver after one was killed between arming and stopping', async () => {
    const { cluster, path } = await setUp('1.1', '2.0e-4')
    await using _ = cluster
    // A run of 20 s: only the kill ends it.
    const killed = start('process', path, 1, 100_000)
    await until('the start of the run', () =>
      cluster.log.some(({ text }) => text.endsWith('SEQuencer:START')),
    )
    killed.kill('SIGKILL')
    await killed.exited
    expect(cluster.sequencers.some(({ sequencer }) => sequencer.config.seq_proc.sync_en)).toBe(true)
    const [counts] = await linesOf(start('process', path, 1))
    expect(sum(counts)).toBe(20)
    expect(cluster.sequencers.some(({ sequencer }) => sequencer.config.seq_proc.sync_en)).toBe(false)
  }, 60_000)

  test('plays the jobs of one and the calibrations of the other after each other', async () => {
    const { cluster, path } = await setUp('1.0', '1.0e-6')
    await using _ = cluster
    const users = [start('process', path, 10), start('tuner', path, 2)]
    const [jobs = [], calibrations = []] = await Promise.all(users.map(linesOf))
    expect(jobs.map(sum)).toEqual(new Array(10).fill(20))
    expect(calibrations).toHaveLength(2)
    // In this dialect, one connection of each process has all commands but the reading of lists.
    const commands = cluster.log.filter(({ slot, text }) => slot === 0 && text.includes('SEQuencer'))
    const turns = commands.filter(({ client }, at) => client !== commands[at - 1]?.client)
    expect(new Set(turns.map(({ client }) => client)).size).toBe(2)
    // Everybody begins with a stop of what others may have left, and ends at rest.
    expect(turns.map(({ text }) => text)).toEqual(turns.map(() => 'SLOT:SEQuencer:STOP'))
    for (const { client } of turns) {
      const own = commands.filter((each) => each.client === client).map(({ text }) => text)
      expect(own.lastIndexOf('SLOT:SEQuencer:STOP')).toBeGreaterThan(own.lastIndexOf('SLOT:SEQuencer:START'))
    }
  }, 60_000)
})
