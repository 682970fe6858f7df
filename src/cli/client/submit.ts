import { basename } from 'node:path'
import type { Circuit, Job, Submission, SvcClient } from '../../../clients/js/src/index.ts'
import { AppError, flag, kinds, messageOf, repeatableFlag, switchFlag } from '../../base/index.ts'
import { defineCommand } from '../command-line/command.ts'
import { CONNECTION_FLAGS, withClient } from './connection.ts'
import { follow, printOutcome, setStatus, TIMEOUT_FLAG } from './follow.ts'
import { plain, stateOf } from './output.ts'
import { bindParameters, checkNames, parseParameter } from './parameters.ts'

/** As much as a job may have. */
const MAX_FILE_BYTES = 16 * 1024 * 1024

export const submitCommand = defineCommand({
  summary: 'Submit OpenQASM programs as one job; with --wait also wait for its results',
  positionals: [
    { name: 'FILE', isRepeatable: true, help: 'OpenQASM 2 or 3, a circuit each; - reads standard input' },
  ],
  flags: {
    qpu: flag(kinds.nonEmptyText('name'), 'QPU that runs the job; any if unset'),
    shots: flag(kinds.integer({ min: 1 }), 'Shots of each circuit; 1024 if unset'),
    param: repeatableFlag(
      kinds.nonEmptyText('[name=]number'),
      'Value of an input, by name or in order; repeat it for each input',
    ),
    name: flag(kinds.nonEmptyText('text'), 'Name of the job'),
    tag: repeatableFlag(kinds.nonEmptyText('text'), 'Tag of the job; may be repeated'),
    seed: flag(kinds.integer({ min: 0 }), 'Seed, which makes the results of a simulator repeatable'),
    memory: switchFlag(kinds.bool(), 'Also return the outcome of each shot (see --json)'),
    check: switchFlag(kinds.bool(), 'Check the job without submitting it'),
    wait: switchFlag(kinds.bool(), 'Wait for the results and print them'),
    timeout: TIMEOUT_FLAG,
    ...CONNECTION_FLAGS,
  },
  run: async ({ flags, positionals }) => {
    const submission = await readSubmission(positionals, flags)
    return withClient(flags, async (svc) => {
      if (flags.check) return check(svc, submission)
      const job = await svc.submitJob(submission)
      if (!flags.wait) return { job }
      process.stderr.write(`Submitted job ${job.id}\n`)
      const ended = await follow(job, flags.timeout)
      setStatus(ended)
      return { job: ended, hasEnded: true }
    })
  },
  document: ({ job, checked }) => checked ?? job?.raw,
  print({ job, hasEnded, checked }) {
    if (checked) console.log(`Accepted: ${checked.executions} executions on ${checked.qubits} qubits`)
    else if (job && hasEnded) printOutcome(job)
    else if (job) console.log(`Submitted job ${job.id} (${stateOf(job)}); its result: svc result ${job.id}`)
  },
})

interface Outcome {
  job?: Job
  hasEnded?: boolean
  checked?: Awaited<ReturnType<SvcClient['checkJob']>>
}

/** @throws AppError with all problems if the job would not be accepted. */
async function check(svc: SvcClient, submission: Submission): Promise<Outcome> {
  const checked = await svc.checkJob(submission)
  if (checked.accepted) return { checked }
  const problems = checked.problems.map(({ path, message }) => `  ${path}: ${plain(message)}`)
  throw new AppError('invalid', ['The job would not be accepted:', ...problems].join('\n'))
}

interface SubmissionFlags {
  qpu: string | undefined
  shots: number | undefined
  param: readonly string[]
  name: string | undefined
  tag: readonly string[]
  seed: number | undefined
  memory: boolean
}

async function readSubmission(files: readonly string[], flags: SubmissionFlags): Promise<Submission> {
  const { qpu, shots, param, name, tag, seed, memory } = flags
  const parameters = param.map(parseParameter)
  const programs = await Promise.all(files.map(readProgram))
  checkNames(programs, parameters)
  const circuits = programs.map((circuit, at): Circuit => {
    const file = files[at] ?? ''
    const values = bindParameters(circuit, file, parameters)
    const named = file === '-' ? {} : { name: basename(file).slice(0, 200) }
    return { circuit, ...named, ...(values && { parameterValues: values }) }
  })
  return {
    circuits,
    ...(qpu !== undefined && { qpu }),
    ...(shots !== undefined && { shots }),
    ...(name !== undefined && { name }),
    ...(tag.length > 0 && { tags: tag }),
    ...(seed !== undefined && { seed }),
    ...(memory && { memory }),
  }
}

async function readProgram(file: string): Promise<string> {
  if (file === '-') return Bun.stdin.text()
  const content = Bun.file(file)
  try {
    if (content.size > MAX_FILE_BYTES)
      throw new Error(`it has ${content.size} bytes; at most ${MAX_FILE_BYTES} are allowed`)
    return await content.text()
  } catch (cause) {
    throw new AppError('invalid', `cannot read ${file}: ${messageOf(cause)}`, { cause })
  }
}
