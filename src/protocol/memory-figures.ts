import { type OutcomeTally, outcomeTally } from './outcome-tally.ts'

/** Figures of the memory of one result: a list, packed bits, or something else. */
export type MemoryFigures =
  /** `bits`: those that the largest `0x…` needs; absent if the entries are not all of this form. */
  | { form: 'list'; length: number; bits?: number; disagreement?: string }
  /** `bits`: those that the largest outcome needs. */
  | { form: 'packed'; bytes: number; bits: number; disagreement?: string }
  | { form: 'other' }

interface MemoryOptions {
  /** Result bits by the header of the result, which say how many bytes a packed shot has. */
  bits: number
  /** Bit string → number of shots, to which the memory is compared. */
  counts: Readonly<Record<string, number>> | undefined
  checkpoint: () => void
}

/** Outcomes between two calls of the checkpoint. */
const CHECK_INTERVAL = 4_096

/** The figures of a memory. Reads each entry once. */
export function memoryFiguresOf(memory: unknown, options: MemoryOptions): MemoryFigures {
  if (Array.isArray(memory)) return listFigures(memory, options)
  // The length of base64 with its padding, which Python and JavaScript write.
  const isPacked =
    typeof memory === 'string' && memory.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(memory)
  return isPacked ? packedFigures(Buffer.from(memory, 'base64'), options) : { form: 'other' }
}

function listFigures(entries: readonly unknown[], options: MemoryOptions): MemoryFigures {
  const { bits, counts, checkpoint } = options
  const { length } = entries
  const tally = counts && outcomeTally(bits, length)
  let most = 0
  for (let index = 0; index < length; index++) {
    if (index % CHECK_INTERVAL === 0) checkpoint()
    const digits = digitsOf(entries[index])
    if (digits === undefined) return { form: 'list', length }
    const first = Number.parseInt(digits[0] ?? '0', 16)
    most = Math.max(most, digits === '' ? 0 : 4 * (digits.length - 1) + (32 - Math.clz32(first)))
    tally?.addDigits(digits)
  }
  return { form: 'list', length, bits: most, ...disagreementOf(tally, options) }
}

const [ZERO, NINE, UPPER_A, UPPER_F, LOWER_A, LOWER_F] = [48, 57, 65, 70, 97, 102]
const PREFIX = '0x'

/** Digits of a text `0x…` without leading zeros; undefined for anything else. */
function digitsOf(entry: unknown): string | undefined {
  if (typeof entry !== 'string' || !entry.startsWith(PREFIX) || entry === PREFIX) return undefined
  // A regular expression takes several times longer.
  let first = entry.length
  for (let at = entry.length - 1; at >= PREFIX.length; at--) {
    const code = entry.charCodeAt(at)
    const isDigit =
      (code >= ZERO && code <= NINE) ||
      (code >= LOWER_A && code <= LOWER_F) ||
      (code >= UPPER_A && code <= UPPER_F)
    if (!isDigit) return undefined
    if (code !== ZERO) first = at
  }
  return entry.slice(first)
}

function packedFigures(bytes: Buffer, options: MemoryOptions): MemoryFigures {
  const { bits, counts, checkpoint } = options
  const width = Math.ceil(bits / 8)
  const shots = width === 0 ? 0 : Math.floor(bytes.length / width)
  const tally = counts && width > 0 ? outcomeTally(bits, shots) : undefined
  let largest = 0
  for (let shot = 0; shot < shots; shot++) {
    if (shot % CHECK_INTERVAL === 0) checkpoint()
    const at = shot * width
    largest = Math.max(largest, bytes[at] as number)
    tally?.addBytes(bytes, at, width)
  }
  const most = width === 0 ? 0 : 8 * (width - 1) + 32 - Math.clz32(largest)
  return { form: 'packed', bytes: bytes.length, bits: most, ...disagreementOf(tally, options) }
}

function disagreementOf(tally: OutcomeTally | undefined, { counts = {} }: MemoryOptions) {
  const disagreement = tally?.disagreement(counts)
  return disagreement === undefined ? {} : { disagreement }
}
