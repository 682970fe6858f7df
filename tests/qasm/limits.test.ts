import { describe, expect, test } from 'bun:test'
import { Checker } from '../../src/qasm/checker.ts'
import { checkProgram, lowerProgram, parseProgram, runDynamic } from '../../src/qasm/index.ts'
import { DEFAULT_LIMITS } from '../../src/qasm/limits.ts'
import { openProgram } from '../../src/qasm/syntax/parse.ts'
import { faultOf, lower, opsOf, program2, program3 } from './support.ts'

const codeOf = (work: () => unknown) => faultOf(work)?.[0]
const deep = 100_000

describe('limits', () => {
  test('program_too_large: the text', () => {
    expect(codeOf(() => parseProgram(' '.repeat(11_000_000)))).toBe('program_too_large')
    expect(codeOf(() => parseProgram('qubit q;', { textLength: 4 }))).toBe('program_too_large')
  })

  test('program_too_large: names of the top level', () => {
    const many = (line: (at: number) => string) => Array.from({ length: 9 }, (_, at) => line(at)).join(' ')
    const declarations = [
      ['gates', many((at) => `gate g${at} a { U(0, 0, 0) a; }`)],
      ['subroutines', many((at) => `def f${at}(qubit a) { reset a; }`)],
      ['externs', many((at) => `extern e${at}(int) -> int;`)],
      ['variables', many((at) => `int n${at};`)],
      ['constants', many((at) => `const int n${at} = 1;`)],
      ['registers', many((at) => `bit[2] c${at};`)],
      ['aliases', `qubit[2] q; ${many((at) => `let a${at} = q;`)}`],
      ['OpenQASM 2', program2(many((at) => `gate g${at} a { U(0, 0, 0) a; }`))],
    ] as const
    for (const [what, text] of declarations) {
      const names = what === 'aliases' ? 10 : 9
      expect([what, checkProgram(text, { names }).problems]).toEqual([what, []])
      expect([what, checkProgram(text, { names: names - 1 }).problems]).toMatchObject([
        what,
        [{ code: 'program_too_large', message: expect.stringContaining('more than') }],
      ])
    }
    expect(codeOf(() => parseProgram(`{ ${many((at) => `int n${at};`)} }`, { names: 1 }))).toBeUndefined()
  })

  test('the bodies of checked definitions are not kept: calls need their heads only', () => {
    const text = program3('gate g a { inv @ h a; } def f(qubit a) { inv @ h a; }')
    const { program, maxStatements } = openProgram(text, DEFAULT_LIMITS)
    maxStatements(Number.POSITIVE_INFINITY)
    const checker = new Checker(program, DEFAULT_LIMITS)
    checker.checkAll(program.statements)
    expect(checker.problems).toEqual([])
    expect(checker.scope.own('g')).toMatchObject({ kind: 'gate', gate: { steps: 1, node: { body: [] } } })
    expect(checker.scope.own('f')).toMatchObject({ kind: 'def', node: { body: [] } })
  })

  const nested: [string, string][] = [
    ['parentheses', `int i = ${'('.repeat(deep)}1${')'.repeat(deep)};`],
    ['powers', `int i = ${'1 ** '.repeat(deep)}1;`],
    ['signs', `int i = ${'- '.repeat(deep)}1;`],
    ['negations', `bool b = ${'!'.repeat(deep)}true;`],
    ['indices', `bit[2] c; c${'[0]'.repeat(deep)} = 1;`],
    ['blocks', `${'{'.repeat(deep)}${'}'.repeat(deep)}`],
    ['array literals', `array[int, 1] a = ${'{'.repeat(deep)}${'}'.repeat(deep)};`],
    ['casts', `int i = ${'int('.repeat(deep)}1${')'.repeat(deep)};`],
    ['calls', `float f = ${'sin('.repeat(deep)}1${')'.repeat(deep)};`],
    ['types', `${'complex['.repeat(deep)}float${']'.repeat(deep)} c;`],
    ['sizes', `${'int[int['.repeat(deep)}8`],
    ['conditions', `${'if (true) '.repeat(deep)} x $0;`],
    ['alternatives', `${'if (true) {} else '.repeat(deep)} {}`],
    ['loops', `${'for int i in [0:1] '.repeat(deep)} {}`],
    ['indices in indices', `${'c['.repeat(deep)}0${']'.repeat(deep)} = 1;`],
    ['switches', `${'switch (1) { case 1 { '.repeat(deep)}`],
  ]
  for (const [name, text] of nested) {
    test(`nesting_too_deep: ${name}`, () => {
      expect(['nesting_too_deep', 'syntax_error']).toContain(codeOf(() => parseProgram(text)) ?? 'accepted')
      expect(checkProgram(text).problems).toHaveLength(1)
    })
  }

  test('nesting_too_deep: OpenQASM 2 expressions', () => {
    const text = program2(`qreg q[1]; rx(${'('.repeat(deep)}1${')'.repeat(deep)}) q[0];`)
    expect(codeOf(() => parseProgram(text))).toBe('nesting_too_deep')
  })

  test('nesting below the limit is accepted', () => {
    expect(codeOf(() => lower(`int i = ${'('.repeat(150)}1${')'.repeat(150)};`))).toBeUndefined()
  })

  test('nesting_too_deep: calls inside blocks and expressions add up at run time', () => {
    const body = `${'if (true) {'.repeat(90)} n = ${'('.repeat(90)}f(n - 1)${' + 0)'.repeat(90)}; ${'}'.repeat(90)}`
    const text = `def f(int i) -> int { int n = i; if (n == 0) return 0; ${body} return n; } int r = f(99);`
    expect(['nesting_too_deep', 'recursion']).toContain(codeOf(() => lower(text)) ?? 'accepted')
  })

  test('recursion: a subroutine that never returns', () => {
    expect(codeOf(() => lower('def f(int i) -> int { return f(i); } int n = f(1);'))).toBe('recursion')
  })

  test('recursion: gates more than a hundred levels deep', () => {
    const levels = Array.from({ length: 120 }, (_, index) => `gate g${index + 1} a { g${index} a; }`).join(
      '\n',
    )
    expect(codeOf(() => lower(program3(`gate g0 a { x a; }\n${levels}\nqubit q; g120 q;`)))).toBe('recursion')
  })

  test('too_many_operations: gates that double, before they are expanded', () => {
    const levels = Array.from(
      { length: 60 },
      (_, index) => `gate g${index + 1} a { g${index} a; g${index} a; }`,
    ).join('\n')
    const program = parseProgram(program3(`gate g0 a { x a; }\n${levels}\nqubit q;\ng60 q;`))
    // To expand the gates up to this limit would never end.
    const limits = { operations: 2 ** 50 }
    expect(faultOf(() => lowerProgram(program, [], limits))?.[0]).toBe('too_many_operations')
  })

  test('too_many_operations: loops, calls and wide statements', () => {
    const limits = { operations: 1000 }
    const bodies = [
      'qubit q; for int i in [0:999] x q;',
      'int n; while (n < 1200) n += 1;',
      'qubit[600] q; x q; x q;',
      'qubit[600] q; barrier q; barrier q;',
      'qubit[600] q; bit[600] c; c = measure q; c = measure q;',
      'array[int, 600] a; array[int, 600] b; a = b;',
      'gate g a { for int i in [0:2000] x a; } qubit q; g q;',
      'def f() { for int i in [0:500] { int n; n = 1; } } f();',
    ]
    for (const body of bodies) {
      const program = parseProgram(program3(body))
      expect(codeOf(() => lowerProgram(program, [], limits))).toBe('too_many_operations')
    }
  })

  test('too_many_operations: one dynamic run', () => {
    const program = parseProgram(
      program3('qubit q; bit c; c = measure q; while (c == 0) { x q; c = measure q; }'),
    )
    const sink = { apply: () => undefined, measure: (): 0 | 1 => 0 }
    expect(codeOf(() => runDynamic(program, [], sink, { operations: 1000 }))).toBe('too_many_operations')
  })

  test('too_many_operations: expressions evaluated repeatedly', () => {
    const sum = Array(2000).fill('a').join(' + ')
    const program = parseProgram(`int a = 1; int n; while (n < 1000000) { n += 1; a = ${sum}; }`)
    expect(codeOf(() => lowerProgram(program, [], { operations: 20_000 }))).toBe('too_many_operations')
  })

  test('too_many_operations: checking wide statements', () => {
    const wide = 'c = ~c; h q; reset q; c = measure q;\n'.repeat(20_000)
    const { problems } = checkProgram(program3(`qubit[60000] q; bit[60000] c;\n${wide}`))
    expect(new Set(problems.map(({ code }) => code))).toEqual(new Set(['too_many_operations']))
    // 5,000,000 bits are reached in the 24th of 20,000 lines, and 100 problems soon after it.
    expect(problems[0]?.line).toBe(27)
    expect(problems.at(-1)?.line).toBeLessThan(60)
  })

  test('loop_limit: iterations of all loops together', () => {
    expect(codeOf(() => lower('while (true) { }'))).toBe('loop_limit')
    expect(codeOf(() => lower('for int i in [0:2000000] { }'))).toBe('loop_limit')
    expect(codeOf(() => lower('for int i in [0:1100] { for int j in [0:1100] { } }'))).toBe('loop_limit')
  })

  test('too_many_qubits and too_many_bits: the sum of all registers', () => {
    expect(codeOf(() => parseProgram('qubit[5] a; qubit[4] b;', { qubits: 8 }))).toBe('too_many_qubits')
    expect(codeOf(() => parseProgram('qubit[5] a; reset $4;', { qubits: 8 }))).toBe('too_many_qubits')
    expect(codeOf(() => parseProgram('qubit[5] a; U(0,0,0) $4;', { qubits: 8 }))).toBe('too_many_qubits')
    expect(codeOf(() => parseProgram('bit[5] a; bit[4] b;', { bits: 8 }))).toBe('too_many_bits')
    expect(codeOf(() => parseProgram(`bit[8] a = "${'0'.repeat(9)}";`, { bits: 8 }))).toBe('too_many_bits')
  })

  test('too_many_bits: registers of blocks and subroutines count as well, before a bit is created', () => {
    const blocks = Array.from({ length: 2000 }, (_, index) => `bit[65536] b${index};`).join(' ')
    expect(codeOf(() => parseProgram(`{ ${blocks} }`))).toBe('too_many_bits')
    expect(codeOf(() => parseProgram('{ bit[5] a; } def f() { bit[4] b; }', { bits: 8 }))).toBe(
      'too_many_bits',
    )
    expect(codeOf(() => parseProgram('{ const bit[9] a = 1; }', { bits: 8 }))).toBe('too_many_bits')
  })

  test('too_many_bits: the elements of an array count with their width', () => {
    expect(codeOf(() => parseProgram('array[bit[65536], 1000000] a;'))).toBe('too_many_bits')
    expect(codeOf(() => parseProgram('array[int[1000], 1000000] a;'))).toBe('too_many_bits')
    expect(codeOf(() => parseProgram('array[int[64], 1000000] a;'))).toBeUndefined()
  })

  test('too_many_operations: wide arguments, loop variables and declarations created repeatedly', () => {
    const bodies = [
      'int n; while (n < 100) { n += 1; bit[60000] b; }',
      'def f(bit[60000] b) { } for int i in [0:100] f(0);',
      `for bit[60000] b in {${Array(100).fill('0').join(', ')}} { }`,
    ]
    for (const body of bodies) expect(codeOf(() => lower(body))).toBe('too_many_operations')
    const definitions = Array.from({ length: 200 }, (_, index) => `def f${index}(bit[60000] b) { }`).join(
      '\n',
    )
    expect(codeOf(() => parseProgram(definitions))).toBe('too_many_operations')
  })

  test('wide registers and long literals are handled without deep recursion or spread', () => {
    const items = Array(60_000).fill('1').join(', ')
    expect(codeOf(() => lower(`array[int, 60000] a = {${items}};`))).toBeUndefined()
    expect(codeOf(() => lower('qubit[60000] q; let a = q ++ $0;'))).toBeUndefined()
    expect(codeOf(() => lower(`bit[60000] c = "${'01'.repeat(30_000)}"; c = ~c;`))).toBeUndefined()
    expect(codeOf(() => lower(`bool b = ${Array(60_000).fill('true').join(' && ')};`))).toBeUndefined()
  })
})

describe('plain calls', () => {
  test('of a million characters are stored as numbers, three statements in all', () => {
    const line = 'cx q[0],q[1];\nrz(-0.785398*pi/4) q[1];\nh q[12];\n'
    const text = program2(`qreg q[20];\n${line.repeat(20_000)}`)
    const program = parseProgram(text)
    expect(opsOf(text)).toHaveLength(60_000)
    expect(program.statements).toHaveLength(3)
  })
})

describe('tokens of one statement', () => {
  const limits = { tokens: 100 }
  const codes = (text: string) => checkProgram(program3(text), limits).problems.map(({ code }) => code)

  for (const [what, text] of [
    ['a block', `qubit[2] r; { ${'h r; '.repeat(40)} }`],
    ['a gate', `gate g a { ${'inv @ h a; '.repeat(40)} }`],
    ['a loop', `int n; for int i in [0:1] { ${'n += i; '.repeat(40)} }`],
    ['a subroutine', `def f(qubit q) { ${'h q; '.repeat(40)} }`],
    ['an expression', `int a; int b = ${'a + '.repeat(60)} a;`],
    ['a list', `array[int, 100] a = {${'1, '.repeat(60)}};`],
  ] as const) {
    test(`program_too_large: ${what}`, () => {
      expect(codes(text)).toEqual(['program_too_large'])
      expect(codeOf(() => parseProgram(program3(text), limits))).toBe('program_too_large')
      expect(checkProgram(program3(text)).problems.map(({ code }) => code)).not.toContain('program_too_large')
    })
  }

  test('are counted for each statement, and not for plain gate calls', () => {
    const calls = (name: string) => `h ${name}; cx ${name}, $1; `.repeat(100)
    expect(codes(`int n; ${'n = n + 1; '.repeat(100)}`)).toEqual([])
    expect(codes(`qubit q; { ${calls('q')} if (true) { ${calls('q')} } }`)).toEqual([])
    expect(codes(`qubit[2] q; for int i in [0:1] { ${calls('q[0]')} }`)).toEqual([])
    expect(codes(`gate g(a) x, y { ${'h x; cx x, y; rz(1) y; '.repeat(100)} }`)).toEqual([])
    const old = `qreg q[2]; gate g a, b { ${'h a; cx a, b; '.repeat(100)} } g q[0], q[1];`
    expect(checkProgram(program2(old), limits).problems).toEqual([])
  })
})

describe('plain calls in blocks', () => {
  for (const [what, text, ...operations] of [
    ['of a qubit', 'qubit q; { h q; x q; }', 'h 0', 'x 0'],
    ['of a register', 'qubit[2] q; if (true) { h q[1]; } else { x q[0]; }', 'h 1'],
    ['in a gate, with its own names', 'qubit[2] q; gate g q, r { cx r, q; } g q[0], q[1];', 'cx 1,0'],
    ['of another gate', 'qubit[2] q; gate f a { x a; } gate g a { f a; h a; } g q[1];', 'x 1', 'h 1'],
    ['with a name that the block declares', 'qubit[2] q; { let q = $0; h q; } h q[1];', 'h 2', 'h 1'],
    ['with a name that an outer block declares', 'qubit q; { let q = $0; { h q; } } h q;', 'h 1', 'h 0'],
    ['after that block', 'qubit q; { { let q = $0; } h q; }', 'h 0'],
    ['inverted', 'qubit q; gate g a { s a; h a; } inv @ g q;', 'h 0', 's 0'],
  ] as const) {
    test(`run as before: ${what}`, () => {
      const gates = opsOf(program3(text)).flatMap((op) =>
        op.kind === 'unitary' ? [`${op.name} ${[...op.controls, ...op.targets].join(',')}`] : [],
      )
      expect(gates).toEqual(operations)
    })
  }

  test.each([
    ['a loop variable hides the qubit', 'qubit q; for int q in [0:1] { h q; }', 'type_mismatch'],
    ['a parameter hides the gate', 'gate g(x) a { x a; }', 'type_mismatch'],
    ['a subroutine does not see the qubit', 'qubit q; def f() { h q; }', 'wrong_scope'],
    ['a gate does not see the qubit', 'qubit q; gate g a { h q; }', 'wrong_scope'],
    ['the same qubit twice', 'gate g a, b { cx a, a; }', 'duplicate_qubit'],
  ])('are refused as before: %s', (_, text, code) => {
    expect(checkProgram(program3(text)).problems[0]?.code).toBe(code as 'type_mismatch')
  })
})
