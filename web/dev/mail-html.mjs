// Serves the HTML of a message the way the server does: sandboxed by its own CSP.
export async function mailHtml(response, upstream, authorization, id, remote) {
  const url = new URL(`/v1/messages/${id}?include_held=true&include_unscreened=true`, upstream);
  const answer = await fetch(url, { headers: { authorization } });
  const message = await answer.json();
  if (!answer.ok) {
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    return response.end(JSON.stringify(message));
  }
  const images = remote ? 'https: data:' : 'data:';
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src ${images}`,
    'x-content-type-options': 'nosniff',
  });
  response.end(message.html ?? '');
}
