/**
 * How long a full calibration keeps an instrument: `bun bench/tuning/chip/hours.ts [--seed 7]
 * [--only ordinary|good]`. Three ordinary qubits with two edges and a reset of 0.3 ms, and two very good ones
 * with an edge and 15 ms: the hours that the plan says, those that the instrument plays, verification
 * included, and the longest routines. Exits 1 when the played hours exceed the goal.
 */
import { parseArgs } from 'node:util'
import { silentLog } from '../../../src/base/index.ts'
import type { SimulatedChip } from '../../../src/devices/bench/simulated/simulated-chip.ts'
import type { Program } from '../../../src/devices/pulse/schedule.ts'
import type { CalibrationStep } from '../../../src/protocol/index.ts'
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts'
import { drawLongLived } from '../../../tests/support/tuning/acceptance/changed-chip.ts'
import { openBench } from '../../../tests/support/tuning/acceptance/cold-run.ts'
import { designFile } from '../../../tests/support/tuning/acceptance/design-file.ts'
import { printTable } from '../../support/output.ts'

const CHIPS = {
  ordinary: { columns: 3, reset: '3.0e-4', goal: 1 },
  good: { columns: 2, reset: '1.5e-2', goal: 8 },
} as const
const SHOWN = 24
const HOUR_NS = 3.6e12

const { values: flags } = parseArgs({
  options: { seed: { type: 'string', default: '7' }, only: { type: 'string' } },
})

/** The chip, whose programs are counted by routine, h. */
function counting(
  chip: SimulatedChip,
  hours: Map<string, number>,
  nameOf: (routine: string) => string,
): SimulatedChip {
  return {
    ...chip,
    async run(program, signal) {
      const name = nameOf(String(program.labels?.['routine']))
      hours.set(name, (hours.get(name) ?? 0) + hoursOf(program))
      return await chip.run(program, signal)
    },
  }
}

function hoursOf({ points, shots, reset_ns }: Program): number {
  return points.reduce((sum, { duration }) => sum + (shots * (duration + reset_ns)) / HOUR_NS, 0)
}

let isMissed = false
for (const [name, { columns, reset, goal }] of Object.entries(CHIPS)) {
  if (flags.only !== undefined && flags.only !== name) continue
  using folder = temporaryFolder()
  const deviceFile = designFile({ columns, rows: 1 }).replaceAll('duration: 3.0e-4', `duration: ${reset}`)
  const drawn = { folder: folder.path, seed: Number(flags.seed), isObserved: false }
  if (name === 'good') await drawLongLived(folder.path, deviceFile, drawn.seed)
  const hours = new Map<string, number>()
  let [said, plan]: [number, NonNullable<CalibrationStep['plan']>] = [Number.NaN, []]
  let [isLast, isVerifying] = [false, false]
  /** The progress does not wait for a clock that jumps: the verification begins after the last routine. */
  const nameOf = (routine: string) => {
    const isOfLast = routine === plan.at(-1)?.routine
    isVerifying ||= isLast && !isOfLast
    isLast ||= isOfLast
    return isVerifying ? `${routine}, verified` : routine
  }
  const bench = await openBench({
    ...drawn,
    ...(name !== 'good' && { deviceFile }),
    wrapChip: (chip) => counting(chip, hours, nameOf),
    log: {
      ...silentLog,
      info(_, fields) {
        said = Number(fields?.['hours'] ?? said)
      },
    },
  })
  const { status, errors, notes } = await bench.calibrate(
    {},
    {
      progress(step) {
        plan = step.plan ?? plan
      },
    },
  )
  const sum = (all: ReadonlyMap<string, number>) => [...all.values()].reduce((total, each) => total + each, 0)
  const planned = new Map(plan.map((node) => [node.routine, (node.estimate_s ?? 0) / 3_600]))
  console.log(
    `\n### ${name}, seed ${flags.seed}: ${status}; as planned ${said.toFixed(2)} h, ${sum(planned).toFixed(2)} h of it for the routines; played ${sum(hours).toFixed(2)} h (goal ${goal} h)\n`,
  )
  for (const line of [
    ...(errors ?? []),
    ...(notes ?? []).filter((note) => /shots|moved|switches/.test(note)),
  ])
    console.log(`- ${line}`)
  const longest = [...hours].sort(([, one], [, other]) => other - one).slice(0, SHOWN)
  printTable(
    ['routine', 'planned, h', 'played, h'],
    longest.map(([routine, played]) => [routine, (planned.get(routine) ?? 0).toFixed(3), played.toFixed(3)]),
  )
  isMissed ||= sum(hours) > goal
}
if (isMissed) process.exit(1)
