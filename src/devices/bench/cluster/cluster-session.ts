import type { Clock, Log } from '../../../base/index.ts'
import type { ClusterAddress } from '../../chip/hardware/cluster-address.ts'
import { MODULE_KINDS, type ModuleKind, type ModuleName } from '../../chip/hardware/modules.ts'
import { ClusterError } from './connection/reply.ts'
import { type ClusterLinks, openLinks } from './dialect/links.ts'
import { LoadedSequences } from './run/upload.ts'
import { ClusterSettings } from './settings/cluster-settings.ts'
import { Mixers } from './settings/mixers.ts'

/** One connection to a cluster with what is known of its settings. */
export interface ClusterSession {
  links: ClusterLinks
  settings: ClusterSettings
  loaded: LoadedSequences
  mixers: Mixers
}

interface SessionOptions {
  address: ClusterAddress
  /** The modules of the hardware file, by slot. */
  modules: ReadonlyMap<number, ModuleName>
  clock: Clock
  log: Log
  /** Ends the wait for a cluster that does not answer. */
  signal?: AbortSignal | undefined
}

/**
 * Connects to a cluster. Nothing is known of its settings yet.
 * @throws ClusterError when it cannot be reached, is no cluster, or has other modules than the hardware file;
 *   the reason of `signal`.
 */
export async function openSession(options: SessionOptions): Promise<ClusterSession> {
  const { address, modules, clock, log, signal } = options
  const links = await openLinks(address, [...modules.keys()], clock, signal)
  const problems = [...modules].flatMap(([slot, name]) => {
    const found = links.modules.get(slot)
    if (found === name) return []
    return [
      `slot ${slot} has ${found === undefined ? 'no module' : `a ${found}`}, the hardware file a ${name}`,
    ]
  })
  if (problems.length > 0) {
    links.close()
    throw new ClusterError(problems.join('; '))
  }
  const { identity } = links
  if (identity.isUnknown) {
    log.warn('the command set of the cluster is newer than those known; the newest known is used', {
      version: identity.version,
    })
  }
  const kinds = new Map([...modules].map(([slot, name]): [number, ModuleKind] => [slot, MODULE_KINDS[name]]))
  const settings = new ClusterSettings(links, kinds)
  return { links, settings, loaded: new LoadedSequences(links), mixers: new Mixers(links, settings) }
}
