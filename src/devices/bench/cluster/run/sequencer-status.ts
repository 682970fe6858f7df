import { ClusterError } from '../connection/reply.ts'

/** What a sequencer says of itself. */
export interface SequencerStatus {
  /** `IDLE`, `ARMED`, `RUNNING`, `Q1_STOPPED`, `STOPPED` or `ERROR`. */
  state: string
  flags: readonly string[]
  warnings: readonly string[]
  errors: readonly string[]
}

/** Flags after which what was played or recorded means nothing. */
const FATAL: ReadonlySet<string> = new Set([
  'ACQ_BIN_INDEX_INVALID',
  'ACQ_INDEX_INVALID',
  'SEQUENCE_PROCESSOR_RT_EXEC_COMMAND_UNDERFLOW',
  'OUTPUT_OVERFLOW',
  'FORCED_STOP',
])

/** Flags after which results may be wrong: the job has them as warnings. */
const DOUBTFUL = /^(ACQ_INTEGRATOR_OUT_OF_RANGE_|ACQ_SCOPE_OUT_OF_RANGE_|CLOCK_INSTABILITY$)/

/**
 * Reads a reply to `STATE?`: status, state, then lists of information, warnings and errors, and a log; newer
 * versions have an exit code after the state.
 * @throws ClusterError for a reply of another form.
 */
export function statusOf(reply: string): SequencerStatus {
  const fields = reply.trim().split(';')
  const [, state] = fields
  if (state === undefined || fields.length < 6 || fields.length > 7) {
    throw new ClusterError(`the state of a sequencer is ${JSON.stringify(reply.slice(0, 200))}`)
  }
  const [flags = [], warnings = [], errors = []] = fields.slice(-4, -1).map(namesOf)
  return { state: nameOf(state), flags, warnings, errors }
}

/** Whether a sequencer is done: a stopped classical part still plays what it has queued. */
export function hasStopped({ state, flags }: SequencerStatus, records: boolean): boolean {
  return state === 'STOPPED' && (!records || flags.includes('ACQ_BINNING_DONE'))
}

/** The flags that fail a run. */
export function failuresOf({ flags, warnings, errors }: SequencerStatus): readonly string[] {
  return [...new Set([...errors, ...[...flags, ...warnings].filter((flag) => FATAL.has(flag))])]
}

/** The flags that make the results doubtful. */
export function doubtsOf({ flags, warnings }: SequencerStatus): readonly string[] {
  return [...new Set([...flags, ...warnings].filter((flag) => DOUBTFUL.test(flag)))]
}

/** Names in a list that ends with a comma. */
function namesOf(list: string): string[] {
  return list
    .split(',')
    .map(nameOf)
    .filter((name) => name !== '')
}

function nameOf(text: string): string {
  return text.trim().replaceAll(/[ -]/g, '_')
}
