import { readFileSync } from 'node:fs'
import { reasonOf } from '../../../base/index.ts'
import { defineDevice } from '../../define-device.ts'
import { StartupError } from '../../errors.ts'
import { opt } from '../../options.ts'
import { isRemote, readBaseUrl } from './address.ts'
import { readChannels } from './channels.ts'
import { createClient } from './client.ts'
import { certificatesOf } from './exchange.ts'
import { createPoll } from './poll.ts'

const CA_FILE = 'SVC_CRYOSTAT_CA_FILE'

/** Polls the HTTP interface of a cryostat's control software (first generation) and reports its readings. */
export const cryostatGen1 = defineDevice({
  operation: 'monitor',
  name: 'cryostat_gen1',
  options: {
    channels: opt.custom(readChannels, {
      help: 'Channels to read: path[:unit] items separated by commas',
      required: true,
      example: 'mapper.bf.tmc:K,mapper.bf.pmc:mbar',
    }),
    base_url: opt.custom(readBaseUrl, {
      label: 'Address',
      help: 'Address of the control software',
      default: 'http://127.0.0.1:49099',
    }),
    api_key: opt.secret({ label: 'API key', help: 'API key of the control software' }),
    poll_interval: opt.seconds({
      label: 'Interval of polls',
      help: 'Interval between two polls',
      min: 0.2,
      max: 86_400,
      default: 5,
    }),
    timeout: opt.seconds({
      label: 'Timeout of a request',
      help: 'Timeout of one request',
      min: 0.1,
      max: 60,
      default: 5,
    }),
  },
  environment: {
    [CA_FILE]: opt.path({
      label: 'Certificates',
      help: 'Certificates (PEM) to trust for an https address',
      example: '/etc/svc-driver/cryostat.pem',
    }),
  },
  create({ options, environment, clock, log }) {
    const { channels, base_url: baseUrl, api_key: apiKey, poll_interval: intervalS } = options
    if (apiKey !== undefined && baseUrl.startsWith('http:') && isRemote(baseUrl)) {
      log.warn('the key of the cryostat is sent over plain HTTP; use an https address', { address: baseUrl })
    }
    const read = createClient({
      baseUrl,
      apiKey,
      timeoutMs: options.timeout * 1_000,
      clock,
      pinned: readPinned(environment[CA_FILE]),
    })
    return {
      async start(io) {
        const emit = (readings: object) => io.emit('CryostatReading', { readings })
        io.every(intervalS, createPoll({ channels, read, log, intervalS, emit }))
      },
    }
  },
})

/** @throws StartupError when the file cannot be read or contains no certificate. */
function readPinned(path: string | undefined): string | undefined {
  if (path === undefined) return undefined
  try {
    const pem = readFileSync(path, 'utf8')
    certificatesOf(pem)
    return pem
  } catch (error) {
    throw new StartupError(`startup error: ${path} of ${CA_FILE} cannot be used: ${reasonOf(error)}`)
  }
}
