import { beforeEach, describe, expect, it } from 'vitest';
import { inSteps, keepRoom, usualRoom } from './room';

describe('the room of a picture', () => {
  beforeEach(() => localStorage.clear());

  it('changes in coarse steps, and is never more than there is', () => {
    expect(inSteps({ width: 751, height: 685 })).toEqual({ width: 720, height: 640 });
    expect(inSteps({ width: 760, height: 700 })).toEqual(inSteps({ width: 751, height: 685 }));
  });

  it('is no measure where a pane is closed', () => {
    expect(inSteps({ width: 0, height: 0 })).toBeNull();
    expect(inSteps({ width: 900, height: 40 })).toBeNull();
  });

  it('is what the view had last in a window of this width', () => {
    keepRoom('run', { width: 1200, height: 400 });
    expect(usualRoom('run')).toEqual({ width: 1200, height: 400 });
    expect(usualRoom('workflow')).not.toEqual({ width: 1200, height: 400 });
    localStorage.setItem('gatehouse.room.run', `${window.innerWidth + 300} 1200 400`);
    expect(usualRoom('run')).not.toEqual({ width: 1200, height: 400 });
  });
});
