import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, silentLog, systemClock } from '../../../src/base/index.ts'
import { ClusterInstrument } from '../../../src/devices/bench/cluster/cluster-instrument.ts'
import { type Hardware, readHardwareFile } from '../../../src/devices/chip/hardware/hardware-file.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { FakeCluster, type FakeClusterOptions } from './fake-cluster.ts'

/** The hardware file of the examples: five qubits in a row, with all channels that they need. */
export const EXAMPLE_HARDWARE = readHardware(
  readFileSync(join(import.meta.dir, '../../../examples/scheduler.hardware.json'), 'utf8'),
)

/** A hardware file without problems. */
export function readHardware(text: string): Hardware {
  const hardware = readHardwareFile(text)
  if ('problems' in hardware) throw new Error(hardware.problems.join('\n'))
  return hardware
}

/** A fake cluster with the modules of a hardware file, and the instrument that plays on it. */
export async function openCluster(
  hardware: Hardware = EXAMPLE_HARDWARE,
  options: Omit<FakeClusterOptions, 'modules'> = {},
  clock: Clock = systemClock,
) {
  const [described] = hardware.clusters
  if (!described) throw new Error('the hardware file has no cluster')
  const folder = temporaryFolder()
  const cluster = await FakeCluster.start({ ...options, modules: described.modules })
  const instrument = new ClusterInstrument({
    ...{ hardware, name: described.name, modules: described.modules, user: 'test' },
    ...{ address: cluster.address, clock, log: silentLog, lockFolder: folder.path },
  })
  return {
    cluster,
    instrument,
    async [Symbol.asyncDispose]() {
      await instrument.close()
      await cluster[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}
