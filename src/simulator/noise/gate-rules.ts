import type { Channel } from './channel.ts'
import { type ChannelOp, onQubit } from './noise-model.ts'

/** Noise of a gate. */
export interface GateRule {
  /** The name as programs call it; `*` for all gates. */
  gate: string
  /** The qubits it must act on, in the order of the call; any when absent. */
  qubits: readonly number[] | undefined
  /**
   * Channels, one after the other, for a gate of so many qubits: on all of them, or on each when for one qubit. Those
   * for other numbers of qubits do not act.
   */
  channels(qubits: number): readonly Channel[]
}

/** The noise of a gate: of several rules that fit, those that name its qubits replace the others. */
export function channelsByRules(
  rules: readonly GateRule[],
  name: string,
  qubits: readonly number[],
): ChannelOp[] {
  const fitting = rules.filter(({ gate }) => gate === name || gate === '*')
  const named = fitting.filter((rule) => rule.qubits && isSame(rule.qubits, qubits))
  const chosen = named.length > 0 ? named : fitting.filter((rule) => rule.qubits === undefined)
  return chosen.flatMap((rule) => rule.channels(qubits.length)).flatMap((channel) => placed(channel, qubits))
}

function isSame(one: readonly number[], other: readonly number[]): boolean {
  return one.length === other.length && one.every((qubit, place) => qubit === other[place])
}

function placed(channel: Channel, qubits: readonly number[]): ChannelOp[] {
  if (channel.qubits === qubits.length) return [{ kind: 'channel', qubits: [...qubits], channel }]
  return channel.qubits === 1 ? qubits.flatMap((qubit) => onQubit(qubit, [channel])) : []
}
