import { afterAll, expect, test } from 'bun:test'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import * as v from 'valibot'
import { silentLog, systemClock } from '../../src/base/index.ts'
import { openDevice, readOptions, resolveDevice } from '../../src/devices/index.ts'
import { calibrationFindings, type Operation } from '../../src/protocol/index.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { payloadOf, runJob } from './support/jobs.ts'

// Outside of the checkout, like a user's file: svc/devices must come from the program.
const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

const root = join(import.meta.dir, '../..')

async function open<Op extends Operation>(operation: Op, name: string, pairs: string[] = []) {
  const device = await resolveDevice({ operation, device: name, cwd: folder.path })
  const options = readOptions({ device, pairs, cwd: folder.path, home: homedir(), dataDir: folder.path })
  const signal = new AbortController().signal
  return openDevice(device, { name: 'lab', options, log: silentLog, signal, clock: systemClock })
}

test('examples/device.ts runs from anywhere by its import path', async () => {
  copyFileSync(join(root, 'examples/device.ts'), join(folder.path, 'device.ts'))
  const device = await open('process', './device.ts#coin', ['bias=1', 'color=green'])
  const circuits = ['OPENQASM 3.0; bit[3] c;', 'OPENQASM 2.0; creg c[2];']
  const results = await runJob(device, payloadOf(circuits, { shots: 20 }))
  expect(results.circuit_results.map(({ counts }) => counts)).toEqual([{ '111': 20 }, { '11': 20 }])
  expect(results.backend).toBe('coin')
  await expect(runJob(device, payloadOf(['OPENQASM 3.0;']))).rejects.toThrow('declares no classical bits')
})

test('examples/device.ts refuses a bias outside of [0, 1]', async () => {
  await expect(open('process', './device.ts#coin', ['bias=2'])).rejects.toThrow(
    'bad value for -o bias: "2"; expected a number from 0 to 1',
  )
})

test('docs/how-to/write-a-device.md: the thermometer runs as printed', async () => {
  const page = readFileSync(join(root, 'docs/how-to/write-a-device.md'), 'utf8')
  const [, code = ''] = /```ts\n(import [\s\S]*?)```/.exec(page) ?? []
  writeFileSync(join(folder.path, 'thermometer.ts'), code)
  const device = await open('monitor', './thermometer.ts#thermometer')
  const events: string[] = []
  await device.start({
    emit: (type) => events.push(type),
    every: (seconds, run) => {
      expect(seconds).toBe(5)
      void run(new AbortController().signal, 0)
    },
  })
  expect(events).toEqual(['CryostatReading'])
})

test('examples/tuner.ts measures the requested qubits and refuses unknown ones', async () => {
  copyFileSync(join(root, 'examples/tuner.ts'), join(folder.path, 'tuner.ts'))
  writeFileSync(join(folder.path, 'calibration.yml'), '')
  const device = await open('calibrate', './tuner.ts#stopwatch', ['calibration_config=./calibration.yml'])
  const steps: unknown[] = []
  const { signal } = new AbortController()
  const run = (targetQubits: string[]) =>
    device.calibrate(
      { runId: 'run000000000001', id: null, mode: 'partial', targetQubits },
      { signal, progress: (step) => steps.push(step.target) },
    )
  const report = await run(['q1'])
  expect(report).toMatchObject({ status: 'success', routines: [{ routine: 't1', target: 'q1' }] })
  expect(v.is(calibrationFindings, report)).toBe(true)
  expect(steps).toEqual(['q1'])
  await expect(run(['q7'])).rejects.toThrow('there is no qubit q7 on this chip')
})
