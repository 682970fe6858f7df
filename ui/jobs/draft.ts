import * as v from 'valibot'
import { formatQualityCondition } from '../../src/base/portable/quality-condition.ts'
import type { Job } from '../api/model/jobs.ts'
import { BELL } from './examples.ts'

const program = v.object({
  text: v.string(),
  /** Parameter sets; each has the value of each input as typed. */
  sets: v.optional(v.array(v.array(v.string())), []),
})
export type DraftProgram = v.InferOutput<typeof program>

const LEVELS = ['0', '1', '2'] as const
export type Level = (typeof LEVELS)[number]

/** A job form as typed. `qpu` is an id or a name, empty for any QPU; `tags` are separated by commas. */
const draft = v.object({
  programs: v.pipe(v.array(program), v.minLength(1)),
  shots: v.optional(v.string(), '1000'),
  qpu: v.optional(v.string(), ''),
  level: v.optional(v.picklist(LEVELS), '2'),
  name: v.optional(v.string(), ''),
  tags: v.optional(v.string(), ''),
  /** Most QPU time in s; empty for no limit. */
  maxSeconds: v.optional(v.string(), ''),
  /** Conditions on the quality of the qubits, separated by commas. */
  require: v.optional(v.string(), ''),
})
export type Draft = v.InferOutput<typeof draft>

const KEY = 'svc.draft'

/** A form with one program and the defaults. */
export function newDraft(text = BELL): Draft {
  return v.parse(draft, { programs: [{ text }] })
}

/** The stored draft of this tab, or a new one. */
export function readDraft(): Draft {
  try {
    const stored = v.safeParse(draft, JSON.parse(sessionStorage.getItem(KEY) ?? 'null'))
    return stored.success ? stored.output : newDraft()
  } catch {
    return newDraft()
  }
}

/** Stores the draft for the life of the tab. */
export function saveDraft(edited: Draft): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(edited))
  } catch {
    // Without storage, or for a draft that is too large for it, it is lost when the page is left.
  }
}

/** The form that submits a job again. */
export function draftOf({ payload, qpu_target, name, tags, max_seconds }: Job): Draft {
  const programs = (payload?.circuits ?? []).map(({ circuit, parameter_values: sets }) => ({
    text: circuit,
    sets: (sets ?? []).map((values) => values.map(String)),
  }))
  return {
    programs: programs.length > 0 ? programs : newDraft().programs,
    shots: String(payload?.shots ?? '1000'),
    qpu: qpu_target ?? '',
    level: LEVELS.find((level) => level === String(payload?.meas_level)) ?? '2',
    name: name ?? '',
    tags: (tags ?? []).join(', '),
    maxSeconds: String(max_seconds ?? ''),
    require: formatQualityCondition(payload?.require ?? {}),
  }
}
