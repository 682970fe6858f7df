import { expect, test } from 'bun:test'
import { gitHubProfile, openIdProfile } from '../../../../src/server/auth/oauth2/profile.ts'

const email = (raw: object, trustEmail = false) => openIdProfile({ sub: '1', ...raw }, { trustEmail }).email

test('openIdProfile() accepts only verified addresses, in lower case', () => {
  expect(email({ email: 'Ada@Example.org', email_verified: true })).toBe('ada@example.org')
  expect(email({ email: 'ada@example.org', email_verified: 'true' })).toBe('ada@example.org')
  for (const email_verified of [false, 'false', 1, null, undefined, {}]) {
    expect(email({ email: 'ada@example.org', email_verified })).toBe('')
  }
  expect(email({ email: 'ada@example.org' }, true)).toBe('ada@example.org')
  for (const wrong of ['ada', 'a@b', 'a b@example.org', 7, '', `${'x'.repeat(250)}@example.org`]) {
    expect(email({ email: wrong, email_verified: true })).toBe('')
  }
})

test('openIdProfile() has a default for everything that may be missing or of another type', () => {
  expect(openIdProfile({ sub: 'x' }, { trustEmail: false })).toEqual({
    id: 'x',
    name: '',
    username: '',
    email: '',
    avatarURL: '',
  })
  const odd = openIdProfile(
    { sub: 17, name: 1, nickname: 'ada', picture: 'javascript:1' },
    { trustEmail: false },
  )
  expect(odd).toEqual({ id: '17', name: '', username: 'ada', email: '', avatarURL: '' })
  for (const sub of ['', undefined, null, {}, 'x'.repeat(256)]) {
    expect(() => openIdProfile({ sub }, { trustEmail: true })).toThrow('no usable id')
  }
})

test('gitHubProfile() uses the primary address if it is verified', () => {
  const raw = {
    id: 583231,
    login: 'octocat',
    name: null,
    email: 'public@example.org',
    avatar_url: 'https://a.b/c',
  }
  const list = (primary: boolean, verified: boolean) => [
    { email: 'other@example.org', primary: false, verified: true },
    { email: 'Octo@example.org', primary, verified },
  ]
  expect(gitHubProfile(raw, list(true, true))).toEqual({
    id: '583231',
    name: '',
    username: 'octocat',
    email: 'octo@example.org',
    avatarURL: 'https://a.b/c',
  })
  for (const emails of [list(true, false), list(false, true), [], {}, null, 'x']) {
    expect(gitHubProfile(raw, emails).email).toBe('')
  }
})
