import { api, ok, type Schemas } from './api';

export type User = Schemas['User'];
export type Workspace = Schemas['Workspace'];
export type ScreeningReport = Schemas['ScreeningReport'];
export type Role = Member['role'];
export type SignInOptions = Schemas['SignInOptions'];
export type SignedIn = Schemas['SignedIn'];
export type ApiKey = Schemas['ApiKey'];
export type NewApiKey = Schemas['CreateApiKeyBody'];
export type Connector = Schemas['Connector'];
export type ConnectorRequest = Schemas['ConnectorRequest'];
export type ConnectorDecision = Schemas['DecideConnectorRequestBody'];
export type Usage = Schemas['Usage'];
export type WaitingSignIn = Schemas['WaitingSignIn'];
export type Session = Schemas['Session'];
export type Member = Schemas['Member'];
export type Invitation = Schemas['Invitation'];
export type WorkspaceChange = Schemas['UpdateOrgBody'];
export type WorkspaceOfPerson = Schemas['WorkspaceMembership'];

/** What happens to keys that a member may not keep. */
export type KeysOfMember = 'revoke' | 'take_over';

/** Pages of keys that are read at most; a workspace has at most 2,000 that work. */
const KEY_PAGES_MAX = 100;

/** Returns all keys of the workspace, newest first. */
async function allKeys(): Promise<{ data: ApiKey[] }> {
  const data: ApiKey[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < KEY_PAGES_MAX; page += 1) {
    const query: { limit: number; cursor?: string } = cursor ? { limit: 100, cursor } : { limit: 100 };
    const found = await ok(api.GET('/platform/api-keys', { params: { query } }));
    data.push(...found.data);
    cursor = found.next_cursor ?? null;
    if (!cursor) break;
  }
  return { data };
}

/** Returns all connectors of the workspace, newest first; it has at most 100. */
const allConnectors = () => ok(api.GET('/platform/connectors', { params: { query: { limit: 100 } } }));

const at = (id: string) => ({ params: { path: { id } } });

/** The routes that only a signed-in person has. */
export const platform = {
  signInOptions: () => ok(api.GET('/platform/auth/options')),
  requestLink: (email: string) => ok(api.POST('/platform/auth/magic-link', { body: { email } })),
  verifyToken: (token: string) => ok(api.POST('/platform/auth/verify', { body: { token } })),
  verifyCode: (email: string, code: string) =>
    ok(api.POST('/platform/auth/verify', { body: { email, code } })),
  signOut: () => ok(api.POST('/platform/auth/logout')),
  me: () => ok(api.GET('/platform/me')),
  keys: allKeys,
  createKey: (body: NewApiKey) => ok(api.POST('/platform/api-keys', { body })),
  revokeKey: (key: string) => ok(api.DELETE('/platform/api-keys/{id}', at(key))),
  connectors: allConnectors,
  revokeConnector: (connector: string) => ok(api.DELETE('/platform/connectors/{id}', at(connector))),
  connectorRequest: (request: string) =>
    ok(api.GET('/platform/connector-requests', { params: { query: { request } } })),
  decideConnector: (body: ConnectorDecision) => ok(api.POST('/platform/connector-requests', { body })),
  usage: (days: number) => ok(api.GET('/platform/usage', { params: { query: { days } } })),
  screening: () => ok(api.GET('/platform/screening')),
  waitingSignIns: () => ok(api.GET('/platform/waiting-sign-ins')),
  updateWorkspace: (body: WorkspaceChange) => ok(api.PATCH('/platform/org', { body })),
  requestReview: () => ok(api.POST('/platform/org/suspension/review', { body: {} })),
  resume: () => ok(api.POST('/platform/org/resume')),
  sessions: () => ok(api.GET('/platform/sessions')),
  endSession: (session: string) => ok(api.DELETE('/platform/sessions/{id}', at(session))),
  workspaces: () => ok(api.GET('/platform/workspaces')),
  switchWorkspace: (workspace: string) => ok(api.POST('/platform/workspaces/{id}/switch', at(workspace))),
  acceptInvitation: (invitation: string) => ok(api.POST('/platform/invitations/{id}/accept', at(invitation))),
  declineInvitation: (invitation: string) => ok(api.DELETE('/platform/invitations/{id}', at(invitation))),
  members: () => ok(api.GET('/platform/members')),
  invite: (email: string, role: Role) => ok(api.POST('/platform/members', { body: { email, role } })),
  changeRole: (member: string, role: Role, keys?: KeysOfMember) =>
    ok(
      api.PATCH('/platform/members/{id}', {
        params: { path: { id: member }, query: keys ? { keys } : {} },
        body: { role },
      }),
    ),
  removeMember: (member: string, keys?: KeysOfMember) =>
    ok(
      api.DELETE('/platform/members/{id}', {
        params: { path: { id: member }, query: keys ? { keys } : {} },
      }),
    ),
};
