import { MEDIAN_TO_SIGMA, meanOf, medianOf } from '../../base/index.ts'
import { squaresAboutMean } from './acceptance.ts'
import type { ComplexSeries } from './complex-series.ts'

/** Smallest tilt of the separating line, in standard errors. */
const MIN_TILT = 2

/** Center of a cloud, and its covariance with entries xx, xy, yy. */
export interface Cloud {
  center: [number, number]
  covariance: [number, number, number]
}

/** Center and covariance of shots. */
export function cloudOf({ re, im }: ComplexSeries): Cloud {
  const count = re.length
  let [x0, y0] = [0, 0]
  for (let at = 0; at < count; at++) {
    x0 += (re[at] as number) / count
    y0 += (im[at] as number) / count
  }
  let [xx, xy, yy] = [0, 0, 0]
  for (let at = 0; at < count; at++) {
    const [x, y] = [(re[at] as number) - x0, (im[at] as number) - y0]
    xx += (x * x) / (count - 1)
    xy += (x * y) / (count - 1)
    yy += (y * y) / (count - 1)
  }
  return { center: [x0, y0], covariance: [xx, xy, yy] }
}

/** Mean of the covariances of clouds. */
export function shared(clouds: readonly Cloud[]): Cloud['covariance'] {
  const mean = (entry: 0 | 1 | 2) =>
    clouds.reduce((sum, cloud) => sum + cloud.covariance[entry], 0) / clouds.length
  return [mean(0), mean(1), mean(2)]
}

/**
 * Direction in which the centers are separated best, rad. Correlated noise tilts it from the line between the
 * centers by its covariance across that line over the variance of the other side; a tilt within its error is
 * left out, for it would only add noise.
 */
export function separatingAngle(a: Cloud, b: Cloud, shots: number): number {
  const [x, y] = [b.center[0] - a.center[0], b.center[1] - a.center[1]]
  const direction = Math.atan2(y, x)
  const [cos, sin] = [Math.cos(direction), Math.sin(direction)]
  const [xx, xy, yy] = shared([a, b])
  const along = cos * cos * xx + 2 * cos * sin * xy + sin * sin * yy
  const across = sin * sin * xx - 2 * cos * sin * xy + cos * cos * yy
  const both = (yy - xx) * sin * cos + xy * (cos * cos - sin * sin)
  const isClear = Math.abs(both) > MIN_TILT * Math.sqrt((along * across) / shots)
  return isClear && across > 0 ? direction - Math.atan(both / across) : direction
}

/** The inverse of the covariance times a vector. */
function whiten([xx, xy, yy]: Cloud['covariance'], [x, y]: readonly [number, number]): [number, number] {
  const determinant = xx * yy - xy * xy
  // Shots on one line have no inverse; the line itself separates them.
  if (!(determinant > 1e-12 * xx * yy)) return [x, y]
  return [(yy * x - xy * y) / determinant, (xx * y - xy * x) / determinant]
}

/** Squared distance of two points, in the metric of a covariance. */
export function distanceOf(
  covariance: Cloud['covariance'],
  a: readonly [number, number],
  b: readonly [number, number],
): number {
  const difference = [b[0] - a[0], b[1] - a[1]] as const
  const [x, y] = whiten(covariance, difference)
  return x * difference[0] + y * difference[1]
}

/** Shots along a direction (rad) of the plane, with mean and standard deviation. */
export function along({ re, im }: ComplexSeries, angle: number) {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  const values = Float64Array.from(re, (x, at) => cos * x + sin * (im[at] as number))
  const mean = meanOf(values)
  return { values, mean, sigma: Math.sqrt(squaresAboutMean(values) / (values.length - 1)) }
}

/**
 * Median and median deviation, on which the shots of a state that decayed or was not prepared have little
 * effect.
 */
export function coreOf(values: Float64Array): { mean: number; sigma: number } {
  const mean = medianOf(values)
  return { mean, sigma: MEDIAN_TO_SIGMA * medianOf(values.map((value) => Math.abs(value - mean))) }
}

/**
 * Where two normal distributions are equally dense, between their means; the point of equal deviations
 * otherwise.
 */
export function crossing(
  low: { mean: number; sigma: number },
  high: { mean: number; sigma: number },
): number {
  const densities = ({ mean, sigma }: typeof low, x: number) =>
    ((x - mean) / sigma) ** 2 + 2 * Math.log(sigma)
  let [left, right] = [low.mean, high.mean]
  const difference = (x: number) => densities(low, x) - densities(high, x)
  if (!(difference(left) < 0 && difference(right) > 0)) {
    return (low.mean * high.sigma + high.mean * low.sigma) / (low.sigma + high.sigma)
  }
  for (let step = 0; step < 60; step++) {
    const middle = (left + right) / 2
    if (difference(middle) < 0) left = middle
    else right = middle
  }
  return (left + right) / 2
}
