import type { Method, Refusal, ResourceLimits, Workload } from '../define-method.ts'

/** The value of the option `method` that leaves the choice to `chooseMethod`. */
export const AUTOMATIC = 'automatic'

/** The method a workload is run with, or why there is none. */
export type Choice = { method: Method } | { refusal: Refusal }

/**
 * The method for a workload: among those that do not refuse it the first that prefers it, else the first in the list.
 * `wanted` restricts the choice to one of them. When all of them refuse, the refusal names each with its reason.
 */
export function chooseMethod(
  methods: readonly Method[],
  wanted: string,
  workload: Workload,
  limits: ResourceLimits,
): Choice {
  const candidates = methods.filter(({ name }) => wanted === AUTOMATIC || wanted === name)
  // Whether a method refuses may take a look at the whole circuit: it is asked only when its turn comes.
  const preferred = candidates.find((each) => each.prefers?.(workload) && !each.refuse(workload, limits))
  if (preferred) return { method: preferred }
  const refusals: [string, Refusal][] = []
  for (const method of candidates) {
    const refusal = method.refuse(workload, limits)
    if (!refusal) return { method }
    refusals.push([method.name, refusal])
  }
  const reason = refusals.map(([name, refusal]) => `${name}: ${refusal.reason}`).join('; ')
  return { refusal: { code: refusalCodeOf(refusals.map(([, { code }]) => code)), reason } }
}

/** Too many qubits is what the user can act upon, whatever else kept a method from the circuit. */
function refusalCodeOf(codes: readonly string[]): string {
  return codes.find((code) => code === 'too_many_qubits') ?? codes[0] ?? 'unsupported'
}
