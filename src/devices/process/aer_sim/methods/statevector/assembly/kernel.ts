/** What the host calls; see the files for what each does. */

export { drawUniform } from './random'
export { addUp, drawIndices, project, sumGroups, weight } from './sample'
export { runStage } from './stage'
