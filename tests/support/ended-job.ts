/** Fields of a job that has just ended, so that its program is kept: that of a cancelled job is for a day. */
export function ended(): { status: 'cancelled'; finished_at: string } {
  return { status: 'cancelled', finished_at: new Date().toISOString() }
}
