/** What the host calls; see the files for what each does. */

export { drawUniform } from './random'
export { addUp, buildGuide, drawIndices, project, weight } from './sample'
export { runStage } from './stage'
