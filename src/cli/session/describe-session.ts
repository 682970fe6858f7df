import type * as wire from '../../../clients/js/src/generated/wire.gen.ts'
import { flag, kinds } from '../../base/index.ts'
import { localTime, plain } from '../client/output.ts'

/** Whom a session is for. */
export const FOR_FLAG = flag(
  kinds.text('kind:id', {
    pattern: /^[^:]{1,40}:.{1,200}$/,
    expected: 'a kind and an id such as slurm:1234',
  }),
  'What it is held for, such as the batch job slurm:1234',
)

/** `slurm:1234` as the server has it. */
export function holderOf(text: string): { kind: string; id: string } {
  const at = text.indexOf(':')
  return { kind: text.slice(0, at), id: text.slice(at + 1) }
}

export function pathOf(session: string): string {
  return `/api/sessions/${encodeURIComponent(session)}`
}

const ENDS: Readonly<Record<wire.Session['end'], string>> = {
  '': '',
  expired: 'its time is over',
  ended: 'it was ended',
  booking: 'a booking of another user began',
  balance: 'the balance of QPU seconds is used up',
}

const PAUSES: Readonly<Record<string, string>> = { '': 'it begins again', idle: 'no job of yours' }

/** The state of a session in a line, with what it waits for. */
export function stateOf(session: wire.Session): string {
  const { state, position, expected_start: start, ends_at, paused_by, end, end_reason } = session
  const at = (text: string) => localTime(new Date(text))
  if (state === 'closed') return `closed: ${ENDS[end]}${end_reason === '' ? '' : `, ${plain(end_reason)}`}`
  if (state === 'queued') return `queued, position ${position}${start ? `, starts by ${at(start.to)}` : ''}`
  if (state === 'active') return `active until ${at(ends_at)}`
  const why = PAUSES[paused_by] ?? `the QPU is ${paused_by}`
  return `paused: ${why}; ends ${at(ends_at)}`
}
