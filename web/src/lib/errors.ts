import { fixForPeople } from './fixes';

/** An error answer of the API. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly fix: string | null = null,
    readonly requestId: string | null = null,
    readonly details: Record<string, unknown> = {},
  ) {
    super(message);
    this.name = 'ApiError';
  }
}

/** Reads an error body; anything else becomes an error that names the status. */
export function errorFrom(status: number, body: unknown): ApiError {
  const error = (body as { error?: Record<string, unknown> } | null | undefined)?.error;
  if (error && typeof error === 'object' && typeof error.message === 'string') {
    const code = text(error.code) ?? 'http_error';
    return new ApiError(
      status,
      code,
      error.message,
      fixForPeople(code, text(error.fix)),
      text(error.request_id),
      (error.details as Record<string, unknown>) ?? {},
    );
  }
  return new ApiError(status, 'http_error', `The server answered ${status}.`, 'Try again in a moment.');
}

/** Turns whatever a request threw into an ApiError. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof TypeError) {
    return new ApiError(
      0,
      'connection_error',
      'The server cannot be reached.',
      'Check the connection, then try again.',
    );
  }
  return new ApiError(0, 'client_error', error instanceof Error ? error.message : String(error));
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
