/** The categories of the categorizer, in the order of the chips. */
export const CATEGORIES = [
  'support',
  'sales',
  'billing',
  'verification',
  'notification',
  'newsletter',
  'personal',
  'other',
] as const;

export type Category = (typeof CATEGORIES)[number];

/** Returns the category that the address of the page names; null for none. */
export function categoryOf(value: string | null): Category | null {
  return CATEGORIES.find((one) => one === value) ?? null;
}

/** Returns the label of messages of a category. */
export function categoryLabel(category: Category): string {
  return `ai:${category}`;
}
