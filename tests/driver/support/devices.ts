import { existsSync, writeFileSync } from 'node:fs'
import {
  type CalibrateDevice,
  circuitResultOf,
  defineDevice,
  JobError,
  type JobIo,
  jobResultsOf,
  type MonitorDevice,
  opt,
} from '../../../src/devices/index.ts'
import type { JobResults } from '../../../src/protocol/index.ts'

const circuit = { qubits: 1, clbits: 1, qregs: [], cregs: [] }
const one = circuitResultOf({ circuitIndex: 0, circuit, shots: 1, counts: { '0': 1 }, metadata: {} })

/** The smallest results that pass the checks; the metadata contains `note`. */
export function resultsOf(note: string): JobResults {
  return jobResultsOf('wild', [one], { note })
}

const never = () => new Promise<never>(() => undefined)

function aborted(io: JobIo): Promise<never> {
  return new Promise((_, reject) => {
    io.signal.addEventListener('abort', () => reject(io.signal.reason))
  })
}

/** Behavior of the device by the first word of a circuit. */
const ACTIONS: Record<string, (rest: string, io: JobIo) => Promise<JobResults>> = {
  ok: async (rest) => resultsOf(rest),
  env: async () => resultsOf(JSON.stringify(Object.keys(process.env).sort())),
  pid: async () => resultsOf(String(process.pid)),
  held: async (rest) => {
    const [end = '', ended] = rest.split(' ')
    while (!existsSync(end)) await new Promise((resolve) => setTimeout(resolve, 5))
    // After the result, which leaves before the next turn of the event loop.
    if (ended !== undefined) setTimeout(() => writeFileSync(ended, ''), 5)
    return resultsOf('held')
  },
  patient: (_, io) => aborted(io),
  stubborn: never,
  loop: () => {
    for (;;) Math.sqrt(2)
  },
  abort: () => process.abort(),
  exit: () => process.exit(7),
  refuse: () => {
    throw new JobError('circuit 0, line 3, column 7: gate foo is not known', { errorCode: 'unknown_gate' })
  },
  throw: () => {
    throw new TypeError('cannot read /etc/secret')
  },
  stray: async () => {
    setTimeout(() => {
      throw new Error('late')
    }, 1)
    return never()
  },
  nan: async () => ({ ...resultsOf(''), metadata: { value: Number.NaN } }),
  large: async (rest) => ({ ...resultsOf(''), metadata: { text: 'x'.repeat(Number(rest)) } }),
  part: async (_, io) => {
    io.progress?.(0.75)
    io.result?.(0, one)
    throw new JobError('the pump has stopped')
  },
  phase: async (rest, io) => {
    io.phase(rest)
    return never()
  },
}

/** A process device whose circuits are instructions such as `ok hello`, `abort` or `loop`. */
export const wild = defineDevice({
  name: 'wild',
  operation: 'process',
  options: {
    greeting: opt.string({ help: 'Something to say', required: true, example: 'hello' }),
    refuse_check: opt.bool({ help: 'Refuses to start', default: false }),
    /** Creates this file at the first start and then refuses further starts. */
    once: opt.path({ help: 'A file' }),
  },
  check({ options }) {
    if (options.refuse_check) throw new Error('the fridge is warm')
  },
  create: ({ options }) => ({
    async start() {
      if (options.once === undefined) return
      writeFileSync(options.once, 'started', { flag: 'wx' })
    },
    async run(job, io) {
      const [word = '', rest = ''] = (job.payload.circuits[0]?.circuit ?? '').split(/ (.*)/)
      const action = ACTIONS[word]
      if (!action) throw new JobError(`no action called ${word}`)
      return action(rest, io)
    },
  }),
})

/** Emits one reading, then another every 10 ms. */
export const gauge = defineDevice({
  name: 'gauge',
  operation: 'monitor',
  create: (): MonitorDevice => ({
    async start(io) {
      let count = 0
      io.every(0.01, async () => {
        count += 1
        io.emit('CryostatReading', { readings: { stage: { value: count, unit: 'K', status: 'ok' } } })
      })
    },
  }),
})

/** Logs the maintenance commands it receives. */
export const tuner = defineDevice({
  name: 'tuner',
  operation: 'calibrate',
  create: ({ log, raw }): CalibrateDevice => ({
    start: async () => undefined,
    calibrate: async () => ({ status: 'success' }),
    maintenance(on) {
      log.info('maintenance received', { on })
      if (on && raw['crash'] === 'true') process.abort()
    },
  }),
})

/** Needs a minute to close, and never ends. */
export const slowToClose = defineDevice({
  name: 'slow_to_close',
  operation: 'process',
  create: () => ({
    run: never,
    stop(io) {
      io.extend(60, 'ramping a current back')
      return never()
    },
  }),
})

export const crasher = defineDevice({
  name: 'crasher',
  operation: 'process',
  create: () => ({ start: () => process.abort(), run: never }),
})
