import { makeKeyReader, type Press, pressText, sequenceMillis } from "@countersign/ui/app/key-reader"
import { boundKeys, conflicts, isSequence, keyCaps, keyNames } from "@countersign/ui/app/keymap"
import { keyText } from "@countersign/ui/text/keys"
import { describe, expect, test } from "vitest"

const press = (key: string, held: Partial<Press> = {}): Press => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...held
})
const bound = [["g i", "inbox"], ["g r", "requests"], ["a", "approve"], ["Shift+A", "batch"], ["?", "list"], [
  "Mod+K",
  "palette"
]] as const

/** The results of key presses, 100 ms apart by default. */
const pressed = (presses: ReadonlyArray<readonly [Press, atMillis?: number, typing?: boolean]>, apple = false) => {
  const reader = makeKeyReader()
  return presses.map(([each, at], index) =>
    reader.read(each, bound, apple, at ?? index * 100, presses[index]?.[2] ?? false)
  )
}

describe("key sequences", () => {
  test("reads sequences, single keys, Shift, and the platform's modifier", () => {
    expect(
      pressed([[press("g")], [press("i")], [press("a")], [press("A", { shiftKey: true })], [
        press("?", { shiftKey: true })
      ]])
    )
      .toEqual([undefined, "inbox", "approve", "batch", "list"])
    expect(pressed([[press("k", { ctrlKey: true })]])).toEqual(["palette"])
    expect(pressed([[press("k", { metaKey: true })]], true)).toEqual(["palette"])
    expect(pressed([[press("k", { metaKey: true })]])).toEqual([undefined])
  })

  test("starts a new sequence after a pause", () => {
    expect(pressed([[press("g"), 0], [press("a"), sequenceMillis + 1]])).toEqual([undefined, "approve"])
    expect(pressed([[press("g"), 0], [press("r"), sequenceMillis + 1]])).toEqual([undefined, undefined])
  })

  test("ends a chord at a wrong second key, which does nothing else, and ignores Shift in between", () => {
    expect(pressed([[press("g")], [press("x")], [press("i")]])).toEqual([undefined, undefined, undefined])
    expect(pressed([[press("g")], [press("a")]])).toEqual([undefined, undefined])
    expect(pressed([[press("g")], [press("k", { ctrlKey: true })]])).toEqual([undefined, "palette"])
    expect(pressed([[press("g")], [press("Shift", { shiftKey: true })], [press("i")]])).toEqual([
      undefined,
      undefined,
      "inbox"
    ])
  })

  test("in a field reads only shortcuts with the platform's modifier", () => {
    expect(pressed([[press("a"), 0, true], [press("g"), 10, true], [press("i"), 20, false]])).toEqual([
      undefined,
      undefined,
      undefined
    ])
    expect(pressed([[press("k", { ctrlKey: true }), 0, true]])).toEqual(["palette"])
  })

  test("leaves Ctrl with a letter to the browser unless it is bound", () =>
    expect(pressed([[press("a", { ctrlKey: true })]])).toEqual([undefined]))

  test("writes keys as they are pressed", () => {
    expect(pressText(press("Enter", { shiftKey: true }), false)).toBe("Shift+Enter")
    expect(pressText(press(" "), false)).toBe("Space")
    expect(pressText(press("@", { altKey: true, ctrlKey: false }), false)).toBe("@")
    expect(pressText(press("Control", { ctrlKey: true }), false)).toBeUndefined()
  })
})

describe("keymap", () => {
  const usual = { singleOff: false, changed: {} }

  test("binds no two actions to the same keys or to the start of another sequence", () => {
    for (const name of keyNames) expect(conflicts(name, boundKeys(name, usual) ?? "", usual), name).toEqual([])
  })

  test("has only valid sequences, each with its text", () => {
    for (const name of keyNames) expect(isSequence(boundKeys(name, usual) ?? ""), name).toBe(true)
    expect(Object.keys(keyText.names).sort()).toEqual([...keyNames].sort())
    for (const wrong of ["", " ", "g  i", "g i ", "a b c d", "Mod+", "Foo+K"]) {
      expect(isSequence(wrong), wrong).toBe(false)
    }
  })

  test("keeps shortcuts beyond single characters when single keys are off", () => {
    const off = { singleOff: true, changed: {} }
    const left = keyNames.filter((name) => boundKeys(name, off) !== undefined)
    expect(left).toEqual(["list.open", "everywhere.back", "everywhere.palette"])
  })

  test("reports the shortcuts that a changed key conflicts with", () => {
    expect(conflicts("decide.reject", "Shift+A", usual)).toEqual(["decide.approve"])
    expect(conflicts("decide.reject", "g", usual)).toContain("go.inbox")
    expect(boundKeys("decide.reject", { singleOff: false, changed: { "decide.reject": "d" } })).toBe("d")
  })

  test("renders as key caps", () => {
    expect(keyCaps("Mod+K", false)).toEqual(["Ctrl", "K"])
    expect(keyCaps("Mod+K", true)).toEqual(["⌘", "K"])
    expect(keyCaps("g i", false)).toEqual(["g", "i"])
    expect(keyCaps(undefined, false)).toBeUndefined()
  })
})
