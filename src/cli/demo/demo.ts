import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ArgsDef, defineCommand } from 'citty'
import { AppError, createLog, newSecret, systemClock } from '../../base/index.ts'
import { saveSuperuser } from '../../db/index.ts'
import { createServer, Passwords, readConfig, type Server } from '../../server/index.ts'
import { type Flags, readFlags } from '../command-line/flags.ts'
import { untilStopped } from '../command-line/signals.ts'
import { loadWeb } from '../serve/web.ts'
import { version } from '../version.ts'
import { DemoClient } from './client.ts'
import { demonstrateCryostat } from './cryostat.ts'
import { startDemoDriver } from './driver.ts'

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
/** More than the two of its one driver, because others may be taken. */
const DEMO_PORTS = 100

const args: ArgsDef = {
  once: { type: 'boolean', description: 'Exit after the result' },
  cryostat: { type: 'boolean', description: 'Play a cryostat that cools down, and read it' },
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

/** Ports from the one that was asked for; the rest of the range is the demo's own business. */
function portRange(start: Flags[string]): { portRangeStart?: string; portRangeEnd?: string } {
  if (typeof start !== 'string') return {}
  const end = Math.min(65_535, Number(start) + DEMO_PORTS)
  return { portRangeStart: start, ...(Number.isNaN(end) ? {} : { portRangeEnd: String(end) }) }
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
      ...portRange(flags['port-range-start']),
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

interface DemoOptions {
  url: string
  /** Where the files of the demo lie. */
  folder: string
  withCryostat: boolean
}

/** Plays the demo; returns how to end what it has started. */
async function runDemo(server: Server, { url, folder, withCryostat }: DemoOptions) {
  const admin = { email: 'admin@example.org', password: `admin-${newSecret(6)}` }
  const user = { email: 'user@example.org', password: `user-${newSecret(6)}` }
  const passwordHash = await new Passwords().hash(admin.password)
  await saveSuperuser(server.context.db, { email: admin.email, passwordHash, mode: 'upsert', actor: 'cli' })
  const asAdmin = await DemoClient.login(url, '_superusers', admin)
  const qpu = await asAdmin.registerQpu('demo')
  say('Registered the QPU demo; starting its aer_sim driver in a process of its own')
  const driver = startDemoDriver(folder, url, {
    name: 'demo',
    operation: 'process',
    device: 'aer_sim',
    ...qpu,
  })
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
  const stopCryostat = withCryostat
    ? await demonstrateCryostat({ admin: asAdmin, url, folder, qpu: 'demo', say })
    : undefined
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
  return async function stop(): Promise<void> {
    await stopCryostat?.()
    driver.kill('SIGTERM')
    await driver.exited
  }
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
    const stopDrivers = await runDemo(server, { url, folder, withCryostat: flags['cryostat'] === true })
    if (!flags['once']) {
      say()
      say('Stop with Ctrl+C')
      await stopped
    }
    await stopDrivers()
    await server.stop()
    process.exit(0)
  },
})
