import type { Database } from '../../records/database.ts'
import type { ReadTx, Tx } from '../../records/tx.ts'

/** One way in which an account was used from an address. */
export interface AddressUse {
  /** `user:<id>` or `superuser:<id>`. */
  account: string
  /** `login` (a successful one), `session` (use of a login token) or the id of an API token. */
  use: string
  /** The key of limits per address. */
  address: string
}

/** Addresses remembered for each use of an account; the one used least recently is forgotten first. */
export const MAX_KNOWN_ADDRESSES = 32

/** Whether the account was used from the address in this way. */
export function isKnownAddress(db: Database, use: AddressUse): Promise<boolean> {
  return db.read((tx) => isKnown(tx, use))
}

/** Remembers the address; returns whether it is new for this use of the account. */
export function rememberAddress(tx: Tx, { account, use, address }: AddressUse): boolean {
  const isNew = !isKnown(tx, { account, use, address })
  tx.run(
    `INSERT INTO known_addresses (account, use, address, at) VALUES ($account, $use, $address, $at)
     ON CONFLICT (account, use, address) DO UPDATE SET at = $at`,
    { account, use, address, at: tx.at },
  )
  tx.run(
    `DELETE FROM known_addresses WHERE account = $account AND use = $use AND address NOT IN
       (SELECT address FROM known_addresses WHERE account = $account AND use = $use
        ORDER BY at DESC, address LIMIT ${MAX_KNOWN_ADDRESSES})`,
    { account, use },
  )
  return isNew
}

/** Stores the time, UTC text, of a use of an address that is remembered, unless a later one is stored. */
export function touchAddress(tx: Tx, { account, use, address }: AddressUse, at: string): void {
  tx.run(
    `UPDATE known_addresses SET at = $at
     WHERE account = $account AND use = $use AND address = $address AND at < $at`,
    { account, use, address, at },
  )
}

/** When and from where an API token was last used; both are '' if it never was. */
export interface LastUse {
  at: string
  address: string
}

/** The last uses of API tokens of a user, in their order. */
export function listLastUses(db: Database, user: string, tokens: readonly string[]): Promise<LastUse[]> {
  const query = `SELECT at, address FROM known_addresses WHERE account = $account AND use = $use
    ORDER BY at DESC, address LIMIT 1`
  return db.read((tx) =>
    tokens.map((use) => tx.one<LastUse>(query, { account: `user:${user}`, use }) ?? { at: '', address: '' }),
  )
}

/** Forgets the addresses of an account, or of one of its uses. */
export function forgetAddresses(tx: Tx, account: string, use = ''): void {
  tx.run(`DELETE FROM known_addresses WHERE account = $account AND $use IN ('', use)`, { account, use })
}

function isKnown(tx: ReadTx, { account, use, address }: AddressUse): boolean {
  const query = 'SELECT 1 FROM known_addresses WHERE account = $account AND use = $use AND address = $address'
  return tx.one(query, { account, use, address }) !== undefined
}
