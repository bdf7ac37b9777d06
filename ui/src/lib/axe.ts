import axe from 'axe-core';

/** Accessibility findings of a piece of a page, as short lines; colours are checked by tokens.test.ts and in the browser. */
export async function findings(element: Element): Promise<string[]> {
  const result = await axe.run(element, {
    rules: { 'color-contrast': { enabled: false }, region: { enabled: false } },
  });
  return result.violations.flatMap((one) => one.nodes.map((node) => `${one.id}: ${node.html}`));
}
