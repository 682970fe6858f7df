/** Whether a name is an edge: two qubits joined by an underscore, `q0_q1`. */
export function isEdge(target: string): boolean {
  return /^[A-Za-z]+\d+_[A-Za-z]+\d+$/.test(target)
}

/** Targets in natural order: q2 before q10. */
export function sortTargets(targets: Iterable<string>): string[] {
  return [...new Set(targets)].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
}
