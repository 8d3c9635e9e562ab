/**
 * Terminal colors in a stream's text. Styles that would hide text (concealed, a color on the same color) are ignored,
 * cursor control sequences are removed, and any other control character stays in the text and is boxed in the view.
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

/**
 * The end of a chunk that may be cut: a line break or an escape sequence. At most this many characters are held back
 * until the rest arrives.
 */
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

/** The part after the `[` of a sequence that sets colors. */
const setsLook = /^[\d;]*m/u

/** Sixths of the color wheel, from red. */
const round = ["red", "yellow", "green", "cyan", "blue", "magenta"] as const

/** The nearest of our hues; undefined for a gray. */
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

/** For the 256-color table: the cube of 216 colors; the grays after it have no hue. */
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

/** Anser has already swapped the foreground and background of inverted text. */
const lookOf = ({ bg, bg_truecolor, decorations, fg, fg_truecolor }: Anser.AnserJsonEntry): Look | undefined => {
  const has = (name: Anser.DecorationName) => decorations.includes(name)
  const ground = groundIn(bg, bg_truecolor)
  // Text on a colored background may be unreadable, so it keeps the page's own color.
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
  /** The pieces of the next text; colors carry over from one call to the next. */
  readonly read: (text: string) => ReadonlyArray<Piece>
  /** Text that was held back for an escape sequence that never ended. */
  readonly end: () => ReadonlyArray<Piece>
}

export const makeAnsiReader = (): AnsiReader => {
  const anser = new Anser()
  let held = ""
  /** The look set by the last sequence; it applies to plain text that follows. */
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
