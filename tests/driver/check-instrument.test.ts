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

function checkFiles(device: string, hardware: string | undefined) {
  const optionPairs = [
    `scheduler_device_config=${device}`,
    ...(hardware === undefined ? [] : [`scheduler_hardware_config=${hardware}`]),
  ]
  const call = {
    operation: 'process',
    device: 'scheduler_a',
    optionPairs,
    dataDir: '/tmp/svc-test-data',
  } as const
  return checkDeviceInstrument({ ...call, isReset: false, isFilesOnly: true }, DEPENDENCIES)
}

test('the files of scheduler_a are checked without an instrument: each gate, or every problem of both', async () => {
  using folder = temporaryFolder()
  const [device, hardware] = [join(folder.path, 'device.yml'), join(folder.path, 'hardware.json')]
  const example = readFileSync(join(EXAMPLES, 'scheduler.device.yml'), 'utf8')
  const readout = 'acq_rotation: 12, acq_threshold: 1.0e-3, acq_channel: 0'
  writeFileSync(device, example.replace('acq_channel: 0', readout).replace('cz: 2.8e+8', 'cz: 7.14e+8'))
  writeFileSync(hardware, HARDWARE)
  const gates = Object.fromEntries(
    (await checkFiles(device, hardware)).map(({ subject, detail, passed }) => [subject, passed && detail]),
  )
  expect(gates).toMatchObject({
    'drive of q0': 'can be played at q0:mw',
    'readout of q0': 'can be played at q0:res',
    'readout of q1': 'cannot be played: not calibrated: measure.acq_rotation and measure.acq_threshold are 0',
    'CZ q0-q1': 'can be played at q0_q1:fl',
    'CZ q3-q4': 'cannot be played: q3_q4:fl plays 0 to 500 MHz, not 714',
  })
  expect(Object.keys(gates)).toHaveLength(14)
  expect(await checkFiles(device, undefined)).toHaveLength(14)
  // More than the ten problems that the start of a driver reports.
  const broken = example
    .replaceAll('duration: 5.6e-8', 'duration: 7')
    .replaceAll('acq_delay: 2.0e-7', 'acq_delay: x')
    .replaceAll('pulse_amp: 0.2', 'pulse_amp: 3')
  writeFileSync(device, broken)
  writeFileSync(hardware, HARDWARE.replace('"internal"', '"moon"'))
  const problems = await checkFiles(device, hardware)
  expect(problems.every(({ step, passed }) => step === 'files' && !passed)).toBe(true)
  expect(problems.filter(({ subject }) => subject === 'device file')).toHaveLength(15)
  expect(problems.at(-1)).toMatchObject({
    subject: 'hardware file',
    detail: 'line 7, column 14: hardware_description.cluster0.ref: expected internal or external, got "moon"',
  })
  expect(await checkFiles(join(folder.path, 'none.yml'), hardware)).toMatchObject([
    { subject: 'device file', passed: false, detail: expect.stringContaining('none.yml') },
    { subject: 'hardware file', passed: false },
  ])
})

test('a device without an instrument of its own is refused', async () => {
  await expect(check('mock', [])).rejects.toThrow('device mock has no check of its instrument')
})
