import { expect, test } from 'bun:test'
import { systemClock } from '../../../../src/base/index.ts'
import { exchange } from '../../../../src/server/auth/oauth2/exchange.ts'
import { oauth2Providers } from '../../../../src/server/config/oauth2-providers.ts'
import { countConnections } from '../../../support/executable/recorder.ts'
import { FakeClock } from '../../../support/fake-clock.ts'

/** A misbehaving provider; correct ones are in login.test.ts. */
function openFaultyProvider(responses: Record<string, (request: Request) => Response | Promise<Response>>) {
  const requested: string[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url)
      requested.push(`${pathname} ${request.headers.get('authorization') ?? ''}`)
      return responses[pathname]?.(request) ?? new Response('', { status: 404 })
    },
  })
  const url = `http://127.0.0.1:${server.port}`
  const providerOf = (name: string) => {
    const entry = {
      name,
      clientId: 'id',
      clientSecret: 'secret',
      authURL: `${url}/auth`,
      tokenURL: `${url}/token`,
      userInfoURL: `${url}/user`,
    }
    const [provider] = oauth2Providers().parse(JSON.stringify([entry]))
    if (!provider) throw new Error('no provider')
    return provider
  }
  return { url, requested, providerOf, [Symbol.asyncDispose]: () => server.stop(true) }
}

const GRANT = { code: 'c', codeVerifier: 'v'.repeat(43), redirectURL: 'http://127.0.0.1/login' }
const TOKEN = () => Response.json({ access_token: 'key', token_type: 'bearer' })

test('exchange() follows no redirect: secrets go only to the configured addresses', async () => {
  await using elsewhere = await countConnections()
  const redirect = () => Response.redirect(`http://127.0.0.1:${elsewhere.port}/`, 307)
  for (const responses of [{ '/token': redirect }, { '/token': TOKEN, '/user': redirect }]) {
    await using faulty = openFaultyProvider(responses)
    await expect(exchange(faulty.providerOf('lab'), GRANT, systemClock)).rejects.toMatchObject({
      code: 'invalid',
    })
  }
  expect(elsewhere.connections).toBe(0)
})

test('exchange() stops reading an endless response', async () => {
  const endless = () =>
    new Response(
      new ReadableStream({
        async pull(controller) {
          controller.enqueue(new Uint8Array(64 * 1024).fill(32))
        },
      }),
      { headers: { 'content-type': 'application/json' } },
    )
  for (const responses of [{ '/token': endless }, { '/token': TOKEN, '/user': endless }]) {
    await using faulty = openFaultyProvider(responses)
    await expect(exchange(faulty.providerOf('lab'), GRANT, systemClock)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('more than 262144 bytes'),
    })
  }
})

test('exchange() fails after 10 s without a response', async () => {
  const clock = new FakeClock()
  const arrived = Promise.withResolvers<void>()
  await using faulty = openFaultyProvider({
    '/token': () => {
      arrived.resolve()
      return new Promise<Response>(() => undefined)
    },
  })
  const outcome = exchange(faulty.providerOf('lab'), GRANT, clock).catch((error: unknown) => error)
  await arrived.promise
  await clock.advance(9_999)
  expect(Bun.peek.status(outcome)).toBe('pending')
  await clock.advance(1)
  expect(await outcome).toMatchObject({
    code: 'unavailable',
    reason: 'provider_unavailable',
    message: expect.stringContaining('no response within 10 s'),
  })
})

test('exchange() distinguishes a provider that is down from one that refuses', async () => {
  const faulty = openFaultyProvider({})
  const provider = faulty.providerOf('lab')
  await faulty[Symbol.asyncDispose]()
  await expect(exchange(provider, GRANT, systemClock)).rejects.toMatchObject({ code: 'unavailable' })

  // GitHub sends refusals with status 200.
  for (const status of [200, 400]) {
    await using refusing = openFaultyProvider({
      '/token': () => Response.json({ error: 'bad_verification_code' }, { status }),
    })
    await expect(exchange(refusing.providerOf('lab'), GRANT, systemClock)).rejects.toMatchObject({
      code: 'invalid',
      reason: 'oauth2_token_failed',
    })
  }
})

test('exchange() refuses malformed responses', async () => {
  const json = (value: unknown) => () => Response.json(value)
  const html = () => new Response('<html>', { headers: { 'content-type': 'text/html' } })
  for (const responses of [
    { '/token': html },
    { '/token': json('text') },
    { '/token': json(null) },
    { '/token': json({ access_token: 'key' }) },
    { '/token': json({ access_token: '', token_type: 'bearer' }) },
    { '/token': json({ access_token: 'key', token_type: 'mac' }) },
    { '/token': TOKEN, '/user': html },
    { '/token': TOKEN, '/user': json([]) },
    { '/token': TOKEN, '/user': json({ name: 'nobody' }) },
    { '/token': TOKEN, '/user': () => Response.json({ sub: '1' }, { status: 500 }) },
  ]) {
    await using faulty = openFaultyProvider(responses)
    await expect(exchange(faulty.providerOf('lab'), GRANT, systemClock)).rejects.toMatchObject({
      code: 'invalid',
    })
  }
})

test('exchange() requests the addresses from GitHub too, and sends its secret in the form', async () => {
  const forms: string[] = []
  await using faulty = openFaultyProvider({
    '/token': async (request) => {
      forms.push(await request.text())
      return Response.json({ access_token: 'key', token_type: 'bearer', scope: 'read:user,user:email' })
    },
    '/user': () => Response.json({ id: 7, login: 'octocat' }),
    '/user/emails': () => Response.json([{ email: 'o@example.org', primary: true, verified: true }]),
  })
  const { profile, rawUser } = await exchange(faulty.providerOf('github'), GRANT, systemClock)
  expect(profile).toMatchObject({ id: '7', username: 'octocat', email: 'o@example.org' })
  expect(rawUser).toEqual({ id: 7, login: 'octocat' })
  expect(faulty.requested).toEqual(['/token ', '/user Bearer key', '/user/emails Bearer key'])
  expect(Object.fromEntries(new URLSearchParams(forms[0]))).toMatchObject({
    client_secret: 'secret',
    code: 'c',
    code_verifier: GRANT.codeVerifier,
    redirect_uri: GRANT.redirectURL,
  })
})
