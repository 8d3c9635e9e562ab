/**
 * Takes secrets out of what commands print: exact ones with their base64, URI, JSON and shell forms, and tokens by their known shapes; also
 * when a secret comes in pieces. Works on bytes, written as latin1 text, so that any output passes. Spec: D17.
 */
export const maskText = "[masked]"

/** Characters of a run that may be a token, held back until it is seen whole. */
const heldMax = 512
/** Of a token that was found and goes on; a longer one is masked as it comes. */
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
  // Not over a second "eyJ": text of nothing else would be searched to its end from each of them.
  /eyJ(?:(?!eyJ)[A-Za-z0-9_-]){8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?/
]
const pemBegin = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----/
const pemEnd = /-----END [A-Z ]{0,40}PRIVATE KEY-----/

const latin1 = (text: string): string => Buffer.from(text, "utf8").toString("latin1")

/** A secret as it may come out of programs. Base64 of it within a longer text begins at one of three places of a byte triple. */
const formsOf = (secret: string): ReadonlyArray<string> => {
  const bytes = Buffer.from(secret, "utf8")
  const inner = [0, 1, 2].map((lead) => {
    const encoded = Buffer.concat([Buffer.alloc(lead), bytes]).toString("base64").replace(/=+$/, "")
    // Characters that also carry bits of a neighbour are left aside.
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
  /** What may go out now. */
  readonly push: (bytes: Uint8Array) => Buffer
  /** The rest. */
  readonly end: () => Buffer
}

export interface Mask {
  /** For one stream. */
  readonly stream: () => Masker
  readonly text: (text: string) => string
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")

export const makeMask = (secrets: ReadonlyArray<string>): Mask => {
  const forms = [...new Set(secrets.filter((secret) => secret.length >= secretLengthMin).flatMap(formsOf).map(latin1))]
    .sort((a, b) => b.length - a.length)
  const secretPattern = new RegExp([...forms.map(escaped), ...shapes.map(({ source }) => source)].join("|"), "g")
  const cover = (text: string): string => text.replace(secretPattern, maskText)

  /** How much of the end may be the beginning of a form. */
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
    /** A token longer than what is held was masked: the rest of it follows. */
    let eating = false
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
      if (eating) {
        let at = 0
        while (at < held.length && tokenCharacter.test(held[at]!)) at++
        held = held.slice(at)
        if (held !== "") eating = false
      }
      if (last) {
        out += cover(held)
        held = ""
        return out
      }
      let cut = held.length - Math.max(tokenAtEnd(held), beginningAtEnd(held), pemAtEnd(held))
      // What was found and reaches over the cut stays whole, as it may go on.
      for (const { 0: found, index } of held.matchAll(secretPattern)) {
        if (index < cut && index + found.length > cut) cut = index
      }
      if (held.length - cut > heldLongMax) {
        const covered = cover(held)
        eating = covered.endsWith(maskText)
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
