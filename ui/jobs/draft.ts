/** A job form as typed. `qpu` is an id, or empty for any QPU; `parameters` is a list of numbers as text. */
export interface Draft {
  program: string
  parameters: string
  shots: string
  qpu: string
}

/** The initial program of a new job: a Bell pair. */
export const BELL = `OPENQASM 3.0;
include "stdgates.inc";

qubit[2] q;
bit[2] c;

h q[0];
cx q[0], q[1];
c = measure q;
`

const KEY = 'svc.draft'
const EMPTY_DRAFT: Draft = { program: BELL, parameters: '', shots: '1000', qpu: '' }

/** The stored draft of this tab, or an empty one. */
export function readDraft(): Draft {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? 'null')
    return stored && typeof stored === 'object' ? merge(EMPTY_DRAFT, stored) : EMPTY_DRAFT
  } catch {
    return EMPTY_DRAFT
  }
}

/** Stores the draft for the life of the tab. */
export function saveDraft(draft: Draft): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(draft))
  } catch {
    // Without storage the draft is lost when the page is left.
  }
}

function merge(draft: Draft, stored: object): Draft {
  const known = Object.entries(stored).filter(([name, value]) => name in draft && typeof value === 'string')
  return { ...draft, ...Object.fromEntries(known) }
}
