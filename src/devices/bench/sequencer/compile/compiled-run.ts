import type { SequencerMemory } from '../../../chip/hardware/modules.ts'
import type { PortName } from '../../../pulse/schedule.ts'
import type { Sequence } from '../sequence.ts'

/** An acquisition of a program: its point, and its number within the schedule of the point. */
export interface Placement {
  point: number
  acquisition: number
}

/** How the ports of a program are played. */
export interface Ports {
  /**
   * Frequency of the numerical oscillator of a port that plays a tone, Hz; 0 switches it off.
   * @throws ProgramError when the port cannot play the tone.
   */
  ncoHz(port: PortName, frequency: number): number
  /** Marker outputs that are on while the port plays, a bit each: they open the switch of an RF output. */
  markers(port: PortName): number
  /** What the sequencer of a port holds. */
  memory(port: PortName): SequencerMemory
  /** How much later than the earliest port a port starts, whole ns: what its cables are shorter. */
  delayNs(port: PortName): number
}

/** What one sequencer runs and where its bins belong. */
export interface PortSequence {
  sequence: Sequence
  /** Length of every acquisition, ns; undefined without acquisitions. */
  integrationNs: number | undefined
  /** The acquisitions of one repetition in the order of their bins. */
  placements: readonly Placement[]
}

/** What the cluster runs together: a sequence a port, all equally long. */
export interface CompiledRun {
  /** Repetitions, and the number of those before them. */
  shots: number
  firstShot: number
  /** ns of one repetition of all points, with the waits before each. */
  repetitionNs: number
  ports: ReadonlyMap<PortName, PortSequence>
}
