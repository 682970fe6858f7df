import { PURPOSE, type Rng } from '../../../../numeric/random.ts'

/** Amplitudes summed together before a search looks inside: small enough for the first cache. */
const BLOCK = 4_096

/** Running sums of the probabilities of whole blocks; the last is the total. */
function blockSums(state: Float64Array): Float64Array {
  const size = state.length / 2
  const sums = new Float64Array(Math.ceil(size / BLOCK))
  let total = 0
  for (let block = 0; block < sums.length; block++) {
    const end = Math.min(size, (block + 1) * BLOCK)
    let sum = 0
    for (let at = 2 * block * BLOCK; at < 2 * end; at++) sum += (state[at] as number) ** 2
    total += sum
    sums[block] = total
  }
  return sums
}

/**
 * Index of the first running sum above `target`. Rounding can leave `target` at or above the last one: then the
 * first index that reaches the last sum, so that an outcome of probability zero is never drawn.
 */
export function firstAbove(sums: Float64Array, length: number, target: number): number {
  const last = sums[length - 1] as number
  const reaches = target >= last
  let low = 0
  let high = length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    const sum = sums[middle] as number
    if (reaches ? sum >= last : sum > target) high = middle
    else low = middle + 1
  }
  return low
}

/**
 * Draws one basis index per uniform number in [0, 1) of `draws` from a state `[2^n][re, im]`. Each index follows
 * from its own number alone. One pass sums blocks, a second sums within the blocks that were hit.
 */
export function sampleIndices(state: Float64Array, draws: Float64Array): Uint32Array {
  const sums = blockSums(state)
  const total = sums[sums.length - 1] as number
  const blocks = new Uint32Array(draws.length)
  const starts = new Uint32Array(sums.length + 1)
  for (let shot = 0; shot < draws.length; shot++) {
    const block = firstAbove(sums, sums.length, (draws[shot] as number) * total)
    blocks[shot] = block
    starts[block + 1] = (starts[block + 1] as number) + 1
  }
  for (let block = 0; block < sums.length; block++) {
    starts[block + 1] = (starts[block + 1] as number) + (starts[block] as number)
  }
  // Shots in order of their block, without comparing them.
  const order = new Uint32Array(draws.length)
  const next = starts.slice()
  for (let shot = 0; shot < draws.length; shot++) {
    const block = blocks[shot] as number
    const place = next[block] as number
    next[block] = place + 1
    order[place] = shot
  }
  return searchBlocks(state, draws, sums, starts, order)
}

/** Draws one basis index per shot; each shot uses block `block` of its own random numbers in `stream`. */
export function drawIndices(
  state: Float64Array,
  shots: Uint32Array,
  rng: Rng,
  stream: number,
  block: number,
): Uint32Array {
  const draws = new Float64Array(shots.length)
  shots.forEach((shot, place) => {
    rng.seek(stream, shot, PURPOSE.measurement, block)
    draws[place] = rng.next()
  })
  return sampleIndices(state, draws)
}

function searchBlocks(
  state: Float64Array,
  draws: Float64Array,
  sums: Float64Array,
  starts: Uint32Array,
  order: Uint32Array,
): Uint32Array {
  const total = sums[sums.length - 1] as number
  const indices = new Uint32Array(draws.length)
  const within = new Float64Array(BLOCK)
  for (let block = 0; block < sums.length; block++) {
    const from = starts[block] as number
    const to = starts[block + 1] as number
    if (from === to) continue
    const first = block * BLOCK
    const length = Math.min(BLOCK, state.length / 2 - first)
    let sum = block === 0 ? 0 : (sums[block - 1] as number)
    for (let offset = 0; offset < length; offset++) {
      const at = 2 * (first + offset)
      sum += (state[at] as number) ** 2 + (state[at + 1] as number) ** 2
      within[offset] = sum
    }
    for (let place = from; place < to; place++) {
      const shot = order[place] as number
      indices[shot] = first + firstAbove(within, length, (draws[shot] as number) * total)
    }
  }
  return indices
}
