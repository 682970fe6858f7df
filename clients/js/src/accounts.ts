/** An account that `svc login` has saved. */
export interface Account {
  readonly address?: string
  readonly api_token?: string
  /** SHA-256 of the root CA that alone is trusted for this address, in hexadecimal digits. */
  readonly ca_fingerprint?: string
}

/** What Node, Bun and Deno have, and browsers do not. */
interface Runtime {
  readonly env?: { readonly [name: string]: string | undefined }
  readonly platform?: string
  getBuiltinModule?(name: 'node:fs'): {
    readFileSync(path: string, encoding: 'utf8'): string
    statSync(path: string): { readonly mode: number }
  }
}

const runtime = (globalThis as { process?: Runtime }).process

/** A variable of the environment; undefined if it is unset or empty, and in browsers. */
export function environment(name: string): string | undefined {
  return runtime?.env?.[name] || undefined
}

/** The file of the saved accounts; undefined without a home folder. */
export function accountsPath(): string | undefined {
  const given = environment('SVC_CLIENT_CONFIG')
  if (given) return given
  const isWindows = runtime?.platform === 'win32'
  const home = environment(isWindows ? 'APPDATA' : 'HOME')
  if (home === undefined) return undefined
  return isWindows ? `${home}\\svc\\client.json` : `${home}/.config/svc/client.json`
}

/**
 * A saved account by the name of its profile.
 *
 * @throws TypeError for a profile that is required and not there, or a file that is no JSON.
 */
export function savedAccount(name: string, isRequired: boolean): Account | undefined {
  const path = accountsPath()
  const text = path === undefined ? undefined : readAccounts(path)
  const account = text === undefined ? undefined : profilesOf(text, path ?? '')[name]
  if (account || !isRequired) return account
  throw new TypeError(`No profile "${name}" in ${path}; make it with: svc login ADDRESS --profile ${name}`)
}

function readAccounts(path: string): string | undefined {
  const files = runtime?.getBuiltinModule?.('node:fs')
  if (!files) return undefined
  try {
    const text = files.readFileSync(path, 'utf8')
    const isOpen = runtime?.platform !== 'win32' && (files.statSync(path).mode & 0o077) !== 0
    if (isOpen) console.warn(`Others can read the API tokens in ${path}; run: chmod 600 ${path}`)
    return text
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return undefined
    throw error
  }
}

function profilesOf(text: string, path: string): { readonly [name: string]: Account | undefined } {
  try {
    return (JSON.parse(text) as { profiles?: { [name: string]: Account } }).profiles ?? {}
  } catch (cause) {
    throw new TypeError(`${path} is no JSON; repair or remove it`, { cause })
  }
}
