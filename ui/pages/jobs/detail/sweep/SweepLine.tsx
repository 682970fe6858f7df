import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { meanOf } from '../../../../../src/base/portable/mean.ts'
import type { SweepFit } from '../../../../jobs/sweep/fit-sweep.ts'
import { ascending, MODELS, type Model } from '../../../../jobs/sweep/models.ts'
import type { Points } from '../../../../jobs/sweep/sweep.ts'
import { formatCount } from '../../../../lib/format.ts'
import { formatQuantity } from '../../../../lib/quantity.ts'
import { Select } from '../../../../parts/form/form.tsx'
import { Fit } from '../../../../plots/fit/Fit.tsx'

/** More points than this are not fitted in a page. */
const MAX_FITTED = 2_000

interface SweepLineProps {
  x: readonly number[]
  points: Points
  /** Name of the parameter. */
  name: string
  /** Name of the quantity. */
  title: string
  /** Whether a curve through the points is offered. */
  isFitted: boolean
}

/** A quantity against one parameter with the errors of its shots, and a curve through it on demand. */
export function SweepLine({ x, points: { values, errors }, name, title, isFitted }: SweepLineProps) {
  const model = useSignal<Model | ''>('')
  const fit = useFit(model.value, x, values)
  const [sigma] = errors?.length ? [Math.sqrt(meanOf(errors.map((error) => error ** 2)))] : []
  const fitted = fit?.curve && atPoints(fit.curve, x)
  return (
    <>
      {isFitted && x.length <= MAX_FITTED && (
        <div class="toolbar">
          <Select
            label="Fit"
            value={model.value}
            choices={[['', 'none'], ...Object.entries(MODELS)]}
            set={(chosen) => (model.value = chosen as Model | '')}
          />
        </div>
      )}
      <Fit
        label={`${title}: ${formatCount(x.length)} points against ${name}${fitted ? ' with the fitted curve' : ''}`}
        data={{ x, y: values }}
        errors={errors}
        curve={fit?.curve}
        fitted={fitted}
        sigma={fitted && sigma}
        xTitle={name}
        yTitle={title}
      />
      {errors && <p class="caption">Bars: ± one standard error of the shots.</p>}
      {fit?.refusal && <p role="alert">The curve is not accepted: {fit.refusal}.</p>}
      {fit && fit.refusal === '' && <Found fit={fit} name={name} />}
    </>
  )
}

/** The fit of a model, calculated when it is chosen. */
function useFit(model: Model | '', x: readonly number[], y: readonly number[]): SweepFit | undefined {
  const found = useSignal<SweepFit | undefined>(undefined)
  useEffect(() => {
    found.value = undefined
    if (model === '') return undefined
    let isCurrent = true
    void import('../../../../jobs/sweep/fit-sweep.ts')
      .then(({ fitSweep }) => fitSweep(model, x, y))
      .then((fit) => {
        if (isCurrent) found.value = fit
      })
    return () => {
      isCurrent = false
    }
  }, [model, x, y])
  return found.value
}

/** The fitted parameters with their standard errors. */
function Found({ fit, name }: { fit: SweepFit; name: string }) {
  return (
    <table class="book" aria-label="Fitted values">
      <tbody>
        {fit.parameters.map((each) => (
          <tr key={each.name}>
            <th scope="row">
              {each.name}
              {UNITS[each.name]?.(name)}
            </th>
            <td class="number">{formatQuantity(each.value, { uncertainty: each.error, digits: 5 })}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** What a fitted value is measured in, where that is the parameter. */
const UNITS: Readonly<Record<string, (parameter: string) => string>> = {
  decay: (parameter) => `, in ${parameter}`,
  center: (parameter) => `, in ${parameter}`,
  width: (parameter) => `, in ${parameter}`,
  frequency: (parameter) => `, cycles per ${parameter}`,
  phase: () => ', rad',
}

/** A curve, in ascending order, at the points that it was fitted to; undefined if it lacks some of them. */
function atPoints(curve: { y: readonly number[] }, x: readonly number[]): number[] | undefined {
  if (curve.y.length !== x.length) return undefined
  const found: number[] = []
  for (const [place, at] of ascending(x).entries()) found[at] = curve.y[place] ?? 0
  return found
}
