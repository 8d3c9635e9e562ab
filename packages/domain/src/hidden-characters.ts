/**
 * Reveals hidden characters in untrusted text: reordering, control, invisible, and lookalike characters are shown with
 * their code point. It protects the person who decides: the text they read is the text that runs. Linear in the text's
 * length.
 */

export type HiddenReason = "bidi" | "control" | "invisible" | "lookalike" | "unknown"

export type TextPart =
  | { readonly kind: "plain"; readonly text: string }
  /** `like` is the ordinary character that a lookalike resembles. */
  | {
    readonly kind: "hidden"
    readonly text: string
    readonly codePoint: string
    readonly reason: HiddenReason
    readonly like?: string
  }

/** Combining marks on one letter; languages need three at most. */
const marksMax = 3

const bidi = /^[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]$/u
const control = /^[\p{Cc}\u2028\u2029]$/u
/** Drawn as nothing, or as a space although it is none. */
const invisible = /^[\p{Cf}\p{Variation_Selector}\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0]$|^(?! )\p{Zs}$/u
const unknown = /^[\p{Cs}\p{Co}\p{Cn}]$/u
const mark = /^\p{M}$/u
const pictograph = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}/u
const letter = /^[\p{L}\p{M}]$/u
const latin = /^\p{Script=Latin}$/u

/** Letters that look like Latin ones, by script: Unicode's confusables as far as screen fonts draw them alike. */
const alikeByScript: ReadonlyArray<readonly [RegExp, Readonly<Record<string, string>>]> = [
  [
    /^\p{Script=Cyrillic}$/u,
    pairs("аaеeоoрpсcуyхxѕsіiјjһhԁdԛqԝwАAВBЕEЅSІIЈJКKМMНHОOРPСCТTУYХXҮYԌGԚQԜWѵvѴVкkмmнnтtгrпnвbӏlҽeԍGь6")
  ],
  [/^\p{Script=Greek}$/u, pairs("αaγyιiκkνvοoρpτtυuχxωwϲcϳjΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧXϹCͿJηnμuσo")],
  [/^\p{Script=Armenian}$/u, pairs("աwցgհhոnսuօoզqՏSՍUՕOԼLյj")],
  [/^\p{Script=Cherokee}$/u, pairs("ᎠDᎡRᎢTᎪAᎫJᎬEᎳWᎷMᎻHᎽYᏀGᏃZᏎ4ᏔWᏙVᏚSᏞLᏟCᏢPᏦKᏮ6")]
]

/** Lookalikes of the separators in paths, hosts, and times; and of letters in one script. */
const alikeAlways: Readonly<Record<string, string>> = {
  ...pairs("\u2044/\u2215/\u29f8/\u2571/\u2024.\u0701.\u0702.\ua4f8.\u2236:\ua789:\u02d0:\u0589:\u05c3:\u037e;"),
  ...pairs("\u201a,\u2010-\u2011-\u2012-\u02d7-\u2216\\\u29f5\\\u01c3!\u2223|\u01c0|\u02b9'\u2032'\u2039<\u203a>"),
  ...pairs("\u0131i\u0251a\u0261g\u026ai\u029cH\u0274N")
}

function pairs(text: string): Record<string, string> {
  const characters = [...text]
  return Object.fromEntries(characters.flatMap((one, at) => at % 2 === 0 ? [[one, characters[at + 1] ?? ""]] : []))
}

/** A full-width, mathematical, or enclosed form of an ASCII letter, digit, or sign. */
const compatible = (character: string): string | undefined => {
  if (character <= "\u00ff") return undefined
  const plain = character.normalize("NFKC")
  return plain.length === 1 && plain > " " && plain <= "~" ? plain : undefined
}

interface Facts {
  /** Why the character is hidden in any context. */
  readonly hidden: HiddenReason | undefined
  readonly like: string | undefined
  readonly mark: boolean
  readonly letter: boolean
  readonly latin: boolean
  /** The Latin letter that it resembles, and the index of its script; -1 for any other character. */
  readonly alike: string | undefined
  readonly script: number
}

const factsOf = (character: string): Facts => {
  const script = alikeByScript.findIndex(([is]) => is.test(character))
  return {
    hidden: bidi.test(character)
      ? "bidi"
      : control.test(character)
      ? "control"
      : invisible.test(character)
      ? "invisible"
      : unknown.test(character)
      ? "unknown"
      : undefined,
    like: alikeAlways[character] ?? compatible(character),
    mark: mark.test(character),
    letter: letter.test(character),
    latin: latin.test(character),
    alike: alikeByScript[script]?.[1][character],
    script
  }
}

/** A text has few different characters, so each is classified once. */
const known = new Map<string, Facts>()
const knownMax = 4096

const facts = (character: string): Facts => {
  let found = known.get(character)
  if (found === undefined) {
    if (known.size >= knownMax) known.clear()
    known.set(character, found = factsOf(character))
  }
  return found
}

export const codePointName = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`

const isAscii = (text: string): boolean => /^[\n\t -~]*$/.test(text)

/** The joined parts equal the text. */
export const revealedParts = (text: string): ReadonlyArray<TextPart> => {
  if (isAscii(text)) return text === "" ? [] : [{ kind: "plain", text }]
  const characters = [...text]
  const disguised = disguisedLetters(characters)
  const parts: Array<TextPart> = []
  let plain = ""
  let marks = 0
  for (const [at, character] of characters.entries()) {
    marks = facts(character).mark ? marks + 1 : 0
    const hidden = hiddenAt(characters, at, marks, disguised)
    if (hidden === undefined) {
      plain += character
      continue
    }
    if (plain !== "") parts.push({ kind: "plain", text: plain })
    plain = ""
    parts.push({ kind: "hidden", text: character, codePoint: codePointName(character), ...hidden })
  }
  if (plain !== "") parts.push({ kind: "plain", text: plain })
  return parts
}

/** Whether any part of it would be boxed. */
export const hidesSomething = (text: string): boolean => revealedParts(text).some((part) => part.kind === "hidden")

type Hidden = { readonly reason: HiddenReason; readonly like?: string }

const hiddenAt = (
  characters: ReadonlyArray<string>,
  at: number,
  marks: number,
  disguised: ReadonlyMap<number, string>
): Hidden | undefined => {
  const character = characters[at] ?? ""
  if (character >= " " && character <= "~") return undefined
  if (character === "\n" || character === "\t" || (character === "\r" && characters[at + 1] === "\n")) return undefined
  const { hidden, like: always } = facts(character)
  if (hidden === "invisible") return joinsPictographs(characters, at) ? undefined : { reason: hidden }
  if (hidden !== undefined) return { reason: hidden }
  if (marks > marksMax) return { reason: "unknown" }
  const like = disguised.get(at) ?? always
  return like === undefined ? undefined : { reason: "lookalike", like }
}

/** A joiner between two pictographs, or a variation selector after one, is part of the pictograph. */
const joinsPictographs = (characters: ReadonlyArray<string>, at: number): boolean => {
  const before = characters[at - 1] ?? ""
  const beforeIt = before === "\ufe0f" ? characters[at - 2] ?? "" : before
  if (characters[at] === "\ufe0f") {
    return pictograph.test(before) || (/^[0-9#*]$/.test(before) && characters[at + 1] === "\u20e3")
  }
  return characters[at] === "\u200d" && pictograph.test(beforeIt) && pictograph.test(characters[at + 1] ?? "")
}

/**
 * Letters that resemble Latin ones: in a word that also has Latin letters, or in a word of only such letters if the
 * text has Latin words and no other word of that script. A Russian sentence is left alone; `pаypal` and `раура` are
 * not.
 */
const disguisedLetters = (characters: ReadonlyArray<string>): ReadonlyMap<number, string> => {
  const words: Array<
    { readonly start: number; readonly end: number; readonly latin: boolean; readonly alike: boolean }
  > = []
  const genuine = new Set<number>()
  let anyLatin = false
  for (let start = 0; start < characters.length; start++) {
    if (!facts(characters[start] ?? "").letter) continue
    let end = start
    let hasLatin = false
    let allAlike = true
    const scripts = new Set<number>()
    for (; end < characters.length; end++) {
      const { letter, mark, latin, alike, script } = facts(characters[end] ?? "")
      if (!letter) break
      if (mark) continue
      hasLatin ||= latin
      if (alike !== undefined) continue
      allAlike = false
      if (!latin) scripts.add(script)
    }
    if (!hasLatin) { for (const script of scripts) genuine.add(script) }
    anyLatin ||= hasLatin
    words.push({ start, end, latin: hasLatin, alike: allAlike })
    start = end
  }
  const found = new Map<number, string>()
  for (const word of words) {
    if (!word.latin && !(word.alike && anyLatin)) continue
    for (let at = word.start; at < word.end; at++) {
      const { alike, script } = facts(characters[at] ?? "")
      if (alike !== undefined && (word.latin || !genuine.has(script))) found.set(at, alike)
    }
  }
  return found
}
