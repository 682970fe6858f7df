import type { Fit, FitTrace } from '../../../src/devices/fitting/fit.ts'
import { fitCosine } from '../../../src/devices/fitting/models/cosine.ts'
import { fitDampedCosine } from '../../../src/devices/fitting/models/damped-cosine.ts'
import { fitExponential } from '../../../src/devices/fitting/models/exponential.ts'
import { fitLorentzian } from '../../../src/devices/fitting/models/lorentzian.ts'
import type { Steps } from '../../../src/devices/fitting/steps.ts'
import { ascending, type Model } from './models.ts'

const X = { name: 'parameter', unit: '' }
const Y = { name: 'value', unit: '' }

type Values = readonly number[]

/** The models of the routines of a calibration, without units: those of the parameter are not known. */
const MODELS: Record<Model, (x: Values, y: Values) => Steps<Fit<unknown>>> = {
  cosine: (x, y) => fitCosine(x, y, { x: X, y: Y, hasPhase: true }),
  damped_cosine: (x, y) => fitDampedCosine(x, y, { wanted: 'frequency', x: X, y: Y }),
  exponential: (x, y) => fitExponential(x, y, { x: X, y: Y }),
  lorentzian: (x, y) => fitLorentzian(x, y, Y, X),
}

/** A curve that was fitted to the points of a sweep, or why there is none. */
export interface SweepFit {
  /** Value and standard error of each parameter. */
  parameters: readonly { name: string; value: number; error: number | undefined }[]
  curve: { x: readonly number[]; y: readonly number[] } | undefined
  /** Why the fit is not accepted; empty if it is. */
  refusal: string
}

/** Time of one piece of a fit, ms; the page reacts between two of them. */
const SLICE_MS = 12

/** Fits a model to points in any order. */
export async function fitSweep(model: Model, x: Values, y: Values): Promise<SweepFit> {
  const order = ascending(x)
  const pick = (values: Values) => order.map((at) => values[at] ?? Number.NaN)
  const steps = MODELS[model](pick(x), pick(y))
  let end = performance.now() + SLICE_MS
  for (;;) {
    const step = steps.next()
    if (step.done) return read(step.value)
    if (performance.now() < end) continue
    await new Promise((resolve) => setTimeout(resolve))
    end = performance.now() + SLICE_MS
  }
}

function read(fit: Fit<unknown>): SweepFit {
  const trace: FitTrace | undefined = fit.fit
  const line = trace?.kind === 'line' ? trace : undefined
  const parameters = Object.entries(line?.params ?? {}).map(([name, [value, error]]) => ({
    name,
    value,
    error: error ?? undefined,
  }))
  return {
    parameters,
    curve: line?.curve && { x: line.x.values, y: line.curve },
    refusal: fit.ok ? '' : fit.message,
  }
}
