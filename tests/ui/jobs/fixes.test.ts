import { expect, test } from 'bun:test'
import { findProblems } from '../../../ui/jobs/check/check-program.ts'
import { fixOf } from '../../../ui/jobs/fixes.ts'

/** The label of the fix of the first problem, and the text after it. */
function repair(text: string): [string | undefined, string] {
  const [problem] = findProblems(text).problems
  const fix = problem && fixOf(text, problem)
  return fix ? [fix.label, text.slice(0, fix.from) + fix.insert + text.slice(fix.to)] : [undefined, text]
}
const HEAD = 'OPENQASM 3.0;\ninclude "stdgates.inc";\n'

test.each([
  ['Use q', `${HEAD}qubit q; h qq;`, `${HEAD}qubit q; h q;`],
  ['Use angles', `${HEAD}qubit q; float anlges = 1; rx(angles) q;`, undefined],
  ['Insert ;', `${HEAD}qubit q\nh q;`, `${HEAD}qubit q;\nh q;`],
  ['Use cx', `${HEAD}qubit[2] q; cnot q[0], q[1];`, `${HEAD}qubit[2] q; cx q[0], q[1];`],
  ['Use ccx', `${HEAD}qubit[3] q; ccxx q[0], q[1], q[2];`, `${HEAD}qubit[3] q; ccx q[0], q[1], q[2];`],
])('%s', (label, text, repaired) => {
  if (repaired === undefined) return expect(repair(text)[0]).toBe('Use anlges')
  expect(repair(text)).toEqual([label, repaired])
  expect(findProblems(repaired).problems).toEqual([])
})

test('what is not certain has no fix', () => {
  expect(repair(`${HEAD}qubit a1; qubit a2; h a;`)[0]).toBeUndefined()
  expect(repair(`${HEAD}qubit q; h zzz;`)[0]).toBeUndefined()
  expect(repair(`${HEAD}qubit q // no end\nh q;`)[0]).toBeUndefined()
  expect(repair(`${HEAD}qubit[2] q; h q[2];`)[0]).toBeUndefined()
})
