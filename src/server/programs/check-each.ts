import { type CheckReport, checkProgram } from '../../qasm/index.ts'

/** What is found in each of the programs, in their order. Equal ones are checked once. */
export function checkEach(programs: readonly string[]): CheckReport[] {
  const known = new Map<string, CheckReport>()
  return programs.map((program) => {
    const report = known.get(program) ?? checkProgram(program)
    known.set(program, report)
    return report
  })
}
