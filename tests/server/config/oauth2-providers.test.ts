import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { messageOf } from '../../../src/base/index.ts'
import { readConfig } from '../../../src/server/index.ts'

const read = (providers: unknown) =>
  readConfig({
    flags: { oauth2Providers: typeof providers === 'string' ? providers : JSON.stringify(providers) },
    env: {},
  }).config.oauth2Providers

const LAB = {
  name: 'lab',
  clientId: 'svc',
  clientSecret: 'a very secret secret',
  authURL: 'https://sso.example.org/auth',
  tokenURL: 'https://sso.example.org/token',
  userInfoURL: 'https://sso.example.org/me',
}

test('the presets need an id and a secret only; given values override them', () => {
  const providers = read(
    ['google', 'github', 'microsoft', 'gitlab'].map((name) => ({
      name,
      clientId: 'id',
      clientSecret: 'secret',
      ...(name === 'gitlab' ? { authURL: 'https://git.example.org/oauth/authorize' } : {}),
    })),
  )
  expect(providers.map(({ displayName, pkce, trustEmail }) => [displayName, pkce, trustEmail])).toEqual([
    ['Google', true, false],
    ['GitHub', true, false],
    ['Microsoft', true, false],
    ['GitLab', true, false],
  ])
  expect(providers[3]?.authURL).toBe('https://git.example.org/oauth/authorize')
  expect(providers[3]?.tokenURL).toBe('https://gitlab.com/oauth/token')
})

test('any other provider needs its addresses; the rest has defaults', () => {
  expect(read([LAB])).toEqual([
    {
      ...LAB,
      displayName: 'lab',
      pkce: true,
      scopes: ['openid', 'email', 'profile'],
      clientAuth: 'basic',
      trustEmail: false,
    },
  ])
  const local = { ...LAB, authURL: 'http://127.0.0.1:9000/auth', tokenURL: 'http://[::1]:9000/token' }
  expect(read([local])[0]?.authURL).toBe(local.authURL)
  expect(read('')).toEqual([])
})

test('the error of a bad provider names place and field, and reveals no secret', () => {
  const cases: [unknown, string][] = [
    [[LAB, { ...LAB, name: 'two', clientId: undefined }], '[1].clientId: missing'],
    [[{ ...LAB, clientId: '' }], '[0].clientId: expected not empty'],
    [[{ ...LAB, clientSecret: 7 }], '[0].clientSecret: expected string'],
    [[{ ...LAB, name: 'My Lab' }], '[0].name: expected lower-case letters'],
    [[{ ...LAB, userInfoURL: undefined }], '[0].userInfoURL: missing; only google'],
    [[{ ...LAB, tokenURL: 'http://sso.example.org/token' }], '[0].tokenURL: expected an https:// address'],
    [[{ ...LAB, authURL: 'javascript:alert(1)' }], '[0].authURL: expected an https:// address'],
    [[{ ...LAB, authURL: 'https://a:b@sso.example.org/' }], '[0].authURL: expected an https:// address'],
    [[{ ...LAB, authURL: 'http://127.0.0.1.example.org/' }], '[0].authURL: expected an https:// address'],
    [
      [{ ...LAB, clientsecret: 'a very secret secret' }],
      '[0].clientsecret: unknown key clientsecret; did you mean clientSecret?',
    ],
    [[{ ...LAB, scopes: 'openid' }], '[0].scopes: expected Array'],
    [[{ ...LAB, scopes: ['openid', ''] }], '[0].scopes.1: expected not empty'],
    [[{ ...LAB, clientAuth: 'jwt' }], '[0].clientAuth: expected ("basic" | "post")'],
    [[LAB, LAB], '[1].name: lab is already used'],
    [['google'], '[0]: expected Object'],
    [[null], '[0]: expected Object'],
    ['{"name": "a very secret secret', 'expected a JSON array'],
    [LAB, 'expected a JSON array'],
  ]
  for (const [providers, text] of cases) {
    let message = ''
    try {
      read(providers)
    } catch (error) {
      message = messageOf(error)
    }
    expect(message).toStartWith(`--oauth2-providers: bad value; ${text}`)
    expect(message).not.toContain('secret secret')
  }
})

test('the examples of the guide are valid settings', async () => {
  const guide = await Bun.file(join(import.meta.dir, '../../../docs/how-to/accounts.md')).text()
  const blocks = [...guide.matchAll(/```yaml\n([^`]+)```/g)].map(([, text = '']) => text)
  const configs = blocks.map(
    (text) => readConfig({ flags: {}, env: {}, file: { path: 'guide', text } }).config,
  )
  const names = configs.map(({ oauth2Providers }) => oauth2Providers.map(({ name }) => name))
  expect(names).toEqual([['google', 'github', 'gitlab'], ['microsoft'], ['lab'], []])
  expect(configs.at(-1)?.smtpHost).toBe('mail.example.org')
  const keys = Object.keys(configs[2]?.oauth2Providers[0] ?? {})
  for (const key of keys) expect(guide).toContain(`\`${key}\``)
})
