import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { unitaryPower } from '../../../src/qasm/gates/eigen.ts'
import { adjoint, identity, multiply, rotation, withPhase } from '../../../src/qasm/gates/matrix.ts'
import { distance, faultOf, lower, opsOf, program3, unitaryOf } from '../support.ts'

const gates = [
  'x',
  'h',
  't',
  'sx',
  'rz(0.7)',
  'ry(-2.1)',
  'U(0.4, 1.9, -0.3)',
  'p(2.5)',
  'u2(0.3, 0.4)',
  'id',
]
const pairs = ['cx', 'swap', 'cp(0.9)', 'cu(0.1, 0.2, 0.3, 0.4)', 'two(0.6)']
const definitions = 'gate two(a) c, d { h c; cx c, d; rz(a) d; gphase(a/3); }'

function same(qubits: number, left: string, right: string): number {
  const unitary = (body: string) => unitaryOf(program3(`${definitions}\nqubit[${qubits}] q;\n${body}`))
  return distance(unitary(left), unitary(right))
}

const gateOf = fc.constantFrom(...gates)
const pairOf = fc.constantFrom(...pairs)
const numberOf = fc.double({ min: -3, max: 3, noNaN: true }).map((value) => value.toFixed(3))

describe('inv', () => {
  test('undoes any gate, including phase', () => {
    fc.assert(
      fc.property(gateOf, (gate) => {
        expect(same(1, `${gate} q[0]; inv @ ${gate} q[0];`, '')).toBeLessThan(1e-10)
      }),
    )
    fc.assert(
      fc.property(pairOf, (gate) => {
        expect(same(2, `${gate} q[0], q[1]; inv @ ${gate} q[0], q[1];`, '')).toBeLessThan(1e-10)
      }),
    )
  })

  test('of U(a, b, c) is U(-a, -c, -b)', () => {
    expect(same(1, 'inv @ U(0.4, 1.9, -0.3) q[0];', 'U(-0.4, 0.3, -1.9) q[0];')).toBeLessThan(1e-12)
  })

  test('commutes with ctrl', () => {
    fc.assert(
      fc.property(gateOf, (gate) => {
        const [left, right] = [`inv @ ctrl @ ${gate} q[0], q[1];`, `ctrl @ inv @ ${gate} q[0], q[1];`]
        expect(same(2, left, right)).toBeLessThan(1e-10)
      }),
    )
  })
})

describe('pow', () => {
  test('of a whole number repeats the gate', () => {
    fc.assert(
      fc.property(gateOf, fc.integer({ min: 0, max: 5 }), (gate, count) => {
        const repeated = `${gate} q[0]; `.repeat(count)
        expect(same(1, `pow(${count}) @ ${gate} q[0];`, repeated)).toBeLessThan(1e-9)
        expect(
          same(1, `pow(-${count}) @ ${gate} q[0];`, `${repeated.replaceAll(gate, `inv @ ${gate}`)}`),
        ).toBeLessThan(1e-9)
      }),
    )
  })

  test('of 1/n applied n times is the gate', () => {
    fc.assert(
      fc.property(gateOf, fc.integer({ min: 1, max: 5 }), (gate, count) => {
        expect(same(1, `pow(1/${count}) @ ${gate} q[0]; `.repeat(count), `${gate} q[0];`)).toBeLessThan(1e-9)
      }),
    )
    fc.assert(
      fc.property(pairOf, fc.integer({ min: 1, max: 3 }), (gate, count) => {
        const root = `pow(1/${count}) @ ${gate} q[0], q[1]; `
        expect(same(2, root.repeat(count), `${gate} q[0], q[1];`)).toBeLessThan(1e-9)
      }),
    )
  })

  test('uses the principal root: x becomes sx, z becomes s', () => {
    expect(same(1, 'pow(0.5) @ x q[0];', 'sx q[0];')).toBeLessThan(1e-12)
    expect(same(1, 'pow(0.5) @ z q[0];', 's q[0];')).toBeLessThan(1e-12)
    expect(same(1, 'pow(1/2) @ z q[0];', 's q[0];')).toBeLessThan(1e-12)
    expect(
      same(2, 'pow(0.5) @ swap q[0], q[1]; pow(0.5) @ swap q[0], q[1];', 'swap q[0], q[1];'),
    ).toBeLessThan(1e-12)
  })

  test('costs the same for any exponent and is exact for large ones', () => {
    expect(same(1, 'pow(9007199254740991) @ x q[0];', 'x q[0];')).toBeLessThan(1e-12)
    expect(same(1, 'pow(9007199254740990) @ x q[0];', '')).toBeLessThan(1e-12)
    expect(same(1, 'pow(4503599627370497) @ t q[0];', 't q[0];')).toBeLessThan(1e-12)
    expect(same(2, 'pow(9007199254740991) @ swap q[0], q[1];', 'swap q[0], q[1];')).toBeLessThan(1e-12)
  })

  test('rejects exponents that are not below 2^53', () => {
    for (const exponent of ['9007199254740992', '1e300', '-1e16']) {
      expect(faultOf(() => lower(program3(`qubit q; pow(${exponent}) @ x q;`)))?.[0]).toBe('bad_exponent')
    }
  })

  test('rejects a root of a gate on too many qubits, and repeats it otherwise', () => {
    const big = `gate big a,b,c,d,e,f { ${'h a; cx a,b; cx b,c; cx c,d; cx d,e; cx e,f;'} } qubit[6] q;`
    const call = 'big q[0],q[1],q[2],q[3],q[4],q[5];'
    expect(faultOf(() => lower(program3(`${big} pow(0.5) @ ${call}`)))?.[0]).toBe('unsupported')
    expect(opsOf(program3(`${big} pow(3) @ ${call}`))).toHaveLength(18)
    expect(opsOf(program3(`${big} pow(-100) @ ${call}`))).toHaveLength(600)
    expect(faultOf(() => lower(program3(`${big} pow(1e9) @ ${call}`)))?.[0]).toBe('too_many_operations')
  })
})

describe('ctrl and negctrl', () => {
  test('ctrl @ gphase is p, and ctrl(2) @ gphase is cp', () => {
    fc.assert(
      fc.property(numberOf, (angle) => {
        expect(same(1, `ctrl @ gphase(${angle}) q[0];`, `p(${angle}) q[0];`)).toBeLessThan(1e-12)
        expect(same(2, `ctrl(2) @ gphase(${angle}) q[0], q[1];`, `cp(${angle}) q[0], q[1];`)).toBeLessThan(
          1e-12,
        )
      }),
    )
  })

  test('ctrl @ rz is crz, ctrl @ x is cx, ctrl @ swap is cswap, ctrl @ ctrl @ x is ccx', () => {
    expect(same(2, 'ctrl @ rz(0.7) q[0], q[1];', 'crz(0.7) q[0], q[1];')).toBeLessThan(1e-12)
    expect(same(2, 'ctrl @ x q[1], q[0];', 'cx q[1], q[0];')).toBeLessThan(1e-12)
    expect(same(3, 'ctrl @ swap q[0], q[1], q[2];', 'cswap q[0], q[1], q[2];')).toBeLessThan(1e-12)
    expect(same(3, 'ctrl @ ctrl @ x q[0], q[1], q[2];', 'ccx q[0], q[1], q[2];')).toBeLessThan(1e-12)
    expect(same(3, 'ctrl(2) @ x q[0], q[1], q[2];', 'ccx q[0], q[1], q[2];')).toBeLessThan(1e-12)
  })

  test('the global phase of a gate becomes relative under ctrl', () => {
    const left = 'gate g a { gphase(0.4); x a; } ctrl @ g q[0], q[1];'
    expect(same(2, left, 'p(0.4) q[0]; cx q[0], q[1];')).toBeLessThan(1e-12)
  })

  test('negctrl is ctrl between x on the control', () => {
    fc.assert(
      fc.property(gateOf, (gate) => {
        const right = `x q[0]; ctrl @ ${gate} q[0], q[1]; x q[0];`
        expect(same(2, `negctrl @ ${gate} q[0], q[1];`, right)).toBeLessThan(1e-12)
      }),
    )
  })

  test('the first operand belongs to the leftmost modifier', () => {
    const right = 'x q[1]; ccx q[0], q[1], q[2]; x q[1];'
    expect(same(3, 'ctrl @ negctrl @ x q[0], q[1], q[2];', right)).toBeLessThan(1e-12)
    const swapped = 'x q[0]; ccx q[0], q[1], q[2]; x q[0];'
    expect(same(3, 'negctrl @ ctrl @ x q[0], q[1], q[2];', swapped)).toBeLessThan(1e-12)
  })

  test('modifiers apply from right to left', () => {
    expect(same(2, 'ctrl @ pow(1/2) @ z q[0], q[1];', 'ctrl @ s q[0], q[1];')).toBeLessThan(1e-12)
    expect(same(2, 'pow(1/2) @ ctrl @ z q[0], q[1];', 'ctrl @ s q[0], q[1];')).toBeLessThan(1e-12)
    expect(same(1, 'inv @ pow(1/2) @ z q[0];', 'sdg q[0];')).toBeLessThan(1e-12)
    expect(same(2, 'ctrl @ inv @ pow(2) @ t q[0], q[1];', 'ctrl @ sdg q[0], q[1];')).toBeLessThan(1e-12)
  })

  test('controls remain a mask: five of them on one x are one step', () => {
    const ops = opsOf(program3('qubit[6] q; negctrl @ ctrl(3) @ negctrl @ x q[0],q[1],q[2],q[3],q[4],q[5];'))
    expect(ops).toMatchObject([
      { kind: 'unitary', targets: [5], controls: [0, 1, 2, 3, 4], controlValues: 0b01110 },
    ])
  })

  test('a modified gate is broadcast over registers', () => {
    expect(opsOf(program3('qubit[3] a; qubit[3] b; ctrl @ x a, b; negctrl @ x a[0], b;'))).toHaveLength(6)
  })
})

describe('unitaryPower()', () => {
  test('adds exponents for any unitary on one or two qubits', () => {
    const angle = fc.double({ min: -7, max: 7, noNaN: true })
    fc.assert(
      fc.property(
        angle,
        angle,
        angle,
        angle,
        fc.double({ min: -1, max: 1, noNaN: true }),
        (a, b, c, d, k) => {
          const unitary = withPhase(d, rotation(a, b, c))
          const product = multiply(unitaryPower(unitary, k), unitaryPower(unitary, 1 - k))
          for (const [index, value] of product.entries())
            expect(value).toBeCloseTo(unitary[index] ?? Number.NaN, 8)
        },
      ),
    )
  })

  test('stays unitary and exact where eigenvalues coincide', () => {
    for (const matrix of [identity(8), withPhase(2, identity(8)), adjoint(identity(4))]) {
      const root = unitaryPower(matrix, 0.5)
      const square = multiply(root, root)
      for (const [index, value] of square.entries())
        expect(value).toBeCloseTo(matrix[index] ?? Number.NaN, 12)
    }
  })
})
