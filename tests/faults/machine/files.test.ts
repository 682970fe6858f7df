import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ensureFailpointsBuild, FAILPOINTS_EXECUTABLE } from '../../../scripts/ensure-build.ts'
import { MIGRATIONS } from '../../../src/db/schema/migrations/index.ts'
import { ATTEMPTS } from '../../../src/db/store/jobs/attempts.ts'
import { isPair, parseChain } from '../../../src/server/tls/certificate.ts'
import { startSvc } from '../../support/executable/background-process.ts'
import { runSvc } from '../../support/executable/service.ts'
import { dropJobChecks } from '../../support/faults/earlier-schema.ts'
import { type Armed, FaultLab, ROW_RUNS, ROW_TIMEOUT_MS } from '../../support/faults/fault-lab.ts'
import { closeRow } from '../../support/faults/fault-runs.ts'
import { writeEarlierFolder } from '../../support/sums/folder-82c7c85a.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

// F7: whole old or whole new, and no file has its name before it is whole.
setDefaultTimeout(ROW_TIMEOUT_MS)

/** Each write of a pair: the key's file, then the certificate's. */
const PAIR_POINTS: Armed[] = [
  'pair.writing:1:kill',
  'pair.key-waits:1:kill',
  'pair.writing:2:kill',
  'pair.cert-renamed:1:kill',
  'pair.key-renamed:1:kill',
]

/** Certificates under their final names that are not whole or do not belong to their keys. */
function brokenPairs(folder: string): number {
  const pairs = [
    ['.svc.ca.pem', '.svc.ca.key'],
    ['.svc.cert.pem', '.svc.key'],
  ] as const
  return pairs.filter(([cert, key]) => {
    const [certPem, keyPem] = [cert, key].map((name) => readFileSync(join(folder, name), 'utf8'))
    return !isPair({ certPem: certPem ?? '', keyPem: keyPem ?? '' })
  }).length
}

/** Certificates under their final names that cannot be read: there are none yet, or they are whole. */
function unreadable(folder: string): number {
  const names = ['.svc.ca.pem', '.svc.cert.pem'].filter((name) => existsSync(join(folder, name)))
  return names.filter((name) => parseChain(readFileSync(join(folder, name), 'utf8')).length === 0).length
}

function leftovers(folder: string): string[] {
  return readdirSync(folder).filter((name) => /\.(tmp|next|partial)$/.test(name))
}

describe('F7 first start', () => {
  // Both pairs are new: the root's come first.
  const ofTheLeaf: Armed[] = ['pair.writing:3:kill', 'pair.key-waits:2:kill', 'pair.cert-renamed:2:kill']
  const points: Armed[] = ['schema.inside:1:kill', ...PAIR_POINTS, ...ofTheLeaf]

  test.each(points)('killed at %s, the next start makes everything', async (armed) => {
    await ensureFailpointsBuild()
    let broken = 0
    for (let run = 0; run < ROW_RUNS; run += 1) {
      using folder = temporaryFolder()
      const cwd = folder.path
      const args = ['serve', '--server-port', '0', '--https-port', '0']
      await using first = startSvc(args, {
        ...{ cwd, env: { SVC_FAILPOINT: armed } },
        executable: FAILPOINTS_EXECUTABLE,
      })
      expect((await first.ended()).status).toBe(-1)
      broken += unreadable(cwd)
      await using next = startSvc(args, { cwd })
      await next.untilLogged('server started')
      next.process.kill('SIGTERM')
      expect((await next.ended()).status).toBe(0)
      broken += brokenPairs(cwd)
      expect(leftovers(cwd)).toEqual([])
      expect(await runSvc(['doctor'], { cwd })).toMatchObject({ status: 0 })
    }
    closeRow(`F7 first start ${armed}`, { runs: ROW_RUNS, broken })
    expect(broken).toBe(0)
  })
})

let lab: FaultLab

beforeAll(async () => {
  lab = await FaultLab.open()
})
afterAll(() => lab.close())

describe('F7 certificate rotation', () => {
  let rotations = 0

  test.each(PAIR_POINTS)(
    'killed at %s, the next start finishes it, and drivers still trust the server',
    (armed) =>
      lab.row(`F7 rotation ${armed}`, async ({ submit }) => {
        rotations += 1
        // A new name needs a new certificate.
        const flags = ['--domain', `d${rotations}.example`]
        await lab.service.stop()
        const root = readFileSync(join(lab.folder, '.svc.ca.pem'), 'utf8')
        lab.service.launch({ SVC_FAILPOINT: armed }, flags)
        expect(await lab.service.ended()).toBe(-1)
        expect(unreadable(lab.folder)).toBe(0)
        await lab.service.start({}, flags)
        expect(brokenPairs(lab.folder)).toBe(0)
        expect(leftovers(lab.folder)).toEqual([])
        expect(readFileSync(join(lab.folder, '.svc.ca.pem'), 'utf8')).toBe(root)
        const [leaf] = parseChain(readFileSync(join(lab.folder, '.svc.cert.pem'), 'utf8'))
        expect(leaf?.checkHost(`d${rotations}.example`)).toBe(`d${rotations}.example`)
        await using _driver = await lab.startDriver()
        await lab.untilCompleted(await submit())
      }),
  )
})

/** Takes the database back to the schema before the first migration. */
function age(folder: string): void {
  using db = new Database(join(folder, 'svc_data', 'svc.db'))
  dropJobChecks(db)
  const { sql } = db.query("SELECT sql FROM sqlite_master WHERE name = 'job_attempts'").get() as {
    sql: string
  }
  db.run('ALTER TABLE job_attempts RENAME TO newer')
  db.run(sql.replace(", 'requeued'", ''))
  db.run('INSERT INTO job_attempts SELECT * FROM newer')
  db.run('DROP TABLE newer')
  db.run('DROP TABLE user_bytes')
  db.run('DROP TABLE qpu_usage')
  db.run('ALTER TABLE external_auths RENAME COLUMN recordRef TO "user"')
  db.run('ALTER TABLE external_auths RENAME COLUMN providerId TO provider_id')
  db.run('DELETE FROM migrations')
}

describe('F7 migration', () => {
  test.each<[Armed, number]>([
    ['migration.copied:1:kill', 0],
    ['migration.inside:1:kill', 0],
    ['migration.after:1:kill', 1],
  ])('killed at %s, the database is old or new, and the next start goes on', (armed, done) =>
    lab.row(`F7 ${armed}`, async ({ submit }) => {
      await using driver = await lab.startDriver()
      await lab.untilCompleted(await submit())
      const attempts = lab.count(`SELECT count(*) FROM ${ATTEMPTS}`)
      await lab.service.stop()
      age(lab.folder)
      lab.service.launch({ SVC_FAILPOINT: armed })
      expect(await lab.service.ended()).toBe(-1)
      expect(lab.count('SELECT count(*) FROM migrations')).toBe(done)
      expect(lab.count('SELECT count(*) FROM job_attempts')).toBe(attempts)
      await lab.service.start()
      expect(lab.count('SELECT count(*) FROM migrations')).toBe(MIGRATIONS.length)
      expect(lab.count(`SELECT count(*) FROM ${ATTEMPTS}`)).toBe(attempts)
      using copy = new Database(join(lab.folder, 'svc_data', 'svc.db.before-0001'), { readonly: true })
      expect(copy.query('SELECT count(*) AS n FROM job_attempts').get()).toEqual({ n: attempts })
      driver.process.kill('SIGKILL')
    }),
  )
})

describe('F7 backup', () => {
  let backups = 0

  test.each<[Armed, boolean]>([
    ['backup.copied:1:kill', false],
    ['backup.checked:1:kill', false],
    ['backup.renamed:1:kill', true],
  ])('killed at %s while jobs run, the name is free or its file is whole', (armed, exists) =>
    lab.row(`F7 ${armed}`, async ({ submit }) => {
      backups += 1
      const name = `backup-${backups}.db`
      await using _driver = await lab.startDriver()
      const jobs = [submit(), submit(), submit()]
      await using backup = startSvc(['backup', name], {
        ...{ cwd: lab.folder, env: { SVC_FAILPOINT: armed } },
        executable: FAILPOINTS_EXECUTABLE,
      })
      expect((await backup.ended()).status).toBe(-1)
      expect(existsSync(join(lab.folder, name))).toBe(exists)
      if (!exists) expect(await runSvc(['backup', name], { cwd: lab.folder })).toMatchObject({ status: 0 })
      expect(await runSvc(['backup', 'verify', name], { cwd: lab.folder })).toMatchObject({ status: 0 })
      for (const job of await Promise.all(jobs)) await lab.untilCompleted(job)
    }),
  )
})

describe('F7 migration of charges', () => {
  const points: Armed[] = [
    'migration.copied:1:kill',
    ...([1, 2, 3, 4, 5] as const).flatMap((at): Armed[] => [
      `migration.inside:${at}:kill`,
      `migration.after:${at}:kill`,
    ]),
    'schema.inside:1:kill',
  ]

  test.each(points)('killed at %s, the next start writes what an earlier version left', async (armed) => {
    await ensureFailpointsBuild()
    using folder = temporaryFolder()
    const { ledger } = writeEarlierFolder(folder.path)
    const args = ['serve', '--dir', folder.path, '--server-port', '0', '--https-port', '0']
    await using first = startSvc(args, {
      ...{ cwd: folder.path, env: { SVC_FAILPOINT: armed } },
      executable: FAILPOINTS_EXECUTABLE,
    })
    expect((await first.ended()).status).toBe(-1)
    await using next = startSvc(args, { cwd: folder.path })
    await next.untilLogged('server started')
    next.process.kill('SIGTERM')
    expect((await next.ended()).status).toBe(0)
    expect(await runSvc(['doctor', '--dir', folder.path], { cwd: folder.path })).toMatchObject({ status: 0 })
    using db = new Database(join(folder.path, 'svc.db'), { readonly: true })
    const charges = db.query('SELECT count(*) FROM qpu_ledger WHERE delta_ms <> 0').values()
    expect(charges).toEqual([[Object.values(ledger).flat().length]])
  })
})
