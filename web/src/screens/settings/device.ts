const BROWSERS: [RegExp, string][] = [
  [/Edg\//, 'Edge'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];
const SYSTEMS: [RegExp, string][] = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Mac OS X/, 'macOS'],
  [/Windows/, 'Windows'],
  [/Linux/, 'Linux'],
];

/** Names a browser and its system from a User-Agent. */
export function device(agent: string | null): string {
  if (!agent) return 'Unknown browser';
  const find = (list: [RegExp, string][]) => list.find(([pattern]) => pattern.test(agent))?.[1];
  const browser = find(BROWSERS) ?? agent.split('/')[0] ?? 'Unknown browser';
  const system = find(SYSTEMS);
  return system ? `${browser} on ${system}` : browser;
}
