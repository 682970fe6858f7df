import * as v from 'valibot'
import { toTimestamp } from '../../../base/index.ts'
import type { BackupFile } from '../../../db/sqlite/backup/index.ts'
import type { BackupOperation } from './operations.ts'

const time = (text: string) => v.pipe(v.string(), v.description(text))

export const backupResponse = v.object({
  name: v.string(),
  kind: v.pipe(
    v.picklist(['backup', 'earlier']),
    v.description('A backup, or an earlier database that a restore or an upgrade has kept'),
  ),
  bytes: v.number(),
  created: time('Time of the backup, UTC'),
  verified: time('Time of the last check, UTC; empty if unknown'),
  version: v.pipe(v.string(), v.description('Version of svc that checked it; empty if unknown')),
  findings: v.pipe(v.number(), v.description('Invariants that the data violate, by the last check')),
  problem: v.pipe(v.string(), v.description('Why it cannot be restored, by the last check; empty if it can')),
})

export const operationResponse = v.object({
  id: v.string(),
  kind: v.picklist(['create', 'verify', 'restore']),
  name: v.pipe(v.string(), v.description('Name of the backup')),
  actor: v.string(),
  state: v.picklist(['running', 'succeeded', 'failed']),
  step: v.pipe(v.string(), v.description('The step that runs or ran last')),
  written_bytes: v.pipe(v.nullable(v.number()), v.description('Size of the copy that is being written')),
  started: time('UTC'),
  ended: time('UTC; empty while it runs'),
  error: v.pipe(v.string(), v.description('Why it failed')),
  findings: v.array(v.object({ id: v.string(), text: v.string(), rows: v.number() })),
})

/** A backup as the API shows it. */
export function presentBackup({ name, kind, bytes, at, check }: BackupFile) {
  return {
    name,
    kind,
    bytes,
    created: toTimestamp(at),
    verified: check ? toTimestamp(check.at) : '',
    version: check?.version ?? '',
    findings: check?.findings ?? 0,
    problem: check?.problem ?? '',
  }
}

/** An operation as the API shows it. */
export function presentOperation(operation: BackupOperation, writtenBytes: number | undefined) {
  const { id, kind, name, actor, state, step, startedAt, endedAt, error, findings } = operation
  return {
    id,
    kind,
    name,
    actor,
    state,
    step,
    written_bytes: writtenBytes ?? null,
    started: toTimestamp(startedAt),
    ended: endedAt === undefined ? '' : toTimestamp(endedAt),
    error,
    findings: findings.map(({ id, text, rows }) => ({ id, text, rows: rows.length })),
  }
}
