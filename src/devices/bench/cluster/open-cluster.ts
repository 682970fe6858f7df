import type { Clock, Log } from '../../../base/index.ts'
import { clusterAddressOf } from '../../chip/hardware/cluster-address.ts'
import type { Hardware } from '../../chip/hardware/hardware-file.ts'
import { StartupError } from '../../errors.ts'
import { ClusterInstrument } from './cluster-instrument.ts'
import { hasMixer } from './settings/mixers.ts'

interface ClusterUse {
  /** What uses the cluster: the name of a device. */
  user: string
  clock: Clock
  log: Log
}

/**
 * The cluster that a hardware file names by `ip`, not connected yet.
 * @throws StartupError when the file names none that can be reached, or several.
 */
export function clusterOf(hardware: Hardware, use: ClusterUse): ClusterInstrument {
  const [cluster, ...others] = hardware.clusters
  const names = hardware.clusters.map(({ name }) => name).join(', ')
  if (!cluster || others.length > 0) {
    throw new StartupError(
      `startup error: programs play on one cluster, and the hardware file describes several: ${names}`,
    )
  }
  const { name, address: locator, moduleBase, modules } = cluster
  const address = locator === undefined ? undefined : clusterAddressOf(locator, moduleBase)
  if (!address) {
    throw new StartupError([
      `startup error: hardware_description.${name}.ip is ${JSON.stringify(locator ?? null)}, which is no address`,
      '  set it to a name or an address, such as 192.168.0.2 or cluster.lab:5025',
    ])
  }
  for (const { port } of hardware.portClocks) {
    const [channel, mixer] = [hardware.channelOf(port), hardware.settingsOf(port)?.mixer]
    const isAsked = mixer?.calibratesSideband === true || (mixer?.calibratesOscillator ?? 'off') !== 'off'
    if (!channel || !isAsked || hasMixer({ channel })) continue
    use.log.warn('auto_lo_cal and auto_sideband_cal have no effect: the module has no mixer', { port })
  }
  return new ClusterInstrument({ hardware, name, address, modules, ...use })
}
