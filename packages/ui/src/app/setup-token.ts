/**
 * The setup link's token, `/setup#token=…`. It is removed from the address before anything else runs, so that no
 * history, screenshot, or copied address contains it, and it is kept for this page only.
 */
let token: string | undefined

export const takeSetupToken = (): void => {
  const found = new URLSearchParams(location.hash.slice(1)).get("token")
  if (found === null) return
  if (location.pathname === "/setup") token = found
  history.replaceState(history.state, "", location.pathname + location.search)
}

export const setupToken = (): string | undefined => token
/** Call it after the token was used. */
export const forgetSetupToken = (): void => {
  token = undefined
}
