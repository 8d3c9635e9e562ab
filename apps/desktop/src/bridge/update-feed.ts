/** Addresses of update feeds, for the settings and for the package. Spec: reference/desktop.md "E15: updates". */

const urlLengthMax = 2_000

/** An absolute HTTPS URL without a user, query, or fragment. */
export const isUpdateFeed = (text: string): boolean => {
  if (text.length > urlLengthMax || !URL.canParse(text)) return false
  const { hash, password, protocol, search, username } = new URL(text)
  return protocol === "https:" && `${username}${password}${hash}${search}` === ""
}
