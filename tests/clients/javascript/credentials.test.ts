import { afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { credentialsOf } from '../../../clients/js/src/credentials.ts'
import { type Fetch, SvcClient } from '../../../clients/js/src/index.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const NAMES = ['SVC_ADDR', 'SVC_API_TOKEN', 'SVC_PROFILE', 'SVC_CLIENT_CONFIG', 'HOME'] as const
const LAB = 'https://svc.lab.example'
const PROFILES = {
  default: { address: LAB, api_token: 'saved' },
  home: { address: 'http://127.0.0.1:8090', api_token: 'local' },
}

let before: Record<string, string | undefined>
let folder: ReturnType<typeof temporaryFolder>
let path: string

beforeEach(() => {
  before = Object.fromEntries(NAMES.map((name) => [name, process.env[name]]))
  for (const name of NAMES) delete process.env[name]
  folder = temporaryFolder()
  path = join(folder.path, 'client.json')
  save(PROFILES)
  process.env['SVC_CLIENT_CONFIG'] = path
})

afterEach(() => {
  for (const name of NAMES) delete process.env[name]
  for (const [name, value] of Object.entries(before)) if (value !== undefined) process.env[name] = value
  folder[Symbol.dispose]()
})

function save(profiles: object): void {
  writeFileSync(path, JSON.stringify({ profiles }), { mode: 0o600 })
}

describe('credentialsOf()', () => {
  test('prefers arguments to the environment, and that to the saved account', () => {
    expect(credentialsOf({})).toEqual({ address: LAB, token: 'saved', profile: 'default' })
    process.env['SVC_API_TOKEN'] = 'of environment'
    expect(credentialsOf({})).toEqual({ address: LAB, token: 'of environment', profile: undefined })
    process.env['SVC_ADDR'] = 'http://there'
    expect(credentialsOf({}).address).toBe('http://there')
    expect(credentialsOf({ baseUrl: 'http://here', apiToken: 'given' })).toEqual({
      ...{ address: 'http://here', token: 'given', profile: undefined },
    })
  })

  test.each([['http://there'], ['HTTP://there'], [`${LAB}, http://there`]])(
    'refuses a saved account with a pinned root CA for %s',
    (address) => {
      save({ default: { address, api_token: 'saved', ca_fingerprint: 'ab'.repeat(32) } })
      for (const given of [{}, { baseUrl: address }, { profile: 'default' }, { apiToken: 'given' }])
        expect(() => new SvcClient(given)).toThrow(/protects https only, and http:\/\/there is plain HTTP/i)
      expect(new SvcClient({ baseUrl: 'http://elsewhere', apiToken: 'given' })).toBeInstanceOf(SvcClient)
    },
  )

  test('takes the profile that is named, whatever the environment says', () => {
    process.env['SVC_PROFILE'] = 'home'
    expect(credentialsOf({})).toEqual({ address: 'http://127.0.0.1:8090', token: 'local', profile: 'home' })
    process.env['SVC_ADDR'] = 'http://there'
    process.env['SVC_API_TOKEN'] = 'of environment'
    expect(credentialsOf({ profile: 'default' })).toEqual({
      address: LAB,
      token: 'saved',
      profile: 'default',
    })
  })

  test('sends a saved token to its own address only', () => {
    expect(credentialsOf({ baseUrl: 'http://there' })).toEqual({
      ...{ address: 'http://there', token: undefined, profile: undefined },
    })
    expect(credentialsOf({ baseUrl: LAB }).token).toBe('saved')
  })

  test('needs no file, unless a profile is named', () => {
    process.env['SVC_CLIENT_CONFIG'] = join(folder.path, 'none.json')
    expect(credentialsOf({}).token).toBeUndefined()
    expect(() => credentialsOf({ profile: 'lab' })).toThrow(
      `No profile "lab" in ${join(folder.path, 'none.json')}; make it with: svc login ADDRESS --profile lab`,
    )
    process.env['SVC_CLIENT_CONFIG'] = path
    writeFileSync(path, '{')
    expect(() => credentialsOf({})).toThrow(`${path} is no JSON; repair or remove it`)
  })

  test('warns of a file that others can read', () => {
    using warn = spyOn(console, 'warn').mockImplementation(() => {})
    credentialsOf({})
    expect(warn).not.toHaveBeenCalled()
    chmodSync(path, 0o644)
    expect(credentialsOf({}).token).toBe('saved')
    expect(warn.mock.calls).toEqual([[`Others can read the API tokens in ${path}; run: chmod 600 ${path}`]])
  })
})

describe('a client with a saved account', () => {
  const refusal: Fetch = async () =>
    Response.json({ code: 'unauthorized', message: 'Not valid.', status: 401, data: {} }, { status: 401 })

  test('names the profile whose token is not valid', async () => {
    await expect(new SvcClient({ fetch: refusal }).me()).rejects.toThrow(
      `The token of profile default is not valid; run: svc login ${LAB} --profile default`,
    )
    await expect(new SvcClient({ baseUrl: LAB, apiToken: 'x', fetch: refusal }).me()).rejects.toThrow(
      'The API token is not valid: it is wrong, has expired or was deleted',
    )
  })

  test('warns once when a token goes to another machine without encryption', async () => {
    using warn = spyOn(console, 'warn').mockImplementation(() => {})
    const call = (baseUrl: string) =>
      new SvcClient({ baseUrl, apiToken: 'x', fetch: refusal }).me().catch(() => {})
    await call('http://127.0.0.1:1')
    await call('https://one.lab.example')
    expect(warn).not.toHaveBeenCalled()
    await call('http://one.lab.example')
    await call('http://one.lab.example')
    expect(warn.mock.calls).toEqual([
      ['The API token is sent to http://one.lab.example without encryption; use https'],
    ])
  })
})
