export interface Piece {
  kind: 'same' | 'added' | 'removed';
  text: string;
}

/** Longest texts, in words, that are compared exactly. Longer ones are compared by line. */
const EXACT_WORDS = 2000;

/** Compares two texts by words and returns the pieces in reading order. */
export function diff(before: string, after: string): Piece[] {
  if (before === after) return before === '' ? [] : [{ kind: 'same', text: before }];
  const words = /\s+|[^\s\p{P}]+|\p{P}/gu;
  let from: string[] = before.match(words) ?? [];
  let to: string[] = after.match(words) ?? [];
  if (from.length > EXACT_WORDS || to.length > EXACT_WORDS) {
    from = before.split(/(?<=\n)/);
    to = after.split(/(?<=\n)/);
  }
  return merge(compare(from, to));
}

function compare(from: string[], to: string[]): Piece[] {
  let start = 0;
  while (start < from.length && start < to.length && from[start] === to[start]) start += 1;
  let end = 0;
  const most = Math.min(from.length, to.length) - start;
  while (end < most && from[from.length - 1 - end] === to[to.length - 1 - end]) end += 1;
  const head = from.slice(0, start).map(same);
  const tail = end === 0 ? [] : from.slice(from.length - end).map(same);
  const middle = longest(from.slice(start, from.length - end), to.slice(start, to.length - end));
  return [...head, ...middle, ...tail];
}

/** Walks the table of longest common subsequences. */
function longest(from: string[], to: string[]): Piece[] {
  const width = to.length + 1;
  const table = new Uint32Array((from.length + 1) * width);
  const at = (row: number, column: number) => table[row * width + column] ?? 0;
  for (let row = from.length - 1; row >= 0; row -= 1) {
    for (let column = to.length - 1; column >= 0; column -= 1) {
      table[row * width + column] =
        from[row] === to[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const pieces: Piece[] = [];
  let row = 0;
  let column = 0;
  while (row < from.length || column < to.length) {
    const old = from[row];
    const next = to[column];
    if (old !== undefined && old === next) {
      pieces.push(same(old));
      row += 1;
      column += 1;
    } else if (old !== undefined && (next === undefined || at(row + 1, column) >= at(row, column + 1))) {
      pieces.push({ kind: 'removed', text: old });
      row += 1;
    } else {
      pieces.push({ kind: 'added', text: next ?? '' });
      column += 1;
    }
  }
  return pieces;
}

/** Joins neighbors of a kind; spaces between two changes join the changes. */
function merge(pieces: Piece[]): Piece[] {
  const merged: Piece[] = [];
  let removed = '';
  let added = '';
  const flush = () => {
    if (removed) merged.push({ kind: 'removed', text: removed });
    if (added) merged.push({ kind: 'added', text: added });
    removed = '';
    added = '';
  };
  pieces.forEach((piece, index) => {
    if (piece.kind === 'removed') removed += piece.text;
    else if (piece.kind === 'added') added += piece.text;
    else if (/^ +$/.test(piece.text) && removed && added && changes(pieces[index + 1])) {
      removed += piece.text;
      added += piece.text;
    } else {
      flush();
      const last = merged.at(-1);
      if (last?.kind === 'same') last.text += piece.text;
      else merged.push({ kind: 'same', text: piece.text });
    }
  });
  flush();
  return merged;
}

function changes(piece: Piece | undefined): boolean {
  return piece !== undefined && piece.kind !== 'same';
}

function same(text: string): Piece {
  return { kind: 'same', text };
}
