import { createHash } from 'node:crypto'

/** Frame sizes around every boundary of the framing, of the copied and of the referenced bodies. */
const SIZES = [0, 1, 254, 255, 256, 257, 8_191, 8_192, 8_193, 65_535, 65_536, 1 << 20]
const LARGE_BYTES = 100_000_000
const SMALL_COUNT = 100_000
const SMALL_BYTES = 200

/** The number of messages that `messages` yields. */
export const MESSAGE_COUNT = SIZES.length + 3 + SMALL_COUNT

/** The text of the message that ends a run; it is not part of the digest. */
export const END = 'end of the run'

/** `length` bytes that differ along the message and between messages. */
function body(length, seed) {
  const bytes = Buffer.allocUnsafe(length)
  const block = Math.min(length, 65_521)
  for (let at = 0; at < block; at++) bytes[at] = (at * 31 + seed * 17 + (at >> 8)) & 0xff
  for (let at = block; at < length; at += block) {
    bytes.copyWithin(at, 0, Math.min(block, length - at))
    bytes[at] = (at / block + seed) & 0xff
  }
  return bytes
}

/** All messages of a run, each as a list of frames. */
export function* messages() {
  let seed = 0
  for (const size of SIZES) yield [body(size, seed++)]
  yield [body(10, seed++), body(300, seed++)]
  yield Array.from({ length: 900 }, (_, index) => body(index, seed + index))
  yield [body(LARGE_BYTES, seed++)]
  for (let count = 0; count < SMALL_COUNT; count++) yield [body(SMALL_BYTES, count)]
}

/** SHA-256 over the bytes and boundaries of all frames that it receives. */
export function digester() {
  const hash = createHash('sha256')
  const border = Buffer.alloc(5)
  let count = 0
  return {
    add(frames) {
      count += 1
      for (const [index, frame] of frames.entries()) {
        border.writeUInt32BE(frame.length)
        border[4] = index < frames.length - 1 ? 1 : 0
        hash.update(border).update(frame)
      }
    },
    /** For example `100015 0f3a…`. */
    result: () => `${count} ${hash.digest('hex')}`,
  }
}
