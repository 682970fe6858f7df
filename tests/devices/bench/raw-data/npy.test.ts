import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { encodeNpy, type NpyArray } from '../../../../src/devices/bench/raw-data/npy.ts'

// Bytes that numpy.save of NumPy 2.4.6 writes.
const HEAD = '934e554d505901007600'

function headerText(file: Uint8Array): string {
  const bytes = Buffer.from(file)
  return bytes.toString('latin1', 10, 10 + bytes.readUInt16LE(8))
}

test('float64 and complex128 arrays are byte for byte what NumPy writes', () => {
  const cases: [NpyArray, string, string][] = [
    [
      { shape: [3], real: Float64Array.of(1.5, -0.25, Number.NaN) },
      "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }",
      '000000000000f83f000000000000d0bf000000000000f87f',
    ],
    [
      {
        shape: [2, 3],
        i: Float64Array.of(1, 3, 0, 1, 2, 3),
        q: Float64Array.of(2, -4, 0.5, 0, 0, 0),
      },
      "{'descr': '<c16', 'fortran_order': False, 'shape': (2, 3), }",
      '000000000000f03f0000000000000040000000000000084000000000000010c00000000000000000000000000000e03f' +
        '000000000000f03f00000000000000000000000000000040000000000000000000000000000008400000000000000000',
    ],
    [
      { shape: [0, 2], real: new Float64Array(0) },
      "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 2), }",
      '',
    ],
    [
      { shape: [], real: Float64Array.of(2.5) },
      "{'descr': '<f8', 'fortran_order': False, 'shape': (), }",
      '0000000000000440',
    ],
  ]
  for (const [array, text, data] of cases) {
    const file = Buffer.from(encodeNpy(array))
    expect(file.toString('hex', 0, 10)).toBe(HEAD)
    expect(headerText(file)).toBe(`${text.padEnd(117)}\n`)
    expect(file.toString('hex', 128)).toBe(data)
  }
})

test('whatever the shape, the data are aligned and whole', () => {
  const shape = fc.array(fc.integer({ min: 1, max: 7 }), { maxLength: 40 }).map((lengths) => {
    let count = 1
    return lengths.filter((length) => {
      count *= length
      return count <= 5_000
    })
  })
  fc.assert(
    fc.property(shape, (lengths) => {
      const count = lengths.reduce((product, length) => product * length, 1)
      const real = Float64Array.from({ length: count }, (_, each) => each / 3)
      const file = encodeNpy({ shape: lengths, real })
      const start = 10 + headerText(file).length
      expect(start % 64).toBe(0)
      expect(headerText(file)).toEndWith(' \n')
      expect(new Float64Array(file.slice(start).buffer)).toEqual(real)
    }),
    { numRuns: 100, seed: 14 },
  )
})

test('a shape of another size is refused', () => {
  expect(() => encodeNpy({ shape: [2, 2], real: new Float64Array(3) })).toThrow(
    '3 values do not have the shape (2,2)',
  )
  expect(() => encodeNpy({ shape: [2], i: new Float64Array(2), q: new Float64Array(1) })).toThrow('imaginary')
})
