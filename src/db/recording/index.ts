export { type RecordedSpan, readRecording } from './read.ts'
export type {
  RecordedAttempt,
  RecordedJob,
  RecordedQpu,
  RecordedSlot,
  Recording,
} from './recording.ts'
export type { RecordingSource } from './source.ts'
