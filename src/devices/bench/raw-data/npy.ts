/** An array for lab software: its values in C order (the last index varies fastest). */
export type NpyArray = { readonly shape: readonly number[] } & (
  | { readonly real: Float64Array }
  /** Complex values as two arrays paired by index. */
  | { readonly i: Float64Array; readonly q: Float64Array }
)

const MAGIC = [0x93, ...Buffer.from('NUMPY'), 1, 0]
/** The data start at a multiple of this many bytes. */
const ALIGNMENT = 64

/**
 * Encodes an array in the NumPy file format, version 1.0, as float64 or complex128, little-endian. Format:
 * NumPy reference, `numpy.lib.format`.
 * @throws RangeError when the number of values is not the product of the shape.
 */
export function encodeNpy(array: NpyArray): Uint8Array {
  const values = 'real' in array ? array.real : interleave(array.i, array.q)
  const count = array.shape.reduce((product, length) => product * length, 1)
  const stored = 'real' in array ? values.length : values.length / 2
  if (stored !== count) throw new RangeError(`${stored} values do not have the shape (${array.shape.join()})`)
  const header = encodeHeader('real' in array ? '<f8' : '<c16', array.shape)
  const file = new Uint8Array(header.length + values.byteLength)
  file.set(header)
  file.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), header.length)
  return file
}

function encodeHeader(descr: string, shape: readonly number[]): Uint8Array {
  // A Python tuple: one of a single value ends with a comma.
  const tuple = shape.length === 1 ? `${shape[0]},` : shape.join(', ')
  const text = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${tuple}), }`
  const fixed = MAGIC.length + 2
  const total = Math.ceil((fixed + text.length + 1) / ALIGNMENT) * ALIGNMENT
  const length = total - fixed
  const header = Buffer.from(`${text.padEnd(length - 1)}\n`, 'latin1')
  return Uint8Array.from([...MAGIC, length & 0xff, length >> 8, ...header])
}

function interleave(i: Float64Array, q: Float64Array): Float64Array {
  if (i.length !== q.length) throw new RangeError(`${i.length} real and ${q.length} imaginary parts`)
  const values = new Float64Array(2 * i.length)
  for (let each = 0; each < i.length; each += 1) {
    values[2 * each] = i[each] ?? 0
    values[2 * each + 1] = q[each] ?? 0
  }
  return values
}
