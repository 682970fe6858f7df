import { writeFileSync } from 'node:fs'
import { defineDevice, opt } from 'svc/devices'

/**
 * A tuner that restores its hardware while it closes: it asks for 20 s, takes `seconds`, and then creates the
 * file `restored`.
 */
export const slow = defineDevice({
  operation: 'calibrate',
  name: 'slow',
  options: {
    restored: opt.string({ help: 'File to create', required: true, example: 'restored' }),
    seconds: opt.seconds({ help: 'Time that it takes', default: 4 }),
  },
  create: ({ options, clock, log }) => ({
    async start() {
      log.info('open')
    },
    calibrate: async () => ({ status: 'success' as const }),
    async stop(io) {
      io.extend(20, 'ramping coupler q0_q1 back')
      await clock.sleep(options.seconds * 1_000)
      writeFileSync(options.restored, '')
    },
  }),
})
