import { NotFoundError } from '../../../clients/js/src/index.ts'
import { AppError } from '../../base/index.ts'
import { defineCommand, defineGroup } from '../command-line/command.ts'
import { CONNECTION_FLAGS, withClient } from './connection.ts'

const resumeCommand = defineCommand({
  summary: 'Continue a calibration that was stopped or failed, without its finished steps; for superusers',
  positionals: [{ name: 'REQUEST', help: 'Id of the calibration request' }],
  flags: CONNECTION_FLAGS,
  run: ({ flags, positionals: [request = ''] }) =>
    withClient(flags, async (svc) => {
      try {
        return await svc.admin.resumeCalibration(request)
      } catch (cause) {
        if (!(cause instanceof NotFoundError)) throw cause
        throw new AppError('not_found', `there is no calibration request ${request}`, { cause })
      }
    }),
  print: ({ id, resumes }) =>
    console.log(`Calibration ${id} is in the queue of its tuner; it continues ${resumes}`),
})

export const calibrationCommand = defineGroup('Continue calibrations on a server', {
  resume: () => resumeCommand,
})
