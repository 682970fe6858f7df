import kernelFile from './kernel.wasm' with { type: 'file' }

/** Compiles the kernel, which `scripts/build-kernel.ts` builds from the sources in `assembly/`. */
export async function loadKernel(): Promise<WebAssembly.Module> {
  return WebAssembly.compile(await Bun.file(kernelFile).bytes())
}
