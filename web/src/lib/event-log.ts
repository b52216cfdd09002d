import type { Schemas } from './api';

export type LoggedEvent = Schemas['Event'];
