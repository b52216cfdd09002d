/** Who is called when an agent is stuck (`/v1/escalation`). */
export interface Escalation {
  contacts: { email: string; status: 'pending' | 'confirmed'; confirmed_at: string | null }[];
  triggers: Record<string, boolean>;
  delivery: 'immediate' | 'digest';
  max_per_hour: number;
  quiet_hours: { start: string; end: string; timezone: string } | null;
  include_excerpt: boolean;
}

export const TRIGGERS: Record<string, string> = {
  needs_human: 'An agent or the categorizer asks for a person',
  phishing: 'Mail looks like phishing',
  blocked: 'A list stopped mail',
  draft_failed: 'A draft could not be sent',
  emergency_stop: 'Somebody stopped all sending',
  held: 'Mail is held',
  draft_created: 'A draft waits for approval',
};
