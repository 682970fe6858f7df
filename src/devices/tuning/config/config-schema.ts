import * as v from 'valibot'
import { keysOf, numberIn } from './axis-config.ts'
import type { MonitoringConfig, ParallelConfig } from './calibration-config.ts'

const switchValue = v.boolean('expected true or false')
const names = v.array(v.string('expected a name'), 'expected a list of names')
const whole = (min: number, max: number) => numberIn({ min, max, isInteger: true })
const fields = (message: string) => v.record(v.string(), v.unknown(), message)

const DEPTHS = [1, 16, 64, 256]
/** Below them, the scatter of the sequences gives no standard error. */
const MIN_SEEDS = 3
const RB_SEEDS = 6
const MONITORING_SHOTS = 512

/** `monitoring`, with the names of other calibration software. */
export const monitoring = v.pipe(
  keysOf({
    rb_depths: v.optional(
      v.pipe(v.array(whole(0, 10_000)), v.minLength(4, 'expected at least 4 depths')),
      DEPTHS,
    ),
    rb_seeds: v.optional(whole(MIN_SEEDS, 1_000)),
    n_circuits_per_depth: v.optional(whole(MIN_SEEDS, 1_000)),
    shots: v.optional(whole(1, 1_000_000), MONITORING_SHOTS),
    all_xy: v.optional(switchValue),
    allxy_as_smoke_test: v.optional(switchValue),
  }),
  v.check(
    ({ rb_seeds, n_circuits_per_depth }) => rb_seeds === undefined || n_circuits_per_depth === undefined,
    'rb_seeds and n_circuits_per_depth are the same; remove one of them',
  ),
  v.check(
    ({ all_xy, allxy_as_smoke_test }) => all_xy === undefined || allxy_as_smoke_test === undefined,
    'all_xy and allxy_as_smoke_test are the same; remove one of them',
  ),
  v.transform(
    (given): MonitoringConfig => ({
      rbDepths: given.rb_depths,
      rbSeeds: given.rb_seeds ?? given.n_circuits_per_depth ?? RB_SEEDS,
      shots: given.shots,
      allXy: given.all_xy ?? given.allxy_as_smoke_test ?? true,
    }),
  ),
)

export const parallel = v.pipe(
  keysOf({
    enabled: v.optional(switchValue, true),
    qubit_spacing: v.optional(whole(1, 100), 2),
    edge_spacing: v.optional(whole(0, 100), 1),
    max_group: v.optional(whole(1, 1_000), 8),
    exclude: v.optional(v.array(names, 'expected a list of lists of names'), []),
    groups: v.optional(v.record(v.string(), names, 'expected names of groups with lists of names'), {}),
    measure_penalty: v.optional(switchValue, false),
  }),
  v.transform(
    (given): ParallelConfig => ({
      enabled: given.enabled,
      qubitSpacing: given.qubit_spacing,
      edgeSpacing: given.edge_spacing,
      maxGroup: given.max_group,
      exclude: given.exclude,
      groups: given.groups,
      measurePenalty: given.measure_penalty,
    }),
  ),
)

/** A tuner has no readings of the cryostat: a limit that nothing checks would be a trap. */
const noGuard = v.never(
  'a tuner receives no temperatures of the cryostat; remove it and set safety.pause_after_step_s',
)

/** The keys of the file; routines follow by their own declarations. */
export const configFile = keysOf({
  version: v.optional(v.literal(1, 'expected version 1'), 1),
  target_qubits: v.optional(names),
  target_edges: v.optional(names),
  routine_timeout_s: v.optional(numberIn({ min: 1, max: 172_800 }), 900),
  max_attempts: v.optional(whole(1, 20), 3),
  routines: v.optional(v.nullable(fields('expected names of routines')), {}),
  pin: v.optional(v.record(v.string(), names, 'expected names of qubits and edges with lists of paths'), {}),
  safety: v.optional(
    keysOf({
      pause_after_step_s: v.optional(numberIn({ min: 0, max: 3_600 }), 0),
      max_mixing_chamber_K: v.optional(noGuard),
    }),
    {},
  ),
  heralding: v.optional(switchValue, true),
  monitoring: v.optional(monitoring, {}),
  parallel: v.optional(parallel, {}),
})
