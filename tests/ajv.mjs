// A second opinion on sessions: holds JSON documents, one a line on standard input, against a schema with ajv.
// It prints how many it accepted; the first that it does not accept ends it with what is wrong.

import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import Ajv from 'ajv';
import addFormats from 'ajv-formats';

const ajv = new Ajv({ allErrors: true, strict: false });
addFormats(ajv);
const accepts = ajv.compile(JSON.parse(readFileSync(process.argv[2], 'utf8')));

let accepted = 0;
for await (const line of createInterface({ input: process.stdin })) {
  if (!accepts(JSON.parse(line))) {
    console.error(`document ${accepted + 1}: ${JSON.stringify(accepts.errors, null, 2)}\n${line}`);
    process.exit(1);
  }
  accepted += 1;
}
console.log(accepted);
