const [ZERO, ONE] = [0x30, 0x31]
/** Bit strings of up to this length are cached: 16,384 of the longest, about a megabyte. */
const MAX_CACHED_LENGTH = 14

/** Cached bit strings by length, then by value. */
const cache: (string | undefined)[][] = []

/** Bit string of classical bits given in index order: bit 0 rightmost, no spaces. */
export function bitString(bits: ArrayLike<number>): string {
  const { length } = bits
  if (length > MAX_CACHED_LENGTH) return formatBits(bits)
  let value = 0
  for (let index = 0; index < length; index++) if (bits[index]) value |= 1 << index
  cache[length] ??= new Array(2 ** length)
  const ofLength = cache[length]
  // The same string object in every job: as a key of counts it is hashed once, not once per job.
  ofLength[value] ??= formatBits(bits)
  return ofLength[value] as string
}

/** Four characters each, the lowest bit last in memory: as 32-bit words, the least significant byte first. */
const NIBBLES = Uint32Array.from({ length: 16 }, (_, bits) =>
  [3, 2, 1, 0].reduce((word, bit, place) => word | (((bits >> bit) & 1 ? ONE : ZERO) << (8 * place)), 0),
)

/** Where texts are written, four characters a word: a buffer for each takes ten times as long. */
let draft = new Uint32Array(1_024)
let draftText = Buffer.from(draft.buffer)

/** As `bitString`, for `length` bits, 32 in each word from `at` on. */
export function bitStringOfWords(words: Uint32Array, at: number, length: number): string {
  const nibbles = Math.ceil(length / 4)
  if (nibbles > draft.length) {
    draft = new Uint32Array(nibbles)
    draftText = Buffer.from(draft.buffer)
  }
  for (let place = 0; place < nibbles; place++) {
    const bits = ((words[at + (place >> 3)] as number) >>> (4 * (place & 7))) & 15
    draft[nibbles - 1 - place] = NIBBLES[bits] as number
  }
  return draftText.toString('latin1', 4 * nibbles - length, 4 * nibbles)
}

function formatBits(bits: ArrayLike<number>): string {
  const { length } = bits
  // Appending one character at a time takes several times longer.
  const characters = Buffer.allocUnsafe(length)
  for (let index = 0; index < length; index++) characters[length - 1 - index] = bits[index] ? ONE : ZERO
  return characters.toString('latin1')
}
