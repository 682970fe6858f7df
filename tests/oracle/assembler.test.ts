import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { compileProgram } from '../../src/devices/bench/sequencer/compile/compile-program.ts'
import { openAssembler } from '../support/python/python.ts'
import { compileText, FIVE_QUBITS } from '../support/scheduler/five-qubits.ts'
import { publishedCircuits } from '../support/scheduler/published-circuits.ts'
import { randomText } from '../support/scheduler/random-text.ts'
import { assemble } from '../support/sequencer/language/assemble.ts'
import { OPERATIONS } from '../support/sequencer/language/instructions.ts'
import { LO, OSCILLATOR, programs } from '../support/sequencer/random-programs.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { longLived } from '../support/tuning/long-lived-qubit.ts'

setDefaultTimeout(120_000)

/** A tone that the ports of these tests play, Hz. */
const OSCILLATED = LO + 93.7e6

const assembler = await openAssembler()

/** Which of these programs the vendor's assembler accepts. */
function acceptedOf(sources: readonly string[]): boolean[] {
  using folder = temporaryFolder()
  return sources.map((source, index) => {
    const file = join(folder.path, `${index}.q1asm`)
    writeFileSync(file, source)
    return Bun.spawnSync([assembler ?? '', '-o', join(folder.path, 'out'), file]).exitCode === 0
  })
}

/** Operands of each type, within and at the limits of what instructions take, and beyond. */
const OPERANDS = [
  ...['0', '1', '3', '4', '5', '15', '16', '31', '32', '1023', '1024', '32767', '32768', '65535', '65536'],
  ...[
    '-1',
    '-32768',
    '-32769',
    '1000000000',
    '1000000001',
    '16777215',
    '16777216',
    '4294967295',
    '4294967296',
  ],
  ...['R0', 'R63', 'R64', '@end', '@nowhere'],
]

/** Where we refuse what the assembler accepts: the oscillator does not reach that far. */
const STRICTER = new Set(['set_freq'])

describe.skipIf(!assembler)('the assembler of the modules', () => {
  test('accepts what we accept and refuses what we refuse, operand by operand', () => {
    const lines = Object.entries(OPERATIONS).flatMap(([name, { forms }]) =>
      forms.flatMap((form) => {
        const valid = form.map((operand) =>
          operand.type === 'immediate' ? String(operand.min) : operand.type === 'address' ? '@end' : 'R5',
        )
        const changed = form.flatMap((_, at) => OPERANDS.map((each) => valid.with(at, each)))
        const operands = [valid, ...changed, [...valid, '0'], valid.slice(1)]
        return operands.map((each) => ({ name, line: `${name} ${each.join(',')}` }))
      }),
    )
    const accepted = acceptedOf(lines.map(({ line }) => `${line}\nend: stop\n`))
    const differences = lines.flatMap(({ name, line }, index) => {
      const ours = assemble(`${line}\nend: stop`).problems.length === 0
      if (ours === accepted[index] || (STRICTER.has(name) && !ours)) return []
      return [`${line}: ${ours ? 'only we accept it' : 'only the assembler accepts it'}`]
    })
    expect(differences).toEqual([])
  })

  test('accepts every program that we compile', () => {
    const sources = fc
      .sample(fc.oneof(programs('average'), programs('shots')), { numRuns: 40, seed: 3 })
      .flatMap((program) =>
        [...compileProgram(program, OSCILLATOR)].flatMap(({ ports }) =>
          [...ports.values()].map(({ sequence }) => sequence.program),
        ),
      )
    expect(sources.length).toBeGreaterThan(40)
    expect(acceptedOf(sources).every(Boolean)).toBe(true)
  })

  test('accepts programs whose shots begin with a reading', async () => {
    const { measure, programs } = longLived(4)
    await measure('all_xy')
    const drawn = programs.map((program) => ({
      ...program,
      // Beside the one oscillator of the ports here.
      points: program.points.map((point) => ({
        ...point,
        pulses: point.pulses.map((pulse) => ({ ...pulse, frequency: OSCILLATED })),
        acquisitions: point.acquisitions.map((window) => ({ ...window, frequency: OSCILLATED })),
      })),
    }))
    const sources = drawn.flatMap((program) =>
      [...compileProgram(program, OSCILLATOR)].flatMap(({ ports }) =>
        [...ports.values()].map(({ sequence }) => sequence.program),
      ),
    )
    expect(sources.length).toBeGreaterThan(4)
    expect(acceptedOf(sources).every(Boolean)).toBe(true)
  })

  test.each([undefined, 'XX', 'XY4'] as const)(
    'accepts the programs of published and random circuits of five qubits, decoupled by %s',
    (decoupling) => {
      const published = publishedCircuits().filter(({ hasFeedback }) => !hasFeedback)
      const texts = [
        ...published.map(({ text }) => text),
        ...Array.from({ length: 30 }, (_, k) => randomText(k)),
      ]
      const compiled = texts.map((text) => compileText(text, 1_024, FIVE_QUBITS, decoupling))
      const sources = compiled.flatMap(({ runs }) =>
        runs.flatMap(({ ports }) => [...ports.values()].map(({ sequence }) => sequence.program)),
      )
      expect(published.length).toBeGreaterThanOrEqual(13)
      expect(sources.length).toBeGreaterThan(3 * published.length)
      expect(acceptedOf(sources).every(Boolean)).toBe(true)
      const decoupled = compiled.filter(({ circuit }) => (circuit.decoupling?.windows ?? 0) > 0)
      expect(decoupled.length >= 5).toBe(decoupling !== undefined)
    },
  )
})
