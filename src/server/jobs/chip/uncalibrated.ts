import * as v from 'valibot'
import { fitsQpu, type Qpu, type ReadTx, readDescription } from '../../../db/index.ts'
import { deviceDescription } from '../../../protocol/index.ts'
import type { ExaminedSubmission, Problem } from '../../programs/messages.ts'
import { needsOf } from './needs.ts'
import type { Target } from './target.ts'

const { qubits: described } = deviceDescription.pipe[0].entries
const chip = v.object({ qubits: described })
type DescribedQubit = NonNullable<v.InferOutput<typeof chip>['qubits']>[number]

/** What a job finds on the chip of one QPU. */
interface Found {
  problems: Problem[]
  warnings: Problem[]
}

const NOTHING: Found = { problems: [], warnings: [] }

/**
 * What a job needs of the chips of its target that is not in use or not calibrated: problems when no QPU can
 * run it without, else warnings of what it may use because it says so (`allow_uncalibrated`).
 */
export function findUncalibrated(tx: ReadTx, submission: ExaminedSubmission, { registered }: Target): Found {
  const needs = needsOf(submission)
  const fitting = registered.filter((qpu) => fitsQpu(needs, qpu))
  const found = fitting.map((qpu) => findOnQpu(tx, submission, qpu))
  return found.find(({ problems }) => problems.length === 0) ?? found[0] ?? NOTHING
}

function findOnQpu(tx: ReadTx, submission: ExaminedSubmission, { id, name }: Qpu): Found {
  const description = readDescription(tx, id)
  // Most chips are whole, and parsing takes time.
  if (!description?.text.includes('"operational":false')) return NOTHING
  const parsed = v.safeParse(chip, description.value)
  const qubits = parsed.success ? (parsed.output.qubits ?? []) : []
  if (qubits.length === 0) return NOTHING
  const { used, physical } = submission
  const blocked = physical.filter(({ qubit }) => isBlocked(qubits[qubit], submission))
  if (blocked.length > 0) return { ...NOTHING, problems: blocked.map(problemOf) }
  const free = qubits.filter((qubit) => !isBlocked(qubit, submission))
  if (used.most > free.length && used.most <= qubits.length) {
    const others = qubits.filter((qubit) => isBlocked(qubit, submission)).map(describe)
    const message = `The program uses ${used.most} qubits; ${name} has ${free.length} of ${qubits.length} in use. ${others.join('; ')}. ${remedyOf(qubits)}`
    return { ...NOTHING, problems: [{ path: used.path, code: 'not_calibrated', message }] }
  }
  return { ...NOTHING, warnings: warningsOf() }

  function problemOf({ qubit, path }: ExaminedSubmission['physical'][number]): Problem {
    const place = qubits[qubit]
    const message = `The program uses $${qubit} of ${name}: ${place ? describe(place) : ''}. ${remedyOf(place ? [place] : [])}`
    return { path, code: 'not_calibrated', message, params: { qubit } }
  }

  /** A circuit on registers may be placed on any qubit. */
  function warningsOf(): Problem[] {
    if (!submission.allowsUncalibrated) return []
    const named = physical.flatMap(({ qubit, path }) => ({ place: qubits[qubit], path }))
    const places = named.length > 0 ? named : qubits.map((place) => ({ place, path: 'circuits' }))
    return places.flatMap(({ place, path }) => {
      if (!place || needed(place, submission).length === 0) return []
      const verb = named.length > 0 ? 'uses' : 'may use'
      return [
        {
          path,
          code: 'not_calibrated',
          message: `The job ${verb} a qubit of ${name} that means nothing yet: ${describe(place)}.`,
        },
      ]
    })
  }
}

/** What a qubit lacks for the job. */
function needed({ uncalibrated = [] }: DescribedQubit, { hasBits }: ExaminedSubmission) {
  return uncalibrated.filter(({ use }) => hasBits || use !== 'bits')
}

/** Whether a job must not use a qubit. One that is not in use for another reason is never used. */
function isBlocked(qubit: DescribedQubit | undefined, submission: ExaminedSubmission): boolean {
  if (qubit?.operational !== false) return false
  if (!qubit.uncalibrated) return true
  return !submission.allowsUncalibrated && needed(qubit, submission).length > 0
}

function describe({ name, uncalibrated }: DescribedQubit): string {
  if (!uncalibrated) return `${name} is not in use`
  return `${name} is not calibrated (${uncalibrated.map(({ reason }) => reason).join(', ')})`
}

function remedyOf(qubits: readonly DescribedQubit[]): string {
  const canAllow = qubits.some(({ uncalibrated }) => uncalibrated !== undefined)
  return canAllow ? 'Calibrate it, use other qubits, or send allow_uncalibrated: true.' : 'Use other qubits.'
}
