import { fireEvent, render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import type { DocumentView } from '$lib/api';
import { findings } from '$lib/axe';
import { step } from '$lib/fixtures';
import Document from './Document.svelte';
import { Reading } from './reading';

const text: DocumentView = {
  too_long: false,
  sections: [
    { step: null, html: '<h1>Deploy</h1><p>It takes five seconds.</p>' },
    { step: step('1', '1'), html: '<h2>1 Check</h2><p>Look at the shop.</p>' },
    { step: step('Recover', ''), html: '<h2>Recover</h2><p>Bring it back.</p>' },
  ],
};

describe('the text of a runbook', () => {
  it('shows the section of the chosen step, and chooses the step of a section', async () => {
    const scrolled = vi.fn();
    Element.prototype.scrollIntoView = scrolled;
    const onstep = vi.fn();
    const page = render(Document, { document: text, selected: null, onstep });
    expect(scrolled).not.toHaveBeenCalled();
    await page.rerender({ document: text, selected: 'Recover', onstep });
    expect(scrolled).toHaveBeenCalledOnce();
    expect(screen.getByRole('button', { name: 'Choose the step “Recover”', pressed: true })).toBeInTheDocument();
    await userEvent.setup().click(screen.getByText('Look at the shop.'));
    expect(onstep).toHaveBeenCalledWith('1');
    await page.rerender({ document: text, selected: '1', onstep });
    expect(scrolled, 'what was clicked is in sight already').toHaveBeenCalledOnce();
  });

  it('is read on where it was left, and looks for the step in a new text alone', async () => {
    const scrolled = vi.fn();
    Element.prototype.scrollIntoView = scrolled;
    const given = { document: text, selected: 'Recover', onstep: () => {}, reading: new Reading() };
    const first = render(Document, given);
    expect(scrolled).toHaveBeenCalledOnce();
    const frame = screen.getByTestId('document');
    frame.scrollTop = 300;
    await fireEvent.scroll(frame);
    first.unmount();
    const again = render(Document, given);
    expect(scrolled).toHaveBeenCalledOnce();
    expect(screen.getByTestId('document').scrollTop).toBe(300);
    await again.rerender({ ...given, document: { ...text } });
    expect(scrolled).toHaveBeenCalledTimes(2);
  });

  it('says when it is too long', () => {
    render(Document, { document: { sections: [], too_long: true }, selected: null, onstep: () => {} });
    expect(screen.getByText(/too long to be rendered/)).toBeVisible();
  });

  it('has no accessibility findings', async () => {
    const page = render(Document, { document: text, selected: '1', onstep: () => {} });
    expect(await findings(page.container)).toEqual([]);
  });
});
