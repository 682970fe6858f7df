import * as v from 'valibot'
import { isUnknownKey, unknownKey, ValueError, type ValueKind } from '../../base/index.ts'

const PRESETS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  // https://developers.google.com/identity/openid-connect/openid-connect
  google: {
    displayName: 'Google',
    clientAuth: 'post',
    authURL: 'https://accounts.google.com/o/oauth2/v2/auth',
    tokenURL: 'https://oauth2.googleapis.com/token',
    userInfoURL: 'https://openidconnect.googleapis.com/v1/userinfo',
  },
  // https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps
  github: {
    displayName: 'GitHub',
    clientAuth: 'post',
    authURL: 'https://github.com/login/oauth/authorize',
    tokenURL: 'https://github.com/login/oauth/access_token',
    userInfoURL: 'https://api.github.com/user',
    scopes: ['read:user', 'user:email'],
  },
  // https://learn.microsoft.com/en-us/entra/identity-platform/v2-protocols-oidc
  microsoft: {
    displayName: 'Microsoft',
    clientAuth: 'post',
    authURL: 'https://login.microsoftonline.com/common/oauth2/v2.0/authorize',
    tokenURL: 'https://login.microsoftonline.com/common/oauth2/v2.0/token',
    userInfoURL: 'https://graph.microsoft.com/oidc/userinfo',
  },
  // https://docs.gitlab.com/integration/openid_connect_provider/
  gitlab: {
    displayName: 'GitLab',
    clientAuth: 'post',
    authURL: 'https://gitlab.com/oauth/authorize',
    tokenURL: 'https://gitlab.com/oauth/token',
    userInfoURL: 'https://gitlab.com/oauth/userinfo',
  },
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/

/** Codes and secrets are sent to these addresses, so the connection must be encrypted. */
const address = v.pipe(
  v.string(),
  v.check(isSafeUrl, 'an https:// address, or http:// of this machine, without user, password and fragment'),
)
const word = (max: number) =>
  v.pipe(v.string(), v.nonEmpty('not empty'), v.maxLength(max, `at most ${max} characters`))

const provider = v.strictObject({
  name: v.pipe(
    v.string(),
    v.regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, 'lower-case letters, digits, _ and -, at most 63'),
  ),
  clientId: word(1_000),
  /** Empty for clients without secret, which PKCE protects. */
  clientSecret: v.optional(v.pipe(v.string(), v.maxLength(10_000, 'at most 10000 characters')), ''),
  authURL: address,
  tokenURL: address,
  userInfoURL: address,
  displayName: v.optional(word(100)),
  pkce: v.optional(v.boolean(), true),
  scopes: v.optional(v.array(word(200)), ['openid', 'email', 'profile']),
  /** How the secret is sent to the token address: in a header or as a form value. */
  clientAuth: v.optional(v.picklist(['basic', 'post']), 'basic'),
  /** Treat every e-mail address from the provider as verified, even without `email_verified`. */
  trustEmail: v.optional(v.boolean(), false),
})

/** Addresses and credentials of an OAuth2 provider; the keys are those of the setting. */
export type Provider = Omit<v.InferOutput<typeof provider>, 'displayName'> & { displayName: string }

/**
 * A JSON array of providers. `google`, `github`, `microsoft` and `gitlab` have preset addresses, which given
 * values override.
 */
export function oauth2Providers(): ValueKind<readonly Provider[]> {
  return {
    hint: 'json',
    isSecret: true,
    parse(text) {
      if (text.trim() === '') return []
      const providers = readArray(text).map(readProvider)
      const names = providers.map(({ name }) => name)
      const twice = names.findIndex((name, at) => names.indexOf(name) !== at)
      if (twice >= 0) {
        throw new ValueError(`[${twice}].name: ${names[twice]} is already used; choose another name`)
      }
      return providers
    },
    format: (providers) => providers.map(({ name }) => name).join(','),
  }
}

function readArray(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text)
    if (Array.isArray(value)) return value
  } catch {
    // The message of the parser may contain a part of a secret.
    throw new ValueError('expected a JSON array, but the text is not JSON')
  }
  throw new ValueError('expected a JSON array such as [{"name": "google", "clientId": "..."}]')
}

function readProvider(given: unknown, index: number): Provider {
  const name = typeof given === 'object' && given !== null && 'name' in given ? given.name : undefined
  const preset = typeof name === 'string' && Object.hasOwn(PRESETS, name) ? PRESETS[name] : undefined
  const result = v.safeParse(provider, preset && given ? { ...preset, ...given } : given)
  if (!result.success) throw refusal(result.issues[0], index)
  return { ...result.output, displayName: result.output.displayName ?? result.output.name }
}

/** An error that names the wrong field, but not its value, which may be a secret. */
function refusal(issue: v.BaseIssue<unknown>, index: number): ValueError {
  const path = v.getDotPath(issue)
  const place = `[${index}]${path ? `.${path}` : ''}`
  if (isUnknownKey(issue)) {
    return new ValueError(`${place}: ${unknownKey(String(issue.input), Object.keys(provider.entries))}`)
  }
  if (issue.input === undefined && issue.kind === 'schema') {
    const why = path?.endsWith('URL') ? '; only google, github, microsoft and gitlab have a preset' : ''
    return new ValueError(`${place}: missing${why}`)
  }
  return new ValueError(`${place}: expected ${issue.kind === 'schema' ? issue.expected : issue.message}`)
}

function isSafeUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, username, password, hash } = new URL(text)
  if (username !== '' || password !== '' || hash !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname))
}
