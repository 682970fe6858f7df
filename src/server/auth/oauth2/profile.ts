import { AppError, isObject } from '../../../base/index.ts'
import type { Provider } from '../../config/oauth2-providers.ts'

/** The response of a provider about a user. */
export type RawUser = Readonly<Record<string, unknown>>

/** The profile of a user, in one form for all providers. */
export interface Profile {
  /** Permanent id of the account. */
  id: string
  name: string
  username: string
  /** In lower case; '' unless the provider has verified it. */
  email: string
  avatarURL: string
}

const EMAIL = /^[^\s@"<>()[\],;:\\]+@[^\s@.]+(\.[^\s@.]+)+$/

/**
 * Reads the claims of OpenID Connect (Core 1.0 §5.1).
 * @throws AppError `invalid` when there is no id.
 */
export function openIdProfile(raw: RawUser, { trustEmail }: Pick<Provider, 'trustEmail'>): Profile {
  const verified = raw['email_verified']
  const isVerified = trustEmail || verified === true || verified === 'true'
  return {
    id: permanentId(raw['sub']),
    name: text(raw['name']),
    username: text(raw['preferred_username']) || text(raw['nickname']),
    email: isVerified ? address(raw['email']) : '',
    avatarURL: webAddress(raw['picture']),
  }
}

/**
 * Reads a user of GitHub and the list of its addresses, of which the primary one counts if it is verified.
 * @throws AppError `invalid` when there is no id.
 */
export function gitHubProfile(raw: RawUser, emails: unknown): Profile {
  const list: unknown[] = Array.isArray(emails) ? emails : []
  const primary = list.find(
    (each): each is { email: unknown } =>
      isObject(each) && each['primary'] === true && each['verified'] === true,
  )
  return {
    id: permanentId(raw['id']),
    name: text(raw['name']),
    username: text(raw['login']),
    email: address(primary?.email),
    avatarURL: webAddress(raw['avatar_url']),
  }
}

function permanentId(value: unknown): string {
  const id = typeof value === 'number' ? String(value) : text(value)
  if (id === '' || id.length > 255) {
    throw new AppError('invalid', 'Failed to fetch OAuth2 user: the provider sent no usable id')
  }
  return id
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function address(value: unknown): string {
  const email = text(value).trim().toLowerCase()
  return email.length <= 254 && EMAIL.test(email) ? email : ''
}

function webAddress(value: unknown): string {
  return /^https?:\/\//.test(text(value)) ? text(value) : ''
}
