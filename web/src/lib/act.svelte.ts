import { asApiError, type ApiError } from './errors';

/** One action of a form or button: whether it runs and how it failed. */
export class Act {
  busy = $state(false);
  error = $state.raw<ApiError | null>(null);

  /** Runs the action unless it is running. Returns whether it succeeded. */
  async run(action: () => Promise<unknown>): Promise<boolean> {
    if (this.busy) return false;
    this.busy = true;
    this.error = null;
    try {
      await action();
      return true;
    } catch (error) {
      this.error = asApiError(error);
      return false;
    } finally {
      this.busy = false;
    }
  }
}
