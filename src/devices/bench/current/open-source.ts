import { type Clock, messageOf } from '../../../base/index.ts'
import type { CurrentSource } from '../instrument.ts'
import { type CouplerBias, MAX_CURRENT, nameOf, sourceKindOf } from './coupler-bias.ts'
import { createCurrentSource } from './current-source.ts'
import { type CurrentOutput, OutputError } from './output.ts'
import { createQcmOutput, type VoltageOutputs } from './qcm-output.ts'
import { type RackController, rackAt } from './spi/controller.ts'
import { openS4gOutput } from './spi/s4g-output.ts'

/** What may hold currents: what the driver's options and its instrument provide. */
export interface SourceOptions {
  clock: Clock
  /** Option `spi_rack_address`. */
  spiRackAddress?: string
  /** Outputs of the cluster. */
  voltages?: VoltageOutputs
  /** The currents of a simulated chip. */
  simulated?: CurrentSource
}

/** The opened source, or the reason for its absence. */
type OpenedSource =
  | { readonly source: CurrentSource }
  | { readonly source: undefined; readonly reason: string }

/**
 * Opens the one source of a chip: reads how every output is set up, and changes nothing. An output that is
 * not set up as expected refuses reading and moving; the others work.
 * @throws StartupError when the edges name several kinds of source, or one output twice.
 */
export async function openSource(
  couplers: readonly CouplerBias[],
  options: SourceOptions,
): Promise<OpenedSource> {
  const kind = sourceKindOf(couplers)
  const { clock, simulated, voltages, spiRackAddress } = options
  if (kind === undefined) return without('no edge of the device file has a bias')
  if (kind === 'simulated') return simulated ? { source: simulated } : without('no simulated chip is open')
  if (kind === 'qcm') {
    if (!voltages) return without('bias.source is qcm, and no cluster is connected')
    return { source: createCurrentSource({ couplers, outputOf: outputOfCluster(voltages), clock }) }
  }
  if (spiRackAddress === undefined) return without('bias.source is spi, and spi_rack_address is not set')
  return openRack(couplers, spiRackAddress, clock)
}

function without(reason: string): OpenedSource {
  return { source: undefined, reason }
}

function outputOfCluster(voltages: VoltageOutputs) {
  return ({ address }: CouplerBias): CurrentOutput =>
    address.source === 'qcm' ? createQcmOutput(voltages, address) : unusable(nameOf(address))
}

async function openRack(
  couplers: readonly CouplerBias[],
  rackAddress: string,
  clock: Clock,
): Promise<OpenedSource> {
  let rack: RackController
  try {
    rack = rackAt(rackAddress, clock)
    await rack.open()
  } catch (error) {
    return without(messageOf(error))
  }
  const outputs = new Map<string, CurrentOutput>()
  for (const { edge, address } of couplers) {
    if (address.source !== 'spi') continue
    const opened = await openS4gOutput(rack, address).catch((error: unknown) =>
      unusable(`${nameOf(address)}: ${messageOf(error)}`),
    )
    outputs.set(edge, opened)
  }
  const outputOf = ({ edge }: CouplerBias) => outputs.get(edge) ?? unusable(edge)
  return { source: createCurrentSource({ couplers, outputOf, close: () => rack.close(), clock }) }
}

/** An output that refuses everything with this reason. */
function unusable(reason: string): CurrentOutput {
  const refuse = async () => {
    throw new OutputError(reason)
  }
  return { resolution: 1e-7, range: [-MAX_CURRENT, MAX_CURRENT], read: refuse, write: refuse }
}
