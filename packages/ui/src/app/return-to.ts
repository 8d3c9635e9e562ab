/** The path to open after sign-in: always a path of this console, never another site. */
export const returnTo = (requested: string | undefined): string =>
  requested !== undefined && /^\/(?![/\\])[^\p{Cc}]*$/u.test(requested) && !requested.startsWith("/sign-in")
    ? requested
    : "/"
