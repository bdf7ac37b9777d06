// Writes what a release is made of: one CycloneDX list of the crates and npm packages that end up in the programs.
// `node .ci/sbom.mjs [FILE]`; without a file: target/sbom/gatehouse-VERSION.cdx.json. What only builds or tests is not in it.
// Nothing is fetched: names, versions, digests and licences come from the lock files and from cargo's own answer.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
const PROGRAMS = ['gatehouse-desktop', 'cli'];

const byRef = (a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : a['bom-ref'] > b['bom-ref'] ? 1 : 0);

/** Checksums by `name version`, as Cargo.lock has them. */
async function checksums() {
  const text = await readFile(join(root, 'Cargo.lock'), 'utf8');
  const found = new Map();
  for (const block of text.split('[[package]]').slice(1)) {
    const field = (name) => new RegExp(`^${name} = "(.*)"$`, 'm').exec(block)?.[1];
    if (field('checksum')) found.set(`${field('name')} ${field('version')}`, field('checksum'));
  }
  return found;
}

/** The crates that the programs are linked from, and who needs whom. */
async function crates() {
  const answer = execFileSync('cargo', ['metadata', '--format-version', '1', '--locked'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  const metadata = JSON.parse(answer);
  const digests = await checksums();
  const packages = new Map(metadata.packages.map((p) => [p.id, p]));
  const needs = new Map(
    metadata.resolve.nodes.map((node) => [
      node.id,
      node.deps.filter((d) => d.dep_kinds.some((k) => k.kind === null)).map((d) => d.pkg),
    ]),
  );
  const starts = metadata.packages.filter((p) => p.source === null && PROGRAMS.includes(p.name)).map((p) => p.id);
  const reached = new Set();
  for (const open = [...starts]; open.length > 0;) {
    const id = open.pop();
    if (reached.has(id)) continue;
    reached.add(id);
    open.push(...(needs.get(id) ?? []));
  }
  const ref = (id) => `pkg:cargo/${packages.get(id).name}@${packages.get(id).version}`;
  const components = [];
  const dependencies = [];
  for (const id of reached) {
    const { name, version: at, license, source } = packages.get(id);
    const digest = digests.get(`${name} ${at}`);
    components.push({
      type: 'library',
      'bom-ref': ref(id),
      name,
      version: at,
      // Our own parts come from no registry.
      ...(source === null ? {} : { purl: ref(id) }),
      ...(license ? { licenses: [{ expression: license.replaceAll('/', ' OR ') }] } : {}),
      ...(digest ? { hashes: [{ alg: 'SHA-256', content: digest }] } : {}),
    });
    dependencies.push({ ref: ref(id), dependsOn: [...new Set((needs.get(id) ?? []).map(ref))].sort() });
  }
  return { components, dependencies, starts: starts.map(ref) };
}

/** The npm packages that the pages carry, and who needs whom. */
async function npmPackages() {
  const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'));
  // What is optional is for a machine (a binary) or for Node, and in no page.
  const kept = Object.entries(packages).filter(
    ([path, p]) => path !== '' && !p.dev && !p.devOptional && !p.optional && !p.link,
  );
  const nameOf = (path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const ref = ([path, p]) => `pkg:npm/${nameOf(path).replace('@', '%40')}@${p.version}`;
  const at = new Map(kept.map((entry) => [entry[0], entry]));
  // As node looks: from the folder of the one who asks upwards.
  const find = (from, name) => {
    for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
      const found = at.get(`${folder === '' ? '' : `${folder}/`}node_modules/${name}`);
      if (found || folder === '') return found;
    }
  };
  const refs = (from, names) =>
    [
      ...new Set(
        names
          .map((name) => find(from, name))
          .filter(Boolean)
          .map(ref),
      ),
    ].sort();
  const components = kept.map((entry) => {
    const [path, p] = entry;
    const [alg, digest] = p.integrity?.split('-') ?? [];
    return {
      type: 'library',
      'bom-ref': ref(entry),
      name: nameOf(path),
      version: p.version,
      purl: ref(entry),
      ...(p.license ? { licenses: [{ expression: p.license }] } : {}),
      ...(alg === 'sha512'
        ? { hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }] }
        : {}),
    };
  });
  const dependencies = kept.map((entry) => ({
    ref: ref(entry),
    dependsOn: refs(entry[0], Object.keys({ ...entry[1].dependencies, ...entry[1].peerDependencies })),
  }));
  return { components, dependencies, starts: refs('', Object.keys(packages[''].dependencies)) };
}

/** What is wrong with the list; it is not written then. */
function faults({ components, dependencies }) {
  const known = new Set(components.map((c) => c['bom-ref']));
  const wrong = [];
  if (known.size !== components.length) wrong.push('a component is listed twice');
  for (const c of components) {
    if (c.purl && !c.hashes) wrong.push(`${c['bom-ref']} has no digest`);
  }
  for (const { ref, dependsOn } of dependencies)
    for (const needed of [ref, ...dependsOn])
      if (!known.has(needed) && needed !== 'gatehouse') wrong.push(`${ref} needs ${needed}, which is not listed`);
  return wrong;
}

const once = (list, key) => [...new Map(list.map((one) => [one[key], one])).values()];
const parts = [await crates(), await npmPackages()];
const components = once(
  parts.flatMap((p) => p.components),
  'bom-ref',
).sort(byRef);
const dependencies = [
  { ref: 'gatehouse', dependsOn: parts.flatMap((p) => p.starts).sort() },
  ...once(
    parts.flatMap((p) => p.dependencies),
    'ref',
  ).sort((a, b) => (a.ref < b.ref ? -1 : 1)),
];
const wrong = faults({ components, dependencies });
if (wrong.length > 0) {
  process.stderr.write(`${wrong.map((w) => `error: ${w}`).join('\n')}\n`);
  process.exit(1);
}

// The same sources give the same list: no time, and a number that follows from the contents.
const digest = createHash('sha256').update(JSON.stringify({ components, dependencies })).digest('hex');
const uuid = digest.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-5$3-8$4-$5');
const bom = {
  $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  serialNumber: `urn:uuid:${uuid}`,
  version: 1,
  metadata: {
    component: {
      type: 'application',
      'bom-ref': 'gatehouse',
      name: 'gatehouse',
      version,
      licenses: [{ expression: 'MIT OR Apache-2.0' }],
    },
  },
  components,
  dependencies,
};
const file = resolve(process.argv[2] ?? join(root, 'target', 'sbom', `gatehouse-${version}.cdx.json`));
await mkdir(dirname(file), { recursive: true });
await writeFile(file, `${JSON.stringify(bom, null, 2)}\n`);
process.stdout.write(`${file}: ${components.length} components\n`);
