import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { clusterPortsOf } from '../../../src/devices/bench/cluster/plan/cluster-ports.ts'
import { compileProgram } from '../../../src/devices/bench/sequencer/compile/compile-program.ts'
import type { CompiledRun } from '../../../src/devices/bench/sequencer/compile/compiled-run.ts'
import { readDeviceFile } from '../../../src/devices/chip/device-file.ts'
import { type Hardware, readHardwareFile } from '../../../src/devices/chip/hardware/hardware-file.ts'
import { type CompiledCircuit, compileCircuit } from '../../../src/devices/compiler/compile.ts'
import {
  type CalibratedChip,
  calibratedChipOf,
} from '../../../src/devices/compiler/schedule/calibrated-chip.ts'
import type { DecouplingSequence } from '../../../src/devices/compiler/schedule/decouple.ts'
import type { Program } from '../../../src/devices/pulse/schedule.ts'
import { lowerProgram, parseProgram } from '../../../src/qasm/index.ts'

const EXAMPLES = join(import.meta.dir, '../../../examples')

/** The chip of five qubits in a row of the examples, and the cluster that plays it. */
export const FIVE_QUBITS = read()

function read(): { chip: CalibratedChip; hardware: Hardware } {
  const device = readDeviceFile(readFileSync(join(EXAMPLES, 'scheduler.device.yml'), 'utf8'))
  const hardware = readHardwareFile(readFileSync(join(EXAMPLES, 'scheduler.hardware.json'), 'utf8'))
  const problems = [device, hardware].flatMap((file) => ('problems' in file ? file.problems : []))
  if ('problems' in device || 'problems' in hardware) throw new Error(problems.join('\n'))
  return { chip: calibratedChipOf(device.chip), hardware }
}

/** A circuit, its program, and what the sequencers of the cluster run for it. */
export interface CompiledText {
  circuit: CompiledCircuit
  program: Program<'shots'>
  runs: CompiledRun[]
}

/**
 * Compiles the text of a circuit with its gates as they are written, to the programs of the sequencers.
 * Qubits that wait play nothing, or the given sequence.
 */
export function compileText(
  text: string,
  shots: number,
  { chip, hardware } = FIVE_QUBITS,
  decoupling?: DecouplingSequence,
): CompiledText {
  const options = { level: 0, decoupling } as const
  const circuit = compileCircuit(
    'scheduler_a',
    lowerProgram(parseProgram(text), []),
    chip,
    'measure',
    options,
  )
  const { schedule, resetNs } = circuit
  const program: Program<'shots'> = { kind: 'shots', shots, reset_ns: resetNs, points: [schedule] }
  return { circuit, program, runs: [...compileProgram(program, clusterPortsOf(hardware, program))] }
}
