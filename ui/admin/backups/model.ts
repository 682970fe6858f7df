import * as v from 'valibot'

export const backup = v.object({
  name: v.string(),
  kind: v.picklist(['backup', 'earlier']),
  bytes: v.number(),
  created: v.string(),
  verified: v.string(),
  version: v.string(),
  findings: v.number(),
  problem: v.string(),
})
export type Backup = v.InferOutput<typeof backup>

export const operation = v.object({
  id: v.string(),
  kind: v.picklist(['create', 'verify', 'restore']),
  name: v.string(),
  actor: v.string(),
  state: v.picklist(['running', 'succeeded', 'failed']),
  step: v.string(),
  written_bytes: v.nullable(v.number()),
  started: v.string(),
  ended: v.string(),
  error: v.string(),
  findings: v.array(v.object({ id: v.string(), text: v.string(), rows: v.number() })),
})
export type Operation = v.InferOutput<typeof operation>

export const backups = v.object({
  backups: v.array(backup),
  total: v.number(),
  operation: v.nullable(operation),
})

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/** A size with three digits and its unit. */
export function formatBytes(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 1_000 && unit < UNITS.length - 1) {
    value /= 1_024
    unit += 1
  }
  const digits = unit === 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2
  return `${value.toFixed(digits)}\u00a0${UNITS[unit]}`
}

/** What an operation does, in words. */
export function titleOf({ kind, name, state }: Pick<Operation, 'kind' | 'name' | 'state'>): string {
  const words = {
    create: { running: 'Making', succeeded: 'Made', failed: 'Could not make' },
    verify: { running: 'Checking', succeeded: 'Checked', failed: 'Could not check' },
    restore: { running: 'Restoring', succeeded: 'Restored', failed: 'Could not restore' },
  }
  return `${words[kind][state]} ${name}`
}

/** Whether nothing is known against a restore; a restore checks the backup first. */
export function canRestore({ problem, findings }: Backup): boolean {
  return problem === '' && findings === 0
}
