import { expect, setDefaultTimeout, test } from 'bun:test'
import { cpSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { startSvc } from '../../support/executable/background-process.ts'
import { untilJob } from '../../support/executable/job-calls.ts'
import { Journal } from '../../support/executable/journal.ts'
import { runSvc, Service } from '../../support/executable/service.ts'
import { closeRow, faultRuns } from '../../support/faults/fault-runs.ts'
import { freePort } from '../../support/free-port.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

// F19: bytes of the database or of its log have changed while the server was down.
setDefaultTimeout(600_000)

const RUNS = faultRuns(12)
const PAGE = 4_096

type Bytes = Uint8Array<ArrayBuffer>

/** Damage to a file at `at`, a fraction of its length; `value` is a byte. */
const DAMAGES = {
  'a bit is flipped'(bytes: Bytes, at: number, value: number): Bytes {
    const place = Math.floor(at * bytes.length)
    return bytes.with(place, (bytes[place] ?? 0) ^ (1 << (value % 8)))
  },
  // The first 100 bytes determine the meaning of all others.
  'a byte of the header is another': (bytes: Bytes, at: number, value: number) =>
    bytes.with(Math.floor(at * 100), value),
  'sixteen bytes are noise'(bytes: Bytes, at: number, value: number): Bytes {
    const place = Math.floor(at * (bytes.length - 16))
    return bytes.map((byte, n) => (n >= place && n < place + 16 ? (byte * 31 + value + n) % 256 : byte))
  },
  'a page is empty'(bytes: Bytes, at: number): Bytes {
    const page = Math.floor((at * bytes.length) / PAGE) * PAGE
    return bytes.slice().fill(0, page, page + PAGE)
  },
  'its end is missing': (bytes: Bytes, at: number) => bytes.slice(0, Math.floor(at * bytes.length)),
}

const damage = fc.record({
  file: fc.constantFrom('svc.db', 'svc.db', 'svc.db-wal'),
  what: fc.constantFrom(...(Object.keys(DAMAGES) as (keyof typeof DAMAGES)[])),
  at: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })),
  value: fc.nat(255),
})

/** The one line of a refusal, with the remedy. */
const REFUSAL =
  /(svc\.db is damaged \(.*\); stop svc and restore a backup: svc restore BACKUP|may be lost; .*accept the loss: svc doctor --accept-loss)\n$/

const emptied = (file: 'svc.db' | 'svc.db-wal') =>
  ({ file, what: 'its end is missing', at: 0, value: 0 }) as const

/** A server that was killed with some of its data still in the log; returns the responses of its life. */
async function leaveKilledServer(folder: string): Promise<Journal> {
  const journal = new Journal()
  await using service = await Service.install(folder)
  await service.start()
  const qpu = await service.createQpu('kelvin')
  const user = await service.createUser(1_000)
  const driver = service.startDriver('kelvin', qpu)
  const submit = (key: string) => journal.submit(service, user.token, key, '', 'kelvin')
  for (let n = 0; n < 5; n += 1) await untilJob(service, user.token, await submit(`file-${n}`))
  driver.kill('SIGKILL')
  await driver.exited
  // The stop writes all of that into the file; later changes stay in the log.
  await service.stop()
  await service.start()
  for (let n = 0; n < 5; n += 1) await submit(`log-${n}`)
  await service.stop('SIGKILL')
  expect(statSync(join(folder, 'svc_data/svc.db-wal')).size).toBeGreaterThan(5 * PAGE)
  return journal
}

/** The accepted jobs that a database no longer has, of those that clients saw accepted. */
function lostIn(journal: Journal, folder: string): number {
  return journal.compare(folder, { expectsCompletion: false }).lost
}

/** Starts the server; returns whether it started, how it ended, and the stored row of the QPU. */
async function tryToServe(folder: string) {
  const port = freePort()
  const args = ['serve', '--server-port', String(port), '--https-port', '0']
  await using server = startSvc(args, { cwd: folder })
  const url = `http://127.0.0.1:${port}`
  const qpu = await until('the server to come up or to refuse', async () =>
    server.process.exitCode === null ? fetch(`${url}/api/qpus/kelvin`) : 'refused',
  )
  if (qpu === 'refused') return { ...(await server.ended()), qpu }
  server.process.kill('SIGTERM')
  return { ...(await server.ended()), qpu: qpu.status }
}

test('whatever happens to its bytes, the database is refused with the remedy, or served without being recreated', async () => {
  using folder = temporaryFolder()
  const journal = await leaveKilledServer(folder.path)
  const seen = { refused: 0, served: 0, reported: 0, lost: 0 }
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(damage, { minLength: 1, maxLength: 2, selector: ({ file }) => file }),
      async (damages) => {
        using copy = temporaryFolder()
        cpSync(folder.path, copy.path, { recursive: true })
        for (const { file, what, at, value } of damages) {
          const path = join(copy.path, 'svc_data', file)
          writeFileSync(path, DAMAGES[what](new Uint8Array(readFileSync(path)), at, value))
        }
        const { status, log, qpu } = await tryToServe(copy.path)
        const doctor = await runSvc(['doctor'], { cwd: copy.path })
        expect(doctor.out + doctor.err).not.toContain('    at ')
        if (qpu === 'refused') {
          seen.refused += 1
          expect(log).toMatch(REFUSAL)
          expect([status, log.trim().split('\n').length, doctor.status]).toEqual([3, 1, 3])
        } else {
          seen.served += 1
          // Errors that are not in the structure, such as a changed character in a name, the doctor may find
          // in the contents.
          seen.reported += doctor.status === 0 ? 0 : 1
          expect(log).not.toContain('\\n    at ')
          expect([status, qpu]).toEqual([0, 200])
          expect([0, 1]).toContain(doctor.status)
          // No commit is lost with the log. A page of the file may hold another text than the one written,
          // which only a checksum of its own would show.
          const lost = lostIn(journal, copy.path)
          seen.lost += lost
          if (damages.every(({ file }) => file === 'svc.db-wal')) expect(lost).toBe(0)
        }
      },
    ),
    {
      numRuns: RUNS,
      examples: [
        [[emptied('svc.db')]],
        [[emptied('svc.db-wal')]],
        [[emptied('svc.db'), emptied('svc.db-wal')]],
      ],
    },
  )
  closeRow('F19 damaged database', { runs: RUNS, ...seen })
})

test('an undamaged copy of a killed server is served with everything', async () => {
  using folder = temporaryFolder()
  const journal = await leaveKilledServer(folder.path)
  using copy = temporaryFolder()
  cpSync(folder.path, copy.path, { recursive: true })
  expect(await tryToServe(copy.path)).toMatchObject({ status: 0, qpu: 200 })
  expect(lostIn(journal, copy.path)).toBe(0)
})

test.each([
  ['missing', (log: string) => rmSync(log)],
  ['empty', (log: string) => truncateSync(log)],
  ['headless', (log: string) => writeFileSync(log, new Uint8Array(readFileSync(log)).fill(0, 0, 32))],
])('after a kill, a %s log is refused with 3 until its loss is accepted', async (_, damage) => {
  using folder = temporaryFolder()
  const journal = await leaveKilledServer(folder.path)
  damage(join(folder.path, 'svc_data/svc.db-wal'))
  for (let twice = 0; twice < 2; twice += 1) {
    const { status, log, qpu } = await tryToServe(folder.path)
    expect([qpu, status]).toEqual(['refused', 3])
    expect(log).toMatch(/^[^\n]*changes acknowledged from \d.*Z to \d.*Z may be lost; [^\n]*--accept-loss\n$/)
    expect((await runSvc(['doctor'], { cwd: folder.path })).status).toBe(3)
  }
  const accepted = await runSvc(['doctor', '--accept-loss'], { cwd: folder.path })
  expect(accepted.out).toMatch(
    /^Accepted: changes from .*Z to .*Z may be lost, .*\nsvc_data: no problems found\n$/,
  )
  expect(await tryToServe(folder.path)).toMatchObject({ status: 0, qpu: 200 })
  expect(lostIn(journal, folder.path)).toBeGreaterThan(0)
  const audit = await runSvc(['audit', 'list', '--act', 'loss.accept'], { cwd: folder.path })
  expect(audit.out).toContain('loss.accept')
})
