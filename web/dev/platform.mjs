// The session routes of the dashboard, from memory.
import { randomBytes, randomInt, randomUUID } from 'node:crypto';

const now = () => new Date().toISOString();

export class Platform {
  constructor({ account, metrics, origin }) {
    this.account = account;
    this.metrics = metrics;
    this.origin = origin;
    this.links = new Map();
    this.codes = new Map();
    this.sessions = new Map();
    this.settings = { ai_processing: 'off', screening: true };
    this.resumed = false;
    this.user = {
      id: randomUUID(),
      email: 'owner@example.com',
      name: 'Robin Owner',
      role: 'owner',
      created_at: now(),
    };
    this.members = [
      { ...this.user, status: 'active' },
      {
        id: randomUUID(),
        email: 'sam@example.com',
        name: 'Sam Member',
        role: 'member',
        status: 'active',
        created_at: now(),
      },
      {
        id: randomUUID(),
        email: 'kim@example.com',
        name: null,
        role: 'member',
        status: 'invited',
        created_at: now(),
      },
    ];
    this.keys = [
      {
        id: randomUUID(),
        name: 'support agent',
        prefix: 'ph_R7IGe52',
        scope: 'inbox',
        inbox_id: null,
        created_at: now(),
        last_used_at: now(),
        revoked_at: null,
        permissions: ['messages:read', 'drafts:write'],
      },
    ];
  }

  link(email) {
    const token = randomBytes(24).toString('base64url');
    this.links.set(token, email);
    return `${this.origin}/sign-in#token=${token}`;
  }

  session(request) {
    const id = /service_session=([^;]+)/.exec(request.headers.cookie ?? '')?.[1];
    return this.sessions.get(id) ?? null;
  }

  signedIn(request) {
    return this.session(request) !== null;
  }

  async handle(request, response, url) {
    const path = url.pathname.slice('/platform'.length);
    const body = await read(request);
    const send = (status, value, headers = {}) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(value === undefined ? '' : JSON.stringify(value));
    };
    const refuse = (status, code, message, fix) =>
      send(status, { error: { code, message, fix, request_id: randomUUID() } });
    if (request.method !== 'GET' && request.headers['x-requested-with'] !== 'service-web') {
      return refuse(
        403,
        'csrf',
        'The request lacks X-Requested-With.',
        'Send `X-Requested-With: service-web`.',
      );
    }
    if (path === '/auth/magic-link') {
      const code = String(randomInt(1_000_000)).padStart(6, '0');
      this.codes.set(body.email, code);
      console.log(`Code        ${code}`);
      console.log(`Sign in     ${this.link(body.email)}`);
      return send(204);
    }
    if (path === '/auth/verify') {
      const good = body.token
        ? this.links.delete(body.token)
        : body.code && this.codes.get(body.email) === body.code;
      if (!good)
        return refuse(
          400,
          'invalid_token',
          'The link or code is used, expired or wrong.',
          'Ask for a new link.',
        );
      const id = randomBytes(24).toString('base64url');
      const session = {
        id: randomUUID(),
        created_at: now(),
        last_used_at: now(),
        user_agent: request.headers['user-agent'],
        ip: '127.0.0.1',
      };
      this.sessions.set(id, session);
      return send(200, await this.me(), {
        'set-cookie': `service_session=${id}; Path=/; HttpOnly; SameSite=Lax`,
      });
    }
    // Only for browser scripts: another link without a mail.
    if (path === '/dev-link') return send(200, { link: this.link('owner@example.com') });
    const session = this.session(request);
    if (!session) return refuse(401, 'unauthorized', 'Nobody is signed in.', 'Sign in.');
    session.last_used_at = now();
    return this.signedInRoutes(request.method, path, body, session, { send, refuse, url, request });
  }

  async me() {
    const workspace = await this.account();
    if (this.resumed) Object.assign(workspace, { emergency_stopped_at: null, emergency_stop_reason: null });
    return { user: this.user, org: { ...workspace, ...this.settings } };
  }

  async signedInRoutes(method, path, body, session, { send, refuse, url, request }) {
    const id = path.split('/')[2];
    switch (
      `${method} ${path.replace(/^(\/[^/]+)\/[^/]+$/, path.startsWith('/auth') || path.startsWith('/org') ? path : '$1/:id')}`
    ) {
      case 'POST /auth/logout':
        for (const [cookie, one] of this.sessions) if (one === session) this.sessions.delete(cookie);
        return send(204);
      case 'GET /me':
        return send(200, await this.me());
      case 'GET /api-keys':
        return send(200, { data: this.keys });
      case 'POST /api-keys': {
        const key = `ph_${randomBytes(30).toString('hex').slice(0, 40)}`;
        const api_key = {
          id: randomUUID(),
          name: body.name,
          prefix: key.slice(0, 10),
          scope: body.scope ?? 'workspace',
          inbox_id: body.inbox_id ?? null,
          created_at: now(),
          last_used_at: null,
          revoked_at: null,
          permissions: [],
        };
        this.keys.unshift(api_key);
        return send(201, { api_key, key });
      }
      case 'DELETE /api-keys/:id':
        for (const key of this.keys) if (key.id === id) key.revoked_at = now();
        return send(204);
      case 'GET /usage':
        return send(200, await this.usage(Number(url.searchParams.get('days') ?? 30)));
      case 'PATCH /org':
        Object.assign(this.settings, body);
        return send(200, (await this.me()).org);
      case 'POST /org/resume':
        this.resumed = true;
        return send(200, (await this.me()).org);
      case 'GET /sessions':
        return send(200, {
          data: [...this.sessions.values()].map((one) => ({ ...one, current: one === session })),
        });
      case 'DELETE /sessions/:id':
        for (const [cookie, one] of this.sessions) if (one.id === id) this.sessions.delete(cookie);
        return send(204);
      case 'GET /members':
        return send(200, { data: this.members });
      case 'POST /members': {
        const member = {
          id: randomUUID(),
          email: body.email,
          name: null,
          role: body.role,
          status: 'invited',
          created_at: now(),
        };
        this.members.push(member);
        return send(202, member);
      }
      case 'PATCH /members/:id': {
        const member = this.members.find((one) => one.id === id);
        if (member?.id === this.user.id)
          return refuse(
            409,
            'forbidden',
            'The last owner keeps the role.',
            'Make another member an owner first.',
          );
        Object.assign(member, body);
        return send(200, member);
      }
      case 'DELETE /members/:id':
        this.members = this.members.filter((one) => one.id !== id);
        return send(204);
      default:
        return refuse(404, 'not_found', `There is no route ${request.url}.`, 'Check the path.');
    }
  }

  async usage(days) {
    const metrics = await this.metrics();
    const series = metrics.heatmap.slice(-days).map(({ date, sent, received }) => ({ date, sent, received }));
    const today = series.at(-1) ?? { sent: 0, received: 0 };
    return {
      today: { sent: today.sent, received: today.received },
      limits: {
        daily_sends: 50000,
        daily_sends_per_inbox: 5000,
        emails_per_month: 500000,
        storage_bytes: null,
      },
      inboxes: metrics.resources.inboxes,
      series,
    };
  }
}

async function read(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  try {
    return text === '' ? {} : JSON.parse(text);
  } catch {
    return {};
  }
}
