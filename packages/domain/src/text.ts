/** Text for people: bounded, and without characters that could hide or forge it. */
import { Schema } from "effect"
import { matching } from "./pattern.ts"

/** The text with a full stop, unless it already ends a sentence. */
export const asSentence = (text: string): string => /[.?!]$/u.test(text) ? text : `${text}.`

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/**
 * Control characters, as a range of a pattern's class: `\p{Cc}` breaks client generators whose patterns have no Unicode
 * properties.
 */
export const controlRange = String.raw`\u0000-\u001f\u007f-\u009f`

const linePattern = new RegExp(String.raw`^[^${controlRange}\u2028\u2029]*$`, "u")
/** Allows only tab, line feed, and carriage return among the control characters. */
const prosePattern = new RegExp(String.raw`^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]*$`, "u")
/** Embeddings, overrides, and isolates: they change how the text reads. */
const directionPattern = /^[^\u202a-\u202e\u2066-\u2069]*$/u

/** Scripts whose words need joiners: Arabic, Indic, and related scripts. */
const joiningScripts = [
  "Arab",
  "Syrc",
  "Mong",
  "Nkoo",
  "Deva",
  "Beng",
  "Guru",
  "Gujr",
  "Orya",
  "Taml",
  "Telu",
  "Knda",
  "Mlym",
  "Sinh",
  "Tibt",
  "Mymr",
  "Khmr"
]
const joined = String.raw`[${
  joiningScripts.map((script) => String.raw`\p{Script=${script}}`).join("")
}\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F]`
/** A joiner where a script or an emoji uses one, and one variation selector after a visible character. */
const shaping = new RegExp(
  String
    .raw`(?<=${joined})[\u200C\u200D](?=[\p{L}\p{Extended_Pictographic}])|(?<=[\p{L}\p{N}\p{P}\p{S}])\p{Variation_Selector}`,
  "gu"
)
const invisible = /[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/u
/** The blank of Braille counts as a symbol. */
const visible = /(?!\u2800)[\p{L}\p{N}\p{P}\p{S}]/u

/** Characters that show nothing or change the direction of text, except where a script or an emoji uses them. */
export const hasInvisible = (text: string): boolean => invisible.test(text.replace(shaping, ""))

/** Why readers cannot see a name correctly: it is blank, has invisible characters, or changes the direction of text. */
const nameProblem = (text: string): string | undefined => {
  if (hasInvisible(text)) return "expected text without invisible characters or direction marks"
  return visible.test(text) ? undefined : "expected at least one visible character"
}

/**
 * One line, such as a name: not blank, no blank ends, no invisible characters. Control characters, line and paragraph
 * separators, and bidirectional overrides are refused. Two names that look alike may still differ in letters of other
 * scripts.
 */
export const Label = (maximum: number) =>
  Schema.String.check(
    Schema.isNonEmpty(),
    Schema.isMaxLength(maximum),
    matching(linePattern, "text in one line, without control characters"),
    matching(directionPattern, "text without bidirectional overrides"),
    Schema.makeFilter((text: string) =>
      text.trim() === text && text.isWellFormed()
        ? nameProblem(text)
        : "expected no blanks at the ends, and well-formed text"
    )
  )

/** Several lines. */
export const Prose = (maximum: number) =>
  Schema.String.check(
    Schema.isMaxLength(maximum),
    matching(prosePattern, "text without control characters other than line breaks"),
    matching(directionPattern, "text without bidirectional overrides"),
    Schema.makeFilter((text: string) => text.isWellFormed() ? undefined : "expected well-formed text")
  )
