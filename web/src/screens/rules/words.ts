import type { Schemas } from '../../lib/api';

type Field = Schemas['RuleCondition']['field'];
type Action = Schemas['RuleAction']['action'];

/** What a condition compares, as the start of a phrase that its value ends. */
export const fields: Record<Field, string> = {
  sender: 'sender is',
  domain: 'domain is',
  label: 'label is',
  category: 'category is',
  injection: 'injection risk is at least',
  phishing: 'phishing risk is at least',
  needs_human: 'need of a person is at least',
  attachment: 'attachment:',
  size: 'bytes are at least',
  list: 'receive list:',
};

/** What a rule does. */
export const actions: Record<Action, string> = {
  label: 'label',
  hold: 'hold',
  block: 'block',
  route: 'file in inbox',
  needs_human: 'mark for a person',
  draft_only: 'agents only draft answers',
};
