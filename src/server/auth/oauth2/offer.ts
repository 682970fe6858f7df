import { calculatePKCECodeChallenge, generateRandomCodeVerifier, generateRandomState } from 'oauth4webapi'
import type { Provider } from '../../config/oauth2-providers.ts'

/** The data with which a client begins a login at a provider; the client stores state and verifier. */
export interface Offer {
  name: string
  displayName: string
  logo: string
  state: string
  /** Where to send the browser; the client appends the URL-encoded redirect URL. */
  authURL: string
  codeVerifier: string
  codeChallenge: string
  codeChallengeMethod: string
}

/** Creates an offer (RFC 6749 §4.1.1, RFC 7636 §4.3). */
export async function offerOf({
  name,
  displayName,
  authURL,
  clientId,
  scopes,
  pkce,
}: Provider): Promise<Offer> {
  const state = generateRandomState()
  const codeVerifier = pkce ? generateRandomCodeVerifier() : ''
  const codeChallenge = pkce ? await calculatePKCECodeChallenge(codeVerifier) : ''
  const codeChallengeMethod = pkce ? 'S256' : ''
  const url = new URL(authURL)
  url.searchParams.set('client_id', clientId)
  url.searchParams.set('response_type', 'code')
  url.searchParams.set('scope', scopes.join(' '))
  url.searchParams.set('state', state)
  if (pkce) {
    url.searchParams.set('code_challenge', codeChallenge)
    url.searchParams.set('code_challenge_method', codeChallengeMethod)
  }
  return {
    name,
    displayName,
    logo: '',
    state,
    authURL: `${url}&redirect_uri=`,
    codeVerifier,
    codeChallenge,
    codeChallengeMethod,
  }
}
