// Formats whose steps follow in their order or say which ones they wait for (harness/formats.mjs). The others: formats.test.mjs.
import { authored } from './harness/formats.mjs';

authored('a workflow whose steps wait for each other is authored', ['stepspec', 'agent-workflow', 'pipeline']);
