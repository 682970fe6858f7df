/** Imported with `{ type: 'file' }`: a path, inside of the executable or on disk. */
declare module '*.wasm' {
  const path: string
  export default path
}
