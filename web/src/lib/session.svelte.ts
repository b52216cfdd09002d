import { onSignedOut } from './api';
import { asApiError, type ApiError } from './errors';
import { platform, type Invitation, type SignedIn, type User, type Workspace } from './platform';

/** The person who is signed in, and their workspace. A person who is `pending` is in no workspace yet. */
class Session {
  state = $state<'unknown' | 'in' | 'pending' | 'out' | 'failed'>('unknown');
  user = $state.raw<User | null>(null);
  workspace = $state.raw<Workspace | null>(null);
  invitations = $state.raw<Invitation[]>([]);
  /** Whether mail to other servers stays on this machine and is shown here. */
  capturesMail = $state(false);
  error = $state.raw<ApiError | null>(null);

  get isOwner(): boolean {
    return this.user?.role === 'owner';
  }

  get stopped(): boolean {
    return this.workspace?.emergency_stopped_at != null;
  }

  /** Whether the model server may draft replies. */
  get drafts(): boolean {
    return this.workspace?.ai_processing === 'full';
  }

  /** Asks the server who is signed in. */
  async load(): Promise<void> {
    try {
      this.enter(await platform.me());
    } catch (thrown) {
      const error = asApiError(thrown);
      if (error.status === 401) {
        this.leave();
      } else if (this.state !== 'in') {
        this.error = error;
        this.state = 'failed';
      }
    }
  }

  enter(answer: SignedIn): void {
    this.user = answer.user;
    this.workspace = answer.org ?? null;
    this.invitations = answer.invitations;
    this.capturesMail = answer.captures_mail;
    this.error = null;
    this.state = answer.org ? 'in' : 'pending';
  }

  leave(): void {
    this.state = 'out';
    this.user = null;
    this.workspace = null;
    this.invitations = [];
  }

  async signOut(): Promise<void> {
    await platform.signOut();
    this.leave();
  }
}

export const session = new Session();

onSignedOut(() => session.leave());
