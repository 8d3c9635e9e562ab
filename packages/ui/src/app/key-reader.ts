/** Turns key presses into sequences. Pure except for the pending sequence. */

export interface Press {
  readonly key: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
  readonly shiftKey: boolean
}

/** A pending sequence is dropped after this pause. */
export const sequenceMillis = 1_200

const modifiers: ReadonlySet<string> = new Set(["Shift", "Control", "Alt", "Meta", "AltGraph", "CapsLock"])

/** `Mod+K`, `Shift+A`, `?`. Characters that always need Shift are written without it. */
export const pressText = ({ altKey, ctrlKey, key, metaKey, shiftKey }: Press, apple: boolean): string | undefined => {
  if (modifiers.has(key) || (apple ? ctrlKey : metaKey)) return undefined
  const isLetter = /^\p{L}$/u.test(key)
  const mod = apple ? metaKey : ctrlKey
  // AltGr types characters; browsers report it as Ctrl and Alt.
  if (altKey && !mod && key.length === 1 && !/^[a-z0-9]$/iu.test(key)) return key
  const named = key.length > 1 && key !== " "
  const shift = shiftKey && (isLetter || named) ? "Shift+" : ""
  const letter = key === " " ? "Space" : isLetter && (shift !== "" || mod) ? key.toUpperCase() : key
  return `${mod ? "Mod+" : ""}${altKey ? "Alt+" : ""}${shift}${letter}`
}

export interface KeyReader {
  /** The value bound to the completed sequence; undefined while a sequence is pending or if none is bound. */
  readonly read: <V>(
    press: Press,
    bound: ReadonlyArray<readonly [keys: string, value: V]>,
    apple: boolean,
    atMillis: number,
    typing: boolean
  ) => V | undefined
}

export const makeKeyReader = (): KeyReader => {
  let pending = ""
  let pendingSince = 0
  return {
    read: (press, bound, apple, atMillis, typing) => {
      const text = pressText(press, apple)
      if (text === undefined) return undefined
      // In a field only shortcuts with Mod apply. The field handles Escape.
      if (typing && !text.startsWith("Mod+")) {
        pending = ""
        return undefined
      }
      const before = pending !== "" && atMillis - pendingSince <= sequenceMillis ? `${pending} ` : ""
      const keysSoFar = before + text
      pending = ""
      // A wrong second key ends the chord and does nothing else, unless it cannot be part of a chord.
      const found = bound.find(([keys]) => keys === keysSoFar || text.startsWith("Mod+") && keys === text)
      if (found !== undefined) return found[1]
      if (bound.some(([keys]) => keys.startsWith(`${keysSoFar} `))) {
        pending = keysSoFar
        pendingSince = atMillis
      }
      return undefined
    }
  }
}
