/** The token in what a person pastes: the printed link, a part of it, or the bare token. */

/** 32 bytes in base64url. */
const tokenPattern = /^[\w-]{43}$/u

export const tokenIn = (pasted: string): string | undefined => {
  const said = pasted.trim()
  const after = said.lastIndexOf("token=")
  const token = after === -1 ? said : said.slice(after + "token=".length).split(/[&\s"']/u)[0] ?? ""
  return tokenPattern.test(token) ? token : undefined
}
