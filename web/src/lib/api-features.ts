// Generated from openapi.json by `npm run types`.

/** Whether lists accept `view=summary`. */
export const SUMMARIES: boolean = false;
