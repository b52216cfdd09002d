import type { Schemas } from '../../lib/api';
import { count, percent, plural } from '../../lib/format';
import type { Inbox } from '../../lib/inboxes.svelte';
import type { WaitingSignIn, Workspace } from '../../lib/platform';
import { url } from '../../lib/router';

export interface Point {
  text: string;
  detail: string;
  href: string;
  tone: 'warn' | 'bad';
}

interface Facts {
  inboxes: Inbox[];
  /** How many wait for a person. */
  drafts: number;
  workspace: Workspace | null;
  metrics: Schemas['Metrics'];
  deliverability: Schemas['Deliverability'];
  webhooks: Schemas['Webhook'][];
  domains: Schemas['Domain'][];
  signIns: WaitingSignIn[];
}

/** One point for each agent: strangers can begin any number of sign-ins that name it. */
function waitingSignIns(all: WaitingSignIn[]): Point[] {
  return [...new Set(all.map((one) => one.address))].map((address) => {
    const waiting = all.filter((one) => one.address === address);
    const [{ inbox_id, code }] = waiting as [WaitingSignIn];
    const apps = [...new Set(waiting.map((one) => one.client_name))].join(', ');
    const single = waiting.length === 1;
    return {
      tone: 'warn',
      text: `${plural(waiting.length, 'sign-in')} ${single ? 'waits' : 'wait'}: ${address}`,
      detail: `Asked by ${apps}. Approve only what you began.`,
      href: single ? url('/agents/approve', { agent: inbox_id, code }) : `/agents/${inbox_id}/sign-in`,
    };
  });
}

/** Lists what needs a person, worst first. */
export function attention(facts: Facts): Point[] {
  const points: Point[] = [];
  const sum = (pick: (inbox: Inbox) => number) =>
    facts.inboxes.reduce((total, inbox) => total + pick(inbox), 0);
  const add = (amount: number, point: Point) => {
    if (amount > 0) points.push(point);
  };
  if (facts.workspace?.status === 'suspended') {
    points.push({
      tone: 'bad',
      text: 'Sending is suspended',
      detail: 'Too many bounces or complaints.',
      href: '/usage',
    });
  }
  const human = sum((inbox) => inbox.needs_human_count);
  add(human, {
    tone: 'bad',
    text: `${plural(human, 'message')} ${human === 1 ? 'needs' : 'need'} a person`,
    detail: 'An agent asked for help.',
    href: '/search?q=label%3Aai%3Aneeds-human',
  });
  const { drafts } = facts;
  add(drafts, {
    tone: 'warn',
    text: `${plural(drafts, 'draft')} ${drafts === 1 ? 'waits' : 'wait'} for approval`,
    detail: 'Nothing is sent before you approve.',
    href: '/approvals',
  });
  const held = sum((inbox) => inbox.held_count);
  add(held, {
    tone: 'warn',
    text: `${plural(held, 'held mail')} that nobody has opened`,
    detail: 'Agents do not get held mail before you release it.',
    href: '/held',
  });
  points.push(...waitingSignIns(facts.signIns));
  const dead = facts.metrics.queue.reduce((total, one) => total + one.dead_letters, 0);
  add(dead, {
    tone: 'bad',
    text: plural(dead, 'dead letter'),
    detail: 'An agent gave up ten times.',
    href: '/queue',
  });
  for (const webhook of facts.webhooks) {
    if (!webhook.enabled || webhook.stats.failed_24h === 0) continue;
    points.push({
      tone: webhook.stats.error_rate_24h > 0.5 ? 'bad' : 'warn',
      text: `Webhook fails: ${new URL(webhook.url).host}`,
      detail: `${count(webhook.stats.failed_24h)} of ${plural(webhook.stats.deliveries_24h, 'delivery', 'deliveries')} failed in 24 hours (${percent(webhook.stats.error_rate_24h)}).`,
      href: `/webhooks/${webhook.id}`,
    });
  }
  for (const domain of facts.domains) {
    if (domain.status === 'verified' && !domain.dkim.rotation_due) continue;
    points.push({
      tone: domain.status === 'failed' ? 'bad' : 'warn',
      text:
        domain.status === 'verified'
          ? `DKIM rotation is due: ${domain.domain}`
          : `Domain is ${domain.status}: ${domain.domain}`,
      detail:
        domain.status === 'verified' ? 'The key has signed for a year.' : 'Its DNS records are not in order.',
      href: `/domains/${domain.id}`,
    });
  }
  const paused = facts.inboxes.filter((inbox) => inbox.status === 'paused');
  for (const inbox of paused) {
    points.push({
      tone: 'warn',
      text: `Paused: ${inbox.address}`,
      detail: inbox.paused_reason ?? 'Nothing is sent from it.',
      href: `/inbox/${inbox.id}`,
    });
  }
  return points.sort((a, b) => Number(b.tone === 'bad') - Number(a.tone === 'bad'));
}
