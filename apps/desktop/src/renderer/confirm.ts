/**
 * Main's own question before an approval above the limit. "Do not approve" has the focus, Escape is a no, and the yes is dead for a
 * moment, so that no press meant for another window lands here.
 */
import { revealedParts, type TextPart } from "@countersign/ui/patterns/revealing-text"
import type { ConfirmBridge } from "../bridge/contract.ts"
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

const begin = async () => {
  const said = await window.countersignConfirm.read()
  if (!said.ok) return answer(false)
  const { hub, limit, lines, title, total } = said.value
  document.title = title
  element("title").textContent = title
  element("hub").replaceChildren("On ", ...drawn(hub))
  element("lines").replaceChildren(...lines.flatMap(({ label, text }) => {
    const [term, value] = [document.createElement("dt"), document.createElement("dd")]
    term.replaceChildren(...drawn(label))
    value.replaceChildren(...drawn(text))
    return [term, value]
  }))
  element("total").textContent = total
  element("limit").textContent = `This is above your limit of ${limit} on this computer.`
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
