import type { Clock, Log } from '../../../base/index.ts'
import type { Edge } from '../../chip/elements/element.ts'
import { milliamps, rateOf } from './coupler-bias.ts'
import { couplersOf } from './couplers-of-chip.ts'
import { appliedCurrents } from './crosstalk.ts'
import { openSource } from './open-source.ts'
import type { VoltageOutputs } from './qcm-output.ts'

interface Parking {
  /** Outputs of the cluster. */
  voltages: VoltageOutputs
  clock: Clock
  log: Log
  /** Stops a ramp where it is. */
  signal?: AbortSignal | undefined
}

/** Smallest difference from a parking current that is worth a ramp, A: what gates do not feel. */
const TOLERANCE = 1e-6

/**
 * Moves the couplers of source `qcm` to the parking currents of the device file, slowly, where they hold
 * others. A device that runs jobs does this at its start and after the file has changed; couplers of source
 * `spi` are parked by the tuner, because only it knows the rack.
 * @throws StartupError for edges with several kinds of source; OutputError when an output does not follow;
 *   the reason of the signal.
 */
export async function parkCouplers(
  edges: readonly Edge[],
  { voltages, clock, log, signal }: Parking,
): Promise<void> {
  const { couplers } = couplersOf(edges, { isSimulated: false })
  if (couplers.some(({ address }) => address.source !== 'qcm')) {
    log.info('couplers of source spi are parked by the tuner')
    return
  }
  const opened = await openSource(couplers, { voltages, clock })
  if (!opened.source) return
  const { source } = opened
  const wanted = new Map<string, number>()
  for (const { name, get } of edges) {
    const amps = get('bias.parking_current')
    if (source.edges.includes(name) && amps !== undefined) wanted.set(name, amps)
  }
  const held = new Map<string, number>()
  for (const edge of source.edges) held.set(edge, await source.read(edge))
  for (const [edge, amps] of appliedCurrents(couplers, wanted, held)) {
    const bias = couplers.find((each) => each.edge === edge)
    if (!bias || Math.abs((held.get(edge) ?? 0) - amps) <= TOLERANCE) continue
    log.info('a coupler moves to its parking current', {
      edge,
      from: milliamps(held.get(edge) ?? 0),
      to: milliamps(amps),
    })
    await source.ramp(edge, amps, { rate: rateOf(bias, false), signal })
  }
}
