import { messages as m } from '$lib/ui/messages';
import { toasts } from '$lib/ui/toasts.svelte';
import { to } from './address';

/** What was said over everything: it holds until somebody is back at the settings. */
let said: number | null = null;

/** Something in the settings is not saved; that is where to find it. */
export function sayNotSaved(): void {
  const action = { label: m.workflow.unsaved.goBack, href: to.settings() };
  said = toasts.show({ severity: 'info', text: m.settings.kept, action });
}

export function backAtSettings(): void {
  if (said !== null) toasts.dismiss(said);
  said = null;
}
