import { type CheckReport, checkProgram, type Limits } from '../../qasm/index.ts'

/** What is found in each of the programs, in their order. Equal ones are checked once. */
export function checkEach(programs: readonly string[], limits?: Partial<Limits>): CheckReport[] {
  const known = new Map<string, CheckReport>()
  return programs.map((program) => {
    const report = known.get(program) ?? checkProgram(program, limits)
    known.set(program, report)
    return report
  })
}
