import { join } from 'node:path'

/** The claims of an account at the provider. */
export interface OidcAccount {
  email?: string
  email_verified?: boolean
  name?: string
  preferred_username?: string
  picture?: string
}

/** A running OpenID provider with one client. */
export interface OidcProvider extends AsyncDisposable {
  readonly issuer: string
  /** The entry of `--oauth2-providers` for it. */
  readonly entry: Record<string, unknown>
  /**
   * Does what a browser does at `address`: logs in, consents, follows every redirect. Returns the
   * address at which it leaves the provider.
   */
  visit(address: string, login: string): Promise<URL>
}

const CLIENT = { id: 'svc', secret: 'secret of the client' }

/**
 * Starts the provider of the package `oidc-provider`. It lets a browser come back to the given paths on any
 * port of 127.0.0.1 (RFC 8252 §7.3).
 */
export async function openOidcProvider(
  accounts: Record<string, OidcAccount>,
  { clientAuth = 'basic', returnTo = ['/api/oauth2-redirect', '/login'] } = {},
): Promise<OidcProvider> {
  const client = {
    client_id: CLIENT.id,
    client_secret: CLIENT.secret,
    application_type: 'native',
    token_endpoint_auth_method: `client_secret_${clientAuth}`,
    redirect_uris: returnTo.map((path) => `http://127.0.0.1${path}`),
    grant_types: ['authorization_code'],
    response_types: ['code'],
  }
  const script = join(import.meta.dir, 'oidc-provider.mjs')
  const child = Bun.spawn([process.execPath, script, JSON.stringify([client]), JSON.stringify(accounts)], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const issuer = await firstLine(child.stdout)
  return {
    issuer,
    entry: {
      name: 'lab',
      displayName: 'Lab login',
      clientId: CLIENT.id,
      clientSecret: CLIENT.secret,
      clientAuth,
      authURL: `${issuer}/auth`,
      tokenURL: `${issuer}/token`,
      userInfoURL: `${issuer}/me`,
    },
    visit: (address, login) => visit(issuer, address, login),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = ''
  for await (const chunk of stream) {
    text += new TextDecoder().decode(chunk)
    if (text.includes('\n')) break
  }
  const line = text.split('\n')[0] ?? ''
  if (!line.startsWith('http')) throw new Error(`the provider did not start: ${text}`)
  return line
}

/** A browser with cookies that fills in the provider's own pages. */
async function visit(issuer: string, address: string, login: string): Promise<URL> {
  const cookies = new Map<string, string>()
  let next = new URL(address)
  let form: URLSearchParams | undefined
  for (let steps = 0; steps < 12; steps += 1) {
    if (next.origin !== issuer) return next
    const response = await fetch(next, {
      method: form ? 'POST' : 'GET',
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form && { body: form }),
    })
    form = undefined
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    const location = response.headers.get('location')
    if (location !== null) {
      next = new URL(location, next)
      continue
    }
    const page = await response.text()
    const [, prompt] = /name="prompt" value="(\w+)"/.exec(page) ?? []
    if (!prompt) throw new Error(`the provider answered ${response.status}: ${page.slice(0, 500)}`)
    form = new URLSearchParams({ prompt, login, password: 'any' })
    const [, action = ''] = /<form[^>]* action="([^"]+)"/.exec(page) ?? []
    next = new URL(action, next)
  }
  throw new Error(`the provider sends the browser in circles, last to ${next}`)
}
