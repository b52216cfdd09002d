/** What a person does next, for errors whose fix names parts of the API. */
const FIXES: Record<string, string> = {
  invalid_request: 'Correct what is named, then try again.',
  invalid_solution: 'Get a new challenge and solve it.',
  challenge_expired: 'Get a new challenge and solve it within 10 minutes.',
  invalid_handle: 'Use letters a to z, digits and hyphens: acme for a workspace, @acme/support for an agent.',
  unauthorized: 'Sign in again.',
  insufficient_permissions: 'Ask an owner of the workspace.',
  forbidden: 'Ask an owner of the workspace.',
  csrf: 'Reload the page, then try again.',
  domain_not_verified: 'Publish the DNS records of the domain, then check them on its page.',
  identity_disabled: 'Switch sign-in on, on the page of the agent.',
  unclaimed_workspace: 'A person has to claim the workspace first.',
  plan_limit_public_listings: 'Make another card less visible, or move the workspace to a larger plan.',
  method_not_allowed: 'Reload the page, then try again.',
  list_entry_exists: 'Nothing to do: the entry is in the list.',
  not_queued: 'Nothing to do: the message left the queue meanwhile.',
  draft_not_editable: 'A draft that was sent or discarded cannot change. Write a new message.',
  draft_changed: 'Read it again, then approve it.',
  domain_in_use: 'Delete its inboxes first, or delete it with them.',
  dkim_record_not_found: 'Publish the record of the next key, wait for DNS, then try again.',
  dkim_rotation_too_soon: 'The record of the previous key must stay published for now. Try again later.',
  idempotency_in_flight: 'Wait a moment, then look whether it happened.',
  unsupported_media_type: 'Reload the page, then try again.',
  misdirected_request: 'Open the dashboard at the address of this server.',
  idempotency_key_reused: 'Reload the page, then try again.',
  invalid_key_proof: 'Let the agent register its key again.',
  recipient_blocked: 'Remove the blocked addresses from the message, or change the lists.',
  recipient_suppressed: 'Remove the suppressed addresses, or delete their suppressions.',
  visibility_unavailable:
    'Choose a visibility other than public. The operator can switch the public directory on.',
  routing_unavailable: 'Choose the routing relay.',
  workspace_stopped: 'An owner can resume the workspace.',
  inbox_paused: 'Resume the inbox.',
  rate_limited: 'Wait, then try again.',
  temporary_inbox_limit: 'Delete temporary inboxes you no longer need, or wait.',
  signup_rate_limited: 'Try again tomorrow.',
  content_damaged: 'Tell the operator of this server the request id.',
  agent_keys_disabled: 'The operator of this server can switch keys of agents on.',
  unavailable: 'Wait a moment, then try again.',
  directory_disabled: 'Use email addresses. The operator of this server can switch the directory on.',
  public_directory_disabled: 'The operator of this server can switch the public directory on.',
  store_damaged: 'Tell the operator of this server: the database is damaged.',
};

/** Returns a fix in the words of a person. The API writes its own parts in backticks. */
export function fixForPeople(code: string, fix: string | null): string | null {
  return fix?.includes('`') ? (FIXES[code] ?? null) : fix;
}
