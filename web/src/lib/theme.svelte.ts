export type Choice = 'system' | 'light' | 'dark';

const KEY = 'posthouse.theme';

/** The color theme that the person chose. */
class Theme {
  choice = $state<Choice>(read());

  choose(choice: Choice): void {
    this.choice = choice;
    localStorage.setItem(KEY, choice);
    this.apply();
  }

  apply(): void {
    if (this.choice === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = this.choice;
  }
}

function read(): Choice {
  const stored = localStorage.getItem(KEY);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

export const theme = new Theme();
