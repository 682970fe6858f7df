import { positionFinder } from './fault.ts'

/**
 * Stable codes of warnings. `omitted_phase`: a modifier makes a phase observable that another reading of the
 * program adds; `no_duration`: a duration that depends on gates is taken as 0 s; `left_out`: a part has no
 * effect; `implied_gate`: a gate is neither defined nor included; `no_unit`: a time has no unit;
 * `ignored_directive`: a pragma, a calibration or the duration of a gate or a box has no effect;
 * `no_measurement`: an outcome is in no result, or the program measures nothing.
 */
export type WarningCode =
  | 'omitted_phase'
  | 'no_duration'
  | 'left_out'
  | 'implied_gate'
  | 'no_unit'
  | 'ignored_directive'
  | 'no_measurement'

/** What to check in a program that can run; line and column start at 1. */
export interface QasmWarning {
  code: WarningCode
  message: string
  line: number
  column: number
}

/** Different messages that are kept, and places of each. */
const LIMITS = { messages: 50, places: 20 }

interface Kind {
  code: WarningCode
  places: Set<number>
}

/** Collects the warnings of one program. */
export class Warnings {
  readonly #kinds = new Map<string, Kind>()

  /** Adds a warning at a text offset, unless enough like it are known. */
  add(code: WarningCode, message: string, at: number): void {
    const kind = this.#kinds.get(message) ?? { code, places: new Set() }
    if (kind.places.size === 0 && this.#kinds.size < LIMITS.messages) this.#kinds.set(message, kind)
    if (kind.places.size < LIMITS.places) kind.places.add(at)
  }

  /** All warnings in text order. */
  inText(text: string): QasmWarning[] {
    const positionOf = positionFinder(text)
    return [...this.#kinds]
      .flatMap(([message, { code, places }]) => Array.from(places, (at) => ({ code, message, at })))
      .toSorted((a, b) => a.at - b.at)
      .map(({ at, ...warning }) => ({ ...warning, ...positionOf(at) }))
  }
}

/** The warnings as the result of a job has them: each message once, with its lines. */
export function warningTexts(warnings: readonly QasmWarning[]): string[] {
  const lines = new Map<string, Set<number>>()
  for (const { message, line } of warnings) {
    const known = lines.get(message) ?? new Set()
    lines.set(message, known.add(line))
  }
  return Array.from(lines, ([message, each]) => {
    return `${message} (line${each.size === 1 ? '' : 's'} ${[...each].join(', ')})`
  })
}
