import { beforeEach, describe, expect, it } from 'vitest';
import { discardOf, remainsUnsaved, UnsavedForm, unsavedForms } from './unsaved.svelte';

beforeEach(() => unsavedForms.clear());

/** Something on its way to be saved, until it is answered. */
function onItsWay() {
  let answer = (_saved: boolean) => {};
  const writing = new Promise<boolean>((done) => (answer = done));
  return { writing, answer: (saved = true) => answer(saved) };
}
const later = () => new Promise((done) => setTimeout(done));

describe('what is discarded of a folder', () => {
  it('comes back, but for what was filled in anew since', () => {
    const form = new UnsavedForm<string>('context', '/home/ada/invoices');
    const other = new UnsavedForm<string>('agents', '/home/ada/invoices');
    form.keep({ goal: 'none yet', tone: 'dry' }, []);
    other.keep({ robot: 'sh robot.sh' }, []);
    const back = discardOf('/home/ada/invoices');
    expect(unsavedForms.size).toBe(0);
    form.keep({ goal: 'a better one' }, []);
    back();
    expect(form.fields).toEqual({ goal: 'a better one', tone: 'dry' });
    expect(other.fields).toEqual({ robot: 'sh robot.sh' });
  });
});

describe('what is on its way to be saved', () => {
  it('is waited for, however much of a form it is', async () => {
    const form = new UnsavedForm<string>('you');
    const [roles, name] = [onItsWay(), onItsWay()];
    form.keep({ roles: 'legal', name: 'Ada L.' }, []);
    void form.saving({ roles: 'legal' }, roles.writing);
    void form.saving({ name: 'Ada L.' }, name.writing);
    let settled = false;
    let remains: boolean | null = null;
    void form.settled().then(() => (settled = true));
    void remainsUnsaved(undefined).then((now) => (remains = now));
    name.answer();
    await later();
    expect([settled, remains]).toEqual([false, null]);
    roles.answer();
    await later();
    expect([settled, remains]).toEqual([true, false]);
  });

  it('is waited for when it sets out meanwhile', async () => {
    const form = new UnsavedForm<string>('you');
    const [roles, name] = [onItsWay(), onItsWay()];
    form.keep({ roles: 'legal', name: 'Ada L.' }, []);
    void form.saving({ roles: 'legal' }, roles.writing);
    let remains: boolean | null = null;
    void remainsUnsaved(undefined).then((now) => (remains = now));
    void form.saving({ name: 'Ada L.' }, name.writing);
    roles.answer();
    await later();
    expect(remains).toBeNull();
    name.answer(false);
    await later();
    expect(remains).toBe(true);
  });

  it('is nothing to another form', async () => {
    const slow = onItsWay();
    void new UnsavedForm<string>('you').saving({ roles: 'legal' }, slow.writing);
    await new UnsavedForm<string>('context', '/home/ada/invoices').settled();
    slow.answer();
    await later();
  });
});
