import * as v from 'valibot'

const name = v.pipe(v.string(), v.nonEmpty(), v.maxLength(100))

/** A file as a device has read it: the hash of its bytes, and when it was last written. */
const fileState = v.object({
  sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/, 'Expected 64 hexadecimal digits')),
  modified_at: v.pipe(v.string(), v.isoTimestamp()),
})
export type FileState = v.InferOutput<typeof fileState>

/** A file that a device reads again before and after each job. */
const watchedFile = v.object({ before: fileState, after: fileState })

/** What a device knows of one run besides its results. What it does not know is absent. */
export const deviceProvenance = v.object({
  /** The device file in use when the run began and when it ended. */
  device_file: v.optional(watchedFile),
  /** The same of the noise model. */
  noise_file: v.optional(watchedFile),
  /** What compiled the circuits, by default of the device's version, with the options that the job gave. */
  compiler: v.optional(
    v.object({
      version: v.optional(name),
      options: v.object({
        optimization_level: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(9))),
        dynamical_decoupling: v.optional(name),
        scheduling: v.optional(name),
      }),
    }),
  ),
})
export type DeviceProvenance = v.InferOutput<typeof deviceProvenance>

/** What an attempt ran with, as its driver knows it. Drivers before do not send it. */
export const attemptProvenance = v.object({
  device: v.object({ name: v.pipe(v.string(), v.maxLength(255)), version: v.optional(name) }),
  driver: v.object({ version: name }),
  ...deviceProvenance.entries,
})
export type AttemptProvenance = v.InferOutput<typeof attemptProvenance>
