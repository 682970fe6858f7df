import { parseQualityCondition } from '../../src/base/portable/quality-condition.ts'
import { readExpression } from '../lib/expressions.ts'
import { formatNumberOf } from '../lib/format.ts'
import type { Draft } from './draft.ts'
import type { Problem } from './problems.ts'

/** What a QPU allows; undefined without limit. */
export interface QpuLimits {
  name: string
  qubits: number | undefined
  shots: number | undefined
  executions: number | undefined
  /** What the device is able to do; undefined if it does not say. */
  features: readonly string[] | undefined
}

/** Request body of a submission. The draft has no problems. */
export function bodyOf({ programs, shots, qpu, level, name, tags, maxSeconds, require }: Draft) {
  const tagList = readTags(tags)
  return {
    circuits: programs.map(({ text, sets }) => ({
      circuit: text,
      ...(sets.length > 0 && { parameter_values: sets.map((values) => values.map(numberOf)) }),
    })),
    shots: Number(shots),
    ...(level !== '2' && { meas_level: Number(level) }),
    ...(qpu && { qpu_target: qpu }),
    ...(maxSeconds.trim() && { max_seconds: Number(maxSeconds) }),
    ...(require.trim() && { require: parseQualityCondition(require.split(',')) }),
    ...(name.trim() && { name: name.trim() }),
    ...(tagList.length > 0 && { tags: tagList }),
  }
}

/** The tags of a text with commas between them, each once. */
export function readTags(tags: string): string[] {
  const given = tags.split(',').map((tag) => tag.trim())
  return [...new Set(given.filter((tag) => tag !== ''))]
}

function numberOf(text: string): number {
  const value = readExpression(text)
  return typeof value === 'number' ? value : Number.NaN
}

/** Number of executions: each parameter set of a program is one. */
export function executionsOf({ programs }: Pick<Draft, 'programs'>): number {
  return programs.reduce((total, { sets }) => total + Math.max(1, sets.length), 0)
}

/** Problems that can be found without a request, except those of the parser. */
export function problemsIn(draft: Draft, limits: QpuLimits | undefined): Problem[] {
  const problems: Problem[] = []
  for (const [program, { text, sets }] of draft.programs.entries()) {
    if (text.trim() === '') problems.push({ field: 'program', text: 'Write a program', program })
    const wrong = sets
      .flat()
      .map(readExpression)
      .find((value) => typeof value === 'string')
    if (typeof wrong === 'string') problems.push({ field: 'parameters', text: wrong, program })
  }
  const condition = problemOfCondition(draft.require)
  if (condition !== undefined) problems.push({ field: 'require', text: condition })
  return limits ? [...problems, ...excessOf(draft, limits)] : problems
}

function problemOfCondition(text: string): string | undefined {
  try {
    if (text.trim() !== '') parseQualityCondition(text.split(','))
    return undefined
  } catch (error) {
    return (error as SyntaxError).message
  }
}

function excessOf(draft: Draft, { name, shots, executions, features }: QpuLimits): Problem[] {
  const problems: Problem[] = []
  if (shots !== undefined && Number(draft.shots) > shots) {
    problems.push({ field: 'shots', text: `${name} runs at most ${shots} shots of a circuit` })
  }
  if (executions !== undefined && executionsOf(draft) > executions) {
    problems.push({ field: 'parameters', text: `${name} runs at most ${executions} circuits of a job` })
  }
  if (draft.level !== '2' && features && !features.includes(`meas_level_${draft.level}`)) {
    problems.push({ field: 'level', text: `${name} returns counts only` })
  }
  if (draft.require.trim() && features && !features.includes('quality_condition')) {
    problems.push({ field: 'require', text: `${name} does not know conditions on quality` })
  }
  return problems
}

/** Problems of the parameter sets of one program with these inputs. */
export function setProblems(
  inputs: readonly string[],
  sets: readonly (readonly string[])[],
): string | undefined {
  if (inputs.length === 0 && sets.length > 0) return 'The program has no inputs; remove the values'
  if (inputs.length > 0 && sets.length === 0) {
    return `Give ${formatNumberOf(inputs.length, 'value')}: ${inputs.join(', ')}`
  }
  const short = sets.findIndex((values) => values.length !== inputs.length)
  return short === -1 ? undefined : `Set ${short + 1} needs ${formatNumberOf(inputs.length, 'value')}`
}

/** Sets from pasted lines, with commas, semicolons, tabs or spaces between the values. */
export function readSets(text: string): string[][] {
  return text
    .split('\n')
    .map((line) => line.split(/[,;\t]\s*|\s+/).map((value) => value.trim()))
    .map((values) => values.filter((value) => value !== ''))
    .filter((values) => values.length > 0)
}
