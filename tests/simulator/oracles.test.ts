import { describe, expect, test } from 'bun:test'
import { createRng } from '../../src/simulator/numeric/random.ts'
import {
  bits,
  countsOf,
  difference,
  inverseQft,
  measured,
  probabilitiesOf,
  qft,
  stateOf,
  unmeasured,
} from '../devices/support/programs.ts'
import { chiSquare, chiSquareLimit } from './support/run.ts'

const range = (n: number) => Array.from({ length: n }, (_, i) => i)

/** The probabilities of a program's final state, by bit string. */
function distribution(qubits: number, body: string): Map<string, number> {
  return new Map(probabilitiesOf(stateOf(unmeasured(qubits, body))).map((p, i) => [bits(i, qubits), p]))
}

describe('states with a known form', () => {
  for (const n of [2, 5, 17]) {
    test(`GHZ ${n}: all zeros and all ones, half each`, async () => {
      const body = ['h q[0];', ...range(n - 1).map((i) => `cx q[${i}], q[${i + 1}];`)].join('\n')
      const counts = await countsOf(measured(n, body))
      expect(Object.keys(counts).sort()).toEqual(['0'.repeat(n), '1'.repeat(n)])
      expect(Math.abs((counts['0'.repeat(n)] ?? 0) - 1_000)).toBeLessThan(160)
    })
  }

  test('W 6: one-hot strings, a sixth each', async () => {
    const n = 6
    const lines = ['x q[0];']
    for (let i = 0; i < n - 1; i++) {
      lines.push(
        `cry(${2 * Math.acos(Math.sqrt(1 / (n - i)))}) q[${i}], q[${i + 1}];`,
        `cx q[${i + 1}], q[${i}];`,
      )
    }
    const expected = new Map(range(n).map((i) => [bits(2 ** i, n), 1 / n]))
    const found = distribution(n, lines.join('\n'))
    for (const [key, p] of found) expect(p).toBeCloseTo(expected.get(key) ?? 0, 12)
    const counts = await countsOf(measured(n, lines.join('\n')), 6_000)
    expect(Object.keys(counts).sort()).toEqual([...expected.keys()].sort())
    expect(chiSquare(counts, expected).value).toBeLessThan(chiSquareLimit(n - 1))
  })
})

describe('quantum Fourier transform', () => {
  const n = 5
  const prepare = (k: number) =>
    range(n)
      .filter((i) => k & (1 << i))
      .map((i) => `x q[${i}];`)
      .join('\n')

  test('of every basis state k has the amplitudes e^{2πi jk/2^n}/√2^n', () => {
    for (const k of range(2 ** n)) {
      const { amplitudes } = stateOf(unmeasured(n, `${prepare(k)}\n${qft(n)}`))
      for (const j of range(2 ** n)) {
        const angle = (2 * Math.PI * j * k) / 2 ** n
        expect(amplitudes[2 * j]).toBeCloseTo(Math.cos(angle) / Math.sqrt(2 ** n), 12)
        expect(amplitudes[2 * j + 1]).toBeCloseTo(Math.sin(angle) / Math.sqrt(2 ** n), 12)
      }
    }
  })

  test('then its inverse returns every basis state', async () => {
    for (const k of [0, 1, 13, 22, 31]) {
      const counts = await countsOf(measured(n, `${prepare(k)}\n${qft(n)}\n${inverseQft(n)}`), 50)
      expect(counts).toEqual({ [bits(k, n)]: 50 })
    }
  })
})

describe('hidden strings', () => {
  for (const secret of ['1', '0110', '1011010111']) {
    test(`Bernstein-Vazirani finds ${secret}`, async () => {
      const n = secret.length
      const oracle = range(n)
        .filter((i) => secret[n - 1 - i] === '1')
        .map((i) => `cx q[${i}], q[${n}];`)
      const hs = range(n)
        .map((i) => `h q[${i}];`)
        .join('')
      const program = `${unmeasured(n + 1, `x q[${n}]; h q[${n}]; ${hs} ${oracle.join('')} ${hs}`)}
        bit[${n}] c; ${range(n)
          .map((i) => `c[${i}] = measure q[${i}];`)
          .join('')}`
      expect(await countsOf(program, 100)).toEqual({ [secret]: 100 })
    })
  }

  for (const [kind, oracle, constant] of [
    ['constant 0', '', true],
    ['constant 1', 'x q[3];', true],
    ['balanced parity', 'cx q[0], q[3]; cx q[1], q[3]; cx q[2], q[3];', false],
    ['balanced first bit', 'cx q[0], q[3];', false],
  ] as const) {
    test(`Deutsch-Jozsa finds that ${kind} is ${constant ? 'constant' : 'balanced'}`, async () => {
      const hs = 'h q[0]; h q[1]; h q[2];'
      const program = `${unmeasured(4, `x q[3]; h q[3]; ${hs} ${oracle} ${hs}`)}
        bit[3] c; c[0] = measure q[0]; c[1] = measure q[1]; c[2] = measure q[2];`
      const counts = await countsOf(program, 200)
      expect(counts['000'] ?? 0).toBe(constant ? 200 : 0)
    })
  }
})

describe('Grover search', () => {
  /** Marks `marked` among 2^n by a phase. */
  function rounds(n: number, marked: number[], count: number): string {
    const all = range(n)
      .map((i) => `q[${i}]`)
      .join(', ')
    const layer = (gate: string, where: (i: number) => boolean = () => true) =>
      range(n)
        .filter(where)
        .map((i) => `${gate} q[${i}];`)
        .join(' ')
    const flip = (value: number) => {
      const zeros = (i: number) => !(value & (1 << i))
      return `${layer('x', zeros)} ctrl(${n - 1}) @ z ${all}; ${layer('x', zeros)}`
    }
    const round = `${marked.map(flip).join('\n')} ${layer('h')} ${flip(0)} ${layer('h')}`
    return `${layer('h')}\n${range(count)
      .map(() => round)
      .join('\n')}`
  }

  for (const [n, marked, count] of [
    [3, [5], 1],
    [3, [5], 2],
    [5, [7, 19], 3],
    [6, [1, 2, 60], 2],
  ] as const) {
    test(`${marked.length} of ${2 ** n} after ${count} rounds: sin²((2r+1) asin √(M/N))`, () => {
      const found = distribution(n, rounds(n, [...marked], count))
      const hit = marked.reduce((sum, value) => sum + (found.get(bits(value, n)) ?? 0), 0)
      const theory = Math.sin((2 * count + 1) * Math.asin(Math.sqrt(marked.length / 2 ** n))) ** 2
      expect(hit).toBeCloseTo(theory, 12)
    })
  }
})

describe('arithmetic', () => {
  // Ripple-carry adder of Cuccaro, Draper, Kutin, Moulton (2004): b += a with carry-in q[0] and carry-out on
  // top.
  function adder(n: number): string {
    const a = (i: number) => `q[${1 + 2 * i}]`
    const b = (i: number) => `q[${2 + 2 * i}]`
    const carry = (i: number) => (i === 0 ? 'q[0]' : a(i - 1))
    const top = `q[${2 * n + 1}]`
    const majority = (i: number) =>
      `cx ${a(i)}, ${b(i)}; cx ${a(i)}, ${carry(i)}; ccx ${carry(i)}, ${b(i)}, ${a(i)};`
    const undo = (i: number) =>
      `ccx ${carry(i)}, ${b(i)}, ${a(i)}; cx ${a(i)}, ${carry(i)}; cx ${carry(i)}, ${b(i)};`
    return [...range(n).map(majority), `cx ${a(n - 1)}, ${top};`, ...range(n).toReversed().map(undo)].join(
      '\n',
    )
  }

  test('a ripple-carry adder adds every pair of 3-bit numbers', async () => {
    const n = 3
    for (const x of range(8)) {
      for (const y of [0, 1, 5, 7]) {
        const set = range(n)
          .flatMap((i) => [
            x & (1 << i) ? `x q[${1 + 2 * i}];` : '',
            y & (1 << i) ? `x q[${2 + 2 * i}];` : '',
          ])
          .join('')
        const reads = [...range(n).map((i) => 2 + 2 * i), 2 * n + 1]
        const program = `${unmeasured(2 * n + 2, `${set}\n${adder(n)}`)}
          bit[${n + 1}] c; ${reads.map((q, i) => `c[${i}] = measure q[${q}];`).join('')}`
        expect(await countsOf(program, 10)).toEqual({ [bits(x + y, n + 1)]: 10 })
      }
    }
  })
})

describe('phase estimation', () => {
  const t = 4
  const estimate = (phi: number) => {
    const powers = range(t).map((i) => `cp(${2 * Math.PI * phi * 2 ** i}) q[${i}], q[${t}];`)
    return `x q[${t}]; ${range(t)
      .map((i) => `h q[${i}];`)
      .join('')} ${powers.join('')} ${inverseQft(t)}`
  }

  test('of a phase with t bits is exact', async () => {
    for (const k of [0, 1, 6, 11, 15]) {
      const program = `${unmeasured(t + 1, estimate(k / 16))}
        bit[${t}] c; ${range(t)
          .map((i) => `c[${i}] = measure q[${i}];`)
          .join('')}`
      expect(await countsOf(program, 40)).toEqual({ [bits(k, t)]: 40 })
    }
  })

  test('of any phase follows sin²(π2^tδ)/(2^{2t} sin²(πδ))', () => {
    for (const phi of [0.1, 0.3141, 0.77]) {
      const found = probabilitiesOf(stateOf(unmeasured(t + 1, estimate(phi))))
      for (const k of range(2 ** t)) {
        const delta = phi - k / 2 ** t
        const theory =
          Math.sin(Math.PI * 2 ** t * delta) ** 2 / (2 ** (2 * t) * Math.sin(Math.PI * delta) ** 2)
        expect(found[k + 2 ** t]).toBeCloseTo(theory, 10)
      }
    }
  })
})

describe('tests of overlap and transport', () => {
  test('swap test: P(0) = (1 + |<a|b>|²)/2', () => {
    for (const [a, b] of [
      [0.3, 0.3],
      [0, Math.PI],
      [0.4, 1.9],
    ] as const) {
      const body = `ry(${a}) q[1]; ry(${b}) q[2]; h q[0]; cswap q[0], q[1], q[2]; h q[0];`
      const found = probabilitiesOf(stateOf(unmeasured(3, body)))
      const zero = found.filter((_, i) => i % 2 === 0).reduce((sum, p) => sum + p, 0)
      expect(zero).toBeCloseTo((1 + Math.cos((a - b) / 2) ** 2) / 2, 12)
    }
  })

  test('teleportation gives the target the probabilities of any input, with and without feedback', async () => {
    for (const angle of [0, 0.7, 2.2, Math.PI]) {
      const one = Math.sin(angle / 2) ** 2
      const head = 'OPENQASM 3.0; include "stdgates.inc"; qubit[3] q; bit a; bit b; bit out;'
      const send = `u3(${angle}, 0.4, 0) q[0]; h q[1]; cx q[1], q[2]; cx q[0], q[1]; h q[0];`
      const fed = `${head} ${send} a = measure q[0]; b = measure q[1]; if (b) x q[2]; if (a) z q[2]; out = measure q[2];`
      const deferred = `${head} ${send} cx q[1], q[2]; cz q[0], q[2]; a = measure q[0]; b = measure q[1]; out = measure q[2];`
      const expected = new Map(range(8).map((i) => [bits(i, 3), (i & 4 ? one : 1 - one) / 4]))
      for (const program of [fed, deferred]) {
        const { value, freedom } = chiSquare(await countsOf(program, 8_000), expected)
        expect(value).toBeLessThan(chiSquareLimit(freedom))
      }
    }
  })
})

describe('inverses and modifiers', () => {
  const GATES: [string, number, number][] = [
    ...['x', 'y', 'z', 'h', 's', 'sdg', 't', 'tdg', 'sx'].map((name): [string, number, number] => [
      name,
      0,
      1,
    ]),
    ...['p', 'rx', 'ry', 'rz', 'phase', 'u1'].map((name): [string, number, number] => [name, 1, 1]),
    ...['cx', 'cy', 'cz', 'ch', 'swap'].map((name): [string, number, number] => [name, 0, 2]),
    ...['cp', 'crx', 'cry', 'crz', 'cphase'].map((name): [string, number, number] => [name, 1, 2]),
    ['u2', 2, 1],
    ['u3', 3, 1],
    ['U', 3, 1],
    ['cu', 4, 2],
    ['ccx', 0, 3],
    ['cswap', 0, 3],
  ]
  const modifiers = ['', '', 'inv @ ', 'pow(0.5) @ ', 'pow(-3) @ ']

  test('a random circuit of all gates and modifiers, then its inverse, returns to zero', () => {
    const rng = createRng(3)
    const pick = <T>(list: readonly T[]): T => list[Math.floor(rng.next() * list.length)] as T
    for (let round = 0; round < 12; round++) {
      const n = 5
      const calls = range(40).map(() => {
        const [name, parameters, width] = pick(GATES)
        const order = range(n)
          .map((i) => ({ i, key: rng.next() }))
          .sort((a, b) => a.key - b.key)
          .map(({ i }) => i)
        const controls = width < 4 && rng.next() < 0.3 ? 1 : 0
        const control = controls === 0 ? '' : pick(['ctrl @ ', 'negctrl @ '])
        const angles = range(parameters).map(() => (6 * rng.next() - 3).toFixed(6))
        const args = parameters === 0 ? '' : `(${angles.join(', ')})`
        const where = order
          .slice(0, width + controls)
          .map((i) => `q[${i}]`)
          .join(', ')
        return `${control}${pick(modifiers)}${name}${args} ${where};`
      })
      const back = calls.toReversed().map((call) => `inv @ ${call}`)
      const state = stateOf(unmeasured(n, [...calls, ...back].join('\n')))
      const zero = (state.amplitudes[0] ?? 0) ** 2 + (state.amplitudes[1] ?? 0) ** 2
      expect(zero).toBeCloseTo(1, 9)
    }
  })

  test('ctrl @ gphase(γ) equals p(γ), and ctrl @ ctrl @ gphase(γ) equals cp(γ)', () => {
    const spread = 'ry(0.4) q[0]; ry(1.1) q[1]; cx q[0], q[1];'
    const single = stateOf(unmeasured(2, `${spread} ctrl @ gphase(0.9) q[0];`))
    expect(difference(single, stateOf(unmeasured(2, `${spread} p(0.9) q[0];`)))).toBeLessThan(1e-12)
    const double = stateOf(unmeasured(2, `${spread} ctrl(2) @ gphase(0.9) q[0], q[1];`))
    expect(difference(double, stateOf(unmeasured(2, `${spread} cp(0.9) q[0], q[1];`)))).toBeLessThan(1e-12)
  })
})

describe('gates that other implementations got wrong', () => {
  test('ccx flips its target for 11 only', async () => {
    for (const input of range(8)) {
      const set = range(3)
        .filter((i) => input & (1 << i))
        .map((i) => `x q[${i}];`)
        .join('')
      const expected = (input & 3) === 3 ? input ^ 4 : input
      expect(await countsOf(measured(3, `${set} ccx q[0], q[1], q[2];`), 5)).toEqual({
        [bits(expected, 3)]: 5,
      })
    }
  })

  test('crz and cp of OpenQASM 2 are diag(1, 1, e^{∓iλ/2}, e^{iλ/2}) and diag(1, 1, 1, e^{iλ})', () => {
    const program = (gate: string) =>
      `OPENQASM 2.0; include "qelib1.inc"; qreg q[2]; h q[0]; h q[1]; ${gate}(0.8) q[0],q[1];`
    const expectPhases = (gate: string, angles: number[]) => {
      const { amplitudes } = stateOf(program(gate))
      angles.forEach((angle, index) => {
        expect(amplitudes[2 * index]).toBeCloseTo(Math.cos(angle) / 2, 12)
        expect(amplitudes[2 * index + 1]).toBeCloseTo(Math.sin(angle) / 2, 12)
      })
    }
    // Index bit 0 is the control q[0], bit 1 the target.
    expectPhases('crz', [0, -0.4, 0, 0.4])
    expectPhases('cu1', [0, 0, 0, 0.8])
  })

  test('phases under a control have an effect: ctrl @ s equals cp(π/2)', () => {
    const spread = 'h q[0]; h q[1];'
    const a = stateOf(unmeasured(2, `${spread} ctrl @ s q[0], q[1];`))
    const b = stateOf(unmeasured(2, `${spread} cp(pi/2) q[0], q[1];`))
    expect(difference(a, b)).toBeLessThan(1e-12)
  })
})

test('sampling at a fixed seed follows a random state (chi-square)', async () => {
  const rng = createRng(21)
  const body = range(60)
    .map(
      (i) =>
        `u3(${(3 * rng.next()).toFixed(5)}, ${rng.next().toFixed(5)}, 0.3) q[${i % 6}]; cx q[${i % 6}], q[${(i + 1) % 6}];`,
    )
    .join('\n')
  const { value, freedom } = chiSquare(await countsOf(measured(6, body), 40_000), distribution(6, body))
  expect(freedom).toBeGreaterThan(30)
  expect(value).toBeLessThan(chiSquareLimit(freedom))
})
