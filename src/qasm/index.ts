export type {
  BarrierOp,
  Circuit,
  DelayOp,
  MeasureOp,
  Op,
  PhaseOp,
  ResetOp,
  Sink,
  UnitaryOp,
} from './circuit.ts'
export { type QasmCode, QasmError, type QasmProblem } from './error.ts'
export { DEFAULT_LIMITS, type Limits } from './limits.ts'
