import type { AppErrorDetails, ErrorCode, FieldError } from '../../base/index.ts'
import type { ExpectedResults, QualityCondition } from '../../protocol/index.ts'
import type { ChipNeeds } from '../../qasm/index.ts'

/** A JSON body as it was received, and whose limits apply to it. */
export interface ReceivedBytes {
  bytes: Uint8Array
  sender: 'guest' | 'user' | 'superuser'
}

/** Memory in which the thread that examines states its number, see `threadNumber`; 0 = unknown. */
export interface ThreadNumber {
  number: Int32Array<SharedArrayBuffer>
}

/** A QPU and the length of one `dt` of it, s. */
export interface QpuDt {
  id: string
  name: string
  isEnabled: boolean
  dt: number
}

/** A submission to examine. */
export interface SubmissionRequest {
  body: ReceivedBytes | { value: unknown }
  /** Whether the body is a record, whose field `payload` holds the submission. */
  isRecord: boolean
  /** Whether the request has an `Idempotency-Key`. */
  isKeyed: boolean
  /** Units of time of the QPUs that it may address; 1 ns where it is empty. */
  dts: readonly QpuDt[]
}

/** One problem of a submission: its path (`circuits.0.circuit`) and what to do about it. */
export interface Problem extends FieldError {
  path: string
}

/** What the executions of a job take of a device at least. */
export interface JobExtents {
  /** The execution that takes most of each kind, and the line that adds the last of it; 0 = none. */
  most: {
    kind: 'schedule_s' | 'acquisitions' | 'pulses' | 'branches' | 'result_bytes'
    needed: number
    path: string
    line: number
  }[]
  /** Sum over all executions. */
  shots: number
  /** Sum of the lengths of all shots, s. */
  seconds: number
}

/** What the programs of a job declare, and their problems. */
export interface ProgramsReport {
  /** Size of the largest program. */
  qubits: number
  /** Index of the largest program. */
  largest: number
  /** Result bits of each program. */
  bits: number[]
  /** Features of a QPU that the programs need, each with the path of the first program that does. */
  features: { name: string; path: string }[]
  /** The path of the first program with a time in `dt`; '' = none has. */
  dtPath: string
  /** The different needs of the programs, each with the path of the first program that has them. */
  chip: { path: string; needs: ChipNeeds }[]
  problems: Problem[]
  /** What does not prevent the job, in the same form. */
  warnings: Problem[]
  /** Directives of programs that have no effect, with their places. */
  ignored: string[]
  /** What the executions take of a device at least; undefined if there are problems. */
  extents?: JobExtents | undefined
}

/** An `AppError` as it moves between threads. */
export interface Refusal {
  code: ErrorCode
  message: string
  details: Omit<AppErrorDetails, 'cause'>
}

/** A submission whose form is right; its programs may have problems. */
export interface ExaminedSubmission extends ProgramsReport {
  /** Id or name of a QPU as the caller gave it; '' = any. */
  target: string
  /** Id of the session that it names; '' = none. */
  session: string
  /** What its owner calls the job. */
  name: string
  tags: string[]
  /** The JSON text of the names and metadata of its circuits, in their order; '' without any. */
  labels: string
  /** The JSON text of the payload with every default, in UTF-8 when it comes from the thread. */
  text: string | Uint8Array<ArrayBuffer>
  /** The most shots of a circuit, and the field that states them. */
  shots: { most: number; path: string }
  /** Number of results that the job produces. */
  executions: number
  /** What they must contain. */
  expected: ExpectedResults
  /** Most QPU time over all attempts, in ms; 0 = no limit of its own. */
  maxMs: number
  /** How long it may wait, ms after its submission; 0 = no limit. */
  giveUpMs: number
  /** SHA-256 of the programs in base64url. */
  programHash: string
  /** Whether the job may use what is not calibrated. */
  allowsUncalibrated: boolean
  /** Whether signals become bits by the values of the device. */
  hasBits: boolean
  /** What the job requires of the qubits and pairs that it uses. */
  require?: QualityCondition | undefined
  /** Keys of the body that are not used, and directives of programs. */
  ignored: string[]
  /** Identifies the content of the request; '' without an `Idempotency-Key`. */
  hash: string
}

/** What is known about a submission from its body alone. */
export interface Examination {
  outcome: ExaminedSubmission | Refusal
  /** The other fields of a record; undefined for another body, and for one that is not an object. */
  fields: Record<string, unknown> | undefined
}

/** What the thread returns. */
export interface ThreadResponse {
  examination: Examination
  /** What the heap of the thread keeps afterwards. */
  heapBytes: number
}
