import * as oauth from 'oauth4webapi'
import {
  AppError,
  type Clock,
  isObject,
  KIB,
  reasonOf,
  toTimestamp,
  withTimeout,
} from '../../../base/index.ts'
import type { Provider } from '../../config/oauth2-providers.ts'
import { gitHubProfile, openIdProfile, type Profile, type RawUser } from './profile.ts'

/** More than any provider sends. */
const MAX_RESPONSE_BYTES = 256 * KIB
const RESPONSE_TIMEOUT_MS = 10_000

/** What the browser has returned from the provider. */
export interface Grant {
  code: string
  /** '' without PKCE. */
  codeVerifier: string
  /** The redirect URL of the login, which the provider compares. */
  redirectURL: string
}

/** An account at a provider, with its tokens. */
export interface ExternalAccount {
  profile: Profile
  accessToken: string
  refreshToken: string
  /** Expiry of the access token in the format of stored times; '' when unknown. */
  expiry: string
  rawUser: RawUser
}

/**
 * Exchanges a grant for the account: code → access token → user. Follows no redirects, waits at most 10 s for
 * each response and reads at most 256 KiB of it. The ID token is not used: the user is requested from the
 * provider.
 * @throws AppError `invalid` when the provider refuses, `unavailable` when it does not respond.
 */
export async function exchange(provider: Provider, grant: Grant, clock: Clock): Promise<ExternalAccount> {
  const fetcher = boundedFetch(provider, clock)
  const token = await step(provider, 'token', () => fetchToken(provider, grant, fetcher))
  const accessToken = token.access_token
  const get = (address: string) => fetchJson(address, accessToken, fetcher)
  return step(provider, 'user', async () => {
    const rawUser = await get(provider.userInfoURL)
    if (!isObject(rawUser)) throw new Error('the response is not a JSON object')
    const profile =
      provider.name === 'github'
        ? gitHubProfile(rawUser, await get(`${provider.userInfoURL}/emails`))
        : openIdProfile(rawUser, provider)
    const endsIn = token.expires_in
    const expiry = endsIn === undefined ? '' : toTimestamp(clock.now() + endsIn * 1_000)
    return { profile, accessToken, refreshToken: token.refresh_token ?? '', expiry, rawUser }
  })
}

type Fetcher = (
  url: string,
  options: oauth.CustomFetchOptions<string, oauth.ProtectedResourceRequestBody>,
) => Promise<Response>

async function fetchToken(
  { clientId, clientSecret, clientAuth, tokenURL }: Provider,
  { code, codeVerifier, redirectURL }: Grant,
  fetcher: Fetcher,
): Promise<oauth.TokenEndpointResponse> {
  const server = { issuer: new URL(tokenURL).origin, token_endpoint: tokenURL }
  const client = { client_id: clientId }
  const withSecret = clientAuth === 'basic' ? oauth.ClientSecretBasic : oauth.ClientSecretPost
  const authentication = clientSecret === '' ? oauth.None() : withSecret(clientSecret)
  // The client that began the login compares the state, which only this client has.
  const params = oauth.validateAuthResponse(
    server,
    client,
    new URLSearchParams({ code }),
    oauth.skipStateCheck,
  )
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    authentication,
    params,
    redirectURL,
    codeVerifier || oauth.nopkce,
    { [oauth.customFetch]: fetcher, [oauth.allowInsecureRequests]: isPlain(tokenURL) },
  )
  return oauth.processAuthorizationCodeResponse(server, client, await withoutIdToken(response))
}

async function fetchJson(address: string, accessToken: string, fetcher: Fetcher): Promise<unknown> {
  const response = await oauth.protectedResourceRequest(
    accessToken,
    'GET',
    new URL(address),
    new Headers({ accept: 'application/json' }),
    null,
    { [oauth.customFetch]: fetcher, [oauth.allowInsecureRequests]: isPlain(address) },
  )
  if (response.status !== 200) throw new Error(`the response has status ${response.status}`)
  return response.json()
}

/** Whether the address is plain HTTP, which the settings allow for this machine only. */
function isPlain(address: string): boolean {
  return address.startsWith('http:')
}

async function withoutIdToken(response: Response): Promise<Response> {
  const text = await response.text()
  const { status, headers } = response
  try {
    const { id_token: _, ...rest } = JSON.parse(text)
    return new Response(JSON.stringify(rest), { status, headers })
  } catch {
    return new Response(text, { status, headers })
  }
}

/** A fetch with a time-out and a size limit. The library itself disables redirects. */
function boundedFetch(provider: Provider, clock: Clock): Fetcher {
  return async (url, options) => {
    const { body = null, ...rest } = options
    const sent = body instanceof Uint8Array ? new Uint8Array(body) : body
    const call = async (signal: AbortSignal) => {
      const response = await fetch(url, { ...rest, body: sent, signal })
      return new Response(await readCapped(response), { status: response.status, headers: response.headers })
    }
    try {
      return await withTimeout(call, {
        clock,
        ms: RESPONSE_TIMEOUT_MS,
        onTimeout: () => {
          throw new Error(`no response within ${RESPONSE_TIMEOUT_MS / 1_000} s`)
        },
      })
    } catch (cause) {
      const message = `${provider.displayName} cannot be reached to identify you (${reasonOf(cause)}); try again later`
      throw new AppError('unavailable', message, { cause, reason: 'provider_unavailable', retryAfter: 30 })
    }
  }
}

async function readCapped(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > MAX_RESPONSE_BYTES) throw new Error(`the response has more than ${MAX_RESPONSE_BYTES} bytes`)
    chunks.push(chunk)
  }
  return new Uint8Array(Buffer.concat(chunks))
}

async function step<T>(provider: Provider, what: 'token' | 'user', work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw new AppError(
      'invalid',
      `Failed to fetch OAuth2 ${what} from ${provider.displayName}: ${refusalOf(cause)}`,
      {
        reason: `oauth2_${what}_failed`,
        cause,
      },
    )
  }
}

/** What a provider refuses, as far as its response says so; the library's own texts are for its users. */
function refusalOf(cause: unknown): string {
  if (cause instanceof oauth.ResponseBodyError && cause.error) return cause.error
  if (cause instanceof oauth.WWWAuthenticateChallengeError)
    return `it refuses the credentials of this server (HTTP ${cause.status}); check client id and secret`
  return reasonOf(cause)
}
