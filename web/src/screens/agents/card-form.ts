import type { AgentBundle, AgentCard, AgentSkill, MessageType, Visibility } from '../../lib/agents';
import type { Schemas } from '../../lib/api';
import type { ApiError } from '../../lib/errors';
import { fieldProblems, type Problems } from '../../lib/problems';

export interface SkillForm {
  id: string;
  name: string;
  description: string;
  tags: string;
  oasf: string;
}

/** The card as a person edits it. */
export interface CardForm {
  name: string;
  description: string;
  skills: SkillForm[];
  types: MessageType[];
  languages: string;
  inputModes: string;
  documentation: string;
  visibility: Visibility;
  handle: string;
  indexable: boolean;
}

type Change = Schemas['UpdateAgentCardBody'];

export const EMPTY_SKILL: SkillForm = { id: '', name: '', description: '', tags: '', oasf: '' };

/** The form of an agent's card, or of the card it would get. */
export function formOf(bundle: AgentBundle): CardForm {
  const card = bundle.card;
  return {
    name: card?.name ?? '',
    description: card?.description ?? '',
    skills: (card?.skills ?? []).map(skillForm),
    types: (card?.accepts.types ?? ['message']) as MessageType[],
    languages: (card?.accepts.languages ?? []).join(', '),
    inputModes: (card?.accepts.input_modes ?? ['text/plain', 'application/json']).join(', '),
    documentation: card?.documentation_url ?? '',
    visibility: bundle.visibility,
    handle: card?.handle?.split('/')[1] ?? '',
    indexable: card?.indexable ?? false,
  };
}

function skillForm(skill: AgentSkill): SkillForm {
  return {
    id: skill.id,
    name: skill.name,
    description: skill.description ?? '',
    tags: skill.tags.join(', '),
    oasf: skill.oasf === null ? '' : String(skill.oasf),
  };
}

/** Splits a list that is typed with commas. */
export function words(text: string): string[] {
  return text
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);
}

function skillOf(form: SkillForm): AgentSkill {
  const oasf = form.oasf.trim();
  return {
    id: form.id.trim(),
    name: form.name.trim(),
    description: form.description.trim() || null,
    tags: words(form.tags),
    oasf: oasf === '' ? null : /^\d+$/.test(oasf) ? Number(oasf) : oasf,
  };
}

function capabilitiesOf(form: CardForm): NonNullable<Change['capabilities']> {
  const modes = words(form.inputModes);
  return {
    skills: form.skills.map(skillOf),
    accepts_types: form.types,
    languages: words(form.languages),
    ...(modes.length > 0 ? { input_modes: modes } : {}),
  };
}

/** The request body that turns a card into the form: only what changed. */
export function changeOf(form: CardForm, before: CardForm): Change {
  const change: Change = {};
  const name = form.name.trim();
  if (name !== '' && name !== before.name) change.name = name;
  if (form.description.trim() !== before.description) change.description = form.description.trim() || null;
  const capabilities = capabilitiesOf(form);
  if (JSON.stringify(capabilities) !== JSON.stringify(capabilitiesOf(before)))
    change.capabilities = capabilities;
  if (form.documentation.trim() !== before.documentation)
    change.documentation_url = form.documentation.trim() || null;
  if (form.visibility !== before.visibility) change.visibility = form.visibility;
  if (form.handle.trim() !== before.handle) change.handle = form.handle.trim() || null;
  if (form.indexable !== before.indexable) change.indexable = form.indexable;
  return change;
}

/** The card that the form describes, for the preview. */
export function cardOf(form: CardForm, bundle: AgentBundle, workspaceHandle: string | null): AgentCard {
  const { inbox, keys, assurance, badges, domain } = bundle;
  const mailbox = inbox.kind === 'mailbox';
  return {
    format_version: '1',
    address: inbox.address,
    name: form.name.trim() || inbox.display_name || inbox.username,
    status: bundle.card?.status ?? 'active',
    assurance,
    badges,
    revoked_at: bundle.card?.revoked_at ?? null,
    accepts: {
      types: form.types,
      languages: words(form.languages),
      input_modes: words(form.inputModes),
    },
    keys: { server: keys.server.jwks_uri, agent: keys.agent },
    minimal: false,
    description: form.description.trim() || null,
    visibility: form.visibility,
    channels: { relay: mailbox ? { address: inbox.address } : null, a2a: null },
    skills: form.skills.map(skillOf),
    documentation_url: form.documentation.trim() || null,
    handle: form.handle.trim() && workspaceHandle ? `${workspaceHandle}/${form.handle.trim()}` : null,
    domain,
    indexable: form.indexable,
  };
}

/** Fields that an error code is about. */
const FIELD_OF_CODE: Record<string, string> = {
  invalid_handle: 'handle',
  handle_taken: 'handle',
  handle_reserved: 'handle',
  unclaimed_workspace: 'visibility',
  plan_limit_public_listings: 'visibility',
  visibility_unavailable: 'visibility',
  forbidden: 'visibility',
};

/** Why fields of the card were refused. */
export function cardProblems(error: ApiError | null): Problems {
  const problems = fieldProblems(error);
  const field = error ? FIELD_OF_CODE[error.code] : undefined;
  if (!error || !field) return problems;
  return problems.with([{ path: field, problem: [error.message, error.fix].filter(Boolean).join(' ') }]);
}
