import * as v from 'valibot'
import { Refusal } from '../protocol/error-queue.ts'
import { jsonArgument } from '../protocol/table.ts'

const between = (min: number, max: number) => v.pipe(v.number(), v.minValue(min), v.maxValue(max))
const pair = (each: ReturnType<typeof between>) => v.tuple([each, each])
/** Longest window, ns; also the largest magnitude of a threshold, in units of full scale × ns. */
const MAX_WINDOW = 16_777_212

const acquisition = v.looseObject({
  demod: v.looseObject({ en: v.boolean() }),
  th_acq: v.looseObject({
    discr_threshold: between(-MAX_WINDOW, MAX_WINDOW),
    non_weighed_integration_len: v.pipe(between(4, MAX_WINDOW), v.multipleOf(4)),
    rotation_matrix_a11: between(-1, 1),
    rotation_matrix_a12: between(-1, 1),
  }),
})
const output = v.looseObject({
  mixer: v.looseObject({
    en: v.boolean(),
    corr_gain_ratio: between(0.5, 2),
    corr_phase_offset_degree: between(-45, 45),
  }),
  gain_path: pair(between(-1, 1)),
  offs_path: pair(between(-1, 1)),
  nco: v.looseObject({ freq_hz: between(-500e6, 500e6), po: between(0, 360) }),
})
const config = v.looseObject({
  acq: v.pipe(v.array(acquisition), v.maxLength(1)),
  awg: v.pipe(v.array(output), v.length(1)),
  seq_proc: v.looseObject({ sync_en: v.boolean() }),
})

/** How a sequencer is set up, in the form of the module. */
export type SequencerConfig = v.InferOutput<typeof config>

/** The configuration after power-up. */
export function initialConfig(hasInputs: boolean): SequencerConfig {
  const trigger = { addr: 0, en: false, inv: false }
  const acq = {
    demod: { en: false },
    th_acq: {
      ...{ discr_threshold: 0, non_weighed_integration_len: 1_024 },
      ...{ rotation_matrix_a11: 1, rotation_matrix_a12: 0 },
    },
    ...{ th_acq_mrk_map: trigger, th_acq_trg_map: trigger },
    ttl: { auto_bin_incr_en: false, in: false, threshold: 0 },
  }
  return {
    acq: hasInputs ? [acq] : [],
    awg: [
      {
        cont_mode: { en_path: [false, false], wave_idx_path: [0, 0] },
        mixer: { en: false, corr_gain_ratio: 1, corr_phase_offset_degree: 0 },
        marker_ovr: { en: false, val: 0 },
        gain_path: [1, 1],
        nco: { freq_hz: 0, po: 0, delay_comp: 0, delay_comp_en: false },
        offs_path: [0, 0],
        upsample_rate_path: [0, 0],
      },
    ],
    seq_proc: {
      sync_en: false,
      trg: Array.from({ length: 15 }, () => ({ count_threshold: 1, threshold_invert: false })),
    },
  }
}

/** The configuration in a block, which has to be complete. */
export function configIn(block: Buffer): SequencerConfig {
  const parsed = v.safeParse(config, jsonArgument(block))
  if (parsed.success) return parsed.output
  const [issue] = parsed.issues
  throw new Refusal(-222, `Data out of range;${v.getDotPath(issue) ?? ''}: ${issue.message}`)
}

/** Numbers that are whole by their nature; clients expect a point in all others. */
const WHOLE = new Set([
  ...['non_weighed_integration_len', 'wave_idx_path', 'upsample_rate_path', 'delay_comp', 'val', 'addr'],
  ...['count_threshold'],
])

/** A configuration as a module writes it. */
export function configText(value: unknown, key = ''): string {
  if (typeof value === 'number') return Number.isInteger(value) && !WHOLE.has(key) ? `${value}.0` : `${value}`
  if (Array.isArray(value)) return `[${value.map((each) => configText(each, key)).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).map(([name, each]) => `"${name}": ${configText(each, name)}`)
  return `{${entries.join(', ')}}`
}
