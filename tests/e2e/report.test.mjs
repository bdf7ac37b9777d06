// The report on paper: printed to PDF by a browser, in A4 and Letter, for small and large runs. Nothing is left out, no
// sheet is (nearly) empty, no heading stands alone, every sheet says which run it is of and which sheet it is.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { serve } from './harness/serve.mjs';

const axe = await readFile(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
/** Every tenth step asks a person. */
const asks = (n) => n % 10 === 2;

function flow(count) {
  const steps = Array.from({ length: count }, (_, i) => i + 1).map((n) => {
    const gate = asks(n) ? `, human_gate: required, gate_question: "Is part ${n} right?"` : '';
    return `  - {id: step_${n}, name: "Part ${n} of the work, MMM and more than a box holds", role: "Does part ${n}.", agents: [worker]${gate}}`;
  });
  return ['key: long', `title: "A flow of ${count} steps"`, 'steps:', ...steps, ''].join('\n');
}

function scenario(count) {
  const steps = Array.from({ length: count }, (_, i) => i + 1);
  const made = (n) =>
    `  step_${n}: [{output: "Part ${n} is done.", artifacts: {"parts/${n}.md": "# Part ${n}\\n\\n### Detail\\n\\nWritten by hand."}}]`;
  const gates = steps
    .filter(asks)
    .map((n) => `  step_${n}: [{answer: approve, by: "Ada Lund", comment: "Part ${n} is fine."}]`);
  return ['name: everything is fine', 'steps:', ...steps.map(made), 'gates:', ...gates, ''].join('\n');
}

const said = (xml) => [...xml.matchAll(/<word [^>]*>([^<]*)<\/word>/g)].map(([, word]) => word).join(' ');

/** The words of each sheet, and how far down (0 to 1) they reach between the margins. */
function sheets(pdf) {
  const html = execFileSync('pdftotext', ['-bbox-layout', pdf, '-'], { maxBuffer: 1 << 28 }).toString();
  return html
    .split('<page ')
    .slice(1)
    .map((page) => {
      const height = Number(/height="([\d.]+)"/.exec(page)[1]);
      const margin = (18 / 25.4) * 72;
      const lines = [...page.matchAll(/<line [^>]*yMax="([\d.]+)">([\s\S]*?)<\/line>/g)].map(([, bottom, words]) => ({
        bottom: Number(bottom),
        text: said(words),
      }));
      const body = lines.filter(({ bottom }) => bottom > margin && bottom < height - margin);
      const lowest = Math.max(0, ...body.map(({ bottom }) => bottom));
      return {
        text: lines.map(({ text }) => text).join('\n'),
        // What a cell says over several lines is one block.
        blocks: [...page.matchAll(/<block [\s\S]*?<\/block>/g)].map(([block]) => said(block)).join('\n'),
        last: body.find(({ bottom }) => bottom === lowest)?.text ?? '',
        filled: (lowest - margin) / (height - 2 * margin),
      };
    });
}

/** What of the drawing is not as it should be: a strip whose ground is not the card's, or a text that runs over its box. */
async function drawn(page) {
  const ground = async (strip) => {
    const png = (await strip.screenshot()).toString('base64');
    return page.evaluate(async (data) => {
      const image = Object.assign(new Image(), { src: `data:image/png;base64,${data}` });
      await image.decode();
      const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height });
      const context = canvas.getContext('2d');
      context.drawImage(image, 0, 0);
      const { data: bytes } = context.getImageData(0, 0, image.width, image.height);
      const counts = new Map();
      for (let at = 0; at < bytes.length; at += 4) {
        const colour = bytes.slice(at, at + 3).join(',');
        counts.set(colour, (counts.get(colour) ?? 0) + 1);
      }
      return [...counts].sort(([, one], [, other]) => other - one)[0][0];
    }, png);
  };
  const card = await page.evaluate(() =>
    getComputedStyle(document.querySelector('.picture')).backgroundColor.replace(/[^\d,]/g, ''),
  );
  const wrong = [];
  const strips = await page.locator('.picture > svg').all();
  for (const [n, strip] of strips.slice(0, 4).entries()) {
    const colour = await ground(strip);
    if (colour !== card) wrong.push(`strip ${n + 1} of ${strips.length} lies on ${colour}, the card is ${card}`);
  }
  const over = await page.evaluate(() =>
    [...document.querySelectorAll('.picture .box')].flatMap((box) => {
      const room = box.querySelector('rect').getBBox().width;
      const texts = [...box.querySelectorAll('text')];
      return texts.filter((text) => text.getBBox().x + text.getBBox().width > room).map((text) => text.textContent);
    }),
  );
  return [...wrong, ...over.map((text) => `“${text}” runs over its box`)];
}

describe('the printed report', () => {
  let served;
  before(async () => (served = await serve({ prepare: () => {} })));
  after(() => served?.close());

  for (const count of [3, 30, 300])
    test(`of a run of ${count} steps`, async () => {
      const put = (name, text) => writeFile(join(served.project, name), text);
      await mkdir(join(served.project, 'long.scenarios'), { recursive: true });
      await put('long.yaml', flow(count));
      await put('long.scenarios/fine.yaml', scenario(count));
      const ran = await served.cli('run', 'long.yaml', '--scenario', 'long.scenarios/fine.yaml', '--fast');
      assert.equal(ran.code, 0, ran.err);
      const run = /run ([0-9a-f-]{36})/.exec(ran.out)[1];
      const file = join(served.project, `${count}.html`);
      const saved = await served.cli('report', run, '-o', file);
      assert.equal(saved.code, 0, saved.err);

      const context = await served.browser.newContext({ viewport: { width: 1280, height: 800 }, bypassCSP: true });
      const page = await context.newPage();
      await page.goto(pathToFileURL(file).href, { timeout: 120_000 });
      if (count < 300) {
        await page.evaluate(axe);
        for (const colorScheme of ['light', 'dark']) {
          await page.emulateMedia({ colorScheme });
          const found = await page.evaluate(async () => {
            const { violations } = await globalThis.axe.run(document, {
              runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'],
            });
            return violations.map(
              ({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 120)).join(' | ')}`,
            );
          });
          assert.deepEqual(found, [], colorScheme);
          assert.deepEqual(await drawn(page), [], `the drawing, ${colorScheme}`);
        }
      }
      await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
      if (count < 300) assert.deepEqual(await drawn(page), [], 'the drawing, printed');
      const folded = await page.evaluate(
        () =>
          [...document.querySelectorAll('main *')].filter(
            (one) => !one.closest('svg') && one.textContent.trim() && !one.checkVisibility(),
          ).length,
      );
      assert.equal(folded, 0, 'something that is in the report is not printed');

      for (const format of ['A4', 'Letter']) {
        const pdf = join(served.project, `${count}-${format}.pdf`);
        await page.pdf({ path: pdf, format, printBackground: true });
        const printed = sheets(pdf);
        const all = printed.map(({ text }) => text).join('\n');
        for (const [n, sheet] of printed.entries()) {
          const where = `${format}, sheet ${n + 1} of ${printed.length}`;
          assert.match(sheet.text, new RegExp(`Page ${n + 1} of ${printed.length}`), where);
          assert.ok(sheet.text.includes(run), `${where} does not say which run it is of`);
          if (n < printed.length - 1)
            assert.ok(
              sheet.filled > 0.5,
              `${where} is filled to ${Math.round(sheet.filled * 100)} % only:\n${sheet.text}`,
            );
          assert.doesNotMatch(
            sheet.last,
            /^(What happened|Why it went this way|Steps|Evidence|The decisions in full)$/,
            where,
          );
        }
        const first = printed[0].blocks;
        for (const words of ['What was decided', 'Is part 2 right?', 'Ada Lund', 'anyone', 'Verified'])
          assert.ok(first.includes(words), `“${words}” is not on the first sheet`);
        for (let n = 1; n <= count; n++) assert.ok(all.includes(`Part ${n} is done.`), `the words of step ${n}`);
        assert.ok(all.includes(`id: step_${count},`), 'the workflow’s text to its last line');
      }
      await context.close();
    });
});
