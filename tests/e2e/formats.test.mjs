// Formats whose steps say which one comes next (harness/formats.mjs). The others: formats-waiting.test.mjs.
import { authored } from './harness/formats.mjs';

authored('a workflow whose steps lead to each other is authored', ['flow', 'graph', 'runbook']);
