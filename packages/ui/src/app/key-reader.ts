/** Reads presses into sequences. Pure but for the sequence that is begun. */

export interface Press {
  readonly key: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
  readonly shiftKey: boolean
}

/** A sequence is given up after this rest. */
export const sequenceMillis = 1_200

const modifiers: ReadonlySet<string> = new Set(["Shift", "Control", "Alt", "Meta", "AltGraph", "CapsLock"])

/** `Mod+K`, `Shift+A`, `?`: characters that need Shift anyway are written as they come. */
export const pressText = ({ altKey, ctrlKey, key, metaKey, shiftKey }: Press, apple: boolean): string | undefined => {
  if (modifiers.has(key) || (apple ? ctrlKey : metaKey)) return undefined
  const isLetter = /^\p{L}$/u.test(key)
  const mod = apple ? metaKey : ctrlKey
  // AltGr writes characters: those come with both.
  if (altKey && !mod && key.length === 1 && !/^[a-z0-9]$/iu.test(key)) return key
  const named = key.length > 1 && key !== " "
  const shift = shiftKey && (isLetter || named) ? "Shift+" : ""
  const letter = key === " " ? "Space" : isLetter && (shift !== "" || mod) ? key.toUpperCase() : key
  return `${mod ? "Mod+" : ""}${altKey ? "Alt+" : ""}${shift}${letter}`
}

export interface KeyReader {
  /** The value bound to the sequence that this press ends; undefined while one is under way or none is bound. */
  readonly read: <V>(
    press: Press,
    bound: ReadonlyArray<readonly [keys: string, value: V]>,
    apple: boolean,
    atMillis: number,
    typing: boolean
  ) => V | undefined
}

export const makeKeyReader = (): KeyReader => {
  let begun = ""
  let begunAt = 0
  return {
    read: (press, bound, apple, atMillis, typing) => {
      const text = pressText(press, apple)
      if (text === undefined) return undefined
      // In a field only what needs Mod is ours; Escape leaves the field by itself.
      if (typing && !text.startsWith("Mod+")) {
        begun = ""
        return undefined
      }
      const before = begun !== "" && atMillis - begunAt <= sequenceMillis ? `${begun} ` : ""
      const said = before + text
      begun = ""
      // A wrong second key ends the chord and does nothing else, unless it cannot be part of one.
      const found = bound.find(([keys]) => keys === said || text.startsWith("Mod+") && keys === text)
      if (found !== undefined) return found[1]
      if (bound.some(([keys]) => keys.startsWith(`${said} `))) {
        begun = said
        begunAt = atMillis
      }
      return undefined
    }
  }
}
