import { formatCount } from '../../../lib/format.ts'
import { Fit } from '../../../plots/fit/Fit.tsx'
import { prefixOf } from '../reading/changes.ts'
import { type Axis, at, type LineFit } from '../reading/read-fit.ts'

/** A measured line with its fitted curve. */
export function LinePlot({ fit, label }: { fit: LineFit; label: string }) {
  const { factor, unit } = prefixOf(Math.max(...fit.x.values.map(Math.abs)), fit.x.unit)
  const fitted = fit.curve && at(fit.curve, fit.x.values)
  return (
    <Fit
      label={`${label}: ${formatCount(fit.x.values.length)} points of ${fit.y.name} against ${fit.x.name}${fit.curve ? ' with the fitted curve' : ''}`}
      data={{ x: fit.x.values, y: fit.y.values }}
      curve={fit.curve}
      fitted={fitted}
      sigma={fit.sigma}
      xTitle={axisTitle(fit.x, unit)}
      yTitle={axisTitle(fit.y, fit.y.unit)}
      xFactor={factor}
    />
  )
}

/** Name of an axis with the unit in which it is drawn. */
export function axisTitle({ name }: Axis, unit: string): string {
  return unit ? `${name.replaceAll('_', ' ')}, ${unit}` : name.replaceAll('_', ' ')
}
