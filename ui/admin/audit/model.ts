import * as v from 'valibot'

const auditEntry = v.object({
  seq: v.number(),
  at: v.string(),
  actor: v.string(),
  email: v.string(),
  action: v.string(),
  subject: v.string(),
  detail: v.record(v.string(), v.unknown()),
})
export type AuditEntry = v.InferOutput<typeof auditEntry>

export const auditPage = v.object({ entries: v.array(auditEntry), next: v.nullable(v.number()) })

/** One part of the check of the chain. */
export const auditPart = v.object({
  entries: v.number(),
  erased: v.number(),
  first_broken_entry: v.nullable(v.number()),
  head: v.string(),
  has_expected_head: v.boolean(),
  last: v.number(),
  next: v.nullable(v.number()),
})
type AuditPart = v.InferOutput<typeof auditPart>

/** Who did it, as people know them. */
export function actorOf({ actor, email }: Pick<AuditEntry, 'actor' | 'email'>): string {
  return email || actor
}

/** The details of an entry as text; empty without any. */
export function detailOf({ detail }: Pick<AuditEntry, 'detail'>): string {
  return Object.keys(detail).length === 0 ? '' : JSON.stringify(detail, null, 2)
}

/** The check of the chain so far. */
export interface Check {
  state: 'running' | 'intact' | 'broken' | 'cut'
  entries: number
  erased: number
  /** Position of the newest entry, for the progress. */
  last: number
  /** Position up to which entries were checked. */
  reached: number
  head: string
  broken: number | undefined
  hasExpected: boolean
}

/** The check before its first part; `expected` is a head noted earlier. */
export function startCheck(expected: string): Check {
  return {
    state: 'running',
    entries: 0,
    erased: 0,
    last: 0,
    reached: 0,
    head: '',
    broken: undefined,
    hasExpected: expected === '',
  }
}

/** Adds a part; after the last one, the check has its outcome. */
export function addPart(check: Check, part: AuditPart): Check {
  const broken = check.broken ?? part.first_broken_entry ?? undefined
  const hasExpected = check.hasExpected || part.has_expected_head
  const isOver = part.next === null || broken !== undefined
  const outcome = broken !== undefined ? 'broken' : hasExpected ? 'intact' : 'cut'
  return {
    state: isOver ? outcome : 'running',
    entries: check.entries + part.entries,
    erased: check.erased + part.erased,
    last: part.last,
    reached: part.next ?? part.last,
    head: part.head,
    broken,
    hasExpected,
  }
}
