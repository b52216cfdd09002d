import { send, type Schemas } from './api';

export type Role = 'owner' | 'member';

export interface User {
  id: string;
  email: string;
  name: string | null;
  role: Role;
  created_at: string;
}

/** The workspace object of the account. Newer servers add settings to it. */
export type Workspace = Schemas['WorkspaceView'] & { ai_processing?: string; screening?: boolean };

export interface SignedIn {
  user: User;
  org: Workspace;
}

export interface ApiKey {
  id: string;
  name: string;
  prefix: string;
  created_at: string;
  last_used_at: string | null;
  revoked_at: string | null;
  scope?: string;
  inbox_id?: string | null;
  permissions?: string[];
}

export interface NewApiKey {
  name: string;
  preset?: string;
  scope?: string;
  inbox_id?: string;
}

export interface Usage {
  today: { sent: number; received: number };
  limits: Record<string, number | null>;
  inboxes: number;
  series: { date: string; sent: number; received: number }[];
}

export interface Session {
  id: string;
  created_at: string;
  last_used_at: string;
  user_agent: string | null;
  ip: string | null;
  current: boolean;
}

export interface Member {
  id: string;
  email: string;
  name: string | null;
  role: Role;
  status: 'active' | 'invited';
  created_at: string;
}

export interface WorkspaceChange {
  name?: string;
  ai_processing?: string;
  screening?: boolean;
  ai_disclosure?: { visible_line: string; text: string; share_workspace_name: boolean };
}

interface List<T> {
  data: T[];
}

const id = encodeURIComponent;

export const platform = {
  requestLink: (email: string) => send<null>('POST', '/platform/auth/magic-link', { email }),
  verifyToken: (token: string) => send<SignedIn>('POST', '/platform/auth/verify', { token }),
  verifyCode: (email: string, code: string) =>
    send<SignedIn>('POST', '/platform/auth/verify', { email, code }),
  signOut: () => send<null>('POST', '/platform/auth/logout'),
  me: () => send<SignedIn>('GET', '/platform/me'),
  keys: () => send<List<ApiKey>>('GET', '/platform/api-keys'),
  createKey: (key: NewApiKey) => send<{ api_key: ApiKey; key: string }>('POST', '/platform/api-keys', key),
  revokeKey: (key: string) => send<null>('DELETE', `/platform/api-keys/${id(key)}`),
  usage: (days: number) => send<Usage>('GET', `/platform/usage?days=${days}`),
  updateWorkspace: (change: WorkspaceChange) => send<unknown>('PATCH', '/platform/org', change),
  resume: () => send<unknown>('POST', '/platform/org/resume'),
  sessions: () => send<List<Session>>('GET', '/platform/sessions'),
  endSession: (session: string) => send<null>('DELETE', `/platform/sessions/${id(session)}`),
  members: () => send<List<Member>>('GET', '/platform/members'),
  invite: (email: string, role: Role) => send<unknown>('POST', '/platform/members', { email, role }),
  changeRole: (member: string, role: Role) =>
    send<unknown>('PATCH', `/platform/members/${id(member)}`, { role }),
  removeMember: (member: string) => send<null>('DELETE', `/platform/members/${id(member)}`),
};
