/** What is known of a certificate that could be read. Times in ms since the epoch. */
export interface LeafProperties {
  /** Signed by the present root. */
  isByRoot: boolean
  /** Signed by it or by an earlier root that this server made. */
  isByOwnKind: boolean
  /** Belongs to the private key beside it. */
  isPaired: boolean
  notBefore: number
  notAfter: number
  /** Names exactly what the settings ask for. */
  hasExactNames: boolean
  /** Names the public address or the domain. */
  isCovering: boolean
}

/** The state of the two files and what the server could do about it. */
export interface LeafState {
  cert: 'missing' | 'unreadable' | LeafProperties
  /** `made` carries the mark of a key written by the server; `given` is somebody else's. */
  key: 'missing' | 'unreadable' | 'made' | 'given'
  /** The root's private key is at hand. */
  canIssue: boolean
  now: number
}

/** What to do: serve the certificate at hand, make a new one, or stop with the file at fault. */
export type LeafPlan =
  | { action: 'keep' }
  | { action: 'issue'; reason: string }
  | { action: 'refuse'; file: 'cert' | 'key'; problem: string }

/** Share of a certificate's life after which it is replaced. */
const RENEWAL_SHARE = 2 / 3

/** When a certificate of our own is due, in ms since the epoch. */
export function renewalTime(life: { notBefore: number; notAfter: number }): number {
  return life.notBefore + (life.notAfter - life.notBefore) * RENEWAL_SHARE
}

/** Why a certificate of our own has to be replaced, or undefined while it is good. */
function staleness(leaf: LeafProperties, now: number): string | undefined {
  if (!leaf.isByRoot) return 'signed by an earlier root CA'
  if (!leaf.isPaired) return 'certificate and key do not belong together'
  if (!leaf.hasExactNames) return 'addresses or domain changed'
  if (now >= leaf.notAfter) return 'expired'
  if (now < leaf.notBefore) return 'not valid yet: the clock went back'
  if (now >= renewalTime(leaf)) return 'two thirds of its life are over'
  return undefined
}

/** What makes a certificate unfit to serve, or undefined. */
function defect(leaf: LeafProperties, now: number): string | undefined {
  if (!leaf.isPaired) return 'does not belong to the private key, or that key is damaged or encrypted'
  if (now >= leaf.notAfter) return `expired at ${new Date(leaf.notAfter).toISOString()}`
  if (now < leaf.notBefore) return `is valid only from ${new Date(leaf.notBefore).toISOString()}`
  if (!leaf.isCovering) return 'names neither the address of --ip-addr nor the name of --domain'
  return undefined
}

/** Decides about files of which at least one is missing or damaged. */
function planIncomplete(state: LeafState): LeafPlan {
  const { cert, key } = state
  const nothing = cert === 'missing' && key === 'missing'
  const isOurs = nothing || (typeof cert === 'string' ? key === 'made' : cert.isByOwnKind)
  const file = typeof cert === 'string' ? 'cert' : 'key'
  const problem = (file === 'cert' ? cert : key) === 'missing' ? 'is missing' : 'cannot be read as PEM'
  if (!isOurs || !state.canIssue) return { action: 'refuse', file, problem }
  return { action: 'issue', reason: nothing ? 'none yet' : `its ${file} file ${problem}` }
}

/**
 * Decides about the server certificate. One made by the server, with a key made by the server, is replaced
 * whenever it is not perfect; one that an administrator put there is never replaced, only checked.
 *
 * | certificate and key | root key | then |
 * |---|---|---|
 * | ours, good and before two thirds of its life | present | keep |
 * | ours, anything else | present | issue |
 * | none at all | present | issue |
 * | ours, usable | absent | keep |
 * | of others, usable | any | keep |
 * | any other | any | refuse |
 */
export function planLeaf(state: LeafState): LeafPlan {
  const { cert, key, canIssue, now } = state
  if (typeof cert === 'string' || key === 'missing' || key === 'unreadable') return planIncomplete(state)
  if (cert.isByOwnKind && key === 'made' && canIssue) {
    const reason = staleness(cert, now)
    return reason === undefined ? { action: 'keep' } : { action: 'issue', reason }
  }
  const problem = defect(cert, now)
  return problem === undefined ? { action: 'keep' } : { action: 'refuse', file: 'cert', problem }
}
