import { type AmplitudeFormat, LAYOUT } from './layout.ts'

const PAGE_BYTES = 65_536
/** 4 GiB, the limit of 32-bit addresses. */
const MAX_PAGES = 65_536

/** The exports of `assembly/kernel.ts`; addresses and lengths in bytes, masks as 32-bit integers. */
export interface Kernel {
  runStage(stage: number, limit: number, scratch: number, workspace: number): number
  addUp(isSingle: boolean, state: number, bits: number, groups: number, sums: number): void
  buildGuide(sums: number, groups: number, guide: number, entries: number): void
  drawUniform(
    keyA: number,
    keyB: number,
    stream: number,
    purpose: number,
    block: number,
    shots: number,
    count: number,
    draws: number,
  ): void
  drawIndices(
    isSingle: boolean,
    state: number,
    bits: number,
    sums: number,
    groups: number,
    guide: number,
    entries: number,
    draws: number,
    count: number,
    indices: number,
  ): void
  weight(isSingle: boolean, state: number, size: number, mask: number, value: number): number
  project(isSingle: boolean, state: number, size: number, mask: number, value: number, factor: number): void
  multiply(
    a: number,
    b: number,
    product: number,
    inner: number,
    columns: number,
    from: number,
    to: number,
    panel: number,
  ): void
  gram(matrix: number, result: number, rows: number, columns: number, from: number, to: number): void
  adjoint(matrix: number, result: number, rows: number, columns: number): void
  orthonormalize(matrix: number, columns: number, kept: number, row: number, rounding: number): number
  tridiagonalize(
    matrix: number,
    size: number,
    from: number,
    to: number,
    reflections: number,
    room: number,
    diagonal: number,
    beside: number,
    phases: number,
  ): void
  diagonalize(
    diagonal: number,
    beside: number,
    vectors: number,
    size: number,
    from: number,
    to: number,
    norm: number,
  ): void
  transformBack(vector: number, size: number, reflections: number, phases: number, out: number): void
}

/** Creates a memory for a state of `qubits` qubits, which threads can share. */
export function createMemory(qubits: number, { bytes }: AmplitudeFormat): WebAssembly.Memory {
  return memoryOf(LAYOUT.state + bytes * 2 ** qubits)
}

/** Creates a memory of at least so many bytes, for data other than a state. */
export function memoryOf(bytes: number): WebAssembly.Memory {
  return new WebAssembly.Memory({
    initial: Math.ceil(bytes / PAGE_BYTES),
    maximum: MAX_PAGES,
    shared: true,
  })
}

/** The functions of the kernel for one memory. */
export function instantiateKernel(module: WebAssembly.Module, memory: WebAssembly.Memory): Kernel {
  return new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as Kernel
}
