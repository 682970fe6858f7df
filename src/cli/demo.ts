import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ArgsDef, defineCommand } from 'citty'
import { AppError, createLog, newSecret, systemClock } from '../base/index.ts'
import { saveSuperuser } from '../db/index.ts'
import { createServer, Passwords, readConfig, type Server } from '../server/index.ts'
import { DemoClient } from './demo-client.ts'
import { type Flags, readFlags } from './flags.ts'
import { untilStopped } from './signals.ts'
import { version } from './version.ts'
import { loadWeb } from './web.ts'

const BELL = `OPENQASM 3.0;
include "stdgates.inc";
qubit[2] q;
bit[2] c;
h q[0];
cx q[0], q[1];
c = measure q;
`
const SHOTS = 1024
const QPU_SECONDS = 3600

const args: ArgsDef = {
  once: { type: 'boolean', description: 'Exit after the result' },
  'server-port': {
    type: 'string',
    valueHint: 'n',
    description: 'HTTP port, default 8090, or any free one if taken',
  },
  'port-range-start': {
    type: 'string',
    valueHint: 'n',
    description: 'First message-socket port, default 6000',
  },
}

const say = (text = '') => console.log(text)

/** This program's own command line, compiled or run from source. */
function ownProgram(): string[] {
  return Bun.main.startsWith('/$bunfs/') ? [process.execPath] : [process.execPath, Bun.main]
}

async function startServer(
  folder: string,
  flags: Flags,
  port: string,
): Promise<{ server: Server; url: string }> {
  const inFolder = (name: string) => join(folder, name)
  const { config } = readConfig({
    env: {},
    flags: {
      dir: inFolder('svc_data'),
      tlsCaCertFile: inFolder('.svc.ca.pem'),
      tlsCaKeyFile: inFolder('.svc.ca.key'),
      tlsCertFile: inFolder('.svc.cert.pem'),
      tlsKeyFile: inFolder('.svc.key'),
      httpsPort: '0',
      serverPort: port,
      portRangeStart: typeof flags['port-range-start'] === 'string' ? flags['port-range-start'] : undefined,
    },
  })
  const log = createLog({ level: 'warn' })
  const assets = await loadWeb()
  const server = await createServer(config, { clock: systemClock, log, version, assets })
  try {
    return { server, url: (await server.start()).url }
  } catch (error) {
    await server.stop()
    const isOwnChoice = flags['server-port'] !== undefined
    if (isOwnChoice || port === '0' || !(error instanceof AppError && error.code === 'unavailable'))
      throw error
    return startServer(folder, flags, '0')
  }
}

function startDriver(
  folder: string,
  url: string,
  qpu: { token: string; fingerprint: string },
): Bun.Subprocess {
  return Bun.spawn(
    [
      ...ownProgram(),
      ...['driver', 'start', '--operation', 'process', '--device', 'aer_sim'],
      ...['--svc-addr', url, '--ca-fingerprint', qpu.fingerprint, '--log-level', 'warn'],
      ...['--ca-file', join(folder, 'driver', 'svc.ca.pem'), '--data-dir', join(folder, 'driver', 'data')],
    ],
    // The token travels in the environment: a command line is visible to every user of the machine.
    { env: { ...process.env, SVC_ACCESS_TOKEN: qpu.token }, stdio: ['ignore', 'inherit', 'inherit'] },
  )
}

async function runDemo(server: Server, url: string, folder: string): Promise<Bun.Subprocess> {
  const admin = { email: 'admin@example.org', password: `admin-${newSecret(6)}` }
  const user = { email: 'user@example.org', password: `user-${newSecret(6)}` }
  const passwordHash = await new Passwords().hash(admin.password)
  await saveSuperuser(server.context.db, { email: admin.email, passwordHash, mode: 'upsert' })
  const asAdmin = await DemoClient.login(url, '_superusers', admin)
  const qpu = await asAdmin.registerQpu('demo')
  say('Registered the QPU demo; starting its aer_sim driver in a process of its own')
  const driver = startDriver(folder, url, qpu)
  await asAdmin.untilOnline('demo', driver)
  await asAdmin.createUser({ ...user, qpu_seconds: QPU_SECONDS })
  const asUser = await DemoClient.login(url, 'users', user)
  say(`Submitting a Bell pair as ${user.email}, ${SHOTS} shots`)
  const job = await asUser.runJob({ circuits: [{ circuit: BELL }], shots: SHOTS, qpu_target: 'demo' })
  say(`Job ${job.id} ${job.status} in ${job.duration} s of QPU time; counts:`)
  say()
  for (const [bits, count] of Object.entries(job.counts).sort(([a], [b]) => a.localeCompare(b))) {
    say(`  ${bits}  ${String(count).padStart(5)}  ${'█'.repeat(Math.round((count / SHOTS) * 40))}`)
  }
  const token = await asUser.createToken('demo')
  say()
  say(`Dashboard   ${url}/`)
  say(`User        ${user.email}  ${user.password}`)
  say(`Superuser   ${admin.email}  ${admin.password}`)
  say('Submit a job from another terminal:')
  say(`  curl -s ${url}/api/jobs -H 'X-API-Token: ${token}' -H 'Content-Type: application/json' \\`)
  say(
    `    -d '{"shots": 1000, "circuits": [{"circuit": ${JSON.stringify(BELL.replaceAll('\n', ' ').trim())}}]}'`,
  )
  say('and see it with its counts:')
  say(`  curl -s ${url}/api/jobs -H 'X-API-Token: ${token}'`)
  return driver
}

export const demoCommand = defineCommand({
  meta: { name: 'demo', description: 'Server, driver and a user in one go: runs a Bell pair and stays up' },
  args,
  async run({ rawArgs }) {
    const flags = readFlags('svc demo', rawArgs, args)
    const folder = mkdtempSync(join(tmpdir(), 'svc-demo-'))
    process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
    const port = typeof flags['server-port'] === 'string' ? flags['server-port'] : '8090'
    say(`svc ${version} demo, data in ${folder} until it ends`)
    const { server, url } = await startServer(folder, flags, port)
    const stopped = untilStopped(server.context.log, 'demo')
    const driver = await runDemo(server, url, folder)
    if (!flags['once']) {
      say()
      say('Stop with Ctrl+C')
      await stopped
    }
    driver.kill('SIGTERM')
    await driver.exited
    await server.stop()
    process.exit(0)
  },
})
