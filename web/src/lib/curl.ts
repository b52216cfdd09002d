export interface CurlRequest {
  method?: string;
  path: string;
  body?: unknown;
  title: string;
}

/** Writes a request as a curl command with the key left as `$POSTHOUSE_KEY`. */
export function curl(request: CurlRequest, origin: string): string {
  const method = request.method ?? 'GET';
  const lines = [`curl${method === 'GET' ? '' : ` -X ${method}`} ${quote(origin + request.path)}`];
  lines.push(`  -H "Authorization: Bearer $POSTHOUSE_KEY"`);
  if (request.body !== undefined) {
    lines.push(`  -H 'Content-Type: application/json'`, `  -d ${quote(JSON.stringify(request.body))}`);
  }
  return lines.join(' \\\n');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
