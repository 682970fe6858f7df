import { nearest } from '../../../base/index.ts'
import type { Chip } from '../../chip/device-file.ts'
import { OrderError } from '../../errors.ts'
import type { CalibrationConfig } from '../config/calibration-config.ts'
import type { Routine } from '../routine.ts'
import { routineNamed } from '../routine-names.ts'

const MAX_GUESSES = 4

/** A routine and the targets to run it on. */
export interface ChosenRoutine {
  readonly routine: Routine
  readonly targets: readonly string[]
}

/**
 * Finds the routine of an order by its name or an alias, and its targets; without targets, all that
 * `calibration.yml` names.
 * @throws OrderError for an unknown routine, with the name that was probably meant, and for targets that the
 *   chip does not have or that are not of the kind of the routine, with those that are.
 */
export function chooseRoutine(
  order: { readonly routine: string; readonly targets: readonly string[] },
  routines: readonly Routine[],
  chip: Chip,
  config: Pick<CalibrationConfig, 'targetQubits' | 'targetEdges'>,
): ChosenRoutine {
  const name = routineNamed(order.routine)?.name ?? order.routine
  const routine = routines.find((each) => each.name === name)
  if (!routine) throw new OrderError(unknownRoutine(order.routine, routines))
  const isOfEdges = routine.kind === 'edge'
  const known = (isOfEdges ? chip.edges : chip.qubits).map((element) => element.name)
  const kind = isOfEdges ? 'edges' : 'qubits'
  const wrong = order.targets.filter((target) => !known.includes(target))
  if (wrong.length > 0) {
    const which = known.length > 0 ? `choose from ${known.join(', ')}` : `the chip has no ${kind}`
    const isKnown = wrong.every((target) => chip.element(target) !== undefined)
    throw new OrderError(
      isKnown
        ? `${name} is a routine of ${kind}, and ${wrong.join(', ')} is not one; ${which}`
        : `the chip has no ${wrong.join(', ')}; ${which}`,
    )
  }
  const all = isOfEdges ? config.targetEdges : config.targetQubits
  return { routine, targets: order.targets.length > 0 ? [...new Set(order.targets)] : all }
}

/** Names the routines that were probably meant: the nearest by name or alias, and those of similar names. */
function unknownRoutine(given: string, routines: readonly Routine[]): string {
  const names = routines.map(({ name }) => name)
  const guess = nearest(given, [...names, ...routines.flatMap(({ aliases }) => aliases)])
  const word = guess ?? given
  const meant = routines.find(({ name, aliases }) => name === guess || aliases.includes(word))
  const similar = names.filter((name) => name.includes(word))
  const guesses = [...new Set([...(meant ? [meant.name] : []), ...similar])]
  if (guesses.length === 0) return `unknown routine ${given}; there are ${names.join(', ')}`
  return `unknown routine ${given}; did you mean ${guesses.slice(0, MAX_GUESSES).join(' or ')}?`
}
