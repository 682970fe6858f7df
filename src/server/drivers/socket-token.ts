import { sign, verify } from 'hono/jwt'
import * as v from 'valibot'
import { type Clock, newSecret } from '../../base/index.ts'
import { type SocketClaims, socketClaims } from '../../protocol/index.ts'

/** Seconds within which a socket token must be presented; afterwards the connection itself is the proof. */
const LIFETIME = 60
/** PLAIN carries user and password in fields of at most 255 bytes (ZMTP 3.1, 24/ZMTP-PLAIN). */
const MAX_BYTES = 255

/**
 * Issues and checks the tokens of message sockets. The key lives as long as the process: so do the leases.
 */
export class SocketTokens {
  readonly #key = newSecret()
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** A token for this driver and lease epoch. */
  async issue(driver: string, epoch: number): Promise<string> {
    const exp = Math.floor(this.#clock.now() / 1000) + LIFETIME
    const token = await sign({ sub: driver, jti: String(epoch), aud: 'svc-socket', exp }, this.#key, 'HS256')
    if (token.length > MAX_BYTES) throw new RangeError(`socket token has ${token.length} bytes`)
    return token
  }

  /** The claims of a valid token, or undefined: forged, expired, or made for something else. */
  async check(token: string): Promise<SocketClaims | undefined> {
    try {
      const payload = await verify(token, this.#key, { alg: 'HS256', aud: 'svc-socket', exp: false })
      const claims = v.parse(socketClaims, payload)
      return claims.exp * 1000 >= this.#clock.now() ? claims : undefined
    } catch {
      return undefined
    }
  }
}
