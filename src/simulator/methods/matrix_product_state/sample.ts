import type { MethodRun } from '../../define-method.ts'
import { PURPOSE } from '../../numeric/random.ts'
import { weightOf } from './matrix.ts'
import type { TensorChain } from './tensor-chain.ts'

/** Work of a site besides multiplications, and of each of its shots, in amplitude updates. */
const GROUP_WORK = 4_096
const SHOT_WORK = 256

/** Shots with equal values of the first sites. */
interface Group {
  site: number
  /** The row vector of the first sites for these values. */
  vector: Float64Array
  /** Values so far, by qubit. */
  values: Uint8Array
  shots: Uint32Array
}

/**
 * Draws a value of every qubit for each shot, site by site: each value has its conditional probability given
 * the earlier values (Ferris and Vidal, Physical Review B 85, 165146, 2012). Shots with equal values so far
 * share the work.
 */
export async function sampleAll(
  chain: TensorChain,
  shots: Uint32Array,
  { rng, stream, timeBudget }: MethodRun,
  isMeasured: boolean,
  add: (values: Uint8Array, shots: Uint32Array) => void,
): Promise<void> {
  chain.alignLeft()
  // Without final measurements there is nothing to draw.
  const sites = isMeasured ? chain.sites : 0
  const values = new Uint8Array(chain.qubitIndexLimit)
  const first: Group = { site: 0, vector: Float64Array.of(1, 0), values, shots }
  const waiting = [first]
  for (let group = waiting.pop(); group; group = waiting.pop()) {
    if (group.site === sites) {
      add(group.values, group.shots)
      continue
    }
    const { site, values } = group
    const { qubit, zero, one } = chain.extend(site, group.vector)
    const [weightOfZero, weightOfOne] = [weightOf(zero), weightOf(one)]
    const share = weightOfOne / (weightOfZero + weightOfOne)
    const isOne = (shot: number) => {
      rng.seek(stream, shot, PURPOSE.measurement, site)
      return rng.next() < share
    }
    const ones = group.shots.filter(isOne)
    const zeros = group.shots.filter((shot) => !isOne(shot))
    if (ones.length > 0) {
      const vector = unit(one, weightOfOne)
      waiting.push({
        site: site + 1,
        vector,
        values: withValue(values, qubit, zeros.length > 0),
        shots: ones,
      })
    }
    if (zeros.length > 0) {
      waiting.push({ site: site + 1, vector: unit(zero, weightOfZero), values, shots: zeros })
    }
    timeBudget.spend(GROUP_WORK + SHOT_WORK * group.shots.length)
    if (timeBudget.isYieldDue) await timeBudget.yieldIfDue()
  }
}

function unit(vector: Float64Array, weight: number): Float64Array {
  return vector.map((part) => part / Math.sqrt(weight))
}

/** The values with a 1 for a qubit; a copy when another group still uses them. */
function withValue(values: Uint8Array, qubit: number, isShared: boolean): Uint8Array {
  const own = isShared ? values.slice() : values
  own[qubit] = 1
  return own
}
