// @vitest-environment node
import { HostUnreachable } from '$lib/host';
import { describe, expect, it } from 'vitest';
import { ApiError, asApiError } from './errors';

describe('asApiError', () => {
  it('keeps what the backend said', () => {
    const error = asApiError({ code: 'disk_full', message: 'The disk is full.', hint: 'Free some space.' });
    expect(error).toMatchObject({ code: 'disk_full', message: 'The disk is full.', hint: 'Free some space.' });
  });

  it('says in words that nobody answers', () => {
    expect(asApiError(new HostUnreachable('x'))).toMatchObject({ code: 'unreachable', presentation: 'page' });
  });

  it('shows a refusal where it was tried, and one that another person caused without alarm', () => {
    expect(new ApiError('refused:comment_required', '…')).toMatchObject({
      severity: 'warning',
      presentation: 'inline',
    });
    expect(new ApiError('refused:already_answered', '…')).toMatchObject({ severity: 'info', presentation: 'inline' });
  });

  it('never hides what it does not know', () => {
    expect(asApiError(new Error('odd'))).toMatchObject({ code: 'internal', message: 'odd', severity: 'error' });
    expect(new ApiError('brand_new', 'x').presentation).toBe('toast');
  });
});
