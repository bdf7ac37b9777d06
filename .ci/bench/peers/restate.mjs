// What Restate is given to do: a service of workflows whose steps do nothing. Started by peers.mjs with the folder that
// the SDK is installed in, and a port.
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';

// The SDK takes for granted what older Nodes than 22 do not have.
Promise.withResolvers ??= () => {
  const made = {};
  made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }));
  return made;
};

const [folder, port] = process.argv.slice(2);
const { endpoint, service, RestatePromise } = createRequire(`${folder}/package.json`)('@restatedev/restate-sdk');
const shell = promisify(execFile);
const nothing = (n) => () => n;

const workloads = service({
  name: 'bench',
  handlers: {
    row: async (context) => {
      for (let n = 0; n < 1_000; n += 1) await context.run(`s${n}`, nothing(n));
    },
    beside: async (context) => {
      await RestatePromise.all(Array.from({ length: 200 }, (_, n) => context.run(`s${n}`, nothing(n))));
      await context.run('join', nothing(0));
    },
    loop: async (context) => {
      for (let n = 0; n < 100; n += 1) await context.run('s0', nothing(n));
    },
    shell: async (context) => {
      for (let n = 0; n < 20; n += 1)
        await context.run(`s${n}`, async () => (await shell('bash', ['-c', 'true'])).stdout);
    },
  },
});

await endpoint().bind(workloads).listen(Number(port));
