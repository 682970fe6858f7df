import * as v from 'valibot'
import { nearest } from '../../../base/index.ts'
import { isModuleBase } from './cluster-address.ts'
import { MAX_NCO_HZ, MODULE_KINDS, type ModuleName } from './modules.ts'

function between(min: number, max: number) {
  const message = `expected a number from ${min} to ${max}`
  return v.pipe(v.number(message), v.minValue(min, message), v.maxValue(max, message))
}

function attenuation(max: number) {
  const message = `expected an even number of dB from 0 to ${max}`
  return v.pipe(
    v.number(message),
    v.check((decibel) => Number.isInteger(decibel / 2) && decibel >= 0 && decibel <= max, message),
  )
}

/** Options by port and clock: `q0:mw-q0.01`. */
function byPortClock<T>(schema: v.GenericSchema<unknown, T>) {
  const key = v.pipe(
    v.string(),
    v.regex(/^[^\s-]+:[^\s-]+-\S+$/, 'expected a port and a clock, such as q0:mw-q0.01'),
  )
  return v.optional(v.record(key, schema, 'expected ports and clocks with their options'), {})
}

const frequencies = v.looseObject({
  interm_freq: v.optional(v.nullable(between(-MAX_NCO_HZ, MAX_NCO_HZ))),
  lo_freq: v.optional(v.nullable(between(0, 1e12))),
})

/** The change after which a module calibrates its mixer again; `off` leaves it alone. */
function calibration<const When extends string>(...after: readonly When[]) {
  const words = ['off', ...after] as const
  return v.optional(v.picklist(words, `expected one of ${words.join(', ')}`), 'off')
}
const mixer = v.looseObject({
  // V on baseband modules, mV on RF ones; `port-settings.ts` checks the range of each.
  dc_offset_i: v.optional(v.nullable(between(-100, 100))),
  dc_offset_q: v.optional(v.nullable(between(-100, 100))),
  amp_ratio: v.optional(between(0.5, 2)),
  phase_error: v.optional(between(-45, 45)),
  auto_lo_cal: calibration('on_lo_freq_change', 'on_lo_interm_freq_change'),
  auto_sideband_cal: calibration('on_interm_freq_change'),
})

const gainDecibels = v.pipe(between(-6, 26), v.integer('expected a whole number of dB from -6 to 26'))
/** Gain of an input: one for a real channel, two for a complex one. */
const inputGain = v.union(
  [gainDecibels, v.looseObject({ gain_I: gainDecibels, gain_Q: gainDecibels })],
  'expected a whole number of dB from -6 to 26, or gain_I and gain_Q',
)
const sequencer = v.looseObject({
  init_offset_awg_path_I: v.optional(between(-1, 1)),
  init_offset_awg_path_Q: v.optional(between(-1, 1)),
  init_gain_awg_path_I: v.optional(between(-1, 1)),
  init_gain_awg_path_Q: v.optional(between(-1, 1)),
})

const exponential = v.tuple(
  [between(6, 1e9), v.pipe(between(-1, 1), v.ltValue(1, 'expected a number below 1'))],
  'expected a time constant in ns of at least 6 and an amplitude',
)
const taps = v.pipe(
  v.array(v.pipe(between(-2, 2), v.ltValue(2, 'expected a number below 2'))),
  v.length(32, 'expected 32 taps'),
)
const distortion = v.looseObject({
  exp0_coeffs: v.optional(v.nullable(exponential)),
  exp1_coeffs: v.optional(v.nullable(exponential)),
  exp2_coeffs: v.optional(v.nullable(exponential)),
  exp3_coeffs: v.optional(v.nullable(exponential)),
  fir_coeffs: v.optional(v.nullable(taps)),
})

const moduleNames = Object.keys(MODULE_KINDS) as [ModuleName, ...ModuleName[]]
/** Modules of a cluster that play and acquire nothing here. */
const UNUSED_MODULES = ['QTM', 'QDM', 'EOM', 'LINQ'] as const
const cluster = v.looseObject({
  instrument_type: v.literal('Cluster', 'expected Cluster'),
  ref: v.optional(v.picklist(['internal', 'external'], 'expected internal or external')),
  ip: v.optional(v.nullable(v.pipe(v.string(), v.minLength(1), v.maxLength(300)))),
  module_base_port: v.optional(
    v.nullable(
      v.pipe(v.number(), v.check(isModuleBase, 'expected the port before that of slot 1, 0 to 65515')),
    ),
  ),
  modules: v.record(
    v.pipe(v.string(), v.regex(/^([1-9]|1\d|20)$/, 'expected the number of a slot, 1 to 20')),
    v.looseObject({
      instrument_type: v.picklist(
        [...moduleNames, ...UNUSED_MODULES],
        `expected one of ${[...moduleNames, ...UNUSED_MODULES].join(', ')}`,
      ),
    }),
    'expected slots with their modules',
  ),
})

/** An instrument that is not used, such as an external oscillator. What is nearly called Cluster is one. */
const otherInstrument = v.looseObject({ instrument_type: v.string() })
const instrument = v.lazy((given): v.GenericSchema<unknown, Instrument> => {
  const isOther = v.is(otherInstrument, given) && nearest(given.instrument_type, ['Cluster']) === undefined
  return isOther ? otherInstrument : cluster
})

type Cluster = v.InferOutput<typeof cluster>
type Instrument = Cluster | v.InferOutput<typeof otherInstrument>

/** The clusters of a file, by name. */
export function clustersOf({ hardware_description }: HardwareContent): ReadonlyMap<string, Cluster> {
  return new Map(
    Object.entries(hardware_description).flatMap(([name, given]) =>
      isCluster(given) ? [[name, given] as const] : [],
    ),
  )
}

function isCluster(given: Instrument): given is Cluster {
  return given.instrument_type === 'Cluster'
}

/** Options for what only other software does: a port that has one cannot be played as the file says. */
export const UNAVAILABLE_OPTIONS = [
  {
    option: 'distortion_corrections',
    key: 'filter_func',
    reason: 'corrections in software are not available; use exp0_coeffs to exp3_coeffs and fir_coeffs',
  },
  {
    option: 'sequencer_options',
    key: 'qasm_hook_func',
    reason: 'functions that change programs are not available',
  },
] as const

const portNames = v.union([v.string(), v.array(v.string())], 'expected a port or a list of ports')

/** Options that are read; others are accepted and reported as not used. */
export const OPTION_NAMES: ReadonlySet<string> = new Set([
  'modulation_frequencies',
  'latency_corrections',
  'mixer_corrections',
  'output_att',
  'input_att',
  'input_gain',
  'sequencer_options',
  'distortion_corrections',
])

/** The form of a hardware file, as quantify-scheduler writes it. */
export const hardwareFile = v.looseObject(
  {
    config_type: v.pipe(
      v.string('expected a config_type that ends in QbloxHardwareCompilationConfig'),
      v.regex(
        /(^|\.)QbloxHardwareCompilationConfig$/,
        'expected a config_type that ends in QbloxHardwareCompilationConfig',
      ),
    ),
    hardware_description: v.pipe(
      v.record(v.string(), instrument, 'expected names of clusters with their modules'),
      v.check((given) => Object.values(given).some(isCluster), 'expected at least one Cluster'),
    ),
    hardware_options: v.optional(
      v.looseObject({
        modulation_frequencies: byPortClock(frequencies),
        latency_corrections: byPortClock(between(-1e-3, 1e-3)),
        mixer_corrections: byPortClock(mixer),
        output_att: byPortClock(attenuation(60)),
        input_att: byPortClock(attenuation(30)),
        input_gain: byPortClock(inputGain),
        sequencer_options: byPortClock(sequencer),
        distortion_corrections: byPortClock(distortion),
      }),
      {},
    ),
    connectivity: v.looseObject({
      graph: v.array(
        v.tuple([v.string('expected a channel'), portNames], 'expected a channel and a port'),
        'expected a list of channels with ports',
      ),
    }),
  },
  'expected config_type, hardware_description, hardware_options and connectivity',
)

export type HardwareContent = v.InferOutput<typeof hardwareFile>
