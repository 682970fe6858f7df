import { StartupError } from '../../errors.ts'

/** Largest magnitude of the current of any coupler, A: what the wiring of a refrigerator is made for. */
export const MAX_CURRENT = 3.1e-3
/** Largest change of a current in one step, A. */
export const MAX_STEP = 1e-6
/** Rate of a ramp, A/s. */
export const RAMP_RATE = 40e-6
/** Rate of a ramp that ends an emergency unless the element names another, A/s. */
export const ABORT_RATE = 1e-3

/** An output of an S4g module in an SPI rack. */
export interface SpiOutput {
  readonly source: 'spi'
  /** 0..15. */
  readonly module: number
  /** 0..3. */
  readonly output: number
}

/** A baseband output of a cluster, which holds a voltage over a line of known resistance. */
export interface QcmOutput {
  readonly source: 'qcm'
  /** Slot, 1..20. */
  readonly module: number
  /** 0..3. */
  readonly output: number
  readonly lineResistanceOhm: number
}

/** An output of the simulated chip. */
interface SimulatedOutput {
  readonly source: 'simulated'
}

/** Which hardware holds the current of a coupler. */
export type OutputAddress = SpiOutput | QcmOutput | SimulatedOutput

/** How the current of one coupler is set: `bias` of an edge in the device file. */
export interface CouplerBias {
  readonly edge: string
  readonly address: OutputAddress
  /** Largest magnitude, A; at most `MAX_CURRENT` counts. */
  readonly limit?: number
  /** Largest change in one step, A; at most `MAX_STEP` counts. */
  readonly maxStep?: number
  /** A/s; at most `RAMP_RATE` counts. */
  readonly rampRate?: number
  /** Rate of an emergency ramp, A/s; at most `ABORT_RATE` counts. */
  readonly abortRate?: number
  /** Flux of other couplers in this one: by edge, the fraction of their current that acts here. */
  readonly crosstalk?: Readonly<Record<string, number>>
}

/** The largest magnitude that a coupler may be set to, A. */
export function currentLimit({ limit = MAX_CURRENT }: CouplerBias): number {
  return Math.min(limit, MAX_CURRENT)
}

/** How fast the current of a coupler may move, A/s. */
export function rateOf(bias: CouplerBias, isEmergency: boolean): number {
  return isEmergency
    ? Math.min(bias.abortRate ?? ABORT_RATE, ABORT_RATE)
    : Math.min(bias.rampRate ?? RAMP_RATE, RAMP_RATE)
}

/** An output as people name it: `spi module 2 output 0`. */
export function nameOf(address: OutputAddress): string {
  if (address.source === 'simulated') return 'simulated output'
  return `${address.source} module ${address.module} output ${address.output}`
}

/** A current as people read it: `0.4200 mA`. */
export function milliamps(amps: number): string {
  return `${(amps * 1e3).toFixed(4)} mA`
}

/**
 * The one kind of source of a chip; undefined for a chip without biased couplers.
 * @throws StartupError when edges name different kinds, or the same output.
 */
export function sourceKindOf(couplers: readonly CouplerBias[]): OutputAddress['source'] | undefined {
  const sources = couplers.map(({ edge, address }) => ({ edge, source: address.source }))
  assertOneSource(sources)
  checkDistinct(couplers)
  return sources[0]?.source
}

/** @throws StartupError when edges name different kinds of source. */
export function assertOneSource(sources: readonly { edge: string; source: string }[]): void {
  const [first] = sources
  const other = sources.find(({ source }) => source !== first?.source)
  if (!first || !other) return
  throw new StartupError(
    `startup error: bias.source of ${first.edge} is ${first.source}, that of ${other.edge} is ${other.source}: one chip uses one kind of current source`,
  )
}

function checkDistinct(couplers: readonly CouplerBias[]): void {
  const users = new Map<string, string>()
  for (const { edge, address } of couplers) {
    if (address.source === 'simulated') continue
    const name = nameOf(address)
    const user = users.get(name)
    if (user !== undefined) {
      throw new StartupError(`startup error: bias of ${user} and of ${edge} name the same output: ${name}`)
    }
    users.set(name, edge)
  }
}
