// Starts the binary on an empty data directory and free ports of loopback, and can restart it.
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// Nothing answers there, so that no DNS question leaves this machine and none waits. Sign-up needs little work.
const CONFIG = '[dns]\nnameservers = ["127.0.0.1:9"]\n[signup]\ndifficulty = 8\n';

export class Server {
  constructor(binary, folder) {
    this.binary = binary;
    this.folder = folder;
    this.listen = { http: '127.0.0.1:0', smtp: '127.0.0.1:0', submission: '127.0.0.1:0' };
  }

  /** Starts a server that is new and empty. `more` is configuration, as TOML. */
  static async start(binary, more = '') {
    const server = new Server(binary, await mkdtemp(join(tmpdir(), 'posthouse-web-')));
    await writeFile(join(server.folder, 'config.toml'), CONFIG + more);
    const { first_run: first, ...ready } = await server.run();
    // A restart uses the same addresses.
    server.listen = { http: ready.http, smtp: ready.smtp, submission: ready.submission };
    server.base = `http://${ready.http}`;
    server.key = first.api_key;
    server.signInLink = first.sign_in_url;
    return server;
  }

  get isRunning() {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Ends the process the way an operator does, or at once. */
  async stop(signal = 'SIGTERM') {
    if (!this.isRunning) return;
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill(signal);
    await ended;
  }

  /** Ends the process and deletes its data. */
  async remove() {
    await this.stop('SIGKILL');
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Calls the API with the key of the first start. */
  async call(method, path, body) {
    const raw = typeof body === 'string';
    const response = await fetch(this.base + path, {
      method,
      headers: {
        authorization: `Bearer ${this.key}`,
        ...(body === undefined ? {} : { 'content-type': raw ? 'message/rfc822' : 'application/json' }),
      },
      body: body === undefined || raw ? body : JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? null : JSON.parse(text) };
  }

  /** Starts the process and returns its ready file, once its log says that it is ready. */
  async run() {
    const file = (name) => join(this.folder, name);
    const options = {
      config: file('config.toml'),
      'data-dir': file('data'),
      'ready-file': file('ready.json'),
    };
    const listeners = Object.entries(this.listen).map(([name, address]) => [`${name}-listen`, address]);
    const flags = [...Object.entries(options), ...listeners].flatMap(([name, value]) => [`--${name}`, value]);
    this.child = spawn(this.binary, ['serve', ...flags], { stdio: ['ignore', 'pipe', 'pipe'] });
    let log = '';
    await new Promise((resolve, reject) => {
      const read = (data) => {
        log += data;
        if (/ INFO ready /.test(log)) resolve();
      };
      this.child.stdout.on('data', read);
      this.child.stderr.on('data', read);
      this.child.once('error', reject);
      this.child.once('exit', (code) => reject(new Error(`the server ended with ${code}:\n${log}`)));
    });
    return JSON.parse(await readFile(options['ready-file'], 'utf8'));
  }
}
