import { mount } from 'svelte';
import App from './App.svelte';
import { connectHost } from './lib/host';
import './lib/ui/base.css';

const target = document.getElementById('app');
if (!target) throw new Error('index.html has no #app');

void connectHost().then((host) => mount(App, { target, props: { host } }));
