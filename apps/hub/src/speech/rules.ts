/** Texts for the built-in voices, and the WAV that their parts become. Pure. Spec: reference/speech.md "Built-in voices". */

/** The engine's memory grows with the length of a text. */
export const partLengthMax = 1_000
export const sampleRate = 16_000
const headerBytes = 44
/** Between two parts. */
const pauseSamples = sampleRate / 5

const symbols: Readonly<Record<string, string>> = {
  "&": " and ",
  "%": " percent ",
  "@": " at ",
  "+": " plus ",
  "=": " equals ",
  "°": " degrees ",
  "#": " number ",
  "~": " about "
}

const currencies: Readonly<Record<string, readonly [one: string, many: string, part: string]>> = {
  "$": ["dollar", "dollars", "cents"],
  "€": ["euro", "euros", "cents"],
  "£": ["pound", "pounds", "pence"]
}

const months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December"
]

const amountWords = (_whole: string, sign: string, units: string, parts: string | undefined): string => {
  const [one, many, part] = currencies[sign]!
  const plain = units.replaceAll(",", "")
  const cents = Number((parts ?? "0").padEnd(2, "0"))
  return ` ${plain} ${plain === "1" ? one : many}${cents === 0 ? "" : ` and ${cents} ${part}`} `
}

const dateWords = (whole: string, year: string, month: string, day: string): string => {
  const name = months[Number(month) - 1]
  return name === undefined ? whole : ` ${name} ${Number(day)}, ${year} `
}

/** What is read aloud: without markup and symbols, with amounts and dates in words. */
export const spoken = (text: string): string =>
  text
    .replace(/```[\s\S]*?(?:```|$)/gu, " (code) ")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/gu, "$1")
    .replace(/https?:\/\/\S+/gu, " (link) ")
    .replace(/<[^>]{1,200}>/gu, " ")
    .replace(/^\s{0,3}(?:#{1,6}|>|[-*+]|\d+[.)])\s+/gmu, "")
    .replace(/[*_`|\\]/gu, " ")
    .replace(/([$€£])\s?(\d[\d,]*)(?:\.(\d{1,2}))?(?!\d)/gu, amountWords)
    .replace(/\b(\d{4})-(\d{2})-(\d{2})\b/gu, dateWords)
    .replace(/(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\u200d|\ufe0f)/gu, " ")
    .replace(/[&%@+=°#~]/gu, (symbol) => symbols[symbol] ?? " ")
    .replace(/[“”„«»]/gu, "\"")
    .replace(/[‘’]/gu, "'")
    .replace(/[–—]/gu, ", ")
    .replace(/…/gu, "...")
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/ł/gu, "l")
    .replace(/Ł/gu, "L")
    .replace(/ß/gu, "ss")
    .replace(/[^\x20-\x7e\n]/gu, " ")
    .replace(/[ \t]+/gu, " ")
    .replace(/ ?\n ?/gu, "\n")
    .replace(/ (?=[,.;:!?])/gu, "")
    .trim()

/** Shares of all letters above which a text is not English: of other scripts, and of letters with accents. */
const otherScriptMax = 0.2
const accentsMax = 0.1
/** Names in a short English text may have this many accents. */
const accentsMin = 6

/** Whether the English voices cannot read it: another script, or many letters that English does not have. */
export const isForeign = (text: string): boolean => {
  const letters = text.match(/\p{L}/gu) ?? []
  const other = letters.filter((letter) => !/\p{Script=Latin}/u.test(letter)).length
  const accents = letters.filter((letter) => /\p{Script=Latin}/u.test(letter) && !/[A-Za-z]/u.test(letter)).length
  return other > letters.length * otherScriptMax || (accents >= accentsMin && accents > letters.length * accentsMax)
}

/** Made at its first use: it reads the rules of the language, a hundredth of a start. */
let segmenter: Intl.Segmenter | undefined
const sentencesOf = (text: string): Intl.Segments =>
  (segmenter ??= new Intl.Segmenter("en", { granularity: "sentence" })).segment(text)

/** Whole sentences together, as far as they fit; a longer one is parted between words. */
export const partsOf = (text: string, lengthMax = partLengthMax): ReadonlyArray<string> => {
  const parts: Array<string> = []
  const add = (piece: string): void => {
    const last = parts.at(-1)
    if (last !== undefined && last.length + piece.length + 1 <= lengthMax) parts[parts.length - 1] = `${last} ${piece}`
    else parts.push(piece)
  }
  for (const { segment } of sentencesOf(text)) {
    const sentence = segment.trim()
    if (sentence.length <= lengthMax) {
      if (sentence !== "") add(sentence)
      continue
    }
    for (let rest = sentence; rest !== "";) {
      const at = rest.length <= lengthMax ? rest.length : rest.lastIndexOf(" ", lengthMax)
      const piece = rest.slice(0, at <= 0 ? lengthMax : at).trim()
      rest = rest.slice(at <= 0 ? lengthMax : at).trim()
      if (piece !== "") add(piece)
    }
  }
  return parts
}

/** The samples of a WAV of 16 bits, mono. */
const samplesOf = (wav: Uint8Array): Uint8Array => {
  const view = new DataView(wav.buffer, wav.byteOffset, wav.byteLength)
  for (let at = 12; at + 8 <= wav.length;) {
    const id = String.fromCharCode(...wav.subarray(at, at + 4))
    const size = view.getUint32(at + 4, true)
    if (id === "data") return wav.subarray(at + 8, Math.min(at + 8 + size, wav.length))
    at += 8 + size + size % 2
  }
  return new Uint8Array()
}

const rateOf = (wav: Uint8Array): number =>
  wav.length < headerBytes ? sampleRate : new DataView(wav.buffer, wav.byteOffset).getUint32(24, true)

/** One WAV of several, with a short pause between them. They have the same rate. */
export const joinedWav = (wavs: ReadonlyArray<Uint8Array>): Uint8Array => {
  const pause = new Uint8Array(pauseSamples * 2)
  const parts = wavs.flatMap((wav, at) => at === 0 ? [samplesOf(wav)] : [pause, samplesOf(wav)])
  const size = parts.reduce((sum, part) => sum + part.length, 0)
  const rate = wavs[0] === undefined ? sampleRate : rateOf(wavs[0])
  const out = new Uint8Array(headerBytes + size)
  const view = new DataView(out.buffer)
  const write = (at: number, text: string) => out.set(new TextEncoder().encode(text), at)
  write(0, "RIFF")
  view.setUint32(4, headerBytes - 8 + size, true)
  write(8, "WAVEfmt ")
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, 1, true)
  view.setUint32(24, rate, true)
  view.setUint32(28, rate * 2, true)
  view.setUint16(32, 2, true)
  view.setUint16(34, 16, true)
  write(36, "data")
  view.setUint32(40, size, true)
  let at = headerBytes
  for (const part of parts) {
    out.set(part, at)
    at += part.length
  }
  return out
}

/** Whether an answer of a provider is a WAV. */
export const isWav = (bytes: Uint8Array): boolean =>
  bytes.length > headerBytes && String.fromCharCode(...bytes.subarray(0, 4)) === "RIFF" &&
  String.fromCharCode(...bytes.subarray(8, 12)) === "WAVE"
