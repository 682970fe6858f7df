/** A value with its standard error, in the same unit. */
export interface Estimate {
  value: number
  error: number
}

/**
 * Why a fit is not accepted, in the order of the tests:
 *
 * | Code | Meaning |
 * |---|---|
 * | `no_data` | samples are missing, not finite, constant or clipped |
 * | `no_signal` | the curve does not describe the data better than their mean |
 * | `unresolved` | the standard error of the wanted value is too large |
 * | `edge_of_sweep` | the wanted value is outside the swept range or at its end |
 * | `implausible` | the value contradicts physics |
 */
type FitErrorCode = 'no_data' | 'no_signal' | 'unresolved' | 'edge_of_sweep' | 'implausible'

/** Figures about a fit, which a report retains without the trace. */
export type Quality = Readonly<Record<string, number>>

/** Figures that say how well a curve describes its data. */
export type FitQuality = {
  /** Adjusted R². */
  r2: number
  /** Difference of the Bayesian information criterion to a constant; above 15 there is a signal. */
  dbic: number
  /** Largest standard error among the wanted values, relative to the scale it is compared with. */
  se_rel: number
  /** Number of fitted points. */
  points: number
  /** Their number less the number of parameters. */
  dof: number
}

/** A swept or measured quantity. */
export interface Axis {
  name: string
  /** SI unit; empty for numbers without one. */
  unit: string
  values: ArrayLike<number>
}

/** A quantity of a trace, as a report holds it. */
export interface TraceAxis {
  name: string
  unit: string
  values: number[]
}

/** Fitted parameters of a trace: value and standard error. */
export type TraceParameters = Record<string, [value: number, error: number | null]>

/** Measured points with the fitted curve at them. */
export interface LineTrace {
  kind: 'line'
  model: string
  x: TraceAxis
  y: number[]
  y_name: string
  y_unit: string
  curve?: number[]
  params?: TraceParameters
  goodness?: FitQuality
  points: number
}

/** Values over two swept quantities, `z` one row of `x` after the other. */
export interface MapTrace {
  kind: 'map'
  model: string
  x: TraceAxis
  y: TraceAxis
  z: number[]
  params?: TraceParameters
  goodness?: FitQuality
}

/** Shots of prepared states in the IQ plane. */
export interface StatesTrace {
  kind: 'iq'
  model: string
  unit: string
  states: { label: string; i: number[]; q: number[] }[]
  centroids: [number, number][]
  assignment: number[][]
}

/** The trace of a fit, as field `fit` of a report. */
export type FitTrace = LineTrace | MapTrace | StatesTrace

/** A fit that was accepted. */
export interface AcceptedFit<Values> {
  ok: true
  values: Values
  quality: Quality
  fit: FitTrace
}

/** A fit that was not accepted; `message` is for people and names the figures that decided. */
export interface RejectedFit {
  ok: false
  code: FitErrorCode
  message: string
  quality?: Quality
  /** The trace, unless there is nothing to draw. */
  fit?: FitTrace
}

/** What every fit returns: values with standard errors, or a reason. */
export type Fit<Values> = AcceptedFit<Values> | RejectedFit

/** Fit that returns one estimate per name. */
export type EstimateFit<Name extends string> = Fit<Record<Name, Estimate>>

/** A rejected fit. */
export function rejectFit(
  code: FitErrorCode,
  message: string,
  parts: { quality?: Quality | undefined; fit?: FitTrace | undefined } = {},
): RejectedFit {
  const { quality, fit } = parts
  return { ok: false, code, message, ...(quality && { quality }), ...(fit && { fit }) }
}
