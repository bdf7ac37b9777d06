/** What screen readers are told: status changes that eyes see by themselves. */
class Announcer {
  text = $state('');

  say(text: string): void {
    // Saying the same twice needs a change in between to be read again.
    this.text = '';
    queueMicrotask(() => (this.text = text));
  }
}

export const announcer = new Announcer();
export const announce = (text: string): void => announcer.say(text);
