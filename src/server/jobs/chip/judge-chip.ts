import type { ChipNeeds } from '../../../qasm/index.ts'
import type { Problem } from '../../programs/messages.ts'
import { type Coupling, couplingKey, type DescribedChip, type Part } from './described-chip.ts'
import type { JobChipNeeds } from './job-chip-needs.ts'
import { findRoom, regionSizes } from './regions.ts'

/** Why a chip cannot run a job now. */
interface ChipProblem extends Pick<Problem, 'path' | 'params'> {
  /** Part of a sentence: `the program uses $1 of kelvin: q1 is not calibrated (rxy.amp180 is not set)`. */
  reason: string
  /** Sentences. */
  remedy: string
}

/** What a job uses, or may use, of a chip. */
export interface UsedPart {
  path: string
  part: Part
  /** Whether the program names it, or is only placed on it where the device likes. */
  isNamed: boolean
}

/** Parts that a message names. */
const MAX_NAMED = 10

/** Whether a job is accepted does not depend on how well a compiler optimizes it. */
const GATES_COUNT = 'A gate counts although optimization may remove it.'

/** Judges what jobs need of one chip. */
export class ChipJudge {
  readonly #chip: DescribedChip
  readonly #job: JobChipNeeds
  readonly #free: readonly number[]
  readonly #freeCouplings: readonly Coupling[]

  constructor(chip: DescribedChip, job: JobChipNeeds) {
    this.#chip = chip
    this.#job = job
    const { qubits, couplings } = chip
    this.#free = [...qubits.keys()].filter((index) => !this.#isBlocked(qubits[index]))
    const free = new Set(this.#free)
    this.#freeCouplings = [...(couplings?.values() ?? [])].filter(
      (each) => !this.#isBlocked(each) && each.ends.every((end) => free.has(end)),
    )
  }

  /** Why the chip cannot run the job as it is, although it could if all of it were in use. */
  problems(): ChipProblem[] {
    return this.#job.chip.flatMap(({ path, needs }) => {
      const named = [...this.#blockedQubits(path, needs), ...this.#blockedPairs(path, needs)]
      return named.length > 0
        ? named
        : [...this.#tooFew(path, needs), ...this.#notJoined(path, needs)].slice(0, 1)
    })
  }

  /** What the job uses or may use of the chip, each part once. */
  parts(): UsedPart[] {
    const parts = this.#job.chip.flatMap(({ path, needs }) => this.#partsOf(path, needs))
    return [...new Map(parts.toReversed().map((each) => [each.part, each])).values()].reverse()
  }

  get #inUse(): string {
    const { qubits, couplings = new Map<string, Part>() } = this.#chip
    const isLimited = [...qubits, ...couplings.values()].some(({ lacks }) => lacks !== undefined)
    return isLimited ? 'that the job may use' : 'in use'
  }

  /** What a part lacks for the job. */
  lacks({ uncalibrated = [] }: Part): string[] {
    return this.#reasonsOf(uncalibrated)
  }

  /** What a check has found stale of that which the job needs of a part. */
  staleOf({ stale = [] }: Part): string[] {
    return this.#reasonsOf(stale)
  }

  #reasonsOf(values: readonly { use: string; reason: string }[]): string[] {
    return values.flatMap(({ use, reason }) => (this.#job.hasBits || use !== 'bits' ? [reason] : []))
  }

  /** Whether the job must not use a part. One that is not in use for another reason is never used. */
  #isBlocked(part: Part | undefined): boolean {
    if (part?.lacks) return true
    if (part?.operational !== false) return false
    if (!part.uncalibrated) return true
    return !this.#job.allowsUncalibrated && this.lacks(part).length > 0
  }

  #blockedQubits(path: string, { physical }: ChipNeeds): ChipProblem[] {
    const { name, qubits } = this.#chip
    return physical.flatMap((qubit) => {
      const part = qubits[qubit]
      if (!part || !this.#isBlocked(part)) return []
      const reason = `the program uses $${qubit} of ${name}: ${describe(part)}`
      return [{ path, params: { qubit }, reason, remedy: remedyOf([part], 'qubits') }]
    })
  }

  #blockedPairs(path: string, { pairs }: ChipNeeds): ChipProblem[] {
    const { name, couplings } = this.#chip
    return pairs.flatMap(([one, other]) => {
      const part = couplings?.get(couplingKey(one, other))
      if (!part || !this.#isBlocked(part)) return []
      const reason = `the program joins $${one} and $${other} of ${name}: ${describe(part)}`
      const remedy = `${remedyOf([part], 'qubits')} ${GATES_COUNT}`
      return [{ path, params: { qubits: [one, other] }, reason, remedy }]
    })
  }

  #tooFew(path: string, { qubits: used }: ChipNeeds): ChipProblem[] {
    const { name, qubits } = this.#chip
    if (used <= this.#free.length || used > qubits.length) return []
    const blocked = qubits.filter((part) => this.#isBlocked(part))
    const reason = `the program uses ${used} qubits; ${name} has ${this.#free.length} of ${qubits.length} ${this.#inUse}: ${list(blocked)}`
    return [{ path, reason, remedy: remedyOf(blocked, 'fewer qubits') }]
  }

  /** A circuit on registers is placed where the chip connects as many qubits as its gates join. */
  #notJoined(path: string, { physical, groups }: ChipNeeds): ChipProblem[] {
    const { name, qubits, couplings } = this.#chip
    if (!couplings || physical.length > 0 || groups.length === 0) return []
    const regions = regionSizes(this.#free, this.#freeCouplings)
    if (findRoom(groups, regions)) return []
    if (!findRoom(groups, regionSizes([...qubits.keys()], couplings.values()))) return []
    const blocked = [...qubits, ...couplings.values()].filter((part) => this.#isBlocked(part))
    const connected = regions.filter((size) => size > 1)
    const offer = connected.length === 0 ? 'no qubits' : `groups of ${listed(connected)}`
    const reason = `the gates of the program join groups of ${listed(groups)} qubits; of ${name}, the couplings ${this.#inUse} connect ${offer}: ${list(blocked)}`
    return [{ path, reason, remedy: `${remedyOf(blocked, 'fewer qubits')} ${GATES_COUNT}` }]
  }

  #partsOf(path: string, { physical, pairs, groups }: ChipNeeds): UsedPart[] {
    const { qubits, couplings } = this.#chip
    const use = (part: Part | undefined, isNamed: boolean) => (part ? [{ path, part, isNamed }] : [])
    if (physical.length > 0) {
      const joined = pairs.map(([one, other]) => couplings?.get(couplingKey(one, other)))
      return [...physical.map((qubit) => qubits[qubit]), ...joined].flatMap((part) => use(part, true))
    }
    const free = this.#free.map((qubit) => qubits[qubit])
    return [...free, ...(groups.length > 0 ? this.#freeCouplings : [])].flatMap((part) => use(part, false))
  }
}

function describe({ name, uncalibrated, lacks }: Part): string {
  if (lacks) return `${name} does not meet the condition of the job (${lacks.join(', ')})`
  if (!uncalibrated) return `${name} is not in use`
  return `${name} is not calibrated (${uncalibrated.map(({ reason }) => reason).join(', ')})`
}

function list(parts: readonly Part[]): string {
  const shown = parts.slice(0, MAX_NAMED).map(describe).join('; ')
  return parts.length > MAX_NAMED ? `${shown}; …` : shown
}

function listed(sizes: readonly number[]): string {
  const shown = sizes.slice(0, MAX_NAMED).join(', ')
  return sizes.length > MAX_NAMED ? `${shown}, …` : shown
}

function remedyOf(parts: readonly Part[], others: string): string {
  const canAllow = parts.some(({ uncalibrated }) => uncalibrated !== undefined)
  const use = others === 'qubits' ? 'use other qubits' : `use ${others}`
  if (!canAllow) return `${use.charAt(0).toUpperCase()}${use.slice(1)}.`
  return `Calibrate ${parts.length === 1 ? 'it' : 'them'}, ${use}, or send allow_uncalibrated: true.`
}
