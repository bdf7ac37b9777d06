import { mount } from 'svelte';
import App from '../../../App.svelte';
import Looked from './Looked.svelte';
import { FakeHost } from '$lib/host/fake';
import '$lib/ui/base.css';
import * as delivery from './delivery';
import { showRun } from './host';
import { many } from './many';
import { LAST, logAfter, RUN, runAt, stepAt, timelineAt, WAITING } from './request';

// `?last=22` shows the run as if it had only got that far; `?steps=1000` a made-up large one.
const query = new URLSearchParams(location.search);
const last = Number(query.get('last') ?? WAITING);
const steps = Number(query.get('steps') ?? 0);
const events = Number(query.get('events') ?? 0);
/** `?pipeline=running` or `?pipeline=ended`: a pipeline with stages side by side. */
const pipeline = query.get('pipeline');
const stages = pipeline === 'ended' ? delivery.ended : delivery.steps;
const large = steps || events ? many(steps || 12, events || steps * 3) : null;
let shown = last;

const host = new FakeHost()
  .on('settings.get', () => ({
    name: 'Anna Berger',
    key: '7f3a',
    key_short: '7F3A…C2',
    key_kept: '',
    theme: query.get('theme') ?? 'system',
    notifications: true,
    auto_next: false,
    project: '/project',
    version: '0.1.0',
    trust: { trusted: true, asked: true, lost: null },
    config_problems: [],
  }))
  .on('inbox.list', () => ({ waiting: [], decided: [], decided_total: 0 }))
  .on('runs.list', () => ({ runs: [] }))
  .on('library.list', () => ({ project: 'project', folders: [], unreadable: [] }))
  .on('run.timeline', () => (pipeline ? delivery.timeline : (large?.timeline ?? timelineAt(shown))))
  .on('run.step', ({ step, at }: { step: string; at?: number }) => large?.step(step) ?? stepAt(step, at ?? shown))
  .on('run.log', ({ after, until }: { after?: number; until?: number }) =>
    pipeline ? delivery.log : (large?.log(after ?? 0, until) ?? logAfter(after ?? 0, Math.min(until ?? shown, shown))),
  )
  .on('run.act', () => runAt(undefined, shown));

showRun(host, (at) => (pipeline ? delivery.run(stages) : (large?.run(at) ?? runAt(at, shown))));

const target = document.getElementById('app');
if (target && query.has('looked')) {
  document.documentElement.dataset.theme = query.get('theme') ?? 'light';
  mount(Looked, { target, props: { run: query.get('looked') === 'run' } });
} else if (target) mount(App, { target, props: { host } });

// From the console: one event more, as a live run would tell it.
Object.assign(window, {
  more() {
    shown = Math.min(LAST, shown + 1);
    host.send({ kind: 'run', run_id: RUN, last: shown, status: 'running' });
  },
});
