import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Running, startSvc } from '../../support/executable/background-process.ts'
import { type JobSeen, submit, timesOf, untilJob } from '../../support/executable/job-calls.ts'
import { Service } from '../../support/executable/service.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'
import { RUNS_WHOLE, rows } from '../../support/whole.ts'

setDefaultTimeout(60_000)

const folder = temporaryFolder()
const flag = join(folder.path, 'broken')
const ODD = `
    import { existsSync } from 'node:fs'
    import { circuitResultOf, defineDevice, JobError, jobResultsOf } from 'svc/devices'
    const acts = {
      refuse() { throw new JobError('Qubit 7 is warm; use qubits 0 to 6', { errorCode: 'warm_qubit' }) },
      fault() { throw new JobError('The pump stopped', { class: 'device', executed: true }) },
      bug() { throw new TypeError('cannot read /root/secret/instrument.cfg') },
      exit() { process.exit(0) },
      spin() { for (;;); },
      nothing() { return undefined },
      lie() { return { success: true, circuit_results: [] } },
      async stray() { void Promise.reject(new Error('nobody waits for this')); await new Promise(() => undefined) },
      chatter() { console.log('{"kind":"ready"}'); console.error('oops'); process.stdout.write('\\0\\n'.repeat(1000)) },
    }
    export const odd = defineDevice({
      operation: 'process',
      name: 'odd',
      create(context) {
        if (existsSync(${JSON.stringify(flag)})) throw new Error('the cable fell out')
        return {
          async run(job) {
            const [, act] = /act: (\\w+)/.exec(job.payload.circuits[0].circuit) ?? []
            if (act && act !== 'chatter') return acts[act]()
            if (act) acts[act]()
            const circuit = { qubits: 1, clbits: 1, qregs: [], cregs: [] }
            const counts = { '1': job.payload.shots }
            const result = circuitResultOf({ circuitIndex: 0, circuit, shots: job.payload.shots, counts, metadata: {} })
            return jobResultsOf(context.device, [result], { raw: context.raw })
          },
        }
      },
    })
    `

let service: Service
let user: { id: string; token: string }
const drivers: Record<string, Running> = {}
/** Everything is sent at the start, so that the pauses between attempts overlap. */
const sent: Record<string, string> = {}

const MOCK = {
  'fail once': '// svc-mock: fail=error attempts=1',
  'crash once': '// svc-mock: fail=crash attempts=1',
  'behind the crash': '',
  'crash always': '// svc-mock: fail=crash',
  hang: '// svc-mock: fail=hang',
  'behind the hang': '',
  garbage: '// svc-mock: fail=garbage',
  'behind all': '',
  ...(RUNS_WHOLE && {
    'fail always': '// svc-mock: fail=error',
    'too long': '// svc-mock: latency=60',
    'slow result': '// svc-mock: fail=slow_result',
  }),
}
/** Devices in their own process are tested with these in `tests/driver/languages.test.ts`, too. */
const ENDS = rows(['spin', 'exit', 'nothing', 'lie', 'stray'], 2)
const ODD_BEHAVIORS = ['refuse', 'fault', 'bug', 'chatter', ...ENDS]

beforeAll(async () => {
  service = await Service.install(folder.path, { flags: ['--max-attempts', '2'] })
  await service.start()
  user = await service.createUser(1_000)
  writeFileSync(join(folder.path, 'odd.js'), ODD)
  await Promise.all([
    open('mock', 'mock', ['pragmas=true', 'job_timeout=2']),
    RUNS_WHOLE && open('shaky', 'mock', ['fail=crash', 'fail_every=3']),
    open('odd', './odd.js#odd', ['job_timeout=1.5', 'color=red', 'data_dir=odd-data']),
    open('unplugged', './odd.js#odd', []),
  ])
  for (const [title, comment] of Object.entries(MOCK)) sent[title] = await send('mock', comment)
  for (const n of RUNS_WHOLE ? [1, 2, 3, 4] : []) sent[`shaky ${n}`] = await send('shaky')
  for (const act of ODD_BEHAVIORS) {
    sent[act] = await send('odd', `// act: ${act}`)
    sent[`after ${act}`] = await send('odd')
  }
})

afterAll(async () => {
  for (const driver of Object.values(drivers)) {
    driver.process.kill('SIGTERM')
    expect((await driver.ended()).status).toBe(0)
    // No failure of its device cost a driver its connection.
    expect(driver.log.split('"message":"connected"')).toHaveLength(2)
  }
  await service.stop()
  expect((await service.doctor()).out).toContain('no problems found')
  folder[Symbol.dispose]()
})

/** A QPU of its own with a running driver. */
async function open(name: string, device: string, options: string[]): Promise<void> {
  const qpu = await service.createQpu(name)
  const args = service.driverArgs(name, qpu.fingerprint, device, options)
  drivers[name] = startSvc(args, { cwd: folder.path, env: { SVC_ACCESS_TOKEN: qpu.token } })
  await service.untilOnline(name)
}

/** Submits a job with a comment for the device. */
function send(qpu_target: string, comment = ''): Promise<string> {
  const circuit = `${comment}\nOPENQASM 3.0; include "stdgates.inc"; qubit q; bit c; x q; c = measure q;`
  return submit(service, user.token, { circuits: [{ circuit }], shots: 5, qpu_target })
}

/** The end of a job that was sent at the start. */
function end(title: string): Promise<JobSeen> {
  return untilJob(service, user.token, sent[title] ?? '', undefined, 40_000)
}

describe('the mock device, instructed to', () => {
  test('fail once, is tried again and charged once', async () => {
    const job = await end('fail once')
    expect([job.status, job.attempt, job.results?.counts]).toEqual(['completed', 2, { '1': 5 }])
    expect(timesOf(job, 'completed')).toBe(1)
  })

  test('crash once, is restarted, and neither this job nor the one behind it is lost', async () => {
    const [job, behind] = [await end('crash once'), await end('behind the crash')]
    expect([job.status, job.attempt]).toEqual(['completed', 2])
    expect([behind.status, behind.attempt]).toEqual(['completed', 1])
  })

  test('crash always, names the signal in the end', async () => {
    const job = await end('crash always')
    expect(job.error?.code).toBe('attempts_exhausted')
    expect(job.error?.message).toContain('SIGABRT')
  })

  test('hang, is stopped at job_timeout, and the next job runs', async () => {
    const [job, behind] = [await end('hang'), await end('behind the hang')]
    const message = 'job timed out after 2 s during circuit 0 (job_timeout of the driver)'
    const error = { code: 'timed_out', message }
    expect([job.status, job.attempt, job.error]).toEqual(['failed', 1, error])
    expect(behind.status).toBe('completed')
  })

  test('answer with malformed numbers, does not complete a job', async () => {
    const garbage = await end('garbage')
    expect([garbage.status, garbage.results?.counts]).toEqual(['failed', undefined])
    expect((await end('behind all')).status).toBe('completed')
  })
})

if (RUNS_WHOLE)
  describe('the mock device, instructed also to', () => {
    test('fail always, fails the job when its attempts are used up, free of charge', async () => {
      const job = await end('fail always')
      expect([job.status, job.attempt, job.error?.code]).toEqual(['failed', 2, 'attempts_exhausted'])
      expect(job.error?.message).toContain('mock device failed on purpose')
      expect(job.charged_seconds).toBe(null)
    })

    test('answer late, or too late, does not complete a job', async () => {
      for (const title of ['slow result', 'too long'])
        expect((await end(title)).error?.code).toBe('timed_out')
    })

    test('a device that crashes at every third job still finishes all of them', async () => {
      const jobs = await Promise.all([1, 2, 3, 4].map((n) => end(`shaky ${n}`)))
      expect(jobs.map((job) => job.status)).toEqual(jobs.map(() => 'completed'))
      expect(jobs.map((job) => job.attempt)).toEqual([1, 1, 2, 1])
    })
  })

describe('an imported device', () => {
  test('is given every option that the driver does not read itself', async () => {
    expect((await end('after refuse')).results?.metadata['raw']).toEqual({ color: 'red' })
  })

  test('that refuses a job is quoted word by word, at once and free of charge', async () => {
    const job = await end('refuse')
    expect([job.status, job.attempt, job.charged_seconds]).toEqual(['failed', 1, null])
    expect(job.error).toEqual({ code: 'warm_qubit', message: 'Qubit 7 is warm; use qubits 0 to 6' })
  })

  test('that reports a fault of its own is tried again', async () => {
    const job = await end('fault')
    expect([job.attempt, job.error?.code]).toEqual([2, 'attempts_exhausted'])
    expect(job.error?.message).toContain('The pump stopped')
  })

  test('that throws anything else ends its job at once, and reveals the last line to its owner alone', async () => {
    const job = await end('bug')
    const message = 'TypeError: job execution failed, see the driver log'
    expect([job.status, job.attempt, job.error]).toEqual(['failed', 1, { code: 'device_error', message }])
    expect(job.charged_seconds).toBe(null)
    // Its owner reads the last line, and nobody else does.
    const line = 'TypeError: cannot read /root/secret/instrument.cfg'
    expect(job.timeline.at(-1)).toMatchObject({ event: 'failed', detail: line })
    const path = `/api/collections/quantum_jobs/records/${job.id}`
    const everybody = await service.call<object>('GET', path)
    expect(JSON.stringify(everybody.body)).not.toContain('secret')
    const listed = await service.call<object>('GET', '/api/jobs', { token: user.token })
    expect(JSON.stringify(listed.body)).not.toContain('secret')
    expect(drivers['odd']?.log).toContain('/root/secret/instrument.cfg')
  })

  test.each(ENDS)(
    'that does %s fails its job and nothing else',
    async (act) => {
      const [job, after] = [await end(act), await end(`after ${act}`)]
      expect(job.status).toBe('failed')
      expect(job.error?.message).not.toBe('')
      expect(after.status).toBe('completed')
    },
    45_000,
  )

  test('that writes to its standard streams has no effect', async () => {
    expect((await end('chatter')).status).toBe('completed')
  })

  test('that cannot be opened again answers with the reason until it can', async () => {
    const run = async (comment = '') =>
      untilJob(service, user.token, await send('unplugged', comment), undefined, 30_000)
    expect((await run()).status).toBe('completed')
    writeFileSync(flag, '')
    const job = await run('// act: exit')
    expect(job.status).toBe('failed')
    expect(job.error?.message).toContain('the cable fell out')
    rmSync(flag)
    const back = await until('the device to be back', async () => (await run()).status === 'completed')
    expect(back).toBe(true)
  })
})
