/** Where a person goes after sign-in: a path of this console, never another site. */
export const returnTo = (said: string | undefined): string =>
  said !== undefined && /^\/(?![/\\])[^\p{Cc}]*$/u.test(said) && !said.startsWith("/sign-in") ? said : "/"
