/** The functions that the host calls, documented where they are declared. */

export { drawUniform } from './random'
export { addUp, buildGuide, drawIndices, project, weight } from './sample'
export { runStage } from './stage'
