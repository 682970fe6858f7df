import { type Clock, MIB, toTimestamp } from '../../base/index.ts'
import { type CircuitResult, JOB_LIMITS, type JobPayload, type JobResults } from '../../protocol/index.ts'
import { type Execution, executionsOf, lowerExecution, ResultBudget } from '../../simulator/index.ts'
import type { Instrument, IqArrays } from '../bench/instrument.ts'
import type { LineAssignment } from '../chip/provenance/provenance.ts'
import { type CompiledCircuit, compileCircuit } from '../compiler/compile.ts'
import { levelOf } from '../compiler/levels.ts'
import type { CalibratedChip } from '../compiler/schedule/calibrated-chip.ts'
import { chunksOf } from '../compiler/schedule/chunks.ts'
import type { JobIo } from '../define-device.ts'
import { JobError } from '../errors.ts'
import { ProgramError } from '../pulse/check-program.ts'
import type { Program, Schedule } from '../pulse/schedule.ts'
import { circuitResultOf, jobResultsOf } from '../results.ts'
import { circuitsOf, jobErrorOf, memoryOf } from '../simulation/simulate-job.ts'
import { instrumentJobError, waitOf } from './instrument-job-error.ts'
import { bitsOutcomes, linesOfBits, pointOutcomes, readoutAssignment, traceOutcomes } from './outcomes.ts'
import type { JobRecord } from './record-job.ts'
import { type ResultBits, resultBitsOf } from './result-bits.ts'

interface ChipJob {
  device: string
  payload: JobPayload
  chip: CalibratedChip
  instrument: Instrument
  clock: Clock
  io: JobIo
  /** Stores what the instrument returns; undefined unless the options ask for it. */
  record?: JobRecord | undefined
  /** Called with the first schedule of the job before anything runs. */
  onFirstSchedule?(schedule: Schedule): void
  /** Why the results of a schedule are doubtful, for their warnings. */
  doubtsOf(schedule: Schedule): string[]
  /** The readout lines whose assignment is known. */
  lines: readonly LineAssignment[]
  /** Further metadata of the results, taken when all circuits have run. */
  metadata(): Record<string, unknown>
}

const LIMITS = {
  executions: JOB_LIMITS.executions,
  resultLength: JOB_LIMITS.resultBytes,
  shots: JOB_LIMITS.shots,
  declaredQubits: Number.POSITIVE_INFINITY,
  stateQubits: Number.POSITIVE_INFINITY,
}

/**
 * Runs every circuit of a job with every parameter set on an instrument. All circuits are compiled before the
 * first one runs, so that a circuit that cannot run costs nothing.
 * @throws JobError when one circuit cannot be run; the job then has no results.
 */
export async function runOnChip(job: ChipJob): Promise<JobResults> {
  const { device, payload, clock, instrument, io, metadata } = job
  const [started, startedAt] = [clock.now(), clock.monotonic()]
  try {
    io.phase('compile')
    const compiled = executionsOf(circuitsOf(payload), LIMITS).map((each) => compile(job, each))
    const mayOmitCounts = memoryOf(payload) === 'packed_bits'
    const budget = new ResultBudget(io.resultBytes ?? JOB_LIMITS.resultBytes, { mayOmitCounts })
    const results: CircuitResult[] = []
    assertInTime(job, compiled)
    const release = await reserve(job)
    try {
      io.phase('run')
      if (compiled[0]) job.onFirstSchedule?.(compiled[0].schedule)
      for (const [index, each] of compiled.entries()) {
        const result = await runCircuit(job, each, budget)
        results.push(result)
        io.result?.(index, result)
      }
    } finally {
      await release()
    }
    return jobResultsOf(device, withPrograms(results, compiled, budget), {
      device,
      started: toTimestamp(started),
      finished: toTimestamp(clock.now()),
      seconds: (clock.monotonic() - startedAt) / 1_000,
      backend_kind: instrument.backend,
      ...metadata(),
    })
  } catch (error) {
    throw instrumentJobError(jobErrorOf(error))
  }
}

/** @throws JobError for a job that its instrument cannot end within the time limit. */
function assertInTime(
  { device, payload, instrument, io, clock }: ChipJob,
  compiled: readonly Compiled[],
): void {
  const kind = payload.meas_level === 0 ? 'trace' : 'shots'
  const seconds = compiled.reduce((sum, { schedule, resetNs, execution }) => {
    const program = { kind, shots: execution.shots, reset_ns: resetNs, points: [schedule] } as const
    try {
      return sum + (instrument.leastSeconds?.(program) ?? 0)
    } catch (error) {
      throw tooLarge(error, execution)
    }
  }, 0)
  const left = Math.max(0, io.deadline - clock.monotonic()) / 1_000
  if (seconds <= left) return
  const takes = `${device} needs at least ${Math.ceil(seconds)} s for this job, and ${Math.floor(left)} s of its time limit are left`
  throw new JobError(
    `${takes}; give it fewer shots, gates or joined qubits, or start the driver with a longer -o job_timeout`,
    { errorCode: 'circuit_too_large' },
  )
}

/** Waits for an instrument that others use, as long as the job may take, and keeps it for the whole job. */
async function reserve({ instrument, io, clock }: ChipJob): Promise<() => Promise<void>> {
  const limit = { ms: waitOf(io.deadline, clock), signal: io.signal }
  return (await instrument.reserve?.(limit)) ?? (async () => undefined)
}

/** Characters of all compiled circuits that the results of a job contain. */
const MAX_PROGRAM_CHARACTERS = MIB

/** The results with the compiled circuits, as long as all of them fit. */
function withPrograms(
  results: readonly CircuitResult[],
  compiled: readonly Compiled[],
  budget: ResultBudget,
): CircuitResult[] {
  let left = Math.min(MAX_PROGRAM_CHARACTERS, budget.left)
  return results.map((result, index) => {
    const program = compiled[index]?.program ?? ''
    left -= program.length
    const shown = left >= 0 ? { compiled_circuit: program } : { compiled_circuit_omitted: OMITTED }
    return { ...result, metadata: { ...result.metadata, ...shown } }
  })
}

const OMITTED = 'too long for the results; submit fewer circuits in one job'

type Compiled = CompiledCircuit & {
  execution: Execution
  circuit: ReturnType<typeof lowerExecution>
  bits: ResultBits
}

function compile({ device, payload, chip }: ChipJob, execution: Execution): Compiled {
  const { optimization_level, dynamical_decoupling: sequence = 'none', scheduling } = payload
  const level = levelOf(optimization_level, execution.program.layout.hardware)
  const circuit = lowerExecution(execution, device, { ...LIMITS, repeatsPowers: level === 0 })
  try {
    const point = payload.meas_level === 2 ? 'measure_2state' : 'measure'
    const decoupling = sequence === 'none' ? undefined : sequence
    const compiled = compileCircuit(device, circuit, chip, point, { level, decoupling, scheduling })
    return { ...compiled, execution, circuit, bits: resultBitsOf(circuit, execution) }
  } catch (error) {
    if (!(error instanceof JobError)) throw error
    const { circuitIndex } = execution
    const details = { class: error.class, circuitIndex, cause: error }
    throw new JobError(`circuit ${circuitIndex}: ${error.message}`, {
      ...details,
      ...(error.errorCode !== undefined && { errorCode: error.errorCode }),
    })
  }
}

async function runCircuit(job: ChipJob, compiled: Compiled, budget: ResultBudget): Promise<CircuitResult> {
  const { payload, chip, clock, instrument } = job
  const { execution, circuit, bits, readings, schedule, resetNs, routing, gates, level, decoupling } =
    compiled
  const { circuitIndex, parameterSet, shots } = execution
  const startedAt = clock.monotonic()
  const signals = await signalsOf(job, compiled)
  const doubts = instrument.takeWarnings?.() ?? []
  const { acquisitions } = schedule
  const recorded = { payload, bits, shots, readings, acquisitions, signals, budget }
  const isDummy = instrument.backend === 'dummy'
  const outcomes = [traceOutcomes, pointOutcomes, bitsOutcomes][payload.meas_level]?.(recorded, chip, isDummy)
  const measured = new Set(readings.map(({ clbit }) => clbit))
  const unmeasured = bits.held.flatMap((outcome, clbit) => (measured.has(outcome) ? [] : [clbit]))
  const assignment = isDummy ? undefined : readoutAssignment(bits, readings, payload, chip)
  const lines = assignment ? linesOfBits(bits, readings, job.lines) : []
  const warnings = [...circuit.warnings, ...compiled.warnings, ...job.doubtsOf(schedule), ...doubts]
  return circuitResultOf({
    circuitIndex,
    circuit,
    shots,
    ...outcomes,
    metadata: {
      seconds: (clock.monotonic() - startedAt) / 1_000,
      parameter_set: parameterSet,
      meas_level: payload.meas_level,
      meas_return: payload.meas_level === 0 ? 'avg' : payload.meas_return,
      optimization_level: level,
      scheduling: payload.scheduling ?? 'alap',
      ...(decoupling && { dynamical_decoupling: decoupling }),
      routing,
      gates,
      shot_ns: resetNs + schedule.duration,
      ...(assignment && { readout_assignment: assignment }),
      ...(lines.length > 0 && { readout_lines: lines }),
      ...(payload.meas_level < 2 && { unmeasured_slots: unmeasured, memory_unit: 'V' }),
      ...(warnings.length > 0 && { warnings }),
    },
  })
}

/** The signals of all readings, from as many programs as the memory of an instrument needs. */
async function signalsOf(job: ChipJob, compiled: Compiled): Promise<IqArrays[]> {
  const { schedule, resetNs, execution, readings } = compiled
  if (readings.length === 0) return []
  const program = { reset_ns: resetNs, points: [schedule] }
  try {
    if (job.payload.meas_level === 0) {
      return [
        ...(await signalsOfProgram(job, compiled, { ...program, kind: 'trace', shots: execution.shots })),
      ]
    }
    const parts: (readonly IqArrays[])[] = []
    for (const shots of chunksOf(execution.shots, schedule)) {
      parts.push(await signalsOfProgram(job, compiled, { ...program, kind: 'shots', shots }))
    }
    return readings.map((_, index) => joined(parts.flatMap((part) => part[index] ?? [])))
  } catch (error) {
    throw tooLarge(error, execution)
  }
}

/** The error of a circuit that no instrument plays; another error as it is. */
function tooLarge(error: unknown, { circuitIndex }: Execution): unknown {
  if (!(error instanceof ProgramError)) return error
  const details = { errorCode: 'circuit_too_large', circuitIndex, cause: error }
  return new JobError(`circuit ${circuitIndex}: ${error.message}`, details)
}

/** Runs one program of a circuit and stores what it returns. */
async function signalsOfProgram(
  { instrument, io, record }: ChipJob,
  { execution, readings, bits }: Compiled,
  program: Program<'shots' | 'trace'>,
): Promise<readonly IqArrays[]> {
  const results = await instrument.run(program, io.signal)
  const { circuitIndex: circuit, parameterSet: parameter_set } = execution
  const acquisitions = readings.map(({ qubit, clbit }) => {
    const bit = clbit < 0 ? -1 : bits.held.indexOf(clbit)
    return { qubit, clbit: bit < 0 ? null : bit }
  })
  const [schedule] = program.points
  await record?.recorder.add(program, results, { circuit, parameter_set, acquisitions, schedule })
  return results[0] ?? []
}

function joined(parts: readonly IqArrays[]): IqArrays {
  const [only] = parts
  if (only && parts.length === 1) return only
  const length = parts.reduce((sum, { i }) => sum + i.length, 0)
  const whole = { i: new Float64Array(length), q: new Float64Array(length) }
  let at = 0
  for (const { i, q } of parts) {
    whole.i.set(i, at)
    whole.q.set(q, at)
    at += i.length
  }
  return whole
}
