/** An edge of the chip and its qubits. */
export interface EdgeElement {
  readonly name: string
  readonly parent: string
  readonly child: string
}

/** What planning needs to know of the chip. */
export interface ChipElements {
  readonly qubits: readonly string[]
  readonly edges: readonly EdgeElement[]
  /** Whether an element can hold a submodule (`r12`) or a value at a path (`clock_freqs.cz`). */
  has(element: string, path: string): boolean
}

/** The qubits at either end of an edge; of a qubit, itself. */
export function qubitsOf(target: string, edges: readonly EdgeElement[]): string[] {
  const edge = edges.find(({ name }) => name === target)
  return edge ? [edge.parent, edge.child] : [target]
}
