export type ThemeChoice = 'system' | 'light' | 'dark';
export const THEMES: readonly ThemeChoice[] = ['system', 'light', 'dark'];
const KEY = 'gatehouse.theme';

/** The system's light or dark, unless the person chose. Kept in this window's own storage: it is no project data. */
class Theme {
  choice = $state<ThemeChoice>('system');
  #system = $state<'light' | 'dark'>('light');
  readonly shown = $derived(this.choice === 'system' ? this.#system : this.choice);

  start(): () => void {
    const kept = localStorage.getItem(KEY);
    this.choice = THEMES.find((theme) => theme === kept) ?? 'system';
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const read = () => {
      this.#system = dark.matches ? 'dark' : 'light';
      this.#apply();
    };
    read();
    dark.addEventListener('change', read);
    return () => dark.removeEventListener('change', read);
  }

  choose(choice: ThemeChoice): void {
    this.choice = choice;
    localStorage.setItem(KEY, choice);
    this.#apply();
  }

  /** What the settings say; kept here too, so that the next start is right before the settings arrive. */
  adopt(word: string): void {
    const known = THEMES.find((one) => one === word);
    if (known && known !== this.choice) this.choose(known);
  }

  #apply(): void {
    document.documentElement.dataset.theme = this.shown;
  }
}

export const theme = new Theme();
