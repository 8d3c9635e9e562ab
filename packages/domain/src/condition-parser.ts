/**
 * Parses the text of a condition into its form: the part of CEL that `condition-builder.ts` writes, with any spaces and
 * quotes.
 */
import {
  type Condition,
  type ConditionField,
  isHas,
  isPresence,
  type Operator,
  type RequestField,
  type Scalar,
  type Test
} from "./condition-form.ts"

/** The reason, in one sentence, why a text cannot be shown as a form. */
export class ConditionRefusal extends Error {}
const refuse = (message: string): never => {
  throw new ConditionRefusal(message)
}

type Token =
  | { readonly kind: "name" | "symbol" | "end"; readonly text: string }
  | { readonly kind: "string"; readonly text: string }
  | { readonly kind: "number"; readonly text: string; readonly value: number }

const unreadable = "The form cannot show this expression."
const nested = "The form cannot show nested groups."
const mixed = "The form cannot show && and || in one condition."
const calculated = "The form compares fields with fixed values only."

const escaped: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  "?": "?",
  "\"": "\"",
  "'": "'",
  "`": "`"
}
const digitsOfEscape: Readonly<Record<string, number>> = { x: 2, X: 2, u: 4, U: 8 }

/** The text of a literal that begins at `at`, and its end. Reads every escape of CEL. */
const readText = (source: string, at: number): readonly [text: string, end: number] => {
  const quote = source.charAt(at)
  if (source.startsWith(quote.repeat(3), at)) return refuse(unreadable)
  let text = ""
  let i = at + 1
  while (source.charAt(i) !== quote) {
    const character = source.charAt(i)
    if (character === "" || character === "\n" || character === "\r") return refuse(unreadable)
    if (character !== "\\") {
      text += character
      i += 1
      continue
    }
    const letter = source.charAt(i + 1)
    const count = digitsOfEscape[letter]
    const octal = /^[0-3][0-7]{2}/u.exec(source.slice(i + 1, i + 4))?.[0]
    if (count !== undefined) {
      const digits = source.slice(i + 2, i + 2 + count)
      const code = /^[0-9a-fA-F]+$/u.test(digits) && digits.length === count ? Number.parseInt(digits, 16) : Infinity
      if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return refuse(unreadable)
      text += String.fromCodePoint(code)
      i += 2 + count
    } else if (octal !== undefined) {
      text += String.fromCodePoint(Number.parseInt(octal, 8))
      i += 4
    } else {
      text += escaped[letter] ?? refuse(unreadable)
      i += 2
    }
  }
  return [text, i + 1]
}

const tokensOf = (source: string): ReadonlyArray<Token> => {
  const tokens: Array<Token> = []
  let i = 0
  while (i < source.length) {
    const rest = source.slice(i)
    const space = /^[ \t\n\r\f]+/u.exec(rest)?.[0]
    const number = /^(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\d+)(?![\w.])/u.exec(rest)?.[0]
    const name = /^[A-Za-z_][A-Za-z0-9_]*/u.exec(rest)?.[0]
    const symbol = /^(?:&&|\|\||==|!=|<=|>=|[<>!()[\].,{}-])/u.exec(rest)?.[0]
    if (space !== undefined) i += space.length
    else if (rest.startsWith("\"") || rest.startsWith("'")) {
      const [text, end] = readText(source, i)
      tokens.push({ kind: "string", text })
      i = end
    } else if (number !== undefined) {
      tokens.push({ kind: "number", text: number, value: Number(number) })
      i += number.length
    } else if (name !== undefined) {
      tokens.push({ kind: "name", text: name })
      i += name.length
    } else if (symbol !== undefined) {
      tokens.push({ kind: "symbol", text: symbol })
      i += symbol.length
    } else return refuse(/^[+*/%?:]/u.test(rest) ? calculated : unreadable)
  }
  return [...tokens, { kind: "end", text: "" }]
}

const same = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): boolean =>
  one.length === other.length && one.every((name, at) => name === other[at])

/** Whether these tests are the guards of a path: each object on the path has the next member. */
const guard = (path: ReadonlyArray<string>, tests: ReadonlyArray<Test>): boolean =>
  tests.length === path.length &&
  tests.every((test, at) =>
    test.operator === "present" && !test.field.optional && same(test.field.path, path.slice(0, at + 1))
  )

/** Tests joined by && in parentheses: a test with its guards, which the form shows as one. */
const joined = (tests: ReadonlyArray<Test>): Test => {
  const last = tests.at(-1)
  if (last === undefined || last.field.kind !== "payload" || last.field.optional) return refuse(nested)
  const optional = { ...last.field, optional: true }
  if (last.operator === "present" && guard(last.field.path, tests)) return { field: optional, operator: "present" }
  return !isPresence(last) && guard(last.field.path, tests.slice(0, -1))
    ? { ...last, field: optional } as Test
    : refuse(nested)
}

export const parseCondition = (source: string): Condition => {
  const tokens = tokensOf(source)
  let at = 0
  const peek = (ahead = 0): Token => tokens[Math.min(at + ahead, tokens.length - 1)]!
  const is = (text: string, ahead = 0): boolean =>
    peek(ahead).text === text && ["symbol", "name"].includes(peek(ahead).kind)
  const take = (text: string): boolean => {
    if (!is(text)) return false
    at += 1
    return true
  }
  const need = (text: string): void => {
    if (!take(text)) refuse(is("(") ? nested : unreadable)
  }

  const scalar = (): Scalar => {
    const isNegative = take("-")
    const token = peek()
    at += 1
    if (token.kind === "number") {
      const isExact = /^\d+$/u.test(token.text) ? Number.isSafeInteger(token.value) : Number.isFinite(token.value)
      if (!isExact) return refuse("The form cannot show a number this large.")
      return isNegative && token.value !== 0 ? -token.value : token.value
    }
    if (isNegative) return refuse(calculated)
    if (token.kind === "string") return token.text
    if (token.kind === "name" && (token.text === "true" || token.text === "false")) return token.text === "true"
    return refuse(calculated)
  }

  const list = (): ReadonlyArray<string> | ReadonlyArray<number> => {
    need("[")
    const values: Array<Scalar> = []
    if (!take("]")) {
      do values.push(scalar())
      while (take(","))
      need("]")
    }
    if (values.every((value) => typeof value === "string") || values.every((value) => typeof value === "number")) {
      return values
    }
    return refuse("The form can show only lists of texts or of numbers.")
  }

  const path = (): ReadonlyArray<string> => {
    const names: Array<string> = []
    for (;;) {
      const isTest = is(".") && is("(", 2)
      if (is(".") && peek(1).kind === "name" && !isTest) {
        names.push(peek(1).text)
        at += 2
      } else if (is("[") && peek(1).kind === "string" && is("]", 2)) {
        names.push(peek(1).text)
        at += 3
      } else return names
    }
  }

  /** `name.name…` with the empty call of a time's part, or a path in the payload. */
  const field = (): ConditionField => {
    if (is("payload")) {
      at += 1
      const names = path()
      return names.length === 0
        ? refuse("The form compares fields of the payload, not the payload as a whole.")
        : { kind: "payload", path: names, optional: false }
    }
    for (
      const name of [
        "agent.id",
        "agent.name",
        "agent.team_id",
        "time.getHours()",
        "time.getDayOfWeek()",
        "service",
        "operation",
        "ceiling_cents"
      ] satisfies ReadonlyArray<RequestField>
    ) {
      const parts = name.split(/(?<=[.()])|(?=[.()])/u)
      if (parts.every((part, ahead) => is(part, ahead))) {
        at += parts.length
        return { kind: "request", name }
      }
    }
    return refuse(peek().kind === "name" ? `The form has no field ${peek().text}.` : unreadable)
  }

  const presence = (): Test | undefined => {
    if (peek().kind === "string" && is("in", 1) && is("payload", 2)) {
      const name = peek().text
      at += 3
      const holder = path()
      // On a list it searches for an item, which `has` does not.
      if (holder.length > 0 && isHas([...holder, name])) return refuse("The form cannot show a search in a list.")
      return { field: { kind: "payload", path: [...holder, name], optional: false }, operator: "present" }
    }
    if (!is("has") || !is("(", 1)) return undefined
    at += 2
    const tested = field()
    need(")")
    return tested.kind === "payload" ? { field: tested, operator: "present" } : refuse(unreadable)
  }

  const comparison = (): Test => {
    const tested = field()
    const isNumber = tested.kind === "payload" ||
      ["ceiling_cents", "time.getHours()", "time.getDayOfWeek()"].includes(tested.name)
    const fits = (value: Scalar): boolean =>
      tested.kind === "payload" || typeof value === (isNumber ? "number" : "string")
    const operator = peek().text as Operator
    if (take("==") || take("!=")) {
      const value = scalar()
      return fits(value) ? { field: tested, operator, value } as Test : refuse(calculated)
    }
    if (take("<=") || take(">=") || take("<") || take(">")) {
      const value = scalar()
      return isNumber && typeof value === "number"
        ? { field: tested, operator, value } as Test
        : refuse("The form compares only numbers by size.")
    }
    if (take("in")) {
      const value = list()
      // In CEL, `in` finds whole numbers only in a list of whole numbers, and never finds `ceiling_cents`.
      const isWhole = value.every((item) => typeof item === "string" || Number.isSafeInteger(item))
      if (tested.kind === "request" && (tested.name === "ceiling_cents" || !isWhole || !value.every(fits))) {
        return refuse(unreadable)
      }
      return { field: tested, operator: "in", value } as Test
    }
    if (is(".")) {
      const name = peek(1).text
      at += 2
      if (name !== "contains" && name !== "startsWith" && name !== "endsWith") {
        return refuse(`The form has no function ${name}.`)
      }
      need("(")
      const value = scalar()
      need(")")
      const isText = tested.kind === "payload" || !isNumber
      return isText && typeof value === "string" ? { field: tested, operator: name, value } as Test : refuse(calculated)
    }
    return refuse(is("-") ? calculated : unreadable)
  }

  const negated = (): Test => {
    const has = presence()
    if (has?.operator === "present") return { ...has, operator: "absent" }
    need("(")
    const tests = [single()]
    while (take("&&")) tests.push(single())
    if (is("||")) return refuse(nested)
    need(")")
    const inner = tests.length === 1 ? tests[0]! : joined(tests)
    if (inner.operator === "present") return { ...inner, operator: "absent" }
    return inner.operator === "in" && !(inner.field.kind === "payload" && inner.field.optional)
      ? { ...inner, operator: "not in" }
      : refuse("The form can negate only lists and the presence of a field.")
  }

  const single = (): Test => {
    if (take("!")) return negated()
    if (!is("(")) return presence() ?? comparison()
    at += 1
    const tests = [single()]
    while (take("&&")) tests.push(single())
    if (is("||")) return refuse(nested)
    need(")")
    return tests.length === 1 ? tests[0]! : joined(tests)
  }

  if ((is("true") || is("false")) && peek(1).kind === "end") return { join: is("true") ? "all" : "any", tests: [] }
  const tests = [single()]
  const symbol = is("||") ? "||" : "&&"
  while (take(symbol)) tests.push(single())
  if (peek().kind !== "end") refuse(is("&&") || is("||") ? mixed : is("?") ? calculated : unreadable)
  return { join: symbol === "&&" ? "all" : "any", tests }
}
