/**
 * All words of the console. A feature's texts are one module, `text/<feature>.ts`:
 * `defineText({ title: "Audit", count: (n: number) => plural(n, { one: "# entry", other: "# entries" }) })`, read in a
 * component by `useText(auditText)`. Sentences are whole: never glued of parts. Nodes within a sentence:
 * `<Phrase text={t.sentence} agent={<b>…</b>} />` over `"{agent} wants to call {operation}"`.
 */
import { createContext, useContext } from "react"
import { pseudo } from "./pseudo.ts"

export type Locale = "en" | "pseudo"

export type Message = string | ((...args: never) => string)
export interface Messages {
  readonly [name: string]: Message | Messages
}

/** Every catalogue that was loaded, for the test that walks them. */
const defined = new Set<Messages>()
export const definedTexts: ReadonlySet<Messages> = defined

export const defineText = <const T extends Messages>(messages: T): T => {
  defined.add(messages)
  return messages
}

const rules = new Intl.PluralRules("en")
const figures = new Intl.NumberFormat("en-US")

/** `#` is replaced with the number, grouped. */
export const plural = (
  count: number,
  forms: { readonly [K in Intl.LDMLPluralRule]?: string } & { readonly other: string }
): string => (forms[rules.select(count)] ?? forms.other).replace("#", figures.format(count))

/** `1,204`. */
export const figure = (count: number): string => figures.format(count)

const pseudoTexts = new WeakMap<Messages, Messages>()

const translated = (messages: Messages): Messages => {
  const known = pseudoTexts.get(messages)
  if (known !== undefined) return known
  const made = Object.fromEntries(
    Object.entries(messages).map(([name, message]) => [
      name,
      typeof message === "string"
        ? pseudo(message)
        : typeof message === "function"
        ? (...args: ReadonlyArray<never>) => pseudo((message as (...args: ReadonlyArray<never>) => string)(...args))
        : translated(message)
    ])
  )
  pseudoTexts.set(messages, made)
  return made
}

/**
 * The catalogue in a locale. Outside of components (document titles, live regions) with the locale of
 * `currentLocale()`.
 */
export const textIn = <T extends Messages>(locale: Locale, messages: T): T =>
  locale === "pseudo" ? translated(messages) as T : messages

export const LocaleContext = createContext<Locale>("en")
export const useText = <T extends Messages>(messages: T): T => textIn(useContext(LocaleContext), messages)

const localeKey = "countersign.locale"

/** `?locale=pseudo` once, then it is kept; `?locale=en` ends it. For tests and for looking: there is one language. */
export const currentLocale = (): Locale => {
  const asked = new URLSearchParams(location.search).get("locale")
  try {
    if (asked === "pseudo" || asked === "en") localStorage.setItem(localeKey, asked)
    return (asked ?? localStorage.getItem(localeKey)) === "pseudo" ? "pseudo" : "en"
  } catch {
    return asked === "pseudo" ? "pseudo" : "en"
  }
}
