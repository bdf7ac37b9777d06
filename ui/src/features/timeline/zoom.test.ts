import { fireEvent, render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { timelineAt, WAITING } from '../canvas/__fixtures__/request';
import { together } from './course';
import { Replay } from './replay.svelte';
import { Said } from './said.svelte';
import Timeline from './Timeline.svelte';

it('leads back from a zoom by a button, and goes on from the playhead', async () => {
  const timeline = together(null, timelineAt(WAITING))!;
  const replay = new Replay(new Said(async (after) => ({ lines: [], last: after ?? 0 }) as never));
  replay.timeline = timeline;
  render(Timeline, { timeline, replay, scale: 'time' });
  expect(screen.queryByTestId('timeline-all')).toBeNull();
  await fireEvent.wheel(screen.getByTestId('playhead'), { ctrlKey: true, deltaY: -100 });
  await userEvent.setup().click(screen.getByRole('button', { name: 'Show all' }));
  expect(screen.queryByTestId('timeline-all')).toBeNull();
  expect(screen.getByTestId('playhead')).toHaveFocus();
});
