export { default as EdgeCard } from './EdgeCard.svelte';
export { default as Graph } from './Graph.svelte';
export { default as GraphPicture } from './GraphPicture.svelte';
export type { How } from './choose.svelte';
export type { Marks } from './marks';
export type { Overlay } from './scene';
export type { Under } from './under';
