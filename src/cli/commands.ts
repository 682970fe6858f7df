import { defineCommand, defineGroup } from './command-line/command.ts'
import { version } from './version.ts'

const versionCommand = defineCommand({
  summary: 'Print the version',
  run: () => ({ version }),
  print: (document) => console.log(document.version),
})

/**
 * All commands. Each is loaded when it is named: a driver does not need the server's code, nor the server the
 * driver's.
 */
export const svc = defineGroup('Quantum job control service', {
  serve: async () => (await import('./serve/serve.ts')).serveCommand,
  login: async () => (await import('./client/login.ts')).loginCommand,
  logout: async () => (await import('./client/login.ts')).logoutCommand,
  submit: async () => (await import('./client/submit.ts')).submitCommand,
  jobs: async () => (await import('./client/jobs.ts')).jobsCommand,
  job: async () => (await import('./client/jobs.ts')).jobCommand,
  result: async () => (await import('./client/jobs.ts')).resultCommand,
  cancel: async () => (await import('./client/jobs.ts')).cancelCommand,
  resume: async () => (await import('./client/jobs.ts')).resumeCommand,
  session: async () => (await import('./session/session.ts')).sessionCommand,
  qpus: async () => (await import('./client/qpus.ts')).qpusCommand,
  qpu: async () => (await import('./client/operate.ts')).qpuCommand,
  calibration: async () => (await import('./client/calibration.ts')).calibrationCommand,
  driver: async () => (await import('./driver/driver.ts')).driverCommand,
  demo: async () => (await import('./demo/demo.ts')).demoCommand,
  superuser: async () => (await import('./superuser.ts')).superuserCommand,
  health: async () => (await import('./health.ts')).healthCommand,
  audit: async () => (await import('./data/audit.ts')).auditCommand,
  doctor: async () => (await import('./data/doctor.ts')).doctorCommand,
  backup: async () => (await import('./data/backup.ts')).backupCommand,
  restore: async () => (await import('./data/restore.ts')).restoreCommand,
  export: async () => (await import('./data/export.ts')).exportCommand,
  import: async () => (await import('./data/import.ts')).importCommand,
  simulate: async () => (await import('./simulate/simulate.ts')).simulateCommand,
  completion: async () => (await import('./completion.ts')).completionCommand,
  verify: async () => (await import('./verify/verify.ts')).verifyCommand,
  licenses: async () => (await import('./licenses.ts')).licensesCommand,
  version: () => versionCommand,
  'backup-task': async () => (await import('./serve/backup-task.ts')).backupTaskCommand,
  reader: async () => (await import('./serve/reader.ts')).readerCommand,
})
