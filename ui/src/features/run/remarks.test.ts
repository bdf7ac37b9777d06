import { render, screen } from '@testing-library/svelte';
import { describe, expect, it } from 'vitest';
import Remarks from './Remarks.svelte';

describe('what is to be known of a run', () => {
  it('is the first remark, and the others where somebody unfolds them', () => {
    render(Remarks, { remarks: ['Nobody is bound.', 'The file has changed.', 'Ada answered for two.'] });
    const [first, ...others] = screen.getAllByTestId('run-remark');
    expect(first).toHaveTextContent('Nobody is bound.');
    expect(first?.closest('details')).toBeNull();
    const more = screen.getByTestId('run-remarks-more');
    expect(more).toHaveTextContent('2 more remarks');
    expect(more).not.toHaveAttribute('open');
    for (const other of others) expect(more).toContainElement(other);
  });

  it('needs no fold where there is one alone, and is not there where there is none', () => {
    const one = render(Remarks, { remarks: ['Nobody is bound.'] });
    expect(screen.queryByTestId('run-remarks-more')).toBeNull();
    one.unmount();
    render(Remarks, { remarks: [] });
    expect(screen.queryByTestId('run-remark')).toBeNull();
  });
});
