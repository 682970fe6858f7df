import type { Method } from '../define-method.ts'
import { densityMatrix } from './density_matrix/index.ts'
import { matrixProductState } from './matrix_product_state/index.ts'
import { stabilizer } from './stabilizer/index.ts'
import { statevector } from './statevector/index.ts'
import { trajectories } from './trajectories/index.ts'

/** Every simulation method, in the order of automatic choice. */
export const METHODS: readonly Method[] = [
  statevector,
  stabilizer,
  trajectories,
  densityMatrix,
  matrixProductState,
]
