import { expect, test } from 'bun:test'
import { offerOf } from '../../../../src/server/auth/oauth2/offer.ts'
import { oauth2Providers } from '../../../../src/server/config/oauth2-providers.ts'

const providerOf = (entry: object) => {
  const [provider] = oauth2Providers().parse(JSON.stringify([entry]))
  if (!provider) throw new Error('no provider')
  return provider
}

test('offerOf() creates a new state and verifier each time, with the challenge of RFC 7636', async () => {
  const provider = providerOf({ name: 'google', clientId: 'an id' })
  const [one, two] = [await offerOf(provider), await offerOf(provider)]
  expect(one.state).not.toBe(two.state)
  expect(one.codeVerifier).not.toBe(two.codeVerifier)
  expect(one.codeVerifier).toMatch(/^[\w-]{43,128}$/)
  const challenge = new Bun.CryptoHasher('sha256').update(one.codeVerifier).digest('base64url')
  expect(one.codeChallenge).toBe(challenge)
  const url = new URL(`${one.authURL}${encodeURIComponent('http://a.b/?c=d')}`)
  expect(one.authURL).toEndWith('&redirect_uri=')
  expect(Object.fromEntries(url.searchParams)).toEqual({
    client_id: 'an id',
    response_type: 'code',
    scope: 'openid email profile',
    state: one.state,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    redirect_uri: 'http://a.b/?c=d',
  })
})

test('offerOf() preserves the query of the address and omits PKCE where it is disabled', async () => {
  const address = 'https://sso.example.org/auth?prompt=login'
  const offer = await offerOf(providerOf({ name: 'gitlab', clientId: 'id', authURL: address, pkce: false }))
  const url = new URL(offer.authURL)
  expect(url.searchParams.get('prompt')).toBe('login')
  expect(url.searchParams.has('code_challenge')).toBe(false)
  expect([offer.codeVerifier, offer.codeChallenge, offer.codeChallengeMethod]).toEqual(['', '', ''])
})
