export interface Window {
  first: number;
  last: number;
  before: number;
  total: number;
}

/** Computes which rows of equal height to render, with some to spare on each side. */
export function windowOf(
  rows: number,
  rowHeight: number,
  scrollTop: number,
  viewHeight: number,
  spare = 4,
): Window {
  const top = Math.max(0, Math.min(scrollTop, rows * rowHeight - viewHeight));
  const first = Math.max(0, Math.floor(top / rowHeight) - spare);
  const last = Math.min(rows, Math.ceil((top + viewHeight) / rowHeight) + spare);
  return { first, last, before: first * rowHeight, total: rows * rowHeight };
}

/** The scroll position that shows a row, or the current one when it is visible already. */
export function reveal(index: number, rowHeight: number, scrollTop: number, viewHeight: number): number {
  const top = index * rowHeight;
  if (top < scrollTop) return top;
  if (top + rowHeight > scrollTop + viewHeight) return top + rowHeight - viewHeight;
  return scrollTop;
}
