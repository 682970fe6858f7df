import { describe, expect, test } from 'bun:test'
import golden from '../../golden/quantify-scheduler-0.28.1.json'
import {
  compareNumbers,
  type NumbersByLine,
  numbersByLine,
  ourSignals,
} from '../../support/scheduler/compare-schedules.ts'
import { comparedCircuits } from '../../support/scheduler/compared-circuits.ts'
import { compileText, FIVE_QUBITS } from '../../support/scheduler/five-qubits.ts'
import { differencesOf } from '../../support/scheduler/played-samples.ts'
import { publishedCircuits } from '../../support/scheduler/published-circuits.ts'
import { decouplingOf, randomText } from '../../support/scheduler/random-text.ts'
import { checkSequence } from '../../support/sequencer/language/check-sequence.ts'

const circuits = publishedCircuits()

describe('published circuits of at most five qubits', () => {
  test.each(circuits.filter(({ hasFeedback }) => !hasFeedback))('$name compiles', ({ text }) => {
    const { runs } = compileText(text, 1_024)
    expect(runs.reduce((sum, { shots }) => sum + shots, 0)).toBe(1_024)
    for (const [port, { sequence }] of runs.flatMap(({ ports }) => [...ports])) {
      const { hardware } = FIVE_QUBITS
      const memory = hardware.channelOf(port)?.kind.memory ?? { instructions: 0, samples: 0, bins: 0 }
      expect(checkSequence(sequence, memory)).toEqual([])
    }
  })

  test('only those with feedback are refused', () => {
    const refused = circuits.filter(({ hasFeedback }) => hasFeedback)
    expect(refused.map(({ name }) => name)).toEqual([
      'inverseqft_n4.qasm',
      'ipea_n2.qasm',
      'qec_sm_n5.qasm',
      'shor_n5.qasm',
    ])
    for (const { text } of refused) {
      expect(() => compileText(text, 1)).toThrow('classically controlled gates are not supported')
    }
  })
})

test('the sequencers of random circuits play their schedules, and end and record together', () => {
  let windows = 0
  for (let seed = 5_000; seed < 5_006; seed++) {
    const { circuit } = compileText(randomText(seed), 1, FIVE_QUBITS, decouplingOf(seed))
    const { sample, problems } = differencesOf(circuit.schedule)
    expect({ seed, problems }).toEqual({ seed, problems: [] })
    expect(sample).toBeLessThan(1e-4)
    windows += circuit.decoupling?.windows ?? 0
  }
  expect(windows).toBeGreaterThan(0)
})

test('32 circuits play what quantify-scheduler 0.28.1 plays: the same times, areas within 0.1 %', () => {
  const circuits = comparedCircuits()
  expect(golden).toHaveLength(circuits.length)
  for (const [index, gates] of circuits.entries()) {
    const theirs = golden[index] as unknown as NumbersByLine
    const { times, area } = compareNumbers(numbersByLine(ourSignals(gates)), theirs)
    expect({ index, ...times.ours }).toEqual({ index, ...times.theirs })
    // Gains have 16 bits; `bench/compiler/quantify.ts` compares every sample.
    expect(area).toBeLessThan(0.001)
  }
})
