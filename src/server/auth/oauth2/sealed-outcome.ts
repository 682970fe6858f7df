import { createCipheriv, createDecipheriv } from 'node:crypto'
import * as v from 'valibot'
import { type Clock, MINUTE_MS, randomBytes } from '../../../base/index.ts'

/** Time for the click on the page that delivers a login. Codes of providers are valid for 10 min at most. */
const VALID_MS = 10 * MINUTE_MS
const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

const outcome = v.object({ state: v.string(), code: v.string(), error: v.string() })
const sealed = v.object({ ...outcome.entries, until: v.number() })

/** How a login at a provider has ended: with a code, or with an error. */
export type LoginOutcome = v.InferOutput<typeof outcome>

/**
 * Seals the outcome of a login into a text for an address or a form, so that the code is in neither, and
 * nothing of a login has to be stored. Texts of another server, or of the same one before a restart, are
 * void.
 */
export class OutcomeSeal {
  readonly #clock: Clock
  readonly #key = randomBytes(32)

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The sealed outcome in base64url. */
  seal(ended: LoginOutcome): string {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv(ALGORITHM, this.#key, nonce)
    const text = JSON.stringify({ ...ended, until: this.#clock.now() + VALID_MS })
    const body = [cipher.update(text), cipher.final()]
    return Buffer.concat([nonce, cipher.getAuthTag(), ...body]).toString('base64url')
  }

  /** Undefined for a text that is not ours or is older than 10 min. */
  open(text: string): LoginOutcome | undefined {
    const bytes = Buffer.from(text, 'base64url')
    try {
      const decipher = createDecipheriv(ALGORITHM, this.#key, bytes.subarray(0, NONCE_BYTES))
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
      const body = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()])
      const { until, ...ended } = v.parse(sealed, JSON.parse(body.toString()))
      return this.#clock.now() < until ? ended : undefined
    } catch {
      return undefined
    }
  }
}
