import type { Clock } from '../../../base/index.ts'
import type { CurrentSource } from '../instrument.ts'
import { type CouplerBias, currentLimit, MAX_CURRENT, milliamps } from './coupler-bias.ts'
import { type CurrentOutput, OutputError } from './output.ts'
import { ramp } from './ramp.ts'

interface CurrentSourceDependencies {
  couplers: readonly CouplerBias[]
  outputOf(coupler: CouplerBias): CurrentOutput
  close?(): Promise<void>
  clock: Clock
}

/** The source that moves one output per coupler, within the limit of the coupler and of the output. */
export function createCurrentSource(dependencies: CurrentSourceDependencies): CurrentSource {
  const { couplers, outputOf, clock } = dependencies
  const channels = new Map(couplers.map((bias) => [bias.edge, { bias, output: outputOf(bias) }]))

  function channelOf(edge: string) {
    const channel = channels.get(edge)
    if (!channel) throw new OutputError('the edge has no current source')
    return channel
  }

  function limit(edge: string): number {
    const { bias, output } = channelOf(edge)
    const [lowest, highest] = output.range
    return Math.min(currentLimit(bias), Math.abs(lowest), Math.abs(highest))
  }

  return {
    edges: couplers.map(({ edge }) => edge),
    limit,
    read: (edge) => channelOf(edge).output.read(),
    async ramp(edge, amps, { rate, signal }) {
      const { output, bias } = channelOf(edge)
      // Rounded to a whole unit of the output, a limit may be exceeded by half of one.
      const allowed = limit(edge) + output.resolution / 2
      if (!(Math.abs(amps) <= allowed)) {
        throw new OutputError(`${milliamps(amps)} is beyond the limit of ${milliamps(limit(edge))}`)
      }
      const held = await output.read()
      if (!(Math.abs(held) <= MAX_CURRENT + output.resolution)) {
        throw new OutputError(
          `the output holds ${milliamps(held)}, more than a coupler may have (${milliamps(MAX_CURRENT)}); lower it by hand`,
        )
      }
      await ramp(output, amps, { rate, signal, clock, maxStep: bias.maxStep })
    },
    close: async () => dependencies.close?.(),
  }
}
