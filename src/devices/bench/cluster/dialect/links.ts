import type { Clock } from '../../../../base/index.ts'
import type { ClusterAddress } from '../../../chip/hardware/cluster-address.ts'
import { ClusterConnection } from '../connection/connection.ts'
import type { ReplyBytes } from '../connection/reply.ts'
import { type Dialect, type Identity, identityOf, modulesOf } from './identity.ts'

/** Where commands are sent: the cluster or one of its modules. */
export interface Link {
  /** Sends a command that has no reply; a block follows it after a space. */
  send(command: string, block?: Uint8Array): Promise<void>
  query(command: string): Promise<string>
  queryBlock(command: string): Promise<Buffer>
  exchange<T>(command: string, read: (reply: ReplyBytes) => Promise<T>): Promise<T>
  /** Takes all messages of its error queue. */
  takeErrors(): Promise<string[]>
}

/** The connections to a cluster. After a failed exchange one of them is closed, and all are to be closed. */
export interface ClusterLinks {
  readonly identity: Identity
  /** Kinds of the modules by slot. */
  readonly modules: ReadonlyMap<number, string>
  readonly cluster: Link
  module(slot: number): Link
  /** Where long lists of a module are read. */
  bulk(slot: number): Link
  /** What modules understand only as commands of the cluster. */
  prefixed(slot: number): Link
  /** Starts all armed sequencers of these modules. */
  start(slots: readonly number[]): Promise<void>
  stop(slots: readonly number[]): Promise<void>
  close(): void
}

/**
 * Connects to a cluster and to the modules in these slots. It only asks who is there: another process may be
 * using the cluster, and what is in its error queues belongs to that one.
 * @throws ClusterError naming the address; the reason of `signal`.
 */
export async function openLinks(
  address: ClusterAddress,
  slots: readonly number[],
  clock: Clock,
  signal?: AbortSignal,
): Promise<ClusterLinks> {
  const { host, port, moduleBase } = address
  const open: ClusterConnection[] = []
  async function connect(at: number): Promise<ClusterConnection> {
    signal?.throwIfAborted()
    const connection = await ClusterConnection.open({ host, port: at }, clock)
    open.push(connection)
    return connection
  }
  const closeAll = () => {
    for (const connection of open) connection.close()
  }
  signal?.addEventListener('abort', closeAll, { once: true })
  try {
    const main = await connect(port)
    const identity = identityOf(await main.query('*IDN?'))
    const modules = modulesOf(await main.queryBlock('*DESCribe?'))
    const own = new Map<number, ClusterConnection>()
    for (const slot of slots) if (modules.has(slot)) own.set(slot, await connect(moduleBase + slot))
    signal?.throwIfAborted()
    return linksOf(identity, modules, main, own, closeAll)
  } catch (error) {
    closeAll()
    throw signal?.aborted ? signal.reason : error
  } finally {
    signal?.removeEventListener('abort', closeAll)
  }
}

function linksOf(
  identity: Identity,
  modules: ReadonlyMap<number, string>,
  main: ClusterConnection,
  own: ReadonlyMap<number, ClusterConnection>,
  close: () => void,
): ClusterLinks {
  const ownOf = (slot: number) => {
    const connection = own.get(slot)
    if (!connection) throw new RangeError(`no connection to the module in slot ${slot}`)
    return linkOf(connection)
  }
  const prefixed = (slot: number) => linkOf(main, `SLOT${slot}:`)
  const byDialect: Record<Dialect, Pick<ClusterLinks, 'module' | 'start' | 'stop'>> = {
    prefixed: {
      module: prefixed,
      start: () => main.send('SLOT:SEQuencer:START'),
      stop: () => main.send('SLOT:SEQuencer:STOP'),
    },
    ported: {
      module: ownOf,
      start: (slots) => toAll(slots, 'SEQuencer:START'),
      stop: (slots) => toAll(slots, 'SEQuencer:STOP'),
    },
  }
  async function toAll(slots: readonly number[], command: string): Promise<void> {
    await Promise.all(slots.map((slot) => ownOf(slot).send(command)))
  }
  return {
    identity,
    modules,
    cluster: linkOf(main),
    bulk: ownOf,
    prefixed,
    close,
    ...byDialect[identity.dialect],
  }
}

function linkOf(connection: ClusterConnection, prefix = ''): Link {
  return {
    send: (command, block) => connection.send(prefix + command, block),
    query: (command) => connection.query(prefix + command),
    queryBlock: (command) => connection.queryBlock(prefix + command),
    exchange: (command, read) => connection.exchange(prefix + command, undefined, read),
    takeErrors: () => connection.takeErrors(),
  }
}
