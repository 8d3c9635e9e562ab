/**
 * Main's own question before an approval above the limit. "Do not approve" has the focus, Escape is a no, and the yes is dead for a
 * moment, so that no press meant for another window lands here.
 */
import { formatMoney } from "@countersign/ui/components/money-text"
import { revealedParts, type TextPart } from "@countersign/ui/patterns/revealing-text"
import type { ConfirmBridge, ConfirmFacts, ConfirmRemembered } from "../bridge/contract.ts"
import "@countersign/ui/tokens/index.css"
import "./confirm.css"
import "./contrast.ts"

const deadMillis = 1_500

declare global {
  interface Window {
    readonly countersignConfirm: ConfirmBridge
  }
}

const element = <E extends HTMLElement>(id: string): E => document.getElementById(id) as E

/** Text of others: what reorders or hides is named. */
const drawn = (text: string): ReadonlyArray<Node> =>
  revealedParts(text).map((part: TextPart) => {
    if (part.kind === "plain") return document.createTextNode(part.text)
    const mark = document.createElement("mark")
    mark.textContent = `[${part.codePoint}]`
    return mark
  })

const answer = (yes: boolean) => void window.countersignConfirm.answer({ yes })

type Facts<K> = Extract<ConfirmFacts, { readonly kind: K }>
interface Words {
  readonly title: string
  readonly lines: ReadonlyArray<readonly [string, string]>
  readonly total: string
  readonly limit: string
  readonly words: readonly [no: string, yes: string]
}

const rememberedText = ({ max_cost_cents, max_total_cents, max_uses }: ConfirmRemembered): string =>
  max_total_cents !== undefined ? `up to ${formatMoney(max_total_cents)} in all`
    : `up to ${formatMoney(max_cost_cents)}${max_uses === undefined ? "" : ` each, ${max_uses} times`}`

const approveWords = ({ limit_cents, remembered, rows, total_cents }: Facts<"approve">): Words => ({
  title: rows.length === 1 ? "Approve this?" : `Approve these ${rows.length}?`,
  lines: [
    ...rows.map(({ cost_cents, what, who }) => [`${who}: ${what}`, formatMoney(cost_cents)] as const),
    ...remembered === undefined ? [] : [["Remembered for later", rememberedText(remembered)] as const]
  ],
  total: formatMoney(total_cents), limit: `This is above your limit of ${formatMoney(limit_cents)} on this computer.`,
  words: ["Do not approve", "Approve"]
})

const limitWords = ({ after_cents, before_cents }: Facts<"limit">): Words => ({
  title: after_cents === null ? "Remove your limit?" : "Raise your limit?",
  lines: [["Limit now", formatMoney(before_cents)], ["Limit then", after_cents === null ? "none" : formatMoney(after_cents)]],
  total: "", limit: "Above the limit this app asks once more before it approves.", words: ["Keep it", after_cents === null ? "Remove it" : "Raise it"]
})

const begin = async () => {
  const said = await window.countersignConfirm.read()
  if (!said.ok) return answer(false)
  const facts = said.value
  const { lines, limit, title, total, words } = said.value.kind === "limit" ? limitWords(said.value) : approveWords(said.value)
  document.title = title
  element("title").textContent = title
  element("hub").replaceChildren("On ", ...drawn(`${facts.hub.name} (${facts.hub.url})`))
  element("lines").replaceChildren(...lines.flatMap(([label, text]) => {
    const [term, value] = [document.createElement("dt"), document.createElement("dd")]
    term.replaceChildren(...drawn(label))
    value.replaceChildren(...drawn(text))
    return [term, value]
  }))
  element("total").textContent = total
  element("limit").textContent = limit
  element("no").textContent = words[0]
  element("yes").textContent = words[1]
  const [no, yes] = [element<HTMLButtonElement>("no"), element<HTMLButtonElement>("yes")]
  no.addEventListener("click", () => answer(false))
  // A press by the keyboard alone is none: Enter and Space repeat by themselves.
  yes.addEventListener("click", (event) => {
    if (event.isTrusted) answer(true)
  })
  no.focus()
  setTimeout(() => {
    yes.disabled = false
  }, deadMillis)
}

document.addEventListener("keydown", ({ key }) => {
  if (key === "Escape") answer(false)
})
void begin()
