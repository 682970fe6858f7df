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
}

export interface Credentials {
  readonly address: string | readonly string[] | undefined
  readonly token: CredentialOptions['apiToken']
  /** The profile of the token. */
  readonly profile: string | undefined
}

/**
 * Address and token, from the arguments, the environment, or the saved account. A saved token is used with
 * its own address only.
 *
 * @throws TypeError for a profile that is not there, a file of accounts that is no JSON, or a saved account
 *   whose root CA is pinned although its address is plain HTTP.
 */
export function credentialsOf({ baseUrl, apiToken, profile }: CredentialOptions): Credentials {
  const named = profile === undefined ? undefined : savedAccount(profile, true)
  const address = baseUrl ?? named?.address ?? environment('SVC_ADDR')
  const token = apiToken ?? (named ? undefined : environment('SVC_API_TOKEN'))
  if (token !== undefined && address !== undefined) return { address, token, profile: undefined }
  const name = profile ?? environment('SVC_PROFILE') ?? 'default'
  const saved = named ?? savedAccount(name, environment('SVC_PROFILE') !== undefined)
  const isOwn = address === undefined || address === saved?.address
  if (isOwn) assertEncrypted(address ?? saved?.address, saved?.ca_fingerprint)
  const usesSaved = token === undefined && isOwn && saved?.api_token !== undefined
  return {
    address: address ?? saved?.address,
    token: usesSaved ? saved?.api_token : token,
    profile: usesSaved ? name : undefined,
  }
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
