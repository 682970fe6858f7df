import { basename } from 'node:path'
import {
  type Circuit,
  InvalidRequestError,
  type Job,
  type Submission,
  type SvcClient,
  SvcError,
} from '../../../clients/js/src/index.ts'
import {
  AppError,
  flag,
  kinds,
  MIB,
  messageOf,
  PROGRAM_KINDS,
  parseQualityCondition,
  reasonOf,
  repeatableFlag,
  switchFlag,
  whatContent,
} from '../../base/index.ts'
import { defineCommand } from '../command-line/command.ts'
import { UsageError } from '../command-line/usage-error.ts'
import { CONNECTION_FLAGS, withClient } from './connection.ts'
import { conclude, follow, printOutcome, printWarnings, TIMEOUT_FLAG } from './follow.ts'
import { estimateLine, stateOf } from './output.ts'
import { bindParameters, checkNames, parseParameter } from './parameters.ts'
import { parsePauliSum } from './pauli-sum.ts'
import { notAccepted, type Program } from './problems.ts'

/** As much as a job may have. */
const MAX_FILE_BYTES = 16 * MIB

/** Enough to see what a file is. */
const HEAD_BYTES = 4096
/** What may be a program: the parser says where it is not. */

const LEVELS = ['0', '1', '2'] as const
const LEVEL_OF = { '0': 0, '1': 1, '2': 2 } as const

export const submitCommand = defineCommand({
  summary: 'Submit OpenQASM programs as one job; with --wait also wait for its results',
  positionals: [
    { name: 'FILE', isRepeatable: true, help: 'OpenQASM 2 or 3, a circuit each; - reads standard input' },
  ],
  flags: {
    qpu: flag(kinds.nonEmptyText('name'), 'QPU that runs the job; if unset SVC_QPU, or any'),
    shots: flag(kinds.integer({ min: 1 }), 'Shots of each circuit; 1024 if unset'),
    param: repeatableFlag(
      kinds.nonEmptyText('[name=]number'),
      'Value of an input, by name or in order; repeat it for each input',
    ),
    name: flag(kinds.nonEmptyText('text'), 'Name of the job'),
    key: flag(
      kinds.nonEmptyText('text'),
      'Idempotency key: submissions with the same one make one job within 24 hours; random if unset',
    ),
    tag: repeatableFlag(kinds.nonEmptyText('text'), 'Tag of the job; may be repeated'),
    optimizationLevel: flag(
      kinds.choice(LEVELS),
      'How much a compiler changes the circuits: 0 (gates as written), 1 or 2; the device decides if unset',
    ),
    dynamicalDecoupling: flag(
      kinds.choice(['none', 'XX', 'XY4']),
      'Pulses in the waits of qubits, against slow noise; none if unset',
    ),
    scheduling: flag(
      kinds.choice(['alap', 'asap']),
      'When operations start: as late as possible (alap), or as early as possible (asap); alap if unset',
    ),
    maxSeconds: flag(
      kinds.number({ min: 0.001 }),
      'Most QPU time that the job may use and be charged, in s; then it fails',
    ),
    require: repeatableFlag(
      kinds.nonEmptyText('condition'),
      'Quality of the qubits that it may use: readout_fidelity>0.97, two_qubit_error<0.01 or calibrated_within=2h; it waits for it; may be repeated',
    ),
    giveUpAfter: flag(
      kinds.nonEmptyText('duration'),
      'Time from the submission, such as 2h, after which it fails if it still waits; never if unset',
    ),
    seed: flag(kinds.integer({ min: 0 }), 'Seed, which makes the results of a simulator repeatable'),
    memory: switchFlag(kinds.bool(), 'Also return the outcome of each shot (see --json)'),
    allowUncalibrated: switchFlag(
      kinds.bool(),
      'Also use parts of the chip that are not calibrated; warnings name them',
    ),
    exact: switchFlag(
      kinds.bool(),
      'Exact probabilities of a simulator in place of shots, or the means of --expectation',
    ),
    precision: flag(
      kinds.choice(['double', 'single']),
      'Precision of simulated amplitudes: single takes half the memory and time; double if unset',
    ),
    expectation: repeatableFlag(
      kinds.nonEmptyText('sum'),
      'With --exact: a Pauli sum such as "0.5 ZZ - XI", qubit 0 last; may be repeated',
    ),
    check: switchFlag(kinds.bool(), 'Check the job without submitting it'),
    wait: switchFlag(kinds.bool(), 'Wait for the results and print them'),
    timeout: TIMEOUT_FLAG,
    ...CONNECTION_FLAGS,
  },
  run: async ({ flags, positionals }) => {
    if (flags.check && flags.wait) throw new UsageError('--check submits nothing; leave out --wait')
    if (flags.timeout !== undefined && !flags.wait) throw new UsageError('--timeout needs --wait')
    if (flags.check && flags.key !== undefined)
      throw new UsageError('--check submits nothing; leave out --key')
    const programs = await Promise.all(positionals.map(readProgram))
    const submission = submissionOf(programs, flags)
    return withClient(flags, async (svc) => {
      if (flags.check) return check(svc, submission, programs)
      const job = await submit(svc, submission, { programs, key: flags.key })
      if (!flags.wait) return { job: await withReason(job) }
      process.stderr.write(`Submitted job ${job.id}\n`)
      const ended = await follow(job, flags.timeout)
      conclude(ended)
      return { job: ended, hasEnded: true }
    })
  },
  document: ({ job, checked }) => checked ?? job?.raw,
  print({ job, hasEnded, checked }) {
    if (checked) {
      const { executions, qubits } = checked
      const plural = (count: number) => (count === 1 ? '' : 's')
      console.log(
        `Accepted: ${executions} execution${plural(executions)} on ${qubits} qubit${plural(qubits)}`,
      )
      if (checked.estimate) console.log(estimateLine(checked.estimate))
      printWarnings((checked.warnings ?? []).map(({ message }) => message))
    } else if (job && hasEnded) printOutcome(job)
    else if (job) console.log(`Submitted job ${job.id} (${stateOf(job)}); its result: svc result ${job.id}`)
  },
})

interface Outcome {
  job?: Job
  hasEnded?: boolean
  checked?: Awaited<ReturnType<SvcClient['checkJob']>>
}

/** @throws AppError with all problems if the job would not be accepted. */
async function check(svc: SvcClient, submission: Submission, programs: readonly Program[]): Promise<Outcome> {
  const checked = await svc.checkJob(submission)
  if (checked.accepted) return { checked }
  throw notAccepted(checked.problems, programs)
}

/** Prints what the server warns of. @throws AppError with the problems if the job is not accepted. */
async function submit(
  svc: SvcClient,
  submission: Submission,
  { programs, key }: { programs: readonly Program[]; key: string | undefined },
): Promise<Job> {
  try {
    return await svc.submitJob(submission, {
      ...(key !== undefined && { idempotencyKey: key }),
      warn: (message) => printWarnings([message]),
    })
  } catch (error) {
    if (!(error instanceof InvalidRequestError)) throw error
    const problems = Object.entries(error.fields).map(([path, field]) => ({ path, ...field }))
    throw problems.length === 0 ? error : notAccepted(problems, programs)
  }
}

/** The job with why it waits, if it does: the response to the submission does not say it. */
async function withReason(job: Job): Promise<Job> {
  try {
    return job.isDone ? job : await job.refresh()
  } catch (error) {
    // It was submitted, whatever is wrong with the server since.
    if (error instanceof SvcError) return job
    throw error
  }
}

interface SubmissionFlags {
  qpu: string | undefined
  shots: number | undefined
  param: readonly string[]
  name: string | undefined
  tag: readonly string[]
  optimizationLevel: (typeof LEVELS)[number] | undefined
  dynamicalDecoupling: Submission['dynamicalDecoupling']
  scheduling: Submission['scheduling'] | undefined
  maxSeconds: number | undefined
  require: readonly string[]
  giveUpAfter: string | undefined
  seed: number | undefined
  memory: boolean
  allowUncalibrated: boolean
  exact: boolean
  precision: Submission['precision']
  expectation: readonly string[]
}

function submissionOf(programs: readonly Program[], flags: SubmissionFlags): Submission {
  const { qpu, shots, param, name, tag, optimizationLevel, seed, memory, allowUncalibrated, exact } = flags
  const { expectation, dynamicalDecoupling, scheduling, precision } = flags
  const parameters = param.map(parseParameter)
  const expectationValues = expectation.map(parsePauliSum)
  if (expectation.length > 0 && !exact) throw new UsageError('--expectation needs --exact')
  checkNames(
    programs.map(({ text }) => text),
    parameters,
  )
  const circuits = programs.map(({ file, text }): Circuit => {
    const values = bindParameters(text, file, parameters)
    const named = file === '-' ? {} : { name: basename(file).slice(0, 200) }
    return {
      circuit: text,
      ...named,
      ...(values && { parameterValues: values }),
      ...(expectationValues.length > 0 && { expectationValues }),
    }
  })
  return {
    circuits,
    ...(qpu !== undefined && { qpu }),
    ...(shots !== undefined && { shots }),
    ...(name !== undefined && { name }),
    ...(tag.length > 0 && { tags: tag }),
    ...(optimizationLevel !== undefined && { optimizationLevel: LEVEL_OF[optimizationLevel] }),
    ...(dynamicalDecoupling !== undefined && { dynamicalDecoupling }),
    ...(scheduling !== undefined && { scheduling }),
    ...limitsOf(flags),
    ...(seed !== undefined && { seed }),
    ...(memory && { memory }),
    ...(allowUncalibrated && { allowUncalibrated }),
    ...(exact && { exact }),
    ...(precision !== undefined && { precision }),
  }
}

/** What limits the cost of a job, and where and when it runs. */
function limitsOf({
  maxSeconds,
  require,
  giveUpAfter,
}: SubmissionFlags): Pick<Submission, 'maxSeconds' | 'require' | 'giveUpAfter'> {
  return {
    ...(maxSeconds !== undefined && { maxSeconds }),
    ...(require.length > 0 && { require: conditionOf(require) }),
    ...(giveUpAfter !== undefined && { giveUpAfter }),
  }
}

/** @throws UsageError for a text that is no condition. */
function conditionOf(texts: readonly string[]): Record<string, string> {
  try {
    return parseQualityCondition(texts)
  } catch (error) {
    throw new UsageError(`--require: ${messageOf(error)}`)
  }
}

async function readProgram(file: string): Promise<Program> {
  const content = file === '-' ? new Blob([await Bun.stdin.bytes()]) : Bun.file(file)
  try {
    if (content.size > MAX_FILE_BYTES)
      throw new Error(`it has ${content.size} bytes; at most ${MAX_FILE_BYTES} are allowed`)
    const bytes = await content.bytes()
    const what = whatContent(bytes.subarray(0, HEAD_BYTES), bytes.length)
    if (!PROGRAM_KINDS.includes(what)) throw new Error(`it is ${what}, not an OpenQASM program`)
    return { file, text: new TextDecoder().decode(bytes) }
  } catch (cause) {
    throw new AppError('invalid', `cannot read ${file}: ${reasonOf(cause)}`, { cause })
  }
}
