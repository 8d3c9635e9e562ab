/**
 * Masks secrets in command output: exact ones with their base64, URI, JSON, and shell forms, and tokens of known
 * shapes, even when a secret arrives in several chunks. Works on bytes as latin1 text, so any output passes. Spec:
 * reference/devices.md "D17: masked output".
 */
export const maskText = "[masked]"

/** Characters held back because they may begin a token. */
const heldMax = 512
/** The same for a recognized token that continues; a longer one is masked in parts. */
const heldLongMax = 8_192
const secretLengthMin = 8

const tokenCharacter = /[A-Za-z0-9_\-.+/=%~]/
const shapes = [
  /svc_(?:device|pat|session|invite)[A-Za-z0-9_]*_[A-Za-z0-9_-]{8,}/,
  /agent_key_(?:live|test)_[A-Za-z0-9_-]{8,}/,
  /gh[pousr]_[A-Za-z0-9]{20,}/,
  /github_pat_[A-Za-z0-9_]{20,}/,
  /glpat-[A-Za-z0-9_-]{16,}/,
  /xox[abeoprs]-[A-Za-z0-9-]{10,}/,
  /(?:AKIA|ASIA)[A-Z0-9]{16}/,
  /sk-[A-Za-z0-9_-]{20,}/,
  /[rsp]k_(?:live|test)_[A-Za-z0-9]{16,}/,
  /npm_[A-Za-z0-9]{36}/,
  /AIza[A-Za-z0-9_-]{35}/,
  // Stops at a second "eyJ": on text that repeats it, each match would otherwise search to the end.
  /eyJ(?:(?!eyJ)[A-Za-z0-9_-]){8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?/
]
const pemBegin = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----/
const pemEnd = /-----END [A-Z ]{0,40}PRIVATE KEY-----/

const latin1 = (text: string): string => Buffer.from(text, "utf8").toString("latin1")

/** A secret in each encoding that programs print. Its base64 inside a longer text has three possible alignments. */
const formsOf = (secret: string): ReadonlyArray<string> => {
  const bytes = Buffer.from(secret, "utf8")
  const inner = [0, 1, 2].map((lead) => {
    const encoded = Buffer.concat([Buffer.alloc(lead), bytes]).toString("base64").replace(/=+$/, "")
    // Leaves out characters that also encode bits of neighboring bytes.
    const from = lead === 0 ? 0 : lead + 1
    const to = (lead + bytes.length) % 3 === 0 ? encoded.length : encoded.length - 1
    return encoded.slice(from, to)
  }).filter((text) => text.length >= secretLengthMin)
  const url = inner.map((text) => text.replaceAll("+", "-").replaceAll("/", "_"))
  return [
    secret,
    ...inner,
    ...url,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    secret.replaceAll("'", "'\\''"),
    bytes.toString("hex")
  ]
}

export interface Masker {
  /** Returns the output that is safe to send now. */
  readonly push: (bytes: Uint8Array) => Buffer
  /** Returns the rest. */
  readonly end: () => Buffer
}

export interface Mask {
  /** A masker for one stream. */
  readonly stream: () => Masker
  readonly text: (text: string) => string
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")

export const makeMask = (secrets: ReadonlyArray<string>): Mask => {
  const forms = [...new Set(secrets.filter((secret) => secret.length >= secretLengthMin).flatMap(formsOf).map(latin1))]
    .sort((a, b) => b.length - a.length)
  const secretPattern = new RegExp([...forms.map(escaped), ...shapes.map(({ source }) => source)].join("|"), "g")
  const cover = (text: string): string => text.replace(secretPattern, maskText)

  /** Length of the longest suffix that may begin a form. */
  const beginningAtEnd = (text: string): number => {
    let most = 0
    for (const form of forms) {
      for (let length = Math.min(form.length - 1, text.length); length > most; length--) {
        if (text.endsWith(form.slice(0, length))) {
          most = length
          break
        }
      }
    }
    return most
  }
  const tokenAtEnd = (text: string): number => {
    let length = 0
    while (length < text.length && length < heldMax && tokenCharacter.test(text[text.length - 1 - length]!)) length++
    return length
  }
  const pemAtEnd = (text: string): number => {
    const at = text.lastIndexOf("-----BEGIN ")
    if (at >= 0 && text.length - at < 70) return text.length - at
    const dashes = /-{1,5}(?:B(?:E(?:G(?:I(?:N)?)?)?)?)?$/.exec(text)
    return dashes === null ? 0 : dashes[0].length
  }

  const stream = (): Masker => {
    let held = ""
    let inPem = false
    /** A token longer than the held text was masked; mask the rest of it, too. */
    let masksRest = false
    const pass = (last: boolean): string => {
      let out = ""
      for (;;) {
        if (inPem) {
          const end = pemEnd.exec(held)
          if (end === null) {
            held = last ? "" : held.slice(-70)
            return out
          }
          held = held.slice(end.index + end[0].length)
          inPem = false
        }
        const begin = pemBegin.exec(held)
        if (begin === null) break
        out += cover(held.slice(0, begin.index)) + maskText
        held = held.slice(begin.index + begin[0].length)
        inPem = true
      }
      if (masksRest) {
        let at = 0
        while (at < held.length && tokenCharacter.test(held[at]!)) at++
        held = held.slice(at)
        if (held !== "") masksRest = false
      }
      if (last) {
        out += cover(held)
        held = ""
        return out
      }
      let cut = held.length - Math.max(tokenAtEnd(held), beginningAtEnd(held), pemAtEnd(held))
      // A match that crosses the cut stays whole, because it may continue.
      for (const { 0: found, index } of held.matchAll(secretPattern)) {
        if (index < cut && index + found.length > cut) cut = index
      }
      if (held.length - cut > heldLongMax) {
        const covered = cover(held)
        masksRest = covered.endsWith(maskText)
        held = ""
        return out + covered
      }
      const whole = held.slice(0, cut)
      held = held.slice(cut)
      return out + cover(whole)
    }
    return {
      push: (bytes) => {
        held += Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1")
        return Buffer.from(pass(false), "latin1")
      },
      end: () => Buffer.from(pass(true), "latin1")
    }
  }
  return {
    stream,
    text: (text) => {
      const masker = stream()
      return Buffer.concat([masker.push(Buffer.from(text, "utf8")), masker.end()]).toString("utf8")
    }
  }
}
