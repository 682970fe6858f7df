import type { Method, Refusal, ResourceLimits, Workload } from '../define-method.ts'

/** The value of the option `method` that leaves the choice to `chooseMethod`. */
export const AUTOMATIC = 'automatic'

/** The method for a workload, or the reason for refusing it. */
type Choice = { method: Method } | { refusal: Refusal }

/**
 * The method for a workload: of those that do not refuse it, the first that prefers it, or else the first in
 * the list. `requested` restricts the choice to the method of that name; methods in `unsuitable` failed
 * already, with this reason. When all methods refuse, the refusal lists all reasons.
 */
export function chooseMethod(
  methods: readonly Method[],
  requested: string,
  workload: Workload,
  limits: ResourceLimits,
  unsuitable: ReadonlyMap<Method, Refusal> = new Map(),
): Choice {
  const refusalOf = (method: Method) => unsuitable.get(method) ?? refusalBy(method, workload, limits)
  const candidates = methods.filter(({ name }) => requested === AUTOMATIC || requested === name)
  // A method may inspect the whole circuit to decide, so each is called only when needed.
  const preferred = candidates.find((each) => each.prefers?.(workload) && !refusalOf(each))
  if (preferred) return { method: preferred }
  const refusals: [string, Refusal][] = []
  for (const method of candidates) {
    const refusal = refusalOf(method)
    if (!refusal) return { method }
    refusals.push([method.name, refusal])
  }
  const reason = refusals.map(([name, refusal]) => `${name}: ${refusal.reason}`).join('; ')
  return { refusal: { code: refusalCodeOf(refusals.map(([, { code }]) => code)), reason } }
}

function refusalBy(method: Method, workload: Workload, limits: ResourceLimits): Refusal | undefined {
  if (workload.precision === 'single') {
    const reason = workload.exact ? 'computes exact values' : method.hasSinglePrecision ? '' : 'computes'
    if (reason) return { code: 'unsupported', reason: `${reason} in double precision only` }
  }
  if (!workload.exact) return method.refuse(workload, limits)
  if (method.exact) return method.exact.refuse(workload, limits)
  return { code: 'unsupported', reason: 'draws outcomes and has no exact values' }
}

/** The code of all refusals together: too many qubits is the reason that the user can change. */
function refusalCodeOf(codes: readonly string[]): string {
  return codes.find((code) => code === 'too_many_qubits') ?? codes[0] ?? 'unsupported'
}
