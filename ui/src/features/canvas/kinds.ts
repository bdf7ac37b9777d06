import Boxes from '@lucide/svelte/icons/boxes';
import Layers from '@lucide/svelte/icons/layers';
import SquareTerminal from '@lucide/svelte/icons/square-terminal';
import UserRound from '@lucide/svelte/icons/user-round';
import type { Component } from 'svelte';
import type { FaceView } from '$lib/api';

/** What a step does, told by an icon; an agent's step has none. */
export const KIND: Record<FaceView['kind'], Component | null> = {
  agent: null,
  command: SquareTerminal,
  prompt: UserRound,
  group: Boxes,
  runbooks: Layers,
};
