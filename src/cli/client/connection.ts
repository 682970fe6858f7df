import { environment, savedAccount } from '../../../clients/js/src/accounts.ts'
import { type CredentialOptions, credentialsOf } from '../../../clients/js/src/credentials.ts'
import {
  AuthenticationError,
  ConnectionLostError,
  SvcClient,
  SvcError,
} from '../../../clients/js/src/index.ts'
import { Transport, type TransportOptions } from '../../../clients/js/src/transport.ts'
import { AppError, flag, group, kinds, type ValuesOf } from '../../base/index.ts'
import { ExitError, UsageError } from '../command-line/usage-error.ts'
import { fieldLines, inCommands } from './problems.ts'
import { trustingFetch } from './trusting-fetch.ts'

/** Flags of every command that talks to a server as a user. */
export const CONNECTION_FLAGS = group('Connection', {
  svcAddr: flag(
    kinds.nonEmptyText('url'),
    'Address of the server, or several separated by commas; if unset, SVC_ADDR or the saved account',
  ),
  profile: flag(kinds.nonEmptyText('name'), 'Saved account; if unset, SVC_PROFILE or default'),
})

/** Exit status when no server responds, as EX_UNAVAILABLE of sysexits(3). */
const NO_SERVER = 69

/**
 * Runs `work` with a client of the server that flags, environment or saved account name. The token comes from
 * SVC_API_TOKEN, SVC_SESSION (the secret of a session) or the saved account.
 *
 * @throws UsageError without address or token; ExitError 69 if no server responds.
 */
export function withClient<T>(
  flags: ValuesOf<typeof CONNECTION_FLAGS>,
  work: (svc: SvcClient) => Promise<T>,
): Promise<T> {
  return withOptions(flags, (options) => new SvcClient(options), work)
}

/** Where a command sends its requests. */
interface ServerPlace {
  /** As the client libraries read it. */
  address: string
  /** Fingerprint of the only root CA that is trusted. */
  pin: string | undefined
}

/** As `withClient`, for requests that the client does not wrap. */
export function withTransport<T>(
  flags: ValuesOf<typeof CONNECTION_FLAGS>,
  work: (transport: Transport, place: ServerPlace) => Promise<T>,
): Promise<T> {
  return withOptions(
    flags,
    (options, place) => ({ transport: new Transport(options), place }),
    ({ transport, place }) => work(transport, place),
  )
}

async function withOptions<C, T>(
  { svcAddr, profile }: ValuesOf<typeof CONNECTION_FLAGS>,
  connect: (options: TransportOptions, place: ServerPlace) => C,
  work: (client: C) => Promise<T>,
): Promise<T> {
  const given: CredentialOptions = {
    ...(svcAddr !== undefined && { baseUrl: svcAddr }),
    ...(profile !== undefined && { profile }),
  }
  const { address: found, token, session, profile: used } = asUsage(() => credentialsOf(given))
  if (found === undefined) throw new UsageError('no server; run svc login ADDRESS or set SVC_ADDR')
  const address = String(found)
  const client = asUsage(() => {
    const pin = used === undefined ? namedPin(address, given) : savedAccount(used, true)?.ca_fingerprint
    return connect({ ...given, ...(pin && { fetch: trustingFetch(address, pin) }) }, { address, pin })
  })
  const own = token === session ? 'session' : 'api_token'
  return withStatus(() => work(client), token === undefined ? 'none' : own)
}

/** The root CA of a server that the environment names with its address. */
function namedPin(address: string, { baseUrl, profile }: CredentialOptions): string | undefined {
  const ofEnvironment = environment('SVC_ADDR')
  const isNamed = profile === undefined && (baseUrl ?? ofEnvironment) === ofEnvironment
  // A driver of the same shell compares it with plain HTTP, too.
  return isNamed && address.startsWith('https:') ? environment('SVC_CA_FINGERPRINT') : undefined
}

/** Turns an address or a profile that the client refuses into a wrong call. */
export function asUsage<T>(make: () => T): T {
  try {
    return make()
  } catch (error) {
    throw error instanceof TypeError ? new UsageError(error.message) : error
  }
}

const LOGIN = 'run svc login ADDRESS or set SVC_API_TOKEN'

/** What to do when the server does not accept the credentials of a command. */
const UNAUTHORIZED = {
  none: `not signed in; ${LOGIN}`,
  api_token: `the API token is invalid, expired or deleted; ${LOGIN}`,
  session: 'SVC_SESSION has ended or does not allow this; unset it, or name a saved account with --profile',
}

/** Runs `work`; its failures say what to do and end with the status of their kind. */
export async function withStatus<T>(
  work: () => Promise<T>,
  credential: keyof typeof UNAUTHORIZED,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ConnectionLostError)
      throw error.cause instanceof ExitError
        ? error.cause
        : new ExitError(NO_SERVER, inCommands(error.message))
    if (error instanceof AuthenticationError) throw new UsageError(UNAUTHORIZED[credential])
    if (error instanceof SvcError) throw refused(error)
    throw error
  }
}

/** What the server refuses: its fields where it names some. */
function refused(cause: SvcError): Error {
  if (cause.idempotencyKey !== undefined) return new ExitError(NO_SERVER, inCommands(cause.message))
  const lines = fieldLines(cause.fields)
  return new AppError('invalid', lines.length > 0 ? lines.join('\n') : inCommands(cause.message), { cause })
}
