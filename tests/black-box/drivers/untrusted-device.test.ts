import { afterAll, beforeAll, expect, test } from 'bun:test'
import { chmodSync, chownSync, copyFileSync, cpSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { submit, untilJob } from '../../support/executable/job-calls.ts'
import { AS_OTHER_USER, copyForOtherUser } from '../../support/executable/other-user.ts'
import { Service } from '../../support/executable/service.ts'
import { absentOf, skips } from '../../support/faults/prerequisites.ts'
import { SDK_FOLDER } from '../../support/python/devices.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const DEVICES = join(import.meta.dir, '../../support/devices')
const NOBODY = 65_534
const isRoot = process.getuid?.() === 0
/** A driver for everybody is an ordinary user; root could read everything. */
const skip = skips('devices of an ordinary user', isRoot ? absentOf('setpriv') : undefined)
const prefix = isRoot ? AS_OTHER_USER : []
/** Programs that every user may run: those of root's home are closed. */
const PATH = isRoot ? '/usr/bin:/bin' : (process.env['PATH'] ?? '')

const temporary = temporaryFolder()
let service: Service
let executable: string
let user: { token: string }

beforeAll(async () => {
  if (skip) return
  chmodSync(temporary.path, 0o711)
  executable = copyForOtherUser(temporary.path)
  service = await Service.install(temporary.path)
  await service.start()
  user = await service.createUser(1_000)
})

afterAll(async () => {
  if (!skip) await service.stop()
  temporary[Symbol.dispose]()
})

/** A home folder of the ordinary user with the devices. */
function homeOf(name: string): string {
  const home = join(temporary.path, name)
  mkdirSync(home, { mode: 0o700 })
  for (const file of ['snoop.ts', 'snoop.py']) copyFileSync(join(DEVICES, file), join(home, file))
  cpSync(join(SDK_FOLDER, 'src/svc_driver'), join(home, 'svc_driver'), { recursive: true })
  if (isRoot) chownSync(home, NOBODY, NOBODY)
  return home
}

/** How the driver receives its token: arguments, environment and standard input. */
interface Passing {
  args?: string[]
  env?: Record<string, string>
  stdin?: number
}

/** Starts a driver of the ordinary user and returns what its device could read. */
async function snoop(name: string, device: string, pass: (token: string, home: string) => Passing) {
  const home = homeOf(name)
  const qpu = await service.createQpu(name)
  const { args = [], env = {}, stdin } = pass(qpu.token, home)
  const start = ['driver', 'start', '--operation', 'process', '--device', device, '--svc-addr', service.url]
  const files = [
    '--ca-fingerprint',
    qpu.fingerprint,
    '--ca-file',
    `${home}/ca.pem`,
    '--data-dir',
    `${home}/data`,
  ]
  const driver = Bun.spawn([...prefix, executable, ...start, ...files, ...args], {
    cwd: home,
    env: { PATH, HOME: home, PYTHONDONTWRITEBYTECODE: '1', ...SECRETS, ...env },
    stdio: [stdin ?? 'ignore', 'ignore', 'inherit'],
  })
  try {
    const body = { shots: 1, qpu_target: name }
    const ended = driver.exited.then((status) => {
      throw new Error(`the driver ended with ${status}`)
    })
    const completed = untilJob(service, user.token, await submit(service, user.token, body))
    const job = await Promise.race([completed, ended])
    const { out } = await read(['cat', `/proc/${driver.pid}/cmdline`])
    return { metadata: job.results?.metadata, commandLine: out, token: qpu.token }
  } finally {
    driver.kill()
    await driver.exited
  }
}

async function read(command: string[]) {
  const child = Bun.spawn([...prefix, ...command], { stdio: ['ignore', 'pipe', 'ignore'] })
  return { out: await new Response(child.stdout).text() }
}

/** Variables of the driver that are none of a device's business, and one that a library may need. */
const SECRETS = {
  SVC_SMTP_PASSWORD: `svc_dt_${'s'.repeat(30)}`,
  SVC_API_TOKEN: `svc_dt_${'a'.repeat(30)}`,
  LAB_INSTRUMENT_KEY: 'key',
}

const WAYS: Record<string, (token: string, home: string) => Passing> = {
  '-t': (token) => ({ args: ['-t', token] }),
  '--token=': (token) => ({ args: [`--token=${token}`] }),
  SVC_ACCESS_TOKEN: (token) => ({ env: { SVC_ACCESS_TOKEN: token } }),
  'a file of root on standard input': (token, home) => {
    const file = join(home, '..', `${token}.token`)
    writeFileSync(file, token, { mode: 0o600 })
    return { args: ['--token-file', '-'], stdin: openSync(file, 'r') }
  },
}

const LANGUAGES: [language: string, device: string][] = [
  ['TypeScript', './snoop.ts#snoop'],
  ['Python', 'snoop:Snoop'],
]

for (const [language, device] of LANGUAGES) {
  const needsPython = language === 'Python' && Bun.which('python3', { PATH }) === null
  const skipped =
    skip || skips(`devices in ${language} that look for tokens`, needsPython ? 'python3' : undefined)
  for (const [index, [way, pass]] of Object.entries(WAYS).entries()) {
    test.skipIf(skipped)(`a device in ${language} cannot read the token given by ${way}`, async () => {
      const { metadata, commandLine, token } = await snoop(`${language.toLowerCase()}_${index}`, device, pass)
      expect(metadata).toMatchObject({
        driver: { read: ['cmdline'], found: [] },
        environment: ['LAB_INSTRUMENT_KEY'],
        tokens: 0,
      })
      // The process of the device sets it: files of the driver in /proc belong to root.
      if (language === 'TypeScript') expect(metadata?.['oomScore']).toBe(500)
      expect(commandLine).toContain('--ca-fingerprint')
      expect(commandLine).not.toContain(token)
    })
  }
}
