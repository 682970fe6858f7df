import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { completeSums, seed as seedRows } from '../../../bench/scale/seed.ts'
import { runSvc } from '../../support/executable/service.ts'
import type { Account, Seeded } from '../attack.ts'
import { AttackedServer } from './server.ts'

const ATTACKERS = 20
const OTHERS = 5
const EVENTS_PER_JOB = 3
const PROGRAM_BYTES = 9_000_000
const RESULT_BYTES = 8 * 1024 * 1024
/** Values of these sizes: with 5 of each, 85 MB, and the report another 15 MB. */
const LARGE_JOBS = 5
const REPORT_BYTES = 15_000_000
/** An account that is never used up by the attacks. */
const BALANCE_S = 1_000_000_000

/** The superuser of every attacked server. */
export const ADMIN = { email: 'admin@example.org', password: 'a long password' }
const PASSWORD = 'another long password'

/** Calls of the superuser and of new accounts, in the form that all releases of the server understand. */
class SetUp {
  readonly #url: string
  #admin = ''

  constructor(url: string) {
    this.#url = url
  }

  async #post<T>(path: string, body: unknown, token?: string): Promise<T> {
    const response = await fetch(this.#url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token && { authorization: token }) },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as T
  }

  async #login(collection: string, identity: string, password: string): Promise<string> {
    const path = `/api/collections/${collection}/auth-with-password`
    return (await this.#post<{ token: string }>(path, { identity, password })).token
  }

  async open(): Promise<void> {
    this.#admin = await this.#login('_superusers', ADMIN.email, ADMIN.password)
  }

  async accounts(name: string, count: number): Promise<Account[]> {
    const made: Account[] = []
    for (let at = 0; at < count; at += 1) {
      const email = `${name}${at}@attack.example.org`
      const account = { email, password: PASSWORD, passwordConfirm: PASSWORD, qpu_seconds: BALANCE_S }
      const { id } = await this.#post<{ id: string }>('/api/collections/users/records', account, this.#admin)
      const login = await this.#login('users', email, PASSWORD)
      // Login tokens expire; a seeded database is used for weeks.
      made.push({ id, token: (await this.#post<Account>('/api/tokens', { name: 'attack' }, login)).token })
    }
    return made
  }

  qpu(name: string): Promise<{ id: string; access_token: string }> {
    return this.#post('/api/op/qpus/create', { name, num_qubits: 24 }, this.#admin)
  }

  async driver(qpu: string, operation: string): Promise<string> {
    const body = { name: `attack_${operation}`, qpu, operation }
    return (await this.#post<{ token: string }>('/api/op/drivers/create', body, this.#admin)).token
  }
}

/**
 * Fills an empty folder with a stopped installation of `executable`: accounts, drivers, `jobs` ended jobs
 * with all their rows, three times as many events, and 100 MB of large values. `svc doctor` accepts it.
 */
export async function seedFolder(folder: string, executable: string, jobs: number): Promise<Seeded> {
  const made = await runSvc(['superuser', 'upsert', ADMIN.email, ADMIN.password], { cwd: folder, executable })
  if (made.status !== 0) throw new Error(made.err)
  const server = new AttackedServer(folder, executable)
  await server.start()
  const setUp = new SetUp(server.url)
  await setUp.open()
  const attackers = await setUp.accounts('attacker', ATTACKERS)
  const others = await setUp.accounts('other', OTHERS)
  const [attacker, other] = [attackers[0], others[0]]
  if (!attacker || !other) throw new Error('no accounts')
  const { id: qpu, access_token } = await setUp.qpu('attacked')
  const drivers = {
    process: access_token,
    monitor: await setUp.driver(qpu, 'monitor'),
    calibrate: await setUp.driver(qpu, 'calibrate'),
  }
  await server.stop()
  const path = join(folder, 'svc_data/svc.db')
  const events = jobs * EVENTS_PER_JOB
  seedRows(path, { jobs, events }, { owner: other.id, qpu })
  const large = seedLarge(path, attacker.id, qpu)
  const doctor = await runSvc(['doctor'], { cwd: folder, executable })
  if (doctor.status !== 0) throw new Error(`svc doctor refuses the seeded data:\n${doctor.out}${doctor.err}`)
  return { attackers, others, drivers, qpu: { id: qpu, name: 'attacked' }, ...large, jobs, events }
}

/** Ended jobs of `user` with the largest values, and one report, stored as the server stores them. */
function seedLarge(path: string, user: string, qpu: string) {
  using file = new Database(path, { strict: true })
  const at = new Date().toISOString().replace('T', ' ')
  const program = largeProgram()
  const results = JSON.stringify({ success: true, memory: 'a'.repeat(RESULT_BYTES - 40) })
  const small = {
    payload: '{"shots":1,"circuits":[{"circuit":"OPENQASM 3.0;"}]}',
    results: '{"success":true}',
  }
  const history = ['submitted', 'claimed', 'completed']
    .map((event) => JSON.stringify([at, event, 1, '']))
    .join()
  const insert = (id: string, payload: string | null, stored: string | null) => {
    file.run(
      `INSERT INTO quantum_jobs (id, user_id, qpu_target, payload, status, finished_at, duration, results,
         started_at, attempt, qubits, driver, qpu, claimed_at, epoch, history, created, updated)
       VALUES (?1, ?2, ?3, ?4, 'completed', ?5, 0.005, ?6, ?5, 1, 2, 'earlier', ?3, ?5, 1, ?7, ?5, ?5)`,
      [id, user, qpu, payload, at, stored, history],
    )
    file.run(
      `INSERT INTO qpu_ledger (user, kind, source_id, delta_ms, at) VALUES (?2, 'charge', ?1, -5, ?3)`,
      [id, user, at],
    )
    file.run(
      `INSERT INTO qpu_usage (user, month, qpu, jobs, used_ms, charged_ms) VALUES (?1, ?2, ?3, 1, 5, 5)
       ON CONFLICT DO UPDATE SET jobs = jobs + 1, used_ms = used_ms + 5, charged_ms = charged_ms + 5`,
      [user, at.slice(0, 7), qpu],
    )
    file.run('UPDATE users SET qpu_ms = qpu_ms - 5 WHERE id = ?1', [user])
  }
  const store = (table: string, record: string, field: string, body: string) =>
    file.run(`INSERT INTO ${table}_large (record, field, body) VALUES (?1, ?2, ?3)`, [record, field, body])
  const largePrograms: string[] = []
  const largeResults: string[] = []
  for (let each = 0; each < LARGE_JOBS; each += 1) {
    const [first, second] = [`largeprogram${each}00`, `largeresults${each}00`]
    insert(first, null, small.results)
    store('quantum_jobs', first, 'payload', program)
    insert(second, small.payload, null)
    store('quantum_jobs', second, 'results', results)
    largePrograms.push(first)
    largeResults.push(second)
  }
  completeSums(file)
  file.run(
    `INSERT INTO calibration_results (id, driver, qpu, mode, status, started_at, finished_at, run_id, created, updated)
     VALUES ('largereport0000', '', '${qpu}', 'full', 'success', ?1, ?1, 'largereportrun0', ?1, ?1)`,
    [at],
  )
  store('calibration_results', 'largereport0000', 'routines', JSON.stringify(['r'.repeat(REPORT_BYTES)]))
  file.run('PRAGMA wal_checkpoint(TRUNCATE)')
  return { largePrograms, largeResults }
}

function largeProgram(): string {
  const head = 'OPENQASM 3.0;\ninclude "stdgates.inc";\nqubit[2] q;\n'
  const gate = 'h q[0];\n'
  const circuit = head + gate.repeat((PROGRAM_BYTES - head.length) / gate.length)
  return JSON.stringify({
    ...{ circuits: [{ circuit }], shots: 100, meas_level: 2, meas_return: 'single', memory: false },
  })
}
