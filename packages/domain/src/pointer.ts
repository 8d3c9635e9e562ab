/**
 * JSON Pointers (RFC 6901) to the result, price, or state in a provider's answer. Spec: reference/services.md
 * "Pointers".
 */
import { Result } from "effect"

export const pointerLengthMax = 1024

/** The unescaped reference tokens of a pointer; empty for the whole document. */
export type Pointer = ReadonlyArray<string>

export type Resolved = { readonly found: true; readonly value: unknown } | { readonly found: false }

const absent: Resolved = { found: false }

/** Fails with the problem of the text. */
export const parsePointer = (text: string): Result.Result<Pointer, string> => {
  if (text === "") return Result.succeed([])
  if (text.length > pointerLengthMax) {
    return Result.fail(`A JSON Pointer can have at most ${pointerLengthMax} characters.`)
  }
  if (!text.startsWith("/")) {
    const meant = /^(?:\$\.?)?([\w-]+(?:[.[][\w-]+\]?)*)$/u.exec(text)?.[1]?.split(/[.[\]]+/u).filter((step) =>
      step !== ""
    ).join("/")
    return Result.fail(
      `A JSON Pointer is empty or begins with "/", such as "/data/0/id".${
        meant === undefined ? "" : ` Did you mean "/${meant}"?`
      }`
    )
  }
  if (/~(?![01])/.test(text)) {
    return Result.fail("In a JSON Pointer \"~\" is written \"~0\", and \"/\" inside a name \"~1\".")
  }
  return Result.succeed(text.slice(1).split("/").map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~")))
}

/** Array indices are `0` or digits without a leading zero; `-`, the place after the last item, is never found. */
const arrayIndex = /^(?:0|[1-9][0-9]{0,9})$/

/** Follows own members only, so no pointer reaches a prototype. A text that is not a pointer finds nothing. */
export const resolvePointer = (document: unknown, pointer: string | Pointer): Resolved => {
  if (typeof pointer === "string") {
    const parsed = parsePointer(pointer)
    return Result.isSuccess(parsed) ? resolvePointer(document, parsed.success) : absent
  }
  let value = document
  for (const token of pointer) {
    if (typeof value !== "object" || value === null) return absent
    if (Array.isArray(value)) {
      if (!arrayIndex.test(token) || Number(token) >= value.length) return absent
      value = value[Number(token)]
    } else {
      if (!Object.hasOwn(value, token)) return absent
      value = (value as Record<string, unknown>)[token]
    }
  }
  return { found: true, value }
}
