/** Finds the token in pasted text: the printed link, a part of it, or the bare token. */

/** 32 bytes in base64url. */
const tokenPattern = /^[\w-]{43}$/u

export const tokenIn = (pasted: string): string | undefined => {
  const trimmed = pasted.trim()
  const after = trimmed.lastIndexOf("token=")
  const token = after === -1 ? trimmed : trimmed.slice(after + "token=".length).split(/[&\s"']/u)[0] ?? ""
  return tokenPattern.test(token) ? token : undefined
}
