import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { buildGo, hasGo } from '../support/clients/go.ts'
import { openFileService } from '../support/executable/file-service.ts'
import { submit, untilJob } from '../support/executable/job-calls.ts'
import { BELL } from '../support/executable/service.ts'
import { TunerLab } from '../support/executable/tuner-lab.ts'
import { openClientPython } from '../support/python/python.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

setDefaultTimeout(300_000)

const { service, user } = await openFileService()
const qpu = await service.createQpu('kelvin')
service.startDriver('kelvin', qpu, 'mock')
await service.untilOnline('kelvin')
const temporary = temporaryFolder()
afterAll(() => temporary[Symbol.dispose]())
const python = await openClientPython()
const program = join(temporary.path, 'runner')
if (hasGo) await buildGo('./internal/runner', program)

const CLIENTS = join(import.meta.dir, '../../clients')
const SCRIPT = `import { SvcClient } from '${join(CLIENTS, 'js/src/index.ts')}'
await (await new SvcClient().job(process.env.JOB)).result()`
const PROGRAM = 'import os; from svc_client import SvcClient; SvcClient().job(os.environ["JOB"]).result()'
const SUBMISSION = `import { SvcClient } from '${join(CLIENTS, 'js/src/index.ts')}'
await new SvcClient().submitJob({ circuits: [process.env.BELL] })`
const SUBMITTER = 'import os; from svc_client import SvcClient; SvcClient().submit_job(os.environ["BELL"])'
const ASYNC = `import asyncio, os; from svc_client import SvcAsyncClient
asyncio.run(SvcAsyncClient().run(os.environ["BELL"]))`

/** What a client that submits a job or reads the result of one says besides. */
async function saidBy(command: string[], id = ''): Promise<string> {
  const made = Bun.spawn(command, {
    env: {
      ...process.env,
      ...{ SVC_ADDR: service.url, SVC_API_TOKEN: user.token, JOB: id, BELL },
      PYTHONPATH: join(CLIENTS, 'python/src'),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [said, status] = await Promise.all([new Response(made.stderr).text(), made.exited])
  expect({ said, status }).toEqual({ said, status: 0 })
  return said
}

test('every client warns of a result that was recalled after its end', async () => {
  const from = new Date().toISOString()
  const id = await submit(service, user.token, { circuits: [BELL] })
  await untilJob(service, user.token, id)
  const readers = [
    [process.execPath, '-e', SCRIPT],
    ...(python === undefined ? [] : [[python, '-c', PROGRAM]]),
    ...(hasGo ? [[program, 'result', id]] : []),
  ]
  const said = () => Promise.all(readers.map((command) => saidBy(command, id)))
  expect(await said()).toEqual(readers.map(() => ''))
  const body = { qpu: 'kelvin', from, to: new Date().toISOString(), reason: 'the fridge was warm' }
  await service.call('POST', '/api/op/recalls', { token: await service.admin(), body })
  expect(await said()).toEqual(readers.map(() => expect.stringContaining('the fridge was warm')))
})

test('every client warns at a submission of a recalled calibration, until a newer one is in force', async () => {
  const tuner = await TunerLab.register(service, qpu)
  await using _tuner = tuner.start()
  tuner.open()
  const calibrate = async () => (await tuner.until(await tuner.dispatch(), 'done')).result
  const body = { report: await calibrate(), reason: 'the magnet was off' }
  const submitters = [
    [process.execPath, '-e', SUBMISSION],
    ...(python === undefined ? [] : [SUBMITTER, ASYNC].map((code) => [python, '-c', code])),
    ...(hasGo ? [[program, 'submit', '1']] : []),
  ]
  const said = async () => {
    const texts: string[] = []
    for (const command of submitters) texts.push(await saidBy(command))
    return texts
  }
  await service.call('POST', '/api/op/recalls', { token: await service.admin(), body })
  const warning = expect.stringContaining(
    `The calibration in force of kelvin (report ${body.report}) is recalled`,
  )
  expect(await said()).toEqual(submitters.map(() => warning))
  await until('the jobs to end', async () => {
    const { body: left } = await service.call<unknown[]>('GET', '/api/jobs?status=pending,running', {
      token: user.token,
    })
    return left.length === 0
  })
  await calibrate()
  expect(await said()).toEqual(submitters.map(() => ''))
})
