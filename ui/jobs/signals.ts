/** Measured signals of one circuit. `re` and `im` are in the device's unit of voltage. */
export interface IqPoints {
  slots: { re: Float64Array; im: Float64Array }[]
  /** False when the device averaged the shots: one point per slot. */
  isSingle: boolean
}

/** Points in the complex plane from the `memory` of measurement level 1; undefined for anything else. */
export function readIqPoints(memory: unknown): IqPoints | undefined {
  if (!Array.isArray(memory) || memory.length === 0) return undefined
  const isSingle = !isPoint(memory[0])
  const shots: unknown[] = isSingle ? memory : [memory]
  const [first] = shots
  if (!Array.isArray(first) || first.length === 0 || !first.every(isPoint)) return undefined
  const slots = first.map((_, slot) => ({
    re: Float64Array.from(shots, (shot) => partAt(shot, slot, 0)),
    im: Float64Array.from(shots, (shot) => partAt(shot, slot, 1)),
  }))
  return { slots, isSingle }
}

function isPoint(value: unknown): value is [number, number] {
  return Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === 'number')
}

function partAt(shot: unknown, slot: number, part: 0 | 1): number {
  const point: unknown = Array.isArray(shot) ? shot[slot] : undefined
  return isPoint(point) ? point[part] : Number.NaN
}

/** Signals over the time of a readout, one per slot, averaged over the shots. */
export interface Traces {
  slots: { re: Float64Array; im: Float64Array }[]
  /** Number of shots that the traces are the mean of; 1 if the device averaged them. */
  shots: number
}

/**
 * Traces from the `memory` of measurement level 0: `[re, im]` per sample, slot and, unless the device
 * averaged them, shot. Undefined for anything else.
 */
export function readTraces(memory: unknown): Traces | undefined {
  if (!Array.isArray(memory)) return undefined
  if (isTraceList(memory)) return meanOf([memory])
  return memory.length > 0 && memory.every(isTraceList) ? meanOf(memory) : undefined
}

type Trace = [number, number][]

function isTraceList(value: unknown): value is Trace[] {
  return Array.isArray(value) && value.length > 0 && value.every(isTrace)
}

function isTrace(value: unknown): value is Trace {
  return Array.isArray(value) && value.length > 0 && value.every(isPoint)
}

function meanOf(shots: readonly Trace[][]): Traces {
  const [first = []] = shots
  const slots = first.map((trace, slot) => {
    const sum = { re: new Float64Array(trace.length), im: new Float64Array(trace.length) }
    for (const shot of shots) addTrace(sum, shot[slot] ?? [], shots.length)
    return sum
  })
  return { slots, shots: shots.length }
}

function addTrace(sum: Traces['slots'][number], trace: Trace, shots: number): void {
  for (const [sample, [re, im]] of trace.entries()) {
    sum.re[sample] = (sum.re[sample] ?? 0) + re / shots
    sum.im[sample] = (sum.im[sample] ?? 0) + im / shots
  }
}

/** The least and the largest finite value of lists; 0 and 1 without one. */
export function rangeOf(lists: readonly Float64Array[]): [least: number, largest: number] {
  let [least, largest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const list of lists) {
    for (const value of list) {
      if (value < least) least = value
      if (value > largest) largest = value
    }
  }
  return least <= largest ? [least, largest] : [0, 1]
}
