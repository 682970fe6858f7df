import { defineCommand, defineGroup } from '../command-line/command.ts'
import { CONNECTION_FLAGS } from './connection.ts'
import { withOperator } from './operate.ts'

const resumeCommand = defineCommand({
  summary: 'Continue a calibration that was stopped or failed, without its finished steps; for superusers',
  positionals: [{ name: 'REQUEST', help: 'Id of the calibration request' }],
  flags: CONNECTION_FLAGS,
  run: ({ flags, positionals: [request = ''] }) =>
    withOperator(flags, `there is no calibration request ${request}`, (svc) =>
      svc.admin.resumeCalibration(request),
    ),
  print: ({ id, resumes }) =>
    console.log(`Calibration ${id} is in the queue of its tuner; it continues ${resumes}`),
})

export const calibrationCommand = defineGroup('Continue calibrations on a server', {
  resume: () => resumeCommand,
})
