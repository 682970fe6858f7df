import { type CheckReport, checkProgram, type Limits } from '../../../qasm/index.ts'

/** Checks each of the programs and returns the reports in the same order. Equal programs are checked once. */
export function checkEach(programs: readonly string[], limits?: Partial<Limits>): CheckReport[] {
  const known = new Map<string, CheckReport>()
  return programs.map((program) => {
    const report = known.get(program) ?? checkProgram(program, limits)
    known.set(program, report)
    return report
  })
}
