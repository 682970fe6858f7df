import {
  type DelayOp,
  gateNameOf,
  gateTimes,
  type Op,
  type PhaseOp,
  secondsOf,
  type UnitaryOp,
} from '../../qasm/index.ts'
import type { ReadoutError } from '../readout/readout.ts'
import { OP_WORK, UNLIMITED, type WorkCounter } from '../timing/time-budget.ts'
import { type Channel, type Relaxation, thermalRelaxation } from './channel.ts'

/** A channel at one place of a circuit. */
export interface ChannelOp {
  kind: 'channel'
  qubits: number[]
  channel: Channel
}

/** The noise that a device adds to a circuit. Qubits are those of the circuit. */
export interface NoiseModel {
  /** Name of its source, for the metadata of results. */
  source: string
  /** Number of qubits it covers: a circuit may not use more. */
  qubits: number
  /** The channels that follow a step, in order; absent when the only noise is readout error. */
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

/** The parts of a noise model. */
interface NoiseModelOptions {
  source: string
  qubits?: number
  /**
   * Channels of a gate, by its name with the controls of modifiers, its qubits in the order of the call, and
   * how many times as long as a gate it takes.
   */
  gateNoiseOf?: ((name: string, qubits: readonly number[], times: number) => ChannelOp[]) | undefined
  /** Relaxation times of a qubit during a `delay`, in s. */
  relaxationOf?: ((qubit: number) => Omit<Relaxation, 'duration'> | undefined) | undefined
  readoutErrorOf(qubit: number): ReadoutError
}

/** Creates a noise model of gates, delays and readout. */
export function defineNoiseModel({
  source,
  qubits = Number.POSITIVE_INFINITY,
  gateNoiseOf,
  relaxationOf,
  readoutErrorOf,
}: NoiseModelOptions): NoiseModel {
  const channelsAfter: NoiseModel['channelsAfter'] = (op) => {
    if (op.kind !== 'delay') {
      const qubits = op.kind === 'unitary' ? [...op.controls, ...op.targets] : op.controls
      // A global phase acts on nothing.
      return qubits.length === 0 ? [] : (gateNoiseOf?.(gateNameOf(op), qubits, gateTimes(op)) ?? [])
    }
    return op.qubits.flatMap((qubit) => {
      const times = relaxationOf?.(qubit)
      return times ? onQubit(qubit, thermalRelaxation({ ...times, duration: secondsOf(op) })) : []
    })
  }
  return { source, qubits, readoutErrorOf, ...((gateNoiseOf || relaxationOf) && { channelsAfter }) }
}

/** Channels as steps on one qubit. */
export function onQubit(qubit: number, channels: readonly Channel[]): ChannelOp[] {
  return channels.map((channel) => ({ kind: 'channel', qubits: [qubit], channel }))
}

/** The steps, each followed by its noise. */
export function withNoise(
  ops: readonly Op[],
  noise: NoiseModel | undefined,
  work: WorkCounter = UNLIMITED,
): readonly (Op | ChannelOp)[] {
  if (!noise?.channelsAfter) return ops
  return ops.flatMap((op): (Op | ChannelOp)[] => {
    work.spend(OP_WORK)
    const isNoisy = op.kind === 'unitary' || op.kind === 'phase' || op.kind === 'delay'
    return isNoisy ? [op, ...(noise.channelsAfter?.(op) ?? [])] : [op]
  })
}
