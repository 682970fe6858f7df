/** A job being written. All as typed; `qpu` is an id, or empty for any; `parameters` are numbers in a row. */
export interface Draft {
  program: string
  parameters: string
  shots: string
  qpu: string
}

/** Two entangled qubits: the program a new job starts with. */
export const BELL = `OPENQASM 3.0;
include "stdgates.inc";

qubit[2] q;
bit[2] c;

h q[0];
cx q[0], q[1];
c = measure q;
`

const KEY = 'svc.draft'
const FRESH: Draft = { program: BELL, parameters: '', shots: '1000', qpu: '' }

/** The draft of this tab, or a fresh one. */
export function readDraft(): Draft {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? 'null')
    return stored && typeof stored === 'object' ? merge(FRESH, stored) : FRESH
  } catch {
    return FRESH
  }
}

/** Keeps a draft for as long as the tab lives. */
export function saveDraft(draft: Draft): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(draft))
  } catch {
    // Without storage the draft lasts until the page is left.
  }
}

function merge(draft: Draft, stored: object): Draft {
  const known = Object.entries(stored).filter(([name, value]) => name in draft && typeof value === 'string')
  return { ...draft, ...Object.fromEntries(known) }
}
