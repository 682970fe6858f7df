import { DISCRIMINATORS, readoutBasis } from '../../chip/readout-unit.ts'
import type { FoundValue, Routine } from '../routine.ts'
import { hasMoved } from './moved.ts'
import { PARKING_PATH } from './run-currents.ts'
import type { RunValues } from './run-values.ts'

/** Values of an element that are right only together. */
interface ValueUnit {
  /** The values with which the rest was measured. `valueAt` has those at the start of a run. */
  basis(valueAt: (path: string) => unknown): readonly string[]
  /** Those that hold for this basis only; the routine that finds them completes the unit. */
  readonly rest: readonly string[]
  /** The routine that finds them in a calibration of all. */
  readonly finder: string
  /** Those that are marked as stale when the unit is incomplete: jobs that use them have a warning. */
  readonly marked: readonly string[]
  /** Whether the least change of the basis makes the rest wrong. */
  readonly isExact?: boolean
  /** Whether the basis is worth more than the unit of before, once it has moved. */
  readonly isCoarse?: boolean
}

const GATE = ['clock_freqs.cz', 'cz.square_amp', 'cz.square_duration']
const PHASES = ['cz.parent_phase_correction', 'cz.child_phase_correction']

/**
 * A discriminator turns with the frequency at which the resonator is read, by half a radian within a sixth of
 * its line width. The quarter turn and the half turn are pulses of one drive line, whose gain moves both; the
 * derivative shifts both. The phases that a gate leaves on its qubits follow its pulse and the current of its
 * coupler, where the frequencies of the qubits belong, too.
 */
const VALUE_UNITS: readonly ValueUnit[] = [
  {
    basis: readoutBasis,
    rest: DISCRIMINATORS,
    finder: 'two_state_discrimination',
    marked: DISCRIMINATORS,
    isExact: true,
  },
  {
    basis: () => ['rxy.amp180', 'rxy.motzoi', 'rxy.beta'],
    rest: ['fine.amp90'],
    finder: 'n_rabi_oscillations',
    marked: ['rxy.amp180', 'fine.amp90'],
    isCoarse: true,
  },
  {
    basis: () => [PARKING_PATH, ...GATE],
    rest: PHASES,
    finder: 'cz_local_phases',
    marked: [...GATE, ...PHASES],
  },
]

/** A value in use that is not known to be right, and what did not confirm it. */
export interface StaleUse {
  readonly target: string
  readonly path: string
  readonly routine: string
  /** Whether nothing of the target may be used until a check passes. */
  readonly isUnusable?: boolean
}

/** A unit of which a run found some values and not the others. */
interface BrokenUnit {
  readonly target: string
  /** What did not find the others. */
  readonly routine: string
  /** Paths that are again as at the start of the run. */
  readonly restored: readonly string[]
  /** Paths of values in use that are not known to be right. */
  readonly stale: readonly string[]
}

interface OpenUnit {
  readonly unit: ValueUnit
  readonly target: string
  /** The routine that failed to complete it. */
  readonly failed?: string | undefined
}

/**
 * Follows the units of a run: one is open from the change of its basis until a routine finds its rest. One
 * that stays open gets the values of before again, which fit each other. Where those are known to be wrong,
 * or the coupler stays where it was parked, jobs that use the unit have a warning.
 */
export class Units {
  readonly #values: RunValues
  readonly #open = new Map<string, OpenUnit>()
  readonly #found = new Map<string, FoundValue>()

  constructor(values: RunValues) {
    this.#values = values
  }

  /** A routine ended on a target, with these values, of which those with `isApplied` are in use. */
  ended(
    routine: Routine,
    target: string,
    outcome: 'success' | 'unresolved' | 'failed',
    found: Readonly<Record<string, FoundValue & { readonly isApplied: boolean }>>,
  ): void {
    if (outcome === 'failed') {
      this.failed(routine, target)
      return
    }
    const applied = Object.entries(found).filter(([, { isApplied }]) => isApplied)
    for (const [path, value] of applied) this.#found.set(`${target} ${path}`, value)
    for (const unit of VALUE_UNITS) {
      const basis = unit.basis((path) => this.#values.before(target, path))
      const isChange = (path: string, value: FoundValue) =>
        unit.isExact ? value.value !== this.#values.before(target, path) : this.#hasMoved(target, path)
      if (applied.some(([path, value]) => basis.includes(path) && isChange(path, value)))
        this.#open.set(keyOf(unit, target), { unit, target })
      if (!completes(routine, unit)) continue
      const rest = Object.entries(found).filter(([path]) => unit.rest.includes(path))
      const isHeld = rest.some(([path, { isApplied }]) => !isApplied && this.#values.chip.has(target, path))
      if (outcome === 'unresolved' || !isHeld) this.#open.delete(keyOf(unit, target))
    }
  }

  /** A routine failed on a target, or is blocked there. */
  failed(routine: Routine, target: string): void {
    for (const unit of VALUE_UNITS)
      if (completes(routine, unit))
        this.#open.set(keyOf(unit, target), { unit, target, failed: routine.name })
  }

  /** Whether a routine completes a unit that is open on a target. */
  isAwaited(routine: Routine, target: string): boolean {
    return VALUE_UNITS.some((unit) => completes(routine, unit) && this.#open.has(keyOf(unit, target)))
  }

  /**
   * Closes the units that nothing completes any more.
   * @param isToCome whether a routine follows on a target for which the function holds
   * @param mayRestore false to keep what was found without the rest
   */
  settle(
    isToCome: (target: string, completes: (routine: Routine) => boolean) => boolean,
    mayRestore: boolean,
  ): BrokenUnit[] {
    const over = [...this.#open].filter(
      ([, { unit, target }]) => !isToCome(target, (routine) => completes(routine, unit)),
    )
    return over.map(([key, open]) => {
      this.#open.delete(key)
      return this.#close(open, mayRestore)
    })
  }

  #close({ unit, target, failed }: OpenUnit, mayRestore: boolean): BrokenUnit {
    const before = (path: string) => this.#values.before(target, path)
    const basis = unit.basis(before)
    const changed = [...basis, ...unit.rest].filter((path) => this.#values.get(target, path) !== before(path))
    const hasMoved = basis.some((path) => this.#hasMoved(target, path))
    const wasWhole = unit.rest.some((path) => isSet(before(path)))
    const isKept = !mayRestore || !wasWhole || (unit.isCoarse === true && hasMoved)
    const restored = isKept ? [] : changed.filter((path) => path !== PARKING_PATH)
    for (const path of restored) this.#values.restore(target, path)
    const isLeftOver = isKept && unit.isExact === true && changed.length > 0
    const isStale = failed !== undefined || hasMoved || isLeftOver
    return {
      target,
      routine: failed ?? unit.finder,
      restored,
      stale: isStale ? unit.marked.filter((path) => isSet(this.#values.get(target, path))) : [],
    }
  }

  /** Whether a value that was found differs from the one at the start of the run by more than its errors. */
  #hasMoved(target: string, path: string): boolean {
    const found = this.#found.get(`${target} ${path}`)
    return found !== undefined && hasMoved(found, this.#values.before(target, path))
  }
}

/** Paths with all that belongs to them, but for the current at which a coupler is parked. */
export function pathsOfUnits(paths: readonly string[], before: (path: string) => unknown): string[] {
  const units = VALUE_UNITS.map(({ basis, rest }) => [...basis(before), ...rest])
  const touched = units.filter((unit) => unit.some((path) => paths.includes(path)))
  return [...new Set([...paths, ...touched.flat()])].filter((path) => path !== PARKING_PATH)
}

function keyOf({ finder }: ValueUnit, target: string): string {
  return `${finder} ${target}`
}

function completes({ writes, optionalWrites }: Routine, { rest }: ValueUnit): boolean {
  return rest.some((path) => writes.includes(path) || optionalWrites.includes(path))
}

/** Whether a value is there and no placeholder of a new element. */
function isSet(value: unknown): boolean {
  return value !== undefined && value !== 0
}
