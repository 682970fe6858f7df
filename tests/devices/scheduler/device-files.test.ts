import { afterAll, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Log, silentLog, systemClock } from '../../../src/base/index.ts'
import { StartupError } from '../../../src/devices/errors.ts'
import type { DeviceProvenance } from '../../../src/protocol/index.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { designFile } from '../../support/tuning/acceptance/design-file.ts'
import { ioOf, openProcess, payloadOf, runJob } from '../support/jobs.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

const DESIGN = designFile({ columns: 2, rows: 1 })
const JOB = payloadOf(['OPENQASM 3.0; include "stdgates.inc"; qubit q; bit c; x q; c = measure q;'])

function hardware(ip: string): string {
  return JSON.stringify({
    config_type: 'QbloxHardwareCompilationConfig',
    hardware_description: { cluster0: { instrument_type: 'Cluster', ref: 'internal', ip, modules: {} } },
    hardware_options: {},
    connectivity: { graph: [] },
  })
}

function file(name: string, content: string): string {
  const path = join(folder.path, name)
  writeFileSync(path, content)
  return path
}

/** Opens scheduler_a with a dummy; returns what it warns of. */
async function open(device: string, hardwarePath?: string) {
  const warnings: string[] = []
  const log: Log = {
    ...silentLog,
    warn: (text, fields) => {
      warnings.push(`${text} ${JSON.stringify(fields)}`)
    },
  }
  const pairs = [
    ...[`scheduler_device_config=${device}`, 'is_dummy=true'],
    ...(hardwarePath === undefined ? [] : [`scheduler_hardware_config=${hardwarePath}`]),
  ]
  const opened = await openProcess('scheduler_a', pairs, systemClock, log)
  const about = (text: string) => warnings.filter((warning) => warning.startsWith(text))
  return { run: async () => (await runJob(opened, JOB)).metadata['device_config'], about }
}

test('names that nothing recognizes are logged at the start, and the rest is used', async () => {
  const text = DESIGN.replace('rxy: {amp180', 'rxy: {amp18: 0.1, amp180')
  const { run, about } = await open(file('names.device.yml', text))
  expect(about('names in a file are not used')).toHaveLength(1)
  expect(about('names in a file are not used')[0]).toContain('q0.rxy.amp18')
  expect(await run()).toMatch(/^[0-9a-f]{12}$/)
})

test('the old form of element_type prevents the start, and the new form is shown', async () => {
  const text = DESIGN.replace(/element_type: \{path: (\S+), args: \[q0\], kwargs: \{\}\}/, 'element_type: $1')
  const error: unknown = await open(file('old.device.yml', text)).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(StartupError)
  expect(String(error)).toContain(
    'element_type: {path: svc.elements.CalibratedTransmon, args: [q0], kwargs: {}}',
  )
})

test('a change of the hardware file is logged once, as needing a restart', async () => {
  const path = file('changed.hardware.json', hardware('dummy'))
  const { run, about } = await open(file('hardware.device.yml', DESIGN), path)
  await run()
  expect(about('hardware config changed')).toEqual([])
  writeFileSync(path, hardware('192.168.0.2'))
  await run()
  await run()
  expect(about('hardware config changed; restart the driver to use it')).toHaveLength(1)
})

test('the device file is read again before each job; one that does not parse leaves the working one in use', async () => {
  const path = file('changed.device.yml', DESIGN)
  const { run, about } = await open(path)
  const first = await run()
  writeFileSync(path, `${DESIGN}q9: {`)
  expect([await run(), await run()]).toEqual([first, first])
  expect(about('a changed file is not used')).toHaveLength(1)
  writeFileSync(path, DESIGN.replace('amp180: 0.5', 'amp180: 0.45'))
  expect(await run()).not.toBe(first)
})

test('a job reports the device file as it was in use before and after it, and the options of the compiler', async () => {
  const path = file('reported.device.yml', DESIGN)
  utimesSync(path, 1_700_000_000, 1_700_000_000)
  const device = await openProcess('scheduler_a', [`scheduler_device_config=${path}`, 'is_dummy=true'])
  const changed = DESIGN.replace('amp180: 0.1', 'amp180: 0.2')
  const reported: DeviceProvenance[] = []
  const run = (onRun: () => void, payload = JOB) => {
    const phase = (name: string) => (name === 'run' ? onRun() : undefined)
    const io = { ...ioOf(), phase, ranWith: (known: DeviceProvenance) => void reported.push(known) }
    return device.run({ id: 'job000000000001', attempt: 1, payload }, io)
  }
  await run(() => undefined)
  await run(() => writeFileSync(path, changed), { ...JOB, optimization_level: 2 })
  // Not valid: the working one stays in use.
  await run(() => writeFileSync(path, 'q0: ['))
  await expect(run(() => undefined, payloadOf(['OPENQASM 3.0; qubit q; nope q;']))).rejects.toThrow()
  const [first, second, third, fourth] = reported.map(({ device_file }) => device_file)
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
  const before = { sha256: sha256(DESIGN), modified_at: '2023-11-14T22:13:20.000Z' }
  expect(first).toEqual({ before, after: before })
  expect(second?.before).toEqual(before)
  expect(second?.after.sha256).toBe(sha256(changed))
  expect([third?.after, fourth?.before, fourth?.after]).toEqual(Array(3).fill(second?.after))
  expect(reported.map(({ compiler }) => compiler?.options)).toEqual([{}, { optimization_level: 2 }, {}, {}])
})
