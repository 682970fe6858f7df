import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { temporaryFolder } from '../../tests/support/temporary-folder.ts'

/** Figures of bare durable commits. */
export interface Commits {
  perSecond: number
  /** Duration of one commit in ms. */
  p50: number
  p99: number
}

/**
 * Measures the reference for everything that is stored: one row of `bytes` bytes per transaction with
 * `bun:sqlite` alone, with the durability of the product (WAL, `synchronous=FULL`), on the file system that
 * the product uses in the same run.
 */
export function measureCommits(count: number, bytes: number): Commits {
  const folder = temporaryFolder()
  const db = new Database(join(folder.path, 'reference.db'))
  try {
    for (const pragma of ['journal_mode=WAL', 'synchronous=FULL']) db.run(`PRAGMA ${pragma}`)
    db.run('CREATE TABLE rows (id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT')
    const insert = db.prepare('INSERT INTO rows (body) VALUES (?)')
    const body = 'x'.repeat(bytes)
    const times: number[] = []
    const start = performance.now()
    for (let at = 0; at < count; at++) {
      const begin = performance.now()
      insert.run(body)
      times.push(performance.now() - begin)
    }
    const seconds = (performance.now() - start) / 1_000
    times.sort((a, b) => a - b)
    const part = (share: number) => times[Math.floor(share * times.length)] ?? Number.NaN
    return { perSecond: count / seconds, p50: part(0.5), p99: part(0.99) }
  } finally {
    db.close()
    folder[Symbol.dispose]()
  }
}
