import type { Op } from '../circuit.ts'
import { Fault } from '../fault.ts'
import { impliedGate, standardNameOf, standardNames } from '../gates/exporter-gates.ts'
import { GLOBAL_PHASE } from '../gates/library.ts'
import { isUnitary } from '../gates/matrix.ts'
import { controlled, inverted, powered } from '../gates/modifiers.ts'
import type { NativeGate } from '../gates/native-gate.ts'
import { didYouMean } from '../gates/near-name.ts'
import type { Expression, GateCallNode, Modifier, Statement } from '../syntax/ast.ts'
import type { PackedCalls } from '../syntax/packed-calls.ts'
import { type Angle, isDeferred } from '../template/tape.ts'
import { convert, toNumber } from '../values/convert.ts'
import { describeType, FLOAT } from '../values/types.ts'
import { floatValue, type QubitsValue, typeOf, unknownValue, type Value } from '../values/values.ts'
import { Broken, evaluate, evaluateQubits } from './evaluate.ts'
import { countOf } from './indexing.ts'
import { type AppliedModifier, decide, type Machine, Undecided } from './machine.ts'
import type { Gate } from './scope.ts'

/** Applies a gate to single qubits, or element by element to registers of the same size. */
export function callGate(m: Machine, node: GateCallNode): void {
  const gate = findGate(m, node.name, node.at)
  if (node.hasDuration)
    m.warn('ignored_directive', `The duration of a call of "${node.name}" is ignored`, node.at)
  const modifiers = node.modifiers.map((modifier) => applyArgument(m, modifier))
  const angles = node.parameters.map((parameter) => angleOf(m, parameter))
  const parameters = angles.map(numberOf)
  expectCount('parameter_count', 'parameter', gate.parameters, parameters.length, node)
  const controls = modifiers.reduce((sum, { kind, number }) => (isControl(kind) ? sum + number : sum), 0)
  const given = node.operands.map((operand) => evaluateQubits(m, operand))
  // PennyLane names qubits of a global phase in OpenQASM 2.
  const operands = m.version === 2 && gate === GLOBAL_PHASE ? [] : given
  expectCount('argument_count', 'qubit', gate.qubits + controls, operands.length, node)
  const calls = broadcast(operands, node)
  m.beforeGateCall(gate, calls, node.at)
  if (m.checking) {
    m.countOperations(calls, node.at)
    notePhase(m, gate, parameters, modifiers)
  }
  for (let call = 0; call < calls; call++) {
    const qubits = operands.map(
      (operand) => (operand.scalar ? operand.qubits[0] : operand.qubits[call]) ?? -1,
    )
    expectDifferent(qubits, node)
    if (m.checking) m.useQubits(qubits, gate, controls)
    else if (m.drawGate) m.drawGate({ name: node.name, parameters, qubits, modifiers, at: node.at })
    else applyModified(m, gate, angles, qubits, modifiers, node.at)
  }
}

/** Warns where a modifier makes the phase observable that the gate, or one in its body, omits. */
export function notePhase(
  m: Machine,
  gate: Gate,
  parameters: readonly number[],
  modifiers: readonly AppliedModifier[],
): void {
  const omitting = gate.kind === 'user' ? gate.omits : omitsPhase(gate, parameters) ? gate : undefined
  if (omitting?.omitted === undefined) return
  // A power that is not whole depends on the branch in which the phases of the eigenvalues lie.
  const cause = modifiers.find(({ kind, number }) =>
    kind === 'pow' ? !Number.isInteger(number) : isControl(kind),
  )
  if (cause === undefined) {
    m.omitPhase(omitting)
    return
  }
  const { name, omitted } = omitting
  m.warn(
    'omitted_phase',
    `A modifier makes the phase of ${name} observable: ${name} is computed as in Qiskit and OpenQASM 2, without the factor ${omitted.factor} of the OpenQASM 3 text`,
    cause.at,
  )
}

/** Whether the phase that a native gate omits is not zero, or known at run time only. */
function omitsPhase({ omitted }: Gate & { kind: 'native' }, parameters: readonly number[]): boolean {
  return omitted !== undefined && !(1 - Math.cos(omitted.angle(parameters)) < 1e-12)
}

const isControl = (kind: Modifier['kind']) => kind === 'ctrl' || kind === 'negctrl'

/** The gate of this name: of the program, of a library it includes, or the one that other tools mean. */
export function findGate(m: Machine, name: string, at: number): Gate {
  const entry = m.scope.find(name)?.entry
  if (entry === undefined) return implied(m, name, at)
  if (entry.kind === 'broken') throw new Broken(at)
  if (entry.kind !== 'gate') throw new Fault('type_mismatch', at, `"${name}" is not a gate`)
  if (entry.gate.kind === 'user' && entry.gate.node.body === undefined) return opaque(m, entry.gate, at)
  return entry.gate
}

/** Declares a gate that the program uses without a definition: a later one would change its meaning. */
function implied(m: Machine, name: string, at: number): NativeGate {
  if (m.defining === name) throw new Fault('recursion', at, `The gate "${name}" must not call itself`)
  const gate = impliedGate(m.version, name, m.includesLibrary)
  if (gate === undefined) throw unknownGate(m, name, at)
  m.scope.global().set(name, { kind: 'gate', gate, implied: true })
  m.warn('implied_gate', `The program neither defines nor includes "${name}": ${MEANING}`, at)
  return gate
}

const MEANING = 'it is run as the gate that Qiskit and other tools write by this name'

function unknownGate(m: Machine, name: string, at: number): Fault {
  const standard = standardNameOf(name)
  const near = standard
    ? `; did you mean "${standard}"?`
    : didYouMean(name, [...standardNames(m.version), ...m.scope.names('gate')])
  return new Fault('unknown_name', at, `There is no gate "${name}": define it first${near}`)
}

/** Exporters declare gates of hardware as opaque, whose meaning their readers know. */
function opaque(m: Machine, { name, parameters, qubits }: Gate, at: number): NativeGate {
  const gate = impliedGate(m.version, name, m.includesLibrary)
  if (gate === undefined || gate.parameters !== parameters || gate.qubits !== qubits)
    throw new Fault('unsupported', at, `"${name}" is opaque: its effect is not defined`)
  m.warn('implied_gate', `"${name}" is opaque: ${MEANING}`, at)
  return gate
}

function applyArgument(m: Machine, { kind, argument, at }: Modifier): AppliedModifier {
  if (kind === 'inv') return { kind, number: 0, at }
  if (kind === 'pow') return { kind, number: argument === undefined ? 1 : exponentOf(m, argument), at }
  const count = argument === undefined ? 1 : countOf(m, argument, evaluate)
  if (count === undefined) throw new Fault('not_constant', at, 'The number of controls must be a constant')
  if (count < 1)
    throw new Fault('invalid_value', at, `The number of controls must be at least 1, not ${count}`)
  return { kind, number: count, at }
}

function exponentOf(m: Machine, node: Expression): number {
  const exponent = angleOf(m, node)
  if (typeof exponent === 'number') return exponent
  throw new Undecided()
}

/** NaN for an angle that is computed when inputs are bound. */
const numberOf = (angle: Angle): number => (typeof angle === 'number' ? angle : Number.NaN)

/** The real value of a gate parameter or exponent; NaN if it is known only at run time. */
function angleOf(m: Machine, node: Expression): Angle {
  const value = evaluate(m, node)
  const { kind } = typeOf(value)
  if (kind !== 'float' && kind !== 'int' && kind !== 'uint' && kind !== 'angle' && kind !== 'bool') {
    throw new Fault('type_mismatch', node.at, `A number is needed here, not ${describeType(typeOf(value))}`)
  }
  if (m.tape && isDeferred(value)) {
    const real = m.tape.record(unknownValue(FLOAT), [value], ([known = value]) =>
      floatValue(finiteAngle(known, node.at)),
    )
    if (isDeferred(real)) return real
  }
  return decide(m, value) ? finiteAngle(value, node.at) : Number.NaN
}

function finiteAngle(value: Value, at: number): number {
  const angle = toNumber(value)
  if (Number.isFinite(angle)) return angle
  throw new Fault('invalid_value', at, `This parameter is not a finite number: ${angle}`)
}

function expectCount(
  code: 'parameter_count' | 'argument_count',
  what: string,
  wanted: number,
  given: number,
  { name, at }: GateCallNode,
): void {
  if (wanted === given) return
  throw new Fault(code, at, `"${name}" takes ${wanted} ${what}${wanted === 1 ? '' : 's'} here, not ${given}`)
}

/** Number of calls that the operands cause: one, or the common size of the registers. */
function broadcast(operands: readonly QubitsValue[], { at, name }: GateCallNode): number {
  let size: number | undefined
  for (const operand of operands) {
    if (operand.scalar || operand.open) continue
    if (size !== undefined && size !== operand.qubits.length) {
      throw new Fault(
        'type_mismatch',
        at,
        `"${name}" is applied to registers of ${size} and ${operand.qubits.length} qubits`,
      )
    }
    size = operand.qubits.length
  }
  return size ?? 1
}

function expectDifferent(qubits: readonly number[], { at, name }: Pick<GateCallNode, 'at' | 'name'>): void {
  if (qubits.length < 2) return
  const known = qubits.filter((qubit) => qubit !== -1)
  if (new Set(known).size < known.length) {
    throw new Fault('duplicate_qubit', at, `"${name}" is applied to the same qubit twice`)
  }
}

function applyModified(
  m: Machine,
  gate: Gate,
  parameters: readonly Angle[],
  qubits: readonly number[],
  modifiers: readonly AppliedModifier[],
  at: number,
): void {
  if (modifiers.length === 0) {
    applyGate(m, gate, parameters, qubits, at)
    return
  }
  const controls = qubits.length - gate.qubits
  let ops = collect(m, at, () => applyGate(m, gate, parameters, qubits.slice(controls), at))
  let next = controls
  for (const modifier of modifiers.toReversed()) {
    switch (modifier.kind) {
      case 'inv':
        ops = inverted(ops)
        break
      case 'pow':
        ops = power(m, ops, modifier)
        break
      default:
        // Controls of the innermost modifier come directly before the gate's own qubits.
        for (let count = 0; count < modifier.number; count++) {
          next--
          ops = controlled(ops, qubits[next] ?? -1, modifier.kind === 'ctrl' ? 1 : 0, modifier.at)
        }
    }
    m.countOperations(ops.length, at)
  }
  for (const op of ops) m.emit(op, at)
}

function power(m: Machine, ops: Op[], { number, at }: AppliedModifier): Op[] {
  const result = powered(ops, number, m.limits, at)
  // The cost of diagonalization grows with the cube of the dimension.
  for (const op of result)
    if (op.kind === 'unitary' && op.name === 'pow') m.countOperations(8 ** op.targets.length, at)
  return result
}

function applyGate(
  m: Machine,
  gate: Gate,
  parameters: readonly Angle[],
  qubits: readonly number[],
  at: number,
): void {
  const emit = (op: Op) => m.emit(op, at)
  if (gate.kind === 'user') m.callGate(gate, parameters, qubits, at)
  else if (areNumbers(parameters)) gate.build(parameters, qubits, emit)
  else m.tape?.emit(gate, parameters, qubits, emit)
}

const areNumbers = (angles: readonly Angle[]): angles is number[] =>
  angles.every((angle) => typeof angle === 'number')

/** Runs `work` and returns its operations instead of adding them to the circuit. */
function collect(m: Machine, at: number, work: () => void): Op[] {
  const ops: Op[] = []
  const { emit } = m
  m.emit = (op) => {
    m.countOperations(1, at)
    ops.push(op)
  }
  try {
    work()
  } finally {
    m.emit = emit
  }
  return ops
}

/** All qubits of the operands (single qubits or registers); without operands, all qubits of the program. */
export function operandQubits(m: Machine, operands: readonly Expression[]): number[] {
  const qubits = new Set<number>()
  for (const operand of operands) for (const qubit of evaluateQubits(m, operand).qubits) qubits.add(qubit)
  if (operands.length === 0) for (let qubit = 0; qubit < m.allQubits(); qubit++) qubits.add(qubit)
  return [...qubits]
}

/** Largest number of qubits of a matrix that a program writes out. */
const MAX_QUBITS = 5

/** `#pragma braket unitary([[...], ...]) a, b`: the first qubit is the most significant bit of the index. */
export function applyUnitary(m: Machine, node: Statement & { kind: 'unitary' }): void {
  const operands = node.operands.map((operand) => evaluateQubits(m, operand))
  const qubits = operands.map((operand) => operand.qubits[0] ?? -1)
  const size = 2 ** qubits.length
  if (!operands.every(({ scalar }) => scalar))
    throw new Fault('type_mismatch', node.at, 'A matrix acts on single qubits, not on registers')
  if (qubits.length > MAX_QUBITS)
    throw new Fault('unsupported', node.at, `A matrix acts on ${MAX_QUBITS} qubits at most`)
  if (node.rows.length !== size || node.rows.some((row) => row.length !== size))
    throw new Fault(
      'type_mismatch',
      node.at,
      `A matrix on ${qubits.length} qubits has ${size} rows and columns`,
    )
  expectDifferent(qubits, { at: node.at, name: 'unitary' })
  m.countOperations(size ** 3, node.at)
  const matrix = Float64Array.from(node.rows.flat().flatMap((entry) => complexOf(m, entry)))
  if (!isUnitary(matrix)) throw new Fault('invalid_value', node.at, 'This matrix is not unitary')
  if (m.checking) m.useQubits(qubits)
  else if (m.drawGate) m.drawGate({ name: 'unitary', parameters: [], qubits, modifiers: [], at: node.at })
  else
    m.emit(
      {
        kind: 'unitary',
        targets: qubits.toReversed(),
        controls: [],
        controlValues: 0,
        matrix,
        name: 'unitary',
      },
      node.at,
    )
}

function complexOf(m: Machine, node: Expression): [number, number] {
  const value = convert(evaluate(m, node), { kind: 'complex' }, node.at)
  if (value.kind !== 'complex')
    throw new Fault('not_constant', node.at, 'An entry of a matrix must be a constant')
  return [value.re, value.im]
}

/** Executes plain gate calls that are stored as numbers. */
export function executePacked(m: Machine, calls: PackedCalls): void {
  const gates = calls.gates.map(({ name }) => findGate(m, name, 0))
  const registers = calls.registers.map((name) => registerQubits(m, name))
  // All calls share these lists and this function; gates copy what they keep.
  const qubits: number[] = []
  const parameters: number[] = []
  let place = 0
  const emit = (op: Op) => m.emit(op, place)
  calls.visit((index, at, firstOperand, firstNumber) => {
    const gate = gates[index]
    if (gate === undefined) return
    place = at
    qubits.length = 0
    for (let operand = 0; operand < gate.qubits; operand++) {
      const qubit = calls.qubitAt(firstOperand + 2 * operand)
      const register = calls.registerAt(firstOperand + 2 * operand)
      qubits.push(register < 0 ? m.hardware(qubit, at) : (registers[register]?.[qubit] ?? 0))
    }
    m.beforeGateCall(gate, 1, at)
    parameters.length = 0
    for (let parameter = 0; parameter < gate.parameters; parameter++) {
      parameters.push(calls.numbers[firstNumber + parameter] as number)
    }
    if (m.drawGate) m.drawGate({ name: gate.name, parameters, qubits: [...qubits], modifiers: [], at })
    else if (gate.kind === 'native') gate.build(parameters, qubits, emit)
    else m.callGate(gate, parameters, qubits, at)
  })
}

function registerQubits(m: Machine, name: string): readonly number[] {
  const entry = m.scope.find(name)?.entry
  return entry?.kind === 'reference' && entry.value.kind === 'qubits' ? entry.value.qubits : []
}
