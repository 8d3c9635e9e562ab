/**
 * Colours of a terminal in a stream's text. What would hide text (concealed, a colour on the same colour) is not followed, what
 * moves the cursor is left out, any other control character stays in the text and is boxed where it is drawn.
 */
import Anser from "anser"

export const hues = ["red", "yellow", "green", "cyan", "blue", "magenta", "faint"] as const
export type Hue = (typeof hues)[number]

export interface Look {
  readonly ink?: Hue
  readonly ground?: Hue
  readonly strong?: true
  readonly slanted?: true
  readonly under?: true
  readonly struck?: true
}

export interface Piece {
  readonly text: string
  readonly look: Look | undefined
}

/** What a chunk may have cut in two: a line break, an escape sequence. At most so many characters are held back for its end. */
// oxlint-disable-next-line no-control-regex -- escape sequences begin with one
const openEscape = /(?:\r|\u001b(?:\[[ -?]{0,64})?)$/u

const byClass: Readonly<Record<string, Hue>> = {
  "ansi-red": "red",
  "ansi-yellow": "yellow",
  "ansi-green": "green",
  "ansi-cyan": "cyan",
  "ansi-blue": "blue",
  "ansi-magenta": "magenta",
  "ansi-bright-red": "red",
  "ansi-bright-yellow": "yellow",
  "ansi-bright-green": "green",
  "ansi-bright-cyan": "cyan",
  "ansi-bright-blue": "blue",
  "ansi-bright-magenta": "magenta",
  "ansi-bright-black": "faint"
}

/** What stands behind the `[` of a sequence that sets colours. */
const setsLook = /^[\d;]*m/u

/** Sixths of the colour circle, from red on. */
const round = ["red", "yellow", "green", "cyan", "blue", "magenta"] as const

/** The one of our hues that a colour is nearest to; a grey is none. */
export const hueOf = (red: number, green: number, blue: number): Hue | undefined => {
  const most = Math.max(red, green, blue)
  const spread = most - Math.min(red, green, blue)
  if (spread < 40) return undefined
  const sixth = most === red
    ? (green - blue) / spread
    : most === green
    ? 2 + (blue - red) / spread
    : 4 + (red - green) / spread
  return round[(Math.round(sixth) + 6) % 6]
}

const levels = [0, 95, 135, 175, 215, 255] as const

/** Of the table of 256: the cube of 216 colours; the greys after it are none. */
const paletteHue = (index: number): Hue | undefined => {
  const at = index - 16
  if (at < 0 || at >= 216) return undefined
  return hueOf(levels[Math.floor(at / 36)] ?? 0, levels[Math.floor(at / 6) % 6] ?? 0, levels[at % 6] ?? 0)
}

const hueIn = (name: string | null, truecolor: string | null): Hue | undefined => {
  if (name === null) return undefined
  if (name === "ansi-truecolor") {
    const [red = 0, green = 0, blue = 0] = (truecolor ?? "").split(",").map(Number)
    return hueOf(red, green, blue)
  }
  const index = /^ansi-palette-(\d+)$/u.exec(name)?.[1]
  return index === undefined ? byClass[name] : paletteHue(Number(index))
}

const groundIn = (name: string | null, truecolor: string | null): Hue | undefined =>
  name === "ansi-white" || name === "ansi-bright-white" ? "faint" : hueIn(name, truecolor)

/** Anser has turned front and back already where they are to be. */
const lookOf = ({ bg, bg_truecolor, decorations, fg, fg_truecolor }: Anser.AnserJsonEntry): Look | undefined => {
  const has = (name: Anser.DecorationName) => decorations.includes(name)
  const ground = groundIn(bg, bg_truecolor)
  // A colour on a colour may not be read: there the text has the page's own.
  const ink = ground !== undefined
    ? undefined
    : (hueIn(fg, fg_truecolor) ?? (has("dim") ? ("faint" as const) : undefined))
  const look: Look = {
    ...(ink === undefined ? {} : { ink }),
    ...(ground === undefined ? {} : { ground }),
    ...(has("bold") ? { strong: true } : {}),
    ...(has("italic") ? { slanted: true } : {}),
    ...(has("underline") ? { under: true } : {}),
    ...(has("strikethrough") ? { struck: true } : {})
  }
  return Object.keys(look).length === 0 ? undefined : look
}

export interface AnsiReader {
  /** The pieces of the next text of a stream; the colours that are set go on from one to the next. */
  readonly read: (text: string) => ReadonlyArray<Piece>
  /** What was held back for the end of a sequence that never came. */
  readonly end: () => ReadonlyArray<Piece>
}

export const makeAnsiReader = (): AnsiReader => {
  const anser = new Anser()
  let held = ""
  /** Of the last sequence: plain text without one is taken as it is. */
  let standing: Look | undefined
  const plain = (text: string): ReadonlyArray<Piece> => (text === "" ? [] : [{ text, look: standing }])
  return {
    read: (text) => {
      const whole = held + text
      held = openEscape.exec(whole)?.[0] ?? ""
      const now = held === "" ? whole : whole.slice(0, -held.length)
      const [first = "", ...after] = now.split("\u001b[")
      const pieces = [...plain(first)]
      for (const part of after) {
        const entry = anser.processChunk(part, { json: true, use_classes: true }, true)
        if (setsLook.test(part)) standing = lookOf(entry)
        pieces.push(...plain(entry.content))
      }
      return pieces
    },
    end: () => {
      const rest = held
      held = ""
      return plain(rest)
    }
  }
}
