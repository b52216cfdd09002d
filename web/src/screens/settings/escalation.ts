import type { Schemas } from '../../lib/api';

export type Escalation = Schemas['Escalation'];
export type Trigger = keyof Escalation['triggers'];

/** What a person on call is told about, in words. */
export const TRIGGERS: Record<Trigger, string> = {
  needs_human: 'An agent or the categorizer asks for a person',
  phishing: 'Mail looks like phishing',
  blocked: 'A list stopped mail',
  draft_failed: 'A draft could not be sent',
  emergency_stop: 'Somebody stopped all sending',
  held: 'Mail is held',
  draft_created: 'A draft waits for approval',
};
