/**
 * The setup link's token, `/setup#token=…`: taken out of the address before anything else runs, so that neither history, nor a
 * screenshot, nor a copied address holds it. It is kept for this page only.
 */
let token: string | undefined

export const takeSetupToken = (): void => {
  const found = new URLSearchParams(location.hash.slice(1)).get("token")
  if (found === null) return
  if (location.pathname === "/setup") token = found
  history.replaceState(history.state, "", location.pathname + location.search)
}

export const setupToken = (): string | undefined => token
/** Once it was used. */
export const forgetSetupToken = (): void => {
  token = undefined
}
