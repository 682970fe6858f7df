import { existsSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import type { Clock, Log } from '../../base/index.ts'
import { clusterOf } from '../bench/cluster/open-cluster.ts'
import { parkCouplers } from '../bench/current/park-couplers.ts'
import { createDummyInstrument } from '../bench/dummy.ts'
import type { Instrument } from '../bench/instrument.ts'
import type { WaitLimit } from '../bench/shared-instrument.ts'
import { openSimulatedChip } from '../bench/simulated/open-simulated-chip.ts'
import { TRUTH_FILE } from '../bench/simulated/truth/store.ts'
import type { Chip } from '../chip/device-file.ts'
import type { Hardware } from '../chip/hardware/hardware-file.ts'
import { StartupError } from '../errors.ts'
import { type SchedulerOptions, SIMULATED } from './options.ts'

/** The instrument of a device, for a chip as its device file has it now. */
interface Bench {
  open(chip: Chip): Promise<Instrument>
  /** Whether another device file needs another instrument: that of a simulated chip has its currents. */
  isOpenedPerFile: boolean
  /**
   * Brings the couplers to the parking currents of the device file.
   * @throws InstrumentError `instrument_busy` when another process uses the instrument for longer than this.
   */
  park?(chip: Chip, limit: WaitLimit): Promise<void>
}

interface InstrumentUse {
  /** Name of the device that uses it. */
  user: string
  clock: Clock
  log: Log
}

/**
 * What the options and the address of the cluster name: a dummy, the simulated chip that a tuner has drawn
 * and calibrated, or a cluster in the network.
 * @throws StartupError without an address.
 */
export function instrumentOf(
  options: SchedulerOptions,
  hardware: Hardware | undefined,
  use: InstrumentUse,
): Bench {
  const { clock } = use
  const address = hardware?.clusters[0]?.address
  if (options.is_dummy || address === 'dummy') return benchOf(async () => createDummyInstrument())
  if (address?.startsWith(SIMULATED)) {
    const path = resolve(dirname(options.scheduler_hardware_config ?? ''), address.slice(SIMULATED.length))
    assertSimulatedChip(path)
    return benchOf((chip) => openSimulatedChip({ chip, dataDir: dirname(path), clock }))
  }
  if (!hardware || address === undefined) {
    throw new StartupError([
      'startup error: no instrument: no cluster with an ip',
      `  set ip in scheduler_hardware_config: an address, or ${SIMULATED}<data folder of a tuner>/${TRUTH_FILE}`,
      '  or -o is_dummy=true',
    ])
  }
  const cluster = clusterOf(hardware, use)
  return {
    ...benchOf(async () => cluster),
    isOpenedPerFile: false,
    async park(chip, limit) {
      const release = await cluster.reserve(limit)
      try {
        await parkCouplers(chip.edges, { voltages: cluster, signal: limit.signal, ...use })
      } finally {
        await release()
      }
    },
  }
}

function benchOf(create: (chip: Chip) => Promise<Instrument>): Bench {
  return {
    isOpenedPerFile: true,
    async open(chip) {
      const instrument = await create(chip)
      await instrument.open()
      return instrument
    },
  }
}

function assertSimulatedChip(path: string): void {
  if (basename(path) === TRUTH_FILE && existsSync(path)) return
  throw new StartupError(
    `startup error: ${SIMULATED}${path} is no simulated chip; name the ${TRUTH_FILE} that a tuner with -o is_simulated=true has written`,
  )
}
