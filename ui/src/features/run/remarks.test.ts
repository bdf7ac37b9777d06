import { render, screen } from '@testing-library/svelte';
import { describe, expect, it } from 'vitest';
import Remarks from './Remarks.svelte';

describe('what is to be known of a run', () => {
  it('is every warning in the open, and what warns of nothing where somebody unfolds it', () => {
    const remarks = ['Who decided is in doubt.', 'The file was not what Ada approved.'];
    render(Remarks, { remarks, notes: ['Four eyes are wanted.', 'Ada answered for legal.'] });
    const warnings = screen.getAllByTestId('run-remark');
    expect(warnings.map((one) => one.textContent)).toEqual(remarks);
    for (const warning of warnings) expect(warning.closest('details')).toBeNull();
    const more = screen.getByTestId('run-remarks-more');
    expect(more).toHaveTextContent('2 more remarks');
    expect(more).not.toHaveAttribute('open');
    for (const note of screen.getAllByTestId('run-note')) expect(more).toContainElement(note);
  });

  it('needs no fold for one sentence, and is not there where there is none', () => {
    const one = render(Remarks, { remarks: [], notes: ['Four eyes are wanted.'] });
    expect(screen.getByTestId('run-note')).toHaveTextContent('Four eyes are wanted.');
    expect(screen.queryByTestId('run-remarks-more')).toBeNull();
    one.unmount();
    render(Remarks, { remarks: [] });
    expect(screen.queryByTestId('run-remark')).toBeNull();
    expect(screen.queryByTestId('run-note')).toBeNull();
  });
});
