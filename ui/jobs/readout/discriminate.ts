import { meanOf } from '../../../src/base/portable/mean.ts'
import { normalTail } from '../../lib/statistics.ts'

/** Points in the IQ plane, one per shot. */
export interface Points {
  re: Float64Array
  im: Float64Array
}

/**
 * A shot is on the side of 1 where its real part, rotated by `rotation` in degrees, is above `threshold`, in
 * the unit of the points.
 */
export interface Discriminator {
  rotation: number
  threshold: number
}

/** The positions of points on the axis that tells two states apart: cos(rotation) I − sin(rotation) Q. */
export function projectPoints({ re, im }: Points, { rotation }: Discriminator): Float64Array {
  const [cos, sin] = [Math.cos((rotation * Math.PI) / 180), Math.sin((rotation * Math.PI) / 180)]
  return re.map((value, shot) => cos * value - sin * (im[shot] ?? 0))
}

/** The line halfway between the means of shots that were prepared as 0 and as 1. */
export function betweenPrepared(zero: Points, one: Points): Discriminator | undefined {
  if (zero.re.length === 0 || one.re.length === 0) return undefined
  const from: Place = [meanOf(zero.re), meanOf(zero.im)]
  const to: Place = [meanOf(one.re), meanOf(one.im)]
  return from[0] === to[0] && from[1] === to[1] ? undefined : halfway(from, to)
}

/** Clouds that are nearer than this many of their standard deviations may be one. */
const MIN_SEPARATION = 3.5
const MAX_ROUNDS = 30

/**
 * The line halfway between two clouds whose shots nobody has sorted (2-means, from the ends of the longest
 * axis), the more frequent side as 0; undefined if the points may be one cloud. A cloud of one normal
 * distribution, cut in two, has a separation of 2.65.
 */
export function betweenClouds(points: Points): Discriminator | undefined {
  const count = points.re.length
  if (count < 20) return undefined
  let [first, second] = farEnds(points)
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const line = halfway(first, second)
    const onSecond = projectPoints(points, line).map((value) => (value > line.threshold ? 1 : 0))
    const many = onSecond.reduce((sum, each) => sum + each, 0)
    if (many === 0 || many === count) return undefined
    const [next, other] = [meanPlace(points, onSecond, 0), meanPlace(points, onSecond, 1)]
    const isSettled = distance(next, first) + distance(other, second) === 0
    ;[first, second] = many > count / 2 && isSettled ? [other, next] : [next, other]
    if (isSettled) break
  }
  const line = halfway(first, second)
  return separationOf(points, line) < MIN_SEPARATION ? undefined : line
}

/** How often shots prepared as 0 and as 1 are read as the other, with standard errors, and their mean. */
export interface AssignmentError {
  zeroAsOne: Share | undefined
  oneAsZero: Share | undefined
  mean: number | undefined
}

/** A share of shots and its binomial standard error. */
export interface Share {
  value: number
  error: number
  shots: number
}

/** The errors of a threshold for shots whose preparation is known; either list may be empty. */
export function assignmentErrors(zero: Float64Array, one: Float64Array, threshold: number): AssignmentError {
  const zeroAsOne = shareOf(zero, (value) => value > threshold)
  const oneAsZero = shareOf(one, (value) => value <= threshold)
  return {
    zeroAsOne,
    oneAsZero,
    mean: zeroAsOne && oneAsZero && (zeroAsOne.value + oneAsZero.value) / 2,
  }
}

function shareOf(values: Float64Array, isWrong: (value: number) => boolean): Share | undefined {
  if (values.length === 0) return undefined
  const value = values.filter(isWrong).length / values.length
  return { value, error: Math.sqrt((value * (1 - value)) / values.length), shots: values.length }
}

/** The error that two normal clouds of these projections overlap by, half of each side's tail. */
export function overlapError(below: Float64Array, above: Float64Array): number | undefined {
  const width = Math.sqrt((varianceOf(below) + varianceOf(above)) / 2)
  if (below.length < 2 || above.length < 2 || width === 0) return undefined
  return normalTail(Math.abs(meanOf(above) - meanOf(below)) / (2 * width)) / 2
}

type Place = readonly [re: number, im: number]

function halfway(from: Place, to: Place): Discriminator {
  const angle = Math.atan2(to[1] - from[1], to[0] - from[0])
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  return {
    rotation: (-angle * 180) / Math.PI,
    threshold: (cos * (from[0] + to[0]) + sin * (from[1] + to[1])) / 2,
  }
}

/** The point that is farthest from the mean, and the one that is farthest from it. */
function farEnds(points: Points): [Place, Place] {
  const first = farthest(points, [meanOf(points.re), meanOf(points.im)])
  return [first, farthest(points, first)]
}

function farthest({ re, im }: Points, from: Place): Place {
  let [best, place]: [number, Place] = [-1, from]
  for (const [shot, value] of re.entries()) {
    const each: Place = [value, im[shot] ?? 0]
    const far = distance(each, from)
    if (far > best) [best, place] = [far, each]
  }
  return place
}

function meanPlace({ re, im }: Points, sides: Float64Array, side: 0 | 1): Place {
  const isHere = (_: number, shot: number) => sides[shot] === side
  return [meanOf(re.filter(isHere)), meanOf(im.filter(isHere))]
}

function separationOf(points: Points, line: Discriminator): number {
  const projected = projectPoints(points, line)
  const below = projected.filter((value) => value <= line.threshold)
  const above = projected.filter((value) => value > line.threshold)
  const within = (varianceOf(below) * below.length + varianceOf(above) * above.length) / projected.length
  return within === 0 ? Number.POSITIVE_INFINITY : (meanOf(above) - meanOf(below)) / Math.sqrt(within)
}

function distance([a, b]: Place, [c, d]: Place): number {
  return (a - c) ** 2 + (b - d) ** 2
}

function varianceOf(values: Float64Array): number {
  const mean = meanOf(values)
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length || 1)
}
