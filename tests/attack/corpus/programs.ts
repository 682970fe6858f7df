import { type Attack, defineAttacks, type Target } from '../attack.ts'

const HEAD = 'OPENQASM 3.0;\ninclude "stdgates.inc";\nqubit[2] q;\n'
const BYTES = 9_500_000
/** Accepted, refused by a limit, or deferred while other programs are checked. */
const CHECKED = [200, 201, 400, 403, 409, 413, 429, 503, 507]

const fill = (unit: string, bytes = BYTES) => unit.repeat(Math.floor(bytes / unit.length))

interface ProgramAttack {
  name: string
  input: string
  cap?: string
  finding?: number
  /** The body of a submission, or its program. */
  body?: () => unknown
  circuit?: () => string
  width?: number
  /** Sent by as many different users. */
  users?: number
  path?: string
}

function program({
  name,
  input,
  cap = '10 MB',
  finding,
  body,
  circuit,
  width = 1,
  users = 1,
  path,
}: ProgramAttack): Attack {
  return {
    ...{ name, who: 'user', input, cap, width, expect: CHECKED },
    ...(finding === undefined ? {} : { finding }),
    prepare(target: Target) {
      const text = JSON.stringify(body?.() ?? { circuits: [{ circuit: circuit?.() ?? '' }], shots: 1 })
      let next = 0
      return () => {
        const by = target.seeded.attackers[next++ % users]
        return target.send({ path: path ?? '/api/jobs', body: text, token: by?.token })
      }
    },
  }
}

/** Programs and submissions at their largest. */
export const programs = defineAttacks([
  program({
    name: 'program-memory-packed',
    input: 'a job of 300 executions with 1,000,000 shots each and packed memory',
    cap: '8 MiB of results',
    width: 4,
    body: () => ({
      circuits: Array.from({ length: 300 }, () => ({ circuit: `${HEAD}bit[64] c; c[0] = measure q[0];` })),
      ...{ shots: 1_000_000, memory: true, memory_format: 'packed' },
    }),
  }),
  program({
    name: 'program-block',
    input: '`{h q; h q; …}` of 9.5 MB',
    cap: '10 MB, limits of a statement',
    finding: 5,
    circuit: () => `${HEAD}{${fill('h q; ')}}`,
  }),
  program({
    name: 'program-gate-body',
    input: 'a gate body of 9.5 MB',
    cap: '10 MB, limits of a statement',
    finding: 5,
    circuit: () => `${HEAD}gate g a { ${fill('h a; ')} }\ng q[0];`,
  }),
  program({
    name: 'program-subroutine',
    input: 'a subroutine body of 9.5 MB',
    cap: '10 MB, limits of a statement',
    finding: 5,
    circuit: () => `${HEAD}def f(qubit a) { ${fill('h a; ')} }\nf(q[0]);`,
  }),
  program({
    name: 'program-flat',
    input: '9.5 MB of `h q[0];`',
    finding: 5,
    circuit: () => HEAD + fill('h q[0]; '),
  }),
  program({
    name: 'program-flat-qasm2',
    input: '9.5 MB of OpenQASM 2',
    circuit: () => `OPENQASM 2.0;\ninclude "qelib1.inc";\nqreg q[2];\n${fill('cx q[0],q[1]; ')}`,
  }),
  program({
    name: 'program-gates-nested',
    input: '60 gates, each of two of the one before',
    cap: '5 million operations, 100 calls',
    circuit: () => {
      const gates = Array.from({ length: 60 }, (_, at) => `gate g${at + 1} a { g${at} a; g${at} a; }`)
      return `${HEAD}gate g0 a { h a; }\n${gates.join('\n')}\ng60 q[0];`
    },
  }),
  program({
    name: 'program-loop',
    input: 'three nested `for` loops over a billion values each',
    cap: '1 million iterations',
    circuit: () =>
      `${HEAD}for int i in [0:1000000000] { for int j in [0:1000000000] { for int k in [0:1000000000] { h q[0]; } } }`,
  }),
  program({
    name: 'program-loop-at-cap',
    input: 'a `for` loop of 999,999 iterations with 5 operations each',
    cap: '5 million operations',
    circuit: () => `${HEAD}for int i in [0:999998] { h q; x q[0]; y q[1]; cx q[0], q[1]; }`,
  }),
  program({
    name: 'program-while',
    input: 'an endless `while` loop',
    cap: '1 million iterations',
    circuit: () => `${HEAD}int i = 0; while (i < 1) { i = i * 1; h q[0]; }`,
  }),
  program({
    name: 'program-registers',
    input: '65,536 qubits, broadcast 60 times',
    cap: '65,536 qubits',
    circuit: () => `OPENQASM 3.0; include "stdgates.inc"; qubit[65536] q; ${'h q; '.repeat(60)}`,
  }),
  program({
    name: 'program-many-registers',
    input: '300,000 registers',
    cap: '65,536 qubits',
    circuit: () => `OPENQASM 3.0;${Array.from({ length: 300_000 }, (_, at) => `bit[1] c${at};`).join('')}`,
  }),
  program({
    name: 'program-many-gates',
    input: '9.5 MB of gate declarations',
    cap: '65,536 names',
    circuit: () => HEAD + Array.from({ length: 450_000 }, (_, at) => `gate g${at} a{h a;}`).join(''),
  }),
  program({
    name: 'program-gates-at-cap',
    input: '65,000 gates of 9.5 MB together, which cannot be packed',
    cap: '65,536 names',
    circuit: () =>
      HEAD + Array.from({ length: 65_000 }, (_, at) => `gate g${at} a{${'inv@h a;'.repeat(16)}}`).join(''),
  }),
  program({
    name: 'program-many-names',
    input: '900,000 variables',
    cap: '65,536 names',
    circuit: () => HEAD + Array.from({ length: 900_000 }, (_, at) => `int a${at};`).join(''),
  }),
  program({
    name: 'program-expression',
    input: 'a sum of 3 million terms',
    cap: 'limits of a statement',
    circuit: () => `${HEAD}rx(1${fill('+1.0')}) q[0];`,
  }),
  program({
    name: 'program-brackets',
    input: '9.5 MB of brackets',
    cap: '200 levels',
    circuit: () => `${HEAD}rx(${fill('(')}1) q[0];`,
  }),
  program({
    name: 'program-identifier',
    input: 'an identifier of 9.5 MB',
    circuit: () => `${HEAD}${fill('a')} q[0];`,
  }),
  program({
    name: 'program-comment',
    input: 'a comment of 9.5 MB',
    circuit: () => `${HEAD}/*${fill('* ')}*/`,
  }),
  program({
    name: 'program-comment-open',
    input: '9.5 MB of openings of comments',
    circuit: () => `${HEAD}${fill('/* ')}`,
  }),
  program({
    name: 'program-includes',
    input: '9.5 MB of includes',
    circuit: () => `OPENQASM 3.0;\n${fill('include "stdgates.inc"; ', 9_000_000)}`,
  }),
  program({
    name: 'program-errors',
    input: '9.5 MB of unknown gates',
    cap: '10 MB',
    circuit: () => HEAD + fill('nogate q[0]; '),
  }),
  program({
    name: 'program-strings',
    input: 'a text of 9.5 MB without its end',
    circuit: () => `${HEAD}include "${fill('a')}`,
  }),
  program({
    name: 'program-modifiers',
    input: '9.5 MB of modifiers of one gate',
    circuit: () => `${HEAD}${fill('inv @ ')}h q[0];`,
  }),
  program({
    name: 'program-parameters',
    input: '300 sets of 1,900 parameters',
    cap: '300 executions',
    body: () => {
      const inputs = Array.from({ length: 1_900 }, (_, at) => `input float p${at};`).join('')
      const set = Array.from({ length: 1_900 }, (_, at) => at / 7)
      return {
        circuits: [{ circuit: `${HEAD}${inputs}`, parameter_values: Array.from({ length: 300 }, () => set) }],
        shots: 1,
      }
    },
  }),
  program({
    name: 'program-parameters-one-set',
    input: 'one set of 100,000 parameters',
    cap: '100,000 parameters of a set',
    body: () => {
      const inputs = Array.from({ length: 100_000 }, (_, at) => `input float p${at};`).join('')
      const set = Array.from({ length: 100_000 }, (_, at) => at / 7)
      return { circuits: [{ circuit: `${HEAD}${inputs}`, parameter_values: [set] }], shots: 1 }
    },
  }),
  program({
    name: 'program-executions',
    input: '300 parameter sets of a loop of 900,000 waits',
    cap: '1,000 steps of executions',
    body: () => ({
      circuits: [
        {
          circuit: `${HEAD}bit c; input float w; for int i in [1:900000] { delay[w * 1ns] q; } c = measure q[0];`,
          parameter_values: Array.from({ length: 300 }, (_, at) => [at]),
        },
      ],
      shots: 1,
    }),
  }),
  program({
    name: 'program-circuits',
    input: '300 different circuits of 30 KB',
    cap: '300 executions',
    body: () => ({
      circuits: Array.from({ length: 300 }, (_, at) => ({
        circuit: `${HEAD}rx(${at}) q[0];\n${fill('h q[0]; ', 30_000)}`,
      })),
      shots: 1,
    }),
  }),
  program({
    name: 'program-conditions',
    input: '300 circuits on different pairs of qubits, with a condition on their quality',
    cap: '10,000 characters of needs',
    body: () => ({
      circuits: Array.from({ length: 300 }, (_, at) => {
        const pair = `$${at % 30}, $${30 + Math.floor(at / 10)}`
        return { circuit: `OPENQASM 3.0; include "stdgates.inc"; cz ${pair};` }
      }),
      require: { readout_fidelity: '>0.97', two_qubit_error: '<0.01', calibrated_within: '2h' },
      shots: 1,
    }),
  }),
  program({
    name: 'program-labels',
    input: '300 circuits with 4 KiB of metadata each, and 10 tags',
    cap: '4 KiB of metadata per circuit',
    body: () => ({
      name: fill('n', 200),
      tags: Array.from({ length: 10 }, (_, at) => `${at}${fill('t', 63)}`),
      circuits: Array.from({ length: 300 }, () => ({
        circuit: `${HEAD}h q;`,
        name: fill('c', 200),
        metadata: { text: fill('m', 4_080) },
      })),
      shots: 1,
    }),
  }),
  program({
    name: 'program-small-repeated',
    input: '40 submissions at once of 125 KB with 49,000 operations each',
    cap: '20 submissions per second',
    width: 20,
    users: 20,
    circuit: () => HEAD + fill('h q;', 98_000),
  }),
  program({
    name: 'program-waiting',
    input: '25 submissions of one user at once, each above 128 KiB',
    cap: '20 waiting jobs per user',
    width: 25,
    circuit: () => HEAD + fill('h q[0]; ', 200_000),
  }),
  program({
    name: 'submissions-largest',
    input: '20 users submit 9.5 MB at once',
    cap: '20 MiB of bodies at once',
    width: 20,
    users: 20,
    circuit: () => HEAD + fill('h q[0]; '),
  }),
  program({
    name: 'submissions-largest-blocks',
    input: '5 users submit `{h q; …}` of 9.5 MB at once',
    cap: '20 MiB of bodies at once',
    finding: 5,
    width: 5,
    users: 5,
    circuit: () => `${HEAD}{${fill('h q; ')}}`,
  }),
  program({
    name: 'submission-dry-run',
    input: 'a dry run of 9.5 MB',
    path: '/api/jobs?dry_run=true',
    circuit: () => HEAD + fill('h q[0]; '),
  }),
  program({
    name: 'submission-record',
    input: 'a job of 9.5 MB created as a record',
    path: '/api/collections/quantum_jobs/records',
    body: () => ({ payload: { circuits: [{ circuit: HEAD + fill('h q[0]; ') }], shots: 1 } }),
  }),
])
