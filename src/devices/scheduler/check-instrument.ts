import { checkCluster } from '../bench/cluster/check/check-cluster.ts'
import { SharedInstrument } from '../bench/shared-instrument.ts'
import { openChipFiles } from '../chip/chip-files.ts'
import { clusterAddressOf } from '../chip/hardware/cluster-address.ts'
import { unavailableGates } from '../chip/hardware/cross-check.ts'
import { linesOfChip } from '../chip/hardware/lines-of-chip.ts'
import type { CheckOrder, DeviceContext, InstrumentCheck } from '../define-device.ts'
import { StartupError } from '../errors.ts'
import { checkChipFiles } from './check-files.ts'
import type { SchedulerOptions } from './options.ts'

/** How long the check waits for a job or a calibration that uses the cluster, ms. */
const WAIT_MS = 10_000

/**
 * Checks both files against each other and then the cluster that the hardware file names, while no job and
 * no calibration uses it. Ends at the first mismatch; only the files need no cluster, and have all problems.
 * @throws StartupError for invalid files, and without the address of a cluster.
 */
export async function checkSchedulerInstrument(
  { options, log, clock, device }: DeviceContext<SchedulerOptions>,
  { isReset, isFilesOnly }: CheckOrder,
): Promise<InstrumentCheck[]> {
  const { scheduler_device_config: devicePath, scheduler_hardware_config: hardwarePath } = options
  if (isFilesOnly) return checkChipFiles(devicePath, hardwarePath)
  const { device: file, hardware: config } = openChipFiles(devicePath, hardwarePath, log)
  const [cluster] = config?.hardware.clusters ?? []
  const address =
    options.is_dummy || cluster?.address === undefined || cluster.address === 'dummy'
      ? undefined
      : clusterAddressOf(cluster.address, cluster.moduleBase)
  if (!config || !cluster || !address) {
    throw new StartupError([
      'startup error: there is no cluster to check',
      '  set scheduler_hardware_config to a file whose cluster has an address as ip, and no is_dummy',
    ])
  }
  const { chip } = file.current
  const gates = unavailableGates(chip, config.hardware).map(
    (detail): InstrumentCheck => ({ step: 'files', subject: 'gate', passed: true, detail }),
  )
  const hardware = linesOfChip(config.hardware, chip)
  const names = [
    ...chip.qubits.flatMap(({ name }) => [`${name}:mw`, `${name}:res`]),
    ...chip.edges.map(({ name }) => `${name}:fl`),
  ]
  const lines = names.flatMap((name) => {
    const slot = hardware.channelOf(name)?.slot
    return slot === undefined ? [] : [{ name, slot }]
  })
  const instrument = `${address.host}:${address.port}`
  const hold = await new SharedInstrument({ instrument, user: `${device} check`, clock }).take({
    ms: WAIT_MS,
  })
  try {
    const { modules, reference } = cluster
    const checks = await checkCluster({ address, modules, lines, reference, isReset, clock })
    return [...gates, ...checks]
  } finally {
    hold.release()
  }
}
