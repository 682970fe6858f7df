/** The functions that the host calls, documented where they are declared. */

export { adjoint, gram, multiply, orthonormalize } from './matrix'
export { drawUniform } from './random'
export { addUp, buildGuide, drawIndices, project, weight } from './sample'
export { diagonalize, transformBack, tridiagonalize } from './spectrum'
export { runStage } from './stage'
