import * as v from 'valibot'
import { toTimestamp } from '../../../base/index.ts'
import type { BackupFile } from '../../../db/sqlite/backup/index.ts'
import { described } from '../../http/schema.ts'
import type { BackupOperation } from './operations.ts'

const time = (text: string) => described(v.string(), text)

export const backupResponse = v.object({
  name: v.string(),
  kind: described(
    v.picklist(['backup', 'earlier']),
    'A backup, or an earlier database that a restore or an upgrade has kept',
  ),
  bytes: v.number(),
  created: time('Time of the backup, UTC'),
  verified: time('Time of the last check, UTC; empty if unknown'),
  version: described(v.string(), 'Version of svc that checked it; empty if unknown'),
  findings: described(v.number(), 'Invariants that the data violate, by the last check'),
  problem: described(v.string(), 'Why it cannot be restored, by the last check; empty if it can'),
})

export const operationResponse = v.object({
  id: v.string(),
  kind: v.picklist(['create', 'verify', 'restore']),
  name: described(v.string(), 'Name of the backup'),
  actor: v.string(),
  state: v.picklist(['running', 'succeeded', 'failed']),
  step: described(v.string(), 'The step that runs or ran last'),
  written_bytes: described(v.nullable(v.number()), 'Size of the copy that is being written'),
  started: time('UTC'),
  ended: time('UTC; empty while it runs'),
  error: described(v.string(), 'Why it failed'),
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
