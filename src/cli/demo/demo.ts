import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import {
  AppError,
  createLog,
  flag,
  kinds,
  newSecret,
  switchFlag,
  systemClock,
  type ValuesOf,
} from '../../base/index.ts'
import { saveSuperuser } from '../../db/store/accounts/index.ts'
import { createServer, Passwords, readConfig, type Server } from '../../server/index.ts'
import { defineCommand } from '../command-line/command.ts'
import { untilStopped } from '../command-line/signals.ts'
import { loadWeb } from '../serve/web.ts'
import { version } from '../version.ts'
import { BELL, countLines, SHOTS } from './bell-pair.ts'
import { demonstrateChip } from './chip.ts'
import { demonstrateChipJob } from './chip-job.ts'
import { DemoClient } from './client.ts'
import { demonstrateCryostat } from './cryostat.ts'
import { startDemoDriver } from './driver.ts'

const QPU_SECONDS = 3600
/** More than the two of its only driver, because other programs may use some. */
const DEMO_PORTS = 100

/** Exit status after Ctrl+C, as of a shell. */
const INTERRUPTED = 130

const port = kinds.integer({ min: 0, max: 65_535 })

const DEMO_FLAGS = {
  once: switchFlag(kinds.bool(), 'Exit after the result'),
  cryostat: switchFlag(kinds.bool(), 'Simulate a cryostat that cools down, and monitor it'),
  chip: switchFlag(kinds.bool(), 'Calibrate a simulated chip, show what is found, and run a Bell pair on it'),
  chipDir: flag(
    kinds.nonEmptyText('path'),
    'Calibrate the chip of this folder, whose files stay; those that are missing are created',
  ),
  serverPort: flag(port, 'HTTP port; if unset, 8090 or any free port'),
  portRangeStart: flag(port, 'First port of the driver connections; if unset, 6000'),
}
type DemoFlags = ValuesOf<typeof DEMO_FLAGS>

const say = (text = '') => console.log(text)

/** The settings of a port range that begins at `start`. */
function portRange(start: number | undefined): { portRangeStart?: string; portRangeEnd?: string } {
  if (start === undefined) return {}
  return { portRangeStart: String(start), portRangeEnd: String(Math.min(65_535, start + DEMO_PORTS)) }
}

async function startServer(
  folder: string,
  flags: DemoFlags,
  port: number,
): Promise<{ server: Server; url: string }> {
  const inFolder = (name: string) => join(folder, name)
  const effective = readConfig({
    env: {},
    flags: {
      dir: inFolder('svc_data'),
      tlsCaCertFile: inFolder('.svc.ca.pem'),
      tlsCaKeyFile: inFolder('.svc.ca.key'),
      tlsCertFile: inFolder('.svc.cert.pem'),
      tlsKeyFile: inFolder('.svc.key'),
      httpsPort: '0',
      serverPort: String(port),
      ...portRange(flags.portRangeStart),
    },
  })
  const log = createLog({ level: 'warn' })
  const assets = await loadWeb()
  const server = await createServer(effective, { clock: systemClock, log, version, assets })
  try {
    return { server, url: (await server.start()).url }
  } catch (error) {
    const isOwnChoice = flags.serverPort !== undefined
    if (isOwnChoice || port === 0 || !(error instanceof AppError && error.code === 'unavailable')) throw error
    return startServer(folder, flags, 0)
  }
}

interface DemoOptions {
  url: string
  /** Folder of the demo's files. */
  folder: string
  withCryostat: boolean
  /** Folder of the files of the chip to calibrate; undefined for none. */
  chipFolder: string | undefined
  /** Whether the server stays, so that its addresses and accounts are worth printing. */
  staysOpen: boolean
}

/** Runs the demo; returns a function that stops the drivers it has started. */
async function runDemo(server: Server, { url, folder, withCryostat, chipFolder, staysOpen }: DemoOptions) {
  const admin = { email: 'admin@example.org', password: `admin-${newSecret(6)}` }
  const user = { email: 'user@example.org', password: `user-${newSecret(6)}` }
  const passwordHash = await new Passwords().hash(admin.password)
  await saveSuperuser(server.context.db, { email: admin.email, passwordHash, mode: 'upsert', actor: 'cli' })
  const asAdmin = await DemoClient.login(url, '_superusers', admin)
  const qpu = await asAdmin.registerQpu('demo', 'aer_sim')
  say('Registered the QPU demo; starting its aer_sim driver in a separate process')
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
  for (const line of countLines(job.counts)) say(line)
  const stopCryostat = withCryostat
    ? await demonstrateCryostat({ admin: asAdmin, url, folder, qpu: 'demo', say })
    : undefined
  const chip =
    chipFolder === undefined
      ? undefined
      : await demonstrateChip({ admin: asAdmin, url, folder, chipFolder, say })
  const stopChipJob =
    chipFolder === undefined || chip === undefined
      ? undefined
      : await demonstrateChipJob({
          admin: asAdmin,
          user: asUser,
          url,
          folder,
          chipFolder,
          access: chip.qpu,
          say,
        })
  if (staysOpen)
    invite({ url, admin, user, token: await asUser.createToken('demo'), calibration: chip?.request })
  return async function stop(): Promise<void> {
    await Promise.all([stopCryostat?.(), chip?.stop(), stopChipJob?.()])
    driver.kill('SIGTERM')
    await driver.exited
  }
}

interface Account {
  email: string
  password: string
}

interface Invitation {
  url: string
  admin: Account
  user: Account
  token: string
  /** Id of the request of the calibration that was shown. */
  calibration: string | undefined
}

/** Prints what a user can do with the running server. */
function invite({ url, admin, user, token, calibration }: Invitation) {
  say()
  say(`Dashboard   ${url}/`)
  if (calibration !== undefined) say(`Report      ${url}/calibrations/${calibration}`)
  say(`User        ${user.email}  ${user.password}`)
  say(`Superuser   ${admin.email}  ${admin.password}`)
  say('Submit a job from another terminal:')
  say(`  curl -s ${url}/api/jobs -H 'X-API-Token: ${token}' -H 'Content-Type: application/json' \\`)
  say(
    `    -d '{"shots": 1000, "circuits": [{"circuit": ${JSON.stringify(BELL.replaceAll('\n', ' ').trim())}}]}'`,
  )
  say('List jobs with their counts:')
  say(`  curl -s ${url}/api/jobs -H 'X-API-Token: ${token}'`)
  say()
  say('Stop with Ctrl+C')
}

export const demoCommand = defineCommand({
  summary: 'Run a server with a driver and a user, submit a Bell pair, and keep running',
  flags: DEMO_FLAGS,
  async run({ flags }) {
    const folder = mkdtempSync(join(tmpdir(), 'svc-demo-'))
    process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
    say(`svc ${version} demo${flags.once ? '' : `, data in ${folder} until it ends`}`)
    const { server, url } = await startServer(folder, flags, flags.serverPort ?? 8090)
    const stopped = untilStopped(server.context.log, 'demo')
    const { cryostat: withCryostat, once, chip, chipDir } = flags
    const chipFolder = chipDir === undefined ? (chip ? join(folder, 'chip') : undefined) : resolve(chipDir)
    let isComplete = false
    // Stopped in the middle: the drivers end with the process.
    void stopped.then(() => isComplete || process.exit(INTERRUPTED))
    const stopDrivers = await runDemo(server, { url, folder, withCryostat, chipFolder, staysOpen: !once })
    isComplete = true
    if (!once) await stopped
    await stopDrivers()
    await server.stop()
    process.exit(0)
  },
})
