const TURN = 2 * Math.PI

/** The angle within (-pi, pi] up to full turns; -pi stays, because it turns the other way. */
export function wrapAngle(angle: number): number {
  if (angle >= -Math.PI && angle <= Math.PI) return angle
  const wrapped = angle - TURN * Math.round(angle / TURN)
  return wrapped === -Math.PI ? Math.PI : wrapped
}

/**
 * The amplitude of a pulse that rotates by `angle` (rad, 0 to pi): piecewise linear through 0, `amp90` at a
 * quarter turn and `amp180` at a half turn, because the drive of a real chip compresses. Without `amp90`, or
 * with 0, a straight line.
 */
export function amplitudeOf(angle: number, amp180: number, amp90?: number): number {
  const part = angle / Math.PI
  if (amp90 === undefined || !(amp90 > 0)) return amp180 * part
  return part <= 0.5 ? amp90 * 2 * part : amp90 + (amp180 - amp90) * (2 * part - 1)
}
