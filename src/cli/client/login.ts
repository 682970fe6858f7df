import { hostname } from 'node:os'
import { type Account, environment, savedAccount } from '../../../clients/js/src/accounts.ts'
import { InvalidRequestError, SvcClient } from '../../../clients/js/src/index.ts'
import { Transport, type TransportOptions } from '../../../clients/js/src/transport.ts'
import { AppError, flag, kinds, messageOf, switchFlag } from '../../base/index.ts'
import { parseFingerprint } from '../../protocol/index.ts'
import { defineCommand } from '../command-line/command.ts'
import { UsageError } from '../command-line/usage-error.ts'
import { saveAccount } from './account-file.ts'
import { ask } from './ask.ts'
import { asUsage, withStatus } from './connection.ts'
import { plain } from './output.ts'
import { trustingFetch } from './trusting-fetch.ts'

const PROFILE = flag(
  kinds.nonEmptyText('name'),
  'Name of the saved account; if unset, SVC_PROFILE or default',
)

export const loginCommand = defineCommand({
  summary: 'Sign in at a server and save an API token for svc and its client libraries',
  positionals: [{ name: 'ADDRESS', help: 'Address of the server, or several separated by commas' }],
  flags: {
    profile: PROFILE,
    email: flag(kinds.nonEmptyText('address'), 'E-mail address of the account; asked if unset'),
    withToken: switchFlag(
      kinds.bool(),
      'Read an API token from standard input instead of e-mail address and password',
    ),
    scope: flag(kinds.choice(['read', 'submit', 'all']), 'What the new API token allows; all if unset'),
    superuser: switchFlag(
      kinds.bool(),
      'As a superuser, who may operate QPUs and their queue with the new API token, for 30 days',
    ),
    caFingerprint: flag(
      kinds.nonEmptyText('sha256'),
      'SHA-256 fingerprint of the root CA of the server, which alone is trusted then',
    ),
  },
  async run({ flags, positionals: [address = ''] }) {
    const profile = flags.profile ?? environment('SVC_PROFILE') ?? 'default'
    if (flags.superuser && flags.scope) throw new UsageError('--superuser and --scope exclude each other')
    if (flags.withToken && (flags.scope ?? flags.email) !== undefined)
      throw new UsageError('--with-token excludes --email and --scope: the token has both')
    const scope = flags.superuser ? 'operate' : (flags.scope ?? 'all')
    const pin = flags.caFingerprint === undefined ? undefined : readPin(flags.caFingerprint)
    // Refuses a text that is not an address, or one that a fingerprint cannot protect, before it asks.
    const server = asUsage(() => {
      const options = { baseUrl: address, ...(pin !== undefined && { fetch: trustingFetch(address, pin) }) }
      return new SvcClient(options) && options
    })
    return withStatus(async () => {
      const token = flags.withToken
        ? await ask('API token', { isSecret: true })
        : await newToken(server, flags.email ?? (await ask('E-mail')), scope)
      const { account, role } = await new SvcClient({ ...server, apiToken: token }).me()
      if (flags.superuser && role !== 'superuser')
        throw new UsageError('the API token is that of a user; --superuser takes one of a superuser')
      const previous = asUsage(() => savedAccount(profile, false))
      const saved: Account = { address, api_token: token, ...(pin !== undefined && { ca_fingerprint: pin }) }
      const file = saveAccount(profile, saved)
      if (previous?.address === address && previous.api_token !== token)
        await revoke(previous).catch(() => {})
      return { profile, address, email: account.email, file }
    }, 'api_token')
  },
  print: ({ profile, address, email, file }) =>
    console.log(`Signed in as ${plain(email ?? '')} at ${address}; saved as profile ${profile} in ${file}`),
})

function readPin(text: string): string {
  try {
    return parseFingerprint(text)
  } catch (error) {
    throw new UsageError(`--ca-fingerprint: ${messageOf(error)}`)
  }
}

/** An API token for this machine, made with a password that is not kept. */
async function newToken(
  server: TransportOptions,
  identity: string,
  scope: 'read' | 'submit' | 'all' | 'operate',
): Promise<string> {
  const password = await ask('Password', { isSecret: true })
  // Without a token of the environment or of a saved account.
  const transport = new Transport({ ...server, apiToken: '' })
  const collection = scope === 'operate' ? '_superusers' : 'users'
  const session = await transport
    .request<{ token: string }>('POST', `/api/collections/${collection}/auth-with-password`, {
      body: { identity, password },
    })
    .catch((cause: unknown) => {
      if (!(cause instanceof InvalidRequestError)) throw cause
      const hint =
        scope === 'operate' ? 'users sign in without --superuser' : 'superusers sign in with --superuser'
      throw new AppError('invalid', `Failed to authenticate; ${hint}`, { cause })
    })
  const svc = new SvcClient({ ...server, apiToken: session.token })
  return (await svc.tokens.create({ name: `svc on ${hostname()}`.slice(0, 255), scope })).token
}

/** Deletes the API token of an account on its server. */
async function revoke({
  address = '',
  api_token: apiToken = '',
  ca_fingerprint: pin,
}: Account): Promise<void> {
  const svc = new SvcClient({
    baseUrl: address,
    apiToken,
    ...(pin !== undefined && { fetch: trustingFetch(address, pin) }),
    // Each address once: signing out does not wait for a server that is away.
    retries: { tries: address.split(',').length },
  })
  await svc.tokens.delete((await svc.me()).credentials.id)
}

export const logoutCommand = defineCommand({
  summary: 'Delete the saved API token, on the server too',
  flags: { profile: PROFILE },
  async run({ flags }) {
    const profile = flags.profile ?? environment('SVC_PROFILE') ?? 'default'
    const account = asUsage(() => savedAccount(profile, true)) ?? {}
    const failure = await revoke(account).then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    )
    const file = saveAccount(profile, undefined)
    return { profile, address: account.address ?? '', file, deleted: failure === undefined, failure }
  },
  print({ profile, address, file, failure }) {
    console.log(`Removed profile ${profile} from ${file}`)
    if (failure === undefined) return
    process.stderr.write(`The API token may still be valid at ${address}: ${plain(failure)}\n`)
    process.exitCode = 1
  },
})
