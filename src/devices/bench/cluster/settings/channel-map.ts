import type { Channel } from '../../../chip/hardware/connections.ts'

/** Converters of the two paths of a sequencer. */
export type ChannelMap = readonly [readonly number[], readonly number[]]

/** The map of a sequencer that is connected to nothing. */
export const UNCONNECTED: ChannelMap = [[], []]

/** The converters of a channel: `complex_output_1` has 2 and 3, `real_input_0` has 0. */
export function channelMapOf({ channel }: Channel): ChannelMap {
  const [, form, digits] = /^(real|complex)_(?:output|input)_(\d+)$/.exec(channel) ?? []
  const number = Number(digits)
  return form === 'complex' ? [[2 * number], [2 * number + 1]] : [[number], []]
}
