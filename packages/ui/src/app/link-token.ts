/**
 * The token of a link such as `/setup#token=…` or `/invite#token=…`. It is removed from the address before anything else
 * runs, so that no history, screenshot, or copied address contains it, and it is kept for this page only. A fragment is
 * never sent to a server.
 */
type LinkPath = "/setup" | "/invite"

let taken: { readonly path: string; readonly token: string } | undefined

export const takeLinkToken = (): void => {
  const token = new URLSearchParams(location.hash.slice(1)).get("token")
  if (token === null) return
  taken = { path: location.pathname, token }
  history.replaceState(history.state, "", location.pathname + location.search)
}

export const linkToken = (path: LinkPath): string | undefined => taken?.path === path ? taken.token : undefined
/**
 * Calls back with the token of each further link. One that is opened in a tab that is already on this page only changes
 * the fragment: the page is not reloaded.
 */
export const onLinkToken = (path: LinkPath, onToken: (token: string) => void): () => void => {
  const take = () => {
    takeLinkToken()
    const token = linkToken(path)
    if (token !== undefined) onToken(token)
  }
  window.addEventListener("hashchange", take)
  return () => window.removeEventListener("hashchange", take)
}

/** Call it after the token was used. */
export const forgetLinkToken = (): void => {
  taken = undefined
}
