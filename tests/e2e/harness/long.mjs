// A workflow in which everything that has a name has a very long one, with and without spaces: no screen may break of it.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** 200 characters without a place at which a line could be broken. */
const unbroken = (start) => start.padEnd(200, 'abcdefghij');
const words = (start) =>
  `${start} ${'of the framework agreement with the supplier of the northern region '.repeat(3)}`.trim();

const names = {
  check: unbroken('check_'),
  send: unbroken('send_'),
  agent: unbroken('clerk_'),
  role: unbroken('officer_'),
  field: unbroken('verdict_'),
  file: `${unbroken('paper_')}.md`,
};

export const long = {
  path: `${'a-very-long-name-of-a-file-'.repeat(6)}x.yaml`,
  scenario: `${'a-very-long-name-of-a-file-'.repeat(6)}x.scenario.yaml`,
  /** The one that asks. */
  step: names.check,
};

const FLOW = `key: ${unbroken('long_')}
title: "${words('Approve the amendment')} ${unbroken('Title')}"
description: "${words('What is amended')} ${unbroken('Description')}"

steps:
  - id: write
    name: "${words('Write down the amendment')}"
    agents: [author]
    role: "${words('Write it')} ${unbroken('Role')}"
    routing: { kind: linear, next: ${names.check} }

  - id: ${names.check}
    name: "${unbroken('Check')}"
    agents: [${names.agent}]
    role: "${unbroken('Check')}"
    human_gate: required
    gate_question: "${words('Is the amendment')} ${unbroken('acceptable')}?"
    gate_asks: ["${names.role}"]
    routing:
      kind: microloop
      loop_target: write
      loop_condition_field: ${names.field}
      loop_success_values: [${unbroken('GOOD')}]
      max_iterations: 3
      next: ${names.send}

  - id: ${names.send}
    name: "${words('Send the amendment')}"
    agents: ["${names.agent}"]
    role: "${words('Send it')}"
    routing: { kind: linear }
`;
const SCENARIO = `name: ${words('everybody agrees')} ${unbroken('Scenario')}
steps:
  write: [{ takes: 10ms, output: "${unbroken('Written')}", artifacts: { ${names.file}: "# ${unbroken('Heading')}\\n\\n${unbroken('Text')}\\n" } }]
  ${names.check}: [{ takes: 10ms, report: { ${names.field}: ${unbroken('GOOD')} }, output: "${unbroken('Checked')}" }]
  ${names.send}: [{ takes: 10ms, output: "${words('Sent')}" }]
`;

/** Puts it into a sandbox's project. */
export async function addLong(box) {
  await writeFile(join(box.project, long.path), FLOW);
  await writeFile(join(box.project, long.scenario), SCENARIO);
}

/**
 * Runs in the page: what reaches out of its place sideways, one line each. Its place is the nearest element around it that cuts or scrolls.
 * A picture, a text as it is written and a table have scroll bars of their own; what is cut with “…” is cut on purpose.
 */
export function beyond() {
  const OWN = '.visually-hidden, .world, [data-testid="graph-map"], .cm-editor, svg, pre, [role="table"], .frame';
  const style = (element) => getComputedStyle(element);
  const cuts = (element) => style(element).overflowX !== 'visible';
  const place = (element) => {
    if (style(element).position === 'fixed') return document.documentElement;
    let around = element.parentElement;
    while (around && around !== document.body && !cuts(around)) around = around.parentElement;
    return around ?? document.documentElement;
  };
  const shortened = ({ textOverflow, webkitLineClamp }) => textOverflow === 'ellipsis' || webkitLineClamp !== 'none';
  const name = ({ tagName, dataset, textContent }) =>
    `${tagName.toLowerCase()} ${dataset.testid ?? ''} “${(textContent ?? '').trim().slice(0, 40)}”`;
  const found = [];
  const { scrollWidth } = document.scrollingElement;
  if (scrollWidth > innerWidth) found.push(`the page is ${scrollWidth} px wide, the window ${innerWidth}`);
  for (const element of document.querySelectorAll('body *')) {
    const { left, right, width, height } = element.getBoundingClientRect();
    if (width === 0 || height === 0 || style(element).visibility === 'hidden' || element.closest(OWN)) continue;
    // What is written straight into it has no box of its own.
    if (cuts(element) && !shortened(style(element)) && element.scrollWidth > element.clientWidth + 1)
      if (!element.matches('input, [data-testid="graph"]')) found.push(`${name(element)} holds more than it is wide`);
    const around = place(element);
    if (around !== document.documentElement && shortened(style(around))) continue;
    const box = around === document.body ? { left: 0, right: innerWidth } : around.getBoundingClientRect();
    if (left < box.left - 1 || right > box.right + 1)
      found.push(`${name(element)} from ${Math.round(left)} to ${Math.round(right)}, in ${name(around)}`);
  }
  return found;
}
