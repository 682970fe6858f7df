import type { DelayOp, Op, PhaseOp, UnitaryOp } from '../../qasm/index.ts'
import type { ReadoutError } from '../readout/readout.ts'
import { type Channel, type Relaxation, thermalRelaxation } from './channel.ts'

/** Noise at one place of a circuit. */
export interface ChannelOp {
  kind: 'channel'
  qubits: number[]
  channel: Channel
}

/** What a device adds to a circuit. Qubits are those of the circuit. */
export interface NoiseModel {
  /** Where it comes from, for the metadata of results. */
  source: string
  /** Qubits it knows: a circuit may not use more. */
  qubits: number
  /** The noise that follows a step, in order; absent when only readout errs. */
  channelsAfter?(op: UnitaryOp | PhaseOp | DelayOp): ChannelOp[]
  readoutErrorOf(qubit: number): ReadoutError
}

/** The text a noise model is read from: plain data, so that every thread can read a model of its own. */
export interface NoiseSource {
  /** Name of the file, for messages and results. */
  name: string
  /** Its text: YAML or JSON. */
  text: string
}

/** A noise model with the text it was read from. Without the text only one thread can use it. */
export interface Noise {
  source?: NoiseSource
  model: NoiseModel
}

/** What a noise model is made of. */
interface NoiseModelOptions {
  source: string
  qubits?: number
  /** Noise of a gate, by its name in the program and its qubits in the order of the call. */
  gateNoiseOf?: ((name: string, qubits: readonly number[]) => ChannelOp[]) | undefined
  /** Times of relaxation while a qubit waits in a `delay`, s. */
  relaxationOf?: ((qubit: number) => Omit<Relaxation, 'duration'> | undefined) | undefined
  readoutErrorOf(qubit: number): ReadoutError
}

/** A noise model of gates, delays and readout. */
export function defineNoiseModel({
  source,
  qubits = Number.POSITIVE_INFINITY,
  gateNoiseOf,
  relaxationOf,
  readoutErrorOf,
}: NoiseModelOptions): NoiseModel {
  const channelsAfter: NoiseModel['channelsAfter'] = (op) => {
    if (op.kind === 'unitary') return gateNoiseOf?.(op.name, [...op.controls, ...op.targets]) ?? []
    // A phase alone is no pulse.
    if (op.kind === 'phase') return []
    return op.qubits.flatMap((qubit) => {
      const times = relaxationOf?.(qubit)
      return times ? onQubit(qubit, thermalRelaxation({ ...times, duration: op.seconds })) : []
    })
  }
  return { source, qubits, readoutErrorOf, ...((gateNoiseOf || relaxationOf) && { channelsAfter }) }
}

/** Channels for one qubit, placed. */
export function onQubit(qubit: number, channels: readonly Channel[]): ChannelOp[] {
  return channels.map((channel) => ({ kind: 'channel', qubits: [qubit], channel }))
}

/** The steps with the noise that follows each. */
export function withNoise(ops: readonly Op[], noise: NoiseModel | undefined): readonly (Op | ChannelOp)[] {
  if (!noise?.channelsAfter) return ops
  return ops.flatMap((op): (Op | ChannelOp)[] => {
    const isNoisy = op.kind === 'unitary' || op.kind === 'phase' || op.kind === 'delay'
    return isNoisy ? [op, ...(noise.channelsAfter?.(op) ?? [])] : [op]
  })
}
