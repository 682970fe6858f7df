export {
  type BarrierOp,
  type Circuit,
  type ComputedBits,
  type DelayOp,
  type MeasureOp,
  nanosecondsOf,
  type Op,
  type OpenChoice,
  type OpenSink,
  type PhaseOp,
  type ResetOp,
  type Sink,
  secondsOf,
  type UnitaryOp,
} from './circuit.ts'
export { type Control, type Drawing, type DrawnStep, drawProgram } from './draw.ts'
export { type QasmCode, QasmError, type QasmProblem } from './error.ts'
export { lowerProgram, lowerTemplate, runDynamic, runOpen, type Template } from './execute/lower.ts'
export type { LeavableSink, Position } from './execute/position.ts'
export type { Program } from './execute/program.ts'
export { EnoughExecuted, type Extent, extentsOf, type ProgramExtents } from './extent.ts'
export type { ProgramFeature } from './features.ts'
export { gateTimes, isFrameChange } from './gates/frame-change.ts'
export { gateNameOf, spellingsOf, standardGateWidth } from './gates/library.ts'
export {
  adjoint,
  adjointOfRows,
  dimensionOf,
  identity,
  type Matrix,
  multiply,
  multiplyByAdjoint,
  multiplyInto,
  multiplyRows,
  rxMatrix,
  ryMatrix,
  rzMatrix,
  transpose,
} from './gates/matrix.ts'
export { DEFAULT_LIMITS, type Limits } from './limits.ts'
export { type CheckReport, checkProgram, parseProgram } from './program.ts'
export type { ChipNeeds } from './used-qubits.ts'
export { inputProblem, type TypedInput } from './values/input.ts'
export { FIRST_OUTCOME, UNDETERMINED } from './values/values.ts'
export type { QasmWarning, WarningCode } from './warnings.ts'
