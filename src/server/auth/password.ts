import { badField } from '../../base/index.ts'
import { COUNTS } from '../admission/limits.ts'
import { Places } from '../admission/places.ts'

/** Costs of argon2id: memory in KiB, and passes over it. */
interface HashCosts {
  memoryCost: number
  timeCost: number
}

/** OWASP's minimum for argon2id (19 MiB, 2 passes): 37 ms per hash, which limits the load of many logins. */
const COSTS: HashCosts = { memoryCost: 19_456, timeCost: 2 }
const MIN_LENGTH = 8
const MAX_LENGTH = 71

const COMMON = new Set([
  '12345678',
  '123456789',
  '1234567890',
  'password',
  'password1',
  'qwertyuiop',
  'iloveyou',
  '11111111',
  'abcd1234',
  'letmein1',
  'sunshine',
  'princess',
  'football',
  'admin123',
  'changeme',
])

/**
 * Hashes and verifies passwords, at most four at a time, and one less than the machine has cores: each takes
 * 19 MiB and a thread. A check without a stored hash takes the same time as a real one, so that timing does
 * not reveal which accounts exist.
 */
export class Passwords {
  readonly #costs: HashCosts
  readonly #semaphore = new Places(COUNTS.hashedPasswords)
  #dummy: Promise<string> | undefined

  /** Other costs than the default ones are for tests, which create thousands of accounts. */
  constructor(costs = COSTS) {
    this.#costs = costs
  }

  /** Computes the argon2id hash to store. */
  async hash(password: string): Promise<string> {
    return this.#semaphore.run(() => Bun.password.hash(password, { algorithm: 'argon2id', ...this.#costs }))
  }

  /** Whether `password` belongs to `stored`; `stored` undefined or empty means an unknown account. */
  async verify(password: string, stored: string | undefined): Promise<boolean> {
    this.#dummy ??= this.hash('no account has this password')
    const hash = stored || (await this.#dummy)
    const matches = await this.#semaphore.run(() => Bun.password.verify(password, hash))
    return matches && Boolean(stored)
  }
}

/** @throws AppError `invalid` for a password that is too short, too long or among the most guessed ones. */
export function checkPassword(password: string, field = 'password'): void {
  const refuse = (code: string, message: string) => {
    throw badField(`${field}: ${message}`, field, message, { code })
  }
  if (password.length < MIN_LENGTH) {
    refuse('validation_min_text_constraint', `Must be at least ${MIN_LENGTH} character(s).`)
  }
  if (password.length > MAX_LENGTH) {
    refuse('validation_max_text_constraint', `Must be no more than ${MAX_LENGTH} character(s).`)
  }
  if (COMMON.has(password.toLowerCase())) {
    refuse('validation_invalid_format', 'Is among the most guessed passwords; choose another.')
  }
}
