import type { ModuleName } from '../../../../src/devices/chip/hardware/modules.ts'
import type { ChannelMap } from '../module/sequencer.ts'
import type { SequencerConfig } from '../module/sequencer-config.ts'
import type { Playback } from './playback.ts'

/** What one sequencer plays and records, with everything that is set for it. */
export interface PlayedSequencer extends Playback {
  slot: number
  sequencer: number
  module: ModuleName
  config: SequencerConfig
  outputs: ChannelMap
  inputs: ChannelMap
  /** Settings of its module by command, such as `AFE:ATT:OUT0`. */
  frontEnd: ReadonlyMap<string, number>
  /** Samples by the number in instructions. */
  waveforms: ReadonlyMap<number, Float32Array>
  /** Length of its windows, ns. */
  integrationNs: number
}

/** What a cluster plays at once. */
export interface PlayedRun {
  sequencers: readonly PlayedSequencer[]
}

/** What one acquisition returns, in parts of full scale: demodulated means over the window. */
export interface Recording {
  /** One value a repetition, or one that is the mean over all of them. */
  i: Float64Array
  q: Float64Array
  /** The demodulated signal of each ns, mean over the repetitions; worked out when the scope is read. */
  trace(length: number): Promise<{ i: Float64Array; q: Float64Array }>
}

/** Where recorded signals come from: random numbers, or a chip that feels what is played. */
export interface AcquisitionSource {
  /** A recording for each acquisition of a repetition, in the order of time. */
  record(run: PlayedRun): Promise<ReadonlyMap<PlayedSequencer, readonly Recording[]>>
}
