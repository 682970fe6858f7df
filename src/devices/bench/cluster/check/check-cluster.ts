import { type Clock, messageOf } from '../../../../base/index.ts'
import type { ClusterAddress } from '../../../chip/hardware/cluster-address.ts'
import { MODULE_KINDS, type ModuleKind, type ModuleName } from '../../../chip/hardware/modules.ts'
import type { InstrumentCheck } from '../../../define-device.ts'
import { type ClusterLinks, openLinks } from '../dialect/links.ts'
import { LoadedSequences } from '../run/upload.ts'
import { ClusterSettings } from '../settings/cluster-settings.ts'
import { isLocked, type Reference, referenceOf } from '../settings/reference.ts'
import { checkScope } from './check-scope.ts'
import { checkSequencers, type UsedLine } from './check-sequencers.ts'
import type { CheckedCluster } from './checked-cluster.ts'
import { resetCluster } from './reset-cluster.ts'

interface ClusterCheckOptions {
  address: ClusterAddress
  /** The modules of the hardware file, by slot. */
  modules: ReadonlyMap<number, ModuleName>
  lines: readonly UsedLine[]
  /** That of the hardware file. */
  reference: Reference | undefined
  /** Whether to reset the cluster, which sets static voltages to 0. */
  isReset: boolean
  clock: Clock
}

/**
 * Checks a cluster that this process holds, step by step until one fails: connection, identity, modules, a
 * program on every sequencer that is used, and a trace of every module that records. Nothing is connected to
 * an output, and oscillators, attenuators and static voltages stay as they are.
 */
export async function checkCluster(options: ClusterCheckOptions): Promise<InstrumentCheck[]> {
  const { address, modules, lines, reference, isReset, clock } = options
  const checks: InstrumentCheck[] = []
  let links: ClusterLinks | undefined
  let step = 'connection'
  let subject = `${address.host}:${address.port}`
  const pass = (detail: string) => checks.push({ step, subject, passed: true, detail })
  try {
    links = await openLinks(address, [...modules.keys()], clock)
    const { identity } = links
    pass(identity.text)
    step = 'command set'
    const known = identity.isUnknown ? ', newer than those known: the newest known is used' : ''
    pass(`${identity.version}, ${identity.dialect} commands${known}`)
    step = 'reference'
    const followed = await checkReference(links, reference)
    checks.push({ step, subject, ...followed })
    if (!followed.passed) return checks
    step = 'module'
    for (const [slot, name] of modules) {
      subject = `slot ${slot}`
      const found = links.modules.get(slot)
      const differs = `${found ?? 'no module'}, the hardware file has a ${name}`
      checks.push({ step, subject, passed: found === name, detail: found === name ? name : differs })
      if (found !== name) return checks
    }
    const cluster = clusterOf(links, modules, clock)
    subject = `${address.host}:${address.port}`
    if (isReset) {
      step = 'reset'
      pass(await resetCluster(cluster))
    }
    step = 'error queues'
    const errors = await cluster.settings.rest()
    checks.push({ step, subject, passed: errors.length === 0, detail: errors.join('; ') || 'empty' })
    if (errors.length > 0) return checks
    step = 'program'
    for await (const check of checkSequencers(lines, cluster)) checks.push({ step, ...check })
    step = 'trace'
    for await (const check of checkScope(cluster)) checks.push({ step, ...check })
    await cluster.settings.rest()
  } catch (error) {
    checks.push({ step, subject, passed: false, detail: messageOf(error) + remedyOf(step) })
  } finally {
    links?.close()
  }
  return checks
}

/** What to look at when a step could not be done. */
function remedyOf(step: string): string {
  return step === 'connection' ? '; it is the ip of the hardware file: is the cluster on?' : ''
}

/** Whether the clocks follow a reference, whichever it is: a driver sets that of the hardware file. */
async function checkReference(
  { cluster }: ClusterLinks,
  wanted: Reference | undefined,
): Promise<{ passed: boolean; detail: string }> {
  const found = await referenceOf(cluster)
  if (!(await isLocked(cluster))) return { passed: false, detail: `${found}, which the clocks do not follow` }
  const isWanted = wanted === undefined || wanted === found
  const change = isWanted ? '' : `; a driver sets it to ${wanted}, as in the hardware file`
  return { passed: true, detail: `${found}${change}` }
}

function clusterOf(
  links: ClusterLinks,
  names: ReadonlyMap<number, ModuleName>,
  clock: Clock,
): CheckedCluster {
  const modules = new Map([...names].map(([slot, name]): [number, ModuleKind] => [slot, MODULE_KINDS[name]]))
  const settings = new ClusterSettings(links, modules)
  return { links, settings, loaded: new LoadedSequences(links), modules, clock }
}
