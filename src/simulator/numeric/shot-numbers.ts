/** The numbers of `count` shots, counted from 0. */
export function shotNumbers(count: number): Uint32Array {
  const shots = new Uint32Array(count)
  // `Uint32Array.from` takes as long as the whole simulation of a small circuit.
  for (let shot = 0; shot < count; shot++) shots[shot] = shot
  return shots
}
