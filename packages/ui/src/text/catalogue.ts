/**
 * All words of the console. A feature's texts are one module, `text/<feature>.ts`:
 * `defineText({ title: "Audit", count: (n: number) => plural(n, { one: "# entry", other: "# entries" }) })`. Sentences
 * are whole: never glued of parts. Nodes within a sentence: `<Phrase text={t.sentence} agent={<b>…</b>} />` over
 * `"{agent} wants to call {operation}"`.
 */
import { createElement, Fragment, type ReactNode } from "react"
import { pseudo } from "./pseudo.ts"

export type Locale = "en" | "pseudo"

const localeKey = "countersign.locale"

/**
 * `?locale=pseudo` once, then it is kept; `?locale=en` ends it. For tests and for looking: there is one language. It is
 * read once, when the page loads.
 */
const readLocale = (): Locale => {
  // Tests read texts without a page.
  if (typeof location === "undefined") return "en"
  const asked = new URLSearchParams(location.search).get("locale")
  try {
    if (asked === "pseudo" || asked === "en") localStorage.setItem(localeKey, asked)
    return (asked ?? localStorage.getItem(localeKey)) === "pseudo" ? "pseudo" : "en"
  } catch {
    return asked === "pseudo" ? "pseudo" : "en"
  }
}

const locale = readLocale()

export type Message = string | ((...args: never) => string)
export interface Messages {
  readonly [name: string]: Message | Messages
}

/** Every catalogue that was loaded, for the test that walks them. */
const defined = new Set<Messages>()
export const definedTexts: ReadonlySet<Messages> = defined

/** The catalogue in the locale of the page. */
export const defineText = <const T extends Messages>(messages: T): T => {
  defined.add(messages)
  return textIn(locale, messages)
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

const translated = (messages: Messages): Messages =>
  Object.fromEntries(
    Object.entries(messages).map(([name, message]) => [
      name,
      typeof message === "string"
        ? pseudo(message)
        : typeof message === "function"
        ? (...args: ReadonlyArray<never>) => pseudo((message as (...args: ReadonlyArray<never>) => string)(...args))
        : translated(message)
    ])
  )

export const textIn = <T extends Messages>(locale: Locale, messages: T): T =>
  locale === "pseudo" ? translated(messages) as T : messages

/** A sentence with nodes in it: `{agent}` in the text is the prop `agent`. */
export const Phrase = (
  { text, ...nodes }: { readonly text: string; readonly [place: string]: ReactNode }
): ReactNode =>
  text.split(/\{(\w+)\}/u).map((part, at) => createElement(Fragment, { key: at }, at % 2 === 1 ? nodes[part] : part))
