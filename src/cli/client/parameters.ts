import { AppError } from '../../base/index.ts'
import { checkProgram } from '../../qasm/index.ts'
import { UsageError } from '../command-line/usage-error.ts'

/** A value for an input of a program: by its name, or by its place among those without name. */
export interface Parameter {
  name: string | undefined
  value: number
}

/** `theta=0.3` or `0.3`. @throws UsageError */
export function parseParameter(text: string): Parameter {
  const [, name, digits = ''] = /^(?:([\p{L}_][\p{L}\p{N}_]*)\s*=)?\s*(.+?)\s*$/u.exec(text) ?? []
  const value = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(digits) ? Number(digits) : Number.NaN
  if (!Number.isFinite(value))
    throw new UsageError(`--param: bad value "${text}"; expected NAME=NUMBER or NUMBER, such as theta=0.3`)
  return { name, value }
}

/**
 * The values of the inputs of `program` in their order; undefined for a program without inputs. Values with
 * names go to the inputs of those names, the others in order to the inputs that are left.
 *
 * @throws AppError naming an input without value, or a value too many.
 */
export function bindParameters(
  program: string,
  file: string,
  parameters: readonly Parameter[],
): number[] | undefined {
  if (parameters.length === 0) return undefined
  const { inputs: declared, problems } = checkProgram(program)
  // The server reports what is wrong with a program; its inputs are not known then.
  if (problems.length > 0) return undefined
  const inputs = declared.map(({ name }) => name)
  const unnamed = parameters.filter(({ name }) => name === undefined).map(({ value }) => value)
  const values = inputs.map((input) => {
    const value = parameters.findLast(({ name }) => name === input)?.value ?? unnamed.shift()
    if (value === undefined)
      throw new AppError('invalid', `${file}: no value for the input ${input}; add --param ${input}=VALUE`)
    return value
  })
  if (inputs.length > 0 && unnamed.length > 0)
    throw new AppError(
      'invalid',
      `${file}: ${unnamed.length} values too many for its inputs ${inputs.join(', ')}`,
    )
  return inputs.length === 0 ? undefined : values
}

/** @throws UsageError for a name that no program has as input. */
export function checkNames(programs: readonly string[], parameters: readonly Parameter[]): void {
  const reports = programs.map((program) => checkProgram(program))
  if (parameters.length === 0 || reports.some(({ problems }) => problems.length > 0)) return
  const known = new Set(reports.flatMap(({ inputs }) => inputs.map(({ name }) => name)))
  const unknown = parameters.find(({ name }) => name !== undefined && !known.has(name))
  if (!unknown) return
  const inputs = known.size === 0 ? 'the programs have no inputs' : `the inputs are ${[...known].join(', ')}`
  throw new UsageError(`--param: no input named ${unknown.name}; ${inputs}`)
}
