import { FakeHost } from '$lib/host/fake';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { feed } from './feed.svelte';

describe('feed', () => {
  const host = new FakeHost();
  let stop: () => void;
  beforeEach(() => {
    vi.useFakeTimers();
    stop = feed.start(host);
  });
  afterEach(() => {
    stop();
    vi.useRealTimers();
  });

  it('hands on all notices of a frame at once, to whoever asked for their kind', () => {
    const runs = vi.fn();
    const inbox = vi.fn();
    const off = [feed.on('run', runs), feed.on('inbox', inbox)];
    for (let last = 1; last <= 500; last++) host.send({ kind: 'run', run_id: 'r', last, status: 'running' });
    expect(runs).not.toHaveBeenCalled();
    vi.advanceTimersByTime(20);
    expect(runs).toHaveBeenCalledTimes(1);
    expect(runs.mock.calls[0]?.[0]).toHaveLength(500);
    expect(inbox).not.toHaveBeenCalled();
    off.forEach((one) => one());
  });

  it('asks for nothing but workflows when workflows came or went', () => {
    const [runs, library] = [vi.fn(), vi.fn()];
    const off = [feed.on('run', runs), feed.on('library', library)];
    host.send({ kind: 'library' });
    vi.advanceTimersByTime(20);
    expect(library).toHaveBeenCalledTimes(1);
    expect(runs).not.toHaveBeenCalled();
    off.forEach((one) => one());
  });

  it('tells everybody when the backend says that notices were missed', () => {
    const runs = vi.fn();
    const off = feed.on('run', runs);
    host.send({ kind: 'missed' });
    vi.advanceTimersByTime(20);
    expect(runs).toHaveBeenCalledWith([]);
    off();
  });

  it('tells everybody after a break, because anything may have happened', () => {
    const runs = vi.fn();
    const off = feed.on('run', runs);
    host.link('lost');
    expect(feed.link).toBe('lost');
    host.link('open');
    expect(runs).toHaveBeenCalledWith([]);
    off();
  });
});
