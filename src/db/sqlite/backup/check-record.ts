import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

/** The result of the last check of a backup, stored next to it as `<backup>.check`. */
export interface CheckRecord {
  /** Version of `svc` that checked it. */
  version: string
  /** Time of the check, ms since the epoch. */
  at: number
  /** Number of invariants that its data violate. */
  findings: number
  /** Why the backup cannot be restored; '' when it can. */
  problem: string
}

export const CHECK_ENDING = '.check'

/** Stores the result of a check of the backup at `path`. */
export function writeCheckRecord(path: string, record: CheckRecord): void {
  const file = `${path}${CHECK_ENDING}`
  writeFileSync(`${file}.partial`, `${JSON.stringify(record)}\n`, { mode: 0o600 })
  renameSync(`${file}.partial`, file)
}

/** The stored result for the backup at `path`; undefined when it was never checked by a server or command. */
export function readCheckRecord(path: string): CheckRecord | undefined {
  const file = `${path}${CHECK_ENDING}`
  if (!existsSync(file)) return undefined
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as CheckRecord
  } catch {
    // A broken record is no reason to hide the backup, which can be checked again.
    return undefined
  }
}
