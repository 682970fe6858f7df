import {
  DURATION_NS,
  MAX_ACQUISITIONS,
  STEPS_PER_HERTZ,
  STEPS_PER_TURN,
} from '../../../../src/devices/bench/sequencer/sequence.ts'
import { MAX_NCO_HZ } from '../../../../src/devices/chip/hardware/modules.ts'

/** What an operand is, with the range of an immediate. */
export type Operand =
  | { readonly type: 'immediate'; readonly min: number; readonly max: number }
  /** A register that is read, written, or both. */
  | { readonly type: 'register'; readonly access: 'read' | 'write' | 'both' }
  /** A label or the number of an instruction, up to the largest that has room in an instruction. */
  | { readonly type: 'address'; readonly max: number }

/** An operation of the sequencer language. */
export interface Operation {
  /** The accepted lists of operands; one of them has to match as a whole. */
  readonly forms: readonly (readonly Operand[])[]
  /** Takes time: the last operand is its duration, ns. */
  readonly isTimed?: true
  /** Needs a module with inputs. */
  readonly isAcquisition?: true
  /** Ends the flow, or jumps elsewhere in every case. */
  readonly neverContinues?: true
}

const immediate = (min: number, max: number): Operand => ({ type: 'immediate', min, max })
const READ: Operand = { type: 'register', access: 'read' }
const WRITE: Operand = { type: 'register', access: 'write' }
const BOTH: Operand = { type: 'register', access: 'both' }
const ADDRESS: Operand = { type: 'address', max: 2 ** 14 - 1 }
/** Waveforms are numbered from 0 to this. */
export const MAX_WAVEFORM_INDEX = 1_023
const WORD = immediate(0, 2 ** 32 - 1)
const TIME = immediate(DURATION_NS.min, DURATION_NS.max)
const GAIN = immediate(-32_768, 32_767)
const WAVEFORM = immediate(0, MAX_WAVEFORM_INDEX)
const ACQUISITION = immediate(0, MAX_ACQUISITIONS - 1)
const BIN = immediate(0, 2 ** 24 - 1)
const PHASE = immediate(0, STEPS_PER_TURN)
// The assembler takes 32 bits; the oscillator does not.
const FREQUENCY = immediate(-MAX_NCO_HZ * STEPS_PER_HERTZ, MAX_NCO_HZ * STEPS_PER_HERTZ)
const MARKERS = immediate(0, 15)
const ELSE = immediate(0, DURATION_NS.max)
const WEIGHT = immediate(0, 63)
const TRIGGERS = immediate(0, 2 ** 15 - 1)

const either = (operand: Operand): Operation => ({ forms: [[operand], [READ]] })
/** Both immediates or both registers; one of each is refused. */
const pair = (operand: Operand, ...rest: Operand[]): (readonly Operand[])[] => [
  [operand, operand, ...rest],
  [READ, READ, ...rest],
]
const ARITHMETIC: Operation = {
  forms: [
    [READ, WORD, WRITE],
    [READ, READ, WRITE],
  ],
}
const COMPARISON: Operation = {
  forms: [
    [READ, WORD, ADDRESS],
    [READ, WORD, READ],
  ],
}

/**
 * The instructions that the assembler of the modules knows, by name. Operands and ranges are what that
 * assembler accepts, instruction by instruction.
 */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  nop: { forms: [[]] },
  stop: { forms: [[]], neverContinues: true },
  illegal: { forms: [[]], neverContinues: true },
  jmp: { forms: [[ADDRESS], [READ]], neverContinues: true },
  jge: COMPARISON,
  jlt: COMPARISON,
  loop: {
    forms: [
      [BOTH, ADDRESS],
      [BOTH, READ],
    ],
  },
  move: {
    forms: [
      [WORD, WRITE],
      [READ, WRITE],
    ],
  },
  not: {
    forms: [
      [WORD, WRITE],
      [READ, WRITE],
    ],
  },
  add: ARITHMETIC,
  sub: ARITHMETIC,
  and: ARITHMETIC,
  or: ARITHMETIC,
  xor: ARITHMETIC,
  asl: ARITHMETIC,
  asr: ARITHMETIC,
  set_mrk: either(MARKERS),
  set_freq: either(FREQUENCY),
  reset_ph: { forms: [[]] },
  set_ph: either(PHASE),
  set_ph_delta: either(PHASE),
  set_awg_gain: { forms: pair(GAIN) },
  set_awg_offs: { forms: pair(GAIN) },
  set_cond: {
    forms: [
      [immediate(0, 1), TRIGGERS, immediate(0, 7), ELSE],
      [READ, READ, READ, ELSE],
    ],
  },
  set_scope_en: either(immediate(0, 1)),
  upd_param: { forms: [[TIME]], isTimed: true },
  play: { forms: pair(WAVEFORM, TIME), isTimed: true },
  acquire: {
    forms: [
      [ACQUISITION, BIN, TIME],
      [ACQUISITION, READ, TIME],
    ],
    isTimed: true,
    isAcquisition: true,
  },
  acquire_weighed: {
    forms: [
      [ACQUISITION, BIN, WEIGHT, WEIGHT, TIME],
      [ACQUISITION, READ, READ, READ, TIME],
    ],
    isTimed: true,
    isAcquisition: true,
  },
  acquire_ttl: {
    forms: [
      [ACQUISITION, BIN, immediate(0, 1), TIME],
      [ACQUISITION, READ, immediate(0, 1), TIME],
    ],
    isTimed: true,
    isAcquisition: true,
  },
  wait: { ...either(TIME), isTimed: true },
  wait_sync: { ...either(TIME), isTimed: true },
  wait_trigger: {
    forms: [
      [immediate(0, 15), TIME],
      [READ, READ],
    ],
    isTimed: true,
  },
  set_latch_en: {
    forms: [
      [immediate(0, 1), TIME],
      [READ, TIME],
    ],
    isTimed: true,
  },
  latch_rst: { ...either(TIME), isTimed: true },
}
