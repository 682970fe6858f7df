import * as v from 'valibot'
import { calibrationId, calibrationMode, operation } from '../../protocol/index.ts'

/** The device that the child process runs, and its options. */
const deviceChoice = v.object({
  operation,
  device: v.string(),
  /** The `-o` arguments, `key=value` each. */
  optionPairs: v.array(v.string()),
  /** Base folder of relative paths. */
  cwd: v.string(),
  /** Home folder of the user that runs the driver. */
  home: v.string(),
  /** `--data-dir`, unless `-o data_dir=` overrides it. */
  dataDir: v.string(),
  /** `--python`, and the folder of the program that was started; empty when there is none. */
  python: v.object({ given: v.string(), beside: v.string() }),
  /** Version of the driver. */
  version: v.string(),
})
export type DeviceChoice = v.InferOutput<typeof deviceChoice>

/** Messages from the driver to its child process; the most frequent first, because each is tried in turn. */
export const toHost = v.variant('kind', [
  /** A server command, unchanged. */
  v.object({ kind: v.literal('command'), text: v.string() }),
  /** Find the device and read its options, without side effects. Response: `prepared` or `refused`. */
  v.object({ kind: v.literal('prepare'), choice: deviceChoice }),
  /** Check, create and start the device. Response: `ready` or `refused`. */
  v.object({ kind: v.literal('open') }),
  /** Stop the task whose final event has the id `result`. */
  v.object({ kind: v.literal('cancel'), result: v.string() }),
  /** The server is no longer connected: what it commanded about maintenance may not hold any more. */
  v.object({ kind: v.literal('detached') }),
  /** Close the device and exit. */
  v.object({ kind: v.literal('stop') }),
])
export type ToHost = v.InferOutput<typeof toHost>

/**
 * Messages from the child process to the driver, the most frequent first. The id of a task is that of its
 * final event.
 */
export const fromHost = v.variant('kind', [
  v.object({ kind: v.literal('started'), result: v.string() }),
  v.object({ kind: v.literal('phase'), result: v.string(), phase: v.string() }),
  /** The task has ended; `body` is the encoded `JobResult` or `CalibrationReport` event. */
  v.object({ kind: v.literal('result'), result: v.string(), body: v.string() }),
  v.object({
    kind: v.literal('prepared'),
    /** Name of the device for logs and the server. */
    device: v.string(),
    /** Absolute. */
    dataDir: v.string(),
    jobTimeoutMs: v.number(),
  }),
  v.object({ kind: v.literal('ready') }),
  /** The device cannot be used; one reason per entry. `mayPass`: with the same options, it may work later. */
  v.object({ kind: v.literal('refused'), reasons: v.array(v.string()), mayPass: v.boolean() }),
  /** The tuner has started a calibration on its own; its `CalibrationReport` event ends it. */
  v.object({
    kind: v.literal('own_run'),
    run: calibrationId,
    mode: calibrationMode,
    /** Whether it begins when the server lets it. */
    waits: v.boolean(),
  }),
  /** The device needs `ms` from now to close, for this reason. */
  v.object({ kind: v.literal('closing'), ms: v.number(), reason: v.string() }),
  /** This process ends, because the process of a device in Python has ended in the way of `how`. */
  v.object({ kind: v.literal('ending'), how: v.string() }),
  /** An event of the device; `body` is its encoded envelope. */
  v.object({ kind: v.literal('event'), type: v.string(), id: v.string(), body: v.string() }),
  v.object({
    kind: v.literal('log'),
    level: v.picklist(['debug', 'info', 'warn', 'error']),
    message: v.string(),
    fields: v.record(v.string(), v.unknown()),
  }),
])
export type FromHost = v.InferOutput<typeof fromHost>
