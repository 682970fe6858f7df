/** One member of an ensemble of slow noise. */
interface NoiseMember {
  /** Its share of the ensemble. */
  weight: number
  /** Values of independent normal variables of deviation 1. */
  values: readonly number[]
}

const QUIET: NoiseMember[] = [{ weight: 1, values: [0, 0, 0] }]

/** Phase spread (rad) up to which this number of nodes is exact to about 1e-4. */
const NODES_BY_SPREAD = [
  [0.03, 1],
  [0.3, 3],
  [1, 7],
  [2.5, 15],
] as const
const MAX_NODES = 32

/**
 * Nodes of a normal variable by Gauss and Hermite, enough for a phase of deviation `spread` (rad).
 */
export function normalNodes(spread: number): NoiseMember[] {
  const nodes = NODES_BY_SPREAD.find(([limit]) => spread <= limit)?.[1] ?? MAX_NODES
  return nodes === 1 ? QUIET : hermiteNodes(nodes)
}

/** Phase spreads (rad) below which noise plays no role, and up to which two moments of it suffice. */
const [QUIET_SPREAD, SMALL_SPREAD] = [NODES_BY_SPREAD[0][0], NODES_BY_SPREAD[1][0]]
/** More nodes of each variable of a pair than this only cost time. */
const MAX_PAIR_NODES = 7

/**
 * Members of three normal variables: both transmons of a pair with their common spread (rad), and the gate
 * between them with its own. Small noise takes two members for each variable that plays a role, with the
 * means and the covariance of all (A. H. Stroud, Numer. Math. 3, 205, 1961); larger noise all pairs of nodes.
 */
export function pairMembers(spread: number, gateSpread: number): NoiseMember[] {
  const variables = [spread, spread, gateSpread]
  if (Math.max(...variables) <= SMALL_SPREAD) {
    const noisy = [0, 1, 2].filter((axis) => (variables[axis] ?? 0) > QUIET_SPREAD)
    if (noisy.length === 0) return QUIET
    const distance = Math.sqrt(noisy.length)
    return noisy.flatMap((axis) =>
      [distance, -distance].map((value) => ({
        weight: 0.5 / noisy.length,
        values: [0, 1, 2].map((other) => (other === axis ? value : 0)),
      })),
    )
  }
  const [own, ofGate] = [pairNodes(spread), pairNodes(gateSpread)]
  return own.flatMap((a) =>
    own.flatMap((b) =>
      ofGate.map((gate) => ({
        weight: a.weight * b.weight * gate.weight,
        values: [a.values[0] ?? 0, b.values[0] ?? 0, gate.values[0] ?? 0],
      })),
    ),
  )
}

/** Largest phase (rad) that one of a few members has: a cosine of it is a Gaussian to 1e-2. */
const MAX_REACH = 0.6

/**
 * Few members of any number of independent normal variables, by their spreads (rad): two along each axis,
 * weighted by the square of its spread, which have the means and the covariance of all. Where one such set
 * reaches too far, there are two, each of half of the variables, whose members combine; undefined where these
 * do, too.
 */
export function fewMembers(spreads: readonly number[]): NoiseMember[][] | undefined {
  const noisy = [...spreads.keys()]
    .filter((axis) => (spreads[axis] ?? 0) > QUIET_SPREAD)
    .sort((one, other) => (spreads[other] ?? 0) - (spreads[one] ?? 0))
  const squareOf = (axes: readonly number[]) => axes.reduce((sum, axis) => sum + (spreads[axis] ?? 0) ** 2, 0)
  const halves: number[][] = [[], []]
  for (const axis of noisy) halves.sort((one, other) => squareOf(one) - squareOf(other))[0]?.push(axis)
  const sets = [[noisy], halves].find((axes) => axes.every((each) => squareOf(each) <= MAX_REACH ** 2))
  return sets
    ?.filter((axes) => axes.length > 0)
    .map((axes) => {
      const reach = Math.sqrt(squareOf(axes))
      return axes.flatMap((axis) => {
        const spread = spreads[axis] ?? 0
        return [reach, -reach].map((phase) => ({
          weight: (spread / reach) ** 2 / 2,
          values: spreads.map((_, other) => (other === axis ? phase / spread : 0)),
        }))
      })
    })
}

function pairNodes(spread: number): NoiseMember[] {
  const all = normalNodes(spread)
  return all.length > MAX_PAIR_NODES ? hermiteNodes(MAX_PAIR_NODES) : all
}

const hermiteKept = new Map<number, NoiseMember[]>()

/** Roots of the Hermite polynomial by Newton's method, scaled to a normal variable. */
function hermiteNodes(n: number): NoiseMember[] {
  const known = hermiteKept.get(n)
  if (known) return known
  const members: NoiseMember[] = []
  let x = 0
  for (let k = 0; k < n; k++) {
    x = startOf(n, k, x, members)
    let slope = 1
    for (let round = 0; round < 50; round++) {
      const [value, derivative] = hermite(n, x)
      slope = derivative
      const change = value / derivative
      x -= change
      if (Math.abs(change) < 1e-14) break
    }
    members.push({ weight: 2 / (slope * slope) / Math.sqrt(Math.PI), values: [x * Math.SQRT2, 0, 0] })
  }
  hermiteKept.set(n, members)
  return members
}

/** Start values of Numerical Recipes (3rd edition, §4.6) for the roots from the largest down. */
function startOf(n: number, k: number, last: number, members: readonly NoiseMember[]): number {
  const root = (index: number) => (members[index]?.values[0] ?? 0) / Math.SQRT2
  if (k === 0) return Math.sqrt(2 * n + 1) - 1.85575 * (2 * n + 1) ** (-1 / 6)
  if (k === 1) return last - (1.14 * n ** 0.426) / last
  if (k === 2) return 1.86 * last - 0.86 * root(0)
  if (k === 3) return 1.91 * last - 0.91 * root(1)
  return 2 * last - root(k - 2)
}

/** The orthonormal Hermite polynomial of degree n and its derivative. */
function hermite(n: number, x: number): [number, number] {
  let lower = 0
  let value = Math.PI ** -0.25
  for (let degree = 0; degree < n; degree++) {
    const next = x * Math.sqrt(2 / (degree + 1)) * value - Math.sqrt(degree / (degree + 1)) * lower
    lower = value
    value = next
  }
  return [value, Math.sqrt(2 * n) * lower]
}
