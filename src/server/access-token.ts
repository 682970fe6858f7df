import { newSecret, sha256 } from '../base/index.ts'

/** A new API token: shown once, stored only as its hash. */
export function newApiToken(): string {
  return `svc_${newSecret(32)}`
}

/** A new driver access token: shown once, stored only as its hash. */
export function newDriverToken(): string {
  return `svc_dt_${newSecret(32)}`
}

/** SHA-256 in hex: enough for tokens of 256 random bits, which cannot be guessed from their hash. */
export function hashToken(token: string): string {
  return sha256(token)
}
