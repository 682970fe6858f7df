export { drivers } from '../../collections/drivers.ts'
export { qpus } from '../../collections/qpus.ts'
export { closedBy } from '../../hooks/qpu-change.ts'
export { cancelBookings, cancelBookingsOf } from './cancel-bookings.ts'
export {
  type DescribedLimits,
  describeQpu,
  descriptionOf,
  isSimulator,
  removeDescription,
} from './descriptions.ts'
export { readFailures, readJobTicks } from './job-ticks.ts'
export { KnownQpus } from './known-qpus.ts'
export {
  attachLease,
  findWaitingDriver,
  type Grant,
  grantLease,
  type LeaseKey,
  listOfflineDrivers,
  noPortsAvailable,
  recordSilence,
  releaseLease,
  resetLeases,
  revokeLease,
} from './leases.ts'
export {
  calibratingQpus,
  createDriver,
  createQpu,
  type Driver,
  deleteQpu,
  findQpu,
  getQpu,
  keepQpuToken,
  listQpus,
  normalName,
  previewQpuDeletion,
  type Qpu,
  type QpuContents,
  qpuNamed,
  replaceDriverToken,
  requireQpu,
  setDraining,
  setDriverEnabled,
  setMaintenance,
  setQpuEnabled,
  unknownQpu,
} from './qpus.ts'
export { calibrationChanged, type RecalledCalibration } from './recalled-calibration.ts'
export { readClosedTimes, readSchedule, readScheduleNotes } from './schedule.ts'
export { markUnfit, type Unfitness } from './unfit-jobs.ts'
export { type DayOfQpu, utilizationStatement } from './utilization.ts'
