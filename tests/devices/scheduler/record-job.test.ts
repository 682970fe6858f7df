import { afterAll, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { silentLog } from '../../../src/base/index.ts'
import { createDummyInstrument } from '../../../src/devices/bench/dummy.ts'
import { RawDataSpace } from '../../../src/devices/bench/raw-data/raw-data-space.ts'
import { recordJob } from '../../../src/devices/scheduler/record-job.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { designFile } from '../../support/tuning/acceptance/design-file.ts'
import { errorOfJob, openProcess, payloadOf, runJob } from '../support/jobs.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

const BELL =
  'OPENQASM 3.0; include "stdgates.inc"; qubit[2] q; bit[2] c; h q[0]; cx q[0], q[1]; c = measure q;'

function contentOf(path: string) {
  return JSON.parse(readFileSync(path, 'utf8'))
}

/** A device with raw data in a folder of its own. */
async function openRecording(name: string, saves = true) {
  const data = join(folder.path, name)
  const config = join(folder.path, `${name}.device.yml`)
  writeFileSync(config, designFile({ columns: 2, rows: 1 }))
  const options = [`scheduler_device_config=${config}`, 'is_dummy=true', `save_raw_data=${saves}`]
  const device = await openProcess('scheduler_b', [...options, `data_dir=${data}`])
  return { device, config, raw: join(data, 'raw') }
}

test('scheduler_b keeps the signals of every circuit of a job, what was played, and a snapshot', async () => {
  const { device, config, raw } = await openRecording('kept')
  const payload = payloadOf([BELL, BELL], { shots: 5 })
  const { metadata } = await runJob(device, payload, 'job000000000007', 2)
  expect(metadata['raw_data']).toBe('job000000000007-2')
  const run = join(raw, 'job000000000007-2')
  expect(readdirSync(run).sort()).toEqual([
    ...['00001-q0-q1.npy', '00002-q0-q1.npy', 'index.json', 'kept.device.yml', 'snapshot.json'],
  ])
  const { backend, files } = contentOf(join(run, 'index.json'))
  expect(backend).toBe('scheduler_b+dummy')
  expect(files).toHaveLength(2)
  expect(files[1]).toMatchObject({
    ...{ file: '00002-q0-q1.npy', dtype: 'complex128', shape: [1, 2, 5] },
    labels: {
      ...{ circuit: 1, parameter_set: 0, kind: 'shots', axes: ['point', 'acquisition', 'shot'], unit: 'V' },
      ...{ shots: 5, reset_ns: 300_000, qubits: ['q0', 'q1'] },
      acquisitions: [
        { qubit: 'q0', clbit: 0 },
        { qubit: 'q1', clbit: 1 },
      ],
    },
  })
  expect(files[1].labels.schedule.pulses.length).toBeGreaterThan(4)
  expect(readFileSync(join(run, 'kept.device.yml'), 'utf8')).toBe(readFileSync(config, 'utf8'))
  expect(contentOf(join(run, 'snapshot.json'))).toMatchObject({
    ...{ version: 1, job: 'job000000000007', attempt: 2, backend: 'scheduler_b+dummy', instrument: {} },
  })
})

test('traces are kept with an axis of nanoseconds', async () => {
  const { device, raw } = await openRecording('traces')
  await runJob(device, payloadOf([BELL], { shots: 5, meas_level: 0 }))
  const { files } = contentOf(join(raw, 'job000000000001-1', 'index.json'))
  expect(files).toMatchObject([{ shape: [1, 2, 1800], labels: { axes: ['point', 'acquisition', 'ns'] } }])
})

test('nothing is kept without the option, or of a circuit that does not compile', async () => {
  const quiet = await openRecording('quiet', false)
  const { metadata } = await runJob(quiet.device, payloadOf([BELL], { shots: 5 }))
  expect(metadata['raw_data']).toBeUndefined()
  expect(existsSync(quiet.raw)).toBe(false)
  const { device, raw } = await openRecording('refused')
  await errorOfJob(device, payloadOf([BELL.replaceAll('[2]', '[9]')]))
  expect(existsSync(raw)).toBe(false)
})

test('a folder that cannot be written never fails a job', async () => {
  const { device, raw } = await openRecording('blocked')
  writeFileSync(join(raw, '..'), 'a file where the data folder should be')
  const { circuit_results } = await runJob(device, payloadOf([BELL], { shots: 5 }))
  expect(circuit_results[0]?.counts).toEqual({ '00': 5 })
})

test('an instrument that does not answer any more has its error in the snapshot', async () => {
  const clock = new FakeClock()
  const space = new RawDataSpace({ folder: folder.path, clock, log: silentLog })
  const program = { kind: 'average', shots: 1, reset_ns: 0, points: [] } as const
  for (const [id, snapshot] of [
    ['settings', async () => ({ idn: 'cluster' })],
    ['silent', () => Promise.reject(new Error('connection lost'))],
  ] as const) {
    const instrument = { ...createDummyInstrument(), snapshot }
    const job = { id, attempt: 1 }
    const record = recordJob({ job, device: 'd', instrument, space, files: [], clock, log: silentLog })
    await record.recorder.add(program, [])
    await record.finish()
  }
  const instrumentOf = (run: string) => contentOf(join(folder.path, run, 'snapshot.json')).instrument
  expect(instrumentOf('settings-1')).toEqual({ idn: 'cluster' })
  expect(instrumentOf('silent-1')).toEqual({ error: 'connection lost' })
})
