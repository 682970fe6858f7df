/**
 * Complex samples as two series of equal length: I (real) and Q (imaginary), in the unit of the acquisition.
 */
export interface ComplexSeries {
  re: ArrayLike<number>
  im: ArrayLike<number>
}

/** All samples of several series, one after the other. */
export function joinSeries(all: readonly ComplexSeries[]): ComplexSeries {
  return {
    re: all.flatMap(({ re }) => Array.from(re)),
    im: all.flatMap(({ im }) => Array.from(im)),
  }
}

/** The mean of complex samples; not finite without any. */
export function meanOfSeries({ re, im }: ComplexSeries): { re: number; im: number } {
  const mean = (values: ArrayLike<number>) =>
    Array.from(values).reduce((sum, value) => sum + value, 0) / values.length
  return { re: mean(re), im: mean(im) }
}

/** Complex samples along the line on which they vary most. */
interface Projection {
  /** Distances from the mean along the axis, in the unit of the samples. */
  values: Float64Array
  /** Direction of the axis, rad, in (−π/2, π/2]. Its sign says nothing about the state of a qubit. */
  angle: number
  /** Share of the variance that lies along the axis: 0.5 for round noise, 1 for a line. */
  share: number
}

/**
 * Projects complex samples on the principal axis of their scatter. Sign and scale are free: a curve fitted to
 * the result needs a free amplitude. Needs no references, so that a qubit without a known π pulse can be
 * measured. Samples that are not finite, and unequal lengths, give values that are not finite, which a fit
 * rejects as `no_data`.
 */
export function projectOnPrincipalAxis({ re, im }: ComplexSeries): Projection {
  const count = Math.max(re.length, im.length)
  const { re: x0, im: y0 } = meanOfSeries({ re, im })
  let [xx, yy, xy] = [0, 0, 0]
  for (let at = 0; at < count; at++) {
    const [x, y] = [(re[at] ?? Number.NaN) - x0, (im[at] ?? Number.NaN) - y0]
    xx += x * x
    yy += y * y
    xy += x * y
  }
  const angle = Math.atan2(2 * xy, xx - yy) / 2
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  const values = Float64Array.from(
    { length: count },
    (_, at) => cos * ((re[at] ?? Number.NaN) - x0) + sin * ((im[at] ?? Number.NaN) - y0),
  )
  const along = xx * cos * cos + 2 * xy * cos * sin + yy * sin * sin
  return { values, angle, share: xx + yy > 0 ? along / (xx + yy) : 0.5 }
}
