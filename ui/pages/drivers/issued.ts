import { type Signal, signal } from '@preact/signals'
import * as v from 'valibot'
import type { DriverArguments } from './commands/options.ts'

/** Access tokens that this tab was shown, by driver, until it is closed or reloaded. */
const tokens = signal<ReadonlyMap<string, string>>(new Map())

const KEY = 'svc.driver-options.'
const pairs = v.array(v.object({ key: v.string(), value: v.string() }))
const stored = v.object({ options: pairs, secrets: v.array(v.string()), variables: pairs })

/** The tokens that this tab was shown. */
export function issuedTokens(): Signal<ReadonlyMap<string, string>> {
  return tokens
}

/** Keeps a token until the tab is closed or reloaded; it is stored nowhere. */
export function keepToken(driver: string, token: string): void {
  tokens.value = new Map([...tokens.peek(), [driver, token]])
}

/** Keeps the options of a driver for its commands, also over a reload. Secrets are named, not contained. */
export function keepArguments(driver: string, given: DriverArguments): void {
  try {
    sessionStorage.setItem(KEY + driver, JSON.stringify(given))
  } catch {
    // Without storage the commands have no options after a reload.
  }
}

/** The options that this tab registered a driver with. */
export function keptArguments(driver: string): DriverArguments | undefined {
  try {
    const parsed = v.safeParse(stored, JSON.parse(sessionStorage.getItem(KEY + driver) ?? 'null'))
    return parsed.success ? parsed.output : undefined
  } catch {
    return undefined
  }
}
