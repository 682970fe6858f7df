import { environment, savedAccount } from './accounts.ts'

/** Where a client connects, and as whom. */
export interface CredentialOptions {
  /**
   * Address of the server, or several of which the next is used when one does not respond or does not
   * lead; default `SVC_ADDR`.
   */
  readonly baseUrl?: string | readonly string[]
  /** API token, or what returns one; default `SVC_API_TOKEN`. */
  readonly apiToken?: string | (() => Promise<string>)
  /** Account that `svc login` has saved; else `SVC_PROFILE` or `default`, for what nothing else gives. */
  readonly profile?: string
  /**
   * The secret of a session, by which jobs are submitted, and read unless there is an API token; default
   * `SVC_SESSION`.
   */
  readonly session?: string
  /** Where jobs go that name no QPU; default `SVC_QPU`. */
  readonly qpu?: string
}

export interface Credentials {
  readonly address: string | readonly string[] | undefined
  readonly token: CredentialOptions['apiToken']
  /** The profile of the token. */
  readonly profile: string | undefined
  readonly session?: string | undefined
  readonly qpu?: string | undefined
}

/**
 * Address and token, from the arguments, the environment, or the saved account. A saved token is used with
 * its own address only, and so is the session of the environment.
 *
 * @throws TypeError for a profile that is not there, a file of accounts that is no JSON, or a saved account
 *   whose root CA is pinned although its address is plain HTTP.
 */
export function credentialsOf(given: CredentialOptions): Credentials {
  const { baseUrl, apiToken, profile } = given
  const named = profile === undefined ? undefined : savedAccount(profile, true)
  const address = baseUrl ?? named?.address ?? environment('SVC_ADDR')
  const place = placeOf(given)
  // Without an API token, the secret of the session reads its jobs, too.
  const token = apiToken ?? (named ? undefined : (environment('SVC_API_TOKEN') ?? place.session))
  if (token !== undefined && address !== undefined) return { address, token, profile: undefined, ...place }
  const name = profile ?? environment('SVC_PROFILE') ?? 'default'
  const saved = named ?? savedAccount(name, environment('SVC_PROFILE') !== undefined)
  const used = address ?? saved?.address
  const isOwn = used === saved?.address
  if (isOwn) assertEncrypted(used, saved?.ca_fingerprint)
  const usesSaved = token === undefined && isOwn && saved?.api_token !== undefined
  return {
    address: used,
    token: usesSaved ? saved?.api_token : token,
    profile: usesSaved ? name : undefined,
    ...place,
  }
}

/** The session and the QPU; those of the environment with its account and its server only. */
function placeOf({ baseUrl, apiToken, profile, session, qpu }: CredentialOptions) {
  const address = environment('SVC_ADDR')
  const isOfEnvironment = (apiToken ?? profile) === undefined && (baseUrl ?? address) === address
  const variable = (name: string) => (isOfEnvironment ? environment(name) : undefined)
  return { session: session ?? variable('SVC_SESSION'), qpu: qpu ?? variable('SVC_QPU') }
}

/**
 * Refuses a pinned root CA together with an address of plain HTTP, where nothing would be compared with it.
 *
 * @throws TypeError that names the address.
 */
export function assertEncrypted(
  address: string | readonly string[] | undefined,
  pin: string | undefined,
): void {
  if (!pin || address === undefined) return
  const all = typeof address === 'string' ? address.split(',') : address
  const plain = all.map((each) => each.trim()).find((each) => /^http:/i.test(each))
  if (plain === undefined) return
  throw new TypeError(
    `The fingerprint of a root CA protects https only, and ${plain} is plain HTTP; use its https address, or no fingerprint`,
  )
}
