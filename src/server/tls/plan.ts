/** Properties of a readable certificate. Times are in ms since the epoch. */
export interface LeafProperties {
  /** Signed by the present root. */
  isByRoot: boolean
  /** Signed by it or by an earlier root that this server has created. */
  isByOwnKind: boolean
  /** Belongs to the private key. */
  isPaired: boolean
  notBefore: number
  notAfter: number
  /** Contains exactly the names of the settings. */
  hasExactNames: boolean
  /** Contains the public address or the domain. */
  isCovering: boolean
}

/** The state of the two files, and whether the server can issue a certificate. */
export interface LeafState {
  cert: 'missing' | 'unreadable' | LeafProperties
  /** `made` has the mark of a key written by the server; `given` comes from an administrator. */
  key: 'missing' | 'unreadable' | 'made' | 'given'
  /** Whether the private key of the root is available. */
  canIssue: boolean
  now: number
}

/** What to do: serve the existing certificate, issue a new one, or refuse to start because of a file. */
type LeafPlan =
  | { action: 'keep' }
  | { action: 'issue'; reason: string }
  | { action: 'refuse'; file: 'cert' | 'key'; problem: string }

/** Fraction of its lifetime after which a certificate is replaced. */
const RENEWAL_SHARE = 2 / 3

/** When a certificate of our own is due for renewal, in ms since the epoch. */
export function renewalTime(life: { notBefore: number; notAfter: number }): number {
  return life.notBefore + (life.notAfter - life.notBefore) * RENEWAL_SHARE
}

/** Why a certificate of our own has to be replaced; undefined while it is usable. */
function staleness(leaf: LeafProperties, now: number): string | undefined {
  if (!leaf.isByRoot) return 'signed by an earlier root CA'
  if (!leaf.isPaired) return 'certificate and key do not belong together'
  if (!leaf.hasExactNames) return 'addresses or domain changed'
  if (now >= leaf.notAfter) return 'expired'
  if (now < leaf.notBefore) return 'not valid yet: the clock was set back'
  if (now >= renewalTime(leaf)) return 'two thirds of its lifetime have passed'
  return undefined
}

/** Why a certificate cannot be served; undefined when it can. */
function defect(leaf: LeafProperties, now: number): string | undefined {
  if (!leaf.isPaired) return 'does not belong to the private key, or that key is damaged or encrypted'
  if (now >= leaf.notAfter) return `expired at ${new Date(leaf.notAfter).toISOString()}`
  if (now < leaf.notBefore) return `is valid only from ${new Date(leaf.notBefore).toISOString()}`
  if (!leaf.isCovering) return 'contains neither the address of --ip-addr nor the name of --domain'
  return undefined
}

/** Decides about files of which at least one is missing or damaged. */
function planIncomplete(state: LeafState): LeafPlan {
  const { cert, key } = state
  const isNew = cert === 'missing' && key === 'missing'
  const isOurs = isNew || (typeof cert === 'string' ? key === 'made' : cert.isByOwnKind)
  const file = typeof cert === 'string' ? 'cert' : 'key'
  const problem = (file === 'cert' ? cert : key) === 'missing' ? 'is missing' : 'cannot be read as PEM'
  if (!isOurs || !state.canIssue) return { action: 'refuse', file, problem }
  return { action: 'issue', reason: isNew ? 'none yet' : `its ${file} file ${problem}` }
}

/**
 * Decides about the server certificate. A certificate and key created by the server are replaced as soon as
 * they have a defect; a certificate installed by an administrator is only checked, never replaced.
 *
 * | certificate and key | root key | action |
 * |---|---|---|
 * | ours, usable and before two thirds of its lifetime | present | keep |
 * | ours, anything else | present | issue |
 * | both missing | present | issue |
 * | ours, usable | absent | keep |
 * | installed, usable | any | keep |
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
