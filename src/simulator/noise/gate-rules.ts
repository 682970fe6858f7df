import { spellingsOf } from '../../qasm/index.ts'
import type { Channel } from './channel.ts'
import { type ChannelOp, onQubit } from './noise-model.ts'

/** A rule that adds noise to gates. */
export interface GateRule {
  /** Name of the gate in programs; `*` for all gates. */
  gate: string
  /** Qubits of the gate, in the order of the call; any qubits when absent. */
  qubits: readonly number[] | undefined
  /**
   * Channels to apply in order after a gate on this number of qubits. A channel for one qubit acts on each of
   * them, one for as many qubits on all; other channels do not act.
   */
  channels(qubits: number): readonly Channel[]
}

/**
 * The channels of a gate by all matching rules; rules that name its qubits replace the others. A rule holds
 * for all spellings of its gate (`cx`, `CX`), unless others name the one that the program uses.
 */
export function channelsByRules(
  rules: readonly GateRule[],
  name: string,
  qubits: readonly number[],
): ChannelOp[] {
  const isNamed = rules.some(({ gate }) => gate === name)
  const names = isNamed ? [name, '*'] : [...spellingsOf(name), '*']
  const fitting = rules.filter(({ gate }) => names.includes(gate))
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
