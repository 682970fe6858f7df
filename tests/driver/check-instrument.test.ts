import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { silentLog, systemClock } from '../../src/base/index.ts'
import { readHardwareFile } from '../../src/devices/chip/hardware/hardware-file.ts'
import { checkDeviceInstrument } from '../../src/driver/check-instrument.ts'
import { FakeCluster } from '../support/cluster/fake-cluster.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const EXAMPLES = join(import.meta.dir, '../../examples')
const HARDWARE = readFileSync(join(EXAMPLES, 'scheduler.hardware.json'), 'utf8')
const DEPENDENCIES = { clock: systemClock, log: silentLog, cwd: '/tmp', home: homedir(), env: {} }

function check(device: string, optionPairs: string[], operation: 'process' | 'calibrate' = 'process') {
  return checkDeviceInstrument(
    { operation, device, optionPairs, dataDir: '/tmp/svc-test-data', isReset: false },
    DEPENDENCIES,
  )
}

test('scheduler_a checks the cluster of its hardware file, every line of the chip on it', async () => {
  using folder = temporaryFolder()
  const read = readHardwareFile(HARDWARE)
  if ('problems' in read) throw new Error(read.problems.join('\n'))
  const modules = read.clusters[0]?.modules ?? new Map()
  await using cluster = await FakeCluster.start({ modules })
  const { host, port, moduleBase } = cluster.address
  const [device, hardware] = [join(folder.path, 'device.yml'), join(folder.path, 'hardware.json')]
  const example = readFileSync(join(EXAMPLES, 'scheduler.device.yml'), 'utf8')
  writeFileSync(device, example.replace('cz: 2.8e+8', 'cz: 7.14e+8'))
  const address = `"ip": "${host}:${port}", "module_base_port": ${moduleBase}`
  writeFileSync(hardware, HARDWARE.replace('"ip": "192.168.0.2"', address))
  const options = [`scheduler_device_config=${device}`, `scheduler_hardware_config=${hardware}`]
  const checks = await check('scheduler-a', options)
  expect(checks.filter(({ passed }) => !passed)).toEqual([])
  expect(checks[0]).toMatchObject({
    ...{ step: 'files', detail: 'CZ q3-q4 unavailable: q3_q4:fl plays 0 to 500 MHz, not 714' },
  })
  const played = checks.filter(({ step }) => step === 'program').map(({ subject }) => subject)
  expect(played.toSorted()).toEqual(
    [0, 1, 2, 3, 4]
      .flatMap((at) => [`q${at}:mw`, `q${at}:res`, ...(at < 4 ? [`q${at}_q${at + 1}:fl`] : [])])
      .toSorted(),
  )
  await expect(check('scheduler_a', [...options, 'is_dummy=true'])).rejects.toThrow('no cluster to check')
})

test('a device without an instrument of its own is refused', async () => {
  await expect(check('mock', [])).rejects.toThrow('device mock has no check of its instrument')
})
