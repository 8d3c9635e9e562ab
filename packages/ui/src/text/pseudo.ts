/**
 * The pseudo-locale: English in other letters, a third longer, between brackets. Text on a screen that stays
 * plain English is hard-coded, and a layout that breaks has no room for German. `{name}` stays, so that phrases find their places.
 */

const plain = "abcdefghijklmnoprstuvwyzABCDEFGHIKLMNOPRSTUVWYZ"
const other = "åƀçđéƒĝĥîĵķļɱñöþŕšţûṽŵýžÅƁÇĐÉƑĜĤÎĶĻṀÑÖÞŔŠŢÛṼŴÝŽ"
const letters = new Map([...plain].map((letter, at) => [letter, [...other][at] ?? letter]))

export const pseudo = (text: string): string => {
  if (text === "") return text
  const written = text.split(/(\{\w+\})/u).map((part, at) =>
    at % 2 === 1 ? part : Array.from(part, (letter) => letters.get(letter) ?? letter).join("")
  ).join("")
  return `[${written}${"·".repeat(Math.ceil(text.length / 3))}]`
}

export const isPseudo = (text: string): boolean => text === "" || (text.startsWith("[") && text.endsWith("]"))
