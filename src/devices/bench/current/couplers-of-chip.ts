import type { Edge } from '../../chip/elements/element.ts'
import {
  ABORT_RATE,
  assertOneSource,
  type CouplerBias,
  MAX_STEP,
  type OutputAddress,
  RAMP_RATE,
} from './coupler-bias.ts'

interface ChipCouplers {
  couplers: CouplerBias[]
  /** What the elements lack or ask for in vain, a line each, for the report. */
  notes: string[]
}

/**
 * How the currents of the couplers are set, by `bias` of the edges in the device file. A simulated chip holds
 * the current of every edge that has a `bias`; real ones need a complete address.
 * @throws StartupError when edges name different kinds of source.
 */
export function couplersOf(edges: readonly Edge[], { isSimulated }: { isSimulated: boolean }): ChipCouplers {
  const couplers: CouplerBias[] = []
  const notes: string[] = []
  assertOneSource(
    edges.flatMap((edge) => {
      const source = edge.has('bias.source') ? edge.get('bias.source') : undefined
      return source === undefined ? [] : [{ edge: edge.name, source }]
    }),
  )
  for (const edge of edges) {
    if (!edge.has('bias.source')) continue
    const address: OutputAddress | string = isSimulated ? { source: 'simulated' } : addressOf(edge)
    if (typeof address === 'string') {
      notes.push(`${edge.name}: ${address} is not set, so no source holds its current`)
      continue
    }
    couplers.push({
      edge: edge.name,
      address,
      limit: edge.get('bias.limit'),
      maxStep: edge.get('bias.max_step'),
      rampRate: edge.get('bias.ramp_rate'),
      abortRate: edge.get('bias.abort_rate'),
      crosstalk: edge.get('bias.crosstalk'),
    })
    notes.push(...cappedSettings(edge))
  }
  return { couplers, notes }
}

/** The output of an edge, or the name of a parameter that is missing. */
function addressOf(edge: Edge): OutputAddress | string {
  const source = edge.get('bias.source')
  if (source === undefined) return 'bias.source'
  const module = edge.get(`bias.${source}_module`)
  const output = edge.get(`bias.${source}_output`)
  if (module === undefined) return `bias.${source}_module`
  if (output === undefined) return `bias.${source}_output`
  if (source === 'spi') return { source, module, output }
  const lineResistanceOhm = edge.get('bias.line_resistance_ohm')
  return lineResistanceOhm === undefined
    ? 'bias.line_resistance_ohm'
    : { source, module, output, lineResistanceOhm }
}

/** Settings beyond what a coupler may be exposed to. */
function cappedSettings(edge: Edge): string[] {
  const caps = [
    ['bias.max_step', MAX_STEP, 'A'],
    ['bias.ramp_rate', RAMP_RATE, 'A/s'],
    ['bias.abort_rate', ABORT_RATE, 'A/s'],
  ] as const
  return caps
    .filter(([path, most]) => edge.get(path) > most)
    .map(
      ([path, most, unit]) => `${edge.name}: ${path} is ${edge.get(path)} ${unit}; at most ${most} is used`,
    )
}
