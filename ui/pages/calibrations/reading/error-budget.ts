/** What is known about the gate of a qubit; s, and errors per gate. */
interface GateFigures {
  /** Duration of the gate. */
  duration: number
  t1: number
  t2: number
  leakage: number
  /** Measured by randomized benchmarking. */
  total: number
  totalError?: number | undefined
  /** What the tuner says about the coherent part: its value, or what it is below. */
  coherent?: { value: number | undefined; below: number | undefined } | undefined
}

/** The error of a gate by cause. The four parts add up to `total`, unless the known causes exceed it. */
export interface Budget {
  relaxation: number
  dephasing: number
  leakage: number
  /** The rest: what tuning can remove; 0 where that is not resolved. */
  coherent: number
  /** What the coherent part is below with a probability of 95 % where it is not resolved. */
  coherentBelow: number | undefined
  total: number
  totalError: number | undefined
}

/**
 * Divides the error of a gate: relaxation t/(3·T1), dephasing t/3·(1/T2 − 1/(2·T1)), leakage as measured, and
 * the rest is coherent. Undefined for figures that no qubit can have.
 */
export function errorBudget({
  duration,
  t1,
  t2,
  leakage,
  total,
  totalError,
  coherent: found,
}: GateFigures): Budget | undefined {
  const positive = [duration, t1, t2, total].every((figure) => Number.isFinite(figure) && figure > 0)
  if (!positive || !(leakage >= 0) || total > 1) return undefined
  const relaxation = duration / (3 * t1)
  // T2 slightly above 2·T1 is noise of the two measurements.
  const dephasing = Math.max(0, (duration / 3) * (1 / t2 - 1 / (2 * t1)))
  const rest = Math.max(0, total - relaxation - dephasing - leakage)
  const coherent = found ? (found.value ?? 0) : rest
  return { relaxation, dephasing, leakage, coherent, coherentBelow: found?.below, total, totalError }
}

/** A smaller share of the error does not limit a gate. */
const LIMITING_SHARE = 0.55

/** The cause of most of the error; undefined when it has several. */
export function limitingPart(budget: Budget): 'relaxation' | 'dephasing' | 'leakage' | undefined {
  const parts = ['relaxation', 'dephasing', 'leakage'] as const
  return parts.find((part) => budget[part] > LIMITING_SHARE * budget.total)
}
