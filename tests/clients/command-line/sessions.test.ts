import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openFileService } from '../../support/executable/file-service.ts'
import { BELL, runSvc } from '../../support/executable/service.ts'
import { freePort } from '../../support/free-port.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

setDefaultTimeout(60_000)

const { service, user } = await openFileService()
const qpu = await service.createQpu('kelvin')
service.startDriver('kelvin', qpu, 'aer_sim')
await service.createQpu('silent')
const folder = temporaryFolder()

beforeAll(async () => {
  writeFileSync(join(folder.path, 'bell.qasm'), BELL)
  await service.untilOnline('kelvin')
})
afterAll(() => folder[Symbol.dispose]())

const account = { SVC_ADDR: service.url, SVC_API_TOKEN: user.token }
const run = (args: string[], env: Record<string, string> = account) => runSvc(args, { cwd: folder.path, env })
const json = async (args: string[], env?: Record<string, string>) =>
  JSON.parse((await run([...args, '--json'], env)).out)

test('a program needs no argument in a shell that evaluates --print-env, and ends with the session', async () => {
  const script = `eval "$("$SVC" session start kelvin --seconds 60 --for slurm:7 --wait 20 --print-env)" || exit
    unset SVC_API_TOKEN
    printf '%s %s %s\\n' "$SVC_ADDR" "\${SVC_SESSION%"\${SVC_SESSION#svcs_}"}" "$SVC_QPU"
    "$SVC" submit bell.qasm --shots 10 --wait
    "$SVC" session list; "$SVC" session extend --seconds 120; "$SVC" jobs; "$SVC" session end
    "$SVC" submit bell.qasm; echo "status $?"`
  const shell = Bun.spawn(['sh', '-c', script], {
    cwd: folder.path,
    env: {
      ...account,
      SVC: join(import.meta.dir, '../../../svc'),
      HOME: folder.path,
      PATH: process.env['PATH'],
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, err] = await Promise.all([new Response(shell.stdout).text(), new Response(shell.stderr).text()])
  expect(out).toMatch(new RegExp(`^${service.url} svcs_ kelvin\n +00 `))
  expect(out).toMatch(/kelvin +exclusive +active until .* slurm:7\n/)
  expect(out).toMatch(/\nEnded session \w+ of kelvin\nstatus 1\n$/)
  expect(err).toContain('SVC_SESSION has ended or does not allow this')
  expect(err).toEndWith('The session has ended; start another one.\n')
})

test('what is not active in time is withdrawn, with another status than a refusal and a lost server', async () => {
  const began = performance.now()
  const late = await run(['session', 'start', 'silent', '--wait', '1', '--print-env'])
  expect([late.status, late.out]).toEqual([124, ''])
  expect(late.err).toMatch(
    /^silent is not held within 1 s: queued, position 1.*; the request is withdrawn\n$/,
  )
  expect(performance.now() - began).toBeLessThan(30_000)
  const [session] = await json(['session', 'list', '--qpu', 'silent'])
  expect([session.state, session.end]).toEqual(['closed', 'ended'])
  const unknown = await run(['session', 'start', 'absent', '--wait', '1'])
  expect([unknown.status, unknown.err]).toEqual([1, expect.stringContaining('absent')])
  const gone = { ...account, SVC_ADDR: `http://127.0.0.1:${freePort()}` }
  expect((await run(['session', 'start', 'kelvin', '--wait', '1'], gone)).status).toBe(69)
  const wrong = await run(['session', 'start', 'kelvin', '--for', 'slurm'])
  expect([wrong.status, wrong.err]).toEqual([2, expect.stringContaining('--for')])
})

test('a batch job ends what it holds, once and again', async () => {
  const start = (id: string) => json(['session', 'start', 'silent', '--for', `slurm:${id}`])
  const [first, again, second] = [await start('1'), await start('1'), await start('2')]
  expect([again.holder === first.holder, second.id === first.id]).toEqual([true, true])
  const end = async (id: string) => (await run(['session', 'end', '--for', `slurm:${id}`])).out
  expect(await end('1')).toMatch(
    /^Ended your hold; the session \w+ of silent goes on with 1 other: queued, position 1/,
  )
  expect(await end('1')).toBe('No open session\n')
  expect(await end('2')).toBe(`Ended session ${first.id} of silent\n`)
  expect((await run(['session', 'end'])).status).toBe(2)
})

test('in a batch job with an API token, its session and no other is extended, and its own hold alone ends', async () => {
  const start = (name: string, id: string) => json(['session', 'start', name, '--for', `slurm:${id}`])
  const [first, second, newer] = [
    await start('silent', '9_1'),
    await start('silent', '9_2'),
    await start('kelvin', '8'),
  ]
  const inJob = { ...account, SVC_SESSION: first.secret }
  expect((await json(['session', 'extend', '--seconds', '60'], inJob)).id).toBe(first.id)
  const [ended] = await json(['session', 'end'], inJob)
  const open = ended.holders.filter((holder: { ended_at: string }) => holder.ended_at === '')
  expect([ended.id, ended.state, open.map(({ id }: { id: string }) => id)]).toEqual([
    first.id,
    'queued',
    [second.holder],
  ])
  expect((await run(['session', 'end', first.id, newer.id])).out).toBe(
    `Ended session ${first.id} of silent\nEnded session ${newer.id} of kelvin\n`,
  )
  const unknown = await run(['session', 'end'], { ...account, SVC_SESSION: 'svcs_unknown' })
  expect([unknown.status, unknown.err]).toEqual([2, expect.stringContaining('SVC_SESSION has ended')])
})

test('the time to begin is now or after the session of another, and licenses are those of QPUs that run jobs', async () => {
  expect((await run(['session', 'plan', 'kelvin'])).out).toBe('now\n')
  expect((await run(['session', 'plan', 'silent'])).status).toBe(1)
  const other = await service.createUser(1_000, 'other@example.org')
  const theirs = { ...account, SVC_API_TOKEN: other.token }
  await json(['session', 'start', 'kelvin', '--seconds', '600', '--wait', '20'], theirs)
  const planned = async () =>
    Number(/^now\+(\d+)\n$/.exec((await run(['session', 'plan', 'kelvin'])).out)?.[1])
  expect(await planned()).toBeGreaterThan(400)
  expect((await run(['session', 'mirror'])).out).toBe('Licenses=svc_kelvin:1,svc_silent:0\n')
  const end = async () => {
    const [open] = await json(['session', 'list', '--qpu', 'kelvin', '--state', 'active'], theirs)
    expect((await run(['session', 'end', open.id], theirs)).status).toBe(0)
  }
  await end()
  // Jobs run between those of a batch, but no other session does.
  await json(['session', 'start', 'kelvin', '--mode', 'batch', '--seconds', '600', '--wait', '20'], theirs)
  expect(await planned()).toBeGreaterThan(400)
  await end()
})

test('a start that joins a session without jobs makes it active again', async () => {
  const third = await service.createUser(1_000, 'third@example.org')
  const theirs = { ...account, SVC_API_TOKEN: third.token }
  const start = (id: string) =>
    json(
      ['session', 'start', 'kelvin', '--mode', 'batch', '--idle', '1', '--for', id, '--wait', '20'],
      theirs,
    )
  const first = await start('slurm:1')
  await until(
    'the session to pause',
    async () => (await json(['session', 'list'], theirs))[0].state === 'paused',
  )
  const second = await start('slurm:2')
  expect([second.id, second.state]).toEqual([first.id, 'active'])
})
