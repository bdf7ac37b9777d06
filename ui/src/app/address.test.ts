// @vitest-environment node
import { describe, expect, it } from 'vitest';
import { places } from '$lib/ui/places';
import { parseAddress, to } from './address';

describe('addresses', () => {
  it('reads back what it writes', () => {
    expect(parseAddress(to.inbox('r-1', 'plan:approve/2'))).toEqual({
      view: 'inbox',
      run: 'r-1',
      gate: 'plan:approve/2',
      round: null,
    });
    expect(parseAddress(to.workflow('shape a request/flow 1.yaml', { tab: 'source', step: 'frame' }))).toEqual({
      view: 'workflow',
      path: 'shape a request/flow 1.yaml',
      tab: 'source',
      step: 'frame',
    });
    expect(parseAddress(to.run('r-1', { at: 17, step: 'a&b' }))).toEqual({
      view: 'run',
      id: 'r-1',
      at: 17,
      step: 'a&b',
      ask: null,
    });
    expect(parseAddress(to.run('r-1', { ask: 'resume' }))).toMatchObject({ id: 'r-1', ask: 'resume' });
    expect(parseAddress(to.library('pipeline'))).toEqual({ view: 'library', make: 'pipeline' });
    expect(parseAddress(to.library())).toEqual({ view: 'library', make: null });
    expect(parseAddress(to.inbox('r', 'g', 2))).toMatchObject({ run: 'r', gate: 'g', round: 2 });
    expect(parseAddress(to.evidence())).toEqual({ view: 'evidence', run: null, show: null });
    expect(parseAddress(to.evidence({ run: 'r/1', show: 'ev:a#1' }))).toEqual({
      view: 'evidence',
      run: 'r/1',
      show: 'ev:a#1',
    });
    expect(parseAddress(to.settings('rules'))).toEqual({ view: 'settings', at: 'rules' });
    for (const { href } of places.values()) expect(parseAddress(href)).toEqual({ view: 'settings', at: 'people' });
    expect(parseAddress('#/settings?at=elsewhere')).toEqual({ view: 'settings' });
    expect(parseAddress(to.report('r/1'))).toEqual({ view: 'report', run: 'r/1' });
  });

  it('opens on the inbox', () => {
    for (const empty of ['', '#', '#/'])
      expect(parseAddress(empty)).toEqual({ view: 'inbox', run: null, gate: null, round: null });
  });

  it('does not guess: an event number must be a number, an address must exist', () => {
    expect(parseAddress('#/run/r-1?at=later')).toMatchObject({ at: null });
    expect(parseAddress('#/run')).toEqual({ view: 'unknown', address: '#/run' });
    expect(parseAddress('#/proof')).toMatchObject({ view: 'unknown' });
  });

  it('survives a broken escape', () => {
    expect(parseAddress('#/workflow/50%25%')).toMatchObject({ view: 'workflow' });
  });
});
