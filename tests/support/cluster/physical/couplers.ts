import type { SimulatedChip } from '../../../../src/devices/bench/simulated/simulated-chip.ts'
import type { Edge } from '../../../../src/devices/chip/elements/element.ts'
import type { FakeCluster } from '../fake-cluster.ts'
import type { AcquisitionSource } from '../run/played-run.ts'

/**
 * The lines of couplers of `source: qcm`: while something is recorded, each holds the current that the static
 * voltage of its output drives through its resistance.
 */
export function withCouplers(
  source: AcquisitionSource,
  { modules }: FakeCluster,
  { currents }: SimulatedChip,
  edges: readonly Edge[],
): AcquisitionSource {
  return {
    async record(run) {
      for (const { name, get } of edges) {
        const output = `AFE:OFFSet:DAC${get('bias.qcm_output')}`
        const volts = modules.get(get('bias.qcm_module') ?? 0)?.frontEnd.values.get(output) ?? 0
        const amps = volts / (get('bias.line_resistance_ohm') ?? Number.NaN)
        await currents.ramp(name, amps, { rate: Number.POSITIVE_INFINITY })
      }
      return source.record(run)
    },
  }
}
