import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { untilExit } from '../support/process-state.ts'
import { PYTHON_ENV, skipsPython } from '../support/python/devices.ts'
import { until } from '../support/until.ts'
import { type DriverFlags, openBench } from './support/driver.ts'
import { DEVICES } from './support/host.ts'
import { runJobOf } from './support/jobs.ts'

/** The same devices in both languages, and how `--device` names them. */
const LANGUAGES = {
  TypeScript: (name: string) => ({ device: `${DEVICES}#${name}` }),
  Python: (name: string) => ({ device: `wild:${name[0]?.toUpperCase()}${name.slice(1)}` }),
}

const env = { ...PYTHON_ENV, PYTHONPATH: `${PYTHON_ENV.PYTHONPATH}:${join(import.meta.dir, 'support')}` }

/** What the server receives for one circuit: the result of the job and the phases of its heartbeats. */
async function outcomes(flags: DriverFlags, circuits: readonly string[], limit_ms = 0) {
  await using bench = await openBench({ env })
  await bench.attach(flags)
  const ends: unknown[] = []
  for (const [index, circuit] of circuits.entries()) {
    const job = `job00000000000${index.toString(36)}`
    bench.server.push(runJobOf(circuit, { job, limit_ms }))
    const event = await until(`the end of ${circuit}`, () =>
      bench.server.eventsOf('JobResult').find(({ id }) => id === `${job}.1`),
    )
    ends.push(event.payload)
  }
  return { ends, lines: bench.lines }
}

const completed = (note: string) => ({ status: 'completed', results: { metadata: { note } } })
const failed = (error: object) => ({ status: 'failed', error: expect.objectContaining(error) })
const exited = (how: string) =>
  failed({
    class: 'device',
    message: `worker exited (${how}) while running the job`,
    error_code: 'worker_exited',
  })

for (const [language, deviceOf] of Object.entries(LANGUAGES)) {
  const skip = language === 'Python' && skipsPython('devices in Python')
  const rule = (behavior: string) => `a device in ${language} ${behavior}`

  test.skipIf(skip)(rule('reports results, errors and what cannot be sent'), async () => {
    const circuits = ['ok one', 'refuse', 'throw', 'nan', 'large 9000000', 'unheard', 'ok last']
    const { ends } = await outcomes(deviceOf('wild'), circuits)
    expect(ends).toMatchObject([
      completed('one'),
      failed({
        class: 'user',
        message: 'circuit 0, line 3, column 7: gate foo is not known',
        error_code: 'unknown_gate',
      }),
      failed({
        class: 'user',
        message: 'TypeError: job execution failed, see the driver log',
        error_code: 'device_error',
      }),
      failed({
        class: 'user',
        message: 'The device returned a value that is not a finite number at metadata.value',
        error_code: 'invalid_results',
      }),
      failed({ class: 'user', error_code: 'results_too_large' }),
      failed({ class: 'user', message: 'no action called unheard' }),
      completed('last'),
    ])
    expect(ends[1]).toMatchObject({ execution_ms: 0 })
  })

  test.skipIf(skip)(rule('is given nothing of the driver, and reports phases'), async () => {
    await using bench = await openBench({ env: { ...env, SVC_ACCESS_TOKEN: 'svc_dt_1', SVC_CA_FILE: 'x' } })
    await bench.attach(deviceOf('wild'))
    bench.server.push(runJobOf('env', { job: 'job000000000000' }))
    const { payload } = await bench.event('JobResult')
    expect(JSON.stringify(payload)).toContain('PATH')
    expect(JSON.stringify(payload)).not.toMatch(/SVC_ACCESS_TOKEN|SVC_CA_FILE|NODE_CHANNEL_FD/)
  })

  test.skipIf(skip)(rule('sends the results of circuits that have ended before its job fails'), async () => {
    await using bench = await openBench({ env })
    await bench.attach(deviceOf('wild'))
    const command = runJobOf('part', { knows_progress: true })
    const circuits = [...command.payload.circuits, { circuit: 'other' }]
    bench.server.push({ ...command, payload: { ...command.payload, circuits } })
    const { payload } = await bench.event('JobResult')
    expect(payload).toMatchObject(failed({ message: 'the pump has stopped' }))
    expect(bench.server.eventsOf('JobProgress').map((event) => event.payload)).toMatchObject([
      { progress: 0.75, results: [{ index: 0, result: { counts: { '0': 1 } } }] },
    ])
  })

  test.skipIf(skip)(
    rule('ends as its time is over, whether it listens or not, and is used again'),
    async () => {
      const { ends } = await outcomes(deviceOf('wild'), ['patient', 'ok next', 'loop', 'ok last'], 150)
      const timedOut = failed({
        class: 'user',
        message: 'job timed out after 0.15 s',
        error_code: 'timed_out',
      })
      expect(ends).toMatchObject([timedOut, completed('next'), timedOut, completed('last')])
    },
  )

  test.skipIf(skip)(rule('that dies is reported and started again'), async () => {
    const { ends, lines } = await outcomes(deviceOf('wild'), ['abort', 'exit'])
    expect(ends).toMatchObject([exited('SIGABRT'), exited('code 7')])
    expect(lines).toContainEqual(
      expect.objectContaining({ message: 'device process ended and is restarted', how: 'SIGABRT' }),
    )
  })

  test.skipIf(skip)(rule('refuses to start with its reason, before anything is connected'), async () => {
    await using bench = await openBench({ env })
    const start = (option: string[], name = 'wild') => bench.start({ ...deviceOf(name), option })
    await expect(start(['greeting=hi', 'refuse_check=yes'])).rejects.toThrow(
      /^startup error: the fridge is warm$/,
    )
    await expect(start(['refuse_check=maybe'])).rejects.toThrow(
      'missing required option greeting (for example -o greeting=hello)\n' +
        'bad value for -o refuse_check: "maybe"; expected true or false',
    )
    await expect(start(['greeting=hi', 'once=/etc/passwd'])).rejects.toThrow(
      'bad value for -o once: /etc/passwd is not in a safe location: below /etc/svc-driver, /var/svc-driver, /tmp, /var/tmp or the home folder',
    )
    await expect(start([], 'crasher')).rejects.toThrow(/^startup error: .* (ended|exited) \((SIGABRT)\)/)
    await expect(bench.start({ ...deviceOf('wild'), operation: 'monitor' })).rejects.toThrow(
      `device ${deviceOf('wild').device} is a process device, not monitor`,
    )
    expect(bench.server.requests).toEqual([])
  })

  test.skipIf(skip)(rule('that monitors sends readings on its schedule'), async () => {
    await using bench = await openBench({ env })
    await bench.attach({ ...deviceOf('gauge'), operation: 'monitor', option: [] })
    const { payload } = await bench.event('CryostatReading', 3)
    expect(payload).toEqual({ readings: { stage: { value: expect.any(Number), unit: 'K', status: 'ok' } } })
  })
}

const skip = skipsPython('deaths of devices in Python')

test.skipIf(skip)('a device in Python may die in C, print, and return more than a frame takes', async () => {
  const { ends, lines } = await outcomes({ device: 'wild:Wild' }, [
    'print 10000000',
    'large 33554432',
    'async',
    'segfault',
    'leave',
  ])
  expect(ends).toMatchObject([
    completed('printed'),
    failed({ error_code: 'results_too_large' }),
    completed('awaited'),
    exited('SIGSEGV'),
    exited('code 7'),
  ])
  const printed = lines.filter(({ message }) => message === 'output of the device')
  expect(printed.length).toBeLessThanOrEqual(400)
  expect(lines.some(({ message }) => String(message).endsWith('lines are left out'))).toBe(true)
})

test.skipIf(skip)(
  'nothing is left of a device in Python, forked processes and threads included',
  async () => {
    await using bench = await openBench({ env })
    const driver = await bench.attach({ device: 'wild:Wild' })
    for (const [index, circuit] of ['pid', 'fork', 'thread'].entries()) {
      bench.server.push(runJobOf(circuit, { job: `job00000000000${index}` }))
      await bench.event('JobResult', index + 1)
    }
    const pids = bench.server
      .eventsOf('JobResult')
      .flatMap(({ payload }) => /"note":"(\d+)"/.exec(JSON.stringify(payload))?.[1] ?? [])
      .map(Number)
    expect(pids).toHaveLength(2)
    await driver.stop()
    for (const pid of pids) await untilExit(pid)
  },
)

test.skipIf(skip)(
  'a device in Python that hangs in C with the lock held is killed, and the job reported',
  async () => {
    const { ends } = await outcomes({ device: 'wild:Wild' }, ['hang', 'async patient', 'ok last'], 150)
    const timedOut = failed({ message: 'job timed out after 0.15 s', error_code: 'timed_out' })
    expect(ends).toMatchObject([timedOut, timedOut, completed('last')])
  },
)

test.skipIf(skip)('a tuner in Python calibrates on request and on its own', async () => {
  await using bench = await openBench({ env })
  await bench.attach({ device: 'wild:Tuner', operation: 'calibrate', option: [] })
  bench.server.push({
    type: 'RunCalibration',
    ...{ run_id: 'run000000000001', request_id: 'req000000000001', epoch: 1, limit_ms: 0 },
    ...{ mode: 'fidelity_check', target_qubits: ['q0', 'q1'] },
  })
  const report = await bench.event('CalibrationReport')
  expect(report.payload).toMatchObject({ status: 'success', notes: ['fidelity_check', 'q0', 'q1'] })
  expect(bench.server.eventsOf('CalibrationProgress')[0]?.payload).toMatchObject({ routine: 'rabi', step: 1 })
  bench.server.push({ type: 'SetMaintenance', on: true, reason: 'warm' })
  bench.server.push({ type: 'SetMaintenance', on: false, reason: '' })
  const own = await bench.event('CalibrationReport', 2)
  expect(own.payload).toMatchObject({ request_id: null, mode: 'partial', notes: ['partial', 'q3'] })
  await until('the findings in the log', () =>
    bench.lines.find(
      ({ message, notes }) => message === 'Tuner: calibrated' && notes === '["partial", "q3"]',
    ),
  )
})
