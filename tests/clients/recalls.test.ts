import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { buildGo, hasGo } from '../support/clients/go.ts'
import { openFileService } from '../support/executable/file-service.ts'
import { submit, untilJob } from '../support/executable/job-calls.ts'
import { BELL } from '../support/executable/service.ts'
import { openClientPython } from '../support/python/python.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

setDefaultTimeout(300_000)

const { service, user } = await openFileService()
const temporary = temporaryFolder()
afterAll(() => temporary[Symbol.dispose]())
const python = await openClientPython()
const program = join(temporary.path, 'runner')
if (hasGo) await buildGo('./internal/runner', program)

const CLIENTS = join(import.meta.dir, '../../clients')
const SCRIPT = `import { SvcClient } from '${join(CLIENTS, 'js/src/index.ts')}'
await (await new SvcClient().job(process.env.JOB)).result()`
const PROGRAM = 'import os; from svc_client import SvcClient; SvcClient().job(os.environ["JOB"]).result()'

/** What a client that reads the result of a job says besides. */
async function saidBy(command: string[], id: string): Promise<string> {
  const made = Bun.spawn(command, {
    env: {
      ...process.env,
      ...{ SVC_ADDR: service.url, SVC_API_TOKEN: user.token, JOB: id },
      PYTHONPATH: join(CLIENTS, 'python/src'),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [said, status] = await Promise.all([new Response(made.stderr).text(), made.exited])
  expect({ said, status }).toEqual({ said, status: 0 })
  return said
}

test('every client warns of a result that was recalled after its end', async () => {
  service.startDriver('kelvin', await service.createQpu('kelvin'), 'mock')
  await service.untilOnline('kelvin')
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
