import { describe, expect, test } from 'bun:test'
import { checkProgram, type Op, secondsOf } from '../../../src/qasm/index.ts'
import { faultOf, lower, opsOf, program2, program3, runWith } from '../support.ts'

/** Lengths of the delays, s. */
const secondsOfDelays = (ops: readonly Op[] = []) =>
  ops.flatMap((op) => (op.kind === 'delay' ? secondsOf(op) : []))

/** Steps in short form: name and qubits. */
function brief(text: string, values: number[] = []): string[] {
  return opsOf(text, values).map((op) => {
    switch (op.kind) {
      case 'unitary':
        return `${op.name} ${[...op.controls, ...op.targets].join(' ')}`
      case 'phase':
        return `phase ${op.controls.join(' ')}`
      case 'measure':
        return `measure ${op.qubit} ${op.clbit}`
      case 'reset':
        return `reset ${op.qubit}`
      default:
        return `${op.kind} ${op.qubits.join(' ')}`
    }
  })
}

describe('registers', () => {
  test('the first declared has the lowest indices', () => {
    const circuit = lower(program2('qreg a[2]; creg c[1]; qreg b[1]; creg d[2]; x b[0]; measure a -> d;'))
    expect(circuit).toMatchObject({
      qubits: 3,
      clbits: 3,
      qregs: [
        ['a', 2],
        ['b', 1],
      ],
      cregs: [
        ['c', 1],
        ['d', 2],
      ],
      dynamic: false,
      warnings: [],
    })
    expect(circuit.ops).toMatchObject([
      { kind: 'unitary', targets: [2] },
      { kind: 'measure', qubit: 0, clbit: 1 },
      { kind: 'measure', qubit: 1, clbit: 2 },
    ])
  })

  test('hardware qubits follow the declared ones as a separate register', () => {
    expect(lower(program3('qubit[2] q; x $1; x q[0];')).qregs).toEqual([
      ['q', 2],
      ['$', 2],
    ])
    expect(brief(program3('qubit[2] q; x $1; x q[0]; if (true) { x $0; }'))).toEqual(['x 3', 'x 0', 'x 2'])
    expect(lower(program3('cx $0, $3;'))).toMatchObject({ qubits: 4, qregs: [['$', 4]] })
  })

  test('bits of blocks and subroutines are not part of the result', () => {
    const text = program3(
      'qubit q; bit c; def f(qubit a) -> bit { bit t1; t1 = measure a; return t1; } if (true) { bit d = f(q); c = d; }',
    )
    expect(lower(text)).toMatchObject({ clbits: 1, cregs: [['c', 1]] })
    expect(brief(text)).toEqual(['measure 0 0'])
  })
})

describe('broadcasting', () => {
  test('applies a gate side by side', () => {
    expect(brief(program2('qreg a[2]; qreg b[2]; h a; cx a,b; cx a[1],b;'))).toEqual([
      'h 0',
      'h 1',
      'cx 0 2',
      'cx 1 3',
      'cx 1 2',
      'cx 1 3',
    ])
  })

  test('works for gates of the program, resets, barriers and measurements', () => {
    const text = program3(
      'gate g(a) c, d { cx c, d; rz(a) d; } qubit[2] q; qubit[2] r; bit[2] c; g(1) q, r; reset q; barrier q, r[0]; c = measure r;',
    )
    expect(brief(text)).toEqual([
      'cx 0 2',
      'rz 2',
      'cx 1 3',
      'rz 3',
      'reset 0',
      'reset 1',
      'barrier 0 1 2',
      'measure 2 0',
      'measure 3 1',
    ])
  })

  test('a barrier or delay without operands applies to all qubits', () => {
    expect(brief(program3('qubit[2] q; x $0; barrier; delay[10ns];'))).toEqual([
      'x 2',
      'barrier 0 1 2',
      'delay 0 1 2',
    ])
  })
})

describe('gates of the program', () => {
  test('are expanded with their parameters, in the scope of the program', () => {
    const text = program3(
      'const float k = 2; gate inner(a) q { rx(a * k) q; } gate outer(a, b) q, r { inner(a + b) q; for int i in [0:1] { inner(i) r; } } qubit[2] q; outer(1, 2) q[1], q[0];',
    )
    const ops = opsOf(text)
    expect(brief(text)).toEqual(['rx 1', 'rx 0', 'rx 0'])
    const cosines = ops.map((op) => (op.kind === 'unitary' ? (op.matrix[0] ?? 0) : 0))
    for (const [index, angle] of [6, 0, 2].entries())
      expect(cosines[index]).toBeCloseTo(Math.cos(angle / 2), 12)
  })

  test('do not see the variables of the calling block', () => {
    const text = program3('const float k = 1; gate g q { rx(k) q; } qubit q; if (true) { float k = 2; g q; }')
    const [op] = opsOf(text)
    expect(op?.kind === 'unitary' ? op.matrix[0] : 0).toBeCloseTo(Math.cos(0.5), 12)
  })

  test('may replace a gate of qelib1 in version 2', () => {
    expect(
      brief(program2('gate rzz(a) c,d { cx c,d; rz(a) d; cx c,d; } qreg q[2]; rzz(1) q[0],q[1];')),
    ).toEqual(['cx 0 1', 'rz 1', 'cx 0 1'])
  })

  test('plain calls and general ones produce the same steps', () => {
    const calls = [
      'h q[0];',
      'cx q[0], q[1];',
      'rz(pi / 2 - 1) q[1];',
      'cu(1, 2, 3, 4) q[2], q[0];',
      'g(1.5) q[1], q[2];',
    ]
    const head = 'gate g(a) c, d { cp(a) c, d; h c; } qubit[3] q;'
    const plain = opsOf(program3(`${head}${calls.join('')}`))
    const general = opsOf(program3(`${head}{ ${calls.join('')} }`))
    expect(plain).toEqual(general)
  })
})

describe('measurements', () => {
  test('an outcome that is overwritten is discarded', () => {
    expect(brief(program2('qreg q[2]; creg c[1]; measure q[0] -> c[0]; measure q[1] -> c[0];'))).toEqual([
      'measure 0 -1',
      'measure 1 0',
    ])
  })

  test('an outcome without a bit is discarded', () => {
    expect(brief(program3('qubit q; measure q;'))).toEqual(['measure 0 -1'])
  })

  test('outcomes pass through variables, slices, aliases and returns', () => {
    const text = program3(
      'def m(qubit[2] a) -> bit[2] { return measure a; } qubit[4] q; bit[4] c; let low = c[0:1]; low = m(q[2:3]); bit t1 = measure q[0]; c[3] = t1 ^ 0; bit[4] d; d[1] = measure q[1]; d[1] |= c[2];',
    )
    const circuit = lower(text)
    // The outcome of q[0] is in t1 as well as in c[3], which no list of measurements can express.
    expect(circuit.dynamic).toBe(true)
    const direct = text.replace('bit t1 = measure q[0]; c[3] = t1 ^ 0;', 'c[3] = measure q[0]; c[3] ^= 0;')
    expect(brief(direct)).toEqual(['measure 2 0', 'measure 3 1', 'measure 0 3', 'measure 1 5'])
  })
})

describe('dynamic programs', () => {
  const dynamic: [string, string][] = [
    ['if on an outcome', 'qubit q; bit c; c = measure q; if (c) x q;'],
    ['while on an outcome', 'qubit q; bit c; c = measure q; while (c == 1) { x q; c = measure q; }'],
    ['a gate parameter', 'qubit q; bit c; c = measure q; rx(int(c)) q;'],
    ['an index', 'qubit[2] q; bit c; c = measure q[0]; x q[int(c)];'],
    ['a switch', 'qubit q; bit c; c = measure q; switch (int(c)) { case 1 { x q; } }'],
    ['a loop bound', 'qubit q; bit c; c = measure q; for int i in [0:int(c)] x q;'],
    ['an exponent', 'qubit q; bit c; c = measure q; pow(int(c)) @ x q;'],
    ['a computed result', 'qubit[2] q; bit[2] c; bit d; c = measure q; d = c[0] ^ c[1];'],
    ['an outcome in two bits', 'qubit q; bit c; bit d; c = measure q; d = c;'],
    ['a bit set to one', 'bit c = 1;'],
  ]
  for (const [name, body] of dynamic) {
    test(`${name} makes a program dynamic`, () => {
      const circuit = lower(program3(body))
      expect(circuit.dynamic).toBe(true)
      expect(circuit.ops).toBeUndefined()
    })
  }

  test('a program decided without outcomes stays flat', () => {
    const text = program3(
      'input int n; qubit[3] q; bit[3] c; int i = n; if (i > 1 || c[0]) { for int k in [0:i - 1] x q[k]; } c[0] = measure q[0]; if (c[1]) z q; if (c[0] && false) z q; c[0] = c[0] ^ 0;',
    )
    expect(brief(text, [2])).toEqual(['x 0', 'x 1', 'measure 0 0'])
    expect(brief(text, [1])).toEqual(['measure 0 0'])
  })

  test('runDynamic() follows the outcomes and returns the bits', () => {
    const text = program2(
      'qreg q[2]; creg c[2]; h q[0]; measure q[0] -> c[0]; if(c==1) x q[1]; measure q[1] -> c[1];',
    )
    const one = runWith(text, [], 1)
    expect(one.bits).toEqual([1, 1])
    expect(one.ops.map((op) => (op.kind === 'unitary' ? op.name : op.kind))).toEqual(['h', 'x'])
    const zero = runWith(text, [], 0)
    expect(zero.bits).toEqual([0, 0])
    expect(zero.ops).toHaveLength(1)
  })

  test('runDynamic() repeats until success', () => {
    let left = 4
    const text = program3(
      'qubit q; bit c; int n; c = measure q; while (!c) { x q; n += 1; c = measure q; } gphase(n);',
    )
    const { ops, bits } = runWith(text, [], () => (left-- > 0 ? 0 : 1))
    expect(bits).toEqual([1])
    expect(ops.filter(({ kind }) => kind === 'unitary')).toHaveLength(4)
    expect(ops.at(-1)).toMatchObject({ kind: 'phase', angle: 4 })
  })

  test('runDynamic() of a flat program produces the steps of lowerProgram()', () => {
    const text = program3('qubit[2] q; bit[2] c; h q; cx q[0], q[1]; barrier q; reset q[0]; c = measure q;')
    const { ops, bits } = runWith(text, [], 1)
    expect(ops).toEqual(opsOf(text).filter(({ kind }) => kind !== 'measure'))
    expect(bits).toEqual([1, 1])
  })

  test('iterative phase estimation measures into the bits of an angle', () => {
    const text = program3(
      'const int n = 3; qubit q; qubit r; angle[n] c; uint[n] power = 1; for uint i in [0:n - 1] { reset q; h q; ctrl @ pow(power) @ phase(1) q, r; inv @ phase(c) q; h q; measure q -> c[0]; c <<= 1; power <<= 1; } gphase(c);',
    )
    expect(lower(text).dynamic).toBe(true)
    const outcomes = [1, 0, 1] as const
    let round = 0
    const { ops } = runWith(text, [], () => outcomes[round++] ?? 0)
    const last = ops.at(-1)
    // 101 shifted left once in three bits is 010: a quarter of a turn.
    expect(last?.kind === 'phase' ? last.angle : 0).toBeCloseTo(Math.PI / 2, 12)
  })
})

describe('timing', () => {
  test('delays are in seconds', () => {
    const ops = opsOf(program3('qubit q; duration d = 2us; delay[d * 3] q; delay[100dt] q; delay[1.5ms] q;'))
    expect(secondsOfDelays(ops)).toEqual([6e-6, 1e-7, 1.5e-3])
  })

  test('durationof is zero, with a warning', () => {
    const circuit = lower(program3('qubit q; delay[durationof({ x q; })] q;'))
    expect(circuit.warnings).toEqual(['durationof() is taken as 0 s: no gate durations are known (line 3)'])
    expect(secondsOfDelays(circuit.ops)).toEqual([0])
  })

  test('stretch is zero, with a warning', () => {
    const circuit = lower(program3('qubit q; stretch g; delay[2 * g + 10ns] q;'))
    expect(circuit.warnings).toEqual(['stretch is taken as 0 s: no gate durations are known (line 3)'])
    expect(secondsOfDelays(circuit.ops)).toEqual([1e-8])
  })
})

describe('output', () => {
  const body = 'qubit[2] q; bit a; bit b; b = measure q[0]; a = measure q[1];'

  test('names the registers of the result; the others are internal to the program', () => {
    const circuit = lower(program3(`output bit[2] c; ${body} c[1] = b;`))
    expect(circuit.cregs).toEqual([['c', 2]])
    expect(circuit.clbits).toBe(2)
    expect(circuit.ops).toMatchObject([
      { qubit: 0, clbit: 1 },
      { qubit: 1, clbit: -1 },
    ])
  })

  test('is known to the checker of a long program before it is reached', () => {
    const text = program3(`bit[5] early; ${body} ${'b = a;'.repeat(3000)} output bit[2] c; bit late;`)
    expect(checkProgram(text)).toMatchObject({ clbits: 2, problems: [] })
    expect(lower(text).clbits).toBe(2)
  })

  test('without any, all registers of the top level form the result', () => {
    expect(lower(program3(body)).cregs).toEqual([
      ['a', 1],
      ['b', 1],
    ])
  })

  test('of a number is left out, with a warning, and selects nothing', () => {
    const circuit = lower(program3(`output int[8] n; ${body}`))
    expect(circuit.cregs.map(([name]) => name)).toEqual(['a', 'b'])
    expect(circuit.warnings).toEqual([
      'The output "n" is left out of the result, which is made of bits: copy it into a register (line 3)',
    ])
  })
})

describe('end', () => {
  test('ends the program at any position', () => {
    expect(brief(program3('qubit q; def f(qubit a) { x a; if (true) { end; } } f(q); z q;'))).toEqual(['x 0'])
  })
})

test('a subroutine that ends without return does not return what another returned', () => {
  const text = (taken: string) =>
    program3(`def inner() -> int { return 5; }
      def outer(bit taken) -> int { int k = inner(); inner(); if (taken) { return inner() + k; } }
      qubit q; rx(outer(${taken})) q;`)
  expect(opsOf(text('1'))).toEqual(opsOf(program3('qubit q; rx(10) q;')))
  expect(faultOf(() => lower(text('0')))?.[0]).toBe('type_mismatch')
})
