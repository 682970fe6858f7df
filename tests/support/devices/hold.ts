import { existsSync } from 'node:fs'
import { acquire, defineRoutine } from 'svc/devices'

/** A routine of the site that measures until the working folder of the driver has a file `gate`. */
export const hold = defineRoutine({
  ...{ name: 'hold', kind: 'qubit', size: { points: 1, shots: 1 } },
  *measure({ target, schedule }) {
    const points = [schedule().measure(target).build()]
    while (!existsSync('gate')) yield* acquire({ kind: 'average', shots: 1, reset_ns: 0, points })
    return { notes: ['held'] }
  },
})

/** A routine that comes after the one that holds the run. */
export const release = defineRoutine({
  ...{ name: 'release', kind: 'qubit', dependsOn: ['hold'], size: { points: 1, shots: 1 } },
  *measure({ target, schedule }) {
    const points = [schedule().measure(target).build()]
    yield* acquire({ kind: 'average', shots: 1, reset_ns: 0, points })
    return { notes: ['released'] }
  },
})
