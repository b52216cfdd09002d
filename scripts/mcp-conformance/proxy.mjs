// proxy.mjs PORT URL KEY: passes requests on to a service, with a key.
import http from "node:http";

const [port, url, key] = process.argv.slice(2);

http
  .createServer((request, response) => {
    const headers = { ...request.headers, authorization: `Bearer ${key}` };
    const passed = http.request(new URL(request.url, url), { method: request.method, headers }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    passed.on("error", () => response.destroy());
    response.on("close", () => passed.destroy());
    request.pipe(passed);
  })
  .listen(Number(port), "127.0.0.1");
