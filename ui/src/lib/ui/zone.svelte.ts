/** The time zone that all times are shown in: the project's where it sets one, else that of whoever looks. */
class Zone {
  #name = $state<string | undefined>();
  /** What the clock there tells, part by part. */
  readonly #clock = $derived(
    new Intl.DateTimeFormat('en-US', {
      timeZone: this.#name,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    }),
  );

  get name(): string | undefined {
    return this.#name;
  }

  /** How far clocks there are ahead of UTC at a moment, in milliseconds. */
  ahead(at: number): number {
    const parts = this.#clock.formatToParts(at);
    const of = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((part) => part.type === type)?.value);
    const clock = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
    return clock - Math.floor(at / 1_000) * 1_000;
  }

  /** A zone that this browser does not know is as good as none. */
  set(name: string | undefined): void {
    try {
      this.#name = name && new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
    } catch {
      this.#name = undefined;
    }
  }
}

export const zone = new Zone();
