import { describe, expect, test } from 'bun:test'
import { QELIB1, STDGATES } from '../../../src/qasm/gates/library.ts'
import { type Complex, distance, program2, program3, unitaryOf } from '../support.ts'

const r = Math.SQRT1_2
const c = (re: number, im = 0): Complex => ({ re, im })

const [O, I] = [c(0), c(1)]

/** Textbook matrices by rows; qubit 0 is the least significant bit. */
const textbook: [string, Complex[]][] = [
  ['x', [O, I, I, O]],
  ['y', [O, c(0, -1), c(0, 1), O]],
  ['z', [I, O, O, c(-1)]],
  ['h', [c(r), c(r), c(r), c(-r)]],
  ['s', [I, O, O, c(0, 1)]],
  ['sdg', [I, O, O, c(0, -1)]],
  ['t', [I, O, O, c(r, r)]],
  ['tdg', [I, O, O, c(r, -r)]],
  ['sx', [c(0.5, 0.5), c(0.5, -0.5), c(0.5, -0.5), c(0.5, 0.5)]],
  ['id', [I, O, O, I]],
  ['rz(0.6)', [c(Math.cos(0.3), -Math.sin(0.3)), O, O, c(Math.cos(0.3), Math.sin(0.3))]],
  ['rx(0.6)', [c(Math.cos(0.3)), c(0, -Math.sin(0.3)), c(0, -Math.sin(0.3)), c(Math.cos(0.3))]],
  ['ry(0.6)', [c(Math.cos(0.3)), c(-Math.sin(0.3)), c(Math.sin(0.3)), c(Math.cos(0.3))]],
  ['p(0.6)', [I, O, O, c(Math.cos(0.6), Math.sin(0.6))]],
]

/** The definitions of stdgates.inc without the phases that `U`, `u2` and `u3` omit, under our own names. */
const definitions3 = `
gate d_p(l) a { ctrl @ gphase(l) a; }
gate d_x a { U(pi, 0, pi) a; }
gate d_y a { U(pi, pi/2, pi/2) a; }
gate d_z a { d_p(pi) a; }
gate d_h a { U(pi/2, 0, pi) a; }
gate d_s a { pow(1/2) @ d_z a; }
gate d_sdg a { inv @ pow(1/2) @ d_z a; }
gate d_t a { pow(1/2) @ d_s a; }
gate d_tdg a { inv @ pow(1/2) @ d_s a; }
gate d_sx a { pow(1/2) @ d_x a; }
gate d_rx(t) a { U(t, -pi/2, pi/2) a; }
gate d_ry(t) a { U(t, 0, 0) a; }
gate d_rz(l) a { gphase(-l/2); U(0, 0, l) a; }
gate d_cx a, b { ctrl @ d_x a, b; }
gate d_cy a, b { ctrl @ d_y a, b; }
gate d_cz a, b { ctrl @ d_z a, b; }
gate d_cp(l) a, b { ctrl @ d_p(l) a, b; }
gate d_crx(t) a, b { ctrl @ d_rx(t) a, b; }
gate d_cry(t) a, b { ctrl @ d_ry(t) a, b; }
gate d_crz(t) a, b { ctrl @ d_rz(t) a, b; }
gate d_ch a, b { ctrl @ d_h a, b; }
gate d_swap a, b { d_cx a, b; d_cx b, a; d_cx a, b; }
gate d_ccx a, b, c { ctrl @ ctrl @ d_x a, b, c; }
gate d_cswap a, b, c { ctrl @ d_swap a, b, c; }
gate d_cu(t, f, l, g) a, b { d_p(g) a; ctrl @ U(t, f, l) a, b; }
gate d_CX a, b { ctrl @ U(pi, 0, pi) a, b; }
gate d_phase(l) q { U(0, 0, l) q; }
gate d_cphase(l) a, b { ctrl @ d_phase(l) a, b; }
gate d_id a { U(0, 0, 0) a; }
gate d_u1(l) q { U(0, 0, l) q; }
gate d_u2(f, l) q { U(pi/2, f, l) q; }
gate d_u3(t, f, l) q { U(t, f, l) q; }
`

/** The definitions of qelib1.inc, under our own names. */
const definitions2 = `
gate d_u3(t,f,l) q { U(t,f,l) q; }
gate d_u(t,f,l) q { U(t,f,l) q; }
gate d_u2(f,l) q { U(pi/2,f,l) q; }
gate d_u1(l) q { U(0,0,l) q; }
gate d_p(l) q { U(0,0,l) q; }
gate d_u0(g) q { U(0,0,0) q; }
gate d_cx c,t { CX c,t; }
gate d_id a { U(0,0,0) a; }
gate d_x a { d_u3(pi,0,pi) a; }
gate d_y a { d_u3(pi,pi/2,pi/2) a; }
gate d_z a { d_u1(pi) a; }
gate d_h a { d_u2(0,pi) a; }
gate d_s a { d_u1(pi/2) a; }
gate d_sdg a { d_u1(-pi/2) a; }
gate d_t a { d_u1(pi/4) a; }
gate d_tdg a { d_u1(-pi/4) a; }
gate d_sx a { d_sdg a; d_h a; d_sdg a; }
gate d_sxdg a { d_s a; d_h a; d_s a; }
gate d_rx(t) a { d_u3(t,-pi/2,pi/2) a; }
gate d_ry(t) a { d_u3(t,0,0) a; }
gate d_rz(f) a { d_u1(f) a; }
gate d_cz a,b { d_h b; d_cx a,b; d_h b; }
gate d_cy a,b { d_sdg b; d_cx a,b; d_s b; }
gate d_swap a,b { d_cx a,b; d_cx b,a; d_cx a,b; }
gate d_ch a,b { d_h b; d_sdg b; d_cx a,b; d_h b; d_t b; d_cx a,b; d_t b; d_h b; d_s b; d_x b; d_s a; }
gate d_ccx a,b,c { d_h c; d_cx b,c; d_tdg c; d_cx a,c; d_t c; d_cx b,c; d_tdg c; d_cx a,c; d_t b; d_t c; d_h c; d_cx a,b; d_t a; d_tdg b; d_cx a,b; }
gate d_cswap a,b,c { d_cx c,b; d_ccx a,b,c; d_cx c,b; }
gate d_crx(l) a,b { d_u1(pi/2) b; d_cx a,b; d_u3(-l/2,0,0) b; d_cx a,b; d_u3(l/2,-pi/2,0) b; }
gate d_cry(l) a,b { d_ry(l/2) b; d_cx a,b; d_ry(-l/2) b; d_cx a,b; }
gate d_crz(l) a,b { d_rz(l/2) b; d_cx a,b; d_rz(-l/2) b; d_cx a,b; }
gate d_cu1(l) a,b { d_u1(l/2) a; d_cx a,b; d_u1(-l/2) b; d_cx a,b; d_u1(l/2) b; }
gate d_cp(l) a,b { d_p(l/2) a; d_cx a,b; d_p(-l/2) b; d_cx a,b; d_p(l/2) b; }
gate d_cu3(t,f,l) c,x { d_u1((l+f)/2) c; d_u1((l-f)/2) x; d_cx c,x; d_u3(-t/2,0,-(f+l)/2) x; d_cx c,x; d_u3(t/2,f,0) x; }
gate d_cu(t,f,l,g) c,x { d_p(g) c; d_p((l+f)/2) c; d_p((l-f)/2) x; d_cx c,x; d_u(-t/2,0,-(f+l)/2) x; d_cx c,x; d_u(t/2,f,0) x; }
gate d_csx a,b { d_h b; d_cu1(pi/2) a,b; d_h b; }
gate d_rzz(t) a,b { d_cx a,b; d_u1(t) b; d_cx a,b; }
gate d_rxx(t) a,b { d_h a; d_h b; d_cx a,b; d_u1(t) b; d_cx a,b; d_h b; d_h a; }
gate d_rccx a,b,c { d_u2(0,pi) c; d_u1(pi/4) c; d_cx b,c; d_u1(-pi/4) c; d_cx a,c; d_u1(pi/4) c; d_cx b,c; d_u1(-pi/4) c; d_u2(0,pi) c; }
gate d_rc3x a,b,c,d { d_u2(0,pi) d; d_u1(pi/4) d; d_cx c,d; d_u1(-pi/4) d; d_u2(0,pi) d; d_cx a,d; d_u1(pi/4) d; d_cx b,d; d_u1(-pi/4) d; d_cx a,d; d_u1(pi/4) d; d_cx b,d; d_u1(-pi/4) d; d_u2(0,pi) d; d_u1(pi/4) d; d_cx c,d; d_u1(-pi/4) d; d_u2(0,pi) d; }
gate d_c3x a,b,c,d { d_h d; d_p(pi/8) a; d_p(pi/8) b; d_p(pi/8) c; d_p(pi/8) d; d_cx a,b; d_p(-pi/8) b; d_cx a,b; d_cx b,c; d_p(-pi/8) c; d_cx a,c; d_p(pi/8) c; d_cx b,c; d_p(-pi/8) c; d_cx a,c; d_cx c,d; d_p(-pi/8) d; d_cx b,d; d_p(pi/8) d; d_cx c,d; d_p(-pi/8) d; d_cx a,d; d_p(pi/8) d; d_cx c,d; d_p(-pi/8) d; d_cx b,d; d_p(pi/8) d; d_cx c,d; d_p(-pi/8) d; d_cx a,d; d_h d; }
gate d_c3sqrtx a,b,c,d { d_h d; d_cu1(pi/8) a,d; d_h d; d_cx a,b; d_h d; d_cu1(-pi/8) b,d; d_h d; d_cx a,b; d_h d; d_cu1(pi/8) b,d; d_h d; d_cx b,c; d_h d; d_cu1(-pi/8) c,d; d_h d; d_cx a,c; d_h d; d_cu1(pi/8) c,d; d_h d; d_cx b,c; d_h d; d_cu1(-pi/8) c,d; d_h d; d_cx a,c; d_h d; d_cu1(pi/8) c,d; d_h d; }
gate d_c4x a,b,c,d,e { d_h e; d_cu1(pi/2) d,e; d_h e; d_c3x a,b,c,d; d_h e; d_cu1(-pi/2) d,e; d_h e; d_c3x a,b,c,d; d_c3sqrtx a,b,c,e; }
`

const angles = [0.7, -1.3, 2.9, 0.4]

function call(name: string, parameters: number, qubits: number): string {
  const values = parameters === 0 ? '' : `(${angles.slice(0, parameters).join(',')})`
  return `${name}${values} ${Array.from({ length: qubits }, (_, index) => `q[${index}]`).join(',')};`
}

describe('gates of the textbooks', () => {
  for (const [gate, [a = O, b = O, c = O, d = O]] of textbook) {
    test(`${gate} has its matrix, including phase`, () => {
      const columns = [
        [a, c],
        [b, d],
      ]
      expect(distance(unitaryOf(program3(`qubit[1] q;\n${gate} q[0];`)), columns)).toBeLessThan(1e-12)
    })
  }

  test('cx uses the first operand as control', () => {
    const columns = unitaryOf(program3('qubit[2] q; cx q[0], q[1];'))
    expect(columns.map((column) => column.findIndex(({ re }) => re === 1))).toEqual([0, 3, 2, 1])
  })

  test('crz of qelib1 is diag(1, 1, e^-il/2, e^il/2) with the control as low bit', () => {
    const columns = unitaryOf(program2('qreg q[2]; crz(0.8) q[0],q[1];'))
    const phases = columns.map((column, index) => Math.atan2(column[index]?.im ?? 0, column[index]?.re ?? 0))
    for (const [index, phase] of [0, -0.4, 0, 0.4].entries()) expect(phases[index]).toBeCloseTo(phase, 12)
  })

  test('U has no phase of its own in both versions', () => {
    for (const header of ['OPENQASM 3; qubit[1] q;', 'OPENQASM 2.0; qreg q[1];']) {
      const [zero] = unitaryOf(`${header} U(0.8, 0.3, 0.5) q[0];`)
      expect([zero?.[0]?.re, zero?.[0]?.im]).toEqual([Math.cos(0.4), 0])
    }
  })
})

describe('stdgates.inc', () => {
  for (const { name, parameters, qubits } of STDGATES.values()) {
    test(`${name} equals its definition, including phase`, () => {
      const library = unitaryOf(program3(`qubit[${qubits}] q;\n${call(name, parameters, qubits)}`))
      const defined = unitaryOf(
        program3(`${definitions3}qubit[${qubits}] q;\n${call(`d_${name}`, parameters, qubits)}`),
      )
      expect(distance(library, defined)).toBeLessThan(1e-9)
    })
  }
})

describe('qelib1.inc', () => {
  for (const { name, parameters, qubits } of QELIB1.values()) {
    test(`${name} equals its definition up to a global phase`, () => {
      const library = unitaryOf(program2(`qreg q[${qubits}];\n${call(name, parameters, qubits)}`))
      const defined = unitaryOf(
        program2(`${definitions2}qreg q[${qubits}];\n${call(`d_${name}`, parameters, qubits)}`),
      )
      expect(distance(library, defined, true)).toBeLessThan(1e-9)
    })
  }
})
