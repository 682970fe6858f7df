export { events } from '../../collections/events.ts'
export { notes } from '../../collections/monitoring/notes.ts'
export { thresholds } from '../../collections/monitoring/thresholds.ts'
export { type BucketRange, bucketRange } from './reading-steps.ts'
export {
  bucketOf,
  bucketsOf,
  findReadingDrivers,
  listReadingSeries,
  type ReadingBucket,
  readBuckets,
  rollUpReadings,
} from './readings.ts'
export { checkAges, checkReadings, hasThresholds } from './thresholds.ts'
