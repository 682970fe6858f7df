import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { BELL, type Service } from './service.ts'

/** Differences between a journal and a database; everything must be 0. */
export interface Losses {
  /** Jobs whose acceptance a client saw and that are gone, or never completed. */
  lost: number
  /** Submissions (by their idempotency key) that made more than one job. */
  duplicated: number
  /** Jobs with more than one completion in their timeline. */
  completedTwice: number
  chargedTwice: number
  /** Completed jobs without a charge. */
  uncharged: number
  /** Jobs on a device that miscounts which did not fail with `invalid_results`, once and free of charge. */
  misjudged: number
}

const PAUSE_MS = 30

interface Row {
  id: string
  status: string
  payload: string
  error_code: string
  completions: number
  failures: number
  charges: number
}

/** Requests of clients and the responses they received, to be compared with the database in the end. */
export class Journal {
  /** Job ids that the server has acknowledged, by the key of the submission; undefined = no response yet. */
  readonly #accepted = new Map<string, string | undefined>()
  /** Keys of the jobs that a device miscounts. */
  readonly #miscounted = new Set<string>()
  #contradicted = 0

  /** Submissions, with or without a response. */
  get size(): number {
    return this.#accepted.size
  }

  /** Submissions of jobs that a device miscounts. */
  get miscounted(): number {
    return this.#miscounted.size
  }

  /** Submits a job that the device `mock` with `pragmas` miscounts. */
  async submitMiscounted(service: Service, token: string, key: string): Promise<string> {
    this.#miscounted.add(key)
    return this.submit(service, token, key, '// svc-mock: fail=miscount')
  }

  /** Submits a job for a QPU under `key` and repeats that until the server responds. Returns its id. */
  async submit(service: Service, token: string, key: string, comment = '', qpu = 'target'): Promise<string> {
    this.#accepted.set(key, this.#accepted.get(key))
    for (;;) {
      const id = await this.#submitOnce(service, token, key, comment, qpu)
      if (id !== undefined) return id
      await Bun.sleep(PAUSE_MS)
    }
  }

  async #submitOnce(
    service: Service,
    token: string,
    key: string,
    comment: string,
    qpu: string,
  ): Promise<string | undefined> {
    // The key is in the job too, so that jobs can be counted by it whatever the server did with the header.
    const circuit = `// key ${key};\n${comment}\n${BELL}`
    const body = { circuits: [{ circuit }], shots: 10, qpu_target: qpu }
    const headers = { 'idempotency-key': key }
    const answer = await service
      .call<{ id: string }>('POST', '/api/jobs', { token, body, headers })
      .catch(() => undefined)
    if (answer?.status !== 201) return undefined
    const before = this.#accepted.get(key)
    if (before !== undefined && before !== answer.body.id) this.#contradicted += 1
    this.#accepted.set(key, answer.body.id)
    return answer.body.id
  }

  /**
   * Compares what the server of `folder` has stored for these submissions with its responses to them; it
   * may be running. `mustComplete` false leaves jobs in the queue that no driver was there for.
   */
  compare(
    folder: string,
    { expectsCompletion = true } = {},
  ): Losses & { submitted: number; completed: number } {
    const rows = this.#stored(folder)
    const byId = new Map(rows.map((row) => [row.id, row]))
    const accepted = [...this.#accepted].filter(([, id]) => id !== undefined)
    const isMiscounted = (key: string) => this.#miscounted.has(key)
    const completed = rows.filter((row) => row.status === 'completed')
    return {
      submitted: this.#accepted.size,
      completed: completed.length,
      lost: accepted.filter(([key, id = '']) =>
        expectsCompletion && !isMiscounted(key) ? byId.get(id)?.status !== 'completed' : !byId.has(id),
      ).length,
      duplicated: this.#contradicted + rows.length - new Set(rows.map(keyOf)).size,
      completedTwice: rows.filter((row) => row.completions > 1).length,
      chargedTwice: rows.filter((row) => row.charges > 1).length,
      uncharged: completed.filter((row) => row.charges === 0).length,
      misjudged: rows.filter((row) => isMiscounted(keyOf(row)) && expectsCompletion && !isRefused(row))
        .length,
    }
  }

  /** The jobs of these submissions. */
  #stored(folder: string): Row[] {
    using db = new Database(join(folder, 'svc_data', 'svc.db'), { readonly: true })
    const rows = db
      .query(
        `SELECT id, status, error_code,
           coalesce(payload, (SELECT body FROM quantum_jobs_large WHERE record = id AND field = 'payload')) AS payload,
           (SELECT count(*) FROM json_each('[' || history || ']') WHERE value ->> 1 = 'completed') AS completions,
           (SELECT count(*) FROM json_each('[' || history || ']') WHERE value ->> 1 = 'failed') AS failures,
           (SELECT count(*) FROM qpu_ledger WHERE kind = 'charge' AND source_id = quantum_jobs.id) AS charges
         FROM quantum_jobs`,
      )
      .all() as Row[]
    return rows.filter((row) => this.#accepted.has(keyOf(row)))
  }
}

/** Whether its results were refused, once and free of charge. */
function isRefused({ status, error_code, failures, charges }: Row): boolean {
  return status === 'failed' && error_code === 'invalid_results' && failures === 1 && charges === 0
}

function keyOf({ payload }: Row): string {
  return /\/\/ key ([^;]+);/.exec(payload)?.[1] ?? ''
}
