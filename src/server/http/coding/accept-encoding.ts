/** Codings of bodies that the server writes and reads, the preferred one first. */
export const CODINGS = ['zstd', 'gzip'] as const
export type Coding = (typeof CODINGS)[number]

/** Longer headers are ignored; browsers and SDKs send at most 30 characters. */
const MAX_LENGTH = 256

/**
 * The coding that an `Accept-Encoding` value prefers (RFC 9110 §12.5.3); undefined for none. Equal weights
 * are decided by the order of `CODINGS`, and a coding wins over an `identity` of the same weight.
 */
export function chooseCoding(header: string | null): Coding | undefined {
  if (header === null || header === '') return undefined
  const weights = weightsOf(header)
  const identity = weights.get('identity') ?? 0
  let best: { coding: Coding; weight: number } | undefined
  for (const coding of CODINGS) {
    const weight = weightIn(weights, coding)
    if (weight > 0 && weight >= identity && weight > (best?.weight ?? 0)) best = { coding, weight }
  }
  return best?.coding
}

/** Whether an `Accept-Encoding` value allows a coding: named with a weight above 0, or by `*`. */
export function accepts(header: string | undefined, coding: string): boolean {
  return header !== undefined && weightIn(weightsOf(header), coding) > 0
}

function weightIn(weights: ReadonlyMap<string, number>, coding: string): number {
  return weights.get(coding) ?? weights.get('*') ?? 0
}

/** The weights by coding; one that is not a number from 0 to 1 counts as 0. */
function weightsOf(header: string): Map<string, number> {
  const weights = new Map<string, number>()
  if (header.length > MAX_LENGTH) return weights
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim())
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1'
    const weight = Number(quality)
    if (name !== '') weights.set(name === 'x-gzip' ? 'gzip' : name, weight >= 0 && weight <= 1 ? weight : 0)
  }
  return weights
}
