import type { ApiError } from './errors';

interface FieldProblem {
  path: string;
  problem: string;
}

/** Why single fields were refused, by their path in the body of the request. */
export class Problems {
  constructor(private readonly list: readonly FieldProblem[]) {}

  /** The problems of a field and of what is inside it, as one sentence. */
  of(path: string): string | undefined {
    const own = this.list.filter((one) => one.path === path).map((one) => sentence(one.problem));
    const inside = this.list
      .filter((one) => one.path.startsWith(`${path}[`) || one.path.startsWith(`${path}.`))
      .map((one) => `${place(one.path.slice(path.length))}: ${sentence(one.problem)}`);
    const all = [...own, ...inside];
    return all.length > 0 ? all.join(' ') : undefined;
  }

  has(path: string): boolean {
    return this.of(path) !== undefined;
  }

  /** Adds problems that came from elsewhere, such as an error code that is about one field. */
  with(more: readonly FieldProblem[]): Problems {
    return new Problems([...this.list, ...more]);
  }
}

/** Reads the problems of single fields from an error. */
export function fieldProblems(error: ApiError | null): Problems {
  return new Problems((error?.details.fields as FieldProblem[] | undefined) ?? []);
}

/** Names a part of a list as people count: `[1]` is number 2. */
function place(inside: string): string {
  const text = inside
    .replace(/^\./, '')
    .replaceAll(/\[(\d+)\]/g, (_, index) => `number ${Number(index) + 1}`);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function sentence(text: string): string {
  const ended = /[.!?]$/.test(text) ? text : `${text}.`;
  return ended.replace(/^[a-z]/, (letter) => letter.toUpperCase());
}
