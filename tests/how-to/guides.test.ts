import { beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openFileService } from '../support/executable/file-service.ts'
import { submit, untilJob } from '../support/executable/job-calls.ts'
import { runSvc, SVC } from '../support/executable/service.ts'
import { commandBlocks } from '../support/guides/command-blocks.ts'
import { GUIDES } from '../support/guides/guides.ts'

setDefaultTimeout(120_000)

const SCAN =
  'OPENQASM 3.0; include "stdgates.inc"; input float theta; qubit q; bit c; rx(theta) q; c = measure q;'
const BELL =
  'OPENQASM 3.0; include "stdgates.inc"; qubit[2] q; bit[2] c; h q[0]; cx q[0], q[1]; c = measure q;'
/** Addresses that pages print for the server of their reader. */
const ADDRESSES =
  /https?:\/\/(?:127\.0\.0\.1:8090|localhost:8090|10\.0\.0\.5:8090|svc\.example\.org|svc\.lab\.example)/g

const { service, user } = await openFileService()
const bin = join(service.folder, 'bin')
/** What stands for the placeholders in capitals of the pages. */
const values: Record<string, string> = {}
let env: Record<string, string> = {}

beforeAll(async () => {
  mkdirSync(bin)
  symlinkSync(SVC, join(bin, 'svc'))
  writeFileSync(join(service.folder, 'bell.qasm'), BELL)
  writeFileSync(join(service.folder, 'scan.qasm'), SCAN)
  const qpu = await service.createQpu('kelvin_25')
  service.startDriver('kelvin_25', qpu, 'mock')
  await service.untilOnline('kelvin_25')
  await service.createQpu('north')
  const done = await untilJob(
    service,
    user.token,
    await submit(service, user.token, { qpu_target: 'kelvin_25' }),
  )
  values['DONE-JOB'] = done.id
  values['USER-ID'] = user.id
  const token = { name: 'guides', scope: 'all' }
  const { body } = await service.call<{ token: string }>('POST', '/api/tokens', {
    token: user.token,
    body: token,
  })
  const head = await runSvc(['audit', 'verify', '--json'], { cwd: service.folder })
  values['HASH'] = (JSON.parse(head.out) as { head: string }).head
  const backup = await runSvc(['backup', '--json'], { cwd: service.folder })
  values['FILE'] = (JSON.parse(backup.out) as { file: string }).file
  env = {
    ...{
      HOME: service.folder,
      PATH: `${bin}:${process.env['PATH']}`,
      SUPERUSER_TOKEN: await service.admin(),
    },
    ...{ USER_API_TOKEN: body.token, SVC_ADDR: service.url, SVC_API_TOKEN: body.token },
  }
})

/** Runs the blocks in order, each to its end with status 0; `elsewhere` in the folder of another server. */
async function runBlocks(page: string, token: string): Promise<string> {
  const waiting = [0, 1].map(() => submit(service, user.token, { qpu_target: 'north' }))
  const [job = '', other = ''] = await Promise.all(waiting)
  const names = { ...values, JOB: job, 'WAITING-JOB': other, '/mnt/other-disk': service.folder }
  let printed = ''
  for (const { role, code, isRun, line } of commandBlocks(page)) {
    if (!isRun) continue
    const cwd = role === 'elsewhere' ? otherFolder(page) : service.folder
    let here = code.replaceAll(ADDRESSES, service.url)
    for (const [name, value] of Object.entries(names).toSorted(([a], [b]) => b.length - a.length))
      here = here.replaceAll(new RegExp(`(?<![\\w-])${name}(?![\\w-])`, 'g'), value)
    const shell = Bun.spawn(['bash', '-euo', 'pipefail', '-c', here], {
      ...{ cwd, env: { ...env, TOKEN: token }, stdio: ['ignore', 'pipe', 'pipe'] as const },
    })
    const [out, err, status] = await Promise.all([
      new Response(shell.stdout).text(),
      new Response(shell.stderr).text(),
      shell.exited,
    ])
    expect({ at: `${page}:${line}`, status, err: status === 0 ? '' : err }).toEqual({
      ...{ at: `${page}:${line}`, status: 0, err: '' },
    })
    expect(out, `${page}:${line} was refused`).not.toMatch(/"status": ?[45]\d\d\b/)
    printed += out + err
  }
  return printed
}

/** An empty folder with the backups and the exports of the server. */
function otherFolder(page: string): string {
  const folder = join(service.folder, 'elsewhere', page.replaceAll('/', '-'))
  mkdirSync(folder, { recursive: true })
  for (const name of readdirSync(service.folder).filter((each) => each.endsWith('.jsonl')))
    cpSync(join(service.folder, name), join(folder, name))
  const backups = dirname(values['FILE'] ?? '')
  cpSync(join(service.folder, backups), join(folder, backups), { recursive: true })
  return folder
}

test.each(Object.entries(GUIDES))('the commands of %s work as printed', async (page, { as, prints }) => {
  const token = as === 'superuser' ? await service.admin() : (env['USER_API_TOKEN'] ?? '')
  expect(await runBlocks(page, token)).toMatch(prints)
})
