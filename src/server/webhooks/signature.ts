import { randomBytes } from '../../base/index.ts'

const PREFIX = 'whsec_'
const SECRET_BYTES = 32

/** A new secret: 32 random bytes in base64 after `whsec_`. */
export function newWebhookSecret(): string {
  return PREFIX + Buffer.from(randomBytes(SECRET_BYTES)).toString('base64')
}

/** What a delivery is signed with. */
interface Signing {
  id: string
  body: string
  secret: string
  /** A secret that was replaced and is still valid; '' = none. */
  previousSecret: string
  /** ms since the epoch. */
  now: number
}

/**
 * The headers of the Standard Webhooks specification: HMAC-SHA256 over `id.timestamp.body`, one signature for
 * each valid secret. A receiver refuses a timestamp that is more than 5 minutes off.
 */
export function signatureHeaders({ id, body, secret, previousSecret, now }: Signing): Record<string, string> {
  const timestamp = String(Math.floor(now / 1_000))
  const signed = `${id}.${timestamp}.${body}`
  const secrets = previousSecret === '' ? [secret] : [secret, previousSecret]
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((each) => `v1,${hmac(each, signed)}`).join(' '),
  }
}

function hmac(secret: string, text: string): string {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
  return new Bun.CryptoHasher('sha256', key).update(text).digest('base64')
}
