import { toTimestamp } from '../../../base/index.ts'
import type { OperandAst } from '../language/ast.ts'
import { badFilter, MAX_ARGUMENTS, shortened } from '../language/limits.ts'
import type { Operand } from '../sql/operand.ts'
import type { Context } from './context.ts'

/** Compiles an argument to its SQL operand. */
type Resolve = (argument: OperandAst) => Operand

/**
 * The operand of a function call.
 * @throws AppError `invalid` for unknown functions and wrong arguments.
 */
export function callOperand(
  context: Context,
  name: string,
  args: readonly OperandAst[],
  resolve: Resolve,
): Operand {
  if (name === 'strftime') return timeText(context, args, resolve)
  if (name === 'geoDistance') return distance(context, args, resolve)
  throw badFilter(
    `The function ${shortened(name)} does not exist; the functions are strftime and geoDistance`,
  )
}

/** Modifiers whose outcome depends neither on the database nor on the time zone of its machine. */
const MODIFIER =
  /^(?:[+-]?\d+(?:\.\d+)? (?:second|minute|hour|day|month|year)s?|start of (?:day|month|year)|weekday [0-6])$/i

/** `strftime(format, time?, modifier…)` as in SQLite, in UTC; an invalid time counts as empty. */
function timeText(context: Context, args: readonly OperandAst[], resolve: Resolve): Operand {
  const [format, time, ...modifiers] = args
  if (args.length > MAX_ARGUMENTS) throw badFilter(`strftime takes at most ${MAX_ARGUMENTS} arguments`)
  if (format?.kind !== 'text') throw badFilter('strftime needs a quoted format such as "%Y-%m" first')
  if (time?.kind === 'call') throw badFilter('strftime needs a name, a text or a number as its time')
  for (const modifier of modifiers) {
    if (modifier.kind === 'text' && MODIFIER.test(modifier.value)) continue
    const given = modifier.kind === 'text' ? `, not "${shortened(modifier.value)}"` : ''
    throw badFilter(
      `After its time strftime takes quoted modifiers such as "+1 day", "-1.5 months", "start of month" and "weekday 0"${given}`,
    )
  }
  const head = resolve(format).sql
  const changes = modifiers.map((modifier) => resolve(modifier).sql)
  const around = (value: string) => context.catalog.dialect.formatted(value, head, changes)
  // The time is that of the injected clock, not SQLite's.
  if (!time || (time.kind === 'text' && time.value.trim().toLowerCase() === 'now')) {
    return {
      sql: around(context.binder.deferred((_, now) => toTimestamp(now))),
      nature: 'column',
      type: 'text',
    }
  }
  const value = resolve(time)
  return {
    sql: around(value.sql),
    nature: 'column',
    type: 'text',
    ...(value.many
      ? {
          many: (scope) => ({
            sql: around(value.many?.(scope).sql ?? 'NULL'),
            nature: 'column',
            type: 'text',
          }),
        }
      : {}),
    ...(value.guard === undefined ? {} : { guard: value.guard }),
  }
}

const EARTH_RADIUS_KM = 6_371

/** Great-circle distance in km between two points, each given as longitude and latitude in degrees. */
function distance(context: Context, args: readonly OperandAst[], resolve: Resolve): Operand {
  if (args.length !== 4 || args.some((each) => each.kind !== 'identifier' && each.kind !== 'number')) {
    throw badFilter('geoDistance needs four names or numbers: lonA, latA, lonB, latB')
  }
  const operands = args.map(resolve)
  const [lonA, latA, lonB, latB] = operands.map(
    ({ sql }) => `radians(${context.catalog.dialect.number(sql)})`,
  )
  const cosine = `cos(${latA}) * cos(${latB}) * cos(${lonB} - ${lonA}) + sin(${latA}) * sin(${latB})`
  const guards = operands.flatMap(({ guard }) => guard ?? [])
  return {
    // Rounding can make the cosine of equal points exceed 1, which has no angle.
    sql: `(${EARTH_RADIUS_KM} * acos(${context.catalog.dialect.least('1.0', cosine)}))`,
    nature: 'strict',
    type: 'number',
    ...(guards.length === 0 ? {} : { guard: guards.join(' AND ') }),
  }
}
